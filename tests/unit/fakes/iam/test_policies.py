"""Policy evaluation of the fake IAM (user guide, "Policy evaluation logic", "Multivalued context keys")."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.iam.policies import AuthorizationRequest, decide

KEY = "route53:ChangeResourceRecordSetsRecordTypes"
ANY = {"Effect": "Allow", "Action": "route53:*", "Resource": "*"}


def when(effect: str, operator: str, *values: str) -> dict[str, Any]:
    return {**ANY, "Effect": effect, "Condition": {operator: {KEY: list(values)}}}


@pytest.mark.parametrize(
    ("statements", "original", "decision", "missing"),
    [
        pytest.param([], ["A"], "implicitDeny", [], id="nothing"),
        pytest.param([ANY], ["A"], "allowed", [], id="allowed"),
        pytest.param([{**ANY, "Action": ["iam:*"]}], ["A"], "implicitDeny", [], id="other-action"),
        pytest.param([{**ANY, "Resource": ["arn:x"]}], ["A"], "implicitDeny", [], id="other-resource"),
        pytest.param([ANY, {**ANY, "Effect": "Deny"}], ["A"], "explicitDeny", [], id="a-denial-wins"),
        pytest.param([when("Allow", "ForAllValues:StringEquals", "A")], ["A"], "allowed", [], id="all"),
        pytest.param([when("Allow", "ForAllValues:StringEquals", "A")], ["A", "B"], "implicitDeny", [], id="not-all"),
        pytest.param([when("Allow", "ForAllValues:StringEquals", "A")], [], "allowed", [KEY], id="all-of-none"),
        pytest.param([when("Allow", "ForAnyValue:StringLike", "A*")], ["B", "AB"], "allowed", [], id="any"),
        pytest.param([when("Allow", "ForAnyValue:StringLike", "A*")], [], "implicitDeny", [KEY], id="any-of-none"),
        pytest.param([when("Allow", "ForAllValues:StringNotLike", "A*")], ["B"], "allowed", [], id="none-of"),
        pytest.param([when("Allow", "ForAllValues:StringNotLike", "A*")], ["B", "A"], "implicitDeny", [], id="one-of"),
        pytest.param([when("Allow", "StringNotEquals", "A")], [], "allowed", [KEY], id="not-without-the-key"),
        pytest.param([when("Allow", "StringEquals", "A")], [], "implicitDeny", [KEY], id="without-the-key"),
        pytest.param([ANY, when("Deny", "ForAnyValue:StringEquals", "B")], ["A", "B"], "explicitDeny", [], id="deny"),
    ],
)
def test_policy_statements_decide_whether_an_action_is_allowed(
    statements: list[dict[str, Any]], original: list[str], decision: str, missing: list[str]
) -> None:
    context = {KEY: original} if original else {}
    query = AuthorizationRequest(action="route53:ChangeResourceRecordSets", resource="arn:z", context=context)
    assert decide([{"Statement": statements}], query) == (decision, missing)


def test_an_unsupported_condition_operator_raises_an_assertion_error() -> None:
    with pytest.raises(AssertionError, match="does not support the operator IpAddress"):
        decide(
            [{"Statement": [when("Allow", "IpAddress", "10.0.0.0/8")]}],
            AuthorizationRequest(action="route53:X", resource="r"),
        )
