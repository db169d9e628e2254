"""The flags of the provider `inmemory`."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.unchecked_kinds import DOMAIN


class InmemoryFlags(FlagSection, topic="Provider inmemory", providers=("inmemory",)):
    """The flags of the provider `inmemory`."""

    inmemory_zone: tuple[str, ...] = flag("zone that exists in memory at the start", default=(), kind=DOMAIN)


SECTION: Final = InmemoryFlags
