"""The engine before every provider: changes, conflicts, refusals, lost answers; then a pass that writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns.model.outcome import Applied, Conflict, Refused
from tests.conformance.desk import Desk
from tests.conformance.provider import RIGS, Rig, create, delete, update
from tests.unit.engine.stage import gone, host


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Rig:
    return RIGS[request.param](tmp_path)


def test_a_change_costs_one_call(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    assert len(desk.line.outcomes) == 1
    desk.world.calls.clear()
    desk.want(a="192.0.2.2")
    assert desk.world.calls == ["Submit"]
    desk.want(b="192.0.2.3", c="192.0.2.4")
    desk.world.run(gone("a"))
    assert desk.world.calls.count("Submit") == 3
    assert all(isinstance(outcome, Applied) for outcome in desk.line.outcomes)
    desk.close({"b": "192.0.2.3", "c": "192.0.2.4"})


def test_an_edit_between_reading_and_writing_is_seen_and_repaired(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1", "b": "192.0.2.2"})
    (held,) = (record for record in rig.reader.names(rig.zone, [host("a")]) if record.type == "A")
    rig.meddle(update(held, "192.0.2.99"))
    desk.want(a="192.0.2.3")
    assert [type(outcome) for outcome in desk.line.outcomes] == [Applied, Conflict, Applied]
    desk.close({"a": "192.0.2.3", "b": "192.0.2.2"})


def test_a_mark_that_somebody_removed_is_made_again_with_its_record_or_the_record_stays(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    rig.meddle(*(delete(record) for record in rig.reader.names(rig.zone, [host("a"), host("a-a")])))
    desk.want(a="192.0.2.3")
    assert isinstance(desk.line.outcomes[1], Conflict)
    desk.close({"a": "192.0.2.3"})


def test_a_poisoned_batch_costs_one_call_more_where_the_culprit_is_named(rig: Rig) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    rig.meddle(create("bad.example.org", "CNAME", "elsewhere.example.net"))
    wanted = {f"n{number}": f"192.0.2.{number}" for number in range(10, 20)}
    desk.want(bad="192.0.2.66", **wanted)
    refused, rest = desk.line.outcomes[1:3]
    assert isinstance(refused, Refused)
    assert isinstance(rest, Applied)
    if rig.reader.traits.names_culprits:
        assert refused.culprits == ("bad.example.org",)
        assert len(desk.line.outcomes) == 3
    assert desk.published() == {"a": ("192.0.2.1",)} | {name: (address,) for name, address in wanted.items()}
    desk.world.run(gone("bad"))
    desk.close({"a": "192.0.2.1", **wanted})


@pytest.mark.parametrize("applied", [True, False], ids=["made", "never-made"])
def test_a_lost_answer_is_found_out_by_reading(rig: Rig, applied: bool) -> None:
    desk = Desk(rig, {"a": "192.0.2.1"})
    desk.line.losses.append(applied)
    desk.want(a="192.0.2.2", b="192.0.2.3")
    desk.world.run(for_s=60.0)
    made = [outcome for outcome in desk.line.outcomes[1:] if isinstance(outcome, Applied)]
    assert len(made) == 1
    desk.close({"a": "192.0.2.2", "b": "192.0.2.3"})


def test_answers_that_are_lost_again_and_again_end_well(rig: Rig) -> None:
    desk = Desk(rig, {})
    desk.line.losses += (False, True, False, True)
    desk.want(a="192.0.2.1", b="192.0.2.2")
    desk.want(a="192.0.2.3")
    desk.world.run(for_s=600.0)
    desk.close({"a": "192.0.2.3", "b": "192.0.2.2"})
