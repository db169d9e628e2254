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


def test_a_test_can_deny_an_api_action_and_allow_it_again(fake: Route53, raw_client: RawClient) -> None:
    denial = fake.access.deny("ListHostedZones")
    with pytest.raises(ClientError, match="is not authorized to perform: route53:ListHostedZones"):
        raw_client.client.list_hosted_zones()
    raw_client.client.get_hosted_zone(Id="ZEXAMPLE")
    fake.access.drop(denial)
    raw_client.client.list_hosted_zones()


def test_the_message_about_a_denied_call_contains_the_arn_of_the_zone(fake: Route53, raw_client: RawClient) -> None:
    fake.access.deny("ListResourceRecordSets", zone_id="ZEXAMPLE")
    with pytest.raises(ClientError, match="on resource: arn:aws:route53:::hostedzone/ZEXAMPLE"):
        raw_client.listed()
    RawClient(fake, fake.add_zone("other.test")).listed()


def test_record_names_in_a_denial_are_matched_in_normalized_form(fake: Route53, raw_client: RawClient) -> None:
    """«All letters must be lowercase. The DNS name must be without trailing dot. … escape codes …»."""
    fake.access.deny("ChangeResourceRecordSets", names=[r"\052.example.com", "a.*"])
    assert not is_let_through(raw_client, "CREATE", build_simple("*.example.com"))
    assert not is_let_through(raw_client, "CREATE", build_simple("A.example.com."))
    assert is_let_through(raw_client, "CREATE", build_simple("b.example.com"))


def test_a_test_can_deny_changes_to_a_record_type(fake: Route53, raw_client: RawClient) -> None:
    fake.access.deny("ChangeResourceRecordSets", types=["TXT"])
    assert not is_let_through(raw_client, "CREATE", TXT)
    assert is_let_through(raw_client, "CREATE", A)


def test_one_denied_change_makes_the_service_refuse_the_whole_batch(fake: Route53, raw_client: RawClient) -> None:
    fake.access.deny("ChangeResourceRecordSets", types=["TXT"])
    assert raw_client.refusal(("CREATE", A), ("CREATE", TXT))[0] == "AccessDenied"


def test_a_test_can_deny_creates_upserts_or_deletes(fake: Route53, raw_client: RawClient) -> None:
    """The condition key is ChangeResourceRecordSetsActions; its values are CREATE, UPSERT and DELETE."""
    fake.access.deny("ChangeResourceRecordSets", actions=["DELETE"])
    assert is_let_through(raw_client, "CREATE", A)
    assert not is_let_through(raw_client, "DELETE", A)
    assert is_let_through(raw_client, "UPSERT", A)


def test_a_batch_is_allowed_only_if_each_of_its_changes_matches_the_permission(
    fake: Route53, raw_client: RawClient
) -> None:
    """The examples of the guide use the operator `ForAllValues:StringLike`."""
    fake.access.allow("ChangeResourceRecordSets", names=["*.example.com"], types=["A"], actions=["CREATE", "UPSERT"])
    assert is_let_through(raw_client, "CREATE", A)
    assert not is_let_through(raw_client, "DELETE", A)
    assert not is_let_through(raw_client, "CREATE", TXT)
    assert not is_let_through(raw_client, "CREATE", build_simple("example.com"))
    assert raw_client.refusal(("UPSERT", A), ("CREATE", TXT))[0] == "AccessDenied"
    raw_client.listed()


def test_a_batch_is_allowed_only_if_one_permission_matches_all_of_its_changes(
    fake: Route53, raw_client: RawClient
) -> None:
    fake.access.allow("ChangeResourceRecordSets", types=["A"])
    fake.access.allow("ChangeResourceRecordSets", types=["TXT"])
    assert is_let_through(raw_client, "CREATE", A)
    assert is_let_through(raw_client, "CREATE", TXT)
    assert raw_client.refusal(("DELETE", A), ("DELETE", TXT))[0] == "AccessDenied"
