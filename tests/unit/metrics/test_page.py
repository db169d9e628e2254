"""The reference page of the metrics."""

from __future__ import annotations

from pathlib import Path

from extdns.metrics.page import render_page
from extdns.metrics.table import TABLE

ROOT = Path(__file__).parents[3]


def test_metrics_page_in_docs_is_up_to_date() -> None:
    current = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    assert current == render_page(), "run: python -m extdns.metrics.page > docs/reference/metrics.md"


def test_metrics_page_has_a_row_for_each_metric() -> None:
    rows = render_page().splitlines()
    for metric in TABLE:
        (row,) = (row for row in rows if row.startswith(f"| `{metric.name}` |"))
        assert row.endswith(f" {metric.help} |")
        assert all(f"`{label}`" in row for label in metric.labels)


def test_no_two_metrics_have_the_same_name() -> None:
    assert len({metric.name for metric in TABLE}) == len(TABLE)
