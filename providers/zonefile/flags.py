"""The flags of the provider `zonefile`."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.usage_errors import usage_error


class ZonefileFlags(FlagSection, topic="Provider zonefile", providers=("zonefile",), in_plan=False):
    """The flags of the provider `zonefile`. The folder is "" with any other provider."""

    zonefile_dir: str = flag(
        "folder of the zone files, one file a zone; required with --provider=zonefile", metavar="DIR"
    )

    def validate(self) -> None:
        """Check that the folder is given."""
        if not self.zonefile_dir:
            raise usage_error("--provider=zonefile has no folder for its files", "give --zonefile-dir=DIR")


SECTION: Final = ZonefileFlags
