"""Convert record sets of Route 53 to records and back (docs/spec/plan.md 4.4, 10.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.change import Refusal
from extdns.model.record import Record
from extdns.model.value import StringMap
from providers.aws.adjust import adjust_record
from providers.aws.alias_targets import find_alias_zone, find_aws_zone
from providers.aws.record_sets import (
    AliasTarget,
    Route53RecordSet,
    build_record,
    build_record_set,
    parse_name,
)
from providers.aws.settings import AwsSettings
from tests.unit.providers.aws.route53_values import ALB, ALB_ZONE, ZONE
from tests.unit.providers.desired import endpoint


def read(found: Route53RecordSet) -> Record:
    made = build_record(found, ZONE)
    assert made is not None
    return made


def simple(*values: str, name: str = "www.example.org.", rtype: str = "A", ttl_s: int = 60) -> Route53RecordSet:
    return Route53RecordSet(name=name, type=rtype, ttl_s=ttl_s, values=values)


def alias(host: str, zone_id: str, rtype: str = "A") -> Route53RecordSet:
    target = AliasTarget(zone_id=zone_id, name=host, evaluate_target_health=True)
    return Route53RecordSet(name="www.example.org.", type=rtype, alias=target)


@pytest.mark.parametrize(
    ("found", "targets", "exact"),
    [
        pytest.param(simple("192.0.2.2", "192.0.2.1"), ("192.0.2.1", "192.0.2.2"), False, id="order-of-values"),
        pytest.param(simple("lb.example.net", rtype="CNAME"), ("lb.example.net",), False, id="as-we-write-it"),
        pytest.param(simple("LB.example.net.", rtype="CNAME"), ("lb.example.net",), True, id="another-spelling"),
        pytest.param(simple("2001:DB8::0", rtype="AAAA"), ("2001:db8::",), True, id="address-in-another-spelling"),
        pytest.param(simple('"a" "b"', rtype="TXT"), ('"a" "b"',), False, id="TXT"),
        pytest.param(simple('"' + "x" * 255 + '" "y"', rtype="TXT"), ('"' + "x" * 255 + 'y"',), False, id="TXT-joined"),
        pytest.param(simple('"' + "x" * 255 + '"  "y"', rtype="TXT"), ('"' + "x" * 255 + 'y"',), True, id="TXT-odd"),
    ],
)
def test_a_record_keeps_the_exact_record_set_as_read_if_it_could_not_be_rebuilt_from_the_record(
    found: Route53RecordSet, targets: tuple[str, ...], exact: bool
) -> None:
    made = read(found)
    assert (made.targets, made.ttl_s) == (targets, 60)
    assert (made.exact is not None) is exact
    deleted = build_record_set(made, ZONE)
    assert (sorted(deleted.values), deleted.ttl_s) == (sorted(found.values), 60)


@pytest.mark.parametrize(
    ("host", "zone_id", "extra"),
    [
        pytest.param(f"{ALB}.", ALB_ZONE, {}, id="load-balancer"),
        pytest.param("base.example.org.", "ZOWN", {}, id="same-zone"),
        pytest.param("\\052.wildcard-target.example.org.", "ZOWN", {}, id="10.5-wildcard-target"),
        pytest.param(f"{ALB}.", "ZWRONG", {"aws/target-hosted-zone": "ZWRONG"}, id="other-zone"),
    ],
)
def test_an_alias_is_read_with_its_properties_and_a_ttl_of_300(host: str, zone_id: str, extra: dict[str, str]) -> None:
    made = read(alias(host, zone_id))
    assert dict(made.properties) == {"alias": "true", "aws/evaluate-target-health": "true"} | extra
    assert (made.ttl_s, made.exact) == (300, None)
    assert made.targets == (host.removesuffix(".").replace("\\052", "*"),)
    target = build_record_set(made, ZONE).alias
    assert target == AliasTarget(zone_id=zone_id, name=made.targets[0], evaluate_target_health=True)


def test_an_alias_of_a_type_other_than_a_and_aaaa_keeps_its_exact_record_set() -> None:
    found = alias("base.example.org.", "ZOWN", rtype="CNAME")
    assert read(found).exact == found


def test_a_record_set_with_an_unknown_routing_policy_is_written_back_unchanged() -> None:
    routing = StringMap.from_items({"CidrRoutingConfig.CollectionId": "c", "CidrRoutingConfig.LocationName": "*"})
    found = Route53RecordSet(
        name="w.example.org.", type="A", ttl_s=1, values=("192.0.2.1",), set_identifier="x", routing=routing
    )
    made = read(found)
    assert (made.properties, made.exact, build_record_set(made, ZONE)) == ((), found, found)


def test_a_record_set_with_an_unsupported_name_is_skipped() -> None:
    assert build_record(simple("192.0.2.1", name="a\\040b.example.org."), ZONE) is None


_POLICIES = st.one_of(
    st.fixed_dictionaries({"aws/weight": st.integers(0, 255).map(str)}),
    st.just({"aws/region": "eu-central-1"}),
    st.sampled_from(["PRIMARY", "SECONDARY"]).map(lambda role: {"aws/failover": role}),
    st.just({"aws/multi-value-answer": "true"}),
    st.just({"aws/geolocation-continent-code": "EU"}),
    st.just({"aws/geolocation-country-code": "US", "aws/geolocation-subdivision-code": "TX"}),
    st.just({"aws/geoproximity-coordinates": "60,-7.5", "aws/geoproximity-bias": "-3"}),
    st.just({"aws/geoproximity-local-zone-group": "us-east-1-atl-1"}),
)
_DATA = st.sampled_from([("A", "192.0.2.1"), ("CNAME", ALB), ("CNAME", "x.example.net"), ("TXT", '"t"')])


@given(
    policy=_POLICIES, data=_DATA, sid=st.sampled_from(["", "x"]), ttl_s=st.sampled_from([0, 60]), check=st.booleans()
)
def test_a_record_that_was_adjusted_is_read_back_as_it_was_adjusted(
    policy: dict[str, str], data: tuple[str, str], sid: str, ttl_s: int, check: bool
) -> None:
    props = (policy if sid else {}) | ({"aws/health-check-id": "hc"} if check else {})
    for form in adjust_record(endpoint(*data, sid=sid, props=props, ttl_s=ttl_s), ZONE, AwsSettings()):
        if isinstance(form, Refusal):
            return
        made = read(build_record_set(form, ZONE))
        assert (made.key, made.targets, made.properties) == (form.key, form.targets, form.properties)
        assert made.ttl_s == (form.ttl_s or 300)
        assert made.exact is None


# Names as Route 53 spells them


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("www.example.org.", "www.example.org", id="plain"),
        pytest.param("\\052.example.org.", "*.example.org", id="10.5-wildcard"),
        pytest.param("txt-\\041\\042\\073-test.example.com.", 'txt-!";-test.example.com', id="10.5-punctuation"),
        pytest.param("xn--c1yn36f.example.org.", "xn--c1yn36f.example.org", id="A-label"),
        pytest.param("b\\303\\274cher.example.org.", None, id="raw-octets-are-no-A-label"),
        pytest.param("a\\040b.example.org.", None, id="blank"),
        pytest.param("\\040a.example.org.", None, id="blank-at-the-edge"),
        pytest.param("a\\134b.example.org.", None, id="backslash"),
    ],
)
def test_octal_escapes_in_names_from_route53_are_decoded(text: str, name: str | None) -> None:
    assert parse_name(text) == name


# Hosted zones of load balancers and other AWS endpoints


@pytest.mark.parametrize(
    ("host", "zone_id"),
    [
        pytest.param("lb-1.us-east-1.elb.amazonaws.com", "Z35SXDOTRQ7X7K", id="application-load-balancer"),
        pytest.param("dualstack.lb-1.us-east-1.elb.amazonaws.com", "Z35SXDOTRQ7X7K", id="dualstack"),
        pytest.param("nlb.elb.eu-central-1.amazonaws.com", "Z3F0SRJ5LGBH90", id="network-load-balancer"),
        pytest.param("lb.cn-north-1.elb.amazonaws.com.cn", "Z1GDH35T77C1KE", id="China"),
        pytest.param("vpce-1.eu-west-1.vpce.amazonaws.com", "Z38GZ743OKFT7T", id="VPC-endpoint"),
        pytest.param("abc.execute-api.us-west-2.amazonaws.com", "Z2OJLYMUO9EFXC", id="API-gateway"),
        pytest.param("d1.cloudfront.net", "Z2FDTNDATAQYW2", id="CloudFront"),
        pytest.param("a.awsglobalaccelerator.com", "Z2BJ6XQ5FK7U4H", id="Global-Accelerator"),
        pytest.param("foo.elb.amazonaws.com", "", id="10.5-no-region"),
        pytest.param("lb.mars-1.elb.amazonaws.com", "", id="unknown-region"),
        pytest.param("notcloudfront.net", "", id="whole-labels-only"),
        pytest.param("com", "", id="one-label"),
    ],
)
def test_the_hosted_zone_of_a_load_balancer_is_found_by_the_region_in_its_host_name(host: str, zone_id: str) -> None:
    assert find_aws_zone(host) == zone_id
    assert find_alias_zone(host, "ZOWN") == (zone_id or "ZOWN")
