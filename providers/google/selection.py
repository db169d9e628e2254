"""Which zones are ours to manage (spec plan 5 and 7.3)."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from providers.google.wire import ManagedZone


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Filters on zones; all must let a zone pass. A zone that peers with another network's never does.

    Attributes:
        ids: ends of numeric ids or names of zones; one must fit, () lets all pass.
        visibility: `public`, `private`, "" for both.
        domains: the filter that names pass, applied to the zone's own name.
    """

    ids: tuple[str, ...] = ()
    visibility: str = ""
    domains: DomainFilter = DomainFilter()  # noqa: RUF009 - frozen

    def passes(self, zone: ManagedZone, name: DnsName) -> bool:
        """Tell whether *zone*, whose DNS name is *name*, passes."""
        if zone.peering or (self.visibility and (self.visibility == "private") != zone.private):
            return False
        if self.ids and not (zone.number.endswith(self.ids) or zone.name.endswith(self.ids)):
            return False
        return self.domains.passes(name)
