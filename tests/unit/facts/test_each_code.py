"""`explain` answers with the right code, in one case of every reason code there is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from extdns.config import parse
from extdns.facts.live import Live
from extdns.facts.name import NameFacts, name_facts
from extdns.facts.nametext import name_text
from extdns.facts.object import object_facts_of
from extdns.facts.outcome import WaitingFacts
from extdns.facts.snapshot import Snapshot
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from tests.unit.engine.stage import Stage, owned, seen, withholds
from tests.unit.facts.cases import MISTAKES, NAMES, OTHER_NAMES, STALE, WEB, after, dry

AT = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


def explained(world: Stage, name: str) -> NameFacts:
    seen_now = Snapshot(world.engine)
    known = len(seen_now.zones)
    return name_facts(seen_now, DnsName(name), CONFIG, zones_known=known, missing=seen_now.missing)


def codes(facts: NameFacts) -> set[str]:
    """Every code that the explanation of a name says."""
    outcomes = [one for claim in facts.claims for one in claim.outcomes] + [
        one.outcome for one in facts.records if one.outcome
    ]
    return {facts.reason or "", *(one.reason for one in outcomes)}


def test_every_code_has_a_case() -> None:
    assert set(NAMES) | set(MISTAKES) == set(Reason)


@pytest.mark.parametrize("reason", NAMES)
def test_a_name_is_explained_with_its_code(reason: Reason) -> None:
    facts = explained(NAMES[reason](), OTHER_NAMES.get(reason, WEB))
    assert reason in codes(facts), facts
    assert f"[{reason}]" in "\n".join(name_text(facts))


def lived(world: Stage, *, later_s: float = 0.0) -> NameFacts:
    """What a process says of a name, so much later than *world* is."""
    seen_now, at_s = Snapshot(world.engine), world.now_s + later_s
    live = Live(seen_now, at=AT, at_s=at_s, kinds=(), changes=(), settled=True)
    return name_facts(seen_now, DnsName(WEB), CONFIG, zones_known=1, missing=(), live=live)


def waiting(facts: NameFacts) -> WaitingFacts | None:
    (record,) = facts.records
    assert record.outcome is not None
    return record.outcome.waiting


def test_a_running_process_says_on_what_evidence_a_record_may_go_and_when_its_grace_ends() -> None:
    facts = lived(NAMES[Reason.IN_GRACE]())
    assert waiting(facts) == WaitingFacts(evidence="object-deleted", grace_ends=AT + timedelta(seconds=55.02))
    text = "\n".join(name_text(facts))
    assert text.startswith(
        f"{WEB} stands, and no object asks for it; it is deleted once its grace is over.  [in-grace]"
    )
    assert "  it may go on the evidence [object-deleted]\n" in text
    assert "  its grace ends at 2026-11-20 09:15:26 UTC, in 55s\n" in text
    assert text.endswith("let an object ask for the name before its grace ends")


def test_a_grace_that_is_over_is_told_so() -> None:
    text = "\n".join(name_text(lived(NAMES[Reason.IN_GRACE](), later_s=60.0)))
    assert "  its grace ended at 2026-11-20 09:14:26 UTC\n" in text


def test_the_end_of_the_hold_of_a_stale_record_is_told() -> None:
    stale = after(dry(*owned("web"), first=[seen("web", withholds("web", "web"))], deletes=STALE), for_s=20.0)
    text = "\n".join(name_text(lived(stale)))
    assert "  it may go on the evidence [stale]\n" in text
    assert "  --stale-hold ends at " in text


def test_what_is_held_has_evidence_and_no_end() -> None:
    facts = lived(NAMES[Reason.HELD]())
    assert waiting(facts) == WaitingFacts(evidence="object-deleted", grace_ends=None)
    assert "\n".join(name_text(facts)).endswith("what releases it: extdns status --controller=URL")
    alone = explained(NAMES[Reason.HELD](), WEB)
    assert "\n".join(name_text(alone)).endswith("what releases it: extdns plan --held [flags]")


def test_a_single_look_tells_of_no_grace() -> None:
    facts = explained(NAMES[Reason.IN_GRACE](), WEB)
    assert (facts.at, waiting(facts)) == (None, WaitingFacts(evidence="object-deleted", grace_ends=None))


@pytest.mark.parametrize("reason", MISTAKES)
def test_an_object_is_explained_with_what_is_wrong(reason: Reason) -> None:
    facts = object_facts_of(Snapshot(MISTAKES[reason]().engine), "service/shop/web", ())
    assert [one.reason for one in facts.mistakes] == [reason]
