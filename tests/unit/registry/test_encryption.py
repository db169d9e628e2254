"""Encrypted marks (spec plan 3.2.4)."""

from __future__ import annotations

import base64
import gzip
import itertools
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import UsageError
from extdns.model.change import ChangeSet, Delete
from extdns.model.evidence import Evidence
from extdns.model.pairs import Pairs
from registry.txt.encryption import NONCE_BYTES, EncryptedText, key_of
from registry.txt.heritage import MAX_CHARACTERS, PlainText
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import MANAGED, ZONE, mark, record

KEY = "12345678901234567890123456789012"
OTHER_KEY = ")K_Fy|?Z.64#UuHm`}[d!GC%WJM_fs{_"
LABELS = Pairs.of({"owner": "me", "resource": "service/shop/web"})
PLAIN = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/web"'
OWNER_ONLY = (
    "h8UQ6jelUFUsEIn7SbFktc2MYXPx/q8lySqI4VwfVtVaIbb2nkHWV/88KKbuLtu7fJNzMir8ELVeVnRSY01KdiIuj7ledqZe5ailEjQaU5Z6"
    "uEKd5pgs6sH8"
)
WITH_RESOURCE = (
    "+lvP8q9KHJ6BS6O81i2Q6DLNdf2JSKy8j/gbZKviTZlGYj7q+yDoYMgkQ1hPn6urtGllM5bfFMcaaHto52otQtiOYrX8990J3kQqg4s47m3bH3Ejl8RSxSSu"
    "WJM3HJtPghQzYg0/LSOsdQ0="
)


def codec(key: str = KEY, *, writes: bool = True) -> EncryptedText:
    numbers = itertools.count()
    return EncryptedText(key=key_of(key), nonce=lambda: next(numbers).to_bytes(NONCE_BYTES), writes=writes)


def encrypted(key: str = KEY) -> str:
    text = codec(key).encode(LABELS)
    assert text
    return text


def registry(key: str = KEY) -> TxtRegistry:
    return TxtRegistry(owner="me", naming=Naming(), managed_types=MANAGED, codec=codec(key))


@pytest.mark.parametrize(
    ("key", "text", "labels"),
    [
        pytest.param(KEY, OWNER_ONLY, {"owner": "owner"}, id="3.2.4-vector-1"),
        pytest.param(OTHER_KEY, WITH_RESOURCE, {"owner": "foo-owner", "resource": "foo-resource"}, id="3.2.4-vector-2"),
    ],
)
@pytest.mark.parametrize("quote", [pytest.param('"', id="quoted"), pytest.param("", id="bare")])
def test_what_the_reference_encrypted_is_read(key: str, text: str, labels: dict[str, str], quote: str) -> None:
    read = codec(key).decode(f"{quote}{text}{quote}")
    assert read is not None
    assert {name: value for name, value in read if value} == labels


@pytest.mark.parametrize("writes", [pytest.param(True, id="encrypting"), pytest.param(False, id="3.2.4-only-reading")])
def test_plain_and_encrypted_marks_are_read_side_by_side(*, writes: bool) -> None:
    both = codec(writes=writes)
    assert both.decode(PLAIN) == LABELS
    assert both.decode(encrypted()) == LABELS


def test_without_leave_to_encrypt_marks_are_written_plain() -> None:
    assert codec(writes=False).encode(LABELS) == PLAIN


def test_a_written_mark_is_base64_of_nonce_and_ciphertext_in_quotes() -> None:
    text = encrypted()
    assert text[0] == text[-1] == '"'
    assert base64.b64decode(text.strip('"'))[:NONCE_BYTES] == bytes(NONCE_BYTES)
    assert "heritage" not in text


def test_no_two_marks_are_alike() -> None:
    writer = codec()
    assert writer.encode(LABELS) != writer.encode(LABELS)


@given(st.dictionaries(st.from_regex(r"[a-zA-Z-]{1,20}", fullmatch=True), st.from_regex(r"[ -!#-+\--\[\]-~]{0,60}")))
def test_any_labels_that_plain_text_carries_come_back(labels: dict[str, str]) -> None:
    pairs = Pairs.of(labels)
    text = codec().encode(pairs)
    assert (text is None) == (PlainText().encode(pairs) is None)
    assert text is None or codec().decode(text) == pairs


