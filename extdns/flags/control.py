"""What runs, and when."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION, PERIOD
from extdns.flags.flag import Flag, Moot
from extdns.flags.kind import BOOLEAN, choice, number

PROVIDERS: Final = (
    "alibabacloud",
    "aws",
    "aws-sd",
    "azure",
    "azure-dns",
    "azure-private-dns",
    "civo",
    "cloudflare",
    "coredns",
    "dnsimple",
    "exoscale",
    "godaddy",
    "google",
    "inmemory",
    "linode",
    "ns1",
    "oci",
    "ovh",
    "pdns",
    "pihole",
    "rfc2136",
    "scaleway",
    "skydns",
    "webhook",
    "zonefile",
)
POLICIES: Final = ("sync", "upsert-only", "create-only")

FLAGS: Final = (
    Flag(name="help", kind=BOOLEAN, default=False, environment=False, help="show the flags and end"),
    Flag(name="version", kind=BOOLEAN, default=False, environment=False, help="show the version and end"),
    Flag(
        name="provider",
        kind=choice("a provider", *PROVIDERS),
        help="DNS service that the records are written to; must be given",
    ),
    Flag(
        name="policy",
        kind=choice("a policy", *POLICIES),
        default="sync",
        reference_default=None,
        help="which changes are made: sync makes all, upsert-only no deletes, create-only neither deletes nor updates",
    ),
    Flag(
        name="interval",
        kind=PERIOD,
        default=60.0,
        help="time between two full rounds; changes of objects are acted on at once",
    ),
    Flag(name="once", kind=BOOLEAN, default=False, help="make one full pass and end"),
    Flag(name="dry-run", kind=BOOLEAN, default=False, help="plan and show, but write nothing"),
    Flag(
        name="compat",
        kind=BOOLEAN,
        default=False,
        help="take external-dns' defaults where ours differ on purpose",
    ),
    Flag(
        name="audit-calls-per-minute",
        kind=number(least=1),
        default=12,
        help="most API calls a minute that go into reading whole zones again",
    ),
    Flag(
        name="api-calls-per-second",
        kind=number(least=1),
        default=10,
        help="most API calls a second that an account is sent, and most of each action, as Route 53 allows them",
    ),
    Flag(
        name="api-burst",
        kind=number(least=1),
        default=50,
        help="most API calls that an account is sent at once after quiet, and most of each action",
    ),
    Flag(
        name="events",
        kind=BOOLEAN,
        default=False,
        state=Moot(says="has no effect: changes of objects are always acted on at once"),
        help="act on changes of objects without waiting for the interval",
    ),
    Flag(
        name="min-event-sync-interval",
        kind=DURATION,
        default=5.0,
        state=Moot(says="has no effect: a change costs only what it touches, so changes need no spacing"),
        help="least time between two passes started by changes of objects",
    ),
    Flag(
        name="provider-cache-time",
        kind=DURATION,
        default=0.0,
        state=Moot(says="sets the least time between two audits of a zone; there is no cache", bounds_audit=True),
        help="how long the records read from the DNS service are kept",
    ),
)
