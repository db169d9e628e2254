"""Properties of the delete guard that hold for every order of events (docs/design/delete-safety.md)."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from extdns.model.evidence import Evidence
from tests.unit.engine.guarded_zones import GONE, GRACE_S, GuardedZones, record, records, start_guard

NUMBERS = st.sets(st.integers(0, 39), max_size=40)
ACTIONS = st.one_of(
    st.tuples(st.just("propose"), NUMBERS, st.sampled_from((GONE, Evidence.ABSENT, Evidence.HOSTNAME_REMOVED))),
    st.tuples(st.just("interrupt"), NUMBERS),
    st.tuples(st.just("wait"), st.sampled_from((1.0, 59.0, 61.0, 599.0, 3600.0))),
    st.tuples(st.just("restart")),
    st.tuples(st.just("recall")),
)


def find_namespace(number: int) -> str:
    """Return the namespace of the record with this *number*: a large one or a small one."""
    return "small" if number >= 30 else "large"


def run_action(world: GuardedZones, action: tuple[object, ...]) -> GuardedZones:
    """Apply a generated action to the guard. Return the scene to go on with, a new one after a restart."""
    everything = {number: record(number, find_namespace(number)) for number in range(40)}
    match action:
        case ("propose", set() as numbers, Evidence() as evidence):
            world.observe_evidence([everything[number] for number in sorted(numbers)], evidence)
        case ("interrupt", set() as numbers):
            world.end_evidence([everything[number] for number in sorted(numbers)])
        case ("wait", float() as seconds):
            world.pass_time(seconds)
        case ("restart",):
            after = world.restart()
            after.deleted = world.deleted
            return after
        case ("recall",):
            world.guard.demote(world.now_s)
            for number in range(40):
                world.plan(everything[number])
            world.guard.set_state_unavailable(world.now_s)
        case _:
            raise AssertionError(action)
    return world


def start_full_guard() -> GuardedZones:
    """Start a guard for 40 records in two namespaces."""
    return start_guard(*(record(number, find_namespace(number)) for number in range(40)))


@given(st.lists(ACTIONS, max_size=25))
def test_neither_time_nor_lost_evidence_nor_restart_nor_leader_ends_a_hold(actions: list[tuple[object, ...]]) -> None:
    world, held = start_full_guard(), set[str]()
    for action in actions:
        world = run_action(world, action)
        world.pass_time()
        now_held = {name for names in world.find_held().values() for name in names}
        assert held <= now_held
        assert not {f"{name}.acme.test" for name in held} & set(world.deleted)
        held = now_held


@given(st.lists(ACTIONS, max_size=25))
def test_stored_counts_of_names_equal_a_new_count(actions: list[tuple[object, ...]]) -> None:
    world = start_full_guard()
    for action in actions:
        world = run_action(world, action)
        counted = [one.counted for one in world.guard.entries if one.counted]
        for scope, budget in world.guard.budgets._budgets.items():
            for kind in (False, True):
                names = Counter(one.name for one in counted if scope in one.scopes and one.by_absence is kind)
                assert budget._counted[kind] == names + Counter(budget._made[kind].keys())


@given(st.lists(ACTIONS, max_size=20), st.integers(0, 20))
def test_no_delete_is_made_only_because_of_a_restart(actions: list[tuple[object, ...]], at: int) -> None:
    """Test that a delete made after a restart is also made without the restart, or is held there."""
    steps = [action for action in actions if action[0] not in {"restart", "recall"}]
    without, restarted = start_full_guard(), start_full_guard()
    for number, action in enumerate(steps):
        if number == at:
            restarted = run_action(restarted, ("restart",))
        without, restarted = run_action(without, action), run_action(restarted, action)
        assert set(restarted.deleted) <= set(without.deleted) or _is_excused(without, restarted)


def _is_excused(without: GuardedZones, restarted: GuardedZones) -> bool:
    """Return whether all deletes that only the restarted process made are held by the other one."""
    more = {name.partition(".")[0] for name in set(restarted.deleted) - set(without.deleted)}
    return more <= {name for names in without.find_held().values() for name in names}


@given(st.sets(st.integers(0, 39), min_size=13, max_size=40), st.sets(st.integers(0, 39), max_size=40))
def test_approval_applies_only_to_deletes_shown_with_the_code(shown: set[int], later: set[int]) -> None:
    world = start_guard(*records(40))
    world.observe_evidence([record(number) for number in sorted(shown)])
    world.pass_time(GRACE_S)
    (code,) = world.find_codes().values()
    world.observe_evidence([record(number) for number in sorted(later)])
    world.pass_time()
    world.approve(code)
    world.pass_time()
    assert set(world.deleted) == {f"h{number}.acme.test" for number in shown}
