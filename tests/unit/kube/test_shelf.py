"""What is kept for each owner, and what a person released, in the JSON of a ConfigMap."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import ExtdnsError, InvalidValueError
from extdns.kube import shelf
from extdns.model.saved import Saved, SavedZone

ZONE = SavedZone(
    name="example.org",
    fingerprint="0123456789abcdef",
    made=((1.5, True), (2.0, False)),
    most=((3.0, 40),),
    shown=(("7f3a-91c2", ("aa", "bb")),),
    held="7f3a-91c2",
    released=(("aa", 90.0),),
)
SAVED = Saved(zones=(("Z1", ZONE), ("Z2", SavedZone())))


def test_what_is_kept_comes_back_and_what_others_keep_stays() -> None:
    document = shelf.with_saved(shelf.empty("extdns-state"), "blue", Saved(zones=(("Z9", ZONE),)))
    document = shelf.with_saved(document, "green", SAVED)
    document = shelf.parsed(msgspec.json.encode(document))
    assert shelf.saved(document, "green") == SAVED
    assert dict(shelf.owners(document)) == {"blue": Saved(zones=(("Z9", ZONE),)), "green": SAVED}
    assert shelf.saved(document, "red") == Saved()


@given(one=st.text(max_size=300), other=st.text(max_size=300))
def test_every_owner_has_a_key_of_its_own_that_a_configmap_takes(one: str, other: str) -> None:
    key = shelf.key_of(one)
    assert 0 < len(key) <= 253
    assert key.replace("-", "").replace("_", "").replace(".", "").isalnum() or key == "_" or not key.strip("-._")
    assert key.isascii()
    assert not key.startswith(".")
    assert (key == shelf.key_of(other)) is (one == other)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut"),
        pytest.param("[" * 10_000, id="deep"),
        pytest.param('{"owner":"me"}', id="no-zones"),
        pytest.param('{"owner":"me","zones":{"Z":{"made":"x"}}}', id="wrong-type"),
        pytest.param('{"owner":"me","zones":{},"apiVersion":"extdns.io/v2"}', id="another-version"),
        pytest.param('{"owner":"you","zones":{}}', id="another-owner"),
        pytest.param(7, id="no-text"),
        pytest.param("\ud800", id="no-unicode"),
    ],
)
def test_a_broken_value_is_told_and_costs_nobody_else_anything(text: object) -> None:
    document: dict[str, Any] = shelf.with_saved(shelf.empty("s"), "green", SAVED)
    document["data"][shelf.key_of("me")] = text
    with pytest.raises(InvalidValueError):
        shelf.saved(document, "me")
    assert shelf.saved(document, "green") == SAVED
    assert "green" in dict(shelf.owners(document))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"null", id="null"),
        pytest.param(b"\xff", id="no-utf-8"),
        pytest.param(b'{"kind":"Secret","metadata":{}}', id="another-kind"),
        pytest.param(b'{"kind":"ConfigMap"}', id="no-metadata"),
    ],
)
def test_what_is_no_configmap_is_told(body: bytes) -> None:
    with pytest.raises(InvalidValueError, match="allowed: a ConfigMap as JSON"):
        shelf.parsed(body)


def test_what_would_be_too_large_is_told_with_its_size() -> None:
    zone = SavedZone(shown=(("c", tuple(f"{number:016x}" for number in range(60_000))),))
    with pytest.raises(ExtdnsError, match=r"^the state would have 1\d{6} bytes, of which a ConfigMap holds 1048576$"):
        shelf.with_saved(shelf.empty("s"), "me", Saved(zones=(("Z1", zone),)))


@pytest.mark.parametrize(
    ("annotation", "codes"),
    [
        pytest.param("7f3a-91c2", ("7f3a-91c2",), id="one"),
        pytest.param(" 7f3a-91c2, 1111-2222\n3333-4444 ,", ("7f3a-91c2", "1111-2222", "3333-4444"), id="several"),
        pytest.param("a a", ("a",), id="twice"),
        pytest.param(" ,", (), id="none"),
        pytest.param(7, (), id="no-text"),
    ],
)
def test_releases_are_read_from_the_annotation(annotation: object, codes: tuple[str, ...]) -> None:
    document = shelf.empty("s")
    document["metadata"]["annotations"] = {"extdns.io/release": annotation}
    assert shelf.released(document) == codes


def test_a_release_stays_beside_other_annotations_until_all_of_it_is_kept() -> None:
    document = shelf.empty("s")
    document["metadata"]["annotations"] = {"team": "dns"}
    document = shelf.with_released(document, ("7f3a-91c2", "1111-2222"))
    assert document["metadata"]["annotations"] == {"team": "dns", "extdns.io/release": "7f3a-91c2 1111-2222"}
    document = shelf.with_saved(document, "me", SAVED)
    assert shelf.released(document) == ("7f3a-91c2", "1111-2222"), "a part of it is not released yet"
    whole = msgspec.structs.replace(ZONE, released=(("aa", 90.0), ("bb", 90.0)))
    document = shelf.with_saved(document, "me", Saved(zones=(("Z1", whole),)))
    assert shelf.released(document) == ("1111-2222",)
    assert document["metadata"]["annotations"]["team"] == "dns"
