"""What violations of rules do (docs/design/rules.md, "What a violation does")."""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Input
from extdns.model.change import Action, RuleAction
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.rules.rule_input import Operation
from tests.builders import build_claim, observe, observe_gone, owned, record
from tests.rules import FakeRule, change_rules, deny_targets
from tests.world import World, start_world

BAD, GOOD = "169.254.0.1", "192.0.2.1"
PATIENT = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
STRICT = DeleteSettings(owner="me", grace_s=0.0, limits=DeleteLimits(count=0, percent=0))
DENY = deny_targets(BAD)
DELETE = deny_targets(BAD, deletes=True)
PROTECT = FakeRule(
    name="protected", allows=lambda _: False, operations=frozenset({Operation.DELETE}), message="web is protected"
)


def start_ruled(*rules: FakeRule, published: str = "", target: str = "", **settings: object) -> World:
    """Start with *rules*; the Service `web` requests *target*, and the zone holds *published*."""
    first: list[Input] = [change_rules(*rules)]
    if target or published:
        first.append(observe("web", build_claim("web", "web", target or published)))
    return start_world(*(owned("web", published) if published else ()), first=first, **settings)


def test_a_denied_create_is_not_made_and_its_decision_has_the_rule_and_the_message() -> None:
    world = start_ruled(DENY, target=BAD)
    decision = world.decision("web")
    assert world.list_records() == {}
    assert (decision.action, decision.reason) == (Action.NONE, Reason.POLICY_DENIED)
    assert decision.detail == f"no-such-targets: {BAD} is not allowed"
    assert [(one.rule, one.action) for one in decision.violations] == [("no-such-targets", RuleAction.DENY)]


def test_an_allowed_create_is_made_and_its_decision_lists_the_matching_rules() -> None:
    world = start_ruled(DENY, target=GOOD)
    assert world.list_records() == {"web A": (GOOD,)}
    assert (world.decision("web").reason, world.decision("web").rules) == (Reason.PUBLISHED, ("no-such-targets",))


def test_if_a_rule_denies_an_update_the_current_record_stays_unchanged() -> None:
    world = start_ruled(DENY, published=GOOD, target=BAD)
    decision = world.decision("web")
    assert world.list_records() == {"web A": (GOOD,)}
    assert (decision.action, decision.reason) == (Action.KEEP, Reason.POLICY_DENIED)
    assert decision.desired is not None
    assert decision.desired.targets == (BAD,)


def test_a_published_record_that_a_new_rule_denies_stays_and_is_reported_as_a_violation() -> None:
    world = start_ruled(published=BAD)
    world.run(change_rules(DENY), for_s=7200.0)
    assert world.list_records() == {"web A": (BAD,)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_VIOLATION)]


def test_an_edit_by_another_writer_of_a_record_that_a_rule_denies_is_not_repaired() -> None:
    world = start_ruled(DENY, published=BAD)
    world.provider.put_records(next(iter(world.engine.zones)).zone, record("web", "192.0.2.66"))
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.66",)}


def test_with_on_violation_delete_a_denied_record_is_deleted_after_the_grace_period() -> None:
    world = start_ruled(DELETE, published=BAD, deletes=PATIENT)
    world.run(for_s=50.0)
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.IN_GRACE),
        ("A", Action.NONE, Reason.POLICY_DENIED),
    ]
    world.run(for_s=20.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.POLICY_VIOLATION]
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_DENIED)]


def test_a_rule_with_on_violation_delete_that_matches_records_by_source_deletes_a_published_record() -> None:
    rule = deny_targets(BAD, deletes=True, matches=lambda item: bool(item.source))
    world = start_ruled(rule, published=BAD)
    world.run(for_s=60.0)
    assert world.list_records() == {}


def test_a_delete_because_of_a_violation_is_held_if_it_exceeds_the_budget() -> None:
    world = start_ruled(DELETE, published=BAD, deletes=STRICT)
    assert world.list_records() == {"web A": (BAD,)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD), ("A", Action.NONE, Reason.POLICY_DENIED)]


def test_a_record_in_violation_stays_if_the_rule_is_removed_within_the_grace_period() -> None:
    world = start_ruled(DELETE, published=BAD, deletes=PATIENT)
    world.run(change_rules(), for_s=600.0)
    assert world.list_records() == {"web A": (BAD,)}
    assert world.decision("web").reason is Reason.PUBLISHED


def test_a_denied_update_does_not_delete_a_current_record_that_the_rule_allows() -> None:
    world = start_ruled(DELETE, published=GOOD, target=BAD)
    world.run(for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_DENIED)]


def test_a_delete_that_a_rule_denies_is_not_made() -> None:
    world = start_ruled(PROTECT, published=GOOD)
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert (world.decision("web").reason, world.decision("web").detail) == (
        Reason.POLICY_DENIED,
        "protected: web is protected",
    )
    world.run(change_rules(), for_s=60.0)
    assert world.list_records() == {}


def test_a_rule_that_denies_the_delete_of_a_record_prevents_its_change_to_another_type() -> None:
    world = start_ruled(PROTECT, published=GOOD)
    world.run(observe("web", build_claim("web", "web", "lb.example.net", rtype="CNAME")), for_s=60.0)
    assert world.list_records() == {"web A": (GOOD,)}


def test_a_rule_that_denies_creates_does_not_prevent_deletes() -> None:
    world = start_ruled(DENY, published=BAD)
    world.run(observe_gone("web"), for_s=60.0)
    assert world.list_records() == {}


