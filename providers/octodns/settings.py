"""Settings of the provider `octodns`."""

from __future__ import annotations

from pathlib import Path

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from extdns.model.value import Value
from providers.common.api_calls import CallOptions


class OctodnsSettings(Value, frozen=True, kw_only=True):
    """Which configuration to use, and how.

    Attributes:
        zone_ids: the names of the zones that are managed; () for all.
        offline: whether missing environment variables are allowed, because nothing is read or written.
    """

    path: Path
    zone_ids: tuple[str, ...] = ()
    domains: DomainFilter = DomainFilter()
    offline: bool = False
    page_names: int = 25_000
    calls: CallOptions = CallOptions()

    def is_selected(self, name: DnsName) -> bool:
        """Return whether the zone *name* is managed."""
        is_named = not self.zone_ids or name in {zone_id.removesuffix(".") for zone_id in self.zone_ids}
        return is_named and self.domains.matches(name)
