"""Which inputs a policy is evaluated on."""

from __future__ import annotations

from typing import Any

import pytest

from extdns.cel.policy_rules import is_matched
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from extdns.rules.rule_input import Operation
from tests.unit.cel.expressions import SERVICE, build_input, read_match

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], bool | None]] = {
    "everything": ({}, {}, True),
    "an update": ({}, {"operation": Operation.UPDATE}, True),
    "no delete by default": ({}, {"operation": Operation.DELETE}, False),
    "a delete": ({"operations": ["DELETE"]}, {"operation": Operation.DELETE}, True),
    "no create": ({"operations": ["DELETE"]}, {}, False),
    "the source": ({"sources": ["ingress", "service"]}, {}, True),
    "another source": ({"sources": ["ingress"]}, {}, False),
    "a delete, whose source is unknown": (
        {"sources": ["ingress"], "operations": ["DELETE"]},
        {"operation": Operation.DELETE, "source": ""},
        True,
    ),
    "the type": ({"recordTypes": ["A"]}, {}, True),
    "another type": ({"recordTypes": ["CNAME"]}, {}, False),
    "the zone": ({"zones": ["Example.com."]}, {}, True),
    "another zone": ({"zones": ["example.com"]}, {"zone": Zone(name=DnsName("example.org"), id="x")}, False),
    "the domain itself": ({"domains": ["web.team-a.example.com"]}, {}, True),
    "a domain above": ({"domains": ["team-a.example.com"]}, {}, True),
    "half a label": ({"domains": ["a.example.com"]}, {}, False),
    "the namespace": ({"namespaces": ["team-a"]}, {}, True),
    "another namespace": ({"namespaces": ["team-b"]}, {}, False),
    "an unknown object": ({"namespaces": ["team-a"]}, {"object": None}, False),
    "labels": ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, {}, True),
    "other labels": ({"namespaceSelector": {"matchLabels": {"team": "b"}}}, {}, False),
    "an empty selector": ({"namespaceSelector": {}}, {}, True),
    "labels of a namespace that was not read": ({"namespaceSelector": {}}, {"namespace": None}, None),
    "labels of an object without a namespace": (
        {"namespaceSelector": {"matchLabels": {"team": "b"}}},
        {"namespace": None, "object": SERVICE.__class__(api_version="v1", kind="Node", namespace="", name="n1")},
        True,
    ),
}

REQUIREMENTS: dict[str, tuple[str, str, list[str], bool]] = {
    "in": ("team", "In", ["a", "b"], True),
    "in, without the label": ("env", "In", ["a"], False),
    "not in": ("team", "NotIn", ["a"], False),
    "not in, without the label": ("env", "NotIn", ["a"], True),
    "exists": ("team", "Exists", [], True),
    "does not exist": ("team", "DoesNotExist", [], False),
}


@pytest.mark.parametrize(("match", "changes", "expected"), CASES.values(), ids=CASES)
def test_a_policy_is_evaluated_on_exactly_the_inputs_that_its_match_selects(
    match: dict[str, Any], changes: dict[str, Any], expected: bool | None
) -> None:
    assert is_matched(read_match(**match), build_input(**changes)) is expected


@pytest.mark.parametrize(("key", "operator", "values", "expected"), REQUIREMENTS.values(), ids=REQUIREMENTS)
def test_label_requirements_of_a_match_work_as_in_kubernetes(
    key: str, operator: str, values: list[str], expected: bool
) -> None:
    selector = {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}
    assert is_matched(read_match(namespaceSelector=selector), build_input()) is expected
