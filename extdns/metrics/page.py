"""The reference page of the metrics: `python -m extdns.metrics.page > docs/reference/metrics.md`."""

from __future__ import annotations

import sys
from typing import Final

from extdns.metrics.table import TABLE, Metric

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
is `unknown` unless the build was told the commit.
"""
_OWN_HEADING: Final = "\n## Names of our own\n"


def page() -> str:
    """Write the page; ends in a newline."""
    shared = [metric for metric in TABLE if not metric.name.startswith(_OWN)]
    own = [metric for metric in TABLE if metric.name.startswith(_OWN)]
    return "\n".join((_INTRODUCTION, *_rows(shared), _OWN_HEADING, *_rows(own), ""))


def _rows(metrics: list[Metric]) -> tuple[str, ...]:
    head = ("| Metric | Type | Labels | Meaning |", "|---|---|---|---|")
    return (*head, *(_row(metric) for metric in metrics))


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.form} | {labels} | {metric.help} |"


if __name__ == "__main__":
    sys.stdout.write(page())
