"""Routes of a live cluster: which kinds are watched, and what the change of one object costs (law 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import pytest

from extdns.app import assembly
from extdns.app.assembly import Assembly
from extdns.config import parse
from extdns.model.change import AdjustedRecords, Batch, Decision, Outcome
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone, ZonePage
from providers.inmemory.provider import InMemoryProvider
from tests.clusters import MAX_WAIT_S, service
from tests.fakes.apiserver.server import ApiServer

ZONE: Final = "acme.test"
GROUP: Final = "gateway.networking.k8s.io"
MANY: Final = 1000
FLAGS: Final = (
    "--source=gateway-httproute",
    "--provider=inmemory",
    f"--inmemory-zone={ZONE}",
    "--registry=txt",
    "--txt-owner-id=me",
    "--interval=1h",
    "--metrics-address=127.0.0.1:0",
)


def gateway(address: str, *, name: str = "gw", origin: str = "All") -> dict[str, Any]:
    allowed: dict[str, Any] = {"from": origin}
    if origin == "Selector":
        allowed["selector"] = {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}
    web = {"name": "web", "port": 80, "protocol": "HTTP", "allowedRoutes": {"namespaces": allowed}}
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": "infra"},
        "spec": {"gatewayClassName": "x", "listeners": [web]},
        "status": {"addresses": [{"type": "IPAddress", "value": address}]},
    }


def route(host: str, *, parent: str = "gw", kind: str = "HTTPRoute") -> dict[str, Any]:
    ref = {"name": parent, "namespace": "infra"}
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": {"name": host.partition(".")[0], "namespace": "shop"},
        "spec": {"parentRefs": [ref], "hostnames": [host]},
        "status": {"parents": [{"parentRef": ref, "conditions": [{"type": "Accepted", "status": "True"}]}]},
    }


@dataclass(slots=True)
class Done:
    """The calls that the provider received."""

    planned: Counter[DnsName] = field(default_factory=Counter)
    reads: int = 0
    batches: list[Batch] = field(default_factory=list)


class Counting(InMemoryProvider):
    """An in-memory provider that counts its calls."""

    def __init__(self) -> None:
        super().__init__([ZONE])
        self.done = Done()

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        self.done.planned.update({endpoint.name for endpoint in desired})
        return super().adjust(desired, zone)

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        self.done.reads += 1
        return super().read_page(zone, after)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        self.done.reads += 1
        return super().read_names(zone, names)

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self.done.batches.append(batch)
        return super().submit(zone, batch)


class Published:
    """A reporter that waits until given names are published with a given target."""

    def __init__(self) -> None:
        self._target = ""
        self._left: set[str] = set()
        self._all = Event()

    def expect(self, target: str, names: set[str]) -> None:
        self._all.clear()
        self._left = set(names)
        self._target = target

    def report(self, decisions: Sequence[Decision]) -> None:
        for decision in decisions:
            if decision.reason is Reason.PUBLISHED and decision.desired and self._target in decision.desired.targets:
                self._left.discard(decision.name)
        if self._target and not self._left:
            self._all.set()

    def wait(self) -> None:
        assert self._all.wait(MAX_WAIT_S), f"{len(self._left)} names are not published with {self._target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A running extdns process, its provider and the API server that it reads."""

    server: ApiServer
    provider: Counting
    published: Published
    assembly: Assembly

    @property
    def computed(self) -> int:
        """How many times a source computed the claims of an object."""
        return self.assembly.controller._parts.observer.computed


@contextmanager
def running(server: ApiServer, folder: Path, *flags: str) -> Iterator[Running]:
    """Run extdns until its first full pass is done, and then until the end of the block."""
    provider, published = Counting(), Published()
    config = parse([*FLAGS, f"--kubeconfig={server.kubeconfig(folder / 'kubeconfig')}", *flags], {})
    made = assembly.assemble(config, follow=published.report, service=(provider, provider))
    thread = Thread(target=made.controller.run, kwargs={"once": False})
    thread.start()
    try:
        assert made.controller.first_pass_done.wait(MAX_WAIT_S)
        provider.done = Done()
        yield Running(server=server, provider=provider, published=published, assembly=made)
    finally:
        made.controller.stop()
        thread.join()


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as made:
        made.put(service("web"))
        made.put({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
        made.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        yield made


@pytest.mark.parametrize(
    ("flags", "origin", "expected"),
    [
        pytest.param([], "All", {"gateways", "httproutes"}, id="one-kind-of-routes"),
        pytest.param([], "Selector", {"gateways", "httproutes", "namespaces"}, id="listener-that-selects-namespaces"),
        pytest.param(
            ["--source=gateway-grpcroute", "--source=gateway-tcproute", "--gateway-listener-sets"],
            "All",
            {"gateways", "grpcroutes", "httproutes", "tcproutes"},
            id="several-kinds-of-routes",
        ),
    ],
)
def test_only_the_kinds_that_the_route_sources_need_are_listed_or_watched(
    server: ApiServer, tmp_path: Path, flags: list[str], origin: str, expected: set[str]
) -> None:
    server.put(gateway("192.0.2.1", origin=origin))
    server.put(route(f"a.{ZONE}"))
    with running(server, tmp_path, *flags) as program:
        program.published.expect("192.0.2.2", {f"a.{ZONE}"})
        server.put(gateway("192.0.2.2", origin=origin))
        program.published.wait()
    followed = {request.resource for request in server.log.requests() if request.verb in {"list", "watch"}}
    assert followed == expected


def test_a_new_gateway_address_computes_and_writes_each_of_its_routes_once(server: ApiServer, tmp_path: Path) -> None:
    hosts = {f"r{number}.{ZONE}" for number in range(MANY)}
    server.put(gateway("192.0.2.1"))
    server.put(gateway("192.0.2.1", name="other"))
    server.put_all([*map(route, sorted(hosts)), route(f"x.{ZONE}", parent="other")])
    with running(server, tmp_path) as program:
        computed = program.computed
        assert computed >= MANY + 1
        program.published.expect("192.0.2.2", hosts)
        server.put(gateway("192.0.2.2"))
        program.published.wait()
        done = program.provider.done
        assert program.computed == computed + MANY
    assert done.reads == 0
    assert done.planned == dict.fromkeys(hosts, 2)  # once before and once after the write
    sets = [change_set for batch in done.batches for change_set in batch.change_sets]
    assert sorted(change_set.name for change_set in sets) == sorted(hosts)


def test_a_change_of_one_route_computes_only_that_route_and_writes_only_its_records(
    server: ApiServer, tmp_path: Path
) -> None:
    server.put(gateway("192.0.2.1"))
    server.put_all([route(f"{name}.{ZONE}") for name in ("a", "b", "c")])
    with running(server, tmp_path) as program:
        computed = program.computed
        program.published.expect("192.0.2.1", {f"new.{ZONE}"})
        changed = route(f"b.{ZONE}")
        changed["spec"]["hostnames"].append(f"new.{ZONE}")
        server.put(changed)
        program.published.wait()
        assert program.computed == computed + 1
        assert [len(batch.change_sets) for batch in program.provider.done.batches] == [1]
        assert program.provider.done.reads == 0
