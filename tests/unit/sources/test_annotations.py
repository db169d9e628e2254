"""Annotations: prefixes and lists (spec sources 2.1-2.2, design 5)."""

from __future__ import annotations

import pytest

from extdns.model.reason import Reason
from extdns.sources.annotations import BOTH, OLD_PREFIX, PREFIX, Annotations, prefixes


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(None, (PREFIX, OLD_PREFIX), id="design-5-flag-not-given"),
        pytest.param(OLD_PREFIX, (OLD_PREFIX,), id="2.1-exactly-the-one-given"),
        pytest.param("dns.acme.test/", ("dns.acme.test/",), id="2.1-own-prefix"),
    ],
)
def test_the_flag_says_which_prefixes_count(given: str | None, expected: tuple[str, ...]) -> None:
    assert prefixes(given) == expected


@pytest.mark.parametrize(
    ("annotations", "accepted", "expected"),
    [
        pytest.param(None, BOTH, {}, id="none-at-all"),
        pytest.param({"a/hostname": "x"}, BOTH, {}, id="2.1-other-prefixes-are-nobody's"),
        pytest.param({PREFIX + "hostname": "x"}, BOTH, {"hostname": "x"}, id="design-5-new"),
        pytest.param({OLD_PREFIX + "hostname": "x"}, BOTH, {"hostname": "x"}, id="design-5-old"),
        pytest.param({OLD_PREFIX + "hostname": "x", PREFIX + "ttl": "1"}, BOTH, {"ttl": "1"}, id="design-5-new-only"),
        pytest.param({OLD_PREFIX + "hostname": "x"}, (PREFIX,), {}, id="2.1-flag-given-no-fallback"),
        pytest.param(
            {OLD_PREFIX + "hostname": "x", PREFIX + "ttl": "1"},
            (OLD_PREFIX,),
            {"hostname": "x"},
            id="2.1-given-old",
        ),
    ],
)
def test_one_prefix_counts_on_one_object(
    annotations: dict[str, str] | None, accepted: tuple[str, ...], expected: dict[str, str]
) -> None:
    assert Annotations.of(annotations, accepted).values == expected


def test_old_keys_beside_new_ones_are_noticed() -> None:
    notes = Annotations.of({OLD_PREFIX + "ttl": "1", OLD_PREFIX + "alias": "true", PREFIX + "hostname": "x"}, BOTH)
    assert [(notice.field, notice.value, notice.reason) for notice in notes.notices] == [
        (f"annotation {OLD_PREFIX}alias", "true", Reason.INVALID_ANNOTATION),
        (f"annotation {OLD_PREFIX}ttl", "1", Reason.INVALID_ANNOTATION),
    ]
    assert "external-dns.kubernetes.io/" in notes.notices[0].allowed


@pytest.mark.parametrize(
    "accepted", [pytest.param((PREFIX,), id="new-given"), pytest.param((OLD_PREFIX,), id="old-given")]
)
def test_with_the_flag_given_other_prefixes_are_not_even_noticed(accepted: tuple[str, ...]) -> None:
    assert Annotations.of({OLD_PREFIX + "ttl": "1", PREFIX + "ttl": "x"}, accepted).notices == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("web.acme.test, www.acme.test", ("web.acme.test", "www.acme.test"), id="2.2-blank-after-comma"),
        pytest.param("w eb.acme.test", ("web.acme.test",), id="2.2-every-blank-goes"),
        pytest.param("\ta.t\n", ("a.t",), id="2.2-other-blanks-at-the-ends"),
        pytest.param("a.t,\nb.t", ("a.t", "b.t"), id="2.2-one-a-line"),
        pytest.param("", (), id="11.1-empty"),
        pytest.param("a.t,", ("a.t",), id="11.1-empty-item"),
        pytest.param(" , \t,", (), id="11.1-nothing-but-blanks"),
    ],
)
def test_lists_are_split_at_commas_without_blanks(text: str, expected: tuple[str, ...]) -> None:
    assert Annotations.of({PREFIX + "hostname": text}, BOTH).listed("hostname") == expected


def test_an_absent_list_is_empty() -> None:
    assert Annotations.of(None, BOTH).listed("hostname") == ()


@pytest.mark.parametrize(
    ("value", "expected", "noticed"),
    [
        pytest.param("public", "public", False, id="2.3-allowed"),
        pytest.param("Public", "", True, id="2.3-case-matters"),
        pytest.param("", "", True, id="2.3-empty"),
    ],
)
def test_a_choice_outside_the_allowed_is_as_absent(value: str, expected: str, noticed: bool) -> None:
    chosen, notices = Annotations.of({PREFIX + "access": value}, BOTH).chosen("access", "public", "private")
    assert chosen == expected
    assert [notice.allowed for notice in notices] == (["public or private"] if noticed else [])


def test_an_absent_choice_needs_no_notice() -> None:
    assert Annotations.of(None, BOTH).chosen("access", "public") == ("", ())


def test_messages_name_the_whole_key() -> None:
    assert Annotations.of({OLD_PREFIX + "ttl": "1"}, BOTH).field("ttl") == f"annotation {OLD_PREFIX}ttl"
