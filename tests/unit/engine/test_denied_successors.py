"""What becomes of a record while rules deny what would replace it (docs/design/rules.md, "What stays")."""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Input
from extdns.model.change import Action
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.rules.rule_input import Operation
from tests.builders import build_claim, build_unresolved, observe, observe_gone, owned
from tests.rules import FakeRule, change_rules, deny_targets
from tests.world import World, start_world

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
    """Let the Service *name* request `web`."""
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


@RULES
@pytest.mark.parametrize("end", ENDS)
def test_a_record_stays_while_rules_do_not_allow_what_another_object_of_its_namespace_requests_instead(
    rule: FakeRule, reason: Reason, end: str
) -> None:
    world = replace_web(rule, request(BAD), end)
    assert world.list_records() == {"web A": (OLD,)}
    assert ("A", Action.KEEP, reason) in world.list_decisions("web")
    world.run(change_rules(), for_s=5.0)
    assert world.list_records() == {"web A": (BAD,)}


@RULES
def test_a_record_stays_while_rules_do_not_allow_the_requested_incompatible_record(
    rule: FakeRule, reason: Reason
) -> None:
    world = replace_web(rule, request(ALIAS, rtype="CNAME"))
    assert world.list_records() == {"web A": (OLD,)}
    assert ("A", Action.KEEP, reason) in world.list_decisions("web")


@RULES
def test_an_unrequested_record_is_deleted_although_rules_do_not_allow_a_record_that_could_coexist_with_it(
    rule: FakeRule, reason: Reason
) -> None:
    rule = rule if rule is BROKEN else FakeRule(name="no-aaaa", allows=lambda item: item.record.type != "AAAA")
    world = replace_web(rule, request("2001:db8::1", rtype="AAAA"))
    assert world.list_records() == {}
    assert world.list_decisions("web") == [("AAAA", Action.NONE, reason)]


@RULES
def test_an_unrequested_record_is_deleted_although_rules_do_not_allow_the_request_of_another_namespace(
    rule: FakeRule, reason: Reason
) -> None:
    world = replace_web(rule, request(BAD, namespace="other"))
    assert world.list_records() == {}
    assert world.list_decisions("web") == [("A", Action.NONE, reason)]


def test_a_request_that_rules_allow_replaces_a_record_although_they_deny_another_request() -> None:
    world = replace_web(DENY, request(BAD))
    world.run(request(GOOD, "third"), for_s=5.0)
    assert world.list_records() == {"web A": (GOOD,)}


def test_a_record_does_not_pass_to_another_namespace_while_its_own_namespace_has_a_denied_request_for_the_name() -> (
    None
):
    world = replace_web(DENY, request(BAD))
    world.run(request(GOOD, namespace="other"), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}


def test_a_record_kept_for_a_denied_request_is_deleted_if_it_violates_an_on_violation_delete_rule_itself() -> None:
    rule = deny_targets(OLD, BAD, deletes=True)
    world = replace_web(rule, request(BAD))
    assert world.list_records() == {}
    assert world.evidence == [Evidence.POLICY_VIOLATION]


def test_a_denied_request_keeps_a_record_even_after_the_unresolved_timeout() -> None:
    world = start(change_rules(DENY), observe("first", build_unresolved("first", "web")))
    world.run(request(BAD), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}


@pytest.mark.parametrize(
    "rule", [PROTECT, FakeRule(name="all", allows=lambda _: True, operations=frozenset(Operation), is_valid=False)]
)
def test_a_record_whose_delete_rules_do_not_allow_stays_after_the_unresolved_timeout(rule: FakeRule) -> None:
    world = start(observe("web", build_unresolved("web", "web")))
    world.run(change_rules(rule), for_s=7200.0)
    assert world.list_records() == {"web A": (OLD,)}
    world.run(change_rules(), for_s=99.0)
    assert world.list_records() == {"web A": (OLD,)}
    world.run(for_s=2.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.UNRESOLVED_EXPIRED]
