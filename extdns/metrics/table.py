"""Every metric there is: name, form, help and labels (names of the first ones: spec plan 1.8)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Form(StrEnum):
    """Whether a value can fall, or tells of many."""

    GAUGE = "gauge"
    COUNTER = "counter"
    SUMMARY = "summary"


class Metric(NamedTuple):
    """One metric; *help* is a sentence."""

    name: str
    form: Form
    help: str
    labels: tuple[str, ...] = ()


def _gauge(name: str, text: str, labels: tuple[str, ...] = ()) -> Metric:
    return Metric(name, Form.GAUGE, text, labels)


def _counter(name: str, text: str, labels: tuple[str, ...] = ()) -> Metric:
    return Metric(name, Form.COUNTER, text, labels)


_RUN: Final = "Unix time at which the last run ended in which no source, zone or name was failing."
_HELD: Final = "Record sets in the zones, ours and others', without ownership marks."
_WANTED: Final = "Endpoints that objects ask for, each once."

BUILD_INFO: Final = _gauge(
    "external_dns_build_info",
    "Always 1; the labels tell what runs.",
    ("arch", "go_version", "os", "revision", "version"),
)
FAILING_RUNS: Final = _gauge(
    "external_dns_controller_consecutive_soft_errors",
    "Runs in a row at whose end a source, a zone or a name was failing.",
)
RECONCILED: Final = _gauge("external_dns_controller_last_reconcile_timestamp_seconds", _RUN)
SYNCED: Final = _gauge("external_dns_controller_last_sync_timestamp_seconds", _RUN)
IDLE_RUNS: Final = _counter("external_dns_controller_no_op_runs_total", "Runs in which nothing had to be changed.")
VERIFIED: Final = _gauge(
    "external_dns_controller_verified_records",
    "Endpoints that objects ask for and that stand in a zone with that name and type.",
    ("record_type",),
)
ENDPOINTS_HELD: Final = _gauge("external_dns_registry_endpoints_total", _HELD)
REGISTRY_ERRORS: Final = _counter(
    "external_dns_registry_errors_total", "Reads of zones and batches of writes that failed."
)
RECORDS_HELD: Final = _gauge("external_dns_registry_records", _HELD, ("record_type",))
OWNED_BY_OTHERS: Final = _gauge(
    "external_dns_registry_skipped_records_owner_mismatch_per_sync",
    "Records that are not ours and stand where one would have been created.",
    ("record_type", "owner", "foreign_owner", "domain"),
)
ENDPOINTS_WANTED: Final = _gauge("external_dns_source_endpoints_total", _WANTED)
SOURCE_ERRORS: Final = _counter(
    "external_dns_source_errors_total",
    "Times that a kind of object could not be listed, or that what an object asks for could not be computed.",
)
RECORDS_WANTED: Final = _gauge("external_dns_source_records", _WANTED, ("record_type",))
DEDUPLICATED: Final = _gauge(
    "external_dns_source_deduplicated_endpoints",
    "Endpoints left out because they were asked for already.",
    ("record_type", "source_type"),
)
INVALID: Final = _gauge(
    "external_dns_source_invalid_endpoints",
    "Endpoints left out because they make no valid record.",
    ("record_type", "source_type"),
)
REQUESTS: Final = Metric(
    "external_dns_http_request_duration_seconds",
    Form.SUMMARY,
    "Seconds from a request to the API server or the DNS service until its answer began; path is the last part of "
    "it, status 0 where no answer came. The 201st combination and those after it count as path `other`.",
    ("handler", "scheme", "host", "path", "method", "status"),
)
DECISIONS: Final = _gauge("extdns_decisions", "Decisions in force, by reason code.", ("reason",))
STALE: Final = _gauge(
    "extdns_records_stale", "Records of ours that stay as they are while their object cannot say a target."
)
PENDING: Final = _gauge("extdns_names_pending", "Names whose change waits or is being written.")
QUARANTINED: Final = _gauge(
    "extdns_names_quarantined",
    "Names set aside for a while, since the DNS service refused their change or somebody changes them back.",
)
PHASES: Final = _gauge(
    "extdns_source_phase", "1 for the phase that the list of a kind of object is in.", ("kind", "phase")
)
PROBLEMS: Final = _gauge("extdns_object_problems", "Objects and manifests that cannot be read.")
ZONE_READ: Final = _gauge(
    "extdns_zone_last_read_timestamp_seconds",
    "Unix time at which the last reading of the whole zone ended.",
    ("zone", "zone_id"),
)
DELETES_HELD: Final = _gauge(
    "extdns_deletes_held", "Records whose deletes wait until a person releases them.", ("zone", "zone_id")
)
HELD_RECORD: Final = _gauge(
    "extdns_held_record",
    "Always 1: a record whose delete waits, the evidence for it, and the code that `extdns release` takes. "
    "Of each zone the first fifty.",
    ("zone", "zone_id", "name", "record_type", "evidence", "code"),
)
BATCHES: Final = _counter("extdns_batches_total", "Batches of writes, by what became of them.", ("outcome",))
API_LEFT: Final = _gauge(
    "extdns_api_calls_left",
    "Calls that may be sent to the DNS service at once; action is empty for all calls of the account together.",
    ("account", "action"),
)
API_RATE: Final = _gauge(
    "extdns_api_calls_per_second",
    "Calls that come back a second, at most --api-calls-per-second; it falls when the service throttles.",
    ("account", "action"),
)
THROTTLED: Final = _counter(
    "extdns_api_throttled_total",
    "Times that the DNS service said that there were too many calls.",
    ("account", "action"),
)
LEADER: Final = _gauge(
    "extdns_leader", "1 while this process may write, 0 while it stands by for another one (`--leader-elect`)."
)
DEFECTS: Final = _counter(
    "extdns_defects_total", "Failures of extdns itself that cost nothing else; each is logged with its place."
)

TABLE: Final = (
    *(BUILD_INFO, FAILING_RUNS, RECONCILED, SYNCED, IDLE_RUNS, VERIFIED),
    *(ENDPOINTS_HELD, REGISTRY_ERRORS, RECORDS_HELD, OWNED_BY_OTHERS),
    *(ENDPOINTS_WANTED, SOURCE_ERRORS, RECORDS_WANTED, DEDUPLICATED, INVALID, REQUESTS),
    *(DECISIONS, STALE, PENDING, QUARANTINED, PHASES, PROBLEMS, ZONE_READ, DELETES_HELD, HELD_RECORD, BATCHES),
    *(API_LEFT, API_RATE, THROTTLED, LEADER, DEFECTS),
)
