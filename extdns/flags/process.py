"""Flags of the process: what runs and when, the cluster, leader election, logs, metrics and Events."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from extdns.errors import find_similar
from extdns.flags.address import ADDRESS, ListenAddress
from extdns.flags.duration import NON_NEGATIVE_DURATION, POSITIVE_DURATION
from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import URL, make_choice_kind, make_number_kind
from extdns.flags.kubernetes_names import LEASE, NAMESPACE, OWN_NAMESPACE
from extdns.flags.provider_ways import BY_PROVIDER
from extdns.flags.specs import PROVIDER_SPECS
from extdns.flags.unchecked_kinds import EVENT_REASON, TIME

POLICIES: Final = ("sync", "upsert-only", "create-only")

_KNOWN_PROVIDER: Final = replace(
    PROVIDER_SPECS.make_kind("a provider", BY_PROVIDER), allowed=", ".join(PROVIDER_SPECS.available)
)


def _suggest_provider(text: str) -> str:
    spoken = {other: name for name in PROVIDER_SPECS.available for other in PROVIDER_SPECS.load(name).other_names}
    known = spoken | {name: name for name in _KNOWN_PROVIDER.choices}
    return known.get(find_similar(text.lower(), known), "")


class ControlFlags(FlagSection, topic="What runs, and when"):
    """What runs, and when. *policy* and *provider* have the values of their flags."""

    provider: str = flag(
        "DNS service to write the records to; required",
        kind=replace(_KNOWN_PROVIDER, suggest=_suggest_provider),
    )
    policy: str = flag(
        "changes to make: sync makes all, upsert-only no deletes, create-only no deletes and no updates",
        default="sync",
        compat=None,
        kind=make_choice_kind("a policy", *POLICIES),
    )
    interval_s: float = flag(
        "time between two runs, as logs and metrics count them, and the least time between two refreshes of a zone; "
        "changes of objects are handled at once",
        default=60.0,
        kind=POSITIVE_DURATION,
        in_plan=False,
    )
    once: bool = flag("make one full pass and exit", default=False, in_plan=False)
    dry_run: bool = flag("log the changes, but write nothing", default=False, in_plan=False)
    compat: bool = flag("use the defaults of external-dns where ours differ on purpose", default=False)
    refresh_calls_per_minute: int = flag(
        "maximum of API calls a minute for refreshing zones", default=12, kind=make_number_kind(least=1), in_plan=False
    )
    max_refresh_interval_s: float = flag(
        "longest time between two refreshes of a zone that nobody else changes; the time grows from --interval",
        default=900.0,
        kind=POSITIVE_DURATION,
        in_plan=False,
    )
    api_calls_per_second: int = flag(
        "maximum of API calls a second to one account in total, and for each action; the default is the limit of "
        "Route 53",
        default=10,
        kind=make_number_kind(least=1),
        in_plan=False,
    )
    api_burst: int = flag(
        "API burst limit, per account and action: the most calls that are made at once",
        default=50,
        kind=make_number_kind(least=1),
        in_plan=False,
    )


DEFAULT_TIMEOUT_S: Final = 30.0
STANDARD_OUTPUT: Final = "stdout"
"""The value of `--audit-log` for standard output."""
STANDARD_INPUT: Final = "-"
"""The value of `--manifests` for standard input."""


class ClusterFlags(FlagSection, topic="Where objects are read from"):
    """Where objects are read from: *manifests*, of which "-" is standard input, or else an API server.

    Attributes:
        namespace: "" for all namespaces.
        kube_api_request_timeout_s: use `time_limit_s` instead, which combines both timeouts.
        request_timeout_s: the deprecated flag for the same timeout; use `time_limit_s` instead.
    """

    manifests: tuple[str, ...] = flag(
        "file or folder of YAML or JSON to read instead of a cluster; - is standard input",
        default=(),
        metavar="PATH",
        in_plan=False,
    )
    namespace: str = flag(
        "namespace whose objects are read; empty is all of them",
        kind=replace(
            NAMESPACE, allowed=f"{NAMESPACE.allowed}; for some of them, select their objects with --label-filter"
        ),
    )
    server: str = flag(
        "API server; overrides the one in the kubeconfig, which has the credentials", kind=URL, in_plan=False
    )
    kubeconfig: str = flag(
        "kubeconfig file; default: $KUBECONFIG, then ~/.kube/config, then the pod's service account",
        metavar="PATH",
        in_plan=False,
    )
    cluster_id: str = flag(
        "name of the cluster, a part of its identity in the saved state, with --manifests the only part; updates and "
        "deletes are held if the objects come from another cluster",
        metavar="ID",
    )
    kube_api_request_timeout_s: float = flag(
        "timeout of one request to the API server; 0 is none; watches have none",
        default=DEFAULT_TIMEOUT_S,
        kind=TIME,
        in_plan=False,
    )
    request_timeout_s: float = flag(
        "old name of --kube-api-request-timeout; a value other than 30s overrides that of the new name",
        default=DEFAULT_TIMEOUT_S,
        kind=TIME,
        notice="is the old name of --kube-api-request-timeout; use the new name",
        in_plan=False,
    )

    @property
    def time_limit_s(self) -> float:
        """The timeout of a request, 0 for none (docs/spec/sources.md 9.2). `--request-timeout` wins if changed."""
        changed = self.request_timeout_s != DEFAULT_TIMEOUT_S
        return max(self.request_timeout_s if changed else self.kube_api_request_timeout_s, 0.0)


MAX_WRITE_S: Final = 12.0
"""The maximum duration of a write. No write begins if the Lease expires sooner."""


class ElectionFlags(FlagSection, topic="Leader election", in_plan=False):
    """Whether there is a leader election, and with which Lease."""

    leader_elect: bool = flag("let only the process that holds the Lease write; the others are standbys", default=False)
    leader_elect_lease_duration_s: float = flag(
        "how long a standby waits after the last renewal before it takes the Lease",
        default=30.0,
        kind=NON_NEGATIVE_DURATION,
    )
    leader_elect_renew_deadline_s: float = flag(
        "how long a leader goes on without renewal; at least 12s less than --leader-elect-lease-duration",
        default=15.0,
        kind=NON_NEGATIVE_DURATION,
    )
    leader_elect_retry_period_s: float = flag(
        "time between two attempts to renew or acquire the Lease", default=2.0, kind=NON_NEGATIVE_DURATION
    )
    leader_elect_resource_name: str = flag(
        "name of the Lease; processes that do different work need different ones", default="extdns", kind=LEASE
    )
    leader_elect_resource_namespace: str = flag("namespace of the Lease; empty is the pod's own", kind=OWN_NAMESPACE)


LOG_FORMATS: Final = ("text", "json")
LOG_LEVELS: Final = ("panic", "fatal", "error", "warning", "info", "debug", "trace")


class LogFlags(FlagSection, topic="Logs, metrics and Events", in_plan=False):
    """What is logged, and which Events are recorded besides those about problems.

    Attributes:
        level: one of external-dns's seven levels.
        audit_log: a path or "stdout"; "" for no audit log.
        audit_log_max_size: the size in MiB at which its file is renamed.
    """

    format: str = flag(
        "format of the log lines: text or json",
        default="text",
        kind=make_choice_kind("a log format", *LOG_FORMATS, metavar="FORMAT"),
        name="log-format",
    )
    level: str = flag(
        "minimum severity to log: panic, fatal, error, warning, info, debug or trace",
        default="info",
        kind=make_choice_kind("a log level", *LOG_LEVELS, metavar="LEVEL"),
        name="log-level",
    )
    audit_log: str = flag(
        "file that gets a line of JSON before and after each change of a record; stdout is standard output",
        metavar="PATH",
    )
    audit_log_max_size: int = flag(
        "size in MiB at which the file of --audit-log is renamed", default=100, kind=make_number_kind(least=1)
    )
    audit_log_max_files: int = flag(
        "how many renamed files of --audit-log to keep", default=10, kind=make_number_kind(least=1)
    )
    events_emit: tuple[str, ...] = flag(
        "also record Events with this reason: RecordReady or RecordDeleted; problems always get Events, with "
        "--compat only if RecordError is given",
        default=(),
        kind=EVENT_REASON,
    )


class WebFlags(FlagSection, topic="Logs, metrics and Events", in_plan=False):
    """The addresses of health and metrics, and of the live page."""

    metrics_address: ListenAddress = flag(
        "address that serves /healthz, /readyz and /metrics", default=ListenAddress(host="", port=7979), kind=ADDRESS
    )
    web_address: ListenAddress = flag(
        "address that serves the live page and the JSON API; whoever can reach it sees all names",
        default=ListenAddress(host="127.0.0.1", port=7980),
        kind=ADDRESS,
    )
