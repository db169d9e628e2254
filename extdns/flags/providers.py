"""Flags of the providers that this version has, without those of `rfc2136`."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag, Moot
from extdns.flags.kind import BOOLEAN, KEY_VALUE, NUMBER, ValueKind, make_choice_kind, make_text_kind
from extdns.flags.unchecked_kinds import DOMAIN, SIZE, TAG, TIME

_ROUTE53: Final = ("aws",)
_BOTH: Final = ("aws", "aws-sd")
_route53 = partial(Flag, providers=_ROUTE53)
_aws = partial(Flag, providers=_BOTH)
_cloud_map = partial(Flag, providers=("aws-sd",), support=ABSENT)

AWS_FLAGS: Final = (
    _aws(
        name="aws-zone-type",
        kind=make_choice_kind("a type of zone", "", "public", "private", metavar="TYPE"),
        help="manage only public or only private zones; empty is both",
    ),
    _route53(
        name="aws-zone-tags",
        kind=TAG,
        default=(),
        repeatable=True,
        help="manage only zones with this tag; a zone must have all of them",
    ),
    _route53(
        name="aws-zone-match-parent",
        kind=BOOLEAN,
        default=False,
        help="also manage zones whose name is above a --domain-filter",
    ),
    _route53(
        name="aws-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        support=Moot(notice="sets the minimum time between two refreshes of a zone", bounds_refresh=True),
        help="how long the list of zones is cached",
    ),
    _route53(
        name="aws-profile",
        kind=make_text_kind("NAME"),
        default=(),
        repeatable=True,
        help="profile of the shared AWS configuration, one for each account",
    ),
    _aws(name="aws-assume-role", kind=make_text_kind("ARN"), help="IAM role to assume"),
    _aws(
        name="aws-assume-role-external-id",
        kind=make_text_kind("ID"),
        secret=True,
        help="external id that the trust policy of --aws-assume-role requires",
    ),
    _aws(
        name="aws-assume-role-external-id-file",
        kind=make_text_kind("PATH"),
        help="file with the external id, instead of --aws-assume-role-external-id",
    ),
    _route53(name="aws-batch-change-size", kind=SIZE, default=1000, help="maximum of changes in one request"),
    _route53(
        name="aws-batch-change-size-bytes", kind=SIZE, default=32000, help="maximum of bytes of values in one request"
    ),
    _route53(name="aws-batch-change-size-values", kind=SIZE, default=1000, help="maximum of values in one request"),
    _route53(
        name="aws-batch-change-interval",
        kind=TIME,
        default=0.0,
        reference_default=1.0,
        help="minimum time between two batches; 0s uses only the API's own limits",
    ),
    _route53(
        name="aws-evaluate-target-health",
        kind=BOOLEAN,
        default=True,
        help="evaluate the health of alias targets, unless an annotation overrides it",
    ),
    _aws(
        name="aws-api-retries",
        kind=NUMBER,
        default=3,
        help="maximum of attempts of one API call that reads; 0 is 10",
    ),
    _route53(name="aws-prefer-cname", kind=BOOLEAN, default=False, help="write CNAMEs instead of aliases"),
    _route53(
        name="aws-conditional-writes",
        kind=BOOLEAN,
        default=True,
        reference_default=False,
        help="use conditional writes: change a record only if it is still what was read",
    ),
    _cloud_map(
        name="aws-sd-service-cleanup",
        kind=BOOLEAN,
        default=False,
        help="delete Cloud Map services of ours that have become empty",
    ),
    _cloud_map(
        name="aws-sd-create-tag",
        kind=KEY_VALUE,
        default=(),
        repeatable=True,
        help="tag put on Cloud Map services when they are created",
    ),
)


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
_google = partial(Flag, providers=("google",))

GOOGLE_FLAGS: Final = (
    _google(
        name="google-project",
        kind=make_text_kind("ID"),
        help="project of the zones; by default that of the credentials or of the machine",
    ),
    _google(
        name="google-batch-change-size",
        kind=NUMBER,
        default=1000,
        help="maximum of additions and deletions in one request; 0 is as many as the project may make",
    ),
    _google(
        name="google-batch-change-interval",
        kind=TIME,
        default=0.0,
        reference_default=1.0,
        help="minimum time between two batches; 0s uses only the API's own limits",
    ),
    _google(
        name="google-zone-visibility",
        kind=make_choice_kind("a visibility", "", "public", "private", metavar="VISIBILITY"),
        help="manage only public or only private zones; empty is both",
    ),
    _google(
        name="google-api-endpoint",
        kind=ENDPOINT,
        help="address of the API; with http:// no credentials are sent",
    ),
)


ZONEFILE_FLAGS: Final = (
    Flag(
        name="zonefile-dir",
        kind=make_text_kind("DIR"),
        providers=("zonefile",),
        help="folder of the zone files, one file a zone; required with --provider=zonefile",
    ),
)


OCTODNS_FLAGS: Final = (
    Flag(
        name="octodns-config",
        kind=make_text_kind("FILE"),
        providers=("octodns",),
        help="octoDNS configuration with the zones and their providers; required with --provider=octodns",
    ),
)


INMEMORY_FLAGS: Final = (
    Flag(
        name="inmemory-zone",
        kind=DOMAIN,
        default=(),
        repeatable=True,
        providers=("inmemory",),
        help="zone that exists in memory at the start",
    ),
)
