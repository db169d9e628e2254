"""The engine before every provider: changes, conflicts, refusals, lost answers; then a pass that writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.model.outcome import Applied, Conflict, Refused, Unknown
from tests.conformance.desk import Desk
from tests.conformance.provider import RIGS, Rig, create, delete, update
from tests.fakes.careless import CarelessProvider
from tests.unit.engine.stage import gone, host, seen, wants


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Rig:
    return RIGS[request.param](tmp_path)


def test_a_change_costs_one_call(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    desk.forget()
    desk.want(a="192.0.2.2")
    assert desk.world.calls == (["Submit"] if desk.guards else ["ReadNames", "Submit"])
    desk.forget()
    desk.want(b="192.0.2.3", c="192.0.2.4")
    assert [type(outcome) for outcome in desk.line.outcomes] == [Applied] * (1 if desk.guards else 2)
    desk.forget()
    desk.world.run(gone("a"))
    assert [type(outcome) for outcome in desk.line.outcomes] == [Applied]
    desk.close({"b": "192.0.2.3", "c": "192.0.2.4"})


def test_what_was_written_unseen_is_marked_unconditional(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    (outcome,) = desk.line.outcomes
    assert isinstance(outcome, Applied)
    assert outcome.unconditional is not desk.guards


def test_an_edit_between_reading_and_writing_is_seen_and_repaired(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1", "b": "192.0.2.2"})
    desk.forget()
    (held,) = (record for record in rig.reader.names(rig.zone, [host("a")]) if record.type == "A")
    rig.meddle(update(held, "192.0.2.99"))
    desk.want(a="192.0.2.3")
    assert [type(outcome) for outcome in desk.line.outcomes] == ([Conflict, Applied] if desk.guards else [Applied])
    desk.close({"a": "192.0.2.3", "b": "192.0.2.2"})


def test_a_mark_that_somebody_removed_is_made_again_with_its_record_or_the_record_stays(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    desk.forget()
    rig.meddle(*(delete(record) for record in rig.reader.names(rig.zone, [host("a"), host("a-a")])))
    desk.want(a="192.0.2.3")
    assert [type(outcome) for outcome in desk.line.outcomes] == ([Conflict, Applied] if desk.guards else [Applied])
    desk.close({"a": "192.0.2.3"})


def test_what_somebody_else_put_there_is_never_overwritten(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    rig.meddle(create("b.example.org", "A", "192.0.2.99"))
    desk.want(b="192.0.2.3")
    desk.close({"a": "192.0.2.1", "b": "192.0.2.99"})


def test_a_poisoned_batch_costs_one_call_more_where_the_culprit_is_named(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    desk.forget()
    rig.meddle(create("bad.example.org", "CNAME", "elsewhere.example.net"))
    wanted = {f"n{number}": f"192.0.2.{number}" for number in range(10, 20)}
    desk.want(bad="192.0.2.66", **wanted)
    if not desk.guards:  # what stands there is seen before anything is sent
        assert [type(outcome) for outcome in desk.line.outcomes] == [Applied] * len(wanted)
    elif rig.reader.traits.names_culprits:
        refused, rest = desk.line.outcomes
        assert isinstance(refused, Refused)
        assert refused.culprits == ("bad.example.org",)
        assert isinstance(rest, Applied)
    else:
        assert [type(outcome) for outcome in desk.line.outcomes[:2]] == [Refused, Applied]
    assert desk.published() == {"a": ("192.0.2.1",)} | {name: (address,) for name, address in wanted.items()}
    desk.world.run(gone("bad"))
    desk.close({"a": "192.0.2.1", **wanted})


@pytest.mark.parametrize("applied", [True, False], ids=["made", "never-made"])
def test_a_lost_answer_is_found_out_by_reading(rig: Rig, applied: bool) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    desk.forget()
    desk.line.losses.append(applied)
    desk.want(a="192.0.2.2", b="192.0.2.3")
    desk.world.run(for_s=60.0)
    made = [outcome for outcome in desk.line.outcomes if isinstance(outcome, Applied)]
    assert len(made) == (1 if desk.guards else 2), "nothing is made twice"
    desk.close({"a": "192.0.2.2", "b": "192.0.2.3"})


def test_answers_that_are_lost_again_and_again_end_well(rig: Rig) -> None:
    desk = Desk(rig, {})
    desk.line.losses += (False, True, False, True)
    desk.want(a="192.0.2.1", b="192.0.2.2")
    desk.want(a="192.0.2.3")
    desk.world.run(for_s=600.0)
    desk.close({"a": "192.0.2.3", "b": "192.0.2.2"})


@pytest.mark.parametrize("made", [0, 1, 2])
@pytest.mark.parametrize("kind", ["create", "update", "delete"])
def test_a_connection_that_breaks_in_between_leaves_no_record_without_its_mark(kind: str, made: int) -> None:
    provider = CarelessProvider(["example.org"])
    rig = Rig(reader=provider, writer=provider, other=provider, zone=provider.zones().zones[0])
    wanted = {} if kind == "create" else {"a": "192.0.2.1"}
    desk = Desk(rig, wanted)
    desk.forget()
    provider.cuts.append(made)
    desk.world.feed(gone("a") if kind == "delete" else seen("a", wants("a", "a", "192.0.2.2")))
    while not desk.line.outcomes:
        desk.world.run(for_s=0.01)
    assert isinstance(desk.line.outcomes[0], Unknown | Applied)
    names = {(record.name, record.type) for record in rig.read()}
    assert (host("a"), "A") not in names or (host("a-a"), "TXT") in names
    desk.world.run(for_s=60.0)
    desk.close({} if kind == "delete" else {"a": "192.0.2.2"})
