"""A plan tells every reason code there is, in text and in comments."""

from __future__ import annotations

import pytest

from extdns.commands.planmarkdown import plan_markdown
from extdns.commands.plantext import PLAIN, plan_text
from extdns.config import parse
from extdns.facts.plan import planned
from extdns.facts.snapshot import Snapshot
from extdns.facts.words import told
from extdns.model.reason import Reason
from tests.unit.facts.cases import NAMES

CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


# What filters leave out is nobody's wish: `extdns explain` tells of it.
@pytest.mark.parametrize("reason", sorted(set(NAMES) - PLAIN - {Reason.TARGETS_FILTERED}))
def test_a_plan_tells_it(reason: Reason) -> None:
    seen = Snapshot(NAMES[reason]().engine)
    plan = planned(seen, CONFIG, told(seen.decisions), (), ())
    assert f"[{reason}]" in "\n".join(plan_text(plan))
    assert f"`[{reason}]` |" in "\n".join(plan_markdown(plan))
