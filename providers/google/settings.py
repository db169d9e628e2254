"""Settings of the Cloud DNS provider: project, zone filter and limits."""

from __future__ import annotations

from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from extdns.model.value import Value
from providers.common.api_calls import CallOptions
from providers.google.record_sets import ManagedZone


class GoogleSettings(Value, frozen=True, kw_only=True):
    """Settings of the provider.

    Attributes:
        project: ID of the project of the zones; "" is the project of the credentials or of the machine.
        endpoint: URL of the API without `/dns/v1`, "" for Google's own. If it starts with `http:`, for an emulator, no
            credentials are sent.
        zone_ids: suffixes of numeric ids or names of zones, with one of which a zone must end; () for any.
        visibility: `public`, `private`, "" for both.
        max_changes: additions and deletions of a change together, 0 for the project's limit.
        pause_s: the least time between two changes, 0 for none.
    """

    project: str = ""
    endpoint: str = ""
    zone_ids: tuple[str, ...] = ()
    visibility: str = ""
    domains: DomainFilter = DomainFilter()
    page_items: int = 1000
    max_changes: int = 1000
    pause_s: float = 0.0
    calls: CallOptions = CallOptions()

    def is_selected(self, zone: ManagedZone, name: DnsName) -> bool:
        """Return whether *zone*, whose DNS name is *name*, is managed; peering zones never are."""
        if zone.peering or (self.visibility and (self.visibility == "private") != zone.private):
            return False
        if self.zone_ids and not (zone.number.endswith(self.zone_ids) or zone.name.endswith(self.zone_ids)):
            return False
        return self.domains.matches(name)
