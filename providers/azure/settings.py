"""Settings of the provider."""

from __future__ import annotations

from typing import Final

from extdns.model.selection import DomainFilter
from extdns.model.value import Value
from extdns.model.zone import Zone
from providers.common.api_calls import CallOptions, RateLimit

GET: Final = "GetRecordSet"
LIST: Final = "ListRecordSets"
CREATE: Final = "CreateRecordSet"
UPDATE: Final = "UpdateRecordSet"
DELETE: Final = "DeleteRecordSet"
ZONES: Final = "ListZones"
MAX_PAGE_ITEMS: Final = 1000
_USED: Final = 0.8
"""Which part of the limits of a zone we use in any minute; other programs change the zone, too."""

_BURST: Final = 0.2
"""Which part we use at once after a pause. The rest of what we use is spread over the minute."""

_PUBLIC_PER_MINUTE: Final = {CREATE: 200, UPDATE: 200, DELETE: 200, GET: 2000, LIST: 60}
_PRIVATE_PER_MINUTE: Final = {CREATE: 60, UPDATE: 60, DELETE: 60, GET: 200, LIST: 100}


class AzureSettings(Value, frozen=True, kw_only=True):
    """Settings of the provider.

    Attributes:
        private: whether zones of Azure Private DNS are managed, or those of Azure DNS.
        zone_ids: texts with one of which the id of a zone must end; () for any.
        zone_names: which zones are managed, by name; None if *domains* decides.
    """

    url: str = ""
    subscription: str = ""
    group: str = ""
    private: bool = False
    zone_ids: tuple[str, ...] = ()
    zone_names: DomainFilter | None = None
    domains: DomainFilter = DomainFilter()
    page_names: int = 25_000
    calls: CallOptions = CallOptions()

    @property
    def zones_path(self) -> str:
        """The path of all zones of the resource group."""
        service = "privateDnsZones" if self.private else "dnsZones"
        return f"/subscriptions/{self.subscription}/resourceGroups/{self.group}/providers/Microsoft.Network/{service}"

    @property
    def rate_limits(self) -> dict[str, RateLimit]:
        """How often each action may be called for one zone."""
        found = _PRIVATE_PER_MINUTE if self.private else _PUBLIC_PER_MINUTE
        return {
            action: RateLimit(per_s=(_USED - _BURST) * number / 60, burst=_BURST * number)
            for action, number in found.items()
        }

    def is_selected(self, zone: Zone) -> bool:
        """Return whether *zone* is managed."""
        names = self.zone_names or self.domains
        path = f"{self.zones_path}/{zone.name}".lower()
        return names.matches(zone.name) and (not self.zone_ids or path.endswith(tuple(map(str.lower, self.zone_ids))))
