"""The reference page of the metrics, docs/reference/metrics.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.metrics import table
from extdns.metrics.table import TABLE, Metric
from extdns.model.reason import Category, Reason, select_reasons

_OWN: Final = "extdns_"
_INTRODUCTION: Final = """\
# Metrics

<!-- Made by `make generate` from the table in extdns/metrics/table.py. -->

extdns serves these metrics as `/metrics` on `--metrics-address`, in the Prometheus text format, together with the usual
metrics of a process, such as `process_cpu_seconds_total` and `process_resident_memory_bytes`, and of Python's garbage
collector (`python_gc_…`). [Design](../design/metrics.md): what a sync means, how changes are measured, and the alerts.

## Names that external-dns has too

These have the name, labels and meaning that they have in external-dns. A *run* ends every `--interval`. Changes are
made at once and do not wait for it. Label values are in lower case, as in external-dns;
record types that are not in common use count as `other`.

In `external_dns_build_info`, `go_version` is the version of Python, as in `python3.12.4`; `revision`
is always `unknown`: the commit is a label of the container image. `external_dns_http_request_duration_seconds` has
its sum and count, but no quantiles.
"""
_COUNTERPART_HEADING: Final = """
## Other metrics of external-dns

Metrics of external-dns that are not in the table above, including those of the Go libraries that it contains.

| Metric of external-dns | In extdns |
|---|---|
"""
_SAME: Final = "the same"
_MEMORY: Final = "`process_resident_memory_bytes`; Python does not report its heap"
COUNTERPARTS: Final[Mapping[str, str]] = {
    "process_cpu_seconds_total": _SAME,
    "process_max_fds": _SAME,
    "process_open_fds": _SAME,
    "process_resident_memory_bytes": _SAME,
    "process_start_time_seconds": _SAME,
    "process_virtual_memory_bytes": _SAME,
    "process_virtual_memory_max_bytes": "none",
    "process_network_receive_bytes_total": "none; the metrics of the container have it",
    "process_network_transmit_bytes_total": "none; the metrics of the container have it",
    "go_goroutines": f"`{table.THREADS.name}`: what waits at a time",
    "go_threads": f"`{table.THREADS.name}`",
    "go_info": f"the label `go_version` of `{table.BUILD_INFO.name}`",
    "go_gc_duration_seconds": "`python_gc_collections_total`, without durations",
    "go_gc_gogc_percent": "none",
    "go_gc_gomemlimit_bytes": "none",
    "go_sched_gomaxprocs_threads": "none: one thread at a time runs Python code",
    "go_memstats_alloc_bytes": _MEMORY,
    "go_memstats_heap_alloc_bytes": _MEMORY,
    "go_memstats_heap_inuse_bytes": _MEMORY,
    "go_memstats_heap_objects": "none",
    "go_memstats_sys_bytes": "`process_virtual_memory_bytes`",
    "go_memstats_*": f"the others: {_MEMORY}",
    "promhttp_metric_handler_requests_total": "none; Prometheus has `up` and `scrape_duration_seconds`",
    "promhttp_metric_handler_requests_in_flight": "none",
}
"""What extdns has for each metric of the reference (docs/spec/plan.md 1.8) that is not in the table."""

_COMPAT_NOTE: Final = """
No metric of external-dns names a zone. Its log lines do, for Route 53: with `--compat`, `zoneName` ends with a dot and
`zoneID` begins with `/hostedzone/`, as there; otherwise, and in the metrics of extdns, both are without.
"""
_OWN_HEADING: Final = "\n## Metrics of extdns only\n"
_QUERIES_HEADING: Final = """
## What to alert on

The chart has [alerts](../runbooks) with severities, which also notice that no process is left. These are the conditions
to build others from. The reasons are those of [reasons.md](reasons.md).

| What is wrong | Query |
|---|---|
"""
_REFUSED: Final = (Reason.REFUSED, Reason.TOO_LARGE, Reason.UNSUPPORTED, Reason.ZONE_FORBIDDEN)
_CONFLICTS: Final = (
    *(Reason.REQUESTED_BY_OTHER, Reason.INCOMPATIBLE_TYPE, Reason.INCOMPATIBLE_RECORD),
    *sorted(select_reasons(Category.FOREIGN)),
)


def _build_reason_query(reasons: tuple[Reason, ...]) -> str:
    """Return the PromQL query for the decisions with one of *reasons*, escaped for a Markdown table."""
    codes = r"\|".join(reasons)
    return f'{table.DECISIONS.name}{{reason=~"{codes}"}} > 0'


_QUERIES: Final = (
    ("Deletes wait for approval", f"{table.DELETES_HELD.name} > 0"),
    ("Records may be outdated, because the targets of their objects are unknown", f"{table.RETAINED.name} > 0"),
    ("The DNS service rejects changes", _build_reason_query(_REFUSED)),
    ("Objects request names that other owners or objects have", _build_reason_query(_CONFLICTS)),
    ("Another writer keeps changing our records back", _build_reason_query((Reason.CONTENDED,))),
    (
        "No process is the leader, so nothing is written",
        f"sum without (instance, pod, node) ({table.LEADER.name}) < 1",
    ),
    (
        "State is not saved, so the next process will not know which deletes were made or held",
        f"{table.STATE_KNOWN.name} < 1",
    ),
    ("The process has not been able to act for 15 minutes", f"time() - {table.SYNCED.name} > 900"),
)


def render_page() -> str:
    """Return the reference page of the metrics as Markdown."""
    common = [metric for metric in TABLE if not metric.name.startswith(_OWN)]
    queries = (f"| {what} | `{query}` |" for what, query in _QUERIES)
    counterparts = (f"| `{name}` | {text} |" for name, text in COUNTERPARTS.items())
    own = [metric for metric in TABLE if metric.name.startswith(_OWN)]
    return "\n".join(
        (
            _INTRODUCTION,
            *_render_table(common),
            _COUNTERPART_HEADING + "\n".join(counterparts),
            _COMPAT_NOTE,
            _OWN_HEADING,
            *_render_table(own),
            _QUERIES_HEADING + "\n".join(queries),
            "",
        )
    )


def _render_table(metrics: list[Metric]) -> tuple[str, ...]:
    head = ("| Metric | Type | Labels | Meaning |", "|---|---|---|---|")
    return (*head, *(_render_row(metric) for metric in metrics))


def _render_row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.type} | {labels} | {metric.help} |"
