"""The text of an ownership record, plain and encrypted (docs/spec/plan.md 3.2.3, 3.2.4)."""

from __future__ import annotations

import base64
import gzip
import os
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.model.change import ChangeSet, Update
from extdns.model.value import StringMap
from registry.txt.encryption import NONCE_BYTES, EncryptedTextCodec, parse_keys
from registry.txt.ownership_index import MAX_CHARACTERS, NONCE_LABEL, PlainTextCodec
from registry.txt.registry import TxtRegistry
from tests.builders import build_codec, build_registry
from tests.unit.registry.zone_records import ZONE, build_desired, record

CODEC = PlainTextCodec()
ME = {"owner": "me"}


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        pytest.param(
            {"owner": "default", "resource": "ingress/default/web"},
            '"heritage=external-dns,external-dns/owner=default,external-dns/resource=ingress/default/web"',
            id="3.2.3-with-resource",
        ),
        pytest.param(
            {"owner": "default"}, '"heritage=external-dns,external-dns/owner=default"', id="3.2.3-without-resource"
        ),
        pytest.param(
            {"owner": "me", "ownedRecord": "x.test", "extra": "v=1"},
            '"heritage=external-dns,external-dns/extra=v=1,external-dns/ownedRecord=x.test,external-dns/owner=me"',
            id="3.2.3-order-of-keys",
        ),
        pytest.param({}, '"heritage=external-dns"', id="no-labels"),
    ],
)
def test_labels_are_written_in_order_and_read_again(labels: dict[str, str], text: str) -> None:
    assert CODEC.encode(StringMap.from_items(labels)) == text
    assert CODEC.decode(text) == StringMap.from_items(labels)


def test_nonce_label_is_not_written() -> None:
    assert CODEC.encode(StringMap.from_items({"owner": "me", "txt-encryption-nonce": "AAAA"})) == (
        '"heritage=external-dns,external-dns/owner=me"'
    )


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        pytest.param("heritage=external-dns,external-dns/owner=me", ME, id="3.2.3-no-quotes"),
        pytest.param('""heritage=external-dns,external-dns/owner=me"""', ME, id="3.2.3-all-quotes-go"),
        pytest.param('"heritage=external-dns,junk,external-dns/owner=me,x=y,,"', ME, id="3.2.3-junk-tokens"),
        pytest.param('"external-dns/owner=me,heritage=external-dns"', ME, id="3.2.3-heritage-last"),
        pytest.param('"heritage=external-dns,external-dns/a=b=c"', {"a": "b=c"}, id="3.2.3-first-equals-sign"),
        pytest.param('"heritage=external-dns,external-dns-a=b"', {"external-dns-a": "b"}, id="3.2.3-key-without-slash"),
        pytest.param('"heritage=external-dns,external-dns/owner=a,external-dns/owner=me"', ME, id="last-one-wins"),
        pytest.param('"heritage=external-dns,heritage=external-dns"', {}, id="heritage-twice"),
        pytest.param('"heritage=external-dns,external-dns/owner="', {"owner": ""}, id="empty-owner"),
    ],
)
def test_other_spellings_of_external_dns_are_read(text: str, labels: dict[str, str]) -> None:
    assert CODEC.decode(text) == StringMap.from_items(labels)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"heritage=mate,external-dns/owner=me"', id="3.2.3-other-heritage"),
        pytest.param('"heritage=mate,heritage=external-dns,external-dns/owner=me"', id="3.2.3-other-heritage-first"),
        pytest.param('"heritage=external-dns,heritage=mate"', id="other-heritage-last"),
        pytest.param('"external-dns/owner=me"', id="3.2.3-no-heritage"),
        pytest.param('" heritage=external-dns"', id="blank-before"),
        pytest.param('"heritage=external-dns "', id="blank-after"),
        pytest.param('"Heritage=external-dns"', id="capitals"),
        pytest.param('"v=spf1 -all"', id="something-else"),
        pytest.param('"', id="one-quote"),
        pytest.param("", id="nothing"),
        pytest.param("\x00\ud800,=,", id="garbage"),
        pytest.param('"heritage=external-dns,' + "x" * 60_000 + '"', id="60-kB"),
        pytest.param('"heritage=external-dns' + ",external-dns/a=b" * 5_000 + '"', id="thousands-of-labels"),
    ],
)
def test_other_text_is_not_an_ownership_record(text: str) -> None:
    assert CODEC.decode(text) is None


