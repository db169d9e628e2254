"""Valid alias targets (API reference, AliasTarget; developer guide, "Choosing between alias and non-alias")."""

from __future__ import annotations

import pytest

from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import RawClient, build_alias, build_simple

NAME = "www.example.com"
LB = "x.us-east-1.elb.amazonaws.com"
LB_ZONE = "Z35SXDOTRQ7X7K"
CLOUDFRONT = "Z2FDTNDATAQYW2"


@pytest.mark.parametrize(
    ("target", "zone_id"),
    [
        pytest.param(LB, LB_ZONE, id="a-load-balancer"),
        pytest.param(f"dualstack.{LB.upper()}.", LB_ZONE, id="in-capitals-with-dot"),
        pytest.param("x.elb.us-east-1.amazonaws.com", "Z26RNL4JYFTOTI", id="a-network-load-balancer"),
        pytest.param("d1.cloudfront.net", CLOUDFRONT, id="a-distribution"),
        pytest.param("s3-website.us-east-2.amazonaws.com", "Z2O1EMRO9K5GLX", id="unknown-zone-id-of-an-aws-endpoint"),
    ],
)
def test_an_alias_to_an_aws_endpoint_is_accepted(raw_client: RawClient, target: str, zone_id: str) -> None:
    raw_client.create(build_alias(NAME, target, zone_id))
    (shown,) = raw_client.fake.shown(raw_client.zone_id)
    where = {"HostedZoneId": zone_id, "DNSName": f"{target.lower().removesuffix('.')}.", "EvaluateTargetHealth": False}
    assert shown == {"Name": f"{NAME}.", "Type": "A", "AliasTarget": where}


@pytest.mark.parametrize(
    ("target", "zone_id"),
    [
        pytest.param(LB, "Z3AADJGX6KTTL2", id="the-zone-of-another-region"),
        pytest.param("www.example.net", LB_ZONE, id="name-outside-aws"),
        pytest.param("www.example.net", "ZOTHER", id="unknown-zone-id"),
        pytest.param("elb.amazonaws.com", LB_ZONE, id="suffix-without-a-name"),
    ],
)
def test_an_alias_target_outside_its_target_zone_is_refused(raw_client: RawClient, target: str, zone_id: str) -> None:
    tried = f"Tried to create an alias that targets {target}., type A in zone {zone_id}, but"
    expected = f"[{tried} the alias target name does not lie within the target zone, {tried} that target was not found]"
    assert raw_client.refusal(("CREATE", build_alias(NAME, target, zone_id))) == ("InvalidChangeBatch", expected)


def test_an_alias_within_the_zone_is_refused_if_its_target_does_not_exist_yet(raw_client: RawClient) -> None:
    """Alias and target cannot be created in one batch either (StackExchange/dnscontrol issue 937)."""
    record = build_alias(NAME, "base.example.com", "ZEXAMPLE")
    tried = "Tried to create an alias that targets base.example.com., type A in zone ZEXAMPLE, but"
    assert raw_client.refusal(("CREATE", record)) == ("InvalidChangeBatch", f"[{tried} that target was not found]")
    assert raw_client.refusal(("CREATE", record), ("CREATE", build_simple("base.example.com")))[1].endswith(
        "was not found]"
    )
    raw_client.create(build_simple("base.example.com"), record)


def test_an_alias_to_a_record_set_of_another_type_is_refused(raw_client: RawClient) -> None:
    """«Specify the type of the resource record set that you're creating the alias for»."""
    raw_client.create(build_simple("base.example.com", "CNAME", "a.test"))
    assert (
        "that target was not found"
        in raw_client.refusal(("CREATE", build_alias(NAME, "base.example.com", "ZEXAMPLE")))[1]
    )
    raw_client.create(build_alias(NAME, "base.example.com", "ZEXAMPLE", "CNAME"))


def test_an_alias_to_itself_is_refused(raw_client: RawClient) -> None:
    assert "that target was not found" in raw_client.refusal(("CREATE", build_alias(NAME, NAME, "ZEXAMPLE")))[1]


def test_an_alias_target_with_an_asterisk_is_returned_as_an_octal_escape(raw_client: RawClient) -> None:
    raw_client.create(build_simple("*.x.example.com"), build_alias(NAME, "*.x.example.com", "ZEXAMPLE"))
    shown = raw_client.fake.shown(raw_client.zone_id, name=NAME)
    assert shown[0]["AliasTarget"]["DNSName"] == r"\052.x.example.com."


def test_an_alias_to_cloudfront_with_evaluate_target_health_is_refused(raw_client: RawClient) -> None:
    """«You can't set EvaluateTargetHealth to true when the alias target is a CloudFront distribution»."""
    record = build_alias(NAME, "d1.cloudfront.net", CLOUDFRONT)
    record["AliasTarget"]["EvaluateTargetHealth"] = True
    assert raw_client.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_an_alias_to_cloudfront_in_a_private_zone_is_refused(fake: Route53) -> None:
    """«Alias resource record sets for CloudFront can't be created in a private zone»."""
    private = RawClient(fake, fake.add_zone("example.com", private=True))
    assert private.refusal(("CREATE", build_alias(NAME, "d1.cloudfront.net", CLOUDFRONT)))[0] == "InvalidChangeBatch"
    private.create(build_alias(NAME, LB, LB_ZONE))


def test_an_alias_with_multivalue_answer_routing_is_refused(raw_client: RawClient) -> None:
    """«You can't create multivalue answer alias records»."""
    record = build_alias(NAME, LB, LB_ZONE, SetIdentifier="one", MultiValueAnswer=True)
    assert raw_client.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_an_existing_alias_whose_target_is_gone_does_not_block_records_of_other_types_at_its_name(
    fake: Route53, raw_client: RawClient
) -> None:
    """The service does not check existing aliases again."""
    raw_client.create(build_simple("base.example.com"), build_alias(NAME, "base.example.com", "ZEXAMPLE"))
    fake.delete("ZEXAMPLE", "base.example.com", "A")
    raw_client.create(build_simple(NAME, "TXT", '"x"'))
