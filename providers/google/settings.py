"""Settings of the Cloud DNS provider: project, zone filter and limits."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from providers.common.api_calls import CallOptions
from providers.google.record_sets import ManagedZone


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudDnsZoneFilter:
    """Selects managed zones; a zone must match all filters, and peering zones never match.

    Attributes:
        ids: suffixes of numeric ids or names of zones; one must match, () matches all.
        visibility: `public`, `private`, "" for both.
    """

    ids: tuple[str, ...] = ()
    visibility: str = ""
    domains: DomainFilter = DomainFilter()  # noqa: RUF009 - frozen

    def matches(self, zone: ManagedZone, name: DnsName) -> bool:
        """Return whether *zone*, whose DNS name is *name*, matches."""
        if zone.peering or (self.visibility and (self.visibility == "private") != zone.private):
            return False
        if self.ids and not (zone.number.endswith(self.ids) or zone.name.endswith(self.ids)):
            return False
        return self.domains.matches(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleSettings:
    """Settings of the provider.

    Attributes:
        project: ID of the project of the zones; "" is the project of the credentials or of the machine.
        endpoint: URL of the API without `/dns/v1`, "" for Google's own. If it starts with `http:`, for an emulator, no
            credentials are sent.
        max_changes: additions and deletions of a change together, 0 for the project's limit.
        pause_s: the least time between two changes, 0 for none.
    """

    project: str = ""
    endpoint: str = ""
    zone_filter: CloudDnsZoneFilter = CloudDnsZoneFilter()
    page_items: int = 1000
    max_changes: int = 1000
    pause_s: float = 0.0
    calls: CallOptions = CallOptions()  # noqa: RUF009 - frozen
