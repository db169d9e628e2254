"""From the observation of an object to a write (laws 4 and 6-8; docs/design/architecture.md, "Step by step")."""

from __future__ import annotations

import pytest

from extdns.engine.effects import SubmitBatch
from extdns.engine.inputs import Cause, PlanApproved, TimePassed
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from tests.builders import (
    SERVICE,
    build_claim,
    build_unresolved,
    change_phase,
    combine,
    host,
    observe,
    observe_gone,
    observe_new,
    owned,
    record,
)
from tests.world import start_published, start_world

TIGHT = Capabilities(atomic=True, conditional=True, max_batch_writes=4)


@pytest.mark.parametrize("cause", [Cause.VERSION, Cause.DEPENDENCY])
@pytest.mark.parametrize("phase", [Phase.SYNCED, Phase.FAILING])
def test_changed_object_causes_one_write_and_no_read(cause: Cause, phase: Phase) -> None:
    world = start_published()
    world.run(
        change_phase(SERVICE, phase), observe("web", build_claim("web", "web", "192.0.2.9"), cause=cause), for_s=1.0
    )
    assert world.calls == ["SubmitBatch"]
    assert world.list_records()["web A"] == ("192.0.2.9",)


def test_no_call_if_object_requests_the_current_record() -> None:
    world = start_published()
    world.run(observe("web", build_claim("web", "web")), for_s=1.0)
    assert world.calls == []
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_change_is_sent_at_once_if_nothing_is_in_flight() -> None:
    world = start_world()
    effects = world.engine.step(observe("web", build_claim("web", "web")), world.now_s)
    assert any(isinstance(effect, SubmitBatch) for effect in effects)


def test_changes_are_sent_together_after_the_batch_in_flight() -> None:
    world = start_world()
    world.feed(observe("web", build_claim("web", "web")))
    world.now_s += 1.0
    world.feed(TimePassed())
    assert [type(effect) for effect in world.waiting] == [SubmitBatch]
    for name in ("api", "shop", "blog"):
        world.feed(observe(name, build_claim(name, name)))
        world.now_s += 1.0
        world.feed(TimePassed())
    world.run(for_s=1.0)
    assert world.batches == [["web"], ["api", "blog", "shop"]]


def test_name_is_written_again_if_it_changes_while_it_is_written() -> None:
    world = start_world()
    world.feed(observe("web", build_claim("web", "web")))
    world.now_s += 1.0
    world.feed(TimePassed())
    world.feed(observe("web", build_claim("web", "web", "192.0.2.9")))
    world.run(for_s=1.0)
    assert world.batches == [["web"], ["web"]]
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_changes_beyond_the_batch_limit_are_sent_in_further_batches() -> None:
    world = start_world(capabilities=TIGHT)
    names = [f"n{number}" for number in range(7)]
    world.run(observe_new(*names))
    assert [len(batch) for batch in world.batches] == [2, 2, 2, 1]
    assert sorted(world.list_records()) == sorted(f"{name} A" for name in names)


def test_change_set_that_fits_into_no_batch_is_not_made_in_part() -> None:
    world = start_published(capabilities=Capabilities(atomic=True, conditional=True, max_batch_size=300))
    many = tuple(f"2001:db8::{number}" for number in range(1, 60))
    world.run(observe("web", build_claim("web", "web", "192.0.2.9"), build_claim("web", "web", *many, rtype="AAAA")))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.TOO_LARGE),
        ("AAAA", Action.NONE, Reason.TOO_LARGE),
    ]
    detail = "what changes together takes 969 bytes, allowed: 300"
    assert {decision.detail for decision in world.engine.decisions.decisions(host("web"))} == {detail}


