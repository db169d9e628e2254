"""Sentences that newcomers read first, word for word: what happens, then what to do (docs/design/messages.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.documents.next_step import suggest_next_step
from extdns.flags.table import BY_NAME
from extdns.log import Event
from extdns.model.reason import ROWS, Reason
from tests.unit.documents.cases import NAMES
from tests.unit.documents.test_name import explain, render

VALUES = Path(__file__).parents[2] / "charts" / "extdns" / "values.yaml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(Event.CACHE_STATE, "The list and watch of a kind changed phase", id="cache state"),
        pytest.param(
            Event.OBJECT_UNREADABLE, "Cannot parse {what}; keeping the last valid version", id="invalid manifest"
        ),
        pytest.param(
            ROWS[Reason.FOREIGN_RECORD].text, "A record without our ownership TXT already exists.", id="foreign record"
        ),
        pytest.param(
            ROWS[Reason.NO_ENDPOINTS].text,
            "No ready endpoints: complete data about endpoints, pods or nodes has no target for the name.",
            id="no endpoints",
        ),
        pytest.param(
            BY_NAME["api-burst"].help,
            "API burst limit, per account and action: the most calls that are made at once",
            id="burst limit",
        ),
    ],
)
def test_each_listed_text_of_the_program_reads_as_in_this_list(text: str, expected: str) -> None:
    assert text == expected


def test_the_explanation_of_a_foreign_record_says_first_that_the_existing_record_is_left_unchanged() -> None:
    document = explain(NAMES[Reason.FOREIGN_RECORD]())
    assert render(document).startswith(
        "web.example.org: existing record left unchanged (conflict).  [foreign-record]\n"
        "A record without our ownership TXT already exists.\n"
    )
    assert suggest_next_step(document).startswith("Resolve the conflict; extdns retries automatically.")


@pytest.mark.parametrize(
    ("section", "heading"),
    [("serviceAccount", "# Service account: "), ("rbac", "# RBAC: "), ("service", "# Observability: ")],
)
def test_comments_in_the_chart_values_begin_with_the_usual_name_of_their_section(section: str, heading: str) -> None:
    lines = VALUES.read_text(encoding="utf-8").splitlines()
    assert lines[lines.index(f"{section}:") - 1].startswith(heading)
