"""What becomes of a record while what would replace it is denied or refused (law 6).

See docs/design/rules.md, "What stays"; docs/spec/plan.md 11.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.health import find_failures
from extdns.engine.inputs import Input
from extdns.model.change import Action
from extdns.model.claim import ResolvedClaim
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.rules.rule_input import Operation
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    accept_only,
    build_claim,
    build_unresolved,
    change_phase,
    host,
    observe,
    observe_gone,
    owned,
    record,
)
from tests.rules import FakeRule, change_rules, deny_targets
from tests.world import World, build_world, start_published, start_world

OLD, BAD, GOOD, ALIAS = "192.0.2.1", "169.254.0.1", "192.0.2.2", "bad.example.net"
DENY = deny_targets(BAD, ALIAS)
BROKEN = FakeRule(name="broken", allows=lambda _: True, is_valid=False)
PROTECT = FakeRule(name="protected", allows=lambda _: False, operations=frozenset({Operation.DELETE}))
RULES = pytest.mark.parametrize(
    ("rule", "reason"),
    [
        pytest.param(DENY, Reason.POLICY_DENIED, id="denied"),
        pytest.param(BROKEN, Reason.POLICY_UNAVAILABLE, id="unanswered"),
    ],
)
ENDS = {
    "deleted": observe_gone("web"),
    "hostname-removed": observe("web"),
    "unresolved": observe("web", build_unresolved("web", "web")),
    "gone-before-the-start": None,
}


def request(target: str, name: str = "new", rtype: str = "A", namespace: str = "shop") -> Input:
    return observe(name, build_claim(name, "web", target, rtype=rtype, namespace=namespace), namespace=namespace)


def start(*first: Input) -> World:
    """Start with the record of the Service `web`, without grace period and budgets."""
    settings = DeleteSettings(owner="me", grace_s=0.0, unresolved_timeout_s=100.0, limits=DeleteLimits(percent=100))
    return start_world(*owned("web", OLD), first=first, deletes=settings)


def replace_web(rule: FakeRule, successor: Input, end: str = "deleted") -> World:
    """Let *successor* request `web`, and the request of the Service `web` end as `ENDS` states."""
    observed = ENDS[end]
    world = start(change_rules(rule), request(OLD, "web") if observed else successor)
    world.run(successor, *([observed] if observed else []), for_s=7200.0)
    return world


# denied by rules


@RULES
@pytest.mark.parametrize("end", ENDS)
def test_record_stays_while_rules_do_not_allow_what_another_object_requests(
    rule: FakeRule, reason: Reason, end: str
) -> None:
    world = replace_web(rule, request(BAD), end)
    assert world.list_records() == {"web A": (OLD,)}
    assert ("A", Action.KEEP, reason) in world.list_decisions("web")
    world.run(change_rules(), for_s=5.0)
    assert world.list_records() == {"web A": (BAD,)}


@RULES
def test_record_stays_while_rules_do_not_allow_an_incompatible_one(rule: FakeRule, reason: Reason) -> None:
    world = replace_web(rule, request(ALIAS, rtype="CNAME"))
    assert world.list_records() == {"web A": (OLD,)}
    assert ("A", Action.KEEP, reason) in world.list_decisions("web")


@RULES
@pytest.mark.parametrize(
    ("successor", "rtype"),
    [
        pytest.param(request("2001:db8::1", rtype="AAAA"), "AAAA", id="could-coexist"),
        pytest.param(request(BAD, namespace="other"), "A", id="of-another-namespace"),
    ],
)
def test_record_is_deleted_although_rules_deny_what_does_not_replace_it(
    rule: FakeRule, reason: Reason, successor: Input, rtype: str
) -> None:
    world = replace_web(rule if rule is BROKEN else deny_targets(BAD, "2001:db8::1"), successor)
    assert world.list_records() == {}
    assert world.list_decisions("web") == [(rtype, Action.NONE, reason)]


def test_denied_request_keeps_no_record_of_another_type_beside_its_own() -> None:
    six = observe("six", build_claim("six", "web", "2001:db8::1", rtype="AAAA"))
    world = start(change_rules(), request(OLD, "web"), six)
    world.run(change_rules(deny_targets(OLD)), observe_gone("six"), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}


@pytest.mark.parametrize(("end", "stays"), [("gone-before-the-start", True), ("deleted", False)])
def test_denied_request_of_its_targets_keeps_a_record_only_from_absence(end: str, *, stays: bool) -> None:
    world = replace_web(deny_targets(OLD), request(OLD, namespace="other"), end)
    assert world.list_records() == ({"web A": (OLD,)} if stays else {})
    assert (("A", Action.KEEP, Reason.POLICY_VIOLATION) in world.list_decisions("web")) is stays


def test_allowed_request_replaces_record_although_another_is_denied() -> None:
    world = replace_web(DENY, request(BAD))
    world.run(request(GOOD, "third"), for_s=5.0)
    assert world.list_records() == {"web A": (GOOD,)}


def test_name_does_not_pass_while_its_namespace_has_a_denied_request() -> None:
    world = replace_web(DENY, request(BAD))
    world.run(request(GOOD, namespace="other"), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}


def test_record_is_deleted_if_it_violates_an_on_violation_delete_rule() -> None:
    rule = deny_targets(OLD, BAD, deletes=True)
    world = replace_web(rule, request(BAD))
    assert world.list_records() == {}
    assert world.evidence == [Evidence.POLICY_VIOLATION]


def test_denied_request_keeps_record_after_the_unresolved_timeout() -> None:
    world = start(change_rules(DENY), observe("first", build_unresolved("first", "web")))
    world.run(request(BAD), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}


@pytest.mark.parametrize(
    "rule", [PROTECT, FakeRule(name="all", allows=lambda _: True, operations=frozenset(Operation), is_valid=False)]
)
def test_record_stays_after_unresolved_timeout_while_rules_deny_its_delete(rule: FakeRule) -> None:
    world = start(observe("web", build_unresolved("web", "web")))
    world.run(change_rules(rule), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}
    world.run(change_rules(), for_s=99.0)
    assert world.list_records() == {"web A": (OLD,)}
    world.run(for_s=2.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.UNRESOLVED_EXPIRED]


WEB = build_claim("web", "web")
CNAME = build_claim("web", "web", "lb.test", rtype="CNAME")
ROUTED = build_claim("web", "web", set_identifier="v1")
OTHER_TYPE = build_claim("web", "web", "2001:db8::1", rtype="AAAA")
MAIL = build_claim("web", "web", "10 mx.test", rtype="MX")
CURRENT = owned("web")
SIMPLE_ADDRESSES = accept_only(lambda one: one.type in {"A", "AAAA"} and not one.set_identifier)


def run_with_change(*requested: ResolvedClaim, compat: bool) -> World:
    """Run an engine whose Service `web` has the current record, and then requests *requested* instead."""
    world = start_world(
        *CURRENT, first=[observe("web", WEB)], adjust=SIMPLE_ADDRESSES, plan=replace(PLAN, compat=compat)
    )
    world.run(observe("web", *requested), for_s=300.0)
    return world


# refused by the service


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize(
    "requested", [pytest.param(CNAME, id="11-another-type"), pytest.param(ROUTED, id="law-6-routed-for-simple")]
)
def test_record_is_kept_if_the_service_does_not_support_its_replacement(
    requested: ResolvedClaim, *, compat: bool
) -> None:
    world = run_with_change(requested, compat=compat)
    assert world.batches == []
    found = [one for one in world.engine.decisions.decisions(WEB.name) if one.current]
    assert [(one.action, one.reason, one.detail) for one in found] == [
        ("keep", "unsupported", f"the requested {requested.desired.type} record cannot replace it: too much")
    ]


@pytest.mark.parametrize("reason", [Reason.TOO_LARGE, Reason.INVALID_TARGET, Reason.OBJECT_FAILED])
@pytest.mark.parametrize("requested", [CNAME, ROUTED, OTHER_TYPE], ids=["cname", "routed", "another-type"])
def test_record_is_kept_while_its_replacement_cannot_be_published(requested: ResolvedClaim, reason: Reason) -> None:
    only_web = accept_only(lambda one: one == WEB.desired, reason)
    world = start_world(*CURRENT, first=[observe("web", WEB)], adjust=only_web)
    world.run(observe("web", requested), for_s=300.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in world.engine.decisions.decisions(WEB.name)} == {reason}


@pytest.mark.parametrize("reason", [Reason.NO_ADDRESS, Reason.INVALID_TARGET])
def test_record_is_kept_while_its_object_has_another_set_identifier_and_no_target(reason: Reason) -> None:
    world = start_world(*CURRENT, first=[observe("web", WEB)])
    world.run(observe("web", build_unresolved("web", "web", reason, set_identifier="v1")), for_s=300.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.run(observe("web", ROUTED), for_s=300.0)
    assert [key.set_identifier for key in world.provider.contents(ZONE) if key.type == "A"] == ["v1"]


def test_name_does_not_pass_while_its_object_has_another_set_identifier_and_no_target() -> None:
    world = start_world(*CURRENT, first=[observe("web", WEB)])
    world.run(observe("web", build_unresolved("web", "web", set_identifier="v1")), for_s=300.0)
    world.run(request(GOOD, namespace="other"), for_s=300.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


V1, V2 = build_claim("web", "web", set_identifier="v1"), build_claim("web", "web", set_identifier="v2")


def start_routed(*, compat: bool) -> World:
    """Start an engine whose Service `web` has a record with the set identifier `v1`."""
    world = start_world(
        first=[observe("web", V1)],
        adjust=accept_only(lambda one: one.set_identifier != "v2"),
        plan=replace(PLAN, compat=compat),
    )
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    return world


@pytest.mark.parametrize("compat", [False, True])
def test_routed_record_is_kept_if_its_replacement_is_unsupported(*, compat: bool) -> None:
    world = start_routed(compat=compat)
    world.run(observe("web", V2), for_s=300.0)
    (stays,) = [one for one in world.engine.decisions.decisions(V1.name) if one.current]
    assert (stays.set_identifier, stays.action, stays.reason) == ("v1", Action.KEEP, Reason.UNSUPPORTED)
    world.run(observe("web", build_claim("web", "web", set_identifier="v3")), for_s=300.0)
    assert [key.set_identifier for key in world.provider.contents(ZONE) if key.type == "A"] == ["v3"]


@pytest.mark.parametrize("compat", [False, True])
def test_routed_record_is_deleted_if_another_object_requests_the_unsupported(*, compat: bool) -> None:
    world = start_routed(compat=compat)
    other = build_claim("web", "web", "2001:db8::1", rtype="AAAA", set_identifier="v2")
    world.run(observe("web", other), observe("api", build_claim("api", "web", set_identifier="v2")), for_s=300.0)
    assert world.list_records() == {}


@pytest.mark.parametrize("compat", [False, True])
def test_record_stays_without_compat_while_the_cname_loses_to_an_aaaa(*, compat: bool) -> None:
    other = build_claim("api", "web", "2001:db8::1", rtype="AAAA")
    world = start_world(*CURRENT, first=[observe("web", WEB), observe("api", other)], plan=replace(PLAN, compat=compat))
    world.run(observe("web", CNAME), for_s=300.0)
    address = {} if compat else {"web A": ("192.0.2.1",)}  # external-dns deletes the A record
    assert world.list_records() == {"web AAAA": ("2001:db8::1",)} | address
    world.run(observe("api"), for_s=300.0)
    assert world.list_records() == {"web CNAME": ("lb.test",)}


def test_record_kept_as_unsupported_goes_when_its_object_is_deleted() -> None:
    world = run_with_change(CNAME, compat=False)
    world.run(observe_gone("web"))
    assert world.list_records() == {}


def test_record_is_deleted_with_compat_although_its_successor_is_unsupported() -> None:
    assert run_with_change(MAIL, compat=True).list_records() == {}


def test_record_is_replaced_if_the_service_supports_the_replacement() -> None:
    assert run_with_change(OTHER_TYPE, compat=False).list_records() == {"web AAAA": ("2001:db8::1",)}


def test_record_is_kept_as_unsupported_if_a_foreign_record_also_blocks() -> None:
    theirs = record("web", "2001:db8::9", rtype="AAAA")
    world = start_world(*CURRENT, theirs, first=[observe("web", WEB)], adjust=SIMPLE_ADDRESSES)
    world.run(observe("web", CNAME), for_s=300.0)
    assert world.batches == []
    found = {(one.type, one.reason) for one in world.engine.decisions.decisions(WEB.name)}
    assert found == {("A", Reason.UNSUPPORTED), ("AAAA", Reason.FOREIGN_RECORD), ("CNAME", Reason.UNSUPPORTED)}
    assert find_failures(world.engine) == ("2 records could not be published",)


def test_record_is_deleted_although_an_unsupported_cname_yields_to_it() -> None:
    world = start_world(first=[observe("web", WEB, OTHER_TYPE)], adjust=SIMPLE_ADDRESSES)
    world.run(observe("web", WEB), observe("api", build_claim("api", "web", "lb.test", rtype="CNAME")), for_s=300.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert find_failures(world.engine) == ()


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(build_claim("new", "web", set_identifier="v1"), id="routed"),
        pytest.param(build_claim("new", "web", "lb.test", rtype="CNAME"), id="cname"),
    ],
)
def test_record_of_a_deleted_object_is_kept_if_replacement_is_unsupported(
    claim: ResolvedClaim, *, compat: bool
) -> None:
    world = build_world(*owned("web"), adjust=SIMPLE_ADDRESSES, plan=replace(PLAN, compat=compat))
    world.run(observe("new", claim), change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert [one.reason for one in world.engine.decisions.decisions(host("web")) if one.current] == [Reason.UNSUPPORTED]


def test_record_is_deleted_although_an_unsupported_one_could_coexist() -> None:
    world = start_published(adjust=SIMPLE_ADDRESSES)
    other = build_claim("new", "web", "2001:db8::1", rtype="AAAA", set_identifier="v1")
    world.run(observe("new", other), observe_gone("web"), for_s=600.0)
    assert world.list_records() == {}
