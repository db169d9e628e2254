"""IAM: developer guide, "Using IAM policy conditions for fine-grained access control"."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.fakes.route53.probe import Probe, simple
from tests.fakes.route53.server import Route53

A = simple("www.example.com")
TXT = simple("www.example.com", "TXT", '"x"')


def is_let_through(probe: Probe, action: str, record: dict[str, Any]) -> bool:
    try:
        probe.change((action, record))
    except probe.client.exceptions.ClientError:
        (*_, call) = probe.fake.log.calls()
        assert (call.status, call.code) == (403, "AccessDenied")
        return False
    return True


def test_an_action_can_be_denied_and_permitted_again(fake: Route53, probe: Probe) -> None:
    denial = fake.access.deny("ListHostedZones")
    with pytest.raises(ClientError, match="is not authorized to perform: route53:ListHostedZones"):
        probe.client.list_hosted_zones()
    probe.client.get_hosted_zone(Id="ZEXAMPLE")
    fake.access.drop(denial)
    probe.client.list_hosted_zones()


def test_a_denial_names_the_zone(fake: Route53, probe: Probe) -> None:
    fake.access.deny("ListResourceRecordSets", zone_id="ZEXAMPLE")
    with pytest.raises(ClientError, match="on resource: arn:aws:route53:::hostedzone/ZEXAMPLE"):
        probe.listed()
    Probe(fake, fake.add_zone("other.test")).listed()


def test_names_are_denied_in_their_normal_form(fake: Route53, probe: Probe) -> None:
    """«All letters must be lowercase. The DNS name must be without trailing dot. … escape codes …»."""
    fake.access.deny("ChangeResourceRecordSets", names=[r"\052.example.com", "a.*"])
    assert not is_let_through(probe, "CREATE", simple("*.example.com"))
    assert not is_let_through(probe, "CREATE", simple("A.example.com."))
    assert is_let_through(probe, "CREATE", simple("b.example.com"))


def test_types_are_denied(fake: Route53, probe: Probe) -> None:
    fake.access.deny("ChangeResourceRecordSets", types=["TXT"])
    assert not is_let_through(probe, "CREATE", TXT)
    assert is_let_through(probe, "CREATE", A)


def test_one_denied_change_denies_its_batch(fake: Route53, probe: Probe) -> None:
    fake.access.deny("ChangeResourceRecordSets", types=["TXT"])
    assert probe.refusal(("CREATE", A), ("CREATE", TXT))[0] == "AccessDenied"


def test_actions_are_denied(fake: Route53, probe: Probe) -> None:
    """The condition key ChangeResourceRecordSetsActions: CREATE, UPSERT or DELETE."""
    fake.access.deny("ChangeResourceRecordSets", actions=["DELETE"])
    assert is_let_through(probe, "CREATE", A)
    assert not is_let_through(probe, "DELETE", A)
    assert is_let_through(probe, "UPSERT", A)


def test_an_allowance_has_to_fit_every_change(fake: Route53, probe: Probe) -> None:
    """`ForAllValues:StringLike` of the guide's examples."""
    fake.access.allow("ChangeResourceRecordSets", names=["*.example.com"], types=["A"], actions=["CREATE", "UPSERT"])
    assert is_let_through(probe, "CREATE", A)
    assert not is_let_through(probe, "DELETE", A)
    assert not is_let_through(probe, "CREATE", TXT)
    assert not is_let_through(probe, "CREATE", simple("example.com"))
    assert probe.refusal(("UPSERT", A), ("CREATE", TXT))[0] == "AccessDenied"
    probe.listed()


def test_of_two_allowances_one_has_to_fit_all(fake: Route53, probe: Probe) -> None:
    fake.access.allow("ChangeResourceRecordSets", types=["A"])
    fake.access.allow("ChangeResourceRecordSets", types=["TXT"])
    assert is_let_through(probe, "CREATE", A)
    assert is_let_through(probe, "CREATE", TXT)
    assert probe.refusal(("DELETE", A), ("DELETE", TXT))[0] == "AccessDenied"
