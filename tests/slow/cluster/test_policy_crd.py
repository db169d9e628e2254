"""The DNSPolicy CRD in the real API server: it accepts and rejects what extdns accepts and rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from extdns.cel.policy_document import read_policy
from extdns.controller.clock import SystemClock
from extdns.kube.api import ApiClient
from extdns.kube.cluster_access import ClusterAccess
from extdns.kube.status_conditions import build_policy_status
from extdns.kube.status_writer import KubernetesStatusWriter
from extdns.model.kind import ObjectKey
from extdns.model.object_status import PolicyStatus
from extdns.resources.extdns import DNS_POLICY as KIND
from tests.fakes.apiserver.raw_client import Reply
from tests.kubernetes.cluster import Cluster

Json = dict[str, Any]

ROOT: Final = Path(__file__).parents[3]
EXAMPLES: Final = sorted(
    set((ROOT / "examples" / "policy" / "cel").glob("*.yaml")) - {ROOT / "examples" / "policy" / "cel" / "tests.yaml"}
)
POLICIES: Final = "/apis/extdns.io/v1alpha1/dnspolicies"
TRUE: Final = [{"expression": "true"}]


def create(any_version: Cluster, spec: object) -> Reply:
    """Try to create a DNSPolicy with *spec* as a dry run, so that nothing is stored."""
    policy = {"apiVersion": "extdns.io/v1alpha1", "kind": "DNSPolicy", "metadata": {"name": "rule"}, "spec": spec}
    return any_version.raw_client.send("POST", f"{POLICIES}?dryRun=All", policy)


VALID: Final[dict[str, Json]] = {
    "one expression": {"validations": TRUE},
    "every field": {
        "match": {
            "operations": ["CREATE", "DELETE"],
            "sources": ["service"],
            "namespaces": ["team-a"],
            "namespaceSelector": {
                "matchLabels": {"example.com/team": "a"},
                "matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["test"]}],
            },
            "recordTypes": ["A", "AAAA"],
            "zones": ["example.com"],
            "domains": ["münchen.example"],
        },
        "variables": [{"name": "a", "expression": "1"}],
        "validations": [{"expression": "true", "message": "m", "messageExpression": "'m'", "reason": "NotAllowed"}],
        "action": "deny",
        "onViolation": "delete",
        "failurePolicy": "Ignore",
    },
    **{path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["spec"] for path in EXAMPLES},
}

INVALID: Final[dict[str, tuple[Json, str]]] = {
    "no validations": ({}, "spec.validations: Required value"),
    "empty validations": ({"validations": []}, "should have at least 1 items"),
    "no expression": ({"validations": [{"message": "m"}]}, "spec.validations[0].expression: Required value"),
    "long expression": ({"validations": [{"expression": "a" * 2049}]}, "may not be more than 2048"),
    "long message": ({"validations": [{"expression": "true", "message": "a" * 501}]}, "may not be more than 500"),
    "two lines": ({"validations": [{"expression": "true", "message": "a\nb"}]}, "a message has one line"),
    "reason": ({"validations": [{"expression": "true", "reason": "not allowed"}]}, "spec.validations[0].reason"),
    "many validations": ({"validations": TRUE * 33}, "must have at most 32 items"),
    "action": ({"validations": TRUE, "action": "block"}, "Unsupported value"),
    "failure policy": ({"validations": TRUE, "failurePolicy": "fail"}, "Unsupported value"),
    "delete with warn": (
        {"validations": TRUE, "action": "warn", "onViolation": "delete"},
        "onViolation delete needs action deny",
    ),
    "variable twice": (
        {"validations": TRUE, "variables": [{"name": "a", "expression": "1"}, {"name": "a", "expression": "2"}]},
        "Duplicate value",
    ),
    "operation": ({"validations": TRUE, "match": {"operations": ["CONNECT"]}}, "Unsupported value"),
    "type": ({"validations": TRUE, "match": {"recordTypes": ["a"]}}, "spec.match.recordTypes[0]"),
    "selector": (
        {"validations": TRUE, "match": {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}},
        "In and NotIn need values",
    ),
}


def test_the_status_of_a_policy_is_written_once_and_the_next_process_leaves_it_unchanged(
    any_version: Cluster, tmp_path: Path
) -> None:
    policy = {"apiVersion": "extdns.io/v1alpha1", "kind": "DNSPolicy", "metadata": {"name": "stored"}}
    stored = any_version.raw_client.send("POST", POLICIES, policy | {"spec": {"validations": TRUE}})
    assert stored.code == 201
    status = PolicyStatus(key=ObjectKey(KIND, "", "stored"), generation=1, matched=3, violations=1)
    versions = []
    for _ in range(2):
        api = ApiClient(ClusterAccess(kubeconfig=str(any_version.kubeconfig(tmp_path / "kubeconfig"))))
        writer = KubernetesStatusWriter(api, KIND, SystemClock(), build=build_policy_status, pause_s=0.0)
        writer.write(status)
        writer.close(10.0)
        versions.append(any_version.raw_client.get(f"{POLICIES}/stored").body)
    assert versions[0] == versions[1]
    assert versions[0]["status"]["counts"] == {"matched": 3, "violations": 1}
    assert [one["type"] for one in versions[0]["status"]["conditions"]] == ["Ready"]


@pytest.mark.parametrize("spec", VALID.values(), ids=VALID)
def test_the_crd_accepts_every_policy_that_extdns_accepts(any_version: Cluster, spec: Json) -> None:
    reply = create(any_version, spec)
    assert reply.code == 201, reply.body
    assert read_policy("rule", spec).problems == ()


@pytest.mark.parametrize(("spec", "says"), INVALID.values(), ids=INVALID)
def test_the_crd_rejects_every_policy_that_extdns_rejects_and_says_why(
    any_version: Cluster, spec: Json, says: str
) -> None:
    reply = create(any_version, spec)
    assert (reply.code, says in reply.body["message"]) == (422, True), reply.body["message"]
    assert read_policy("rule", spec).problems != ()
