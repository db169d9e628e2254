"""The status of a process: a summary in sentences, its level, and warnings (docs/design/messages.md)."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.changes import OUTCOME_LEVELS
from extdns.documents.names import Level, NameState
from extdns.documents.status import (
    KIND_LEVELS,
    StatusDocument,
    ZoneCondition,
    build_status,
    describe_state,
    find_level,
    list_failures,
)
from extdns.engine.decisions import CHANGING
from extdns.engine.inputs import LeadershipChanged, TimePassed
from extdns.model.change import OutcomeWord, TryLater
from extdns.model.cluster import KindState, Phase
from tests.builders import SERVICE, build_claim, observe, owned
from tests.unit.documents.cases import look
from tests.world import build_world, start_world


@pytest.mark.parametrize(
    ("is_leader", "expected"),
    [
        pytest.param(True, "The one name is published.", id="leader"),
        pytest.param(False, "This process is a standby: it writes nothing. The one name is published.", id="standby"),
    ],
)
def test_the_summary_of_a_standby_starts_by_saying_that_it_is_a_standby(is_leader: bool, expected: str) -> None:
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))], has_election=True)
    world.run(LeadershipChanged(is_leader=is_leader))
    live = look(world)
    assert " ".join(describe_state(live, {NameState.PUBLISHED: 1})) == expected


@pytest.mark.parametrize(
    ("is_synced", "counts", "expected"),
    [
        pytest.param(False, {}, "The first full pass has not ended yet.", id="start"),
        pytest.param(True, {}, "No object requests a name.", id="nothing"),
        pytest.param(True, {NameState.PUBLISHED: 1388}, "All 1,388 names are published.", id="all"),
        pytest.param(
            True,
            {NameState.PUBLISHED: 10, NameState.OUT_OF_SYNC: 3, NameState.HELD: 2, NameState.EXCLUDED: 1},
            "10 of 16 names are published, 2 held, 3 out of sync and 1 excluded.",
            id="several-states",
        ),
        pytest.param(
            True,
            {NameState.PUBLISHED: 1, NameState.FAILING: 1, NameState.CHANGING: 2, NameState.OUT_OF_SYNC: 1},
            "1 of 5 names is published, 1 failing, 2 changing and 1 out of sync.",
            id="some",
        ),
        pytest.param(
            True,
            {NameState.PUBLISHED: 2, NameState.UNKNOWN: 1},
            "2 of 3 names are published, 1 unknown.",
            id="unread-zone",
        ),
    ],
)
def test_the_summary_counts_names_by_state_after_the_first_full_pass(
    is_synced: bool, counts: dict[NameState, int], expected: str
) -> None:
    world = start_world()
    live = look(world, synced=is_synced)
    assert " ".join(describe_state(live, counts)) == expected


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
def test_the_status_of_an_unresponsive_process_is_failing_whatever_its_last_answer_was(
    age_s: float, healthy: bool, expected: str
) -> None:
    live = look(start_world())
    aged = replace(live, age_s=age_s, healthy=healthy)
    assert " ".join(describe_state(aged, {NameState.PUBLISHED: 1})) == expected
    assert find_level(aged, {NameState.PUBLISHED: 1}) is (Level.GOOD if aged.is_responding else Level.FAILING)


def test_changes_that_could_not_be_written_are_not_said_to_wait_for_their_first_attempt() -> None:
    world = start_world()
    world.provider.rule = lambda _: TryLater(message="busy")
    world.run(observe("web", build_claim("web", "web")), observe("api", build_claim("api", "api")), for_s=100.0)
    live = look(world)
    assert not any(decision.action in CHANGING for decision in world.engine.decisions)
    assert " ".join(describe_state(live, {NameState.FAILING: 2})) == (
        "0 of 2 names are published, 2 failing. Changes at 2 names could not be written, and are tried again. "
        "What fails: see below."
    )


def test_excluded_names_leave_the_level_of_a_process_good_and_held_deletes_make_it_waiting() -> None:
    live = look(start_world())
    assert find_level(live, {NameState.PUBLISHED: 1, NameState.EXCLUDED: 2}) is Level.GOOD
    assert find_level(live, {NameState.PUBLISHED: 1, NameState.HELD: 1}) is Level.WAITING


@pytest.mark.parametrize(
    ("phase", "level", "message"),
    [
        pytest.param(Phase.SYNCED, Level.GOOD, "The one name is published.", id="synced"),
        pytest.param(Phase.LISTING, Level.WAITING, "The one name is published.", id="listing"),
        pytest.param(
            Phase.FORBIDDEN, Level.FAILING, "The one name is published. What fails: see below.", id="forbidden"
        ),
    ],
)
def test_if_all_names_are_published_the_level_of_the_process_is_that_of_its_worst_kind_of_object(
    phase: Phase, level: Level, message: str
) -> None:
    kinds = (KindState(kind=SERVICE, phase=phase),)
    live = look(start_world(), kinds=kinds)
    assert find_level(live, {NameState.PUBLISHED: 1}) is level
    assert " ".join(describe_state(live, {NameState.PUBLISHED: 1})) == message
    assert list(list_failures(live)) == (["Service objects are forbidden"] if level is Level.FAILING else [])


def test_before_everything_was_read_the_process_counts_as_in_progress_and_not_as_failing() -> None:
    world = build_world()
    world.feed(TimePassed())
    world.feed(world.answer())
    live = look(world)
    assert live.engine.failures == ()
    assert live.engine.unfinished == (
        "Service objects are listing",
        "Ingress objects are listing",
        "zone example.org has not been read yet",
    )
    assert find_level(live, {NameState.PUBLISHED: 1}) is Level.WAITING
    assert " ".join(describe_state(live, {NameState.PUBLISHED: 1})) == (
        "The one name is published. Not everything has been read yet: see below."
    )


def test_each_kind_of_object_and_outcome_has_a_level_and_a_zone_has_the_level_of_its_worst_name() -> None:
    assert set(KIND_LEVELS) == set(Phase)
    assert set(OUTCOME_LEVELS) == set(get_args(OutcomeWord))
    levels = {state.value: state.level for state in NameState if state is not NameState.EXCLUDED}
    assert {state.value: state.level for state in ZoneCondition} == {**levels, "reading": Level.WAITING}


def build(*flags: str, synced: bool = True) -> StatusDocument:
    """Return the status of a process with *flags* that has published one name in the zone example.org."""
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))])
    return build_status(
        look(world, synced=synced), parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me", *flags], {})
    )


def test_the_status_of_a_process_warns_of_a_domain_filter_that_matches_no_zone() -> None:
    status = build("--domain-filter=exmaple.org")
    assert [(one.text, one.next) for one in status.warnings] == [
        (
            "--domain-filter=exmaple.org matches none of your zones: example.org",
            "did you mean: --domain-filter=example.org",
        )
    ]
    assert status.level is Level.WAITING
    assert status.message == "The one name is published. Settings do not fit what was read: see below."


def test_the_status_of_a_process_does_not_warn_if_settings_fit_or_before_the_first_pass_has_ended() -> None:
    status = build()
    assert (status.warnings, status.level, status.message) == ((), Level.GOOD, "The one name is published.")
    assert build("--domain-filter=exmaple.org", synced=False).warnings == ()
