"""The provider `cloudflare`, from its flags."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.model.zone import Permission, Zone
from providers.cloudflare.entries import BOOLEANS, CUSTOM, PROPERTIES, PROXIED, REGION
from providers.cloudflare.flags import CloudflareFlags
from providers.cloudflare.settings import LEAST_OPERATIONS, MAX_CALLS_PER_S, MAX_PAGE_ITEMS, URL, CloudflareSettings
from providers.common.api_calls import RateLimit, RateLimiter
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec

if TYPE_CHECKING:
    from providers.cloudflare.client import CloudflareApi


def build(context: ProviderContext[CloudflareFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.cloudflare.provider import CloudflareReader, CloudflareWriter

    settings = build_settings(context)
    api = _build_api(settings)
    return DnsService(CloudflareReader(settings, api), CloudflareWriter(api))


def _build_api(settings: CloudflareSettings) -> CloudflareApi:
    from providers.cloudflare.client import CloudflareApi

    return CloudflareApi(settings, RateLimiter(rate=settings.calls.rate_limit, pause_s=settings.pause_s))


def build_settings(context: ProviderContext[CloudflareFlags]) -> CloudflareSettings:
    """Return the settings of the provider. `CLOUDFLARE_BASE_URL`, as in Cloudflare's SDKs, is for an emulator."""
    flags = context.flags
    limit = context.calls.rate_limit
    return CloudflareSettings(
        url=os.environ.get("CLOUDFLARE_BASE_URL", "").rstrip("/") or URL,
        zone_ids=context.zone_ids,
        domains=context.plan.build_domain_filter(),
        proxied=flags.cloudflare_proxied,
        comment=flags.cloudflare_record_comment,
        hostname_properties=list_hostname_properties(flags),
        region=flags.cloudflare_region_key,
        min_tls_version=flags.cloudflare_custom_hostnames_min_tls_version,
        certificate_authority=flags.cloudflare_custom_hostnames_certificate_authority,
        page_items=min(max(flags.cloudflare_dns_records_per_page, 1), MAX_PAGE_ITEMS),
        max_operations=max(flags.batch_change_size, LEAST_OPERATIONS),
        pause_s=flags.batch_change_interval_s,
        calls=replace(context.calls, rate_limit=RateLimit(per_s=min(limit.per_s, MAX_CALLS_PER_S), burst=limit.burst)),
    )


def list_hostname_properties(flags: CloudflareFlags) -> tuple[str, ...]:
    """Return the properties of names that *flags* turn on."""
    wanted = {REGION: flags.manages_regions, CUSTOM: flags.cloudflare_custom_hostnames}
    return tuple(key for key, is_on in wanted.items() if is_on)


def check_permissions(
    context: ProviderContext[CloudflareFlags], zones: Iterable[Zone]
) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether the credentials may change it."""
    from providers.cloudflare.provider import check_permission

    api = _build_api(build_settings(context))
    yield from ((zone, check_permission(api, zone)) for zone in zones)


def describe_permissions(context: ProviderContext[CloudflareFlags], _: Mapping[str, str]) -> str:
    """Return the permissions of the API token, as the dashboard names them."""
    lines = ["an API token in CF_API_TOKEN with these permissions, for the zones to manage:", "Zone: Read", "DNS: Edit"]
    if context.flags.cloudflare_custom_hostnames:
        lines.append("SSL and Certificates: Edit, and Cloudflare for SaaS for the zone")
    if context.flags.manages_regions:
        lines.append("for regional services, of a user who is an administrator of the account")
    return "\n".join(lines)


def find_allowed(key: str, value: str) -> str:
    """Return what the property *key* may be if *value* has no effect, "" if it has one."""
    return "true or false" if key.endswith(f"/{PROXIED}") and value.lower() not in BOOLEANS else ""


PROVIDER: Final = ProviderSpec(
    name="cloudflare",
    flags=CloudflareFlags,
    build=build,
    check_permissions=check_permissions,
    describe_permissions=describe_permissions,
    conditional=False,
    properties=tuple(f"/{name}" for name in PROPERTIES),
    optional_properties=lambda flags: tuple(f"/{name}" for name in list_hostname_properties(flags)),
    find_allowed=find_allowed,
    remedies={
        "no credentials": "set CF_API_TOKEN to a token with the permissions Zone Read and DNS Write",
        "(10000)": "give the token the permissions Zone Read and DNS Write for the zone",
    },
)
