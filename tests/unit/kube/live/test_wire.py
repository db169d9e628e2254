"""Lists and frames are taken apart, and what is neither is told from what is empty."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extdns.errors import ApiError, DeniedError, ExpiredError
from extdns.kube.live import wire
from extdns.model.objects import INGRESS, SERVICE

CALL = "GET /api/v1/services"


def listed(**changed: Any) -> bytes:  # noqa: ANN401 - JSON
    whole = {
        "kind": "ServiceList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "7"},
        "items": [{"metadata": {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "5"}}],
    }
    return json.dumps({key: value for key, value in (whole | changed).items() if value != "left out"}).encode()


def framed(type_: str, **obj: Any) -> bytes:  # noqa: ANN401 - JSON
    return json.dumps({"type": type_, "object": {"kind": "Service", "apiVersion": "v1"} | obj}).encode()


def test_a_page_has_items_with_their_heads_and_a_version_and_perhaps_a_token() -> None:
    page = wire.page(SERVICE, CALL, listed(metadata={"resourceVersion": "7", "continue": "more"}))
    assert (page.version, page.token) == ("7", "more")
    (item,) = page.items
    assert item.head == wire.Head(name="web", namespace="shop", uid="u", resource_version="5")
    assert json.loads(bytes(item.raw))["metadata"]["name"] == "web"
    assert wire.page(SERVICE, CALL, listed()).token == ""


@pytest.mark.parametrize("items", [pytest.param([], id="empty"), pytest.param(None, id="null")])
def test_a_list_may_be_empty(items: object) -> None:
    assert wire.page(SERVICE, CALL, listed(items=items)).items == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "the answer is no list: nothing", id="nothing"),
        pytest.param(b"<html>\n<body>Sign in", "the answer is no list: '<html>\\n<body>Sign in'", id="html"),
        pytest.param(listed()[:-9], 'the answer is no list: \'{"kind": "ServiceList"', id="truncated"),
        pytest.param(b"[]", "the answer is no list: '[]'", id="another-shape"),
        pytest.param(b"\xff\xfe", "the answer is no list: '��'", id="no-text"),
        pytest.param(b"{}", "the answer is of no kind; expected: a list of Service v1", id="empty-object"),
        pytest.param(
            listed(kind="FooList"), "the answer is FooList v1; expected: a list of Service v1", id="another-kind"
        ),
        pytest.param(listed(apiVersion="v9"), "the answer is ServiceList v9; expected", id="another-version"),
        pytest.param(listed(metadata={}), "the list has no metadata.resourceVersion", id="no-version"),
        pytest.param(listed(items="left out"), "the list has no items", id="no-items"),
        pytest.param(listed(items={}), "the answer is no list", id="items-of-another-type"),
    ],
)
def test_anything_but_a_list_of_the_kind_is_an_error(body: bytes, message: str) -> None:
    with pytest.raises(ApiError) as raised:
        wire.page(SERVICE, CALL, body)
    assert str(raised.value).startswith(f"{CALL}: {message}")


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({}, id="no-metadata"),
        pytest.param({"metadata": {}}, id="no-name"),
        pytest.param({"metadata": {"name": 5}}, id="name-of-another-type"),
        pytest.param("web", id="no-object"),
    ],
)
def test_an_item_without_a_name_is_an_item_all_the_same(item: object) -> None:
    assert [one.head for one in wire.page(SERVICE, CALL, listed(items=[item])).items] == [None]


def test_an_item_nested_beyond_reason_costs_only_itself() -> None:
    items = f'[{{"metadata": {{"name": "a"}}}}, {{"metadata": {nested(2000)}}}]'
    body = listed(items="here").replace(b'"here"', items.encode())
    heads = [item.head for item in wire.page(SERVICE, CALL, body).items]
    assert heads == [wire.Head(name="a"), None]


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_frames_say_what_became_of_an_object() -> None:
    head = {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "8"}
    for type_ in ("ADDED", "MODIFIED"):
        shown = wire.frame(SERVICE, CALL, framed(type_, metadata=head))
        assert isinstance(shown, wire.Shown)
        assert shown.item.head == wire.Head(name="web", namespace="shop", uid="u", resource_version="8")
    assert isinstance(wire.frame(SERVICE, CALL, framed("DELETED", metadata=head)), wire.Deleted)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param({"resourceVersion": "9"}, wire.Bookmark("9", is_initial_end=False), id="plain"),
        pytest.param(
            {"resourceVersion": "9", "creationTimestamp": None, "annotations": {"k8s.io/initial-events-end": "true"}},
            wire.Bookmark("9", is_initial_end=True),
            id="end-of-the-objects-of-the-start",
        ),
        pytest.param({}, wire.Bookmark("", is_initial_end=False), id="without-version"),
    ],
)
def test_a_bookmark_is_a_version(metadata: dict[str, object], expected: wire.Bookmark) -> None:
    assert wire.frame(SERVICE, CALL, framed("BOOKMARK", metadata=metadata)) == expected


@pytest.mark.parametrize(
    ("status", "error"),
    [
        pytest.param({"code": 410, "reason": "Expired"}, ExpiredError, id="410"),
        pytest.param({"code": 403, "message": "no"}, DeniedError, id="403"),
        pytest.param({"code": 500, "message": "etcd"}, ApiError, id="500"),
        pytest.param({"code": "what"}, ApiError, id="unreadable"),
    ],
)
def test_an_error_frame_is_raised(status: dict[str, object], error: type[ApiError]) -> None:
    line = json.dumps({"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1"} | status}).encode()
    with pytest.raises(ApiError) as raised:
        wire.frame(SERVICE, CALL, line)
    assert type(raised.value) is error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(b"<html>", "the watch sent what is no event: '<html>'", id="html"),
        pytest.param(framed("ADDED")[:-3], 'the watch sent what is no event: \'{"type": "ADDED"', id="half"),
        pytest.param(b"", "the watch sent what is no event: nothing", id="nothing"),
        pytest.param(framed("ADDED", kind="Foo"), "the answer is Foo v1; expected: Service v1", id="another-kind"),
        pytest.param(framed("SYNC"), "the watch sent an event of type 'SYNC', which is not known", id="another-type"),
        pytest.param(framed("BOOKMARK", metadata=5), "the watch sent what is no event", id="bad-bookmark"),
    ],
)
def test_anything_but_a_frame_of_the_kind_is_an_error(line: bytes, message: str) -> None:
    with pytest.raises(ApiError) as raised:
        wire.frame(SERVICE, CALL, line)
    assert str(raised.value).startswith(f"{CALL}: {message}")


def test_a_kind_of_a_group_is_expected_in_its_group() -> None:
    body = listed(kind="IngressList", apiVersion="networking.k8s.io/v1")
    assert wire.page(INGRESS, CALL, body).version == "7"
    with pytest.raises(ApiError, match=r"expected: a list of Ingress networking\.k8s\.io/v1"):
        wire.page(INGRESS, CALL, listed(kind="IngressList", apiVersion="extensions/v1beta1"))


def test_a_frame_nested_beyond_reason_is_an_object_that_cannot_be_identified() -> None:
    line = b'{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","spec":' + nested(2000).encode() + b"}}"
    shown = wire.frame(SERVICE, CALL, line)
    assert isinstance(shown, wire.Shown)
    assert shown.item.head is None
