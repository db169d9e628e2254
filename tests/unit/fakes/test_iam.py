"""What the user guide of IAM says of policies and simulations, and the fake IAM does ("Policy evaluation logic")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.fakes.iam.policies import AuthorizationRequest, decide
from tests.fakes.iam.server import Iam

KEY: Final = "route53:ChangeResourceRecordSetsRecordTypes"
ANY: Final = {"Effect": "Allow", "Action": "route53:*", "Resource": "*"}
ROLE: Final = "arn:aws:iam::123456789012:role/dns/extdns"
CALLER: Final = "arn:aws:sts::123456789012:assumed-role/extdns/pod"
ZONE: Final = "arn:aws:route53:::hostedzone/Z1"
CHANGE: Final = "route53:ChangeResourceRecordSets"


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
def test_decision(statements: list[dict[str, Any]], original: list[str], decision: str, missing: list[str]) -> None:
    context = {KEY: original} if original else {}
    query = AuthorizationRequest(action=CHANGE, resource="arn:z", context=context)
    assert decide([{"Statement": statements}], query) == (decision, missing)


def allowing(*actions: str, resource: str = "*") -> dict[str, Any]:
    return {"Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": resource}]}


@pytest.fixture
def fake() -> Iterator[Iam]:
    with Iam() as running:
        running.callers["AKIDPOD"] = CALLER
        running.policies[ROLE] = [allowing("iam:SimulatePrincipalPolicy", "route53:*")]
        yield running


def client(fake: Iam, service: str, key: str = "AKIDPOD") -> Any:  # noqa: ANN401 - boto3 has no types for it here
    make: Any = boto3.session.Session(key, "secret", region_name="us-east-1").client
    return make(service, endpoint_url=fake.url)


def test_simulation(fake: Iam) -> None:
    """A simulation gives a decision for each resource, and the strictest of them."""
    fake.policies[ROLE] = [allowing("iam:*"), allowing(CHANGE, resource=ZONE)]
    query = {"PolicySourceArn": ROLE, "ActionNames": [CHANGE], "ResourceArns": [ZONE, f"{ZONE}2"]}
    (found,) = client(fake, "iam").simulate_principal_policy(**query)["EvaluationResults"]
    assert found["EvalDecision"] == "implicitDeny"
    assert [one["EvalResourceDecision"] for one in found["ResourceSpecificResults"]] == ["allowed", "implicitDeny"]
    assert "OrganizationsDecisionDetail" not in found
    fake.organization = [allowing("iam:*")]
    (found,) = client(fake, "iam").simulate_principal_policy(**query)["EvaluationResults"]
    assert found["OrganizationsDecisionDetail"] == {"AllowedByOrganizations": False}


@pytest.mark.parametrize(
    ("query", "allowed", "code"),
    [
        ({}, "route53:*", "AccessDenied"),
        ({"PolicySourceArn": CALLER}, "iam:*", "InvalidInput"),
        ({"PolicySourceArn": ROLE.replace("dns/", "")}, "iam:*", "NoSuchEntity"),
        ({"ActionNames": ["route53:Change*"]}, "iam:*", "InvalidInput"),
        (
            {
                "ContextEntries": [
                    {"ContextKeyName": "aws:x", "ContextKeyType": "string", "ContextKeyValues": ["a", "b"]}
                ]
            },
            "iam:*",
            "InvalidInput",
        ),
    ],
)
def test_refused_simulation(fake: Iam, query: dict[str, Any], allowed: str, code: str) -> None:
    fake.policies[ROLE] = [allowing(allowed)]
    with pytest.raises(ClientError, match=code):
        client(fake, "iam").simulate_principal_policy(**{"PolicySourceArn": ROLE, "ActionNames": [CHANGE]} | query)


def test_identities(fake: Iam) -> None:
    """STS knows who has an access key, and issues keys for a role."""
    assert client(fake, "sts").get_caller_identity()["Arn"] == CALLER
    key = client(fake, "sts").assume_role(RoleArn=ROLE, RoleSessionName="pass")["Credentials"]["AccessKeyId"]
    assert client(fake, "sts", key).get_caller_identity()["Arn"] == CALLER.replace("/pod", "/pass")
    with pytest.raises(ClientError, match="InvalidClientTokenId"):
        client(fake, "sts", "AKIDNOBODY").get_caller_identity()
