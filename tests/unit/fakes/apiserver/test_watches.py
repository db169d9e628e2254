"""Watches, by "Efficient detection of changes", "Watch bookmarks" and "Streaming lists" of the API concepts page."""

from __future__ import annotations

import pytest

from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.probe import IN_SHOP, Probe, route, service
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

ROUTES = "/apis/gateway.networking.k8s.io/v1/httproutes"
STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


def test_a_watch_gives_what_happened_after_its_version_and_what_happens(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.put(service("b"))
    with probe.watch(resourceVersion=version) as stream:
        assert stream.brief(1) == [("ADDED", "b")]
        server.put(service("a", changed="yes"))
        server.delete("Service", "shop", "b")
        assert stream.brief(2) == [("MODIFIED", "a"), ("DELETED", "b")]


def test_frames_say_kind_and_version_and_a_delete_has_a_version_of_its_own(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.delete("Service", "shop", "a")
    with probe.watch(resourceVersion=version) as stream:
        frame = stream.frame()
    assert frame is not None
    assert (frame["object"]["kind"], frame["object"]["apiVersion"]) == ("Service", "v1")
    assert frame["object"]["spec"]["ports"] == [{"port": 80}]
    assert int(frame["object"]["metadata"]["resourceVersion"]) == server.version > int(version)


@pytest.mark.parametrize("query", [{}, {"resourceVersion": 0}])
def test_without_a_version_it_begins_with_what_is_there(
    server: ApiServer, probe: Probe, query: dict[str, object]
) -> None:
    server.put_all([service("b"), service("a")])
    with probe.watch(**query) as stream:
        assert stream.brief(2) == [("ADDED", "a"), ("ADDED", "b")]
        server.put(service("c"))
        assert stream.brief(1) == [("ADDED", "c")]


def test_only_its_namespace_and_kind_are_seen(server: ApiServer, probe: Probe) -> None:
    with probe.watch(IN_SHOP, resourceVersion=server.version) as stream:
        server.put(service("a", "shop-2"))
        server.put(route("r"))
        server.put(service("b"))
        assert stream.brief(1) == [("ADDED", "b")]


def test_an_object_that_a_selector_gains_is_added_and_one_it_loses_is_deleted(server: ApiServer, probe: Probe) -> None:
    server.put(service("a", app="x"))
    with probe.watch(resourceVersion=server.version, labelSelector="app=web") as stream:
        for app, tier in (("web", "1"), ("web", "2"), ("x", "3"), ("x", "4"), ("web", "5")):
            server.put(service("a", app=app, tier=tier))
        frames = [stream.frame() for _ in range(4)]
    seen = [(frame["type"], frame["object"]["metadata"]["labels"]["tier"]) for frame in frames if frame]
    assert seen == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2"), ("ADDED", "5")]


def test_a_field_selector_watches_one_object(server: ApiServer, probe: Probe) -> None:
    with probe.watch(IN_SHOP, resourceVersion=server.version, fieldSelector="metadata.name=b") as stream:
        server.put_all([service("a"), service("b")])
        server.delete("Service", "shop", "b")
        assert stream.brief(2) == [("ADDED", "b"), ("DELETED", "b")]


def test_a_version_that_is_too_old_is_an_error_frame_in_a_200(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.expire()
    with probe.watch(resourceVersion=version) as stream:
        frame, end = stream.frame(), stream.frame()
    assert frame is not None
    assert (frame["type"], frame["object"]["code"], frame["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert frame["object"]["message"].startswith(f"too old resource version: {version}")
    assert (stream.code, end) == (200, None)


def test_a_version_that_is_too_old_may_be_a_status_410(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.expire()
    server.api.gone_as_status = True
    reply = probe.get(watch="1", resourceVersion=version)
    assert (reply.code, reply.body["reason"]) == (410, "Gone")


def test_an_open_watch_outlives_the_history_it_began_with(server: ApiServer, probe: Probe) -> None:
    with probe.watch(resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        server.expire()
        server.put(service("a"))
        assert stream.brief(1) == [("ADDED", "a")]


def test_a_watch_from_a_version_still_to_come_keeps_silent_until_then(server: ApiServer, probe: Probe) -> None:
    with probe.watch(resourceVersion=server.version + 2, allowWatchBookmarks="true") as stream:
        server.put_all([service("a"), service("b"), service("c")])
        assert stream.brief(1) == [("ADDED", "c")]


def test_a_time_out_ends_it_cleanly(server: ApiServer, probe: Probe) -> None:
    with probe.watch(resourceVersion=server.version, timeoutSeconds=1) as stream:
        assert stream.frame() is None


def test_bookmarks_come_to_those_who_allow_them(server: ApiServer, probe: Probe) -> None:
    version = server.version
    with (
        probe.watch(resourceVersion=version, allowWatchBookmarks="true") as one,
        probe.watch(resourceVersion=version) as other,
    ):
        server.put(service("a"))
        assert one.brief(1) == other.brief(1) == [("ADDED", "a")]
        server.put(route("r"))
        server.bookmark()
        assert one.brief(1) == [("BOOKMARK", str(server.version))]
        server.put(service("b"))
        assert one.brief(1) == other.brief(1) == [("ADDED", "b")]


def test_bookmarks_come_by_themselves(server: ApiServer, probe: Probe) -> None:
    server.api.bookmark_every_s = 0.01
    with probe.watch(resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        assert stream.brief(2) == [("BOOKMARK", str(server.version))] * 2


def test_a_bookmark_of_a_core_kind_is_an_object_with_nothing_set(server: ApiServer, probe: Probe) -> None:
    path = "/apis/discovery.k8s.io/v1/endpointslices"
    with probe.watch(path, resourceVersion=server.version, allowWatchBookmarks="true") as stream:
        server.put(service("a"))
        server.bookmark()
        frame = stream.frame()
    assert frame is not None
    metadata = {"resourceVersion": str(server.version), "creationTimestamp": None}
    empty = {"addressType": "", "endpoints": None, "ports": None}
    assert frame["object"] == {
        "kind": "EndpointSlice",
        "apiVersion": "discovery.k8s.io/v1",
        "metadata": metadata,
        **empty,
    }


def test_a_streamed_list_ends_with_a_marked_bookmark(server: ApiServer, probe: Probe) -> None:
    server.put_all([service("b"), service("a")])
    with probe.watch(**STREAMED) as stream:
        assert stream.brief(2) == [("ADDED", "a"), ("ADDED", "b")]
        frame = stream.frame()
        assert frame is not None
        assert frame["type"] == "BOOKMARK"
        assert frame["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert frame["object"]["metadata"]["resourceVersion"] == str(server.version)
        server.put(service("c"))
        assert stream.brief(1) == [("ADDED", "c")]


def test_a_streamed_list_of_a_custom_kind_has_bare_bookmarks(probe: Probe) -> None:
    with probe.watch(ROUTES, **STREAMED) as stream:
        frame = stream.frame()
    assert frame is not None
    assert frame["object"].keys() == {"kind", "apiVersion", "metadata"}
    assert "creationTimestamp" not in frame["object"]["metadata"]


def test_initial_events_can_be_declined(server: ApiServer, probe: Probe) -> None:
    server.put(service("a"))
    with probe.watch(sendInitialEvents="false", resourceVersionMatch="NotOlderThan") as stream:
        server.put(service("b"))
        seen = stream.brief(1)
    assert seen == [("ADDED", "b")]


def test_a_store_too_old_for_streamed_lists_says_so_in_a_frame(server: ApiServer, probe: Probe) -> None:
    server.api.watch_list = WatchList.REFUSED_BY_STORE
    with probe.watch(**STREAMED) as stream:
        frame, end = stream.frame(), stream.frame()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 500, None)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        pytest.param(WatchList.GATED, "feature gate", id="feature-gate-off"),
        pytest.param(WatchList.UNKNOWN, "resourceVersionMatch is forbidden for watch", id="before-1.27"),
    ],
)
def test_servers_without_streamed_lists_call_the_request_invalid(
    server: ApiServer, probe: Probe, mode: WatchList, message: str
) -> None:
    server.api.watch_list = mode
    reply = probe.get(watch="1", **STREAMED)
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
def test_a_watch_query_that_makes_no_sense_is_refused(probe: Probe, query: dict[str, object]) -> None:
    assert probe.get(watch="true", **query).code == 422


@pytest.mark.parametrize(
    ("order", "last"),
    [pytest.param(Order.END, [], id="cleanly"), pytest.param(Order.EXPIRE, [("ERROR", "")], id="by-410")],
)
def test_a_test_can_end_open_watches(
    server: ApiServer, probe: Probe, order: Order, last: list[tuple[str, str]]
) -> None:
    with probe.watch(resourceVersion=server.version) as stream:
        server.put(service("a"))
        assert stream.brief(1) == [("ADDED", "a")]
        server.end_watches(order)
        assert stream.brief(len(last) + 1) == [*last, ("END", "")]


def test_open_watches_are_counted_until_their_client_hangs_up(server: ApiServer, probe: Probe) -> None:
    with probe.watch(resourceVersion=server.version) as stream:
        server.put(service("a"))
        stream.frame()
        assert (server.watching("Service"), server.watching("Pod")) == (1, 0)
