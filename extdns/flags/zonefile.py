"""The provider `zonefile`: RFC 1035 master files for CoreDNS, BIND, Knot or NSD."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag
from extdns.flags.kind import text

FLAGS: Final = (
    Flag(
        name="zonefile-dir",
        kind=text("DIR"),
        providers=("zonefile",),
        help="folder of the zone files, one a zone; must be given with --provider=zonefile",
    ),
)