CARRIED = st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters=',"\\')
keys = st.text(CARRIED.filter("=".__ne__), min_size=1, max_size=20).filter(NONCE_LABEL.__ne__)


@given(st.dictionaries(keys, st.text(CARRIED, max_size=40), max_size=8).map(StringMap.from_items))
def test_any_labels_are_read_back_from_the_text(labels: StringMap) -> None:
    text = CODEC.encode(labels)
    assert text is not None
    assert CODEC.decode(text) == labels


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3).map(StringMap.from_items))
def test_encoded_labels_are_decoded_unchanged(labels: StringMap) -> None:
    text = CODEC.encode(labels)
    if text is not None:
        assert CODEC.decode(text) == labels.without(NONCE_LABEL)
        assert text.isascii()
        assert "\\" not in text
        assert text.count('"') == 2


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"": "a"}, id="empty-key"),
        pytest.param({"a=b": "c"}, id="equals-in-a-key"),
        pytest.param({"a,b": "c"}, id="comma-in-a-key"),
        pytest.param({"a": "b,external-dns/c=d"}, id="a-label-in-a-value"),
        pytest.param({"a": 'b"'}, id="quote"),
        pytest.param({"a": "b\\c"}, id="backslash"),
        pytest.param({"a": "\u00e9"}, id="not-ascii"),
        pytest.param({"a": "\n"}, id="control"),
        pytest.param({"a": "b" * MAX_CHARACTERS}, id="too-long"),
    ],
)
def test_labels_that_would_be_read_back_differently_are_not_written(labels: dict[str, str]) -> None:
    assert CODEC.encode(StringMap.from_items(labels)) is None


@given(st.text() | st.text('heritag=xnl-ds,/owr"', max_size=80) | st.text("=,", min_size=MAX_CHARACTERS))
def test_decoding_any_text_never_raises(text: str) -> None:
    CODEC.decode(text)


KEY = "12345678901234567890123456789012"
OTHER_KEY = ")K_Fy|?Z.64#UuHm`}[d!GC%WJM_fs{_"
LABELS = StringMap.from_items({"owner": "me", "resource": "service/shop/web"})
PLAIN = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/web"'
OWNER_ONLY = (
    "h8UQ6jelUFUsEIn7SbFktc2MYXPx/q8lySqI4VwfVtVaIbb2nkHWV/88KKbuLtu7fJNzMir8ELVeVnRSY01KdiIuj7ledqZe5ailEjQaU5Z6"
    "uEKd5pgs6sH8"
)
WITH_RESOURCE = (
    "+lvP8q9KHJ6BS6O81i2Q6DLNdf2JSKy8j/gbZKviTZlGYj7q+yDoYMgkQ1hPn6urtGllM5bfFMcaaHto52otQtiOYrX8990J3kQqg4s47m3bH3Ejl8RSxSSu"
    "WJM3HJtPghQzYg0/LSOsdQ0="
)


def encrypted(key: str = KEY) -> str:
    text = build_codec(key).encode(LABELS)
    assert text
    return text


def registry(key: str = KEY) -> TxtRegistry:
    return build_registry(codec=build_codec(key))


# encryption


@pytest.mark.parametrize(
    ("key", "text", "labels"),
    [
        pytest.param(KEY, OWNER_ONLY, {"owner": "owner"}, id="3.2.4-vector-1"),
        pytest.param(OTHER_KEY, WITH_RESOURCE, {"owner": "foo-owner", "resource": "foo-resource"}, id="3.2.4-vector-2"),
    ],
)
@pytest.mark.parametrize("quote", [pytest.param('"', id="quoted"), pytest.param("", id="bare")])
def test_texts_encrypted_by_external_dns_are_decrypted(key: str, text: str, labels: dict[str, str], quote: str) -> None:
    read = build_codec(key).decode(f"{quote}{text}{quote}")
    assert read is not None
    assert {name: value for name, value in read if value} == labels


