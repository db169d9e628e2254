"""Records with what is known about their ownership (docs/design/laws.md)."""

from __future__ import annotations

from extdns.model.dns_name import DnsName
from extdns.model.record import OwnedRecord, Record, RecordKey
from extdns.model.value import StringMap

RECORD = Record(name=DnsName("web.x.test"), type="A", targets=("192.0.2.1",), ttl_s=300, set_identifier="one")


def test_a_record_without_ownership_record_has_no_owner_and_is_not_ours() -> None:
    owned = OwnedRecord(record=RECORD)
    assert (owned.owner, owned.is_ours, owned.ownership_records, owned.labels) == (None, False, (), ())


def test_a_record_without_ownership_record_counts_as_having_the_current_format() -> None:
    assert OwnedRecord(record=RECORD).has_current_format


def test_an_owned_record_has_the_key_of_the_record_in_it() -> None:
    assert OwnedRecord(record=RECORD).key == RecordKey(DnsName("web.x.test"), "one", "A")


def test_the_resource_of_an_owned_record_is_the_value_of_its_label_resource() -> None:
    assert (
        OwnedRecord(record=RECORD, labels=StringMap.from_items({"resource": "service/shop/web"})).resource
        == "service/shop/web"
    )
    assert OwnedRecord(record=RECORD, labels=StringMap.from_items({"extra": "1"})).resource == ""


def test_owned_records_with_equal_values_are_equal() -> None:
    ownership_record = Record(name=DnsName("a-web.x.test"), type="TXT", targets=('"heritage"',), ttl_s=300)
    one, two = (
        OwnedRecord(record=RECORD, owner="me", is_ours=True, ownership_records=(ownership_record,)) for _ in range(2)
    )
    assert one == two
    assert hash(one) == hash(two)
    assert one != OwnedRecord(record=RECORD, owner="me", is_ours=True)
