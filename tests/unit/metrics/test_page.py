"""The reference page of the metrics."""

from __future__ import annotations

from pathlib import Path

from extdns.metrics.table import TABLE
from tools.metrics_page import COUNTERPARTS, render_page

ROOT = Path(__file__).parents[3]


def test_metrics_page_in_the_docs_has_a_row_for_each_metric() -> None:
    rows = render_page().splitlines()
    for metric in TABLE:
        (row,) = (row for row in rows if row.startswith(f"| `{metric.name}` |"))
        assert row.endswith(f" {metric.help} |")
        assert all(f"`{label}`" in row for label in metric.labels)


def test_no_two_metrics_have_the_same_name() -> None:
    assert len({metric.name for metric in TABLE}) == len(TABLE)


def test_each_metric_of_external_dns_exists_under_its_name_or_has_a_named_counterpart() -> None:
    spec = (ROOT / "docs" / "spec" / "plan.md").read_text(encoding="utf-8")
    section = spec.partition("### 1.8 Metrics")[2].partition("\n### ")[0]
    cells = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")][1:]
    names = {name for cell in cells for name in expand_names(cell)}
    assert len(names) == 24
    assert names == {metric.name for metric in TABLE if metric.name.startswith("external_dns_")} | {
        name for name in COUNTERPARTS if name.startswith("external_dns_")
    }


def expand_names(cell: str) -> list[str]:
    """Return the full names of the metrics in a cell such as `webhook_provider_a_total / b_total`."""
    first, *others = cell.split(" / ")
    stem = "webhook_provider_" if first.startswith("webhook_provider_") else ""
    return [f"external_dns_{first}", *(f"external_dns_{stem}{other}" for other in others)]
