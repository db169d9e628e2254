"""Adjust desired records to Route 53 (docs/spec/plan.md 4.5, 4.6, 10.5, 11)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Refusal
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.zone import Zone
from providers.aws.adjust import adjust_record
from providers.aws.settings import AwsSettings
from tests.unit.providers.aws.route53_values import ALB, WEIGHT, ZONE
from tests.unit.providers.desired import endpoint

HEALTHY = {"alias": "true", "aws/evaluate-target-health": "true"}
UNHEALTHY = {"alias": "true", "aws/evaluate-target-health": "false"}


def taken(value: DesiredRecord, zone: Zone = ZONE, settings: AwsSettings = AwsSettings()) -> list[DesiredRecord]:  # noqa: B008 - frozen
    found = [one for one in adjust_record(value, zone, settings) if isinstance(one, DesiredRecord)]
    assert found
    again = [form for one in found for form in adjust_record(one, zone, settings)]
    assert again == found or value.properties.get("alias") == "false", "adjusting twice is adjusting once"
    return found


def refused(value: DesiredRecord, zone: Zone = ZONE) -> str:
    (refusal,) = adjust_record(value, zone, AwsSettings())
    assert isinstance(refusal, Refusal)
    is_alias = value.type == "CNAME" and refusal.desired.is_alias
    assert (refusal.desired.type, refusal.reason) == ("A" if is_alias else value.type, Reason.UNSUPPORTED)
    return refusal.detail


@pytest.mark.parametrize(
    ("value", "settings", "records"),
    [
        pytest.param(endpoint("CNAME", ALB), AwsSettings(), {"A": HEALTHY, "AAAA": HEALTHY}, id="4.10-load-balancer"),
        pytest.param(endpoint("CNAME", ALB), AwsSettings(prefer_cname=True), {"CNAME": {}}, id="4.10-prefer-cname"),
        pytest.param(
            endpoint("CNAME", ALB, props={"alias": "true"}),
            AwsSettings(prefer_cname=True),
            {"A": HEALTHY, "AAAA": HEALTHY},
            id="explicit-wins-over-prefer-cname",
        ),
        pytest.param(endpoint("CNAME", ALB, props={"alias": "A"}), AwsSettings(), {"A": HEALTHY}, id="A-alone"),
        pytest.param(
            endpoint("CNAME", ALB, props={"alias": "AAAA"}), AwsSettings(), {"AAAA": HEALTHY}, id="AAAA-alone"
        ),
        pytest.param(endpoint("CNAME", ALB, props={"alias": "false"}), AwsSettings(), {"CNAME": {}}, id="no-alias"),
        pytest.param(
            endpoint("CNAME", "lb.example.net", props={"alias": "invalid"}),
            AwsSettings(),
            {"CNAME": {}},
            id="10.5-alias-invalid",
        ),
        pytest.param(
            endpoint("CNAME", ALB),
            AwsSettings(evaluate_target_health=False),
            {"A": UNHEALTHY, "AAAA": UNHEALTHY},
            id="health-by-flag",
        ),
        pytest.param(
            endpoint("A", ALB, props={"alias": "true", "aws/evaluate-target-health": "invalid"}),
            AwsSettings(),
            {"A": UNHEALTHY},
            id="10.5-health-invalid",
        ),
        pytest.param(
            endpoint("CNAME", "d1.cloudfront.net"),
            AwsSettings(),
            {"A": UNHEALTHY, "AAAA": UNHEALTHY},
            id="CloudFront-has-no-health",
        ),
        pytest.param(
            endpoint("A", props={"alias": "false", "aws/evaluate-target-health": "true"}, ttl_s=60),
            AwsSettings(),
            {"A": {}},
            id="10.5-A-without-alias",
        ),
        pytest.param(endpoint("A", props={"aws/unknown": "x", "other": "y"}), AwsSettings(), {"A": {}}, id="unknown"),
    ],
)
def test_a_cname_becomes_aliases_if_an_annotation_requests_it_or_its_target_is_a_load_balancer(
    value: DesiredRecord, settings: AwsSettings, records: dict[str, dict[str, str]]
) -> None:
    assert {one.type: dict(one.properties) for one in taken(value, settings=settings)} == records


def test_a_cname_to_a_load_balancer_domain_itself_stays_a_cname() -> None:
    assert [one.type for one in taken(endpoint("CNAME", "foo.elb.amazonaws.com"))] == ["CNAME"]


@pytest.mark.parametrize(("ttl_s", "held_s"), [(0, 0), (60, 300)], ids=["unset", "set"])
def test_an_alias_with_a_requested_ttl_gets_the_ttl_300(ttl_s: int, held_s: int) -> None:
    assert {one.ttl_s for one in taken(endpoint("CNAME", ALB, ttl_s=ttl_s))} == {held_s}


@pytest.mark.parametrize(
    ("value", "remaining"),
    [
        pytest.param("/hostedzone/ZOTHER", {**HEALTHY, "aws/target-hosted-zone": "ZOTHER"}, id="another-zone"),
        pytest.param("Z35SXDOTRQ7X7K", HEALTHY, id="default-target-zone"),
    ],
)
def test_the_target_zone_of_an_alias_is_stored_only_if_it_is_not_the_default_of_the_target(
    value: str, remaining: dict[str, str]
) -> None:
    (one,) = taken(endpoint("A", ALB, props={"alias": "true", "aws/target-hosted-zone": value}))
    assert dict(one.properties) == remaining


@pytest.mark.parametrize("pin", ["ZOWN", "/hostedzone/ZOWN"])
def test_a_record_with_a_hosted_zone_id_annotation_is_refused_in_other_zones(pin: str) -> None:
    pinned = endpoint(props={"aws/hosted-zone-id": pin})
    assert [one.properties for one in taken(pinned)] == [()]
    (refusal,) = adjust_record(pinned, Zone(name=ZONE.name, id="ZOTHER"), AwsSettings())
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NO_ZONE


@pytest.mark.parametrize(
    ("value", "held"),
    [
        pytest.param({"aws/weight": "many"}, {"aws/weight": "0"}, id="weight-that-is-no-number"),
        pytest.param({"aws/weight": "+010"}, {"aws/weight": "10"}, id="weight-in-another-spelling"),
        pytest.param({"aws/weight": " 10 "}, {"aws/weight": "0"}, id="4.7-weight-with-blanks-is-no-number"),
        pytest.param({"aws/multi-value-answer": "true"}, {"aws/multi-value-answer": ""}, id="11-multi-value"),
        pytest.param(
            {"aws/geolocation-continent-code": "EU", "aws/geolocation-country-code": "DE"},
            {"aws/geolocation-continent-code": "EU"},
            id="11-continent-and-country",
        ),
        pytest.param(
            {"aws/geoproximity-region": "us-east-1"},
            {"aws/geoproximity-region": "us-east-1", "aws/geoproximity-bias": "0"},
            id="10.5-no-bias",
        ),
        pytest.param(
            {"aws/geoproximity-coordinates": "60,60", "aws/geoproximity-bias": "strong"},
            {"aws/geoproximity-coordinates": "60,60", "aws/geoproximity-bias": "0"},
            id="10.5-bias-text",
        ),
        pytest.param(
            {"aws/geoproximity-coordinates": "91,60", "aws/geoproximity-region": "us-east-1"},
            {"aws/geoproximity-region": "us-east-1", "aws/geoproximity-bias": "0"},
            id="10.5-latitude-91",
        ),
        pytest.param(
            {"aws/geoproximity-coordinates": "060.10,-000"},
            {"aws/geoproximity-coordinates": "60.10,-0", "aws/geoproximity-bias": "0"},
            id="zeros-before-coordinates",
        ),
        pytest.param(
            {"aws/geolocation-country-code": "us"},
            {"aws/geolocation-country-code": "US"},
            id="country-in-small-letters",
        ),
        pytest.param(
            {"aws/weight": "1", "aws/health-check-id": "hc"},
            {"aws/weight": "1", "aws/health-check-id": "hc"},
            id="check",
        ),
    ],
)
def test_routing_properties_are_changed_to_the_form_that_route53_returns(
    value: dict[str, str], held: dict[str, str]
) -> None:
    (one,) = taken(endpoint(sid="x", props=value))
    assert dict(one.properties) == held


def test_only_address_and_cname_records_get_the_default_bias_of_geoproximity_routing() -> None:
    (mail,) = taken(endpoint("MX", "10 mail.example.net", sid="x", props={"aws/geoproximity-region": "us-east-1"}))
    assert dict(mail.properties) == {"aws/geoproximity-region": "us-east-1"}, "4.5"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(endpoint("DNAME", "x.example.net"), "Route 53 does not support DNAME", id="type"),
        pytest.param(endpoint(name="www.example.net"), "outside zone", id="other-zone"),
        pytest.param(endpoint("CNAME", "x.example.net", "y.example.net"), "one target", id="CNAME-with-two-targets"),
        pytest.param(endpoint("A", "no.address.example"), "IPv4", id="A-with-a-name"),
        pytest.param(endpoint("A", "192.0.2.1", props={"alias": "true"}), "a name, not at", id="alias-of-an-address"),
        pytest.param(endpoint("CNAME", "www.example.org", props={"alias": "true"}), "itself", id="alias-of-itself"),
        pytest.param(
            endpoint("CNAME", "x.example.net", props={"alias": "true"}), "within example.org", id="alias-abroad"
        ),
        pytest.param(endpoint("TXT", "no quotes"), "in double quotes", id="TXT-without-quotes"),
        pytest.param(endpoint("TXT", f'"{"x" * 4001}"'), "4003 characters", id="TXT-too-long"),
        pytest.param(
            endpoint("A", *(f"192.0.2.{n}" for n in range(256)), *(f"198.51.100.{n}" for n in range(200))),
            "456 values",
            id="too-many-values",
        ),
        pytest.param(endpoint(sid="x"), "needs a routing policy", id="084-set-identifier-alone"),
        pytest.param(endpoint(props=WEIGHT), "needs a set identifier", id="policy-alone"),
        pytest.param(
            endpoint(sid="x", props=WEIGHT | {"aws/region": "us-east-1"}),
            "weight and region together",
            id="two-policies",
        ),
        pytest.param(endpoint(sid="x", props={"aws/region": ""}), "aws/region is empty", id="empty"),
        pytest.param(endpoint(sid="x", props={"aws/weight": "256"}), "0 to 255", id="weight-too-large"),
        pytest.param(endpoint(sid="x", props={"aws/failover": "primary"}), "PRIMARY, SECONDARY", id="failover"),
        pytest.param(endpoint(sid="x", props={"aws/geolocation-subdivision-code": "TX"}), "country", id="subdivision"),
        pytest.param(endpoint(sid="x", props={"aws/geoproximity-bias": "3"}), "a region", id="bias-alone"),
        pytest.param(
            endpoint(sid="x", props={"aws/geoproximity-region": "us-east-1", "aws/geoproximity-bias": "100"}),
            "-99 to 99",
            id="bias-too-large",
        ),
        pytest.param(
            endpoint(sid="x", props={"aws/geoproximity-region": "us-east-1", "aws/geoproximity-coordinates": "60,60"}),
            "either a region",
            id="two-places",
        ),
        pytest.param(
            endpoint("CNAME", ALB, sid="x", props={"aws/multi-value-answer": ""}),
            "not an alias",
            id="multi-value-alias",
        ),
        pytest.param(endpoint(sid="x" * 129, props=WEIGHT), "129 characters", id="long-set-identifier"),
        pytest.param(endpoint(sid="a\rb", props=WEIGHT), r"set identifier 'a\rb'; allowed: no control", id="CR"),
        pytest.param(endpoint(sid="a\x01b", props=WEIGHT), "no control characters", id="control-character"),
        pytest.param(endpoint(sid="a\ud800b", props=WEIGHT), "no control characters", id="half-a-character"),
        pytest.param(endpoint(props={"aws/health-check-id": "a\x01"}), "aws/health-check-id 'a", id="check"),
        pytest.param(
            endpoint("CNAME", ALB, props={"aws/target-hosted-zone": "x, RRSet DNS name a.example.org"}),
            "aws/target-hosted-zone 'x, RRSet DNS name a.example.org'; allowed: letters, digits",
            id="text-in-place-of-an-id",
        ),
        pytest.param(endpoint("CNAME", "a\x01.example.net"), "no control characters", id="target"),
        pytest.param(endpoint(sid="x", props={"aws/region": "mars-1"}), "region 'mars-1'", id="region"),
        pytest.param(endpoint(sid="x", props={"aws/region": " eu-west-1 "}), "region ' eu-west-1 '", id="blanks"),
    ],
)
def test_records_that_route53_would_refuse_are_refused_before_they_are_sent(value: DesiredRecord, words: str) -> None:
    assert words in refused(value)


def test_an_alias_to_cloudfront_is_refused_in_private_zones() -> None:
    value = endpoint("CNAME", "d1.cloudfront.net")
    assert "public zones" in refused(value, replace(ZONE, private=True))
    (refusal,) = adjust_record(value, replace(ZONE, private=True), AwsSettings())
    assert isinstance(refusal, Refusal)
    assert refusal.desired.type == "A", "it is left alone if A is not managed"
    assert taken(value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(endpoint("MX", "10 mail.example.net"), id="10.5-MX-untouched"),
        pytest.param(endpoint("PTR", "host.example.net"), id="PTR-outside-arpa"),
        pytest.param(endpoint("CNAME", "base.example.org", props={"alias": "A"}), id="alias-in-the-zone"),
    ],
)
def test_valid_records_of_all_kinds_are_accepted_for_route_53(value: DesiredRecord) -> None:
    assert taken(value)
