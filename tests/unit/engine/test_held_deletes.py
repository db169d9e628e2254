"""Deletes on their way through the engine: grace, budget, release and restart (design 6)."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from extdns.engine.budget import Limits
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.effects import LoadState
from extdns.engine.inputs import Cause, Observed, StateFailed, StateLoaded
from extdns.model.cluster import Phase
from extdns.model.record import Record
from extdns.model.saved import Saved
from tests.unit.engine.stage import (
    INGRESS,
    SERVICE,
    Stage,
    gone,
    new,
    owned,
    phase,
    published,
    running,
    seen,
    stage,
    wants,
    withholds,
)

DELETES = DeleteSettings(owner="me", grace_s=60.0)
NAMES = [f"h{number:02}" for number in range(40)]


def zone(*names: str) -> list[Record]:
    """Records of ours, each made for the Service of its name."""
    return [one for name in names for one in owned(name, resource=f"service/shop/{name}")]


def full(settings: DeleteSettings = DELETES, **changes: object) -> Stage:
    """Forty Services and their records."""
    return running(*zone(*NAMES), first=[new(*NAMES)], deletes=settings, **changes)


def all_gone(*names: str, cause: Cause = Cause.DELETED) -> Observed:
    return Observed(observations=tuple(one for name in names for one in gone(name, cause).observations))


def restarted(*names: str, before: Stage | None = None, fingerprint: str = "") -> Stage:
    """A process that begins with what *before* kept; its zone holds records of *names*, and `old`, of nobody."""
    world = stage(*zone(*names, "old"), deletes=DELETES, keeps_state=True, fingerprint=fingerprint)
    if before:
        world.state, world.now_s = before.state, before.now_s
    world.run(new(*names), seen("old"), phase(SERVICE), phase(INGRESS), for_s=1.0)
    return world


def test_a_delete_waits_out_the_grace() -> None:
    world = published(deletes=DELETES)
    world.run(gone("web"), for_s=59.0)
    assert world.endings("web") == ["A keep in-grace"]
    world.run(for_s=2.0)
    assert world.holds() == {}
    assert world.evidence == ["object-deleted"]


def test_a_claim_that_comes_back_in_time_costs_nothing() -> None:
    world = published(deletes=DELETES)
    world.run(gone("web"), for_s=50.0)
    world.run(seen("web", wants("web", "web")), for_s=5.0)
    world.run(gone("web"), for_s=50.0)
    assert world.endings("web") == ["A keep in-grace"]
    assert not world.provider.submissions


def test_a_source_that_goes_down_within_the_grace_keeps_the_record() -> None:
    world = published(deletes=DELETES)
    world.run(gone("web"), for_s=30.0)
    world.run(phase(SERVICE, Phase.NOT_SERVED), for_s=600.0)
    assert world.endings("web") == ["A keep source-down"]


def test_what_is_missing_in_a_list_is_asked_for_after_the_grace_and_goes_then() -> None:
    world = published(deletes=DELETES)
    world.run(gone("web", Cause.MISSING), for_s=59.0)
    assert "Confirm" not in world.calls
    world.run(for_s=2.0)
    assert world.calls.count("Confirm") == 1
    assert world.holds() == {}
    assert world.evidence == ["absent"]


def test_a_mass_delete_is_held_as_a_whole_while_other_changes_go_on() -> None:
    world = full()
    world.run(all_gone(*NAMES[:13]), new("fresh"), for_s=120.0)
    assert world.endings("h00") == ["A keep held"]
    assert len(world.holds()) == 41
    assert "fresh A" in world.holds()
    (told,) = world.held
    assert [str(one.owned.record.name) for one in told.held] == [f"h{number:02}.example.org" for number in range(13)]


def test_within_the_budget_a_namespace_may_go() -> None:
    world = full()
    world.run(all_gone(*NAMES[:12]), for_s=120.0)
    assert len(world.holds()) == 28
    assert not world.held


def test_what_is_held_on_other_evidence_is_told_again() -> None:
    world = full(keeps_state=True)
    world.run(all_gone(*NAMES[:20], cause=Cause.MISSING), for_s=120.0)
    world.run(all_gone(*NAMES[:20], cause=Cause.VERSION), for_s=120.0)
    first, last = world.held
    assert (first.code, first.held[0].evidence) == (last.code, "absent")
    assert {one.evidence for one in last.held} == {"hostname-removed"}
    assert {evidence for *_, evidence in world.state.of("example.org").records} == {"hostname-removed"}


def test_deletes_made_one_after_the_other_count_together() -> None:
    world = full()
    for name in NAMES[:20]:
        world.run(gone(name), for_s=20.0)
    world.run(for_s=100.0)
    assert len(world.holds()) == 31, "nine went, and with four in grace it was too much"
    assert len(world.held[-1].held) == 11


def test_an_empty_list_deletes_nothing() -> None:
    world = full()
    world.run(all_gone(*NAMES, cause=Cause.MISSING), for_s=3600.0)
    assert len(world.holds()) == 40, "answers wait for each other: the first one alone would be within the budget"
    assert len(world.held[-1].held) == 40


def test_targets_that_all_change_at_once_are_not_held() -> None:
    world = full()
    world.run(new(*NAMES, target="192.0.2.77"), for_s=5.0)
    assert set(world.holds().values()) == {("192.0.2.77",)}


def test_a_change_of_type_is_neither_delayed_nor_counted() -> None:
    world = full(replace(DELETES, limits=Limits(count=0, percent=0)))
    changed = [seen(name, wants(name, name, "lb.example.net", rtype="CNAME")) for name in NAMES]
    world.run(*changed, for_s=5.0)
    assert set(world.holds().values()) == {("lb.example.net",)}


def test_a_release_lets_go_what_is_held() -> None:
    world = full(keeps_state=True)
    world.run(all_gone(*NAMES[:13]), for_s=120.0)
    world.released = (world.held[-1].code,)
    world.run(for_s=15.0)
    assert len(world.holds()) == 27
    assert world.held[-1].held == ()


def test_a_released_record_whose_object_came_back_and_went_again_has_a_grace_of_its_own() -> None:
    world = full(keeps_state=True)
    world.run(all_gone(*NAMES[:13]), for_s=120.0)
    world.released = (world.held[-1].code,)
    world.run(for_s=15.0)
    world.run(new(*NAMES[:13]), for_s=5.0)
    world.run(gone(NAMES[0]), for_s=59.0)
    assert len(world.holds()) == 40
    world.run(for_s=2.0)
    assert len(world.holds()) == 39


def test_a_code_given_at_start_releases_what_shows_it() -> None:
    world = full()
    world.run(all_gone(*NAMES[:13]), for_s=120.0)
    told = full(replace(DELETES, releases=(world.held[-1].code,)))
    told.run(all_gone(*NAMES[:13]), for_s=120.0)
    assert len(told.holds()) == 27


def test_what_nobody_asks_for_since_start_is_held() -> None:
    world = restarted(*NAMES, fingerprint="today")
    world.run(for_s=3600.0)
    assert world.endings("old") == ["A keep orphan-unclaimed"]
    assert [str(one.owned.record.name) for one in world.held[-1].held] == ["old.example.org"]
    assert world.state.of("example.org").fingerprint == ""


def test_under_accepted_settings_it_goes_after_the_grace() -> None:
    before = full(keeps_state=True, fingerprint="today")
    after = restarted(*NAMES, before=before, fingerprint="today")
    after.run(for_s=58.0)
    assert "old A" in after.holds()
    after.run(for_s=5.0)
    assert "old A" not in after.holds()
    assert after.evidence == ["orphan-unclaimed"]


def test_under_other_settings_it_is_held_and_they_are_not_accepted() -> None:
    before = full(keeps_state=True, fingerprint="today")
    after = restarted(*NAMES, before=before, fingerprint="tomorrow")
    after.run(for_s=3600.0)
    assert "old A" in after.holds()
    assert after.state.of("example.org").fingerprint == "today"


def test_while_a_source_fails_no_settings_are_accepted() -> None:
    world = stage(*zone(*NAMES, "old"), deletes=DELETES, keeps_state=True, fingerprint="tomorrow")
    world.run(new(*NAMES), seen("old"), phase(SERVICE), phase(INGRESS, Phase.FORBIDDEN), for_s=600.0)
    assert world.endings("old") == ["A keep source-down"]
    assert world.state.of("example.org").fingerprint == ""
    world.run(phase(INGRESS), for_s=600.0)
    assert world.endings("old") == ["A keep orphan-unclaimed"]


def test_what_was_released_while_nobody_ran_needs_no_look() -> None:
    before = full(keeps_state=True, fingerprint="today")
    before.run(all_gone(*NAMES), for_s=61.0)
    after = stage(*zone(*NAMES), deletes=DELETES, keeps_state=True, writes=False, fingerprint="today")
    after.state, after.now_s, after.released = before.state, before.now_s, (before.held[-1].code,)
    after.exists = lambda _: False
    after.run(phase(SERVICE), phase(INGRESS), for_s=600.0)
    assert {after.decision(name).verdict for name in NAMES} == {"delete"}
    assert "LookForReleases" not in after.calls


def test_a_release_soon_after_a_start_lets_the_grace_run() -> None:
    world = restarted(*NAMES, fingerprint="tomorrow")
    world.released = (world.held[-1].code,)
    world.run(for_s=59.0)
    assert "old A" in world.holds()
    world.run(for_s=2.0)
    assert "old A" not in world.holds()


def test_once_it_is_released_the_settings_are_accepted() -> None:
    world = restarted(*NAMES, fingerprint="tomorrow")
    world.released = (world.held[-1].code,)
    world.run(for_s=61.0)
    assert "old A" not in world.holds()
    assert world.state.of("example.org").fingerprint == "tomorrow"


def test_a_restart_does_not_give_the_budget_anew() -> None:
    before = full(keeps_state=True)
    before.run(all_gone(*NAMES[:12]), for_s=120.0)
    assert len(before.holds()) == 28
    after = restarted(*NAMES[12:], before=before)
    after.run(all_gone(*NAMES[12:20]), for_s=120.0)
    assert len(after.holds()) == 29, "the 28 and the orphan"


def test_state_that_cannot_be_loaded_holds_up_nothing_but_orphans() -> None:
    world = stage(*zone(*NAMES, "old"), deletes=DELETES, keeps_state=True, fingerprint="today")
    world.feed(new(*NAMES))
    world.waiting = deque(one for one in world.waiting if not isinstance(one, LoadState))
    world.run(StateFailed(message="no right"), seen("old"), phase(SERVICE), phase(INGRESS), gone("h00"), for_s=120.0)
    assert "h00 A" not in world.holds()
    assert world.endings("old") == ["A keep orphan-unclaimed"]
    world.state = full(keeps_state=True, fingerprint="today").state
    world.run(for_s=300.0)
    assert "old A" not in world.holds(), "the state came late, and with it the settings that were accepted"


def test_a_record_whose_object_says_no_target_stays_for_ever() -> None:
    world = published(deletes=DELETES)
    world.run(seen("web", withholds("web", "web")), for_s=86_400.0)
    assert world.endings("web") == ["A keep no-address"]


def test_unless_a_person_set_for_how_long() -> None:
    world = published(deletes=replace(DELETES, stale_hold_s=3600.0))
    world.run(seen("web", withholds("web", "web")), for_s=3590.0)
    assert world.endings("web") == ["A keep no-address"]
    world.run(for_s=20.0)
    assert world.holds() == {}
    assert world.evidence == ["stale"]


def test_a_single_pass_is_over_when_its_state_is_kept_and_not_before() -> None:
    world = stage(*zone(*NAMES), deletes=DELETES, keeps_state=True, fingerprint="today", once=True)
    world.feed(new(*NAMES))
    world.waiting = deque(one for one in world.waiting if not isinstance(one, LoadState))
    world.run(phase(SERVICE), phase(INGRESS))
    assert not world.engine.planned, "nothing is known of what was held"
    world.feed(StateLoaded(saved=Saved()))
    assert world.engine.planned
    assert not world.engine.settled
    world.run()
    assert world.engine.settled
    assert world.state != Saved()


def test_a_single_pass_does_not_wait_for_state_that_cannot_be_kept() -> None:
    world = stage(*zone(*NAMES), deletes=DELETES, keeps_state=True, fingerprint="today", once=True)
    world.feed(new(*NAMES))
    world.waiting = deque(one for one in world.waiting if not isinstance(one, LoadState))
    world.run(phase(SERVICE), phase(INGRESS), StateFailed(message="no right"))
    assert world.engine.settled
