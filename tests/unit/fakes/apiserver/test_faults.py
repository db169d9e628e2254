"""Faults that a test arms in the fake API server, as a client observes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead, RemoteDisconnected

import pytest

from tests.fakes.apiserver import log
from tests.fakes.apiserver.faults import (
    Cut,
    Drop,
    Empty,
    Fault,
    Html,
    Refuse,
    Slow,
    Spoil,
    Stall,
    Truncated,
    Unknown,
)
from tests.fakes.apiserver.raw_client import IN_SHOP, SERVICES, RawClient, Stream, build_service
from tests.fakes.apiserver.server import ApiServer

STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


@pytest.fixture(autouse=True)
def _objects(server: ApiServer) -> None:
    server.put_all([build_service("a"), build_service("b")])


def test_a_fault_affects_the_given_number_of_matching_requests(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Refuse(code=503), verb="list", resource="services", namespace="shop", times=2)
    codes = [raw_client.get(path).code for path in (SERVICES, f"{IN_SHOP}/a", IN_SHOP, IN_SHOP, IN_SHOP)]
    assert codes == [200, 200, 503, 503, 200]


def test_waiting_for_a_logged_request_ends_only_after_the_server_has_processed_it(
    server: ApiServer, raw_client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    stalled = server.faults.arm(Stall(), verb="list", resource="services")
    with ThreadPoolExecutor(1) as pool:
        response = pool.submit(raw_client.get)
        stalled.wait()
        with monkeypatch.context() as patched:
            patched.setattr(log, "_TIMEOUT_S", 0.0)
            with pytest.raises(AssertionError, match="fewer than 1 requests list services"):
                server.log.wait_for("list", "services")
        stalled.release()
        assert response.result().code == 200
    assert server.log.wait_for("list", "services").verb == "list"


def test_faults_take_effect_in_the_order_in_which_they_were_armed(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Refuse(code=500))
    server.faults.arm(Refuse(code=503), times=None)
    assert [raw_client.get().code for _ in range(3)] == [500, 503, 503]
    server.faults.clear()
    assert raw_client.get().code == 200


def test_a_fault_for_discovery_does_not_affect_lists(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Refuse(code=500), resource="")
    assert (raw_client.get().code, raw_client.get("/api").code) == (200, 500)


def test_a_drop_fault_closes_the_connection_without_a_response(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Drop())
    with pytest.raises(RemoteDisconnected):
        raw_client.get()


@pytest.mark.parametrize(("worked", "code"), [(False, 404), (True, 200)])
def test_a_dropped_create_is_applied_only_if_the_fault_says_so(
    server: ApiServer, raw_client: RawClient, worked: bool, code: int
) -> None:
    server.faults.arm(Drop(worked=worked), verb="create")
    with pytest.raises(RemoteDisconnected):
        raw_client.send("POST", IN_SHOP, build_service("c"))
    assert raw_client.get(f"{IN_SHOP}/c").code == code


@pytest.mark.parametrize("fault", [Stall(), Stall(lines=0)], ids=["from-the-start", "after-the-headers"])
def test_a_stalled_response_arrives_after_the_fault_is_released(
    server: ApiServer, raw_client: RawClient, fault: Fault
) -> None:
    stall = server.faults.arm(fault)
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(raw_client.get)
        stall.wait()
        assert not reply.done()
        stall.release()
        assert reply.result().names == ["a", "b"]


def test_a_stalled_watch_sends_no_event_until_the_fault_is_released(server: ApiServer, raw_client: RawClient) -> None:
    stall = server.faults.arm(Stall(lines=1), verb="watch")
    with ThreadPoolExecutor() as pool, raw_client.watch() as stream:
        assert stream.read_events(1) == [("ADDED", "a")]
        frame = pool.submit(stream.read_events, 1)
        server.put(build_service("c"))
        assert not frame.done()
        stall.release()
        assert frame.result() == [("ADDED", "b")]


def test_a_cut_fault_breaks_off_a_list_response(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Cut())
    with pytest.raises(IncompleteRead) as raised:
        raw_client.get()
    assert len(raised.value.partial) == raised.value.expected or raised.value.partial.startswith(b'{"kind"')


def test_a_cut_fault_breaks_off_a_watch_within_an_event(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Cut(lines=1))
    with raw_client.watch() as stream:
        assert stream.read_events(1) == [("ADDED", "a")]
        with pytest.raises(IncompleteRead) as raised:
            stream.read_rest()
    assert raised.value.partial.startswith(b'{"type":"ADDED"')
    assert not raised.value.partial.endswith(b"\n")


def test_a_slow_response_is_complete_in_the_end(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Slow(step_bytes=64, every_s=0.0001))
    assert raw_client.get().names == ["a", "b"]


def test_a_released_slow_response_arrives_at_once(server: ApiServer, raw_client: RawClient) -> None:
    slow = server.faults.arm(Slow(step_bytes=1, every_s=60))
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(raw_client.get)
        slow.wait()
        slow.release()
        assert reply.result().names == ["a", "b"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (410, "Expired"),
        (500, "InternalError"),
        (503, "ServiceUnavailable"),
    ],
)
def test_a_refused_request_gets_a_status_object_with_its_reason(
    server: ApiServer, raw_client: RawClient, code: int, reason: str
) -> None:
    server.faults.arm(Refuse(code=code))
    reply = raw_client.get()
    assert (reply.code, reply.body["kind"], reply.body["reason"]) == (code, "Status", reason)


def test_a_refusal_with_429_has_a_retry_after_header(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Refuse(code=429, retry_after_s=7))
    reply = raw_client.get()
    assert (reply.code, reply.headers["Retry-After"]) == (429, "7")
    assert reply.body["details"] == {"retryAfterSeconds": 7}


def test_a_refused_watch_can_be_a_200_with_an_error_event(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Refuse(code=500, framed=True))
    with raw_client.watch() as stream:
        frame, end = stream.read_event(), stream.read_event()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 500, None)


def test_an_html_fault_answers_200_with_an_html_page(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Html())
    reply = raw_client.get()
    assert (reply.code, reply.headers["Content-Type"]) == (200, "text/html")
    assert reply.body.startswith("<html>")


def test_an_armed_truncated_fault_sends_half_of_the_json_in_a_complete_http_response(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.faults.arm(Truncated(), times=2)
    assert raw_client.get().body.startswith('{"kind":"ServiceList"')
    with raw_client.watch() as stream, pytest.raises(json.JSONDecodeError):
        stream.read_event()


@pytest.mark.parametrize("null", [False, True])
def test_an_armed_empty_fault_removes_the_items_from_a_list_response(
    server: ApiServer, raw_client: RawClient, null: bool
) -> None:
    server.faults.arm(Empty(null=null))
    reply = raw_client.get(limit=1)
    assert (reply.code, reply.body["items"]) == (200, None if null else [])
    assert reply.body["metadata"] == {"resourceVersion": str(server.version)}


def test_an_armed_empty_fault_removes_the_items_from_a_streamed_list(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Empty())
    with raw_client.watch(**STREAMED) as stream:
        assert stream.read_events(1) == [("BOOKMARK", str(server.version))]


def test_an_armed_unknown_fault_changes_the_kind_of_a_list(server: ApiServer, raw_client: RawClient) -> None:
    server.faults.arm(Unknown())
    body = raw_client.get().body
    assert (body["kind"], body["apiVersion"], len(body["items"])) == ("FooList", "example.org/v99", 2)


def test_an_armed_unknown_fault_changes_the_kind_of_objects_in_a_watch(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.faults.arm(Unknown())
    with raw_client.watch() as stream:
        frame = stream.read_event()
    assert frame is not None
    assert (frame["object"]["kind"], frame["object"]["apiVersion"]) == ("Foo", "example.org/v99")


def first_listed(raw_client: RawClient) -> object:
    return raw_client.get().body["items"][0]["spec"]


def first_watched(raw_client: RawClient) -> object:
    with raw_client.watch() as stream:
        return spec(stream)


def spec(stream: Stream) -> object:
    frame = stream.read_event()
    assert frame is not None
    return frame["object"]["spec"]


@pytest.mark.parametrize("first", [first_listed, first_watched])
def test_an_armed_spoil_fault_gives_one_object_fields_of_wrong_types_in_one_response(
    server: ApiServer, raw_client: RawClient, first: Callable[[RawClient], object]
) -> None:
    server.faults.arm(Spoil("a", {"spec": {"ports": "eighty", "type": 5}}))
    assert first(raw_client) == {"type": 5, "ports": "eighty"}
    assert first(raw_client) == {"type": "LoadBalancer", "ports": [{"port": 80}]}


def test_waiting_for_an_armed_fault_fails_if_no_request_triggered_it(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fakes.apiserver.arming._TIMEOUT_S", 0)
    with pytest.raises(AssertionError, match=r"Drop.* affected no request"):
        server.faults.arm(Drop()).wait()
