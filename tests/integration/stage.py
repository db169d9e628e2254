"""Manifests and zone files in a scratch folder, and passes of the program over them as a user would make them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from extdns.app import assembly
from extdns.config import parse
from extdns.controller.ending import exit_code
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
    """A Service of type LoadBalancer, if *spec* says no other, whose load balancer has *address*."""
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
    """A zone file that a person keeps."""
    return _HEAD.format(zone=zone, serial=serial) + lines


class Stage:
    """A folder of manifests and a folder of zone files."""

    def __init__(self, root: Path, **zones: str) -> None:
        """Begin with *zones*: what people wrote into each, by name with _ for dots."""
        self.manifests = root / "manifests"
        self.zones = root / "zones"
        self.manifests.mkdir()
        self.zones.mkdir()
        for name, lines in zones.items():
            zone = name.replace("_", ".")
            self.file(zone).write_text(manual(lines, zone=zone), encoding="utf-8")

    def file(self, zone: str = "example.org") -> Path:
        """The file of *zone*."""
        return self.zones / f"{zone}.zone"

    def text(self, zone: str = "example.org") -> str:
        """What stands in the file of *zone*."""
        return self.file(zone).read_text(encoding="latin-1")

    def published(self, zone: str = "example.org") -> list[str]:
        """What we wrote into *zone*, marks left out: "name type data", as it stands there."""
        _, _, ours = self.text(zone).partition("; BEGIN extdns")
        found = [line.split() for line in ours.splitlines()[1:] if not line.startswith(";")]
        return [f"{name[:-1]} {rtype} {' '.join(data)}" for name, _, _, rtype, *data in found if rtype != "TXT"]

    def state(self) -> dict[str, bytes]:
        """Every file of the zones' folder."""
        return {path.name: path.read_bytes() for path in sorted(self.zones.iterdir())}

    def apply(self, *objects: Mapping[str, object]) -> None:
        """Let the cluster hold *objects* and nothing else."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        (self.manifests / "all.json").write_text(text, encoding="utf-8")

    def once(self, *flags: str, owner: str = "me") -> int:
        """One pass; the exit code."""
        try:
            running = assembly.assemble(parse([*self._flags(), f"--txt-owner-id={owner}", *flags], {}))
        except UsageError:
            return USAGE
        running.controller.run(once=True)
        return exit_code(running.engine)

    def settle(self, *flags: str, owner: str = "me") -> int:
        """Two passes, the second of which must change no byte and end alike; the exit code."""
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
