"""Zone files in a scratch folder: what people wrote into them, and what extdns added."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_HEAD: Final = """$ORIGIN {zone}.
$TTL 300
@ SOA ns.example.net. host.example.net. 1 7200 3600 1209600 300
@ NS ns.example.net.
"""


def build_zone_text(lines: str, *, zone: str = "example.org") -> str:
    """Return a zone file as a person would write it: SOA, NS, then *lines*."""
    return _HEAD.format(zone=zone) + lines


class ZoneFiles:
    """A folder of zone files.

    Attributes:
        folder: the path of the folder.
        flags: the flags with which extdns uses it.
    """

    def __init__(self, folder: Path, **zones: str) -> None:
        """Create the zone files of *zones*: zone name, with _ for dots, to the record lines that people wrote."""
        self.folder = folder
        self.flags = ("--provider=zonefile", f"--zonefile-dir={folder}")
        folder.mkdir()
        for name, lines in zones.items():
            zone = name.replace("_", ".")
            self.path(zone).write_text(build_zone_text(lines, zone=zone), encoding="utf-8")

    def path(self, zone: str = "example.org") -> Path:
        """Return the path of the zone file of *zone*."""
        return self.folder / f"{zone}.zone"

    def text(self, zone: str = "example.org") -> str:
        """Return the text of the zone file of *zone*."""
        return self.path(zone).read_text(encoding="latin-1")

    def published(self, zone: str = "example.org") -> list[str]:
        """Return the records that extdns wrote into *zone* as "name type data", in file order, without TXT records."""
        _, _, ours = self.text(zone).partition("; BEGIN extdns")
        found = [line.split() for line in ours.splitlines()[1:] if not line.startswith(";")]
        return [f"{name[:-1]} {rtype} {' '.join(data)}" for name, _, _, rtype, *data in found if rtype != "TXT"]

    def contents(self) -> dict[str, bytes]:
        """Return the content of every file in the folder, by file name."""
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}
