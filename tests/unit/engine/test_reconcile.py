"""Exceptions in planning, which affect only one name, and what a decision waits for (docs/design/architecture.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from extdns.engine import delete_guard, gather, reconcile
from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.inputs import Cause, Observed
from extdns.model.change import PLAN, AdjustedRecords
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey
from extdns.model.zone import Zone
from extdns.planner import evidence, plan_name
from tests.builders import SERVICE, build_claim, change_phase, host, observe, observe_gone, owned
from tests.world import World, start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0)
WEB_KEY = ObjectKey(SERVICE, "shop", "web")
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
            plan_name,
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
def test_an_exception_in_any_function_of_planning_affects_only_the_planned_name(
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


def test_a_name_that_cannot_be_planned_is_retried_with_exponential_backoff() -> None:
    attempts: list[float] = []

    def adjust(requested: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
        if requested[0].name == host("web"):
            attempts.append(world.now_s)
            raise RuntimeError("defect")
        return AdjustedRecords(accepted=tuple(requested))

    world = start_world(adjust=adjust)
    world.run(observe("web", build_claim("web", "web")), for_s=40.0)
    delays = [round(later - earlier) for earlier, later in pairwise(attempts)]
    assert delays == [1, 2, 4, 8, 16]


def test_a_decision_names_the_kind_and_the_object_that_it_waits_for() -> None:
    world = start_published()
    world.run(change_phase(SERVICE, Phase.FAILING), observe_gone("web"), for_s=60.0)
    awaited = {one.wait.about for one in world.engine._waits.waits(host("web"))}
    assert awaited == {SERVICE, WEB_KEY}
