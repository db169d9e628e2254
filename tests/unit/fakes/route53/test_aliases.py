"""Where an alias may lead: API reference, AliasTarget; developer guide, "Choosing between alias and non-alias"."""

from __future__ import annotations

import pytest

from tests.fakes.route53.probe import Probe, alias, simple
from tests.fakes.route53.server import Route53

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
        pytest.param("s3-website.us-east-2.amazonaws.com", "Z2O1EMRO9K5GLX", id="an-id-that-is-not-known-here"),
    ],
)
def test_an_alias_may_lead_to_aws(probe: Probe, target: str, zone_id: str) -> None:
    probe.create(alias(NAME, target, zone_id))
    (shown,) = probe.fake.shown(probe.zone_id)
    where = {"HostedZoneId": zone_id, "DNSName": f"{target.lower().removesuffix('.')}.", "EvaluateTargetHealth": False}
    assert shown == {"Name": f"{NAME}.", "Type": "A", "AliasTarget": where}


@pytest.mark.parametrize(
    ("target", "zone_id"),
    [
        pytest.param(LB, "Z3AADJGX6KTTL2", id="the-zone-of-another-region"),
        pytest.param("www.example.net", LB_ZONE, id="a-name-that-is-not-of-aws"),
        pytest.param("www.example.net", "ZOTHER", id="a-zone-of-somebody-else"),
        pytest.param("elb.amazonaws.com", LB_ZONE, id="a-suffix-alone"),
    ],
)
def test_an_alias_has_to_lead_into_its_zone(probe: Probe, target: str, zone_id: str) -> None:
    tried = f"Tried to create an alias that targets {target}., type A in zone {zone_id}, but"
    expected = f"[{tried} the alias target name does not lie within the target zone, {tried} that target was not found]"
    assert probe.refusal(("CREATE", alias(NAME, target, zone_id))) == ("InvalidChangeBatch", expected)


def test_an_alias_within_the_zone_needs_its_target_before_it(probe: Probe) -> None:
    """In one batch, too: StackExchange/dnscontrol issue 937."""
    record = alias(NAME, "base.example.com", "ZEXAMPLE")
    tried = "Tried to create an alias that targets base.example.com., type A in zone ZEXAMPLE, but"
    assert probe.refusal(("CREATE", record)) == ("InvalidChangeBatch", f"[{tried} that target was not found]")
    assert probe.refusal(("CREATE", record), ("CREATE", simple("base.example.com")))[1].endswith("was not found]")
    probe.create(simple("base.example.com"), record)


def test_a_target_has_to_be_of_the_same_type(probe: Probe) -> None:
    """«Specify the type of the resource record set that you're creating the alias for»."""
    probe.create(simple("base.example.com", "CNAME", "a.test"))
    assert "that target was not found" in probe.refusal(("CREATE", alias(NAME, "base.example.com", "ZEXAMPLE")))[1]
    probe.create(alias(NAME, "base.example.com", "ZEXAMPLE", "CNAME"))


def test_an_alias_may_not_lead_to_itself(probe: Probe) -> None:
    assert "that target was not found" in probe.refusal(("CREATE", alias(NAME, NAME, "ZEXAMPLE")))[1]


def test_an_alias_of_a_wildcard_is_shown_by_its_code(probe: Probe) -> None:
    probe.create(simple("*.x.example.com"), alias(NAME, "*.x.example.com", "ZEXAMPLE"))
    shown = probe.fake.shown(probe.zone_id, name=NAME)
    assert shown[0]["AliasTarget"]["DNSName"] == r"\052.x.example.com."


def test_the_health_of_a_distribution_cannot_be_evaluated(probe: Probe) -> None:
    """«You can't set EvaluateTargetHealth to true when the alias target is a CloudFront distribution»."""
    record = alias(NAME, "d1.cloudfront.net", CLOUDFRONT)
    record["AliasTarget"]["EvaluateTargetHealth"] = True
    assert probe.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_a_private_zone_leads_to_no_distribution(fake: Route53) -> None:
    """«Alias resource record sets for CloudFront can't be created in a private zone»."""
    private = Probe(fake, fake.add_zone("example.com", private=True))
    assert private.refusal(("CREATE", alias(NAME, "d1.cloudfront.net", CLOUDFRONT)))[0] == "InvalidChangeBatch"
    private.create(alias(NAME, LB, LB_ZONE))


def test_a_multivalue_answer_is_no_alias(probe: Probe) -> None:
    """«You can't create multivalue answer alias records»."""
    record = alias(NAME, LB, LB_ZONE, SetIdentifier="one", MultiValueAnswer=True)
    assert probe.refusal(("CREATE", record))[0] == "InvalidChangeBatch"


def test_what_stands_is_not_judged_again(fake: Route53, probe: Probe) -> None:
    """An alias that has lost its target does not block the other types of its name."""
    probe.create(simple("base.example.com"), alias(NAME, "base.example.com", "ZEXAMPLE"))
    fake.delete("ZEXAMPLE", "base.example.com", "A")
    probe.create(simple(NAME, "TXT", '"x"'))
