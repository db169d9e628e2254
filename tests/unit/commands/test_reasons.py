"""The reference page of the reason codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.commands.reasons import page
from extdns.model.evidence import Evidence
from extdns.model.reason import MEANINGS, Reason

ROOT = Path(__file__).parents[3]


def test_the_page_in_the_docs_is_the_one_that_the_codes_give() -> None:
    kept = (ROOT / "docs" / "reference" / "reasons.md").read_text(encoding="utf-8")
    assert kept == page(), "run: python -m extdns.commands.reasons > docs/reference/reasons.md"


@pytest.mark.parametrize("reason", list(Reason))
def test_every_code_has_a_meaning_and_a_row(reason: Reason) -> None:
    assert MEANINGS[reason].endswith(".")
    assert f"| `{reason}` | {MEANINGS[reason]} |" in page().splitlines()


@pytest.mark.parametrize("evidence", list(Evidence))
def test_all_evidence_stands_under_its_heading(evidence: Evidence) -> None:
    removed = page().partition("## Removed")[2].partition("\n## ")[0]
    assert f"| `{evidence}` |" in removed
