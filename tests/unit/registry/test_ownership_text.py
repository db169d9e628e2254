"""The text of an ownership record (docs/spec/plan.md 3.2.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.model.value import StringMap
from registry.txt.ownership_index import MAX_CHARACTERS, NONCE_LABEL, PlainTextCodec

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
def test_ownership_labels_are_written_in_order_and_read_again(labels: dict[str, str], text: str) -> None:
    assert CODEC.encode(StringMap.from_items(labels)) == text
    assert CODEC.decode(text) == StringMap.from_items(labels)


def test_the_nonce_label_is_not_written_into_ownership_texts() -> None:
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
def test_ownership_texts_in_other_spellings_of_external_dns_are_read(text: str, labels: dict[str, str]) -> None:
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
def test_a_txt_value_with_another_text_is_not_an_ownership_record(text: str) -> None:
    assert CODEC.decode(text) is None


CARRIED = st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters=',"\\')
keys = st.text(CARRIED.filter("=".__ne__), max_size=20).filter(NONCE_LABEL.__ne__)


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


def test_labels_with_blanks_equals_signs_and_semicolons_in_values_can_be_written() -> None:
    assert CODEC.encode(
        StringMap.from_items({"owner": "default", "resource": "ingress/default/web", "extra": "a = b; c"})
    )


@given(st.text() | st.text('heritag=xnl-ds,/owr"', max_size=80) | st.text("=,", min_size=MAX_CHARACTERS))
def test_decoding_any_text_as_a_plain_ownership_record_never_raises(text: str) -> None:
    CODEC.decode(text)
