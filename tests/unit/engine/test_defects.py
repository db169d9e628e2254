"""Exceptions in planning affect only one name, and lose no effect of a step (law 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.engine import delete_guard, gather, reconcile
from extdns.engine.decisions import Decisions
from extdns.engine.delete_guard import DeleteGuard
from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.inputs import Cause, Observed, StateFailed
from extdns.engine.write_queue import WriteQueue
from extdns.model.change import PLAN, Action
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, RecordKey
from extdns.model.zone import Zone
from extdns.planner import evidence
from extdns.planner import plan_name as planning
from extdns.planner.plan_name import plan_name
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, host, observe, observe_gone, owned
from tests.world import World, build_world, start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0)
REQUESTED_IN_OTHER = observe("new", build_claim("new", "web", "192.0.2.9", namespace="other"), namespace="other")


def fail_for(name: DnsName, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return *work*, changed to raise ZeroDivisionError if one of its arguments belongs to *name*."""

    def broken(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - stands for any function
        if any(_is_about(one, name) for one in (*arguments, *options.values())):
            raise ZeroDivisionError("planted")
        return work(*arguments, **options)

    return broken


def _is_about(value: object, name: DnsName) -> bool:
    """Return whether *value* is *name*, or has a part that belongs to it."""
    if isinstance(value, OwnedRecord):
        return value.record.name == name
    if isinstance(value, str):
        return value == name
    if isinstance(value, tuple | list):
        return any(_is_about(one, name) for one in value)
    if value is None:
        return False
    fields = ("name", "endpoint", "owned", "current", "proposals", "claims")
    return any(_is_about(getattr(value, field, None), name) for field in fields)


PLANNING = [
    (module, function)
    for module, functions in (
        (reconcile, ("gather_view", "gather_facts", "plan_name", "_store")),
        (gather, ("read_owned", "project_records", "_find_block")),
        (
            planning,
            (
                "merge_requests",
                "build_candidates",
                "adjust",
                "apply_rules",
                "resolve_contests",
                "compare_name",
                "is_in_sync",
                "check_deletes",
                "find_removals",
                "propose_changes",
                "block_changes",
                "finalize",
                "build_change_sets",
                "group_changes",
                "find_unresolved",
                "decide",
            ),
        ),
        (delete_guard.DeleteGuard, ("describe",)),
        (evidence.EvidenceReader, ("find",)),
    )
    for function in functions
]
TWO = (*owned("web"), *owned("api", resource="service/shop/api"))
BOTH = [observe("web", build_claim("web", "web")), observe("api", build_claim("api", "api"))]


def build_situations() -> dict[str, list[Observed]]:
    """Build observations of `web` by description; each causes a change or a delete."""
    return {
        "deleted": [observe_gone("web")],
        "changed": [observe("web", build_claim("web", "web", "192.0.2.9"))],
        "another type": [observe("web", build_claim("web", "web", "lb.test", rtype="CNAME"))],
        "another namespace": [observe_gone("web"), REQUESTED_IN_OTHER],
    }


@pytest.mark.parametrize("situation", build_situations())
@pytest.mark.parametrize(("owner", "function"), PLANNING, ids=lambda one: getattr(one, "__name__", one))
def test_exception_in_planning_affects_only_the_planned_name(
    owner: Any,  # noqa: ANN401 - a module or a class
    function: str,
    situation: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def world() -> World:
        return start_world(*TWO, first=BOTH, deletes=GRACE)

    inputs = [*build_situations()[situation], observe("api", build_claim("api", "api", "192.0.2.7"))]
    sound = world()
    sound.run(*inputs, for_s=30.0)
    hurt = world()
    met: list[str] = []
    with monkeypatch.context() as patch:
        work = fail_for(host("web"), getattr(owner, function))
        patch.setattr(owner, function, lambda *a, **o: _note(met, work, *a, **o))
        hurt.run(*inputs, for_s=30.0)
        if met:
            failing = hurt.engine.decisions.decisions(host("web"))
            assert {one.reason for one in failing} == {Reason.OBJECT_FAILED}
            assert [wait.wait for wait in hurt.engine._waits.waits(host("web"))] == [PLAN]
            zone_state = next(iter(hurt.engine.zones))
            assert host("web") not in zone_state.queue.queued
            assert not find_evidence_keys(hurt)
            assert hurt.wake_s is not None
        assert hurt.list_records().get("api A") == sound.list_records().get("api A") == ("192.0.2.7",)
        assert hurt.list_decisions("api") == sound.list_decisions("api")
    hurt.run(observe("web", build_claim("web", "web")), for_s=400.0)  # the original claim again
    assert hurt.list_records()["web A"] == ("192.0.2.1",)
    hurt.run(observe_gone("web"), observe("new", cause=Cause.DELETED, namespace="other"), for_s=59.0)
    assert "web A" in hurt.list_records(), "a new grace period"
    hurt.run(for_s=10.0)
    assert "web A" not in hurt.list_records()


def _note(met: list[str], work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function
    """Call *work*, and append to *met* if it raises ZeroDivisionError."""
    try:
        return work(*arguments, **options)
    except ZeroDivisionError:
        met.append("raised")
        raise


def find_evidence_keys(world: World) -> list[RecordKey]:
    """Return the records of `web` that have evidence."""
    zone_state = next(iter(world.engine.zones))
    return [key for key in world.engine.delete_guard.list_statuses(zone_state.zone.id) if key.name == host("web")]


def test_name_that_cannot_be_planned_is_retried_with_exponential_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[float] = []
    world = start_world()

    def fail(*_: object, **__: object) -> None:
        attempts.append(world.now_s)
        raise RuntimeError("defect")

    monkeypatch.setattr(reconcile, "plan_name", fail)
    world.run(observe("web", build_claim("web", "web")), for_s=40.0)
    delays = [round(later - earlier) for earlier, later in pairwise(attempts)]
    assert delays == [1, 2, 4, 8, 16]
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.OBJECT_FAILED)]
    assert world.decision("web").detail == "RuntimeError: defect"


OTHER = Zone(name=DnsName("example.net"), id="net")


def fail_on_turns(work: Callable[..., Any], turns: Iterator[bool]) -> Callable[..., Any]:
    """Return *work*, changed to raise ZeroDivisionError on each call for which *turns* yields true."""

    def broken(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - stands for any function
        if next(turns, False):
            raise ZeroDivisionError("planted")
        return work(*arguments, **named)

    return broken


def test_due_list_of_zones_is_requested_although_planning_raises() -> None:
    world = start_published(max_refresh_interval_s=60.0)
    world.run(for_s=58.0)
    decisions = world.engine.decisions
    decisions.take_added_owned = fail_on_turns(decisions.take_added_owned, iter([True]))  # type: ignore[method-assign]
    world.now_s += 2.0
    with pytest.raises(ZeroDivisionError):
        world.feed(change_phase(INGRESS, Phase.FAILING))  # all names are planned again while the list of zones is due
    world.run(for_s=0.0)
    assert world.calls == ["ListZones"]
    world.run(for_s=60.0)
    assert world.calls.count("ListZones") == 2


@pytest.mark.parametrize("step", ["drop_evidence", "replace"])
def test_other_names_are_planned_although_one_can_neither_be_planned_nor_stored(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = start_world()
    names = ["a", "b", "c"]
    seen = Observed(
        observations=tuple(one for name in names for one in observe(name, build_claim(name, name)).observations)
    )
    with monkeypatch.context() as patch:
        if step == "drop_evidence":
            patch.setattr(reconcile, "plan_name", fail_for(host("a"), plan_name))
            patch.setattr(DeleteGuard, step, fail_for(host("a"), DeleteGuard.drop_evidence))
        else:
            patch.setattr(Decisions, step, fail_for(host("a"), Decisions.replace))
        with pytest.raises(ZeroDivisionError):
            world.feed(seen)
        world.run(for_s=0.5)
        assert world.list_records() == {"b A": ("192.0.2.1",), "c A": ("192.0.2.1",)}
        assert [one.wait for one in world.engine._waits.waits(host("a"))] == [PLAN]
    world.run(for_s=5.0)
    assert set(world.list_records()) == {"a A", "b A", "c A"}


def test_batch_is_sent_although_building_that_of_another_zone_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_world(zones={ZONE: (), OTHER: ()})
    world.run(change_phase(SERVICE), change_phase(INGRESS))
    there = replace(
        build_claim("b", "b"), desired=replace(build_claim("b", "b").desired, name=DnsName("b.example.net"))
    )
    world.feed(observe("a", build_claim("a", "a")))
    world.feed(observe("b", there))
    world.now_s += 0.1
    monkeypatch.setattr(WriteQueue, "take_batch", fail_on_turns(WriteQueue.take_batch, iter([False, True])))
    with pytest.raises(ZeroDivisionError):
        world.run()
    world.run()
    assert len(world.provider.contents(ZONE)) == 2
    assert len(world.provider.contents(OTHER)) == 2
    assert world.engine.is_idle


def test_saved_state_is_loaded_again_if_loading_it_raised() -> None:
    world = build_world(has_state_store=True)
    guard = world.engine.delete_guard
    guard.load = fail_on_turns(guard.load, iter([True]))  # type: ignore[method-assign]
    with pytest.raises(ZeroDivisionError):
        world.run(change_phase(SERVICE), change_phase(INGRESS))
    assert world.engine.state_problem
    world.run(StateFailed(message="planted"), for_s=5.0)
    assert world.engine.state_problem == ""
    assert world.calls.count("LoadState") == 2
