"""Services that adjust desired records themselves: names wait until the service has adjusted their records.

See docs/design/webhook.md, "Adjusting".
"""

from __future__ import annotations

from extdns.engine.effects import RequestAdjustments
from extdns.engine.engine import Engine
from extdns.engine.health import find_unread
from extdns.engine.inputs import Observed, TimePassed
from extdns.errors import RetryableError
from extdns.model.change import Action
from extdns.model.reason import Reason
from extdns.model.record import Record
from providers.inmemory.provider import InMemoryProvider
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, combine, host, observe, observe_new, owned
from tests.fakes.adjusting import AdjustingProvider
from tests.world import World, engine_settings


def start_adjusting(*records: Record, **changes: object) -> tuple[World, AdjustingProvider]:
    service = AdjustingProvider(inner=InMemoryProvider(seed={ZONE: records}))
    world = World(engine=Engine(engine_settings(service, **changes)), reader=service, writer=service)
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)
    world.calls.clear()
    return world, service


def test_names_planned_together_are_adjusted_in_one_request() -> None:
    world, service = start_adjusting()
    world.run(observe_new("api", "web"))
    assert [sorted(one.name for one in request) for request in service.requests] == [[host("api"), host("web")]]
    assert world.calls == ["RequestAdjustments", "SubmitBatch"]
    assert {record.ttl_s for key, record in service.contents(ZONE).items() if key.type == "A"} == {3600}


def test_record_is_not_sent_for_adjustment_twice() -> None:
    world, service = start_adjusting()
    world.run(observe("web", build_claim("web", "web", "192.0.2.1")))
    world.run(observe("web", build_claim("web", "web", "192.0.2.2")))
    world.run(observe("web", build_claim("web", "web", "192.0.2.1")))
    assert len(service.requests) == 2
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_name_is_not_planned_before_its_records_are_adjusted() -> None:
    world, _ = start_adjusting(*owned("web", "192.0.2.7"))
    world.feed(observe_new("web"))
    assert [type(effect) for effect in world.waiting] == [RequestAdjustments]
    assert world.engine.decisions.decisions(host("web")) == ()
    assert not world.engine.is_planned
    assert not world.engine.is_final(host("web"))
    world.run()
    assert world.engine.is_planned
    assert world.engine.is_final(host("web"))


def test_adjusted_records_of_another_namespace_delay_no_name() -> None:
    world, _ = start_adjusting(names_per_step=20)
    names = [f"many{number}" for number in range(9)]
    claims = [build_claim("x", name, f"192.0.2.{number}", namespace="a") for name in names for number in range(120)]
    world.run(observe("web", *(build_claim("web", name) for name in names)), for_s=60.0)
    world.feed(observe("x", *claims, namespace="a"))
    for _ in names:
        world.feed(TimePassed())
    for _ in range(2):
        world.feed(world.answer())
    world.feed(observe_new("api"))
    world.feed(world.answer())
    requested = [one for one in world.waiting if isinstance(one, RequestAdjustments)]
    assert host("api") in [one.name for request in requested for one in request.records]


def test_a_change_that_waits_for_records_of_another_namespace_is_planned_in_its_own_turn() -> None:
    world, _ = start_adjusting(names_per_step=2)
    names = [f"many{number}" for number in range(9)]

    def request_others(target: str) -> list[Observed]:
        return [observe(name, build_claim(name, name, target, namespace="a"), namespace="a") for name in names]

    for target in ("192.0.2.7", "192.0.2.8"):  # adjusted from now on
        world.run(*request_others(target), observe("web", build_claim("web", "web", target)), for_s=60.0)
    touch = observe("touch", build_claim("touch", "web", "192.0.2.9", namespace="a"), namespace="a")
    world.feed(combine(*request_others("192.0.2.7"), touch))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.7")))
    for _ in range(2):  # of the record of the other namespace, and of what both request
        (at,) = [number for number, one in enumerate(world.waiting) if isinstance(one, RequestAdjustments)]
        world.waiting.rotate(-at)
        world.feed(world.answer())
    assert world.list_decisions("web")[0][1] is Action.UPDATE


