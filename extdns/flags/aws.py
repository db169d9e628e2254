"""Route 53 and Cloud Map."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag, Moot
from extdns.flags.kind import BOOLEAN, NUMBER, PAIR, choice, text

_ROUTE53: Final = ("aws",)
_BOTH: Final = ("aws", "aws-sd")
_flag = partial(Flag, providers=_ROUTE53)
_shared = partial(Flag, providers=_BOTH)
_cloud_map = partial(Flag, providers=("aws-sd",), state=ABSENT)

FLAGS: Final = (
    _shared(
        name="aws-zone-type",
        kind=choice("a type of zone", "", "public", "private", metavar="TYPE"),
        help="manage only public or only private zones; empty is both",
    ),
    _flag(
        name="aws-zone-tags",
        kind=text("KEY[=VALUE]"),
        default=(),
        repeatable=True,
        help="manage only zones with this tag; several must all be there",
    ),
    _flag(
        name="aws-zone-match-parent",
        kind=BOOLEAN,
        default=False,
        help="manage zones above a --domain-filter too",
    ),
    _flag(
        name="aws-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        state=Moot(says="sets the least time between two audits of a zone; there is no cache", bounds_audit=True),
        help="how long the list of zones is kept",
    ),
    _flag(
        name="aws-profile",
        kind=text("NAME"),
        default=(),
        repeatable=True,
        help="profile of the shared AWS configuration; one account each",
    ),
    _shared(name="aws-assume-role", kind=text("ARN"), help="IAM role to assume"),
    _shared(
        name="aws-assume-role-external-id",
        kind=text("ID"),
        secret=True,
        help="external id that goes with --aws-assume-role",
    ),
    _flag(name="aws-batch-change-size", kind=NUMBER, default=1000, help="most changes in one request"),
    _flag(name="aws-batch-change-size-bytes", kind=NUMBER, default=32000, help="most bytes of values in one request"),
    _flag(name="aws-batch-change-size-values", kind=NUMBER, default=1000, help="most values in one request"),
    _flag(
        name="aws-batch-change-interval",
        kind=DURATION,
        default=0.0,
        reference_default=1.0,
        help="least time between two batches; without it only the API's own limits count",
    ),
    _flag(
        name="aws-evaluate-target-health",
        kind=BOOLEAN,
        default=True,
        help="let aliases follow the health of their target unless an annotation says otherwise",
    ),
    _shared(name="aws-api-retries", kind=NUMBER, default=3, help="most attempts of one API call"),
    _flag(name="aws-prefer-cname", kind=BOOLEAN, default=False, help="publish CNAMEs where aliases would do"),
    _flag(
        name="aws-conditional-writes",
        kind=BOOLEAN,
        default=True,
        reference_default=False,
        help="change a record only if it is still what the plan saw",
    ),
    _cloud_map(
        name="aws-sd-service-cleanup",
        kind=BOOLEAN,
        default=False,
        help="delete Cloud Map services of ours that have become empty",
    ),
    _cloud_map(
        name="aws-sd-create-tag",
        kind=PAIR,
        default=(),
        repeatable=True,
        help="tag put on Cloud Map services when they are created",
    ),
)
