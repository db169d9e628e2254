"""The saved state of each owner, and approvals, in the JSON of a ConfigMap."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import ExtdnsError, InvalidValueError
from extdns.kube import state_document
from extdns.model.cluster import ClusterIdentity
from extdns.model.saved_state import Approval, Saved, SavedGrant, SavedHolds, SavedScope, SavedZone

FIRST, SECOND = Approval(code="7f3a-91c2"), Approval(code="1111-2222")
SCOPE = SavedScope(
    made=((1.5, True, 2), (2.0, False, 1)),
    most=((3.0, 40),),
    code="7f3a-91c2",
    holds=(SavedHolds(since_s=2.0, digests=("aa", "bb"), records=("a1", "b1")),),
    shown=(("1111-2222", ("aa", "cc")),),
    records=(("Z1", "web.example.org", "A", "", "absent"),),
)
ZONE = SavedZone(
    name="example.org",
    fingerprint="0123456789abcdef",
    whole=SCOPE,
    namespaces=(("shop", SCOPE),),
    granted=(SavedGrant(digest="dd", resource="service/shop/web", at_s=4.0),),
    merged=("e1",),
)
SAVED = Saved(
    zones=(("Z1", ZONE), ("Z2", SavedZone())),
    all_zones=SCOPE,
    approved=(("aa", 90.0),),
    approved_by=(("aa", "7f3a-91c2", "alice"),),
    cluster=ClusterIdentity(uid="u"),
    other_cluster="1234-5678",
)


def test_saving_the_state_of_one_owner_does_not_change_the_saved_state_of_other_owners() -> None:
    document = state_document.replace_saved_state(
        state_document.build_empty_document("extdns-state"), "blue", Saved(zones=(("Z9", ZONE),))
    )
    document = state_document.replace_saved_state(document, "green", SAVED)
    document = state_document.parse_document(msgspec.json.encode(document))
    assert state_document.read_saved_state(document, "green") == SAVED
    assert dict(state_document.list_owners(document)) == {"blue": Saved(zones=(("Z9", ZONE),)), "green": SAVED}
    assert state_document.read_saved_state(document, "red") == Saved(is_new=True)


@given(one=st.text(max_size=300), other=st.text(max_size=300))
def test_each_owner_id_gives_a_unique_and_valid_configmap_key(one: str, other: str) -> None:
    key = state_document.build_key(one)
    assert 0 < len(key) <= 253
    assert key.replace("-", "").replace("_", "").replace(".", "").isalnum() or key == "_" or not key.strip("-._")
    assert key.isascii()
    assert not key.startswith(".")
    assert (key == state_document.build_key(other)) is (one == other)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut"),
        pytest.param("[" * 10_000, id="deep"),
        pytest.param('{"owner":"me"}', id="no-zones"),
        pytest.param('{"owner":"me","zones":{"Z":{"made":"x"}}}', id="wrong-type"),
        pytest.param('{"owner":"me","zones":{},"apiVersion":"extdns.io/v1","kind":"State"}', id="another-version"),
        pytest.param('{"owner":"you","zones":{},"apiVersion":"extdns.io/v2","kind":"State"}', id="another-owner"),
        pytest.param(
            '{"owner":"me","zones":{},"allZones":{"holds":[{"since_s":1,"digests":["aa"]}]},'
            '"apiVersion":"extdns.io/v2","kind":"State"}',
            id="no-record-ids",
        ),
        pytest.param(7, id="no-text"),
        pytest.param("\ud800", id="no-unicode"),
    ],
)
def test_unreadable_saved_state_of_one_owner_is_reported_and_does_not_affect_other_owners(text: object) -> None:
    document: dict[str, Any] = state_document.replace_saved_state(
        state_document.build_empty_document("s"), "green", SAVED
    )
    document["data"][state_document.build_key("me")] = text
    with pytest.raises(state_document.DamagedStateError, match=r"^it is "):
        state_document.read_saved_state(document, "me")
    assert state_document.read_saved_state(document, "green") == SAVED
    assert "green" in dict(state_document.list_owners(document))


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
def test_a_document_that_is_not_a_configmap_is_rejected(body: bytes) -> None:
    with pytest.raises(InvalidValueError, match="allowed: a ConfigMap as JSON"):
        state_document.parse_document(body)


def test_saved_state_larger_than_a_configmap_is_rejected_with_its_size() -> None:
    zone = SavedZone(whole=SavedScope(shown=(("c", tuple(f"{number:016x}" for number in range(60_000))),)))
    with pytest.raises(ExtdnsError, match=r"^the state would have 1\d{6} bytes; a ConfigMap can hold 1048576$"):
        state_document.replace_saved_state(state_document.build_empty_document("s"), "me", Saved(zones=(("Z1", zone),)))


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
def test_approval_codes_are_read_from_the_annotation_of_the_configmap(
    annotation: object, codes: tuple[str, ...]
) -> None:
    document = state_document.build_empty_document("s")
    document["metadata"]["annotations"] = {"extdns.io/approve": annotation}
    assert tuple(one.code for one in state_document.read_approvals(document)) == codes


def test_an_approval_may_state_any_user_name() -> None:
    approvals = tuple(
        Approval(code=f"0000-000{number}", claimed_user=user)
        for number, user in enumerate(
            ("", "system:serviceaccount:dns:ci", "Jane Doe, jane=1%", "arn:aws:iam::1:user/jöe")
        )
    )
    document = state_document.add_approvals(state_document.build_empty_document("s"), approvals)
    assert state_document.read_approvals(document) == approvals
    assert "0000-0001=system:serviceaccount:dns:ci " in document["metadata"]["annotations"]["extdns.io/approve"]


def test_an_approved_code_stays_in_the_annotation_until_all_its_deletes_are_approved_in_the_saved_state() -> None:
    document = state_document.build_empty_document("s")
    document["metadata"]["annotations"] = {"team": "dns"}
    document = state_document.add_approvals(document, (FIRST, SECOND))
    assert document["metadata"]["annotations"] == {"team": "dns", "extdns.io/approve": "7f3a-91c2 1111-2222"}
    document = state_document.replace_saved_state(document, "me", SAVED)
    assert state_document.read_approvals(document) == (FIRST, SECOND), "a part of it is not approved yet"
    approved = msgspec.structs.replace(SAVED, approved=(("aa", 90.0), ("cc", 90.0)))
    document = state_document.replace_saved_state(document, "me", approved)
    assert state_document.read_approvals(document) == (FIRST,)
    assert document["metadata"]["annotations"]["team"] == "dns"