def test_queued_change_is_not_made_while_its_record_waits_for_adjustment() -> None:
    world, service = start_adjusting(*owned("web", "192.0.2.7"))
    world.feed(combine(observe_new("web"), observe_new("api")))
    world.feed(world.answer())
    world.run(observe("web", build_claim("web", "web", "192.0.2.9")))
    assert world.list_records()["web A"] == ("192.0.2.9",)
    assert len(service.requests) == 2


def test_other_names_are_planned_while_adjusting_fails() -> None:
    world, service = start_adjusting()
    world.run(observe_new("api"))
    service.request_failures.extend([RetryableError("webhook down")] * 2)
    world.feed(observe_new("web"))
    world.feed(world.answer())
    assert world.decision("web").reason is Reason.TRY_LATER
    assert world.decision("web").detail == "webhook down"
    assert world.decision("api").action is Action.KEEP
    world.run(for_s=60.0)
    assert sorted(world.list_records()) == ["api A", "web A"]
    assert len(service.requests) == 4


def test_record_of_waiting_name_is_kept_as_ours_while_adjusting_fails() -> None:
    world, service = start_adjusting()
    world.run(observe("web", build_claim("web", "web", "192.0.2.1")))
    service.request_failures.append(RetryableError("webhook down"))
    world.feed(observe("web", build_claim("web", "web", "192.0.2.2")))
    world.feed(world.answer())
    decision = world.decision("web")
    assert (decision.action, decision.reason, decision.detail) == (Action.KEEP, Reason.TRY_LATER, "webhook down")
    assert decision.current is not None
    assert decision.current.is_ours


def test_single_pass_is_incomplete_after_several_failed_requests() -> None:
    world, service = start_adjusting(once=True)
    service.request_failures.extend([RetryableError("webhook down")] * 100)
    world.run(observe_new("web"), for_s=3600.0)
    assert world.engine.is_idle
    assert world.decision("web").reason is Reason.TRY_LATER
    assert find_unread(world.engine) == ("desired records could not be shown to the DNS service: webhook down",)


def test_record_that_cannot_be_adjusted_fails_alone() -> None:
    world, service = start_adjusting()
    service.failing_names.add(host("bad"))
    world.run(observe_new("api", "bad"), for_s=300.0)
    assert world.decision("bad").reason is Reason.REFUSED
    assert world.decision("bad").detail == "cannot adjust bad.example.org"
    assert world.list_records().keys() == {"api A"}
    world.run(observe_new("web"), for_s=0.1)
    assert world.list_records().keys() == {"api A", "web A"}
    service.failing_names.clear()
    world.run(for_s=61.0)
    assert world.list_records().keys() == {"api A", "bad A", "web A"}
    assert len(service.requests) <= 3 + 6 + 5  # pauses of 1, 2, 4 and so on to 32 s, then of 60 s
    assert find_unread(world.engine) == ()


def test_records_that_fail_later_do_not_extend_the_pause_of_one_that_failed() -> None:
    world, service = start_adjusting()
    service.failing_names |= {host("web"), host("bad")}
    world.run(observe_new("web"), for_s=120.0)
    service.failing_names.remove(host("web"))
    for number in range(60):
        world.run(observe("bad", build_claim("bad", "bad", f"192.0.2.{number}")), for_s=10.0)
    assert world.list_records().keys() == {"web A"}
    assert len(world.engine.adjustments.failed) < 20, "what nothing requests any more is forgotten"


def test_record_that_cannot_be_adjusted_keeps_what_it_would_replace() -> None:
    world, service = start_adjusting()
    world.run(observe("web", build_claim("web", "web", "192.0.2.1")))
    service.failing_names.add(host("web"))
    world.run(observe("web", build_claim("web", "web", "2001:db8::1", rtype="AAAA")), for_s=300.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.engine.is_final(host("web"))


def test_single_pass_fails_if_a_record_cannot_be_adjusted() -> None:
    world, service = start_adjusting(once=True)
    service.failing_names.add(host("bad"))
    world.run(observe_new("api", "bad"), for_s=0.5)
    assert world.engine.is_idle
    assert world.list_records().keys() == {"api A"}
    assert find_unread(world.engine) == (
        "the DNS service could not adjust 1 record, such as: cannot adjust bad.example.org",
    )
