"""The fake IAM and STS, called with boto3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import botocore.exceptions
import pytest

from tests.fakes.iam.server import Iam

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/dns/extdns"
ZONE = "arn:aws:route53:::hostedzone/Z1"
CHANGE = "route53:ChangeResourceRecordSets"


def allowing(*actions: str, resource: str = "*") -> dict[str, Any]:
    return {"Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": resource}]}


@pytest.fixture
def fake() -> Iterator[Iam]:
    with Iam() as running:
        running.callers["AKIDPOD"] = f"arn:aws:sts::{ACCOUNT}:assumed-role/extdns/pod"
        running.policies[ROLE] = [allowing("iam:SimulatePrincipalPolicy", "route53:*")]
        yield running


def client(fake: Iam, service: str, key: str = "AKIDPOD") -> Any:  # noqa: ANN401 - boto3 has no types for it here
    make: Any = boto3.client
    original = {"aws_access_key_id": key, "aws_secret_access_key": "s", "region_name": "us-east-1"}
    return make(service, endpoint_url=fake.url, **original)


def refusal(fake: Iam, **query: Any) -> str:  # noqa: ANN401 - of the API
    original = {"PolicySourceArn": ROLE, "ActionNames": [CHANGE], **query}
    with pytest.raises(botocore.exceptions.ClientError) as error:
        client(fake, "iam").simulate_principal_policy(**original)
    return str(error.value.response.get("Error", {}).get("Code"))


def test_a_simulation_gives_a_decision_for_each_resource_and_the_strictest_of_them_overall(fake: Iam) -> None:
    fake.policies[ROLE] = [allowing("iam:*"), allowing(CHANGE, resource=ZONE)]
    query = {"PolicySourceArn": ROLE, "ActionNames": [CHANGE], "ResourceArns": [ZONE, f"{ZONE}2"]}
    (found,) = client(fake, "iam").simulate_principal_policy(**query)["EvaluationResults"]
    assert found["EvalDecision"] == "implicitDeny"
    assert [one["EvalResourceDecision"] for one in found["ResourceSpecificResults"]] == ["allowed", "implicitDeny"]
    assert "OrganizationsDecisionDetail" not in found
    fake.organization = [allowing("iam:*")]
    (found,) = client(fake, "iam").simulate_principal_policy(**query)["EvaluationResults"]
    assert found["OrganizationsDecisionDetail"] == {"AllowedByOrganizations": False}


def test_a_caller_without_permission_to_simulate_is_refused(fake: Iam) -> None:
    fake.policies[ROLE] = [allowing("route53:*")]
    assert refusal(fake) == "AccessDenied"


def test_an_invalid_simulation_request_is_refused(fake: Iam) -> None:
    assert refusal(fake, PolicySourceArn=fake.callers["AKIDPOD"]) == "InvalidInput"
    assert refusal(fake, PolicySourceArn=ROLE.replace("dns/", "")) == "NoSuchEntity"
    assert refusal(fake, ActionNames=["route53:Change*"]) == "InvalidInput"
    entry = {"ContextKeyName": "aws:x", "ContextKeyType": "string", "ContextKeyValues": ["a", "b"]}
    assert refusal(fake, ContextEntries=[entry]) == "InvalidInput"


def test_a_test_can_make_the_first_page_of_simulation_results_empty(fake: Iam) -> None:
    fake.truncates = True
    pages = client(fake, "iam").get_paginator("simulate_principal_policy")
    found = list(pages.paginate(PolicySourceArn=ROLE, ActionNames=[CHANGE]))
    assert [len(page["EvaluationResults"]) for page in found] == [0, 1]


def test_sts_returns_the_identity_of_an_access_key_and_issues_keys_for_an_assumed_role(fake: Iam) -> None:
    assert client(fake, "sts").get_caller_identity()["Arn"] == fake.callers["AKIDPOD"]
    original = client(fake, "sts").assume_role(RoleArn=ROLE, RoleSessionName="pass")["Credentials"]
    again = client(fake, "sts", original["AccessKeyId"]).get_caller_identity()
    assert (again["Arn"], again["Account"]) == (f"arn:aws:sts::{ACCOUNT}:assumed-role/extdns/pass", ACCOUNT)
    with pytest.raises(botocore.exceptions.ClientError, match="InvalidClientTokenId"):
        client(fake, "sts", "AKIDNOBODY").get_caller_identity()
