"""The page of the reason codes, docs/reference/reasons.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.documents.reason import render_page
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason

ROOT = Path(__file__).parents[3]


def test_the_reasons_page_in_the_docs_equals_the_generated_page() -> None:
    page = (ROOT / "docs" / "reference" / "reasons.md").read_text(encoding="utf-8")
    assert page == render_page(), "run: python -m extdns.documents.reason > docs/reference/reasons.md"


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_code_has_a_meaning_and_a_row_in_the_page(reason: Reason) -> None:
    assert reason.row.text.endswith(".")
    assert [line for line in render_page().splitlines() if line.startswith(f"| `{reason}` | {reason.row.text} |")]


@pytest.mark.parametrize("evidence", list(Evidence))
def test_every_evidence_code_is_in_the_section_about_removed_records(evidence: Evidence) -> None:
    removed = render_page().partition("## Removed")[2].partition("\n## ")[0]
    assert f"| `{evidence}` |" in removed
