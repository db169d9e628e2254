"""Settings of the provider."""

from __future__ import annotations

from typing import Final

from extdns.model.selection import DomainFilter
from extdns.model.value import Value
from providers.cloudflare.flags import DEFAULT_AUTHORITY
from providers.common.api_calls import CallOptions, RateLimit

URL: Final = "https://api.cloudflare.com/client/v4"
MAX_PAGE_ITEMS: Final = 5000
LEAST_OPERATIONS: Final = 200
"""The operations of a batch that every plan allows."""

MAX_CALLS_PER_S: Final = 3.0
"""Cloudflare allows a user 1,200 calls in five minutes, the dashboard included, and blocks everything beyond."""


class CloudflareSettings(Value, frozen=True, kw_only=True):
    """Settings of the provider.

    Attributes:
        zone_ids: the ids of the zones, read one by one; () for all zones that the credentials can see.
        domains: which zones are managed, by name, if *zone_ids* is ().
        proxied: whether records are proxied whose annotation does not say.
        comment: the comment of records whose annotation does not say, "" for none.
        hostname_properties: the properties of names that are read and written, each with calls of its own.
        region: the region of records whose annotation does not say, "" for none.
        max_operations: the most operations of a batch; plans allow 200 (Free) or 3,500.
    """

    url: str = URL
    zone_ids: tuple[str, ...] = ()
    domains: DomainFilter = DomainFilter()
    proxied: bool = False
    comment: str = ""
    hostname_properties: tuple[str, ...] = ()
    region: str = ""
    min_tls_version: str = "1.0"
    certificate_authority: str = DEFAULT_AUTHORITY
    page_items: int = MAX_PAGE_ITEMS
    page_names: int = 25_000
    max_operations: int = LEAST_OPERATIONS
    pause_s: float = 0.0
    calls: CallOptions = CallOptions(rate_limit=RateLimit(per_s=MAX_CALLS_PER_S))
