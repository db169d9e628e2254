"""IAM permissions (developer guide, "Using IAM policy conditions for fine-grained access control")."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_simple

A = build_simple("www.example.com")
TXT = build_simple("www.example.com", "TXT", '"x"')


def is_let_through(raw_client: RawClient, action: str, record: dict[str, Any]) -> bool:
    try:
        raw_client.change((action, record))
    except raw_client.client.exceptions.ClientError:
        (*_, call) = raw_client.fake.log.calls()
        assert (call.status, call.code) == (403, "AccessDenied")
        return False
    return True


def test_an_api_action_can_be_denied_and_allowed_again(fake: Route53, raw_client: RawClient) -> None:
    denial = fake.access.deny("ListHostedZones")
    with pytest.raises(ClientError, match="is not authorized to perform: route53:ListHostedZones"):
        raw_client.client.list_hosted_zones()
    raw_client.client.get_hosted_zone(Id="ZEXAMPLE")
    fake.access.drop(denial)
    raw_client.client.list_hosted_zones()


def test_an_access_denied_message_contains_the_zone_arn(fake: Route53, raw_client: RawClient) -> None:
    fake.access.deny("ListResourceRecordSets", zone_id="ZEXAMPLE")
    with pytest.raises(ClientError, match="on resource: arn:aws:route53:::hostedzone/ZEXAMPLE"):
        raw_client.listed()
    RawClient(fake, fake.add_zone("other.test")).listed()


def test_record_names_are_denied_in_normalized_form(fake: Route53, raw_client: RawClient) -> None:
    """«All letters must be lowercase. The DNS name must be without trailing dot. … escape codes …»."""
    fake.access.deny("ChangeResourceRecordSets", names=[r"\052.example.com", "a.*"])
    assert not is_let_through(raw_client, "CREATE", build_simple("*.example.com"))
    assert not is_let_through(raw_client, "CREATE", build_simple("A.example.com."))
    assert is_let_through(raw_client, "CREATE", build_simple("b.example.com"))


def test_record_types_can_be_denied(fake: Route53, raw_client: RawClient) -> None:
    fake.access.deny("ChangeResourceRecordSets", types=["TXT"])
    assert not is_let_through(raw_client, "CREATE", TXT)
    assert is_let_through(raw_client, "CREATE", A)


def test_one_denied_change_refuses_the_batch(fake: Route53, raw_client: RawClient) -> None:
    fake.access.deny("ChangeResourceRecordSets", types=["TXT"])
    assert raw_client.refusal(("CREATE", A), ("CREATE", TXT))[0] == "AccessDenied"


def test_change_actions_can_be_denied(fake: Route53, raw_client: RawClient) -> None:
    """The condition key is ChangeResourceRecordSetsActions; its values are CREATE, UPSERT and DELETE."""
    fake.access.deny("ChangeResourceRecordSets", actions=["DELETE"])
    assert is_let_through(raw_client, "CREATE", A)
    assert not is_let_through(raw_client, "DELETE", A)
    assert is_let_through(raw_client, "UPSERT", A)


def test_a_batch_is_allowed_only_if_the_permission_matches_every_change(fake: Route53, raw_client: RawClient) -> None:
    """The examples of the guide use the operator `ForAllValues:StringLike`."""
    fake.access.allow("ChangeResourceRecordSets", names=["*.example.com"], types=["A"], actions=["CREATE", "UPSERT"])
    assert is_let_through(raw_client, "CREATE", A)
    assert not is_let_through(raw_client, "DELETE", A)
    assert not is_let_through(raw_client, "CREATE", TXT)
    assert not is_let_through(raw_client, "CREATE", build_simple("example.com"))
    assert raw_client.refusal(("UPSERT", A), ("CREATE", TXT))[0] == "AccessDenied"
    raw_client.listed()


def test_a_batch_is_allowed_only_if_a_single_permission_matches_every_change(
    fake: Route53, raw_client: RawClient
) -> None:
    fake.access.allow("ChangeResourceRecordSets", types=["A"])
    fake.access.allow("ChangeResourceRecordSets", types=["TXT"])
    assert is_let_through(raw_client, "CREATE", A)
    assert is_let_through(raw_client, "CREATE", TXT)
    assert raw_client.refusal(("DELETE", A), ("DELETE", TXT))[0] == "AccessDenied"