def test_a_text_too_long_once_encrypted_is_not_written() -> None:
    noise = random.Random(1).choices(string.ascii_letters + string.digits, k=MAX_CHARACTERS - 100)
    labels = Pairs.of({"resource": "".join(noise)})
    assert PlainText().encode(labels)
    assert codec().encode(labels) is None


@given(st.binary(min_size=32, max_size=32))
def test_another_key_opens_nothing(key: bytes) -> None:
    wrong = EncryptedText(key=key, nonce=lambda: bytes(NONCE_BYTES), writes=True)
    assert (wrong.decode(encrypted()) is None) == (key != KEY.encode())


@given(st.text() | st.binary().map(lambda data: base64.b64encode(data).decode()))
def test_no_text_fails(text: str) -> None:
    assert codec().decode(text) == PlainText().decode(text)


def test_what_is_no_mark_inside_is_none() -> None:
    sealed = codec()._cipher.encrypt(bytes(NONCE_BYTES), gzip.compress(b"v=spf1 -all"), None)
    assert codec().decode(base64.b64encode(bytes(NONCE_BYTES) + sealed).decode()) is None


def test_a_bomb_is_opened_no_further_than_a_mark_is_long() -> None:
    packed = gzip.compress(b"heritage=external-dns," + b"x" * 2_000_000)
    sealed = codec()._cipher.encrypt(bytes(NONCE_BYTES), packed, None)
    text = base64.b64encode(bytes(NONCE_BYTES) + sealed).decode()
    assert len(text) < MAX_CHARACTERS
    assert codec().decode(text) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        pytest.param(KEY, KEY.encode(), id="10.3-raw-32-characters"),
        pytest.param(base64.b64encode(b"\xff" * 32).decode(), b"\xff" * 32, id="10.3-base64-of-44-characters"),
    ],
)
def test_a_key_is_raw_or_base64(text: str, key: bytes) -> None:
    assert key_of(text) == key


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("s4cret*" * 7, id="10.3-49-junk-characters"),
        pytest.param("_" * 43 + "=", id="base64-of-urls"),
        pytest.param("QUJD", id="base64-of-3-bytes"),
        pytest.param("é" * 32, id="32-characters-of-two-bytes"),
        pytest.param("", id="empty"),
    ],
)
def test_any_other_key_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(UsageError, match="allowed: 32 bytes") as caught:
        key_of(text)
    assert not text or text not in str(caught.value)


def test_a_delete_repeats_the_encrypted_mark_byte_for_byte() -> None:
    sealed = record("TXT", "a-web", target=encrypted())
    web = record("A", "web")
    (owned,) = registry().read((web, sealed))
    assert owned.ours
    change = Delete(held=owned, evidence=Evidence.OBJECT_DELETED)
    completed = registry().complete(ChangeSet(zone=ZONE, name=web.name, changes=(change,)), (web, sealed))
    assert isinstance(completed, ChangeSet)
    assert [(write.old, write.new) for write in completed.writes] == [(sealed, None), (web, None)]


def test_with_a_wrong_key_nothing_is_ours() -> None:
    sealed = record("TXT", "a-web", target=encrypted(OTHER_KEY))
    found = registry().read((record("A", "web"), record("AAAA", "web"), sealed))
    assert [(owned.ours, owned.sealed) for owned in found] == [(False, ""), (False, "a-web.x.test"), (False, "")]


def test_without_a_key_an_encrypted_mark_is_seen_to_be_one() -> None:
    lost = TxtRegistry(owner="me", naming=Naming(), managed_types=MANAGED)
    sealed = record("TXT", "a-web", target=encrypted())
    assert [owned.sealed for owned in lost.read((record("A", "web"), sealed))] == ["", "a-web.x.test"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"v=spf1 include:_spf.example.net ~all and a text that is long enough to be one"', id="spf"),
        pytest.param('"MIGfMA0GCSq"', id="short"),
        pytest.param(f'"{"A" * 65}"', id="no-base64"),
    ],
)
def test_other_texts_are_none(text: str) -> None:
    found = registry().read((record("A", "web"), record("TXT", "a-web", target=text)))
    assert not any(owned.sealed for owned in found)


def test_a_plain_mark_is_ours_while_encryption_is_on() -> None:
    (owned,) = registry().read((record("A", "web"), mark("a-web", resource="service/shop/web")))
    assert owned.ours
