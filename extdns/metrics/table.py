"""The table of all metrics: name, type, help and labels (names of external-dns: docs/spec/plan.md 1.8)."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Final, NamedTuple


class MetricType(StrEnum):
    """The type of a metric in Prometheus."""

    GAUGE = "gauge"
    COUNTER = "counter"
    SUMMARY = "summary"
    HISTOGRAM = "histogram"


class Metric(NamedTuple):
    """One metric. *help* is a sentence."""

    name: str
    type: MetricType
    help: str
    labels: tuple[str, ...] = ()


_defined: Final[list[Metric]] = []


def _define(kind: MetricType, name: str, text: str, labels: tuple[str, ...] = ()) -> Metric:
    _defined.append(Metric(name, kind, text, labels))
    return _defined[-1]


_gauge: Final = partial(_define, MetricType.GAUGE)
_counter: Final = partial(_define, MetricType.COUNTER)
_summary: Final = partial(_define, MetricType.SUMMARY)
_histogram: Final = partial(_define, MetricType.HISTOGRAM)

_RECORDS_HELP: Final = "Records in the zones, ours and foreign ones, without ownership records."
_REQUESTED_HELP: Final = "Endpoints that objects request; equal ones count once."

BUILD_INFO: Final = _gauge(
    "external_dns_build_info",
    "Always 1; the labels describe the build.",
    ("arch", "go_version", "os", "revision", "version"),
)
FAILING_RUNS: Final = _gauge(
    "external_dns_controller_consecutive_soft_errors",
    "Consecutive runs in which a source, the zones or the DNS service kept the process from acting.",
)
RECONCILED: Final = _gauge("external_dns_controller_last_reconcile_timestamp_seconds", "Unix time of the last run.")
SYNCED: Final = _gauge(
    "external_dns_controller_last_sync_timestamp_seconds",
    "Unix time of the last run of the leader in which all kinds were listed, all zones read, and writes possible. "
    "Single objects, names and records that fail, and held deletes, do not stop it. A standby does not have it.",
)
IDLE_RUNS: Final = _counter("external_dns_controller_no_op_runs_total", "Runs without a change.")
VERIFIED: Final = _gauge(
    "external_dns_controller_verified_records",
    "Requested endpoints for which a zone holds a record of that name and type.",
    ("record_type",),
)
ZONE_ENDPOINTS: Final = _gauge("external_dns_registry_endpoints_total", _RECORDS_HELP)
REGISTRY_ERRORS: Final = _counter(
    "external_dns_registry_errors_total", "Reads of zones and batches of writes that failed."
)
ZONE_RECORDS: Final = _gauge("external_dns_registry_records", _RECORDS_HELP, ("record_type",))
OWNED_BY_OTHERS: Final = _gauge(
    "external_dns_registry_skipped_records_owner_mismatch_per_sync",
    "Foreign records at names where one of them keeps extdns from creating a record.",
    ("record_type", "owner", "foreign_owner", "domain"),
)
REQUESTED_ENDPOINTS: Final = _gauge("external_dns_source_endpoints_total", _REQUESTED_HELP)
SOURCE_ERRORS: Final = _counter(
    "external_dns_source_errors_total",
    "Failed lists of a kind, and objects whose claims could not be computed.",
)
REQUESTED_RECORDS: Final = _gauge("external_dns_source_records", _REQUESTED_HELP, ("record_type",))
DEDUPLICATED: Final = _gauge(
    "external_dns_source_deduplicated_endpoints",
    "Endpoints ignored because another object requests the same one.",
    ("record_type", "source_type"),
)
INVALID: Final = _gauge(
    "external_dns_source_invalid_endpoints",
    "Endpoints ignored because they are not valid records.",
    ("record_type", "source_type"),
)
REQUESTS: Final = _summary(
    "external_dns_http_request_duration_seconds",
    "Seconds from a request to the API server or the DNS service to the start of the response; path is its last part, "
    "status 0 means no response. After 200 label sets, all further ones have the path `other`.",
    ("handler", "scheme", "host", "path", "method", "status"),
)
CACHED_RECORDS: Final = _gauge(
    "external_dns_provider_cache_records_calls",
    "Since the start: complete readings of a zone (`false`), and runs that were planned from the cache (`true`).",
    ("from_cache",),
)
CACHED_CHANGES: Final = _gauge(
    "external_dns_provider_cache_apply_changes_calls", "Batches of writes since the start; they update the cache."
)
WEBHOOK_CALLS: Final = {
    action: (
        _gauge(f"external_dns_webhook_provider_{action}_requests_total", f"{what}, with `--provider=webhook`."),
        _gauge(f"external_dns_webhook_provider_{action}_errors_total", f"Failed {what.lower()}."),
    )
    for action, what in (
        ("records", "Reads of all records from the webhook"),
        ("applychanges", "Requests to the webhook to change records"),
        ("adjustendpoints", "Requests to the webhook to adjust desired records"),
    )
}
"""By call of the webhook protocol: how many were made, and how many of them failed."""
DECISIONS: Final = _gauge("extdns_decisions", "Current decisions by reason code.", ("reason",))
RULE_RESULTS: Final = _gauge(
    "extdns_rule_records",
    "Records by rule that matches them, and its result: allowed, deny, warn or audit. After 100 rules, all further "
    "ones have the rule `other`.",
    ("rule", "result"),
)
RETAINED: Final = _gauge(
    "extdns_records_retained", "Records of ours that are kept although the targets of their object are unknown."
)
QUEUED: Final = _gauge("extdns_names_queued", "Names whose changes are planned and not sent.")
BACKING_OFF: Final = _gauge(
    "extdns_names_in_backoff",
    "Names whose changes wait because the DNS service refused them or another writer keeps changing them back.",
)
PHASES: Final = _gauge(
    "extdns_source_phase", "1 for the current phase of the list and watch of a kind.", ("kind", "phase")
)
PROBLEMS: Final = _gauge("extdns_object_problems", "Objects and manifests that cannot be read.")
ZONE_READ: Final = _gauge(
    "extdns_zone_last_read_timestamp_seconds",
    "Unix time at which the zone was last read completely.",
    ("zone", "zone_id"),
)
DELETES_HELD: Final = _gauge(
    "extdns_deletes_held", "Held deletes: records whose delete waits for approval.", ("zone", "zone_id")
)
HELD_RECORD: Final = _gauge(
    "extdns_held_record",
    "Always 1: a record whose delete is held, the evidence for the delete, and the code for `extdns approve`. "
    "The first fifty of each scope.",
    ("zone", "zone_id", "name", "record_type", "evidence", "code"),
)
BATCHES: Final = _counter("extdns_batches_total", "Batches of writes by outcome.", ("outcome",))
_ZONE_LABELS: Final = ("provider", "zone", "zone_id")
_TWENTY: Final = "The first twenty zones; further ones share the label `other`."
PLAN_DURATIONS: Final = _histogram(
    "extdns_change_plan_duration_seconds",
    f"Seconds from the time an object was received until a create or update of its record was planned. {_TWENTY}",
    _ZONE_LABELS,
)
WRITE_DURATIONS: Final = _histogram(
    "extdns_change_write_duration_seconds",
    f"Seconds from the plan of a change until the DNS service accepted it. {_TWENTY}",
    _ZONE_LABELS,
)
CHANGE_DURATIONS: Final = _histogram(
    "extdns_change_duration_seconds",
    "Seconds from the time an object was received until the DNS service accepted the create or update of its record. "
    f"Changes that were refused, held or withdrawn meanwhile are not counted. {_TWENTY}",
    _ZONE_LABELS,
)
REFRESH_DURATIONS: Final = _histogram(
    "extdns_zone_refresh_duration_seconds",
    f"Seconds from the first to the last page of one complete reading of a zone. {_TWENTY}",
    _ZONE_LABELS,
)
CALL_DURATIONS: Final = _histogram(
    "extdns_api_call_duration_seconds",
    "Seconds of a call to the DNS service, with the SDK's retries of reads and without the wait for our rate limit. "
    "`status` is `ok` or how it failed: `refused`, `forbidden`, `credentials`, `later` (throttled, busy, unreachable), "
    "`unanswered`.",
    ("action", "status"),
)
API_LEFT: Final = _gauge(
    "extdns_api_calls_left",
    "Calls that may be sent to the DNS service now; an empty action stands for all calls of the account.",
    ("account", "action"),
)
API_RATE: Final = _gauge(
    "extdns_api_calls_per_second",
    "Calls per second, at most --api-calls-per-second; lower while the service throttles.",
    ("account", "action"),
)
THROTTLED: Final = _counter(
    "extdns_api_throttled_total",
    "Calls that the DNS service throttled.",
    ("account", "action"),
)
LEADER: Final = _gauge("extdns_leader", "1 if this process is the leader, 0 if it is a standby (`--leader-elect`).")
ELECTION: Final = _gauge("extdns_leader_election", "1 if replicas elect a leader (`--leader-elect`), else 0.")
STATE_KNOWN: Final = _gauge(
    "extdns_saved_state_known",
    "1 if the saved state was loaded and can be saved; 0 if it is missing, lost, or cannot be read or written.",
)
BULK_UPDATES: Final = _gauge(
    "extdns_first_pass_bulk_updates",
    "Names whose records of ours the first pass changed without saved state, in zones where they exceeded the delete "
    "limits; 0 after a day.",
    ("zone", "zone_id"),
)
AUDIT_FAILING: Final = _gauge(
    "extdns_audit_log_failing", "1 if the audit log cannot be written, else 0. Records are changed all the same."
)
AUDIT_DROPPED: Final = _counter(
    "extdns_audit_lines_dropped_total",
    "Lines of the audit log that were dropped, because too many waited while it could not be written.",
)
DEFECTS: Final = _counter(
    "extdns_defects_total", "Unexpected errors in extdns itself; each is logged with its location."
)
THREADS: Final = _gauge("extdns_threads", "Threads of the process.")
POLICY_SERVER_FAILING: Final = _gauge(
    "extdns_policy_server_failing", "1 if the policy server does not answer, else 0; 0 if none is configured."
)
POLICY_QUERIES: Final = _counter(
    "extdns_policy_queries_total",
    "Queries of the policy server about records, by result: answered or failed. Polls are not counted.",
    ("result",),
)
POLICY_QUERY_SECONDS: Final = _counter(
    "extdns_policy_query_seconds_total", "Time that queries of the policy server took, in seconds."
)
POLICY_ANSWERS: Final = _counter(
    "extdns_policy_answers_total",
    "Records that the policy server was asked about, by result: allow, warn, deny or unavailable.",
    ("result",),
)

TABLE: Final = tuple(_defined)
