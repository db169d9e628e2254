"""Settings of the provider `octodns`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from providers.common.api_calls import CallOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class OctodnsZoneFilter:
    """Selects zones of the configuration; a zone must match all filters.

    Attributes:
        ids: names of zones; one must match, () matches all.
    """

    ids: tuple[str, ...] = ()
    domains: DomainFilter = DomainFilter()  # noqa: RUF009 - frozen

    def matches(self, name: DnsName) -> bool:
        """Return whether the zone *name* is managed."""
        return (not self.ids or name in {zone_id.removesuffix(".") for zone_id in self.ids}) and self.domains.matches(
            name
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OctodnsSettings:
    """Which configuration to use, and how.

    Attributes:
        offline: whether missing environment variables are allowed, because nothing is read or written.
    """

    path: Path
    zone_filter: OctodnsZoneFilter = field(default_factory=OctodnsZoneFilter)
    offline: bool = False
    page_names: int = 25_000
    calls: CallOptions = field(default_factory=CallOptions)
