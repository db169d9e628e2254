"""Of several processes one leads; the others stand by, warm, and take over."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.effects import LoadState
from extdns.engine.engine import Engine
from extdns.engine.inputs import Led, Observed, StateLoaded
from extdns.model.reason import Reason
from extdns.model.saved import Saved
from tests.unit.engine.laws import check_submission
from tests.unit.engine.stage import (
    INGRESS,
    REGISTRY,
    SERVICE,
    Stage,
    engine_settings,
    gone,
    new,
    owned,
    phase,
    published,
    running,
    seen,
    wants,
)

LEAD, STAND_BY = Led(leads=True), Led(leads=False)
DELETES = DeleteSettings(owner="me", grace_s=60.0)
NAMES = [f"h{number:02}" for number in range(20)]
READS = {"ListZones", "ReadPage", "ReadNames"}


def beside(other: Stage, *first: Observed, **changes: object) -> Stage:
    """Another process over the same zone, which stands by."""
    settings = engine_settings(other.provider, elects=True, **changes)
    world = Stage(engine=Engine(settings), reader=other.provider, writer=other.provider, provider=other.provider)
    world.now_s = other.now_s
    world.run(*first, phase(SERVICE), phase(INGRESS), for_s=1.0)
    world.calls.clear()
    return world


def hand_over(old: Stage, new_leader: Stage, *, for_s: float = 5.0) -> None:
    """The former leader is no more; what it kept is what the new one finds."""
    new_leader.state, new_leader.now_s = old.state, max(old.now_s, new_leader.now_s)
    new_leader.run(LEAD, for_s=for_s)


def objects(names: Iterable[str]) -> Observed:
    return new(*names)


def test_who_stands_by_is_settled_and_has_written_told_and_kept_nothing() -> None:
    world = running(first=[objects(NAMES)], elects=True, keeps_state=True)
    world.run(for_s=300.0)
    assert world.engine.settled
    assert (world.provider.submissions, world.told, world.state) == ([], [], Saved())
    assert set(world.calls) <= READS


def test_who_comes_to_lead_writes_and_tells_what_is_to_be_done() -> None:
    world = running(first=[objects(["web", "api"])], elects=True)
    world.run(LEAD)
    assert set(world.holds()) == {"web A", "api A"}
    assert {str(one.name) for one in world.told} == {"web.example.org", "api.example.org"}


def test_what_stood_already_is_told_by_who_comes_to_lead() -> None:
    world = running(*owned("web"), first=[seen("web", wants("web", "web"))], elects=True)
    world.run(LEAD)
    assert [one.reason for one in world.told] == [Reason.PROGRAMMED]
    assert world.provider.submissions == []


def test_what_the_former_leader_wrote_is_read_and_not_written_again() -> None:
    leader = running()
    standby = beside(leader)
    for world in (leader, standby):
        world.run(objects(NAMES), for_s=1.0)
    written = len(leader.provider.submissions)
    assert written
    hand_over(leader, standby)
    assert len(leader.provider.submissions) == written
    assert standby.outcomes == []
    assert standby.calls.count("ReadNames") == 1
    assert {one.reason for one in standby.told} == {Reason.PROGRAMMED}


def test_what_the_former_leader_left_undone_is_done() -> None:
    leader = running()
    standby = beside(leader)
    leader.run(objects(NAMES[:5]), for_s=1.0)
    standby.run(objects(NAMES), for_s=1.0)
    hand_over(leader, standby)
    assert set(standby.holds()) == {f"{name} A" for name in NAMES}


def test_an_edit_that_the_former_leader_made_unseen_is_found_by_the_audit_that_begins_at_once() -> None:
    leader = published()
    standby = beside(leader, seen("web", wants("web", "web")))
    leader.run(seen("web", wants("web", "web", "192.0.2.9")), for_s=1.0)
    hand_over(leader, standby, for_s=10.0)
    assert standby.holds() == {"web A": ("192.0.2.1",)}


def test_the_audit_of_who_stands_by_is_four_times_slower() -> None:
    leader, standby = published(), running(elects=True)
    for world in (leader, standby):
        world.calls.clear()
        world.run(for_s=1200.0)
    assert leader.calls.count("ReadPage") in {19, 20}
    assert standby.calls.count("ReadPage") in {4, 5}


def test_who_stands_by_decides_no_delete_and_does_what_is_due_once_it_leads() -> None:
    world = running(*owned("web"), first=[seen("web", wants("web", "web"))], elects=True, deletes=DELETES)
    world.run(gone("web"), for_s=300.0)
    assert world.endings("web") == ["A keep in-grace"]
    world.run(LEAD)
    assert world.holds() == {}


def test_a_delete_waits_for_the_state_that_the_former_leader_kept() -> None:
    world = running(
        *owned("web"), first=[seen("web", wants("web", "web"))], elects=True, deletes=DELETES, keeps_state=True
    )
    world.run(gone("web"), for_s=300.0)
    world.feed(LEAD)
    assert [effect for effect in world.waiting if isinstance(effect, LoadState)]
    world.feed(seen("api", wants("api", "api")))
    assert world.endings("web") == ["A keep in-grace"]
    world.run()
    assert world.holds() == {"api A": ("192.0.2.1",)}


def test_what_the_former_leader_deleted_counts_for_who_comes_after_it() -> None:
    records = [one for name in NAMES for one in owned(name, resource=f"service/shop/{name}")]
    leader = running(*records, first=[objects(NAMES)], deletes=DELETES, keeps_state=True)
    standby = beside(leader, objects(NAMES), deletes=DELETES, keeps_state=True)
    for world in (leader, standby):
        world.run(*(gone(name) for name in NAMES[:10]), for_s=70.0)
    assert len(leader.holds()) == 10
    standby.run(*(gone(name) for name in NAMES[10:12]), for_s=70.0)
    hand_over(leader, standby)
    assert len(standby.holds()) == 10
    assert standby.engine.decisions.of(wants("x", NAMES[10]).name)[0].reason == "held"


def test_who_leads_no_more_writes_nothing_and_holds_nothing() -> None:
    records = [one for name in NAMES for one in owned(name, resource=f"service/shop/{name}")]
    world = running(*records, first=[objects(NAMES)], elects=True, deletes=DELETES)
    world.run(LEAD)
    world.run(*(gone(name) for name in NAMES), for_s=70.0)
    assert world.held[-1].held
    world.run(STAND_BY)
    assert world.held[-1].held == ()
    world.run(seen("web", wants("web", "web")), for_s=300.0)
    assert set(world.holds()) == {f"{name} A" for name in NAMES}
    world.run(LEAD)
    assert len(world.held[-1].held) == len(NAMES)
    assert "web A" in world.holds()


def test_a_delete_that_was_to_go_does_not_when_somebody_else_leads() -> None:
    world = running(*owned("web"), first=[seen("web", wants("web", "web"))], elects=True)
    world.run(LEAD)
    world.feed(gone("web"))
    world.feed(STAND_BY)
    world.run(for_s=300.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_state_that_was_asked_for_in_a_former_term_counts_for_nothing() -> None:
    world = running(elects=True, keeps_state=True)
    world.feed(LEAD)
    (asked,) = (effect for effect in world.waiting if isinstance(effect, LoadState))
    world.waiting.clear()
    world.feed(STAND_BY)
    world.feed(LEAD)
    assert world.waiting.count(asked) == 0
    world.feed(StateLoaded(saved=Saved()))
    assert world.waiting.count(asked) == 1


@given(st.lists(st.one_of(st.tuples(st.sampled_from(NAMES[:4]), st.integers(0, 3)), st.booleans()), max_size=12))
def test_however_often_the_lead_changes_the_end_is_the_same(steps: list[tuple[str, int] | bool]) -> None:
    """A step is a wish, 0 for none, or a change of the lead, after which the former leader lives on or not."""
    worlds = deque([running(elects=True, keeps_state=True)])
    worlds.append(beside(worlds[0], keeps_state=True))
    worlds[0].run(LEAD, for_s=1.0)
    wishes: dict[str, int] = {}
    for step in steps:
        if isinstance(step, bool):
            former = worlds.popleft()
            hand_over(former, worlds[0], for_s=0.0)
            first = [seen(name, wants(name, name, f"192.0.2.{number}")) for name, number in wishes.items()]
            former.run(STAND_BY, for_s=0.0)
            worlds.append(former if step else beside(worlds[0], *first, keeps_state=True))
            continue
        name, number = step
        wishes[name] = number
        if not number:
            del wishes[name]
        for world in worlds:
            world.run(seen(name, wants(name, name, f"192.0.2.{number}")) if number else gone(name), for_s=0.01)
    hand_over(worlds[0], worlds[1], for_s=200.0)
    assert worlds[1].holds() == {f"{name} A": (f"192.0.2.{number}",) for name, number in sorted(wishes.items())}
    for submission in worlds[0].provider.submissions:
        check_submission(submission, REGISTRY)
