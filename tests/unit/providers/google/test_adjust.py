"""What Cloud DNS would hold of what is wanted (spec plan 5, 10.6 and 11)."""

from __future__ import annotations

import pytest

from extdns.model.adjusted import Refusal
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from providers.google import policy
from providers.google.adjust import adjusted
from providers.google.wire import Limits
from tests.unit.providers.google.made import FAILOVER, GEO, WEIGHTED, ZONE, endpoint, routed

USUAL = Limits()


@pytest.mark.parametrize(
    ("given", "targets"),
    [
        pytest.param(endpoint(props={"alias": "true"}), ("192.0.2.1",), id="5-an-alias-property-means-nothing"),
        pytest.param(
            endpoint("CNAME", "lb.example.net", props={"aws/weight": "1"}), ("lb.example.net",), id="of-others"
        ),
        pytest.param(endpoint("TXT", "v=spf1 -all"), ('"v=spf1" "-all"',), id="text-without-quotes"),
        pytest.param(endpoint("TXT", '"v=spf1 -all"'), ('"v=spf1 -all"',), id="text-in-quotes"),
    ],
)
def test_what_is_wanted_takes_the_form_in_which_it_is_read_back(given: Endpoint, targets: tuple[str, ...]) -> None:
    found = adjusted(given, ZONE, USUAL)
    assert isinstance(found, Endpoint)
    assert (found.targets, tuple(found.properties)) == (targets, ())
    assert adjusted(found, ZONE, USUAL) == found


@pytest.mark.parametrize("routing", [WEIGHTED, GEO, FAILOVER], ids=["weighted", "geolocation", "failover"])
def test_a_routing_policy_is_wanted_whole_and_says_its_own_targets(routing: dict[str, object]) -> None:
    found = adjusted(routed(routing), ZONE, USUAL)
    assert isinstance(found, Endpoint)
    assert found.targets == policy.targets(found.properties.get(policy.PROPERTY))
    assert adjusted(found, ZONE, USUAL) == found


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        pytest.param(endpoint("DNAME", "x.example.net"), "Cloud DNS has no DNAME; allowed: A, AAAA,", id="type"),
        pytest.param(endpoint(sid="blue"), "Cloud DNS has no set identifiers; 'blue' is one", id="set-identifier"),
        pytest.param(endpoint(name="www.example.net"), "lies outside zone example.org", id="outside"),
        pytest.param(endpoint("CNAME", "x.example.net", name="example.org"), "cannot stand at the apex", id="apex"),
        pytest.param(endpoint("CNAME", "x.example.net", "y.example.net"), "a CNAME has one target", id="two-CNAMEs"),
        pytest.param(endpoint("NS", "a.example.net", name="*.example.org"), "NS cannot stand at a wildcard", id="NS"),
        pytest.param(
            endpoint("NS", *(f"n{n}.example.net" for n in range(9))), "9 values in one record; allowed: 8", id="9-NS"
        ),
        pytest.param(endpoint("A", *(f"192.0.2.{n}" for n in range(101))), "101 values in one record", id="101-A"),
        pytest.param(endpoint("TXT"), "TXT needs a target", id="empty"),
        pytest.param(endpoint("TXT", 'half "quoted'), "allowed: TXT values", id="half-quoted"),
        pytest.param(endpoint("A", "lb.example.net", props={"alias": "true"}), "Cloud DNS has no aliases", id="alias"),
        pytest.param(endpoint("SRV", "0 5 5060 sip.example.net"), "a host ending in '.'", id="SRV"),
        pytest.param(endpoint(props={policy.PROPERTY: "x"}), "google/routing-policy: Expecting value", id="policy"),
    ],
)
def test_what_the_service_would_refuse_is_refused_beforehand(given: Endpoint, detail: str) -> None:
    found = adjusted(given, ZONE, USUAL)
    assert isinstance(found, Refusal)
    assert (found.endpoint, found.reason) == (given, Reason.UNSUPPORTED)
    assert detail in found.detail


def test_limits_are_those_of_the_project() -> None:
    many = endpoint("A", *(f"192.0.2.{number}" for number in range(101)))
    assert adjusted(many, ZONE, Limits(values=101)) == many
