"""The flags of the provider `octodns`."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.usage_errors import usage_error


class OctodnsFlags(FlagSection, topic="Provider octodns", providers=("octodns",), in_plan=False):
    """The flags of the provider `octodns`. The file is "" with any other provider."""

    octodns_config: str = flag(
        "octoDNS configuration with the zones and their providers; required with --provider=octodns", metavar="FILE"
    )

    def validate(self) -> None:
        """Check that the configuration is given."""
        if not self.octodns_config:
            raise usage_error("--provider=octodns has no configuration", "give --octodns-config=FILE")


SECTION: Final = OctodnsFlags
