"""Manifests and zone files in a scratch folder, and single runs of extdns (`--once`) that read and write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError

PREFIX: Final = "external-dns.kubernetes.io/"
USAGE: Final = 1
_HEAD: Final = """$ORIGIN {zone}.
$TTL 300
@ SOA ns.example.net. host.example.net. {serial} 7200 3600 1209600 300
@ NS ns.example.net.
"""


def service(
    name: str,
    hostname: str,
    *,
    namespace: str = "shop",
    address: str = "192.0.2.1",
    annotations: Mapping[str, str] = {},
    **spec: object,
) -> dict[str, object]:
    """Return a Service of type LoadBalancer, unless *spec* sets another type, with *address* in its status."""
    kind = "ip" if address[0].isdigit() or ":" in address else "hostname"
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "annotations": {f"{PREFIX}hostname": hostname, **{PREFIX + key: text for key, text in annotations.items()}},
        },
        "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1", **spec},
        "status": {"loadBalancer": {"ingress": [{kind: address}]}},
    }


def manual(lines: str, *, zone: str = "example.org", serial: int = 1) -> str:
    """Return a zone file as a person would write it: SOA, NS, then *lines*."""
    return _HEAD.format(zone=zone, serial=serial) + lines


class Stage:
    """A folder of manifests and a folder of zone files."""

    def __init__(self, root: Path, **zones: str) -> None:
        """Create the zone files of *zones*: zone name, with _ for dots, to the record lines that people wrote."""
        self.manifests = root / "manifests"
        self.zones = root / "zones"
        self.manifests.mkdir()
        self.zones.mkdir()
        for name, lines in zones.items():
            zone = name.replace("_", ".")
            self.file(zone).write_text(manual(lines, zone=zone), encoding="utf-8")

    def file(self, zone: str = "example.org") -> Path:
        """Return the path of the zone file of *zone*."""
        return self.zones / f"{zone}.zone"

    def text(self, zone: str = "example.org") -> str:
        """Return the text of the zone file of *zone*."""
        return self.file(zone).read_text(encoding="latin-1")

    def published(self, zone: str = "example.org") -> list[str]:
        """Return the records that extdns wrote into *zone* as "name type data", in file order, without TXT records."""
        _, _, ours = self.text(zone).partition("; BEGIN extdns")
        found = [line.split() for line in ours.splitlines()[1:] if not line.startswith(";")]
        return [f"{name[:-1]} {rtype} {' '.join(data)}" for name, _, _, rtype, *data in found if rtype != "TXT"]

    def state(self) -> dict[str, bytes]:
        """Return the content of every file in the folder of zone files, by file name."""
        return {path.name: path.read_bytes() for path in sorted(self.zones.iterdir())}

    def apply(self, *objects: Mapping[str, object]) -> None:
        """Replace all manifests by *objects*."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        (self.manifests / "all.json").write_text(text, encoding="utf-8")

    def once(self, *flags: str, owner: str = "me") -> int:
        """Run extdns once (`--once`) and return the exit code."""
        try:
            running = assembly.assemble(parse([*self._flags(), f"--txt-owner-id={owner}", *flags], {}))
        except UsageError:
            return USAGE
        running.controller.run(once=True)
        return compute_exit_code(running.engine)

    def run_twice(self, *flags: str, owner: str = "me") -> int:
        """Run extdns twice, check that the second run changes no file and no exit code, and return the exit code."""
        code = self.once(*flags, owner=owner)
        state = self.state()
        assert self.once(*flags, owner=owner) == code
        assert self.state() == state
        return code

    def _flags(self) -> Sequence[str]:
        return (
            f"--manifests={self.manifests}",
            "--source=service",
            "--source=ingress",
            "--provider=zonefile",
            f"--zonefile-dir={self.zones}",
            "--metrics-address=127.0.0.1:0",
            "--once",
        )