@pytest.mark.parametrize("writes", [pytest.param(True, id="encrypting"), pytest.param(False, id="3.2.4-only-reading")])
def test_plain_and_encrypted_records_are_read_alike(*, writes: bool) -> None:
    both = build_codec(encrypts=writes)
    assert both.decode(PLAIN) == LABELS
    assert both.decode(encrypted()) == LABELS


def test_plain_unless_encryption_is_enabled() -> None:
    assert build_codec(encrypts=False).encode(LABELS) == PLAIN


def test_text_is_current_if_it_would_be_written_so_now() -> None:
    texts = (PLAIN, encrypted(KEY), encrypted(OTHER_KEY), '"v=spf1 -all"')
    assert [build_codec().is_current(text) for text in texts] == [False, True, False, False]
    assert [build_codec(encrypts=False).is_current(text) for text in texts] == [True, False, False, False]


def test_encrypted_text_is_quoted_base64_of_nonce_and_ciphertext() -> None:
    text = encrypted()
    assert text[0] == text[-1] == '"'
    assert base64.b64decode(text.strip('"'))[:NONCE_BYTES] == bytes(NONCE_BYTES)
    assert "heritage" not in text


def test_same_labels_are_never_encrypted_to_the_same_text() -> None:
    writer = build_codec()
    assert writer.encode(LABELS) != writer.encode(LABELS)


@given(st.dictionaries(st.from_regex(r"[a-zA-Z-]{1,20}", fullmatch=True), st.from_regex(r"[ -!#-+\--\[\]-~]{0,60}")))
def test_any_encodable_labels_are_decrypted_unchanged(labels: dict[str, str]) -> None:
    pairs = StringMap.from_items(labels)
    text = build_codec().encode(pairs)
    assert (text is None) == (PlainTextCodec().encode(pairs) is None)
    assert text is None or build_codec().decode(text) == pairs


def test_not_written_if_too_long_when_encrypted() -> None:
    noise = random.Random(1).choices(string.ascii_letters + string.digits, k=MAX_CHARACTERS - 100)
    labels = StringMap.from_items({"resource": "".join(noise)})
    assert PlainTextCodec().encode(labels)
    assert build_codec().encode(labels) is None


@given(st.binary(min_size=32, max_size=32))
def test_not_decrypted_with_another_key(key: bytes) -> None:
    invalid = EncryptedTextCodec(keys=(key,), nonce=lambda: bytes(NONCE_BYTES), encrypts=True)
    assert (invalid.decode(encrypted()) is None) == (key != KEY.encode())


@given(st.text() | st.binary().map(lambda data: base64.b64encode(data).decode()))
def test_decoded_as_plain_text_if_not_encrypted(text: str) -> None:
    assert build_codec().decode(text) == PlainTextCodec().decode(text)


def test_not_an_ownership_record_if_it_decrypts_to_another_text() -> None:
    encrypted_text = build_codec()._ciphers[0].encrypt(bytes(NONCE_BYTES), gzip.compress(b"v=spf1 -all"), None)
    assert build_codec().decode(base64.b64encode(bytes(NONCE_BYTES) + encrypted_text).decode()) is None


