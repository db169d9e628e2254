"""Real authoritative name servers for tests, on loopback and in a temporary folder: BIND, Knot and NSD.

A server serves the zones that `load` gave it last, which may differ from the zone files of a test.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Final, Self

import dns.exception
import dns.flags
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype

from tests.required_programs import require_programs

HOST: Final = "127.0.0.1"
_READY_S: Final = 60.0
_POLL_INTERVAL_S: Final = 0.02
_ANSWER_S: Final = 20.0
_POLL_S: Final = 0.1
_LOG_BYTES: Final = 4000

_BIND: Final = """\
options {{
  directory "{folder}"; pid-file none; session-keyfile "{folder}/session.key"; managed-keys-directory "{folder}";
  listen-on port {port} {{ {host}; }}; listen-on-v6 {{ none; }};
  {resolving}; dnssec-validation no; empty-zones-enable no; notify no; minimal-responses no;
}};
controls {{ }};
"""
_BIND_ZONE: Final = 'zone "{zone}" {{ type primary; file "{file}"; }};\n'
_AUTHORITATIVE: Final = "recursion no"
_FORWARDING: Final = "recursion yes; forward only; forwarders {{ {host} port {port}; }}"
_KNOT: Final = """\
server:
  rundir: "{folder}"
  listen: {host}@{port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: "{folder}"
template:
  - id: default
    zonefile-load: whole
    zonefile-sync: -1
    journal-content: none
log:
  - target: stderr
    any: info
zone:
"""
_KNOT_ZONE: Final = '  - domain: "{zone}"\n    file: "{file}"\n'
_NSD: Final = """\
server:
  server-count: 1
  ip-address: {host}@{port}
  username: ""
  chroot: ""
  zonesdir: "{folder}"
  xfrdir: "{folder}"
  xfrdfile: "{folder}/xfrd.state"
  zonelistfile: "{folder}/zone.list"
  pidfile: "{folder}/nsd.pid"
  database: ""
  zonefiles-check: yes
remote-control:
  control-enable: no
"""
_NSD_ZONE: Final = 'zone:\n  name: "{zone}"\n  zonefile: "{file}"\n'
PROGRAMS: Final[Mapping[str, tuple[tuple[str, ...], str, str]]] = {
    "named": (("-g", "-n", "1", "-c"), _BIND, _BIND_ZONE),
    "knotd": (("-c",), _KNOT, _KNOT_ZONE),
    "nsd": (("-d", "-c"), _NSD, _NSD_ZONE),
}
"""By program: arguments before the configuration file, its head, and its text for each zone."""


class RealServer:
    """A name server process, from `__enter__` to `__exit__`.

    Attributes:
        port: the port for UDP and TCP.
        place: host and port as `--nameserver` takes them.
    """

    def __init__(self, name: str, folder: Path, zones: Mapping[str, str], *, forward_to: int = 0) -> None:
        """Prepare the server *name* with *zones*: zone name to zone file, "" for a zone that it cannot load.

        BIND can forward other questions to the port *forward_to*.
        """
        require_programs("zones served by a real name server", name)
        self._name = name
        self._folder = folder
        self.port = free_port()
        self.address = f"{HOST}:{self.port}"
        folder.mkdir()
        arguments, head, part = PROGRAMS[name]
        resolving = _FORWARDING.format(host=HOST, port=forward_to) if forward_to else _AUTHORITATIVE
        text = head.format(folder=folder, host=HOST, port=self.port, resolving=resolving)
        text += "".join(part.format(zone=zone, file=self._file(zone)) for zone in zones)
        (folder / "server.conf").write_text(text)
        for zone, lines in zones.items():
            self._write(zone, lines)
        self._zones = tuple(zone for zone, lines in zones.items() if lines)
        self._command: Sequence[str] = (name, *arguments, str(folder / "server.conf"))

    def __enter__(self) -> Self:
        with (self._folder / "log").open("ab") as log:
            self._running = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        try:
            self._wait(lambda: all(self.serial(zone) is not None for zone in self._zones) and self._answers())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def load(self, zone: str, text: str) -> None:
        """Serve *text* as the zone file of *zone*, and return once it is served; its serial must be new."""
        before = self.serial(zone, within_s=_ANSWER_S)
        processes = self._processes()
        self._write(zone, text)
        self._running.send_signal(signal.SIGHUP)
        self._wait(lambda: self.serial(zone) not in {None, before} and self._processes() == processes)

    def serial(self, zone: str, *, within_s: float = _POLL_S) -> int | None:
        """Return the served serial of *zone*, or None if the server does not answer with one."""
        try:
            answer = self.query(zone, "SOA", within_s=within_s)
        except (dns.exception.DNSException, OSError):
            return None
        found = [rrset for rrset in answer.answer if rrset.rdtype == dns.rdatatype.SOA]
        return int(found[0].to_text().split()[6]) if found else None

    def query(self, name: str, rtype: str, *, within_s: float = _ANSWER_S) -> dns.message.Message:
        """Send one question by UDP and return the answer, which may be truncated."""
        return dns.query.udp(dns.message.make_query(name, rtype), HOST, timeout=within_s, port=self.port)

    def _answers(self) -> bool:
        try:
            return bool(self.query(".", "SOA", within_s=_POLL_S).flags)
        except (dns.exception.DNSException, OSError):
            return False

    def _processes(self) -> int:
        """Return the number of processes; while NSD reloads, old processes answer as well."""
        return sum(_group(path) == self._running.pid for path in Path("/proc").glob("[0-9]*/stat"))

    def _file(self, zone: str) -> Path:
        return self._folder / f"{zone}.zone"

    def _write(self, zone: str, text: str) -> None:
        new = self._folder / f"{zone}.new"
        new.write_text(text, encoding="latin-1")
        new.replace(self._file(zone))

    def _wait(self, ready: Callable[[], bool]) -> None:
        until_s = monotonic() + _READY_S
        while not ready():
            if self._running.poll() is not None or monotonic() > until_s:
                log = (self._folder / "log").read_text(errors="replace")[-_LOG_BYTES:]
                raise AssertionError(f"{self._name} is not ready (exit code {self._running.poll()}):\n{log}")
            sleep(_POLL_INTERVAL_S)

    def _end(self) -> None:
        """Kill the server with all its processes."""
        os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait()


def _group(stat: Path) -> int | None:
    """Return the process group in a /proc stat file, or None if the process is gone."""
    try:
        return int(stat.read_text().rpartition(")")[2].split()[2])
    except OSError:
        return None


def free_port() -> int:
    """Return a loopback port that is free for UDP and TCP."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind((HOST, 0))
            port: int = tcp.getsockname()[1]
            try:
                udp.bind((HOST, port))
            except OSError:
                continue
            return port
