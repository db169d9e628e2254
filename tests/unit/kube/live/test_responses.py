"""Lists and watch events are decoded, and invalid responses are distinguished from empty ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extdns.errors import ApiError, DeniedError, ExpiredError
from extdns.kube.live import responses
from extdns.kube.live.responses import replace_deep_values
from extdns.resources.core import SERVICE
from extdns.resources.networking import INGRESS

CALL = "GET /api/v1/services"


def listed(**changed: Any) -> bytes:  # noqa: ANN401 - JSON
    document = {
        "kind": "ServiceList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "7"},
        "items": [{"metadata": {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "5"}}],
    }
    return json.dumps({key: value for key, value in (document | changed).items() if value != "left out"}).encode()


def build_event(type_: str, **obj: Any) -> bytes:  # noqa: ANN401 - JSON
    return json.dumps({"type": type_, "object": {"kind": "Service", "apiVersion": "v1"} | obj}).encode()


@pytest.mark.parametrize("items", [pytest.param([], id="empty"), pytest.param(None, id="null")])
def test_an_empty_list_response_is_valid(items: object) -> None:
    assert responses.decode_list(SERVICE, CALL, listed(items=items)).items == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "the response is not a list: nothing", id="nothing"),
        pytest.param(b"<html>\n<body>Sign in", "the response is not a list: '<html>\\n<body>Sign in'", id="html"),
        pytest.param(listed()[:-9], 'the response is not a list: \'{"kind": "ServiceList"', id="truncated"),
        pytest.param(b"[]", "the response is not a list: '[]'", id="another-shape"),
        pytest.param(b"\xff\xfe", "the response is not a list: '��'", id="no-text"),
        pytest.param(b"{}", "the response is of no kind; expected: a list of Service v1", id="empty-object"),
        pytest.param(
            listed(kind="FooList"), "the response is FooList v1; expected: a list of Service v1", id="another-kind"
        ),
        pytest.param(listed(apiVersion="v9"), "the response is ServiceList v9; expected", id="another-version"),
        pytest.param(listed(metadata={}), "the list has no metadata.resourceVersion", id="no-version"),
        pytest.param(listed(items="left out"), "the list has no items", id="no-items"),
        pytest.param(listed(items={}), "the response is not a list", id="items-of-another-type"),
    ],
)
def test_a_response_that_is_not_a_list_of_the_requested_kind_is_an_error(body: bytes, message: str) -> None:
    with pytest.raises(ApiError) as raised:
        responses.decode_list(SERVICE, CALL, body)
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
def test_an_item_without_a_name_is_decoded_without_name_and_version(item: object) -> None:
    assert [one.header for one in responses.decode_list(SERVICE, CALL, listed(items=[item])).items] == [None]


FIELDS = b'{"a":' * 9999 + b"{}" + b"}" * 9999
DEEP = b'{"kind":"Service","apiVersion":"v1","metadata":{"fields":' + FIELDS + b',"name":"deep"}}'


def test_how_deeply_an_object_is_nested_does_not_affect_what_is_known_about_it() -> None:
    items = listed(items="here").replace(b'"here"', b'[{"metadata":{"name":"a"}},%s]' % DEEP)
    event = responses.decode_watch_event(SERVICE, CALL, b'{"type":"DELETED","object":%s}' % DEEP)
    assert isinstance(event, responses.DeletedEvent)
    found = [*responses.decode_list(SERVICE, CALL, items).items, event.item, responses.decode_object(DEEP)]
    assert [one.header and one.header.name for one in found] == ["a", "deep", "deep", "deep"]
    assert responses.decode_header(SERVICE, CALL, DEEP).name == "deep"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param({"resourceVersion": "9"}, responses.BookmarkEvent("9", ends_initial_list=False), id="plain"),
        pytest.param(
            {"resourceVersion": "9", "creationTimestamp": None, "annotations": {"k8s.io/initial-events-end": "true"}},
            responses.BookmarkEvent("9", ends_initial_list=True),
            id="end-of-the-objects-of-the-start",
        ),
        pytest.param({}, responses.BookmarkEvent("", ends_initial_list=False), id="without-version"),
    ],
)
def test_a_bookmark_event_contains_a_resource_version_and_may_end_the_initial_list(
    metadata: dict[str, object], expected: responses.BookmarkEvent
) -> None:
    assert responses.decode_watch_event(SERVICE, CALL, build_event("BOOKMARK", metadata=metadata)) == expected


@pytest.mark.parametrize(
    ("status", "error"),
    [
        pytest.param({"code": 410, "reason": "Expired"}, ExpiredError, id="410"),
        pytest.param({"code": 403, "message": "no"}, DeniedError, id="403"),
        pytest.param({"code": 500, "message": "etcd"}, ApiError, id="500"),
        pytest.param({"code": "what"}, ApiError, id="unreadable"),
    ],
)
def test_a_watch_event_of_type_error_is_raised_as_an_exception(
    status: dict[str, object], error: type[ApiError]
) -> None:
    line = json.dumps({"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1"} | status}).encode()
    with pytest.raises(ApiError) as raised:
        responses.decode_watch_event(SERVICE, CALL, line)
    assert type(raised.value) is error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(b"<html>", "the watch sent a line that is not an event: '<html>'", id="html"),
        pytest.param(
            build_event("ADDED")[:-3], 'the watch sent a line that is not an event: \'{"type": "ADDED"', id="half"
        ),
        pytest.param(b"", "the watch sent a line that is not an event: nothing", id="nothing"),
        pytest.param(
            build_event("ADDED", kind="Foo"), "the response is Foo v1; expected: Service v1", id="another-kind"
        ),
        pytest.param(
            build_event("SYNC"), "the watch sent an event of type 'SYNC', which is not known", id="another-type"
        ),
        pytest.param(
            build_event("BOOKMARK", metadata=5), "the watch sent a line that is not an event", id="bad-bookmark"
        ),
    ],
)
def test_a_watch_line_that_is_not_an_event_of_the_watched_kind_is_an_error(line: bytes, message: str) -> None:
    with pytest.raises(ApiError) as raised:
        responses.decode_watch_event(SERVICE, CALL, line)
    assert str(raised.value).startswith(f"{CALL}: {message}")


def test_a_list_response_of_another_api_group_is_an_error() -> None:
    body = listed(kind="IngressList", apiVersion="networking.k8s.io/v1")
    assert responses.decode_list(INGRESS, CALL, body).resource_version == "7"
    with pytest.raises(ApiError, match=r"expected: a list of Ingress networking\.k8s\.io/v1"):
        responses.decode_list(INGRESS, CALL, listed(kind="IngressList", apiVersion="extensions/v1beta1"))


TEXTS = st.text(st.sampled_from('ab"\\{}[],:é\n'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("items"), inner, max_size=3),
    max_leaves=10,
)


@given(value=VALUES, is_ascii=st.booleans())
def test_only_values_that_are_too_deep_are_replaced(value: object, is_ascii: bool) -> None:
    def nest(inner: object, depth: int) -> bytes:
        text = json.dumps(inner, ensure_ascii=is_ascii).encode()
        return b'[{"]": ' * (depth // 2) + text + b"}]" * (depth // 2)

    assert replace_deep_values(nest(value, 400)) == nest(value, 400)
    assert replace_deep_values(nest([value], 500)) == nest(None, 500)


@pytest.mark.parametrize("text", [b"}" * 9999, b"[" * 9999, b'"', b'["' * 9999])
def test_text_that_is_no_json_does_not_become_json(text: bytes) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(replace_deep_values(text))
