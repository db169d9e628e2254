"""What violations of rules do (docs/design/rules.md, "What a violation does")."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.cel.policy_rules import PolicyRules
from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Input, Observed, RulesChanged
from extdns.model.change import Action, RuleAction
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.value import StringMap
from extdns.resources.core import NAMESPACE
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation
from tests.builders import (
    INGRESS,
    SERVICE,
    build_claim,
    change_phase,
    observe,
    observe_gone,
    observe_new,
    owned,
    record,
)
from tests.cluster_world import HOUR_S, start_cluster
from tests.objects import Json, namespace, service
from tests.rules import FakeRule, change_rules, deny_targets
from tests.unit.cel.expressions import build_policy
from tests.world import World, build_world, start_world

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


def test_denied_create_is_not_made_and_has_rule_and_message() -> None:
    world = start_ruled(DENY, target=BAD)
    decision = world.decision("web")
    assert world.list_records() == {}
    assert (decision.action, decision.reason) == (Action.NONE, Reason.POLICY_DENIED)
    assert decision.detail == f"no-such-targets: {BAD} is not allowed"
    assert [(one.rule, one.action) for one in decision.violations] == [("no-such-targets", RuleAction.DENY)]
    world.run(change_rules(), for_s=5.0)
    assert world.list_records() == {"web A": (BAD,)}
    assert world.decision("web").violations == ()


def test_allowed_create_is_made_and_lists_the_matching_rules() -> None:
    world = start_ruled(DENY, target=GOOD)
    assert world.list_records() == {"web A": (GOOD,)}
    assert (world.decision("web").reason, world.decision("web").rules) == (Reason.PUBLISHED, ("no-such-targets",))


@pytest.mark.parametrize("rule", [DENY, DELETE], ids=["deny", "on-violation-delete"])
def test_allowed_record_stays_if_a_rule_denies_its_update(rule: FakeRule) -> None:
    world = start_ruled(rule, published=GOOD, target=BAD)
    world.run(for_s=600.0)
    decision = world.decision("web")
    assert world.list_records() == {"web A": (GOOD,)}
    assert (decision.action, decision.reason) == (Action.KEEP, Reason.POLICY_DENIED)
    assert decision.desired is not None
    assert decision.desired.targets == (BAD,)


def test_foreign_edit_of_a_denied_record_is_not_repaired() -> None:
    world = start_ruled(DENY, published=BAD)
    world.provider.put_records(next(iter(world.engine.zones)).zone, record("web", "192.0.2.66"))
    world.run(for_s=75.0)
    assert world.list_records() == {"web A": ("192.0.2.66",)}


def test_denied_record_is_deleted_after_grace_with_on_violation_delete() -> None:
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


def test_deleted_on_violation_if_the_rule_matches_by_source() -> None:
    rule = deny_targets(BAD, deletes=True, matches=lambda item: bool(item.source))
    world = start_ruled(rule, published=BAD)
    world.run(for_s=60.0)
    assert world.list_records() == {}


def test_delete_on_violation_is_held_if_it_exceeds_the_budget() -> None:
    world = start_ruled(DELETE, published=BAD, deletes=STRICT)
    assert world.list_records() == {"web A": (BAD,)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD), ("A", Action.NONE, Reason.POLICY_DENIED)]


def test_denied_delete_is_not_made() -> None:
    world = start_ruled(PROTECT, published=GOOD)
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert (world.decision("web").reason, world.decision("web").detail) == (
        Reason.POLICY_DENIED,
        "protected: web is protected",
    )
    world.run(change_rules(), for_s=60.0)
    assert world.list_records() == {}


def test_change_of_type_is_not_made_if_a_rule_denies_the_delete() -> None:
    world = start_ruled(PROTECT, published=GOOD)
    world.run(observe("web", build_claim("web", "web", "lb.example.net", rtype="CNAME")), for_s=60.0)
    assert world.list_records() == {"web A": (GOOD,)}


def test_delete_is_made_although_a_rule_denies_creates() -> None:
    world = start_ruled(DENY, published=BAD)
    world.run(observe_gone("web"), for_s=60.0)
    assert world.list_records() == {}


@pytest.mark.parametrize("action", [RuleAction.WARN, RuleAction.AUDIT])
def test_create_is_made_if_a_rule_only_warns_or_audits(action: RuleAction) -> None:
    world = start_ruled(deny_targets(BAD, action=action), target=BAD)
    decision = world.decision("web")
    assert world.list_records() == {"web A": (BAD,)}
    assert (decision.reason, [one.action for one in decision.violations]) == (Reason.PUBLISHED, [action])


def test_new_names_wait_and_records_stay_while_a_rule_has_no_valid_version() -> None:
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


def test_denied_claim_does_not_block_the_name_for_other_namespaces() -> None:
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


def test_name_of_a_record_in_violation_does_not_pass_to_another_namespace() -> None:
    world = start_ruled(DENY, published=BAD)
    world.run(observe("other", build_claim("other", "web", GOOD, namespace="other"), namespace="other"), for_s=7200.0)
    assert world.list_records() == {"web A": (BAD,)}


def test_another_namespace_is_told_that_a_rule_protects_the_record_in_its_way() -> None:
    world = start_ruled(PROTECT, published=GOOD, deletes=PATIENT)
    alias = build_claim("other", "web", "lb.test", rtype="CNAME", namespace="other")
    world.run(observe_gone("web"), observe("other", alias, namespace="other"), for_s=600.0)
    world.run(change_rules(PROTECT, DENY))
    assert world.list_records() == {"web A": (GOOD,)}
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.POLICY_DENIED),
        ("CNAME", Action.NONE, Reason.POLICY_DENIED),
    ]


def test_another_namespace_is_not_told_of_a_grace_period_if_a_rule_denies_the_delete_in_its_way() -> None:
    alias = build_claim("web", "web", "lb.test", rtype="CNAME")
    published = owned("web", "lb.test", rtype="CNAME")
    world = start_world(*published, first=[change_rules(PROTECT), observe("web", alias)], deletes=PATIENT)
    taker = observe("taker", build_claim("taker", "web", GOOD, namespace="the-last"), namespace="the-last")
    world.run(taker, observe("web", build_claim("web", "web", GOOD, set_identifier="blue")), for_s=5.0)
    assert world.list_decisions("web") == [
        ("A", Action.NONE, Reason.REQUESTED_BY_OTHER),
        ("CNAME", Action.KEEP, Reason.POLICY_DENIED),
        ("A", Action.NONE, Reason.POLICY_DENIED),
    ]


def test_merged_record_keeps_the_targets_of_the_denied_object() -> None:
    world = start_world(
        *owned("web", BAD, GOOD),
        first=[observe("web", build_claim("web", "web", GOOD)), observe("more", build_claim("more", "web", BAD))],
    )
    assert world.list_records() == {"web A": (BAD, GOOD)}
    world.run(change_rules(DENY), for_s=600.0)
    assert world.list_records() == {"web A": (BAD, GOOD)}


def test_denied_object_does_not_delay_updates_by_another_requester() -> None:
    world = start_ruled(DENY, published=GOOD)
    world.run(observe("more", build_claim("more", "web", BAD)), for_s=5.0)
    world.run(observe("web", build_claim("web", "web", "192.0.2.2")), for_s=5.0)
    assert world.list_records() == {"web A": ("192.0.2.2",)}


def test_record_stays_if_a_rule_denies_its_new_set_identifier() -> None:
    before = build_claim("web", "web", GOOD, set_identifier="one")
    after = build_claim("web", "web", BAD, set_identifier="two")
    world = start_world(first=[observe("web", before)])
    world.run(change_rules(DENY), observe("web", after), for_s=600.0)
    assert world.list_records() == {"web A": (GOOD,)}


def test_each_denied_record_of_an_object_has_its_own_decision() -> None:
    world = start_ruled(FakeRule(name="none", allows=lambda _: False), published=GOOD)
    claims = [build_claim("web", "web", GOOD), build_claim("web", "web", "lb.example.net", rtype="CNAME")]
    world.run(observe("web", *claims), for_s=60.0)
    assert world.list_records() == {"web A": (GOOD,)}
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.POLICY_VIOLATION),
        ("CNAME", Action.NONE, Reason.POLICY_DENIED),
    ]


def test_first_pass_does_not_end_before_the_rules_are_read() -> None:
    world = start_world(first=[observe("web", build_claim("web", "web", GOOD))], has_rules=True)
    assert (world.list_records(), world.engine.is_planned, world.engine.rules.evaluated_at_s) == ({}, False, None)
    world.run(change_rules(deny_targets(BAD)), for_s=1.0)
    assert (world.list_records(), world.engine.is_planned) == ({"web A": (GOOD,)}, True)
    assert world.engine.rules.evaluated_at_s is not None


def test_rule_about_deletes_does_not_keep_record_from_another_namespace() -> None:
    world = start_ruled(PROTECT, published=GOOD, deletes=PATIENT)
    other = observe("web", build_claim("web", "web", "192.0.2.7", namespace="other"), namespace="other")
    world.run(other, observe_gone("web"), for_s=100.0)
    assert world.list_records() == {"web A": ("192.0.2.7",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


WEB: Final = service("web")
RESTRICTED: Final = PolicyRules((build_policy("'restricted' in namespace.labels == false", onViolation="delete"),))
LABELLED: Final = PolicyRules((build_policy("'dns' in namespace.labels", onViolation="delete"),))
PROTECTED: Final = PolicyRules(
    (build_policy("'protected' in namespace.labels == false", match={"operations": ["DELETE"]}),)
)


def label_namespace(*labels: str) -> Json:
    made = namespace()
    made["metadata"]["labels"] = dict.fromkeys(labels, "yes")
    return made


# labels of namespaces ("The document")


def test_object_waits_for_the_labels_of_its_new_namespace() -> None:
    world = start_cluster(rules=RESTRICTED)
    world.apply(WEB, for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_UNAVAILABLE)]
    world.apply(label_namespace("restricted"))
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_DENIED)]
    world.apply(label_namespace())
    assert world.published() == {"web"}


def test_namespace_that_a_list_lacks_keeps_its_labels() -> None:
    world = start_cluster(WEB, label_namespace("dns"), rules=LABELLED)
    world.drop_from_list(label_namespace("dns"), for_s=HOUR_S)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_record_stays_after_a_restart_if_its_namespace_is_not_listed() -> None:
    world = start_cluster(WEB, label_namespace("dns"), rules=LABELLED)
    world.delete(label_namespace("dns"))
    world = world.restart(for_s=HOUR_S)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_UNAVAILABLE)]


@pytest.mark.parametrize("is_deleted", [True, False], ids=["namespace-deleted", "label-removed"])
def test_protected_record_is_deleted_when_the_label_is_gone(*, is_deleted: bool) -> None:
    world = start_cluster(WEB, label_namespace("protected"), rules=PROTECTED)
    world.delete(WEB, for_s=HOUR_S)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_DENIED)]
    if is_deleted:
        world.delete(label_namespace("protected"), for_s=HOUR_S)
    else:
        world.apply(label_namespace(), for_s=HOUR_S)
    assert world.published() == set()


def test_missing_namespace_has_no_labels_with_manifests(tmp_path: Path) -> None:
    world = start_cluster(WEB, rules=RESTRICTED, flags=[f"--manifests={tmp_path}"])
    assert world.published() == {"web"}


def test_create_allowed_by_the_server_waits_for_the_namespace() -> None:
    world = build_world(has_policy_server=True, has_rules=True)
    world.policy = lambda _: Evaluation()
    ready = [change_phase(kind) for kind in (NAMESPACE, SERVICE, INGRESS)]
    world.run(RulesChanged(rules=None), observe_new("web"), *ready)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_UNAVAILABLE)]
    (seen,) = observe("shop", kind=NAMESPACE, namespace="").observations
    world.run(Observed(observations=(replace(seen, labels=StringMap.from_items({"team": "a"})),)))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
