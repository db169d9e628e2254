"""What is known of the ownership of a record (design 2)."""

from __future__ import annotations

from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.record import Record, RecordKey

RECORD = Record(name=DnsName("web.x.test"), type="A", targets=("192.0.2.1",), ttl_s=300, set_identifier="one")


def test_without_proof_a_record_is_nobodys() -> None:
    owned = Owned(record=RECORD)
    assert (owned.owner, owned.ours, owned.marks, owned.labels) == (None, False, (), ())


def test_a_record_nobody_marked_lacks_no_mark() -> None:
    assert Owned(record=RECORD).marked


def test_ownership_is_known_by_the_key_of_the_record() -> None:
    assert Owned(record=RECORD).key == RecordKey(DnsName("web.x.test"), "one", "A")


def test_the_mark_names_the_object() -> None:
    assert Owned(record=RECORD, labels=Pairs.of({"resource": "service/shop/web"})).resource == "service/shop/web"
    assert Owned(record=RECORD, labels=Pairs.of({"extra": "1"})).resource == ""


def test_ownership_compares_by_value() -> None:
    mark = Record(name=DnsName("a-web.x.test"), type="TXT", targets=('"heritage"',), ttl_s=300)
    one, two = (Owned(record=RECORD, owner="me", ours=True, marks=(mark,)) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != Owned(record=RECORD, owner="me", ours=True)
