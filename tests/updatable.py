"""Real name servers that take DNS UPDATE, for tests: BIND, Knot and PowerDNS, on loopback, with TSIG and own zones."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Final, NamedTuple, Self

import dns.exception
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype
import dns.update
import dns.xfr
import dns.zone

from providers.rfc2136.client import build_key
from providers.rfc2136.settings import DnsServer, TsigSecret
from tests.kubernetes.certificates import CertificateFiles
from tests.nameservers import HOST, free_port
from tests.powerdns import CONFIGURATION, create_database
from tests.required_programs import require_programs

KEY: Final = TsigSecret(name="extdns", algorithm="hmac-sha256", secret="c2VjcmV0LWZvci10ZXN0cy1vbmx5LTAwMDAwMDAwMDA=")
ZONES: Final = ("example.org", "2.0.192.in-addr.arpa")
_READY_S: Final = 60.0
_ANSWER_S: Final = 120.0  # PowerDNS takes seconds to delete thousands of names
_POLL_S: Final = 0.02

ZONE_TEXT: Final = """\
$TTL 3600
@        IN SOA  ns1.example.org. hostmaster.example.org. ( 1 7200 900 1209600 300 )
         IN NS   ns1.example.org.
"""
GLUE: Final = "ns1 IN A 192.0.2.53\n"

_BIND: Final = """\
key "extdns" {{ algorithm hmac-sha256; secret "{secret}"; }};
options {{
  directory "{folder}"; pid-file none; session-keyfile "{folder}/session.key"; managed-keys-directory "{folder}";
  listen-on port {port} {{ {host}; }}; listen-on-v6 {{ none; }};
  recursion no; dnssec-validation no; empty-zones-enable no; notify no; allow-transfer {{ key extdns; }};
}};
controls {{ }};
"""
_BIND_TLS: Final = 'tls local {{ cert-file "{certificate}"; key-file "{key}"; {clients} }};\n'
_BIND_ZONE: Final = """\
zone "{zone}" {{ type primary; file "{zone}.zone"; {updates}; }};
"""
ALLOW_UPDATE: Final = "allow-update { key extdns; }"
_KNOT: Final = """\
server:
  rundir: "{folder}"
  listen: {host}@{port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: "{folder}"
  journal-db-max-size: 64M
key:
  - id: extdns
    algorithm: hmac-sha256
    secret: "{secret}"
acl:
  - id: extdns
    key: extdns
    action: [update, transfer]
template:
  - id: default
    storage: "{folder}"
    file: "%s.zone"
    zonefile-load: difference
    zonefile-sync: -1
    acl: extdns
log:
  - target: stderr
    any: info
zone:
"""
_KNOT_ZONE: Final = '  - domain: "{zone}"\n'


class Program(NamedTuple):
    """How a name server is started.

    Attributes:
        arguments: on the command line.
        head: the text of the configuration file.
        zone: its text for each zone.
        file: the name of the configuration file.
        tools: further programs that it needs.
    """

    arguments: tuple[str, ...]
    head: str
    zone: str
    file: str = "server.conf"
    tools: tuple[str, ...] = ()


PROGRAMS: Final = {
    "named": Program(("-g", "-n", "1", "-c", "{folder}/server.conf"), _BIND, _BIND_ZONE),
    "knotd": Program(("-c", "{folder}/server.conf"), _KNOT, _KNOT_ZONE),
    "pdns_server": Program(("--config-dir=.",), CONFIGURATION, "", "pdns.conf", ("pdnsutil",)),
}


class UpdatableServer:
    """A name server process with zones that the key `KEY` may transfer and update.

    Attributes:
        program: a key of `PROGRAMS`.
        address: where it serves DNS.
        tls_address: where BIND serves DNS over TLS, if that was requested.
        http_address: where PowerDNS serves its HTTP API; the key is `tests.powerdns.API_KEY`.
    """

    def __init__(
        self,
        program: str,
        folder: Path,
        *,
        zones: Sequence[str] = ZONES,
        tls: CertificateFiles | None = None,
        client_ca: Path | None = None,
        updates: str = ALLOW_UPDATE,
        options: str = "",
    ) -> None:
        """Prepare *program* in the new *folder*.

        Args:
            program: a key of `PROGRAMS`.
            folder: receives the configuration and the zone files.
            zones: the names of the zones; the first one has an address at `ns1`.
            tls: with these, BIND also serves DNS over TLS at `tls_address`.
            client_ca: with this, only to clients with a certificate that it issued.
            updates: BIND's statement about who may update the zones.
            options: more statements for BIND's options.
        """
        require_updatable(program)
        folder.mkdir(parents=True)
        self.program = program
        self._folder = folder
        self._zones = zones
        self.address = DnsServer(host=HOST, port=free_port())
        self.tls_address = DnsServer(host=HOST, port=free_port())
        http_port = free_port()
        self.http_address = f"http://{HOST}:{http_port}"
        started = PROGRAMS[program]
        text = started.head.format(
            folder=folder, host=HOST, port=self.address.port, http_port=http_port, secret=KEY.secret
        )
        if tls is not None:
            more = f"listen-on port {self.tls_address.port} tls local {{ {HOST}; }}; listen-on-v6"
            clients = f'ca-file "{client_ca}";' if client_ca else ""
            local = _BIND_TLS.format(certificate=tls.certificate, key=tls.key, clients=clients)
            text = text.replace("listen-on-v6", more) + local
        text = text.replace("  recursion no;", f"  {options}recursion no;")
        text += "".join(started.zone.format(zone=zone, updates=updates) for zone in self._zones)
        (folder / started.file).write_text(text)
        for zone in self._zones:
            (folder / f"{zone}.zone").write_text(ZONE_TEXT + (GLUE if zone == self._zones[0] else ""))
        if program == "pdns_server":
            create_database(folder, self._zones, KEY)
        self._command = (program, *(one.format(folder=folder) for one in started.arguments))
        self._running: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the server."""
        self.kill()

    def start(self) -> None:
        """Start the process, and return once it answers for all zones."""
        with (self._folder / "log").open("ab") as log:
            self._running = subprocess.Popen(
                self._command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self._wait(lambda: all(self._answers(zone) for zone in self._zones))
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill the process with all its children."""
        if self._running is not None:
            os.killpg(self._running.pid, signal.SIGKILL)
            self._running.wait()
            self._running = None

    def reset(self) -> None:
        """Delete all names of all zones but their apex, and restore the apex."""
        for zone in self._zones:
            held = dns.zone.Zone(zone, relativize=False)
            query, _ = dns.xfr.make_query(held, keyring=build_key(KEY))
            dns.query.inbound_xfr(HOST, held, query, port=self.address.port)
            message = dns.update.UpdateMessage(zone, keyring=build_key(KEY))
            for name in held.nodes:
                message.delete(name)
            message.add(zone + ".", 3600, "NS", "ns1.example.org.")
            if zone == self._zones[0]:
                message.add("ns1.example.org.", 3600, "A", "192.0.2.53")
            self.update(message)

    def update(self, message: dns.update.UpdateMessage) -> None:
        """Send *message*, which must succeed, as another program would."""
        found = dns.query.tcp(message, HOST, timeout=_ANSWER_S, port=self.address.port)
        assert found.rcode() == dns.rcode.NOERROR, found

    def _answers(self, zone: str) -> bool:
        with suppress(dns.exception.DNSException, OSError):
            question = dns.message.make_query(zone, dns.rdatatype.SOA)
            found = dns.query.udp(question, HOST, timeout=0.2, port=self.address.port)
            return found.rcode() == dns.rcode.NOERROR and bool(found.answer)
        return False

    def _wait(self, ready: Callable[[], bool]) -> None:
        assert self._running is not None
        until_s = monotonic() + _READY_S
        while not ready():
            if self._running.poll() is not None or monotonic() > until_s:
                log = (self._folder / "log").read_text(errors="replace")[-4000:]
                raise AssertionError(f"{self._command[0]} is not ready:\n{log}")
            sleep(_POLL_S)


def require_updatable(program: str) -> None:
    """End the test if *program* or one of its tools is not installed (`require_programs`)."""
    require_programs("updates of a real name server", program, *PROGRAMS[program].tools)


def start_clean(program: str) -> UpdatableServer:
    """Return a server without records, which tests share. Without its program, the test ends (`require_programs`)."""
    server = _start_once(program)
    server.reset()
    return server


@cache
def _start_once(program: str) -> UpdatableServer:
    """Return a server that all tests of this process share; it ends with the process."""
    require_updatable(program)  # before there is a folder, which nobody would remove
    folder = tempfile.TemporaryDirectory(prefix="extdns-dns-")
    server = UpdatableServer(program, Path(folder.name) / "server")
    atexit.register(folder.cleanup)
    server.start()
    atexit.register(server.kill)  # runs before the folder is deleted
    return server
