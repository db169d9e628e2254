"""Measure messages and time with N Services and a real BIND, beside `nsupdate` on the same server.

After each edit of a Service, `nsupdate` makes the same change of a record of its own: two prerequisites, one record
deleted and one added, over TCP and signed. Its process runs all the time, so only the update is measured.

Usage: rfc2136 COUNT.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from extdns.app import assembly
from extdns.app.provider import build_context
from extdns.config import parse
from extdns.model.api_request import ApiCall
from extdns.model.change import Batch, Outcome
from extdns.model.zone import Zone
from providers.common.api_calls import CallOptions
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.spec import build_settings
from tests.bench.counting import TIMEOUT_S
from tests.bench.fullpass import FLAGS
from tests.bench.process import print_figures
from tests.bench.running import configure, running
from tests.bench.services import EDITED, ZONE, prepare_edit, save, write
from tests.nameservers import HOST
from tests.updatable import KEY, UpdatableServer

UPDATE: Final = "Update"
_CALM_S: Final = 0.3
_OWNERSHIP: Final = '"heritage=external-dns,external-dns/owner=bench,external-dns/resource=service/team-00/web-000000"'


class TimedWriter:
    """The writer of extdns, which measures each batch.

    Attributes:
        batches: when each batch was begun, and how many seconds it took.
    """

    def __init__(self, writer: Rfc2136Writer) -> None:
        self._writer = writer
        self._changed = threading.Condition()
        self.batches: list[tuple[float, float]] = []

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        start_s = time.monotonic()
        outcome = self._writer.submit(zone, batch)
        with self._changed:
            self.batches.append((start_s, time.monotonic() - start_s))
            self._changed.notify_all()
        return outcome

    def wait(self) -> float:
        """Wait for a batch, and return how many seconds it took."""
        with self._changed:
            if not self._changed.wait_for(lambda: bool(self.batches), TIMEOUT_S):
                raise SystemExit("an edit was not published")
            return self.batches[0][1]


class NsUpdate:
    """One process of `nsupdate`, and names of its own to change."""

    def __init__(self, process: subprocess.Popen[str], server: UpdatableServer) -> None:
        self._process = process
        self._setup = (f"server {HOST} {server.address.port}", f"zone {ZONE}")

    def create(self, number: int) -> None:
        """Create the record *number* with an ownership record."""
        self._send(f"update add {_name(number)} 300 A 192.0.2.1", f"update add a-{_name(number)} 300 TXT {_OWNERSHIP}")

    def change(self, number: int, address: str) -> float:
        """Change the record *number* to *address*, and return how many seconds that took."""
        return self._send(
            f"prereq yxrrset {_name(number)} A 192.0.2.1",
            f"prereq yxrrset a-{_name(number)} TXT {_OWNERSHIP}",
            f"update delete {_name(number)} A 192.0.2.1",
            f"update add {_name(number)} 300 A {address}",
        )

    def _send(self, *lines: str) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("".join(f"{line}\n" for line in (*self._setup, *lines)))
        self._process.stdin.flush()
        start_s = time.monotonic()
        self._process.stdin.write("send\nanswer\n")
        self._process.stdin.flush()
        while not (line := self._process.stdout.readline()).startswith(";; ->>HEADER"):
            if not line:
                raise SystemExit("nsupdate ended")
        took_s = time.monotonic() - start_s
        if "NOERROR" not in line:
            raise SystemExit(f"nsupdate: {line}")
        return took_s


def _name(number: int) -> str:
    return f"n{number}.nsupdate.{ZONE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """extdns while it runs, with all calls to the server in *calls*."""

    reader: Rfc2136Reader
    writer: TimedWriter
    calls: list[ApiCall]


def main(count: str) -> None:
    configure()
    with (
        TemporaryDirectory() as scratch,
        UpdatableServer("named", Path(scratch, "server"), zones=(ZONE,)) as server,
        run_nsupdate(server, Path(scratch)) as nsupdate,
    ):
        manifests = Path(scratch, "manifests")
        write(manifests, int(count))
        with run_extdns(server, manifests) as parts:
            updates = [call for call in parts.calls if call.action == UPDATE]
            (first_s, _), *_, (last_s, took_s) = parts.writer.batches
            edits = [_edit(number, manifests, parts, nsupdate) for number in range(min(EDITED, int(count)))]
            quiet = _count_quiet_queries(parts)
    print_figures(
        cold_messages=len(updates),
        cold_s=last_s + took_s - first_s,
        edit_messages=max(messages for messages, _, _ in edits),
        edit_s=statistics.median(ours_s for _, ours_s, _ in edits),
        nsupdate_s=statistics.median(others_s for _, _, others_s in edits),
        quiet_queries=quiet,
    )


def _edit(number: int, manifests: Path, parts: Running, nsupdate: NsUpdate) -> tuple[int, float, float]:
    """Edit the Service *number*. Return the messages of extdns, its seconds, and those of the same with *nsupdate*."""
    address = f"198.51.100.{number + 2}"
    nsupdate.create(number)
    edited = prepare_edit(manifests, number, address)
    time.sleep(_CALM_S)
    parts.calls.clear()
    parts.writer.batches.clear()
    save(edited)
    took_s = parts.writer.wait()
    time.sleep(_CALM_S)
    return len(parts.calls), took_s, nsupdate.change(number, address)


def _count_quiet_queries(parts: Running) -> int:
    """Return how many queries a refresh takes if nobody has changed the zone."""
    zone = parts.reader.list_zones().zones[0]
    parts.reader.read_page(zone, None)
    parts.calls.clear()
    parts.reader.read_page(zone, None)
    return len(parts.calls)


@contextmanager
def run_nsupdate(server: UpdatableServer, scratch: Path) -> Iterator[NsUpdate]:
    key = scratch / "key"
    key.write_text(f'key "{KEY.name}" {{ algorithm {KEY.algorithm}; secret "{KEY.secret}"; }};\n')
    command = ("nsupdate", "-v", "-k", str(key))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield NsUpdate(process, server)
        finally:
            process.kill()


@contextmanager
def run_extdns(server: UpdatableServer, manifests: Path) -> Iterator[Running]:
    """Run extdns, and enter the block once its first full pass is done."""
    flags = [
        *(*FLAGS, "--provider=rfc2136", f"--rfc2136-host={HOST}", f"--rfc2136-port={server.address.port}"),
        *(f"--rfc2136-zone={ZONE}", f"--rfc2136-tsig-keyname={KEY.name}", f"--rfc2136-tsig-secret={KEY.secret}"),
        *(f"--rfc2136-tsig-secret-alg={KEY.algorithm}", f"--manifests={manifests}", "--interval=1h"),
    ]
    config = parse(flags, {})
    calls: list[ApiCall] = []
    zones = Rfc2136Zones(replace(build_settings(build_context(config)), calls=CallOptions(on_call=calls.append)))
    parts = Running(reader=Rfc2136Reader(zones), writer=TimedWriter(Rfc2136Writer(zones)), calls=calls)
    program = assembly.assemble(config, service=(parts.reader, parts.writer))
    with running(program):
        yield parts


if __name__ == "__main__":
    main(*sys.argv[1:])
