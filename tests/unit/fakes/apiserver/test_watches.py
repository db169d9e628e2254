"""Watches (Kubernetes API concepts: "Efficient detection of changes", "Watch bookmarks", "Streaming lists")."""

from __future__ import annotations

import pytest

from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.raw_client import IN_SHOP, RawClient, build_service
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order
from tests.unit.fakes.apiserver.http_routes import build_route

ROUTES = "/apis/gateway.networking.k8s.io/v1/httproutes"
STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


def test_a_watch_sends_all_events_after_its_resource_version(server: ApiServer, raw_client: RawClient) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.put(build_service("b"))
    with raw_client.watch(resourceVersion=version) as stream:
        assert stream.read_events(1) == [("ADDED", "b")]
        server.put(build_service("a", changed="yes"))
        server.delete("Service", "shop", "b")
        assert stream.read_events(2) == [("MODIFIED", "a"), ("DELETED", "b")]


def test_a_watch_event_has_kind_and_version_and_a_delete_a_new_resource_version(
    server: ApiServer, raw_client: RawClient
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.delete("Service", "shop", "a")
    with raw_client.watch(resourceVersion=version) as stream:
        frame = stream.read_event()
    assert frame is not None
    assert (frame["object"]["kind"], frame["object"]["apiVersion"]) == ("Service", "v1")
    assert frame["object"]["spec"]["ports"] == [{"port": 80}]
    assert int(frame["object"]["metadata"]["resourceVersion"]) == server.version > int(version)


@pytest.mark.parametrize("query", [{}, {"resourceVersion": 0}])
def test_a_watch_without_a_version_starts_with_the_existing_objects(
    server: ApiServer, raw_client: RawClient, query: dict[str, object]
) -> None:
    server.put_all([build_service("b"), build_service("a")])
    with raw_client.watch(**query) as stream:
        assert stream.read_events(2) == [("ADDED", "a"), ("ADDED", "b")]
        server.put(build_service("c"))
        assert stream.read_events(1) == [("ADDED", "c")]


def test_a_watch_sends_only_events_of_its_namespace_and_kind(server: ApiServer, raw_client: RawClient) -> None:
    with raw_client.watch(IN_SHOP, resourceVersion=server.version) as stream:
        server.put(build_service("a", "shop-2"))
        server.put(build_route("r"))
        server.put(build_service("b"))
        assert stream.read_events(1) == [("ADDED", "b")]


def test_a_watch_with_a_selector_adds_and_deletes_objects_as_their_labels_change(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.put(build_service("a", app="x"))
    with raw_client.watch(resourceVersion=server.version, labelSelector="app=web") as stream:
        for app, tier in (("web", "1"), ("web", "2"), ("x", "3"), ("x", "4"), ("web", "5")):
            server.put(build_service("a", app=app, tier=tier))
        frames = [stream.read_event() for _ in range(4)]
    seen = [(frame["type"], frame["object"]["metadata"]["labels"]["tier"]) for frame in frames if frame]
    assert seen == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2"), ("ADDED", "5")]


def test_a_field_selector_watches_one_object(server: ApiServer, raw_client: RawClient) -> None:
    with raw_client.watch(IN_SHOP, resourceVersion=server.version, fieldSelector="metadata.name=b") as stream:
        server.put_all([build_service("a"), build_service("b")])
        server.delete("Service", "shop", "b")
        assert stream.read_events(2) == [("ADDED", "b"), ("DELETED", "b")]


def test_a_watch_from_an_expired_version_gets_a_200_with_an_error_event(
    server: ApiServer, raw_client: RawClient
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.expire()
    with raw_client.watch(resourceVersion=version) as stream:
        frame, end = stream.read_event(), stream.read_event()
    assert frame is not None
    assert (frame["type"], frame["object"]["code"], frame["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert frame["object"]["message"].startswith(f"too old resource version: {version}")
    assert (stream.code, end) == (200, None)


def test_a_test_can_let_a_watch_from_an_expired_version_get_a_410_instead_of_an_event(
    server: ApiServer, raw_client: RawClient
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.expire()
    server.api.gone_as_status = True
    reply = raw_client.get(watch="1", resourceVersion=version)
    assert (reply.code, reply.body["reason"]) == (410, "Gone")


def test_an_open_watch_continues_after_its_start_version_expires(server: ApiServer, raw_client: RawClient) -> None:
    with raw_client.watch(resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        server.expire()
        server.put(build_service("a"))
        assert stream.read_events(1) == [("ADDED", "a")]


def test_a_watch_from_a_future_version_sends_only_events_after_that_version(
    server: ApiServer, raw_client: RawClient
) -> None:
    with raw_client.watch(resourceVersion=server.version + 2, allowWatchBookmarks="true") as stream:
        server.put_all([build_service("a"), build_service("b"), build_service("c")])
        assert stream.read_events(1) == [("ADDED", "c")]


def test_a_watch_ends_cleanly_after_its_timeout(server: ApiServer, raw_client: RawClient) -> None:
    with raw_client.watch(resourceVersion=server.version, timeoutSeconds=1) as stream:
        assert stream.read_event() is None


def test_bookmarks_are_sent_only_to_watches_that_allow_them(server: ApiServer, raw_client: RawClient) -> None:
    version = server.version
    with (
        raw_client.watch(resourceVersion=version, allowWatchBookmarks="true") as one,
        raw_client.watch(resourceVersion=version) as other,
    ):
        server.put(build_service("a"))
        assert one.read_events(1) == other.read_events(1) == [("ADDED", "a")]
        server.put(build_route("r"))
        server.send_bookmarks()
        assert one.read_events(1) == [("BOOKMARK", str(server.version))]
        server.put(build_service("b"))
        assert one.read_events(1) == other.read_events(1) == [("ADDED", "b")]


def test_bookmarks_are_sent_at_the_configured_interval(server: ApiServer, raw_client: RawClient) -> None:
    server.api.bookmark_every_s = 0.01
    with raw_client.watch(resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        assert stream.read_events(2) == [("BOOKMARK", str(server.version))] * 2


def test_a_bookmark_of_a_built_in_kind_contains_its_required_fields_with_empty_values(
    server: ApiServer, raw_client: RawClient
) -> None:
    path = "/apis/discovery.k8s.io/v1/endpointslices"
    with raw_client.watch(path, resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        server.put(build_service("a"))
        server.send_bookmarks()
        frame = stream.read_event()
    assert frame is not None
    metadata = {"resourceVersion": str(server.version), "creationTimestamp": None}
    empty = {"addressType": "", "endpoints": None, "ports": None}
    assert frame["object"] == {
        "kind": "EndpointSlice",
        "apiVersion": "discovery.k8s.io/v1",
        "metadata": metadata,
        **empty,
    }


def test_a_streamed_list_ends_with_a_bookmark_that_has_the_end_annotation(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.put_all([build_service("b"), build_service("a")])
    with raw_client.watch(**STREAMED) as stream:
        assert stream.read_events(2) == [("ADDED", "a"), ("ADDED", "b")]
        frame = stream.read_event()
        assert frame is not None
        assert frame["type"] == "BOOKMARK"
        assert frame["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert frame["object"]["metadata"]["resourceVersion"] == str(server.version)
        server.put(build_service("c"))
        assert stream.read_events(1) == [("ADDED", "c")]


def test_bookmarks_of_a_custom_kind_have_only_kind_version_and_metadata(raw_client: RawClient) -> None:
    with raw_client.watch(ROUTES, **STREAMED) as stream:
        frame = stream.read_event()
    assert frame is not None
    assert frame["object"].keys() == {"kind", "apiVersion", "metadata"}
    assert "creationTimestamp" not in frame["object"]["metadata"]


def test_a_watch_can_omit_the_initial_events(server: ApiServer, raw_client: RawClient) -> None:
    server.put(build_service("a"))
    with raw_client.watch(sendInitialEvents="false", resourceVersionMatch="NotOlderThan") as stream:
        server.put(build_service("b"))
        seen = stream.read_events(1)
    assert seen == [("ADDED", "b")]


def test_a_streamed_list_gets_an_error_event_if_etcd_is_too_old_for_it(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.api.watch_list = WatchList.REFUSED_BY_STORE
    with raw_client.watch(**STREAMED) as stream:
        frame, end = stream.read_event(), stream.read_event()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 500, None)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        pytest.param(WatchList.GATED, "feature gate", id="feature-gate-off"),
        pytest.param(WatchList.UNKNOWN, "resourceVersionMatch is forbidden for watch", id="before-1.27"),
    ],
)
def test_a_server_that_does_not_support_streamed_lists_refuses_them(
    server: ApiServer, raw_client: RawClient, mode: WatchList, message: str
) -> None:
    server.api.watch_list = mode
    reply = raw_client.get(watch="1", **STREAMED)
    assert (reply.code, reply.body["reason"]) == (422, "Invalid")
    assert message in reply.body["message"]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param({"sendInitialEvents": "true"}, id="without-match"),
        pytest.param({"resourceVersionMatch": "NotOlderThan"}, id="match-without-initial-events"),
        pytest.param({"sendInitialEvents": "true", "resourceVersionMatch": "Exact"}, id="exact"),
    ],
)
def test_an_invalid_watch_query_is_refused(raw_client: RawClient, query: dict[str, object]) -> None:
    assert raw_client.get(watch="true", **query).code == 422


@pytest.mark.parametrize(
    ("order", "last"),
    [pytest.param(Order.END, [], id="cleanly"), pytest.param(Order.EXPIRE, [("ERROR", "")], id="by-410")],
)
def test_a_test_can_end_open_watches_cleanly_or_with_an_expired_error(
    server: ApiServer, raw_client: RawClient, order: Order, last: list[tuple[str, str]]
) -> None:
    with raw_client.watch(resourceVersion=server.version) as stream:
        server.put(build_service("a"))
        assert stream.read_events(1) == [("ADDED", "a")]
        server.end_watches(order)
        assert stream.read_events(len(last) + 1) == [*last, ("END", "")]
