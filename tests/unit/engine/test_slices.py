"""Names are planned in slices, of which each namespace has its share (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.effects import QueryRules, SubmitBatch
from extdns.engine.inputs import Observed, RulesAnswered, TimePassed
from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from extdns.rules.evaluation import Evaluation
from tests.builders import PLAN, ZONE, build_claim, combine, observe, observe_gone, observe_new, owned
from tests.rules import FakeRule, change_rules
from tests.world import World, start_published, start_world

MANY = tuple(f"many{number}" for number in range(9))


def observe_many(names: tuple[str, ...] = MANY, target: str = "192.0.2.1") -> Observed:
    """Observe an object that requests *names* at *target*."""
    return observe("many", *(build_claim("many", name, target) for name in names))


def list_planned(world: World) -> set[str]:
    """Return the first labels of all names about which something was decided."""
    return {name.labels[0] for name, _ in world.engine.decisions.by_name()}


def test_other_names_are_planned_and_written_while_a_large_object_is_planned() -> None:
    world = start_world(names_per_step=2)
    world.feed(combine(observe_many(), observe("web", build_claim("web", "web"))))
    assert list_planned(world) == {"many0", "web"}
    world.feed(observe("api", build_claim("api", "api")))
    assert list_planned(world) == {"many0", "many1", "web", "api"}
    for _ in range(2):
        world.feed(world.answer())
    assert {"web A", "api A"} < world.list_records().keys()
    assert "many8" not in list_planned(world)
    world.run(for_s=0.0)
    assert world.list_records().keys() == {f"{name} A" for name in (*MANY, "web", "api")}


def test_a_slice_has_fewer_names_if_they_have_many_claims_or_targets() -> None:
    claims = [build_claim("many", name, f"192.0.2.{number}") for name in MANY for number in range(8)]
    targets = tuple(f"192.0.2.{number}" for number in range(80))
    world = start_world(names_per_step=2)
    world.feed(combine(observe("many", *claims), observe("web", build_claim("web", "web"))))
    assert list_planned(world) == {"many0"}
    world.feed(TimePassed())
    assert list_planned(world) == {"many0", "many1", "web"}
    for texts in (targets, ('"' + "x" * 3200 + '"',)):
        rtype = "A" if texts is targets else "TXT"
        world = start_world(names_per_step=2)
        world.feed(observe("many", *(build_claim("many", name, *texts, rtype=rtype) for name in MANY)))
        assert list_planned(world) == {"many0"}


def test_names_that_change_all_the_time_delay_no_name_of_another_namespace() -> None:
    world = start_world(names_per_step=2)
    for target in ("192.0.2.7", "192.0.2.8"):
        world.feed(combine(*(observe(name, build_claim(name, name, target)) for name in MANY)))
    for number, name in enumerate(("zoo", "zebra")):
        world.feed(observe(name, build_claim(name, name, namespace="zoo"), namespace="zoo"))
        assert name in list_planned(world)
        assert len(list_planned(world)) == 6 + 2 * number


def test_requests_for_names_of_another_namespace_that_change_all_the_time_delay_no_name_of_it() -> None:
    world = start_world(names_per_step=2)
    world.run(observe("web", *(build_claim("web", name) for name in MANY)), for_s=60.0)
    for target in ("192.0.2.7", "192.0.2.8"):
        claims = {name: build_claim(name, name, target, namespace="a") for name in MANY}
        world.feed(combine(*(observe(name, claim, namespace="a") for name, claim in claims.items())))
    world.feed(observe("api", build_claim("api", "api")))
    assert "api" in list_planned(world)


def test_a_full_pass_over_many_namespaces_delays_a_changed_name_by_one_slice() -> None:
    claims = {f"n{number}": build_claim("web", f"n{number}", namespace=f"n{number}") for number in range(20)}
    world = start_world(names_per_step=2)
    world.run(*(observe("web", claim, namespace=namespace) for namespace, claim in claims.items()), for_s=60.0)
    world.feed(change_rules(FakeRule(name="all", allows=lambda _: True)))
    world.feed(observe("api", build_claim("api", "api")))
    assert "api" in list_planned(world)


def test_answers_about_names_of_another_namespace_delay_no_name_of_it() -> None:
    world = start_world(names_per_step=2, has_policy_server=True)
    world.policy = lambda _: Evaluation()
    world.run(observe("web", *(build_claim("web", name) for name in MANY)), for_s=60.0)
    world.queries.clear()
    world.policy = lambda _: None
    targets = [f"192.0.2.{number}" for number in range(200)]
    world.run(observe("x", *(build_claim("x", name, *targets, namespace="a") for name in MANY), namespace="a"))
    asked = [one for query in world.queries for one in query.inputs]
    for pair in zip(asked[::2], asked[1::2], strict=False):
        world.feed(RulesAnswered(answers=tuple((one, Evaluation(unavailable="down")) for one in pair)))
    world.feed(observe("api", build_claim("api", "api")))
    asked = [one for effect in world.waiting if isinstance(effect, QueryRules) for one in effect.inputs]
    assert "api" in [one.record.name.labels[0] for one in asked]


def test_names_related_to_what_another_namespace_writes_delay_no_name() -> None:
    world = start_world(names_per_step=20)
    many = [build_claim("x", name, f"192.0.2.{number}", namespace="a") for name in MANY for number in range(30)]
    written = observe("y", *(build_claim("y", f"cname-{name}", namespace="a") for name in MANY), namespace="a")
    world.run(
        observe("web", *(build_claim("web", name) for name in MANY)), observe("x", *many, namespace="a"), for_s=60.0
    )
    world.feed(written)
    world.feed(world.answer())
    world.feed(observe("api", build_claim("api", "api")))
    assert "api" in list_planned(world)


def test_no_delete_is_granted_before_all_names_of_its_object_are_planned() -> None:
    names = [*(f"a{n}" for n in range(2)), *(f"b{n}" for n in range(9)), *(f"c{n}" for n in range(9))]
    world = start_world(
        *(record for name in names for record in owned(name, resource="service/shop/many")),
        first=[observe_many(tuple(names))],
        deletes=DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(count=3, percent=30)),
        names_per_step=2,
    )
    world.run(observe_many(tuple(names[2:11]), "192.0.2.9"))
    assert [len(one.held) for one in world.held] == [11]
    assert world.evidence == []


def test_no_delete_is_granted_before_all_that_depends_on_a_changed_object() -> None:
    names = [f"a{number}" for number in range(20)]
    world = start_world(
        *(record for name in names for record in owned(name, resource=f"service/shop/{name}")),
        first=[observe_new(*names)],
        deletes=DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(count=3, percent=30)),
    )
    first, second = (combine(*map(observe, part)) for part in (names[:5], names[5:10]))
    world.run(replace(first, has_more=True), for_s=1.0)
    assert world.evidence == []
    world.run(second)
    assert [len(one.held) for one in world.held] == [10]
    assert world.evidence == []


def test_whoever_keeps_names_dirty_delays_the_deletes_of_others_for_ten_minutes() -> None:
    many = tuple(f"many{number}" for number in range(99))
    settings = DeleteSettings(owner="me", grace_s=0.0)
    world = start_world(
        *owned("web"), first=[observe("web", build_claim("web", "web"))], deletes=settings, names_per_step=20
    )
    world.feed(observe_many(many))
    world.feed(observe_gone("web"))
    last_seen_at, start_at = 0.0, world.now_s
    for number in range(62):
        world.now_s += 10.0
        world.feed(observe_many(many, target=f"192.0.2.{number}"))
        for _ in range(3):
            world.feed(world.answer() if world.waiting else TimePassed())
        if "web A" in world.list_records():
            last_seen_at = world.now_s
    assert last_seen_at - start_at == 600.0


def test_objects_that_are_never_read_delay_deletes_for_ten_minutes() -> None:
    world = start_published(deletes=DeleteSettings(owner="me", grace_s=0.0))
    world.run(replace(observe_gone("web"), has_more=True), for_s=590.0)
    assert "web A" in world.list_records()
    world.run(for_s=20.0)
    assert world.list_records() == {}


def test_a_queued_change_is_not_sent_while_its_name_is_to_be_planned_again() -> None:
    world = start_world(names_per_step=2)
    world.feed(observe("web", build_claim("web", "web")))
    for target in ("192.0.2.7", "192.0.2.8"):
        world.feed(observe_many(target=target))
        world.now_s += 1.0
        for _ in MANY if target == "192.0.2.7" else ():
            world.feed(TimePassed())
    world.run(for_s=0.0)
    assert {*world.list_records().values()} == {("192.0.2.1",), ("192.0.2.8",)}
    assert "192.0.2.7" not in str([one.batch for one in world.provider.submissions])


@pytest.mark.parametrize("beside", ["alone", "a-record-of-it", "a-queued-change-of-it"])
def test_a_queued_change_is_sent_although_an_object_of_another_namespace_requests_its_name_again(beside: str) -> None:
    own = observe("own", build_claim("own", "web", "192.0.2.9", namespace="a"), namespace="a")
    world = start_world(names_per_step=2)
    world.run(*([own] if beside == "a-record-of-it" else ()))
    world.feed(observe("api", build_claim("api", "api")))
    world.feed(observe("web", build_claim("web", "web", "2001:db8::1", rtype="AAAA")))
    claims = [build_claim("x", name, "192.0.2.7", namespace="a") for name in (*MANY, "web")]
    queued = [own] if beside == "a-queued-change-of-it" else [TimePassed()]
    for item in (*queued, observe("x", *claims, namespace="a")):
        world.now_s += 1.0
        world.feed(item)
    world.feed(world.answer())
    (sent,) = [effect.batch for effect in world.waiting if isinstance(effect, SubmitBatch)]
    assert [one.key.type for one in sent.change_sets if one.name.labels[0] == "web"] == ["AAAA"]


def test_a_change_that_replaces_a_record_of_another_namespace_is_not_sent_after_the_request_for_it_ended() -> None:
    own = observe("own", build_claim("own", "web", namespace="a"), namespace="a")
    world = start_world(first=[own], names_per_step=2, deletes=DeleteSettings(owner="me", grace_s=0.0))
    world.feed(observe("api", build_claim("api", "api")))
    alias = build_claim("x", "web", "lb.test", rtype="CNAME")
    for item in (observe("own", namespace="a"), observe("x", alias)):
        world.now_s += 1.0
        world.feed(item)
    world.feed(observe("x", *(build_claim("x", name) for name in MANY)))
    world.feed(world.answer())
    (sent,) = [effect.batch for effect in world.waiting if isinstance(effect, SubmitBatch)]
    assert "web" not in [one.name.labels[0] for one in sent.change_sets]


REVERSE: Final = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")


def start_with_ptr_records(**changes: object) -> World:
    plan = replace(PLAN, managed_types=frozenset({rrtype.A, rrtype.CNAME, rrtype.PTR}), creates_ptr=True)
    rules = change_rules(FakeRule(name="anything", allows=lambda _: True))
    return start_world(first=[rules], zones={ZONE: (), REVERSE: ()}, plan=plan, has_rules=True, **changes)


def test_a_ptr_record_is_planned_after_the_names_in_it() -> None:
    world = start_with_ptr_records(names_per_step=2)
    world.run(observe_many())
    assert {one.action for one in world.reported} == {Action.CREATE, Action.KEEP}
    assert len(world.list_records(REVERSE)["1.2.0.192.in-addr.arpa PTR"]) == len(MANY)
    assert [len(one.batch.change_sets) for one in world.provider.submissions if one.batch.zone == REVERSE] == [1]


def test_a_ptr_record_does_not_wait_for_names_of_another_namespace_that_change_all_the_time() -> None:
    world = start_with_ptr_records(names_per_step=2)
    world.run(observe("web", build_claim("web", "web")))
    for number in range(9):
        claims = [build_claim("x", name, "192.0.2.1", f"192.0.2.{number + 2}", namespace="a") for name in MANY]
        changed = [observe("web", build_claim("web", "api"))] if number == 1 else []
        world.feed(combine(*changed, observe("x", *claims, namespace="a")))
    assert "api.example.org" in str(world.reported)
    assert any("api.example.org" in one.desired.targets for one in world.reported if one.desired and one.type == "PTR")


def test_the_last_decision_about_a_ptr_record_of_one_step_is_reported() -> None:
    world = start_with_ptr_records(has_writer=False)
    world.run(observe("other", build_claim("other", "a-web", "there.example.net", rtype="CNAME")))
    world.run(observe("web", build_claim("web", "web")))  # waits for `a-web`, which its ownership record would have
    world.reported.clear()
    world.run(combine(observe_gone("other"), observe("api", build_claim("api", "api"))))
    found = [one.desired.targets for one in world.reported if one.desired and one.desired.type == rrtype.PTR]
    assert found == [("api.example.org", "web.example.org")]


def test_names_are_written_immediately_after_they_were_read_together() -> None:
    service = Capabilities(atomic=True, conditional=False, reads_full_zones=True)
    world = start_world(names_per_step=2, capabilities=service)
    world.feed(observe_many())
    for _ in range(5 * len(MANY)):
        world.feed(world.answer() if world.waiting else TimePassed())
    assert world.list_records().keys() == {f"{name} A" for name in MANY}
