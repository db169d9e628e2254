"""Run external-dns itself in front of `extdns webhook`, and compare the zone with what its provider `inmemory` holds.

Usage: python -m tests.program.external_dns PROGRAM, the path of external-dns (docs/design/webhook.md, "Tests").
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.conformance.provider import ZONE_TEXT
from tests.fakes.apiserver.server import ApiServer
from tests.objects import OLD_PREFIX, Json, service
from tests.program.process import running

Records = dict[tuple[str, str], str]
"""The target by name and type."""

_FREE: Final = "--metrics-address=127.0.0.1:0"
_FLAGS: Final = ("--source=service", "--registry=txt", "--txt-owner-id=me", "--policy=sync", "--interval=2s", _FREE)
_WAIT_S: Final = 60.0
_LOGGED: Final = re.compile(r"(CREATE|UPDATE \(new\)|DELETE): (\S+) \d+ IN (\S+)  (.*) \[\]")
_WRITTEN: Final = re.compile(r"(\S+)\. \d+ IN (\S+) (.*?)\.?")


def main(program: str) -> None:
    """Make the same edits with both providers, and print the records after each.

    Raises:
        SystemExit: they differ, or external-dns ended with an error.
    """
    with TemporaryDirectory() as scratch:
        log = Path(scratch, "inmemory.log")
        expected = _run(program, log, ("--provider=inmemory", "--inmemory-zone=example.org"), lambda: _replay(log))
        zone = Path(scratch, "zones", "example.org.zone")
        zone.parent.mkdir()
        zone.write_text(ZONE_TEXT)
        served = ("--provider=zonefile", f"--zonefile-dir={zone.parent}", "--webhook-listen=127.0.0.1:0", _FREE)
        with running("webhook", *served) as server:
            server.until("Serving the webhook protocol")
            url = f"--webhook-provider-url=http://127.0.0.1:{server.lines[-1].rpartition('port=')[2].strip()}"
            flags = ("--provider=webhook", url)
            found = _run(program, Path(scratch, "webhook.log"), flags, lambda: _read(zone))
    for step, with_inmemory, with_webhook in zip(("create", "update", "delete"), expected, found, strict=True):
        lines = sorted(f"  {name} {rtype} {target}\n" for (name, rtype), target in with_webhook.items())
        sys.stdout.write("".join((f"{step}\n", *lines)))
        if with_webhook != with_inmemory:
            raise SystemExit(f"with its provider inmemory external-dns has {with_inmemory}")


def _run(program: str, log: Path, flags: tuple[str, ...], read: Callable[[], Records]) -> list[Records]:
    """Run external-dns with *flags*, edit Services, and return what *read* finds after each of the three edits."""
    with ApiServer() as server, log.open("w") as output:
        kubeconfig = server.kubeconfig(log.with_suffix(".kubeconfig"))
        server.put_all(_list_services())
        command = (program, f"--kubeconfig={kubeconfig}", *_FLAGS, *flags)
        with subprocess.Popen(command, stdout=output, stderr=output) as process:
            try:
                states = [_wait_until_calm(log, read, {})]
                server.put_all(_list_edited())
                states.append(_wait_until_calm(log, read, states[-1]))
                for name in ("web", "alias"):
                    server.delete("Service", "shop", name)
                states.append(_wait_until_calm(log, read, states[-1]))
            finally:
                process.send_signal(signal.SIGTERM)
    if "level=error" in log.read_text():
        raise SystemExit(log.read_text())
    return states


def _wait_until_calm(log: Path, read: Callable[[], Records], before: Records) -> Records:
    """Wait for records that differ from those *before*, then until external-dns has no changes to make."""
    deadline_s = time.monotonic() + _WAIT_S
    while time.monotonic() < deadline_s:
        time.sleep(0.5)
        if read() != before and "All records are already up to date" in log.read_text().splitlines()[-1]:
            return read()
    raise SystemExit(log.read_text())


def _list_services() -> list[Json]:
    return [
        service("web", address="192.0.2.1", prefix=OLD_PREFIX, annotations={"ttl": "60"}),
        service("alias", address="lb.example.net", prefix=OLD_PREFIX),
        service("both", address="192.0.2.7", prefix=OLD_PREFIX),
        service("six", address="2001:db8::1", prefix=OLD_PREFIX),
        service("wild", "*.wild.example.org", address="192.0.2.8", prefix=OLD_PREFIX),
    ]


def _list_edited() -> list[Json]:
    """Return the Services with another target and with another type."""
    return [
        service("web", address="192.0.2.99", prefix=OLD_PREFIX, annotations={"ttl": "60"}),
        service("both", address="lb.example.net", prefix=OLD_PREFIX),
    ]


def _replay(log: Path) -> Records:
    """Return the records after the changes that the provider inmemory logs."""
    records: Records = {}
    for line in log.read_text().splitlines():
        message = re.search(r'msg=("(?:[^"\\]|\\.)*")', line)
        if message and (found := _LOGGED.fullmatch(json.loads(message[1]))):
            action, name, rtype, target = found.groups()
            if action == "DELETE":
                del records[name, rtype]
            else:
                records[name, rtype] = target
    return records


def _read(zone: Path) -> Records:
    """Return the records that extdns wrote to the file of the *zone*."""
    _, _, written = zone.read_text().partition("; BEGIN extdns")
    lines = filter(None, map(_WRITTEN.fullmatch, written.splitlines()))
    return {(found[1], found[2]): found[3] for found in lines}


if __name__ == "__main__":
    main(*sys.argv[1:])
