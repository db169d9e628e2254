"""The flags of the provider `cloudflare`."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import NUMBER, make_choice_kind
from extdns.flags.unchecked_kinds import SIZE, TIME

DEFAULT_AUTHORITY: Final = "none"
"""The certificate authority that leaves the choice to Cloudflare."""


class CloudflareFlags(FlagSection, topic="Provider cloudflare", providers=("cloudflare",)):
    """The flags of the provider `cloudflare`."""

    cloudflare_proxied: bool = flag("proxy records unless an annotation overrides it", default=False)
    cloudflare_dns_records_per_page: int = flag("values read with one request", default=5000, compat=100, kind=NUMBER)
    cloudflare_record_comment: str = flag("comment of records without one of their own")
    cloudflare_regional_services: bool = flag("manage the regions of records", default=False)
    cloudflare_region_key: str = flag(
        "region of records without one of their own; turns on --cloudflare-regional-services", metavar="KEY"
    )
    cloudflare_custom_hostnames: bool = flag("manage custom hostnames (Cloudflare for SaaS)", default=False)
    cloudflare_custom_hostnames_min_tls_version: str = flag(
        "minimum TLS version of new custom hostnames",
        default="1.0",
        kind=make_choice_kind("a TLS version", "1.0", "1.1", "1.2", "1.3", metavar="VERSION"),
    )
    cloudflare_custom_hostnames_certificate_authority: str = flag(
        "certificate authority of new custom hostnames; only Enterprise plans may choose",
        default=DEFAULT_AUTHORITY,
        kind=make_choice_kind(
            "a certificate authority", "google", "ssl_com", "lets_encrypt", DEFAULT_AUTHORITY, metavar="NAME"
        ),
    )
    batch_change_size: int = flag(
        "maximum of changed values in one request; a value below 200, which every plan allows, counts as 200",
        default=200,
        kind=SIZE,
    )
    batch_change_interval_s: float = flag("pause between two requests", default=0.0, kind=TIME, compat=1.0)

    @property
    def manages_regions(self) -> bool:
        """Whether regional hostnames are read and written."""
        return self.cloudflare_regional_services or bool(self.cloudflare_region_key)


SECTION: Final = CloudflareFlags
