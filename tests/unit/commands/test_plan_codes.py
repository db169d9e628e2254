"""A plan contains each reason code, in text and in Markdown."""

from __future__ import annotations

import pytest

from extdns.config import parse
from extdns.documents.plan import build_plan
from extdns.documents.plan_text import PLAIN, format_plan, format_plan_markdown
from extdns.documents.snapshot import EngineSnapshot
from extdns.documents.text import find_reportable
from extdns.model.reason import Reason
from tests.unit.documents.cases import NAMES

CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


# A plan does not list what filters exclude; `extdns explain` does.
@pytest.mark.parametrize("reason", sorted(set(NAMES) - PLAIN - {Reason.TARGETS_FILTERED}))
def test_a_plan_shows_each_reason_code_that_the_symbol_of_its_line_does_not_imply(reason: Reason) -> None:
    seen = EngineSnapshot(NAMES[reason]().engine)
    plan = build_plan(seen, CONFIG, find_reportable(seen.decisions), (), ())
    assert f"[{reason}]" in "\n".join(format_plan(plan))
    assert f"`[{reason}]` |" in "\n".join(format_plan_markdown(plan))
