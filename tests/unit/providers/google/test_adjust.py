"""Adjust desired records to Cloud DNS (docs/spec/plan.md 5, 10.6 and 11)."""

from __future__ import annotations

import pytest

from extdns.model.change import Refusal
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from providers.google import record_sets
from providers.google.adjust import adjust_record
from providers.google.record_sets import ProjectLimits
from tests.unit.providers.google.cloud_dns_values import FAILOVER, GEO, WEIGHTED, ZONE, endpoint, routed

USUAL = ProjectLimits()


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        pytest.param(endpoint(props={"alias": "true"}), ("192.0.2.1",), id="5-alias-property-is-ignored"),
        pytest.param(
            endpoint("CNAME", "lb.example.net", props={"aws/weight": "1"}), ("lb.example.net",), id="of-others"
        ),
        pytest.param(endpoint("TXT", "v=spf1 -all"), ('"v=spf1" "-all"',), id="text-without-quotes"),
        pytest.param(endpoint("TXT", '"v=spf1 -all"'), ('"v=spf1 -all"',), id="text-in-quotes"),
    ],
)
def test_desired_records_are_changed_to_the_form_that_cloud_dns_returns(
    value: DesiredRecord, targets: tuple[str, ...]
) -> None:
    found = adjust_record(value, ZONE, USUAL)
    assert isinstance(found, DesiredRecord)
    assert (found.targets, tuple(found.properties)) == (targets, ())
    assert adjust_record(found, ZONE, USUAL) == found


@pytest.mark.parametrize("routing", [WEIGHTED, GEO, FAILOVER], ids=["weighted", "geolocation", "failover"])
def test_a_record_with_a_routing_policy_has_the_targets_of_that_policy(routing: dict[str, object]) -> None:
    found = adjust_record(routed(routing), ZONE, USUAL)
    assert isinstance(found, DesiredRecord)
    assert found.targets == record_sets.list_policy_targets(found.properties.get(record_sets.ROUTING_POLICY))
    assert adjust_record(found, ZONE, USUAL) == found


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        pytest.param(
            endpoint("DNAME", "x.example.net"), "Cloud DNS does not support DNAME; allowed: A, AAAA,", id="type"
        ),
        pytest.param(
            endpoint(sid="blue"), "Cloud DNS does not support set identifiers, such as 'blue'", id="set-identifier"
        ),
        pytest.param(endpoint(name="www.example.net"), "lies outside zone example.org", id="outside"),
        pytest.param(endpoint("CNAME", "x.example.net", name="example.org"), "is not allowed at the apex", id="apex"),
        pytest.param(
            endpoint("CNAME", "x.example.net", "y.example.net"), "a CNAME can have only one target", id="two-CNAMEs"
        ),
        pytest.param(endpoint("NS", "a.example.net", name="*.example.org"), "NS is not allowed at a wildcard", id="NS"),
        pytest.param(
            endpoint("NS", *(f"n{n}.example.net" for n in range(9))), "9 values in one record; allowed: 8", id="9-NS"
        ),
        pytest.param(endpoint("A", *(f"192.0.2.{n}" for n in range(101))), "101 values in one record", id="101-A"),
        pytest.param(endpoint("TXT"), "TXT needs a target", id="empty"),
        pytest.param(endpoint("TXT", 'half "quoted'), "allowed: TXT values", id="half-quoted"),
        pytest.param(
            endpoint("A", "lb.example.net", props={"alias": "true"}), "Cloud DNS does not support aliases", id="alias"
        ),
        pytest.param(endpoint("SRV", "0 5 5060 sip.example.net"), "a host ending in '.'", id="SRV"),
        pytest.param(
            endpoint(props={record_sets.ROUTING_POLICY: "x"}), "google/routing-policy: Expecting value", id="policy"
        ),
    ],
)
def test_records_that_cloud_dns_would_refuse_are_refused_before_they_are_sent(
    value: DesiredRecord, detail: str
) -> None:
    found = adjust_record(value, ZONE, USUAL)
    assert isinstance(found, Refusal)
    assert (found.desired, found.reason) == (value, Reason.UNSUPPORTED)
    assert detail in found.detail


def test_records_above_the_limits_of_the_google_project_are_refused() -> None:
    many = endpoint("A", *(f"192.0.2.{number}" for number in range(101)))
    assert isinstance(adjust_record(many, ZONE, USUAL), Refusal)
    assert adjust_record(many, ZONE, ProjectLimits(values=101)) == many
