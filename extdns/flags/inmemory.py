"""The provider `inmemory`: records that live as long as the process."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag
from extdns.flags.kind import text

FLAGS: Final = (
    Flag(
        name="inmemory-zone",
        kind=text("DOMAIN"),
        default=(),
        repeatable=True,
        providers=("inmemory",),
        help="zone to begin with",
    ),
)
