"""The summary of the state of a process, in one sentence."""

from __future__ import annotations

import pytest

from extdns.documents.names import NameState
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.documents.status import Level, describe_state, find_level
from extdns.engine.inputs import LeadershipChanged
from tests.builders import build_claim, observe, owned
from tests.fakes.clocks import BEGINNING
from tests.world import start_world


@pytest.mark.parametrize(
    ("is_leader", "expected"),
    [
        pytest.param(True, "The one name is published.", id="leader"),
        pytest.param(
            False, "This process is a standby; another one is the leader. The one name is published.", id="standby"
        ),
    ],
)
def test_the_summary_of_a_standby_starts_with_its_role(is_leader: bool, expected: str) -> None:
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))], has_election=True)
    world.run(LeadershipChanged(is_leader=is_leader))
    live = ProcessSnapshot(EngineSnapshot(world.engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), synced=True)
    assert describe_state(live, {NameState.PUBLISHED: 1}) == expected


@pytest.mark.parametrize(
    ("is_synced", "counts", "expected"),
    [
        pytest.param(False, {}, "The first full pass has not ended yet.", id="start"),
        pytest.param(True, {}, "No object requests a name.", id="nothing"),
        pytest.param(True, {NameState.PUBLISHED: 1388}, "All 1,388 names are published.", id="all"),
        pytest.param(
            True,
            {NameState.PUBLISHED: 10, NameState.OUT_OF_SYNC: 3, NameState.HELD: 2, NameState.EXCLUDED: 1},
            "10 of 16 names are published, 3 are kept unchanged, 2 wait for approval and 1 is left out.",
            id="several-states",
        ),
        pytest.param(
            True,
            {NameState.PUBLISHED: 1, NameState.FAILING: 1, NameState.CHANGING: 2, NameState.OUT_OF_SYNC: 1},
            "1 of 5 names is published, 1 fails, 2 are changing and 1 is kept unchanged.",
            id="some",
        ),
        pytest.param(
            True,
            {NameState.PUBLISHED: 2, NameState.UNKNOWN: 1},
            "2 of 3 names are published, 1 is not known.",
            id="unread-zone",
        ),
    ],
)
def test_the_summary_counts_names_by_state_after_the_first_full_pass(
    is_synced: bool, counts: dict[NameState, int], expected: str
) -> None:
    world = start_world()
    live = ProcessSnapshot(EngineSnapshot(world.engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), synced=is_synced)
    assert describe_state(live, counts) == expected


@pytest.mark.parametrize(
    ("age_s", "healthy", "expected"),
    [
        pytest.param(4.9, True, "The one name is published.", id="answers"),
        pytest.param(
            72.0,
            True,
            "This process does not respond: this is its state of 2026-11-20 09:14:31 UTC, 1m ago. "
            "The one name is published.",
            id="engine-hangs",
        ),
        pytest.param(
            0.5,
            False,
            "A thread of this process does not respond: this state may be out of date. The one name is published.",
            id="another-thread-hangs",
        ),
    ],
)
def test_the_status_of_an_unresponsive_process_is_more_severe_than_its_last_answer(
    age_s: float, healthy: bool, expected: str
) -> None:
    live = ProcessSnapshot(
        EngineSnapshot(start_world().engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), synced=True
    )
    aged = live.with_age(age_s, healthy=healthy)
    assert describe_state(aged, {NameState.PUBLISHED: 1}) == expected
    assert find_level(aged, {NameState.PUBLISHED: 1}) is (Level.GOOD if aged.is_responding else Level.FAILING)


def test_excluded_names_do_not_count_as_failures() -> None:
    live = ProcessSnapshot(
        EngineSnapshot(start_world().engine), at=BEGINNING, at_s=0.0, kinds=(), changes=(), synced=True
    )
    assert find_level(live, {NameState.PUBLISHED: 1, NameState.EXCLUDED: 2}) is Level.GOOD
    assert find_level(live, {NameState.PUBLISHED: 1, NameState.HELD: 1}) is Level.WAITING
