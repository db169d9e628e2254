"""TXT data in files and as targets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import InvalidValueError
from providers.zonefile import scan, strings

HERITAGE = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'


def read_back(target: str) -> str:
    words = scan.words(strings.written(target))
    assert words is not None
    return strings.target_of([strings.octets(word) for word in words])


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_any_bytes_are_written_and_read_back(content: list[bytes]) -> None:
    target = strings.target_of(content)
    assert target.isascii()
    assert target.isprintable()
    assert read_back(target) == target


@given(st.text())
def test_a_target_settles_after_one_reading(text: str) -> None:
    try:
        once = read_back(text)
    except InvalidValueError:
        return
    assert read_back(once) == once


@given(st.text(st.sampled_from("abcxyz=,/-_. ")))
def test_a_mark_comes_back_as_exactly_the_text_that_was_written(text: str) -> None:
    mark = f'"heritage=external-dns,external-dns/owner={text}"'
    assert read_back(mark) == mark


@pytest.mark.parametrize(
    ("target", "written"),
    [
        pytest.param(HERITAGE, HERITAGE, id="3.2.3-mark"),
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
def test_targets_are_written_as_strings(target: str, written: str) -> None:
    assert strings.written(target) == written


@pytest.mark.parametrize(
    ("content", "target"),
    [
        pytest.param([b"a", b"b"], '"a" "b"', id="separate-strings-stay-apart"),
        pytest.param([b"a" * 255, b"b"], f'"{"a" * 255}b"', id="a-full-string-goes-on"),
        pytest.param([b"a" * 255, b"b", b"c"], f'"{"a" * 255}b" "c"', id="until-one-that-is-not-full"),
        pytest.param([b""], '""', id="empty"),
    ],
)
def test_strings_are_read_as_one_target(content: list[bytes], target: str) -> None:
    assert strings.target_of(content) == target


@pytest.mark.parametrize(
    "target",
    [
        pytest.param('"open', id="open"),
        pytest.param('"a" b', id="bare-behind-quoted"),
        pytest.param('"a"b"', id="quote-inside"),
        pytest.param('"a\nb"', id="newline"),
        pytest.param('"\\256"', id="code-over-255"),
        pytest.param('"\\12"', id="code-too-short"),
        pytest.param('"a" ; b', id="comment"),
    ],
)
def test_quotes_and_escapes_that_mean_nothing_are_named(target: str) -> None:
    with pytest.raises(InvalidValueError, match="allowed:"):
        strings.written(target)


def test_a_string_of_a_file_is_at_most_255_bytes() -> None:
    assert strings.octets(f'"{"a" * 255}"') == b"a" * 255
    with pytest.raises(InvalidValueError, match="at most 255 bytes"):
        strings.octets("a" * 256)
