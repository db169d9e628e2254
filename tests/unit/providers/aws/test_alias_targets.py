"""Hosted zones of load balancers and other AWS endpoints."""

from __future__ import annotations

import pytest

from providers.aws.alias_targets import AWS_ZONES, find_alias_zone, find_aws_zone


def test_the_table_of_load_balancer_zones_has_as_many_entries_as_the_specification() -> None:
    assert len(AWS_ZONES) == 133


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
