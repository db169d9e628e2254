"""The whole program in front of a real server: it is killed, others edit the zone, and messages are lost or late."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import dns.query
import dns.update
import dns.xfr
import dns.zone
import pytest

from providers.rfc2136.client import build_key
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.dns_proxy import DnsProxy, Fault
from tests.nameservers import HOST
from tests.objects import service
from tests.program.installation import Installation
from tests.updatable import KEY, PROGRAMS, UpdatableServer

ZONE: Final = "example.org"
NAMES: Final = tuple(f"n{number}" for number in range(30))
TAKEN: Final = tuple(f"t{number}" for number in range(8))
STEPS: Final = 120
KILLED_AT: Final = frozenset({15, 45, 80, 110})
FAULTS: Final = (Fault.DROP_QUERY, Fault.DROP_ANSWER, Fault.CUT_ANSWER, Fault.SLOW_ANSWER)
THEIR_OWNERSHIP: Final = '"heritage=external-dns,external-dns/owner=other,external-dns/resource=service/shop/x"'
THEIRS: Final = "203.0.113.9"


def transfer(server: UpdatableServer) -> dict[tuple[str, str], list[str]]:
    zone = dns.zone.Zone(ZONE, relativize=False)
    query, _ = dns.xfr.make_query(zone, keyring=build_key(KEY))
    dns.query.inbound_xfr(HOST, zone, query, port=server.address.port)
    return {
        (name.to_text(omit_final_dot=True), rdataset.rdtype.name): sorted(data.to_text() for data in rdataset)
        for name, node in zone.nodes.items()
        for rdataset in node
    }


class Writers:
    """People who edit objects and other programs that edit the zone, with what the zone must hold in the end."""

    def __init__(self, installation: Installation, server: UpdatableServer) -> None:
        self._installation = installation
        self._server = server
        self._random = Random(2136)
        self.addresses: dict[str, str] = {}
        self.foreign: dict[str, str] = {}
        for name in (*NAMES, *TAKEN):
            self._request(name)

    def edit(self) -> None:
        """Edit some objects at once, or the zone."""
        kind = self._random.choice(("request", "request", "delete", "foreign", "take"))
        if kind == "foreign":
            name = f"f{self._random.randrange(20)}"
            self._write(name, A=self._choose_address())
        elif kind == "take" and (left := [name for name in TAKEN if name not in self.foreign]):
            self._write(left[0], A=THEIRS, TXT=THEIR_OWNERSHIP)
        elif kind == "delete":
            name = self._random.choice(NAMES)
            if self.addresses.pop(name, ""):
                self._installation.delete(service(name))
        else:
            for name in self._random.sample((*NAMES, *TAKEN), 6):
                self._request(name)

    def kill_the_server(self) -> None:
        """Kill the server while extdns writes, and start it again."""
        for name in NAMES:
            self._request(name)
        threading.Event().wait(self._random.random() * 0.05)
        self._server.kill()
        self._server.start()

    def list_expected(self) -> dict[tuple[str, str], list[str]]:
        """Return the data that the zone must hold in the end, without SOA and ownership records."""
        addresses = {**self.addresses, **self.foreign, "ns1": "192.0.2.53"}
        found = {(f"{name}.{ZONE}", "A"): [address] for name, address in addresses.items()}
        return found | {(ZONE, "NS"): ["ns1.example.org."]}

    def _request(self, name: str) -> None:
        self.addresses[name] = self._choose_address()
        self._installation.apply(service(name, f"{name}.{ZONE}", address=self.addresses[name]))

    def _write(self, name: str, **data: str) -> None:
        """Replace records as a program that does not know extdns would."""
        self.foreign[name] = data["A"]
        message = dns.update.UpdateMessage(ZONE, keyring=build_key(KEY))
        message.replace(f"{name}.{ZONE}.", 300, "A", data["A"])
        if "TXT" in data:
            message.replace(f"a-{name}.{ZONE}.", 300, "TXT", data["TXT"])
        self._server.update(message)

    def _choose_address(self) -> str:
        return f"192.0.2.{self._random.randrange(1, 255)}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_zone_converges_and_no_edit_of_another_writer_is_lost_though_the_server_dies_and_messages_are_lost(
    program: str, tmp_path: Path
) -> None:
    choose = Random(22)
    faults = [Fault.NONE] * 8 + list(FAULTS)
    with (
        UpdatableServer(program, tmp_path / "server") as server,
        DnsProxy(server.address, lambda: choose.choice(faults)) as proxy,
        ApiServer() as api,
    ):
        flags = (
            *("--provider=rfc2136", f"--rfc2136-host={HOST}", f"--rfc2136-port={proxy.address.port}"),
            *(f"--rfc2136-zone={ZONE}", f"--rfc2136-tsig-keyname={KEY.name}"),
            *(f"--rfc2136-tsig-secret-alg={KEY.algorithm}", f"--rfc2136-tsig-secret={KEY.secret}"),
            *("--interval=1s", "--max-refresh-interval=1s", "--refresh-calls-per-minute=6000"),
            *("--delete-grace-period=0s", "--max-delete-percent=100"),
        )
        installation = Installation(tmp_path, api, dns_flags=flags)
        writers = Writers(installation, server)
        with installation.start() as running:
            for step in range(STEPS):
                connections = len(proxy.faults)
                if step in KILLED_AT:
                    writers.kill_the_server()
                else:
                    writers.edit()
                running.pass_time(2.0)
                installation.until(partial(proxy.has_more_than, connections))
            assert set(proxy.faults) == set(Fault)
            faults[:] = [Fault.NONE]

            def has_converged() -> bool:
                running.pass_time(60.0)
                found = transfer(server)
                return writers.list_expected() == {key: data for key, data in found.items() if key[1] in ("A", "NS")}

            installation.until(has_converged)
        owners = {name: data for (name, rtype), data in transfer(server).items() if rtype == "TXT"}
        for name in writers.foreign.keys() & set(TAKEN):
            assert owners.pop(f"a-{name}.{ZONE}") == [THEIR_OWNERSHIP]
        assert owners.keys() == {f"a-{name}.{ZONE}" for name in writers.addresses.keys() - writers.foreign.keys()}
        assert all("external-dns/owner=me" in data for (data,) in owners.values())
