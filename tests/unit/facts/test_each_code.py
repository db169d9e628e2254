"""`explain` answers with the right code, in one case of every reason code there is."""

from __future__ import annotations

import pytest

from extdns.config import parse
from extdns.facts.name import NameFacts, name_facts
from extdns.facts.nametext import name_text
from extdns.facts.object import object_facts_of
from extdns.facts.snapshot import Snapshot
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from tests.unit.engine.stage import Stage
from tests.unit.facts.cases import MISTAKES, NAMES, OTHER_NAMES, WEB

CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


def explained(world: Stage, name: str) -> NameFacts:
    seen_now = Snapshot(world.engine)
    known = len(seen_now.zones)
    return name_facts(seen_now, DnsName(name), CONFIG, zones_known=known, missing=seen_now.missing)


def codes(facts: NameFacts) -> set[str]:
    """Every code that the explanation of a name says."""
    outcomes = [one for claim in facts.claims for one in claim.outcomes] + [one.outcome for one in facts.records]
    return {facts.reason or "", *(one.reason for one in outcomes)}


def test_every_code_has_a_case() -> None:
    assert set(NAMES) | set(MISTAKES) == set(Reason)


@pytest.mark.parametrize("reason", NAMES)
def test_a_name_is_explained_with_its_code(reason: Reason) -> None:
    facts = explained(NAMES[reason](), OTHER_NAMES.get(reason, WEB))
    assert reason in codes(facts), facts
    assert f"[{reason}]" in "\n".join(name_text(facts))


@pytest.mark.parametrize("reason", MISTAKES)
def test_an_object_is_explained_with_what_is_wrong(reason: Reason) -> None:
    facts = object_facts_of(Snapshot(MISTAKES[reason]().engine), "service/shop/web", ())
    assert [one.reason for one in facts.mistakes] == [reason]
