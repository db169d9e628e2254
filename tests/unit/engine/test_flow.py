"""From one observation to one write (design 2, laws 4 and 6-8; design 4, "Write queue")."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from extdns.engine.effects import Submit, Wake
from extdns.engine.inputs import Cause, Observed, Tick
from extdns.model.adjusted import Adjusted
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.zone import Traits, Zone
from tests.unit.engine.stage import (
    INGRESS,
    SERVICE,
    gone,
    host,
    new,
    owned,
    phase,
    published,
    record,
    running,
    seen,
    stage,
    wants,
    withholds,
)

TIGHT = Traits(atomic=True, conditional=True, max_batch_writes=4)


def test_one_changed_object_costs_one_write_and_no_read() -> None:
    world = published()
    world.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=1.0)
    assert world.calls == ["Submit"]
    assert world.holds()["web A"] == ("192.0.2.9",)


def test_an_object_that_wants_what_stands_costs_nothing() -> None:
    world = published()
    world.run(seen("web", wants("web", "web")), for_s=1.0)
    assert world.calls == []
    assert world.endings("web") == ["A keep programmed"]


def test_events_within_a_moment_share_a_batch() -> None:
    world = running()
    world.feed(seen("web", wants("web", "web")))
    world.feed(seen("api", wants("api", "api")))
    assert not world.waiting
    world.run(for_s=1.0)
    assert world.batches == [["api", "web"]]


def test_the_first_event_after_quiet_waits_a_moment_at_most() -> None:
    world = running()
    soon_s = world.now_s + 0.02
    assert world.engine.step(seen("web", wants("web", "web")), world.now_s) == (Wake(at_s=soon_s),)
    assert any(isinstance(effect, Submit) for effect in world.engine.step(Tick(), soon_s))


def test_events_gather_while_a_batch_is_in_flight() -> None:
    world = running()
    world.feed(seen("web", wants("web", "web")))
    world.now_s += 1.0
    world.feed(Tick())
    assert [type(effect) for effect in world.waiting] == [Submit]
    for name in ("api", "shop", "blog"):
        world.feed(seen(name, wants(name, name)))
        world.now_s += 1.0
        world.feed(Tick())
    world.run(for_s=1.0)
    assert world.batches == [["web"], ["api", "blog", "shop"]]


def test_a_name_that_changes_while_it_is_written_is_written_again_afterwards() -> None:
    world = running()
    world.feed(seen("web", wants("web", "web")))
    world.now_s += 1.0
    world.feed(Tick())
    world.feed(seen("web", wants("web", "web", "192.0.2.9")))
    world.run(for_s=1.0)
    assert world.batches == [["web"], ["web"]]
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_without_a_writer_everything_is_planned_and_nothing_is_sent() -> None:
    world = stage(*owned("old"), writes=False)
    world.run(phase(SERVICE), phase(INGRESS), seen("web", wants("web", "web")), gone("old"))
    assert "Submit" not in world.calls
    assert world.endings("web") == ["A create wanted"]
    assert world.engine.planned


def test_batches_stay_within_the_limits_and_nothing_is_left() -> None:
    world = running(traits=TIGHT)
    names = [f"n{number}" for number in range(7)]
    world.run(*(seen(name, wants(name, name)) for name in names))
    assert [len(batch) for batch in world.batches] == [2, 2, 2, 1]
    assert sorted(world.holds()) == sorted(f"{name} A" for name in names)


def test_a_change_of_form_is_one_change_set() -> None:
    world = published()
    world.run(seen("web", wants("web", "web", "lb.test", rtype="CNAME")))
    assert world.holds() == {"web CNAME": ("lb.test",)}
    assert world.marks() == {"cname-web"}
    assert len(world.batches) == 1


def test_marks_of_two_names_that_would_share_a_name_are_never_in_one_batch() -> None:
    world = running()
    world.run(
        Observed(
            observations=(
                *seen("web", wants("web", "web")).observations,
                *seen("odd", wants("odd", "a-web", "lb.test", rtype="CNAME")).observations,
            )
        )
    )
    assert world.batches[0] == ["a-web"]
    assert world.holds() == {"a-web CNAME": ("lb.test",)}
    assert [decision.verdict for decision in world.engine.decisions.of(host("web"))] == ["none"]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        pytest.param(4, {"web A", "web AAAA"}, id="together"),
        pytest.param(2, {"web A", "web AAAA"}, id="split-by-type"),
        pytest.param(1, set(), id="too-large"),
    ],
)
def test_a_set_larger_than_the_service_takes_is_split_by_type(limit: int, expected: set[str]) -> None:
    world = running(traits=Traits(atomic=True, conditional=True, max_batch_writes=limit))
    world.run(seen("web", wants("web", "web"), wants("web", "web", "2001:db8::1", rtype="AAAA")))
    assert set(world.holds()) == expected
    if not expected:
        assert world.endings("web") == ["A none too-large", "AAAA none too-large"]


def test_one_type_too_large_does_not_hold_up_the_other() -> None:
    world = running(traits=Traits(atomic=True, conditional=True, max_batch_bytes=300))
    many = tuple(f"2001:db8::{number}" for number in range(1, 60))
    world.run(seen("web", wants("web", "web"), wants("web", "web", *many, rtype="AAAA")))
    assert set(world.holds()) == {"web A"}
    assert world.endings("web") == ["A keep programmed", "AAAA none too-large"]


@pytest.mark.parametrize(
    ("overwrites", "limit", "batches"),
    [
        pytest.param(False, 12, [["api", "web"]], id="before-and-after"),
        pytest.param(True, 12, [["api"], ["web"]], id="twice-what-is-made"),
        pytest.param(True, 6, [["api"], ["web"]], id="too-large-but-for-an-exchange"),
        pytest.param(True, 5, [], id="too-large"),
    ],
)
def test_an_update_counts_as_the_service_counts_it(overwrites: bool, limit: int, batches: list[list[str]]) -> None:
    # From one value to three, and a mark restated: 4 values and 2, or 6 and 2 where what is made counts twice.
    traits = Traits(atomic=True, conditional=True, overwrites=overwrites, max_batch_values=limit)
    names, more = ("api", "web"), ("192.0.2.1", "192.0.2.2", "192.0.2.3")
    world = running(
        *(made for name in names for made in owned(name, resource=f"service/shop/{name}")),
        first=[new(*names)],
        traits=traits,
    )
    world.run(*(seen(name, wants(name, name, *more)) for name in names), for_s=1.0)
    assert world.batches == batches


def test_what_cannot_stand_side_by_side_is_never_split() -> None:
    world = published(traits=Traits(atomic=True, conditional=True, max_batch_writes=3))
    world.run(seen("web", wants("web", "web", "lb.test", rtype="CNAME")))
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.endings("web") == ["A keep too-large", "CNAME none too-large"]


def test_every_claim_to_a_name_ends_in_a_decision() -> None:
    world = running(*owned("web"), record("free", '"hello"', rtype="TXT"))
    world.run(
        seen("web", wants("web", "web")),
        seen("late", withholds("late", "web")),
        seen("new", withholds("new", "free")),
    )
    assert world.endings("web") == ["none no-address", "A keep programmed"]
    assert world.endings("free") == ["none no-address"]


def test_a_record_that_stays_for_a_withheld_claim_names_who_asked() -> None:
    world = published()
    world.run(seen("web", withholds("web", "web")))
    decision = world.decision("web")
    assert (decision.verdict, decision.reason) == ("keep", Reason.NO_ADDRESS)
    assert [str(asked.ref) for asked in decision.asked_by] == ["Service shop/web"]


def test_decisions_are_told_once_in_their_order() -> None:
    world = published()
    world.run(seen("web", wants("web", "web", "192.0.2.9")), seen("api", wants("api", "api")))
    assert [(str(one.name), one.reason) for one in world.told] == [
        ("api.example.org", Reason.WANTED),
        ("web.example.org", Reason.CHANGED),
        ("api.example.org", Reason.PROGRAMMED),
        ("web.example.org", Reason.PROGRAMMED),
    ]


def test_a_defect_met_while_planning_one_name_costs_that_name() -> None:
    def adjust(wanted: Sequence[Endpoint], _: Zone) -> Adjusted:
        if wanted[0].name == host("web"):
            raise RuntimeError("defect")
        return Adjusted(wanted=tuple(wanted))

    world = running(adjust=adjust)
    world.run(seen("web", wants("web", "web")), seen("api", wants("api", "api")))
    assert set(world.holds()) == {"api A"}
    assert world.endings("web") == ["A none object-failed"]
    assert world.decision("web").detail == "RuntimeError: defect"


def test_an_object_whose_kind_fails_keeps_its_records_up_to_date() -> None:
    world = published()
    world.run(phase(SERVICE, Phase.FAILING), seen("web", wants("web", "web", "192.0.2.9")))
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_a_dependency_that_changes_the_targets_updates_the_record() -> None:
    world = published()
    world.run(seen("web", wants("web", "web", "192.0.2.9"), cause=Cause.DEPENDENCY))
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_the_next_batch_goes_before_what_was_written_is_planned_again() -> None:
    world = running(traits=Traits(atomic=True, conditional=True, max_batch_writes=2))
    world.feed(new("api", "web"))
    world.now_s += 0.1
    world.feed(Tick())
    world.feed(world.answer())
    assert [type(effect).__name__ for effect in world.waiting] == ["Submit"]
    assert world.endings("api") == ["A create wanted"]
    assert not world.engine.rests(host("api"))
    world.run(for_s=0.1)
    assert world.endings("api") == ["A keep programmed"]
    assert world.engine.settled


def test_what_was_written_and_has_changed_meanwhile_is_planned_before_anything_is_sent() -> None:
    world = running(traits=Traits(atomic=True, conditional=True, max_batch_writes=2))
    world.feed(new("api", "web"))
    world.now_s += 0.1
    world.feed(Tick())
    world.feed(gone("web"))
    world.feed(world.answer())
    assert not world.waiting, "web is not sent while it is not known whether it is still wanted"
    world.run(for_s=1.0)
    assert world.holds() == {"api A": ("192.0.2.1",)}
