"""Rules that read labels of namespaces (docs/design/rules.md, "The document")."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from extdns.cel.policy_rules import PolicyRules
from extdns.engine.inputs import Observed, RulesChanged
from extdns.model.change import Action
from extdns.model.reason import Reason
from extdns.model.value import StringMap
from extdns.resources.core import NAMESPACE
from extdns.rules.evaluation import Evaluation
from tests.builders import INGRESS, SERVICE, change_phase, observe, observe_new
from tests.cluster_world import HOUR_S, start_cluster
from tests.objects import Json, namespace, service
from tests.unit.cel.expressions import build_policy
from tests.world import World, build_world

WEB: Final = service("web")
RESTRICTED: Final = PolicyRules((build_policy("'restricted' in namespace.labels == false", onViolation="delete"),))
LABELLED: Final = PolicyRules((build_policy("'dns' in namespace.labels", onViolation="delete"),))
PROTECTED: Final = PolicyRules(
    (build_policy("'protected' in namespace.labels == false", match={"operations": ["DELETE"]}),)
)


def label_namespace(*labels: str) -> Json:
    """Return the namespace `shop` with *labels*."""
    made = namespace()
    made["metadata"]["labels"] = dict.fromkeys(labels, "yes")
    return made


def test_an_object_that_is_read_before_its_new_namespace_waits_for_the_labels_of_the_namespace() -> None:
    world = start_cluster(rules=RESTRICTED)
    world.apply(WEB, for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_UNAVAILABLE)]
    world.apply(label_namespace("restricted"))
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_DENIED)]
    world.apply(label_namespace())
    assert world.published() == {"web"}


def test_a_namespace_that_a_list_lacks_keeps_its_labels() -> None:
    world = start_cluster(WEB, label_namespace("dns"), rules=LABELLED)
    world.drop_from_list(label_namespace("dns"), for_s=HOUR_S)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_after_a_restart_a_record_stays_if_the_list_of_namespaces_lacks_the_namespace_of_its_object() -> None:
    world = start_cluster(WEB, label_namespace("dns"), rules=LABELLED)
    world.delete(label_namespace("dns"))
    world = world.restart(for_s=HOUR_S)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_UNAVAILABLE)]


def test_a_record_that_a_label_of_its_namespace_protects_is_deleted_once_the_namespace_is_deleted() -> None:
    world = start_cluster(WEB, label_namespace("protected"), rules=PROTECTED)
    world.delete(WEB, for_s=HOUR_S)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.POLICY_DENIED)]
    world.delete(label_namespace("protected"), for_s=HOUR_S)
    assert world.published() == set()


def test_a_record_that_a_label_of_its_namespace_protects_is_deleted_once_the_label_is_removed() -> None:
    world = start_cluster(WEB, label_namespace("protected"), rules=PROTECTED)
    world.delete(WEB, for_s=HOUR_S)
    assert world.published() == {"web"}
    world.apply(label_namespace(), for_s=HOUR_S)
    assert world.published() == set()


def test_with_manifests_as_input_a_missing_namespace_counts_as_having_no_labels(tmp_path: Path) -> None:
    world = start_cluster(WEB, rules=RESTRICTED, flags=[f"--manifests={tmp_path}"])
    assert world.published() == {"web"}


def start_with_server() -> World:
    """Start with the Service `web`, a policy server that allows everything, and no namespace."""
    world = build_world(has_policy_server=True, has_rules=True)
    world.policy = lambda _: Evaluation()
    ready = [change_phase(kind) for kind in (NAMESPACE, SERVICE, INGRESS)]
    world.run(RulesChanged(rules=None), observe_new("web"), *ready)
    return world


def test_a_create_allowed_by_the_policy_server_waits_until_the_namespace_of_the_object_was_read() -> None:
    world = start_with_server()
    assert world.list_decisions("web") == [("A", Action.NONE, Reason.POLICY_UNAVAILABLE)]
    (seen,) = observe("shop", kind=NAMESPACE, namespace="").observations
    world.run(Observed(observations=(replace(seen, labels=StringMap.from_items({"team": "a"})),)))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