@pytest.mark.parametrize("action", [RuleAction.WARN, RuleAction.AUDIT])
def test_a_rule_that_only_warns_or_audits_does_not_prevent_a_create_and_the_decision_has_its_violation(
    action: RuleAction,
) -> None:
    world = start_ruled(deny_targets(BAD, action=action), target=BAD)
    decision = world.decision("web")
    assert world.list_records() == {"web A": (BAD,)}
    assert (decision.reason, [one.action for one in decision.violations]) == (Reason.PUBLISHED, [action])


def test_while_a_rule_has_no_valid_version_new_names_wait_and_published_records_stay() -> None:
    broken = deny_targets("unused", is_valid=False, operations=frozenset(Operation))
    world = start_ruled(broken, published=GOOD, target="192.0.2.2")
    world.run(observe("api", build_claim("api", "api", GOOD)), for_s=60.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_UNAVAILABLE)]
    assert world.list_decisions("api") == [("A", Action.NONE, Reason.POLICY_UNAVAILABLE)]
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}
    world.run(change_rules(DENY), for_s=60.0)
    assert world.list_records() == {"api A": (GOOD,)}


def test_a_denied_claim_of_another_namespace_gets_no_record_and_does_not_block_the_name_for_others() -> None:
    rule = FakeRule(name="shop-only", allows=lambda item: item.object is None or item.object.namespace == "shop")
    claim = build_claim("thief", "web", "192.0.2.66", namespace="other", created="2020-01-01T00:00:00Z")
    taker = observe("thief", claim, namespace="other")
    world = start_ruled(rule)
    world.run(taker, for_s=5.0)
    assert world.list_records() == {}
    world.run(observe("web", build_claim("web", "web", GOOD)), for_s=5.0)
    assert world.list_records() == {"web A": (GOOD,)}
    world.run(observe_gone("web"), for_s=60.0)
    assert world.list_records() == {}


def test_the_name_of_a_record_in_violation_does_not_pass_to_another_namespace() -> None:
    world = start_ruled(DENY, published=BAD)
    world.run(observe("other", build_claim("other", "web", GOOD, namespace="other"), namespace="other"), for_s=7200.0)
    assert world.list_records() == {"web A": (BAD,)}


def test_a_merged_record_in_violation_keeps_the_targets_of_the_denied_object() -> None:
    world = start_world(
        *owned("web", BAD, GOOD),
        first=[observe("web", build_claim("web", "web", GOOD)), observe("more", build_claim("more", "web", BAD))],
    )
    assert world.list_records() == {"web A": (BAD, GOOD)}
    world.run(change_rules(DENY), for_s=600.0)
    assert world.list_records() == {"web A": (BAD, GOOD)}


def test_an_object_whose_record_a_rule_denies_does_not_delay_updates_by_another_requester_of_the_name() -> None:
    world = start_ruled(DENY, published=GOOD)
    world.run(observe("more", build_claim("more", "web", BAD)), for_s=5.0)
    world.run(observe("web", build_claim("web", "web", "192.0.2.2")), for_s=5.0)
    assert world.list_records() == {"web A": ("192.0.2.2",)}


def test_records_that_rules_denied_are_published_once_all_rules_are_removed() -> None:
    world = start_ruled(DENY, target=BAD)
    world.run(change_rules(), for_s=5.0)
    assert world.list_records() == {"web A": (BAD,)}
    assert world.decision("web").violations == ()


def test_if_a_rule_denies_a_new_set_identifier_the_record_with_the_former_one_stays() -> None:
    before = build_claim("web", "web", GOOD, set_identifier="one")
    after = build_claim("web", "web", BAD, set_identifier="two")
    world = start_world(first=[observe("web", before)])
    world.run(change_rules(DENY), observe("web", after), for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}


def test_each_denied_record_of_an_object_has_a_decision_of_its_own() -> None:
    world = start_ruled(FakeRule(name="none", allows=lambda _: False), published=GOOD)
    claims = [build_claim("web", "web", GOOD), build_claim("web", "web", "lb.example.net", rtype="CNAME")]
    world.run(observe("web", *claims), for_s=60.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.POLICY_VIOLATION),
        ("CNAME", Action.NONE, Reason.POLICY_DENIED),
    ]


def test_the_first_pass_does_not_end_before_the_rules_are_read() -> None:
    world = start_world(first=[observe("web", build_claim("web", "web", GOOD))], has_rules=True)
    assert (world.list_records(), world.engine.is_planned) == ({}, False)
    world.run(change_rules(deny_targets(BAD)), for_s=1.0)
    assert (world.list_records(), world.engine.is_planned) == ({"web A": (GOOD,)}, True)


def test_before_the_rules_are_read_no_time_of_an_evaluation_is_stored() -> None:
    world = start_world(first=[observe("web", build_claim("web", "web", GOOD))], has_rules=True)
    assert world.engine.rules.evaluated_at_s is None
    world.run(change_rules(deny_targets(BAD)), for_s=1.0)
    assert world.engine.rules.evaluated_at_s is not None


def test_a_rule_about_deletes_does_not_keep_a_record_from_another_namespace_that_requests_the_same_type() -> None:
    world = start_ruled(PROTECT, published=GOOD, deletes=PATIENT)
    other = observe("web", build_claim("web", "web", "192.0.2.7", namespace="other"), namespace="other")
    world.run(other, observe_gone("web"), for_s=100.0)
    assert world.list_records() == {"web A": ("192.0.2.7",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
