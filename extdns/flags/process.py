"""Flags of the process: what runs and when, the cluster, leader election, logs, metrics and Events."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from extdns.flags.address import ADDRESS, ListenAddress
from extdns.flags.duration import DURATION, NON_NEGATIVE_DURATION, POSITIVE_DURATION
from extdns.flags.flag import Flag, Implemented, Moot
from extdns.flags.kind import BOOLEAN, URL, make_choice_kind, make_number_kind, make_text_kind
from extdns.flags.kubernetes_names import LEASE, NAMESPACE, OWN_NAMESPACE
from extdns.flags.unchecked_kinds import EVENT_REASON, TIME

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
    "octodns",
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

_OTHER_PROVIDER_NAMES: Final = {
    "amazon": "aws",
    "bind": "zonefile",
    "clouddns": "google",
    "coredns-file": "zonefile",
    "file": "zonefile",
    "gcp": "google",
    "google-clouddns": "google",
    "r53": "aws",
    "route-53": "aws",
    "route53": "aws",
}
"""What people call a DNS service, with the value of `--provider` that is meant."""

CONTROL_FLAGS: Final = (
    Flag(name="help", kind=BOOLEAN, default=False, environment=False, help="print the flags and exit"),
    Flag(name="version", kind=BOOLEAN, default=False, environment=False, help="print the version and exit"),
    Flag(
        name="provider",
        kind=make_choice_kind("a provider", *PROVIDERS, other_names=_OTHER_PROVIDER_NAMES),
        help="DNS service to write the records to; required",
    ),
    Flag(
        name="policy",
        kind=make_choice_kind("a policy", *POLICIES),
        default="sync",
        reference_default=None,
        help="changes to make: sync makes all, upsert-only no deletes, create-only no deletes and no updates",
    ),
    Flag(
        name="interval",
        kind=POSITIVE_DURATION,
        default=60.0,
        help="time between two runs, as logs and metrics count them, and the least time between two refreshes of a "
        "zone; changes of objects are handled at once",
    ),
    Flag(name="once", kind=BOOLEAN, default=False, help="make one full pass and exit"),
    Flag(name="dry-run", kind=BOOLEAN, default=False, help="log the changes, but write nothing"),
    Flag(
        name="compat",
        kind=BOOLEAN,
        default=False,
        help="use the defaults of external-dns where ours differ on purpose",
    ),
    Flag(
        name="refresh-calls-per-minute",
        kind=make_number_kind(least=1),
        default=12,
        help="maximum of API calls a minute for refreshing zones",
    ),
    Flag(
        name="max-refresh-interval",
        kind=POSITIVE_DURATION,
        default=900.0,
        help="longest time between two refreshes of a zone that nobody else changes; the time grows from --interval",
    ),
    Flag(
        name="api-calls-per-second",
        kind=make_number_kind(least=1),
        default=10,
        help="maximum of API calls a second to one account in total, and for each action; the default is the limit of "
        "Route 53",
    ),
    Flag(
        name="api-burst",
        kind=make_number_kind(least=1),
        default=50,
        help="API burst limit, per account and action: the most calls that are made at once",
    ),
    Flag(
        name="events",
        kind=BOOLEAN,
        default=False,
        support=Moot(notice="has no effect: changes of objects are always handled at once"),
        help="act on changes of objects without waiting for the interval",
    ),
    Flag(
        name="min-event-sync-interval",
        kind=DURATION,
        default=5.0,
        support=Moot(notice="has no effect: extdns plans only the names that a change affects, so no pause is needed"),
        help="minimum time between two passes started by changes of objects",
    ),
    Flag(
        name="provider-cache-time",
        kind=DURATION,
        default=0.0,
        support=Moot(notice="sets the minimum time between two refreshes of a zone", bounds_refresh=True),
        help="how long records read from the DNS service are cached",
    ),
)


DEFAULT_TIMEOUT_S: Final = 30.0
STANDARD_OUTPUT: Final = "stdout"
"""The value of `--audit-log` for standard output."""
STANDARD_INPUT: Final = "-"
"""The value of `--manifests` for standard input."""

_RENAMED: Final = Implemented(notice="is the old name of --kube-api-request-timeout; use the new name")
_WATCHED: Final = Moot(notice="has no effect: objects are listed once and watched from then on")

CLUSTER_FLAGS: Final = (
    Flag(
        name="manifests",
        kind=make_text_kind("PATH"),
        default=(),
        repeatable=True,
        help="file or folder of YAML or JSON to read instead of a cluster; - is standard input",
    ),
    Flag(
        name="namespace",
        kind=replace(
            NAMESPACE, allowed=f"{NAMESPACE.allowed}; for some of them, select their objects with --label-filter"
        ),
        help="namespace whose objects are read; empty is all of them",
    ),
    Flag(name="server", kind=URL, help="API server; overrides the one in the kubeconfig, which has the credentials"),
    Flag(
        name="kubeconfig",
        kind=make_text_kind("PATH"),
        help="kubeconfig file; default: $KUBECONFIG, then ~/.kube/config, then the pod's service account",
    ),
    Flag(
        name="cluster-id",
        kind=make_text_kind("ID"),
        help="name of the cluster, a part of its identity in the saved state, with --manifests the only part; updates "
        "and deletes are held if the objects come from another cluster",
    ),
    Flag(
        name="kube-api-request-timeout",
        kind=TIME,
        default=DEFAULT_TIMEOUT_S,
        help="timeout of one request to the API server; 0 is none; watches have none",
    ),
    Flag(
        name="request-timeout",
        kind=TIME,
        default=DEFAULT_TIMEOUT_S,
        support=_RENAMED,
        help="old name of --kube-api-request-timeout; a value other than 30s overrides that of the new name",
    ),
    Flag(
        name="kube-api-qps",
        kind=make_number_kind(least=1),
        default=5,
        support=_WATCHED,
        help="maximum of requests a second to the API server",
    ),
    Flag(
        name="kube-api-burst",
        kind=make_number_kind(least=1),
        default=10,
        support=_WATCHED,
        help="maximum burst of requests to the API server",
    ),
)


MAX_WRITE_S: Final = 12.0
"""The maximum duration of a write. No write begins if the Lease expires sooner."""

ELECTION_FLAGS: Final = (
    Flag(
        name="leader-elect",
        kind=BOOLEAN,
        default=False,
        help="let only the process that holds the Lease write; the others are standbys",
    ),
    Flag(
        name="leader-elect-lease-duration",
        kind=NON_NEGATIVE_DURATION,
        default=30.0,
        help="how long a standby waits after the last renewal before it takes the Lease",
    ),
    Flag(
        name="leader-elect-renew-deadline",
        kind=NON_NEGATIVE_DURATION,
        default=15.0,
        help="how long a leader goes on without renewal; at least 12s less than --leader-elect-lease-duration",
    ),
    Flag(
        name="leader-elect-retry-period",
        kind=NON_NEGATIVE_DURATION,
        default=2.0,
        help="time between two attempts to renew or acquire the Lease",
    ),
    Flag(
        name="leader-elect-resource-name",
        kind=LEASE,
        default="extdns",
        help="name of the Lease; processes that do different work need different ones",
    ),
    Flag(
        name="leader-elect-resource-namespace",
        kind=OWN_NAMESPACE,
        help="namespace of the Lease; empty is the pod's own",
    ),
)


LOG_FORMATS: Final = ("text", "json")
LOG_LEVELS: Final = ("panic", "fatal", "error", "warning", "info", "debug", "trace")

REPORTING_FLAGS: Final = (
    Flag(
        name="log-format",
        kind=make_choice_kind("a log format", *LOG_FORMATS, metavar="FORMAT"),
        default="text",
        help="format of the log lines: text or json",
    ),
    Flag(
        name="log-level",
        kind=make_choice_kind("a log level", *LOG_LEVELS, metavar="LEVEL"),
        default="info",
        help="minimum severity to log: panic, fatal, error, warning, info, debug or trace",
    ),
    Flag(
        name="audit-log",
        kind=make_text_kind("PATH"),
        help="file that gets a line of JSON before and after each change of a record; stdout is standard output",
    ),
    Flag(
        name="audit-log-max-size",
        kind=make_number_kind(least=1),
        default=100,
        help="size in MiB at which the file of --audit-log is renamed",
    ),
    Flag(
        name="audit-log-max-files",
        kind=make_number_kind(least=1),
        default=10,
        help="how many renamed files of --audit-log to keep",
    ),
    Flag(
        name="metrics-address",
        kind=ADDRESS,
        default=ListenAddress(host="", port=7979),
        help="address that serves /healthz, /readyz and /metrics",
    ),
    Flag(
        name="web-address",
        kind=ADDRESS,
        default=ListenAddress(host="127.0.0.1", port=7980),
        help="address that serves the live page and the JSON API; whoever can reach it sees all names",
    ),
    Flag(
        name="events-emit",
        kind=EVENT_REASON,
        default=(),
        repeatable=True,
        help="also record Events with this reason: RecordReady or RecordDeleted; problems always get Events, with "
        "--compat only if RecordError is given",
    ),
)
