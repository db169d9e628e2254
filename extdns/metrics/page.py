"""The reference page of the metrics: `python -m extdns.metrics.page > docs/reference/metrics.md`."""

from __future__ import annotations

import sys
from typing import Final

from extdns.metrics import table
from extdns.metrics.table import TABLE, Metric
from extdns.model.reason import SOMEBODY_ELSES, Reason

_OWN: Final = "extdns_"
_INTRODUCTION: Final = """\
# Metrics

<!-- Made by `python -m extdns.metrics.page`; edit the table in extdns/metrics/table.py instead. -->

Served as `/metrics` on `--metrics-address`, in Prometheus' text format. Beside those below there
are the usual ones of the process, such as `process_cpu_seconds_total` and
`process_resident_memory_bytes`.

## Names that external-dns has too

A *run* is a tick of `--interval`; changes are made as they come, and do not wait for it. Label
values are in lower case, as they are there. A metric of external-dns that is not listed here belongs
to a part that this version does not have.

In `external_dns_build_info`, `go_version` is the version of Python, as in `python3.12.4`; `revision`
is always `unknown`: the commit is a label of the image.
"""
_OWN_HEADING: Final = "\n## Names of our own\n"
_QUERIES_HEADING: Final = """
## What to alert on

The reasons are those of [reasons.md](reasons.md).

| What is wrong | Query |
|---|---|
"""
_REFUSED: Final = (Reason.REFUSED, Reason.TOO_LARGE, Reason.UNSUPPORTED, Reason.ZONE_FORBIDDEN)
_CONFLICTS: Final = (
    *(Reason.CONFLICT_LOST, Reason.TYPE_CONFLICT, Reason.ROUTING_CONFLICT),
    *sorted(SOMEBODY_ELSES),
)


def _decided(reasons: tuple[Reason, ...]) -> str:
    """A query, within a table, for the decisions of *reasons*."""
    codes = r"\|".join(reasons)
    return f'{table.DECISIONS.name}{{reason=~"{codes}"}} > 0'


_QUERIES: Final = (
    ("Deletes wait for a person", f"{table.DELETES_HELD.name} > 0"),
    ("Records may be outdated, since their objects have lost their addresses", f"{table.STALE.name} > 0"),
    ("Names are set aside because the DNS service refuses them", _decided(_REFUSED)),
    ("Objects ask for names that others have", _decided(_CONFLICTS)),
    ("Somebody else changes our records back, again and again", _decided((Reason.FOUGHT_OVER,))),
    ("Nobody leads, so nothing is written", f"sum({table.LEADER.name}) < 1"),
    ("Nothing has been in order for a quarter of an hour", f"time() - {table.SYNCED.name} > 900"),
)


def page() -> str:
    """Write the page; ends in a newline."""
    shared = [metric for metric in TABLE if not metric.name.startswith(_OWN)]
    queries = (f"| {what} | `{query}` |" for what, query in _QUERIES)
    own = [metric for metric in TABLE if metric.name.startswith(_OWN)]
    return "\n".join(
        (_INTRODUCTION, *_rows(shared), _OWN_HEADING, *_rows(own), _QUERIES_HEADING + "\n".join(queries), "")
    )


def _rows(metrics: list[Metric]) -> tuple[str, ...]:
    head = ("| Metric | Type | Labels | Meaning |", "|---|---|---|---|")
    return (*head, *(_row(metric) for metric in metrics))


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.form} | {labels} | {metric.help} |"


if __name__ == "__main__":
    sys.stdout.write(page())
