"""Convert record sets of Cloud DNS to records and back (docs/spec/plan.md 5 and 10.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.change import Refusal
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record
from providers.google import record_sets
from providers.google.adjust import adjust_record
from providers.google.record_sets import CloudDnsRecordSet, ProjectLimits, parse_record_set, serialize_record_set
from tests.unit.providers.desired import endpoint
from tests.unit.providers.google.cloud_dns_values import FAILOVER, GEO, WEIGHTED, ZONE, routed


def held(rtype: str, *values: str, name: str = "www.example.org.", ttl_s: int = 300) -> CloudDnsRecordSet:
    return CloudDnsRecordSet(name=name, type=rtype, ttl_s=ttl_s, values=values)


def read(found: CloudDnsRecordSet) -> Record:
    record = record_sets.build_record(found)
    assert record is not None
    return record


@pytest.mark.parametrize(
    ("rtype", "target", "value"),
    [
        pytest.param("NS", "ns.example.net", "ns.example.net.", id="10.6-NS-gets-a-dot"),
        pytest.param("MX", "10 mail.example.net", "10 mail.example.net.", id="10.6-MX-gets-a-dot"),
        pytest.param("CNAME", "lb.example.net", "lb.example.net.", id="10.6-CNAME-gets-a-dot"),
        pytest.param("PTR", "host.example.net", "host.example.net.", id="11-PTR-gets-a-dot"),
        pytest.param("MX", "0 .", "0 .", id="null-MX"),
        pytest.param("SRV", "0 5 5060 sip.example.net.", "0 5 5060 sip.example.net.", id="SRV"),
        pytest.param("A", "192.0.2.1", "192.0.2.1", id="addresses-get-none"),
        pytest.param("TXT", '"a b"', '"a b"', id="TXT"),
    ],
)
def test_host_names_get_a_final_dot_in_requests_and_lose_it_in_records(rtype: str, target: str, value: str) -> None:
    sent = record_sets.build_record_set(endpoint(rtype, target))
    assert sent == held(rtype, value)
    record = read(sent)
    assert (record.targets, record.exact) == ((target,), None)
    assert record_sets.build_record_set(record) == sent


def test_a_record_without_requested_ttl_is_sent_with_300_seconds() -> None:
    assert record_sets.build_record_set(endpoint()).ttl_s == 300
    assert record_sets.build_record_set(endpoint(ttl_s=60)).ttl_s == 60
    zero = read(held("A", "192.0.2.1", ttl_s=0))
    assert (zero.ttl_s, record_sets.build_record_set(zero).ttl_s) == (0, 0)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(held("CNAME", "LB.Example.net."), id="capitals"),
        pytest.param(held("AAAA", "2001:db8:0:0::1"), id="address"),
        pytest.param(held("A", "192.0.2.1", name="WWW.example.org."), id="name"),
        pytest.param(held("MX", "10  mail.example.net."), id="blanks"),
        pytest.param(held("TXT", f'"{"x" * 100}" "{"y" * 200}"'), id="strings"),
        pytest.param(held("ALIAS", "lb.example.net."), id="a-type-of-its-own"),
    ],
)
def test_a_record_set_stored_in_another_spelling_is_deleted_exactly_as_stored(found: CloudDnsRecordSet) -> None:
    assert record_sets.build_record_set(read(found)) == found


@pytest.mark.parametrize("routing", [WEIGHTED, GEO, FAILOVER], ids=["weighted", "geolocation", "failover"])
@pytest.mark.parametrize("kinds", [True, False], ids=["as-answered", "as-sent"])
def test_a_routing_policy_is_read_and_written_without_loss(routing: dict[str, object], kinds: bool) -> None:
    stored = {"kind": "dns#rRSetRoutingPolicy", **routing} if kinds else routing
    found = parse_record_set({"name": "www.example.org.", "type": "A", "ttl": 60, "routingPolicy": stored})
    record = read(found)
    assert record.targets == record_sets.list_policy_targets(json.dumps(routing))
    assert serialize_record_set(record_sets.build_record_set(record))["routingPolicy"] == stored


@pytest.mark.parametrize("name", ["a b.example.org.", "\\052.example.org.", "bücher.example.org.", ""])
def test_a_record_set_with_an_unsupported_name_is_skipped(name: str) -> None:
    assert record_sets.build_record(held("A", "192.0.2.1", name=name)) is None


_LABELS = st.from_regex(r"\A[a-z0-9_](?:[a-z0-9-]{0,10})\Z")
_PRINTABLE = st.characters(codec="ascii", exclude_characters='"\\', min_codepoint=32, max_codepoint=126)
_VALUES = {
    "A": st.ip_addresses(v=4).map(str),
    "AAAA": st.ip_addresses(v=6).map(str),
    "CNAME": st.builds(lambda label: f"{label}.example.net.", _LABELS),
    "TXT": st.builds(lambda text: f'"{text}"', st.text(_PRINTABLE, max_size=255)),
}


_SETS = st.sampled_from(sorted(_VALUES)).flatmap(
    lambda rtype: st.tuples(st.just(rtype), st.lists(_VALUES[rtype], min_size=1, max_size=3, unique=True))
)


@given(_SETS)
def test_any_record_set_can_be_rebuilt_from_its_record(found: tuple[str, list[str]]) -> None:
    rtype, values = found
    one = held(rtype, *values)
    again = record_sets.build_record_set(read(one))
    assert (again.name, again.type, again.ttl_s, sorted(again.values)) == (one.name, rtype, 300, sorted(values))


# Normalize routing policies of Cloud DNS


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        pytest.param(WEIGHTED, ("192.0.2.1", "192.0.2.2"), id="weighted"),
        pytest.param(GEO, ("192.0.2.1", "192.0.2.9"), id="geolocation"),
        pytest.param(FAILOVER, ("10.1.0.2", "10.1.0.3"), id="failover"),
    ],
)
def test_normalizing_a_routing_policy_keeps_all_of_its_targets(
    value: Mapping[str, Any], targets: tuple[str, ...]
) -> None:
    normalized = record_sets.normalize_policy(json.dumps(value))
    assert json.loads(normalized) == value
    assert record_sets.normalize_policy(normalized) == normalized
    assert record_sets.list_policy_targets(normalized) == targets


def test_fields_with_defaults_or_added_by_cloud_dns_are_dropped_from_a_routing_policy() -> None:
    added = {
        "kind": "dns#rRSetRoutingPolicy",
        "geo": {
            "kind": "x",
            "enableFencing": False,
            "items": [{"kind": "y", "location": "us-east1", "rrdatas": ["192.0.2.1"], "signatureRrdatas": ["z"]}],
        },
    }
    plain = {"geo": {"items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]}}
    assert record_sets.normalize_policy(json.dumps(added)) == record_sets.normalize_policy(json.dumps(plain))


def test_weights_of_a_routing_policy_are_normalized_and_may_be_zero() -> None:
    one, other = (f'{{"wrr":{{"items":[{{"weight":{weight},"rrdatas":["192.0.2.1"]}}]}}}}' for weight in ("0.0", "0"))
    assert record_sets.normalize_policy(one) == record_sets.normalize_policy(other)
    assert '"weight":0' in record_sets.normalize_policy(one)


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '{"wrr":{},"geo":{}}', '{"latency":{}}'])
def test_an_invalid_routing_policy_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|expected a JSON object with one of geo, primaryBackup, wrr"):
        record_sets.normalize_policy(text)


# Adjust desired records to Cloud DNS (docs/spec/plan.md 5, 10.6 and 11)


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
        pytest.param(
            endpoint("CNAME", "x.example.net", "y.example.net"), "a CNAME can have only one target", id="two-CNAMEs"
        ),
        pytest.param(
            endpoint("NS", *(f"n{n}.example.net" for n in range(9))), "9 values in one record; allowed: 8", id="9-NS"
        ),
        pytest.param(endpoint("A", *(f"192.0.2.{n}" for n in range(101))), "101 values in one record", id="101-A"),
        pytest.param(endpoint("TXT", 'half "quoted'), "allowed: TXT values", id="half-quoted"),
        pytest.param(
            endpoint("A", "lb.example.net", props={"alias": "true"}), "Cloud DNS does not support aliases", id="alias"
        ),
        pytest.param(endpoint("SRV", "0 5 5060 sip.example.net"), "a host ending in '.'", id="SRV"),
        pytest.param(
            endpoint(props={record_sets.ROUTING_POLICY: "x"}), "google/routing-policy: Expecting value", id="policy"
        ),
        pytest.param(
            routed({"geo": {"items": [{"rrdatas": 5}]}}),
            "google/routing-policy: rrdatas is the number 5; allowed: a list of texts",
            id="policy-without-list",
        ),
        pytest.param(routed({"geo": {"ipAddress": ["x"]}}), "is a list; allowed: a text", id="policy-without-text"),
        pytest.param(
            endpoint(props={record_sets.ROUTING_POLICY: f'{{"geo":{"[" * 9999}{"]" * 9999}}}'}),
            "nested too deeply",
            id="deep-policy",
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
