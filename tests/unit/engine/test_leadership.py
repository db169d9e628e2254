"""Leader election: one process is the leader, and standbys are ready to take over."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.effects import LoadState, SaveState
from extdns.engine.engine import Engine
from extdns.engine.inputs import LeadershipChanged, Observed, StateLoaded
from extdns.model.change import Action
from extdns.model.reason import Reason
from extdns.model.saved_state import Saved
from tests.builders import (
    INGRESS,
    REGISTRY,
    SERVICE,
    build_claim,
    change_phase,
    observe,
    observe_gone,
    observe_new,
    owned,
)
from tests.unit.engine.forty_services import run_up_to
from tests.unit.engine.laws import check_submission
from tests.world import World, engine_settings, start_published, start_world

BECOME_LEADER, BECOME_STANDBY = LeadershipChanged(is_leader=True), LeadershipChanged(is_leader=False)
DELETES = DeleteSettings(owner="me", grace_s=60.0)
NAMES = [f"h{number:02}" for number in range(20)]
RECORDS = [one for name in NAMES for one in owned(name, resource=f"service/shop/{name}")]
READS = {"ListZones", "ReadPage", "ReadNames"}


def start_standby(other: World, *first: Observed, **changes: object) -> World:
    """Start a standby over the zone of *other* that observed *first*."""
    settings = engine_settings(other.provider, has_election=True, **changes)
    world = World(engine=Engine(settings), reader=other.provider, writer=other.provider)
    world.now_s = other.now_s
    world.run(*first, change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    world.calls.clear()
    return world


def change_leader(old: World, new_leader: World, *, for_s: float = 5.0) -> None:
    new_leader.state, new_leader.now_s = old.state, max(old.now_s, new_leader.now_s)
    new_leader.run(BECOME_LEADER, for_s=for_s)


def test_standby_becomes_idle_without_writing_reporting_or_saving() -> None:
    world = start_world(first=[observe_new(*NAMES)], has_election=True, has_state_store=True)
    world.run(for_s=300.0)
    assert world.engine.is_idle
    assert (world.provider.submissions, world.reported, world.state) == ([], [], Saved())
    assert set(world.calls) <= READS


def test_standby_writes_and_reports_its_plan_when_it_becomes_the_leader() -> None:
    world = start_world(first=[observe_new("web", "api")], has_election=True)
    world.run(BECOME_LEADER)
    assert set(world.list_records()) == {"web A", "api A"}
    assert {str(one.name) for one in world.reported} == {"web.example.org", "api.example.org"}


def test_a_new_leader_soon_restores_what_the_former_one_deleted_and_changed_before_the_objects_were_as_before() -> None:
    others = [f"n{number:04}" for number in range(3000)]
    records = [one for name in ("web", "api", *others) for one in owned(name, resource=f"service/shop/{name}")]
    first = [observe_new("web", "api", *others)]
    leader = start_world(*records, first=first, has_election=True, deletes=DeleteSettings(owner="me", grace_s=30.0))
    leader.run(BECOME_LEADER)
    standby = start_standby(leader, *first)
    standby.run(for_s=3600.0)
    leader.run(observe_gone("web"), observe("api", build_claim("api", "api", "192.0.2.2")), for_s=60.0)
    assert [leader.list_records().get(key) for key in ("web A", "api A")] == [None, ("192.0.2.2",)]
    standby.run(observe_gone("web"), observe("api", build_claim("api", "api", "192.0.2.2")), observe_new("web", "api"))
    change_leader(leader, standby)
    assert [standby.list_records().get(key) for key in ("web A", "api A")] == [("192.0.2.1",)] * 2


def test_new_leader_does_not_write_again_what_the_former_leader_wrote() -> None:
    leader = start_world()
    standby = start_standby(leader)
    for world in (leader, standby):
        world.run(observe_new(*NAMES), for_s=1.0)
    written = len(leader.provider.submissions)
    assert written
    change_leader(leader, standby)
    assert len(leader.provider.submissions) == written
    assert standby.outcomes == []
    assert standby.calls.count("ReadNames") == 1
    assert {one.reason for one in standby.reported} == {Reason.PUBLISHED}


def test_standby_refreshes_zones_four_times_less_often() -> None:
    leader = start_published(max_refresh_interval_s=60.0)
    standby = start_world(has_election=True, max_refresh_interval_s=60.0)
    for world in (leader, standby):
        world.calls.clear()
        world.run(for_s=1200.0)
    assert leader.calls.count("ReadPage") in {19, 20}
    assert standby.calls.count("ReadPage") in {4, 5}


def test_standby_leaves_due_deletes_until_it_becomes_the_leader() -> None:
    world = start_published(has_election=True, deletes=DELETES)
    world.run(observe_gone("web"), for_s=300.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE)]
    assert world.decision("web").detail == "only the leader makes deletes, and this process is not the leader"
    world.run(BECOME_LEADER)
    assert world.list_records() == {}


def test_new_leader_deletes_nothing_before_it_loaded_and_saved_the_state() -> None:
    world = start_published(
        has_election=True,
        deletes=DELETES,
        has_state_store=True,
    )
    world.run(observe_gone("web"), for_s=300.0)
    world.feed(BECOME_LEADER)
    assert [effect for effect in world.waiting if isinstance(effect, LoadState)]
    world.feed(observe("api", build_claim("api", "api")))
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE)]
    assert world.decision("web").detail == "no delete is made before the saved state was read"
    run_up_to(world, SaveState)
    assert world.decision("web").detail.endswith("the delete is made once the saved state contains its grant")
    world.run()
    assert world.list_records() == {"api A": ("192.0.2.1",)}


def test_former_leader_waits_for_the_state_when_it_leads_again() -> None:
    world = start_published(has_election=True, deletes=DELETES, has_state_store=True)
    world.state_fails, world.state_forbidden = 99, False
    world.run(BECOME_LEADER, for_s=60.0)
    world.run(BECOME_STANDBY, observe_gone("web"), for_s=300.0)
    world.state_fails = 1
    world.run(BECOME_LEADER, for_s=0.5)
    assert world.decision("web").detail == "no delete is made before the saved state was read"


def test_deletes_of_former_leader_count_in_the_budget_of_the_new_one() -> None:
    leader = start_world(*RECORDS, first=[observe_new(*NAMES)], deletes=DELETES, has_state_store=True)
    standby = start_standby(leader, observe_new(*NAMES), deletes=DELETES, has_state_store=True)
    for world in (leader, standby):
        world.run(*(observe_gone(name) for name in NAMES[:10]), for_s=70.0)
    assert len(leader.list_records()) == 10
    standby.run(*(observe_gone(name) for name in NAMES[10:12]), for_s=70.0)
    change_leader(leader, standby)
    assert len(standby.list_records()) == 10
    assert standby.engine.decisions.decisions(build_claim("x", NAMES[10]).name)[0].reason is Reason.HELD


def test_leader_that_finds_no_state_when_it_leads_again_knows_its_own() -> None:
    world = start_world(*RECORDS, first=[observe_new(*NAMES)], has_election=True, deletes=DELETES, has_state_store=True)
    world.run(BECOME_LEADER, *(observe_gone(name) for name in NAMES[:10]), for_s=70.0)
    assert len(world.list_records()) == 10
    world.run(BECOME_STANDBY)
    world.state = Saved(is_new=True)
    world.run(BECOME_LEADER, *(observe_gone(name) for name in NAMES[10:12]), for_s=70.0)
    assert len(world.list_records()) == 10
    assert world.engine.delete_guard.is_loaded


def test_demoted_leader_writes_nothing_and_reports_no_held_deletes() -> None:
    world = start_world(*RECORDS, first=[observe_new(*NAMES)], has_election=True, deletes=DELETES)
    world.run(BECOME_LEADER)
    world.run(*(observe_gone(name) for name in NAMES), for_s=70.0)
    assert world.held[-1].held
    world.run(BECOME_STANDBY)
    assert world.held[-1].held == ()
    world.run(observe("web", build_claim("web", "web")), for_s=300.0)
    assert set(world.list_records()) == {f"{name} A" for name in NAMES}
    world.run(BECOME_LEADER)
    assert len(world.held[-1].held) == len(NAMES)
    assert "web A" in world.list_records()


def test_state_is_loaded_again_if_the_leader_changed_during_the_load() -> None:
    world = start_world(has_election=True, has_state_store=True)
    world.feed(BECOME_LEADER)
    (load,) = (effect for effect in world.waiting if isinstance(effect, LoadState))
    world.waiting.clear()
    world.feed(BECOME_STANDBY)
    world.feed(BECOME_LEADER)
    assert world.waiting.count(load) == 0
    world.feed(StateLoaded(saved=Saved()))
    assert world.waiting.count(load) == 1


@given(st.lists(st.one_of(st.tuples(st.sampled_from(NAMES[:4]), st.integers(0, 3)), st.booleans()), max_size=12))
def test_zone_holds_requested_records_however_often_the_leader_changes(steps: list[tuple[str, int] | bool]) -> None:
    """Test with steps that set the target number of a name, 0 to delete it, or change the leader (a bool).

    True keeps the former leader as a standby; False replaces it by a new process.
    """
    worlds = deque([start_world(has_election=True, has_state_store=True)])
    worlds.append(start_standby(worlds[0], has_state_store=True))
    worlds[0].run(BECOME_LEADER, for_s=1.0)
    targets: dict[str, int] = {}
    for step in steps:
        if isinstance(step, bool):
            former = worlds.popleft()
            change_leader(former, worlds[0], for_s=0.0)
            first = [observe(name, build_claim(name, name, f"192.0.2.{number}")) for name, number in targets.items()]
            former.run(BECOME_STANDBY, for_s=0.0)
            worlds.append(former if step else start_standby(worlds[0], *first, has_state_store=True))
            continue
        name, number = step
        targets[name] = number
        if not number:
            del targets[name]
        for world in worlds:
            world.run(
                observe(name, build_claim(name, name, f"192.0.2.{number}")) if number else observe_gone(name),
                for_s=0.01,
            )
    change_leader(worlds[0], worlds[1], for_s=200.0)
    assert worlds[1].list_records() == {f"{name} A": (f"192.0.2.{number}",) for name, number in sorted(targets.items())}
    for submission in worlds[0].provider.submissions:
        check_submission(submission, REGISTRY)