def test_decompressing_stops_at_a_size_limit() -> None:
    packed = gzip.compress(b"heritage=external-dns," + b"x" * 2_000_000)
    encrypted_text = build_codec()._ciphers[0].encrypt(bytes(NONCE_BYTES), packed, None)
    text = base64.b64encode(bytes(NONCE_BYTES) + encrypted_text).decode()
    assert len(text) < MAX_CHARACTERS
    assert build_codec().decode(text) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        pytest.param(KEY, KEY.encode(), id="10.3-raw-32-characters"),
        pytest.param(base64.b64encode(b"\xff" * 32).decode(), b"\xff" * 32, id="10.3-base64-of-44-characters"),
        pytest.param(os.fsdecode(b"\xff" * 32), b"\xff" * 32, id="10.3-raw-32-bytes-that-are-not-utf-8"),
        pytest.param("a" * 15 + "\n" + "b" * 16, b"a" * 15 + b"\n" + b"b" * 16, id="raw-32-bytes-with-a-newline"),
    ],
)
def test_key_is_32_raw_bytes_or_their_base64(text: str, key: bytes) -> None:
    assert parse_keys(text) == (key,)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_first_of_several_keys_encrypts_and_all_decrypt(end: str) -> None:
    both = build_codec(f"{OTHER_KEY}{end}{KEY}{end}")
    assert both.decode(encrypted(KEY)) == both.decode(encrypted(OTHER_KEY)) == both.decode(PLAIN) == LABELS
    text = both.encode(LABELS)
    assert text
    assert build_codec(OTHER_KEY).decode(text) == LABELS
    assert build_codec(KEY).decode(text) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("s4cret*" * 7, id="10.3-49-junk-characters"),
        pytest.param("_" * 43 + "=", id="base64-of-urls"),
        pytest.param("QUJD", id="base64-of-3-bytes"),
        pytest.param(f"!{base64.b64encode(KEY.encode()).decode()}", id="junk-before-base64"),
        pytest.param("é" * 32, id="32-characters-of-two-bytes"),
        pytest.param(f"{KEY}\nQUJD", id="second-of-two"),
        pytest.param("", id="empty"),
    ],
)
def test_invalid_key_is_not_part_of_the_error(text: str) -> None:
    with pytest.raises(UsageError, match="allowed: 32 bytes") as caught:
        parse_keys(text)
    assert not text or text not in str(caught.value)


def test_update_encrypts_ownership_records_of_all_formats_with_the_first_key() -> None:
    web, *texts = found = [record("A", "web"), *(record("TXT", name, target=encrypted()) for name in ("a-web", "web"))]
    both = registry(f"{OTHER_KEY}\n{KEY}")
    (owned,) = both.read(found, ZONE)
    change = Update(current=owned, desired=build_desired("A", "web", "192.0.2.7"), differences=("targets",))
    completed = both.complete(ChangeSet(zone=ZONE, name=web.name, changes=(change,)), found)
    assert isinstance(completed, ChangeSet)
    written = [write.new.targets[0] for write in completed.writes if write.new and write.new.type == "TXT"]
    assert len(written) == len(texts)
    assert all(build_codec(OTHER_KEY).is_current(text) for text in written)


def test_encrypted_records_make_nothing_ours_with_another_key() -> None:
    encrypted_text = record("TXT", "a-web", target=encrypted(OTHER_KEY))
    found = registry().read((record("A", "web"), record("AAAA", "web"), encrypted_text), ZONE)
    assert [(owned.is_ours, owned.encrypted_name) for owned in found] == [
        (False, ""),
        (False, "a-web.x.test"),
        (False, ""),
    ]


def test_encrypted_record_is_recognized_without_the_key() -> None:
    is_dropped = build_registry()
    encrypted_text = record("TXT", "a-web", target=encrypted())
    assert [owned.encrypted_name for owned in is_dropped.read((record("A", "web"), encrypted_text), ZONE)] == [
        "",
        "a-web.x.test",
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"v=spf1 include:_spf.example.net ~all and a text that is long enough to be one"', id="spf"),
        pytest.param('"MIGfMA0GCSq"', id="short"),
        pytest.param(f'"{"A" * 65}"', id="no-base64"),
    ],
)
def test_other_text_is_not_read_as_encrypted(text: str) -> None:
    found = registry().read((record("A", "web"), record("TXT", "a-web", target=text)), ZONE)
    assert not any(owned.encrypted_name for owned in found)