@pytest.mark.parametrize(
    ("overwrites", "limit", "batches"),
    [
        pytest.param(False, 12, [["api", "web"]], id="old-and-new-values-count-once"),
        pytest.param(True, 12, [["api"], ["web"]], id="new-values-count-twice"),
        pytest.param(True, 6, [["api"], ["web"]], id="one-update-in-each-batch"),
        pytest.param(True, 5, [], id="too-large"),
    ],
)
def test_update_counts_twice_if_the_service_counts_upserts_twice(
    overwrites: bool, limit: int, batches: list[list[str]]
) -> None:
    # One value becomes three, an ownership record is restated: 4 and 2 values, or 6 and 2 if new values count twice.
    capabilities = Capabilities(atomic=True, conditional=True, sends_upserts=overwrites, max_batch_values=limit)
    names, more = ("api", "web"), ("192.0.2.1", "192.0.2.2", "192.0.2.3")
    world = start_world(
        *(made for name in names for made in owned(name, resource=f"service/shop/{name}")),
        first=[observe_new(*names)],
        capabilities=capabilities,
    )
    world.run(combine(*(observe(name, build_claim(name, name, *more)) for name in names)), for_s=1.0)
    assert world.batches == batches


def test_unresolved_claim_has_a_decision_of_its_own() -> None:
    world = start_world(*owned("web"), record("free", '"hello"', rtype="TXT"))
    world.run(
        observe("web", build_claim("web", "web")),
        observe("late", build_unresolved("late", "web")),
        observe("new", build_unresolved("new", "free")),
    )
    assert world.list_decisions("web") == [("", Action.NONE, Reason.NO_ADDRESS), ("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.list_decisions("free") == [("", Action.NONE, Reason.NO_ADDRESS)]


def test_retained_record_names_the_object_with_the_unresolved_claim() -> None:
    world = start_published()
    world.run(observe("web", build_unresolved("web", "web")))
    decision = world.decision("web")
    assert (decision.action, decision.reason) == (Action.KEEP, Reason.NO_ADDRESS)
    assert [str(requester.ref) for requester in decision.requested_by] == ["Service shop/web"]


def test_each_decision_is_reported_once_in_order_of_names() -> None:
    world = start_published()
    world.run(
        combine(observe("web", build_claim("web", "web", "192.0.2.9")), observe("api", build_claim("api", "api")))
    )
    assert [(str(one.name), one.reason) for one in world.reported] == [
        ("api.example.org", Reason.REQUESTED),
        ("web.example.org", Reason.CHANGED),
        ("api.example.org", Reason.PUBLISHED),
        ("web.example.org", Reason.PUBLISHED),
    ]


def test_next_batch_is_sent_before_written_names_are_planned_again() -> None:
    world = start_world(capabilities=Capabilities(atomic=True, conditional=True, max_batch_writes=2))
    world.feed(observe_new("api", "web"))
    world.now_s += 0.1
    world.feed(TimePassed())
    assert not world.engine.is_final(host("api"))
    world.feed(world.answer())
    assert [type(effect).__name__ for effect in world.waiting] == ["SubmitBatch"]
    assert world.list_decisions("api") == [("A", Action.CREATE, Reason.REQUESTED)]
    assert not world.engine.is_final(host("api"))
    world.run(for_s=0.1)
    assert world.list_decisions("api") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert world.engine.is_idle


def test_queued_name_is_planned_again_if_it_changed_during_a_write() -> None:
    world = start_world(capabilities=Capabilities(atomic=True, conditional=True, max_batch_writes=2))
    world.feed(observe_new("api", "web"))
    world.now_s += 0.1
    world.feed(TimePassed())
    world.feed(observe_gone("web"))
    world.feed(world.answer())
    assert not world.waiting, "web must not be sent before it is planned again"
    world.run(for_s=1.0)
    assert world.list_records() == {"api A": ("192.0.2.1",)}


# a plan that a person has to approve (`extdns apply`)


def test_plan_is_written_and_saved_only_after_its_approval() -> None:
    first = [observe("web", build_claim("web", "web"))]
    world = start_world(first=first, needs_approval=True, has_state_store=True, settings_digest="f")
    world.run(for_s=100.0)
    assert world.engine.is_planned
    assert not world.engine.is_idle
    assert world.list_decisions("web") == [("A", Action.CREATE, Reason.REQUESTED)]
    assert world.list_records() == {}
    assert world.state.zones == ()
    world.run(PlanApproved(), for_s=1.0)
    assert world.engine.is_idle
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [zone.fingerprint for _, zone in world.state.zones] == ["f"]
