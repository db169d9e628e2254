"""Flags of the providers that have no rules about them; the others have modules of their own."""

from __future__ import annotations

import re
from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import NUMBER, ValueKind, make_choice_kind
from extdns.flags.unchecked_kinds import DOMAIN, SIZE, TAG, TIME
from extdns.flags.usage_errors import usage_error

_URL: Final = re.compile(r"https?://[^\s/?#@]+/?", re.ASCII)


def _parse_endpoint(text: str) -> str:
    if text and not _URL.fullmatch(text):
        raise ValueError
    return text


ENDPOINT: Final[ValueKind[str]] = ValueKind(
    noun="an endpoint",
    metavar="URL",
    allowed="https://HOST[:PORT], or http:// for an emulator",
    parse=_parse_endpoint,
    format=str,
    is_url=True,
)
_BOTH: Final = ("aws", "aws-sd")


class ZonefileFlags(FlagSection, topic="Provider zonefile", providers=("zonefile",), in_plan=False):
    """The flags of the provider `zonefile`. The folder is "" with any other provider."""

    zonefile_dir: str = flag(
        "folder of the zone files, one file a zone; required with --provider=zonefile", metavar="DIR"
    )

    def validate(self) -> None:
        """Check that the folder is given."""
        if not self.zonefile_dir:
            raise usage_error("--provider=zonefile has no folder for its files", "give --zonefile-dir=DIR")


class OctodnsFlags(FlagSection, topic="Provider octodns", providers=("octodns",), in_plan=False):
    """The flags of the provider `octodns`. The file is "" with any other provider."""

    octodns_config: str = flag(
        "octoDNS configuration with the zones and their providers; required with --provider=octodns", metavar="FILE"
    )

    def validate(self) -> None:
        """Check that the configuration is given."""
        if not self.octodns_config:
            raise usage_error("--provider=octodns has no configuration", "give --octodns-config=FILE")


class InmemoryFlags(FlagSection, topic="Provider inmemory", providers=("inmemory",)):
    """The flags of the provider `inmemory`."""

    inmemory_zone: tuple[str, ...] = flag("zone that exists in memory at the start", default=(), kind=DOMAIN)


class AwsFlags(FlagSection, topic="Providers aws and aws-sd", providers=("aws",)):
    """The flags of the provider `aws`. An *aws_api_retries* of 0 means ten attempts."""

    aws_zone_type: str = flag(
        "manage only public or only private zones; empty is both",
        kind=make_choice_kind("a type of zone", "", "public", "private", metavar="TYPE"),
        providers=_BOTH,
    )
    aws_zone_tags: tuple[str, ...] = flag(
        "manage only zones with this tag; a zone must have all of them", default=(), kind=TAG
    )
    aws_zone_match_parent: bool = flag("also manage zones whose name is above a --domain-filter", default=False)
    aws_profile: tuple[str, ...] = flag(
        "profile of the shared AWS configuration, one for each account", default=(), metavar="NAME"
    )
    aws_assume_role: str = flag("IAM role to assume", metavar="ARN", providers=_BOTH)
    aws_assume_role_external_id: str = flag(
        "external id that the trust policy of --aws-assume-role requires",
        metavar="ID",
        providers=_BOTH,
        secret=True,
    )
    aws_assume_role_external_id_file: str = flag(
        "file with the external id, instead of --aws-assume-role-external-id",
        metavar="PATH",
        providers=_BOTH,
    )
    aws_batch_change_size: int = flag("maximum of changes in one request", default=1000, kind=SIZE)
    aws_batch_change_size_bytes: int = flag("maximum of bytes of values in one request", default=32000, kind=SIZE)
    aws_batch_change_size_values: int = flag("maximum of values in one request", default=1000, kind=SIZE)
    aws_batch_change_interval_s: float = flag(
        "minimum time between two batches; 0s uses only the API's own limits",
        default=0.0,
        compat=1.0,
        kind=TIME,
        in_plan=False,
    )
    aws_evaluate_target_health: bool = flag(
        "evaluate the health of alias targets, unless an annotation overrides it", default=True
    )
    aws_api_retries: int = flag(
        "maximum of attempts of one API call that reads; 0 is 10",
        default=3,
        kind=NUMBER,
        providers=_BOTH,
        in_plan=False,
    )
    aws_prefer_cname: bool = flag("write CNAMEs instead of aliases", default=False)
    aws_conditional_writes: bool = flag(
        "use conditional writes: change a record only if it is still what was read", default=True, compat=False
    )


class GoogleFlags(FlagSection, topic="Provider google", providers=("google",)):
    """The flags of the provider `google`. A *google_batch_change_size* of 0 means the limit of the project."""

    google_project: str = flag(
        "project of the zones; by default that of the credentials or of the machine", metavar="ID"
    )
    google_batch_change_size: int = flag(
        "maximum of additions and deletions in one request; 0 is as many as the project may make",
        default=1000,
        kind=NUMBER,
    )
    google_batch_change_interval_s: float = flag(
        "minimum time between two batches; 0s uses only the API's own limits",
        default=0.0,
        compat=1.0,
        kind=TIME,
        in_plan=False,
    )
    google_zone_visibility: str = flag(
        "manage only public or only private zones; empty is both",
        kind=make_choice_kind("a visibility", "", "public", "private", metavar="VISIBILITY"),
    )
    google_api_endpoint: str = flag("address of the API; with http:// no credentials are sent", kind=ENDPOINT)


class CloudflareFlags(FlagSection, topic="Provider cloudflare", providers=("cloudflare",)):
    """The flags of the provider `cloudflare`."""

    cloudflare_proxied: bool = flag("proxy records unless an annotation overrides it", default=False)
    cloudflare_dns_records_per_page: int = flag("values read with one request", default=5000, compat=100, kind=NUMBER)
    cloudflare_record_comment: str = flag("comment of records without one of their own")
    batch_change_size: int = flag(
        "maximum of changed values in one request; a value below 200, which every plan allows, counts as 200",
        default=200,
        kind=SIZE,
    )
    batch_change_interval_s: float = flag("pause between two requests", default=0.0, kind=TIME, compat=1.0)
