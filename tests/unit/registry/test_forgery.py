"""TXT records of somebody else with the text of an ownership record (docs/design/forgery.md)."""

from __future__ import annotations

import pytest

from extdns.model.record import Record
from registry.noop.registry import NoopRegistry
from registry.txt.encryption import EncryptedTextCodec
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.registry.completion import MANAGED, build_registry
from tests.unit.registry.zone_records import ZONE, build_name, ownership_record, record

WITH_TXT = (*MANAGED, "TXT")
FORGED = '"heritage=external-dns,external-dns/owner=me"'


def find_owner(registry: TxtRegistry, records: list[Record], name: str, rtype: str) -> str | None:
    """Return the owner id of the record, read together with its related names, as in planning."""
    around = {build_name(name), *registry.related_names(build_name(name), ZONE)}
    found = [
        one
        for read in (records, [one for one in records if one.name in around])
        for one in registry.read(read, ZONE)
        if (one.record.name, one.record.type) == (build_name(name), rtype)
    ]
    assert found[0] == found[1]
    return found[0].owner


@pytest.mark.parametrize("types", [WITH_TXT, MANAGED], ids=["txt-managed", "txt-not-managed"])
@pytest.mark.parametrize(
    ("affix", "rtype", "name", "forged", "own"),
    [
        pytest.param({}, "A", "mail", "a-mail", "txt-a-mail", id="address"),
        pytest.param({}, "CNAME", "www", "cname-www", "txt-cname-www", id="cname"),
        pytest.param({}, "A", "www", "www", "txt-www", id="without-a-type"),
        pytest.param({}, "A", "*", "a-*", "txt-a-*", id="wildcard"),
        pytest.param({"wildcard": "any"}, "A", "*", "a-any", "txt-a-any", id="wildcard-with-replacement"),
        pytest.param({"prefix": "e."}, "A", "mail", "e.a-mail", "e.txt-e.a-mail", id="prefix"),
        pytest.param(
            {"prefix": "e-%{record_type}."}, "A", "mail", "e-a.mail", "e-txt.e-a.mail", id="prefix-with-a-type"
        ),
        pytest.param({"suffix": "-own"}, "A", "mail", "a-mail-own", "txt-a-mail-own-own", id="suffix"),
    ],
)
def test_a_txt_record_that_has_an_ownership_record_of_its_own_does_not_count_as_ownership_record(
    affix: dict[str, str], rtype: str, name: str, forged: str, own: str, types: tuple[str, ...]
) -> None:
    registry = build_registry(types=types, **affix)  # type: ignore[arg-type]
    by_hand = record(rtype, name)
    published = record("TXT", forged, target=FORGED)
    assert find_owner(registry, [by_hand, published], name, rtype) == "me"  # as for a record of external-dns
    everything = [by_hand, published, ownership_record(own, resource="crd/shop/x")]
    assert find_owner(registry, everything, name, rtype) is None
    assert find_owner(registry, everything, forged, "TXT") == ("me" if "TXT" in types else None)


def test_an_ownership_record_of_another_owner_also_marks_an_ownership_text_as_forged() -> None:
    records = [record("A", "mail"), ownership_record("a-mail"), ownership_record("txt-a-mail", "other")]
    assert find_owner(build_registry(types=WITH_TXT), records, "mail", "A") is None


def test_an_ownership_text_is_recognized_as_forged_only_under_its_own_set_identifier() -> None:
    one, two = ([record("A", "mail", sid=sid), ownership_record("a-mail", sid=sid)] for sid in ("1", "2"))
    found = build_registry(types=WITH_TXT).read([*one, *two, ownership_record("txt-a-mail", sid="1")], ZONE)
    owners = {owned.record.set_identifier: owned.owner for owned in found if owned.record.type == "A"}
    assert owners == {"1": None, "2": "me"}


@pytest.mark.parametrize("length", [3, 4, 5])
def test_a_chain_of_forged_ownership_records_makes_no_record_ours(length: int) -> None:
    chain = [ownership_record("txt-" * depth + "a-mail") for depth in range(length)]
    assert find_owner(build_registry(types=WITH_TXT), [record("A", "mail"), *chain], "mail", "A") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FORGED, True, id="ours"),
        pytest.param('"heritage=external-dns,external-dns/owner=other"', True, id="other-owner"),
        pytest.param("heritage=external-dns,external-dns/owner=me", True, id="without-quotes"),
        pytest.param('"x,heritage=external-dns"', True, id="after-other-text"),
        pytest.param(r'"\150eritage=external-dns,external-dns/owner=me"', True, id="octal-escape"),
        pytest.param(r'"\104eritage=external-dns,external-dns/owner=me"', True, id="decimal-escape"),
        pytest.param(r'"\heritage=external-dns"', True, id="escape-of-itself"),
        pytest.param('"HERITAGE=external-dns,external-dns/owner=me"', False, id="capitals"),
        pytest.param('"heritage=mate"', False, id="another-program"),
        pytest.param('"v=spf1 -all"', False, id="spf"),
        pytest.param(r'"\999"', False, id="no-character"),
    ],
)
def test_a_text_that_could_be_read_as_an_ownership_record_is_recognized(text: str, expected: bool) -> None:
    assert build_registry().is_ownership_text(text) is expected
    assert NoopRegistry().is_ownership_text(text) is expected


def test_an_encrypted_text_counts_as_ownership_text_only_if_our_key_decrypts_it() -> None:
    def codec(key: bytes) -> EncryptedTextCodec:
        return EncryptedTextCodec(key=key, nonce=lambda: b"n" * 12, encrypts=True)

    def registry(key: bytes) -> TxtRegistry:
        return TxtRegistry(owner="me", naming=Naming(), managed_types=MANAGED, codec=codec(key))

    text = codec(b"k" * 32).encode(ownership_record("x").properties)
    assert text is not None
    assert registry(b"k" * 32).is_ownership_text(text)
    assert not registry(b"q" * 32).is_ownership_text(text)
