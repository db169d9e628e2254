"""Convert TXT data in files to targets and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import InvalidValueError
from providers.common import rdata, scan

HERITAGE = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'


def read_back(target: str) -> str:
    words = scan.split_words(rdata.format_txt(target))
    assert words is not None
    return rdata.build_txt_target([rdata.parse_string(word) for word in words])


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_any_bytes_of_a_txt_record_are_written_and_read_back(content: list[bytes]) -> None:
    target = rdata.build_txt_target(content)
    assert target.isascii()
    assert target.isprintable()
    assert read_back(target) == target


@given(st.text())
def test_a_txt_target_that_was_normalized_is_not_changed_by_normalizing_it_again(text: str) -> None:
    try:
        once = read_back(text)
    except InvalidValueError:
        return
    assert read_back(once) == once


@given(st.text(st.sampled_from("abcxyz=,/-_. ")))
def test_the_text_of_an_ownership_record_is_written_and_read_back_unchanged(text: str) -> None:
    ownership_record = f'"heritage=external-dns,external-dns/owner={text}"'
    assert read_back(ownership_record) == ownership_record


@pytest.mark.parametrize(
    ("target", "written"),
    [
        pytest.param(HERITAGE, HERITAGE, id="3.2.3-ownership-record"),
        pytest.param('"a" "b"', '"a" "b"', id="two-strings"),
        pytest.param('"a""b"', '"a" "b"', id="two-strings-without-blank"),
        pytest.param("no quotes; at all", '"no quotes; at all"', id="bare"),
        pytest.param('say "hi" \\', '"say \\"hi\\" \\\\"', id="bare-is-literal"),
        pytest.param("", '""', id="empty"),
        pytest.param('""', '""', id="empty-string"),
        pytest.param('"grün"', '"gr\\195\\188n"', id="utf-8"),
        pytest.param('"\\101\\"\\\\\\x"', '"e\\"\\\\x"', id="escapes"),
        pytest.param("a\nb", '"a\\010b"', id="newline-in-bare-text"),
        pytest.param(f'"{"a" * 255}"', f'"{"a" * 255}"', id="255-bytes"),
        pytest.param(f'"{"a" * 256}"', f'"{"a" * 255}" "a"', id="256-bytes"),
        pytest.param(f'"{"a" * 510}" "b"', f'"{"a" * 255}" "{"a" * 255}" "b"', id="two-full-strings"),
    ],
)
def test_txt_targets_are_written_as_quoted_strings_of_at_most_255_bytes(target: str, written: str) -> None:
    assert rdata.format_txt(target) == written


@pytest.mark.parametrize(
    ("content", "target"),
    [
        pytest.param([b"a", b"b"], '"a" "b"', id="separate-strings-stay-apart"),
        pytest.param([b"a" * 255, b"b"], f'"{"a" * 255}b"', id="full-string-is-joined-with-next"),
        pytest.param([b"a" * 255, b"b", b"c"], f'"{"a" * 255}b" "c"', id="strings-after-a-short-one-stay-separate"),
        pytest.param([b""], '""', id="empty"),
    ],
)
def test_the_strings_of_a_txt_record_are_read_as_one_target_and_full_strings_are_joined_with_the_next(
    content: list[bytes], target: str
) -> None:
    assert rdata.build_txt_target(content) == target


@pytest.mark.parametrize(
    "target",
    [
        pytest.param('"open', id="open"),
        pytest.param('"a" b', id="unquoted-after-quoted"),
        pytest.param('"a"b"', id="quote-inside"),
        pytest.param('"a\nb"', id="newline"),
        pytest.param('"\\256"', id="code-over-255"),
        pytest.param('"\\12"', id="code-too-short"),
        pytest.param('"a" ; b', id="comment"),
    ],
)
def test_invalid_quotes_and_escapes_in_a_txt_target_are_reported(target: str) -> None:
    with pytest.raises(InvalidValueError, match="allowed:"):
        rdata.format_txt(target)


def test_a_txt_string_of_more_than_255_bytes_is_reported() -> None:
    assert rdata.parse_string(f'"{"a" * 255}"') == b"a" * 255
    with pytest.raises(InvalidValueError, match="at most 255 bytes"):
        rdata.parse_string("a" * 256)
