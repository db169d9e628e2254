"""The conversion of the endpoints of a webhook to records (docs/design/webhook.md)."""

from __future__ import annotations

from extdns.model.dns_name import DnsName
from extdns.model.record import RecordKey
from providers.webhook.records import parse_records
from providers.webhook.wire import Endpoint, Property

WEB = DnsName("web.example.org")


def endpoint(*targets: str, rtype: str = "A", dns_name: str = "web.example.org", identifier: str = "") -> Endpoint:
    return Endpoint(dns_name=dns_name, targets=targets, record_type=rtype, record_ttl=60, set_identifier=identifier)


def test_endpoints_of_one_record_are_one_record_with_the_targets_of_all() -> None:
    found = parse_records([endpoint("192.0.2.2"), endpoint("192.0.2.1", dns_name="WEB.example.org.")])
    (record,) = found[WEB]
    assert record.targets == ("192.0.2.1", "192.0.2.2")
    assert record.ttl_s == 60


def test_a_record_has_a_ttl_if_its_endpoint_states_one() -> None:
    unstated = Endpoint(dns_name="no-ttl.example.org", targets=("192.0.2.1",), record_type="A")
    found = parse_records([endpoint("192.0.2.1"), unstated])
    assert [(one.ttl_s, one.has_ttl) for records in found.values() for one in records] == [(60, True), (0, False)]


def test_endpoints_with_different_types_or_set_identifiers_are_records_of_their_own_in_order() -> None:
    found = parse_records(
        [
            endpoint("192.0.2.2", identifier="b"),
            endpoint("2001:db8::1", rtype="AAAA"),
            endpoint("192.0.2.1", identifier="a"),
        ]
    )
    assert [record.key for record in found[WEB]] == sorted(
        [RecordKey(WEB, "a", "A"), RecordKey(WEB, "b", "A"), RecordKey(WEB, "", "AAAA")]
    )


def test_endpoints_without_a_type_of_an_soa_record_or_at_an_invalid_name_are_left_out() -> None:
    assert (
        parse_records([endpoint("x", rtype=""), endpoint("x", rtype="SOA"), endpoint("192.0.2.1", dns_name="a..b")])
        == {}
    )


def test_an_endpoint_that_a_record_cannot_express_is_kept_exactly() -> None:
    plain, odd = endpoint("192.0.2.1"), endpoint("192.0.2.1", dns_name="odd.example.org")
    odd = Endpoint(
        dns_name=odd.dns_name,
        targets=odd.targets,
        record_type=odd.record_type,
        record_ttl=-5,
        provider_specific=(Property(name="alias", value="false"),),
    )
    found = parse_records([plain, odd])
    assert not found[WEB][0].exact
    assert found[DnsName("odd.example.org")][0].exact
