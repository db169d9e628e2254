"""Faults on demand, as a client sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead, RemoteDisconnected

import pytest

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
from tests.fakes.apiserver.probe import IN_SHOP, SERVICES, Probe, Stream, service
from tests.fakes.apiserver.server import ApiServer

STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


@pytest.fixture(autouse=True)
def _objects(server: ApiServer) -> None:
    server.put_all([service("a"), service("b")])


def test_a_fault_hits_so_many_requests_of_its_sort(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Refuse(code=503), verb="list", resource="services", namespace="shop", times=2)
    codes = [probe.get(path).code for path in (SERVICES, f"{IN_SHOP}/a", IN_SHOP, IN_SHOP, IN_SHOP)]
    assert codes == [200, 200, 503, 503, 200]


def test_faults_are_hit_in_the_order_in_which_they_were_armed(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Refuse(code=500))
    server.faults.arm(Refuse(code=503), times=None)
    assert [probe.get().code for _ in range(3)] == [500, 503, 503]
    server.faults.clear()
    assert probe.get().code == 200


def test_discovery_has_faults_of_its_own(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Refuse(code=500), resource="")
    assert (probe.get().code, probe.get("/api").code) == (200, 500)


def test_a_dropped_connection_says_nothing(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Drop())
    with pytest.raises(RemoteDisconnected):
        probe.get()


@pytest.mark.parametrize(("worked", "code"), [(False, 404), (True, 200)])
def test_a_write_whose_answer_is_lost_may_or_may_not_have_been_made(
    server: ApiServer, probe: Probe, worked: bool, code: int
) -> None:
    server.faults.arm(Drop(worked=worked), verb="create")
    with pytest.raises(RemoteDisconnected):
        probe.ask("POST", IN_SHOP, service("c"))
    assert probe.get(f"{IN_SHOP}/c").code == code


@pytest.mark.parametrize("fault", [Stall(), Stall(lines=0)], ids=["from-the-start", "after-the-headers"])
def test_a_stalled_answer_comes_once_released(server: ApiServer, probe: Probe, fault: Fault) -> None:
    stall = server.faults.arm(fault)
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(probe.get)
        stall.wait()
        assert not reply.done()
        stall.release()
        assert reply.result().names == ["a", "b"]


def test_a_watch_may_go_silent(server: ApiServer, probe: Probe) -> None:
    stall = server.faults.arm(Stall(lines=1), verb="watch")
    with ThreadPoolExecutor() as pool, probe.watch() as stream:
        assert stream.brief(1) == [("ADDED", "a")]
        frame = pool.submit(stream.brief, 1)
        server.put(service("c"))
        assert not frame.done()
        stall.release()
        assert frame.result() == [("ADDED", "b")]


def test_a_list_is_cut_in_the_middle(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Cut())
    with pytest.raises(IncompleteRead) as raised:
        probe.get()
    assert len(raised.value.partial) == raised.value.expected or raised.value.partial.startswith(b'{"kind"')


def test_a_watch_is_cut_in_the_middle_of_a_line(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Cut(lines=1))
    with probe.watch() as stream:
        assert stream.brief(1) == [("ADDED", "a")]
        with pytest.raises(IncompleteRead) as raised:
            stream.rest()
    assert raised.value.partial.startswith(b'{"type":"ADDED"')
    assert not raised.value.partial.endswith(b"\n")


def test_a_slow_answer_is_whole_in_the_end(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Slow(step_bytes=64, every_s=0.0001))
    assert probe.get().names == ["a", "b"]


def test_a_slow_answer_can_be_released(server: ApiServer, probe: Probe) -> None:
    slow = server.faults.arm(Slow(step_bytes=1, every_s=60))
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(probe.get)
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
def test_a_refusal_is_a_status(server: ApiServer, probe: Probe, code: int, reason: str) -> None:
    server.faults.arm(Refuse(code=code))
    reply = probe.get()
    assert (reply.code, reply.body["kind"], reply.body["reason"]) == (code, "Status", reason)


def test_too_many_requests_say_when_to_come_again(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Refuse(code=429, retry_after_s=7))
    reply = probe.get()
    assert (reply.code, reply.headers["Retry-After"]) == (429, "7")
    assert reply.body["details"] == {"retryAfterSeconds": 7}


def test_a_refusal_of_a_watch_may_be_a_frame(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Refuse(code=500, framed=True))
    with probe.watch() as stream:
        frame, end = stream.frame(), stream.frame()
    assert frame is not None
    assert (stream.code, frame["type"], frame["object"]["code"], end) == (200, "ERROR", 500, None)


def test_a_proxy_may_answer_html(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Html())
    reply = probe.get()
    assert (reply.code, reply.headers["Content-Type"]) == (200, "text/html")
    assert reply.body.startswith("<html>")


def test_json_may_be_truncated_without_http_noticing(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Truncated(), times=2)
    assert probe.get().body.startswith('{"kind":"ServiceList"')
    with probe.watch() as stream, pytest.raises(json.JSONDecodeError):
        stream.frame()


@pytest.mark.parametrize("null", [False, True])
def test_a_list_may_be_empty_by_mistake(server: ApiServer, probe: Probe, null: bool) -> None:
    server.faults.arm(Empty(null=null))
    reply = probe.get(limit=1)
    assert (reply.code, reply.body["items"]) == (200, None if null else [])
    assert reply.body["metadata"] == {"resourceVersion": str(server.version)}


def test_a_streamed_list_may_be_empty_by_mistake(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Empty())
    with probe.watch(**STREAMED) as stream:
        assert stream.brief(1) == [("BOOKMARK", str(server.version))]


def test_the_kind_of_a_list_may_be_unknown(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Unknown())
    body = probe.get().body
    assert (body["kind"], body["apiVersion"], len(body["items"])) == ("FooList", "example.org/v99", 2)


def test_the_kind_in_a_watch_may_be_unknown(server: ApiServer, probe: Probe) -> None:
    server.faults.arm(Unknown())
    with probe.watch() as stream:
        frame = stream.frame()
    assert frame is not None
    assert (frame["object"]["kind"], frame["object"]["apiVersion"]) == ("Foo", "example.org/v99")


def first_listed(probe: Probe) -> object:
    return probe.get().body["items"][0]["spec"]


def first_watched(probe: Probe) -> object:
    with probe.watch() as stream:
        return spec(stream)


def spec(stream: Stream) -> object:
    frame = stream.frame()
    assert frame is not None
    return frame["object"]["spec"]


@pytest.mark.parametrize("first", [first_listed, first_watched])
def test_one_object_may_have_fields_of_wrong_types(
    server: ApiServer, probe: Probe, first: Callable[[Probe], object]
) -> None:
    server.faults.arm(Spoil("a", {"spec": {"ports": "eighty", "type": 5}}))
    assert first(probe) == {"type": 5, "ports": "eighty"}
    assert first(probe) == {"type": "LoadBalancer", "ports": [{"port": 80}]}


def test_a_fault_that_nobody_met_fails_the_test_that_waits_for_it(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fakes.apiserver.arming._PATIENCE_S", 0)
    with pytest.raises(AssertionError, match="nobody ran into Drop"):
        server.faults.arm(Drop()).wait()
