"""Lists, by "Retrieving large results sets in chunks" and "Semantics for get and list" of the API concepts page."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver.probe import IN_SHOP, Probe, route, service
from tests.fakes.apiserver.server import ApiServer

ROUTES = "/apis/gateway.networking.k8s.io/v1/httproutes"


def test_items_are_ordered_as_etcd_orders_their_keys(server: ApiServer, probe: Probe) -> None:
    server.put_all([service("b", "x"), service("a", "x-y"), service("z", "a"), service("a", "x")])
    items = probe.get().body["items"]
    placed = [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in items]
    assert placed == [("a", "z"), ("x-y", "a"), ("x", "a"), ("x", "b")]


def test_a_namespace_is_listed_alone(server: ApiServer, probe: Probe) -> None:
    server.put_all([service("a", "shop"), service("b", "shop-2")])
    assert probe.get(IN_SHOP).names == ["a"]


def test_items_of_a_core_list_do_not_say_their_kind_but_custom_ones_do(server: ApiServer, probe: Probe) -> None:
    server.put(service("a"))
    server.put(route("r"))
    core, custom = probe.get().body, probe.get(ROUTES).body
    assert (core["kind"], core["apiVersion"]) == ("ServiceList", "v1")
    assert "kind" not in core["items"][0]
    assert "apiVersion" not in core["items"][0]
    assert (custom["items"][0]["kind"], custom["kind"]) == ("HTTPRoute", "HTTPRouteList")


def test_an_empty_list_has_items_and_a_version(probe: Probe) -> None:
    body = probe.get().body
    assert body["items"] == []
    assert int(body["metadata"]["resourceVersion"]) > 0


def test_objects_carry_what_a_server_fills_in(server: ApiServer, probe: Probe) -> None:
    server.put(service("a"))
    metadata = probe.get().body["items"][0]["metadata"]
    assert {"uid", "resourceVersion", "creationTimestamp", "managedFields"} <= metadata.keys()


def pages(probe: Probe, **query: object) -> list[Any]:
    found = [probe.get(**query)]
    while token := found[-1].body["metadata"].get("continue"):
        found.append(probe.get(**query | {"continue": token}))
    return found


def test_pages_are_of_one_version_whatever_happens_between_them(server: ApiServer, probe: Probe) -> None:
    server.put_all([service(name) for name in "abcde"])
    first = probe.get(limit=2)
    server.delete("Service", "shop", "c")
    server.put(service("d", changed="yes"))
    server.put(service("bb"))
    second = probe.get(limit=9, **{"continue": first.body["metadata"]["continue"]})
    assert second.names == ["c", "d", "e"]
    assert second.version == first.version
    assert "labels" not in second.body["items"][1]["metadata"]


def test_pages_say_how_many_items_remain_unless_something_is_selected(server: ApiServer, probe: Probe) -> None:
    server.put_all([service(name, app="x") for name in "abcde"])
    whole = pages(probe, limit=2)
    assert [page.names for page in whole] == [["a", "b"], ["c", "d"], ["e"]]
    assert [page.body["metadata"].get("remainingItemCount") for page in whole] == [3, 1, None]
    selected = pages(probe, limit=2, labelSelector="app=x")
    assert [page.names for page in selected] == [["a", "b"], ["c", "d"], ["e"]]
    assert {page.body["metadata"].get("remainingItemCount") for page in selected} == {None}


def test_an_expired_token_is_410_with_one_that_goes_on_inconsistently(server: ApiServer, probe: Probe) -> None:
    server.put_all([service(name) for name in "abcd"])
    token = probe.get(limit=2).body["metadata"]["continue"]
    server.expire()
    gone = probe.get(limit=2, **{"continue": token})
    assert (gone.code, gone.body["reason"]) == (410, "Expired")
    server.put(service("cc"))
    on = probe.get(limit=9, **{"continue": gone.body["metadata"]["continue"]})
    assert on.names == ["c", "cc", "d"]


def test_version_zero_is_answered_by_the_watch_cache_which_knows_no_pages(server: ApiServer, probe: Probe) -> None:
    server.put_all([service(name) for name in "abc"])
    assert probe.get(limit=1, resourceVersion=0).names == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({}, ["a", "b"], id="unset-is-the-latest"),
        pytest.param({"resourceVersionMatch": "Exact"}, ["a"], id="exact"),
        pytest.param({"limit": 9}, ["a"], id="a-limit-makes-it-exact"),
        pytest.param({"limit": 9, "resourceVersionMatch": "NotOlderThan"}, ["a", "b"], id="unless-not-older-than"),
    ],
)
def test_a_version_is_exact_or_the_least(
    server: ApiServer, probe: Probe, query: dict[str, object], expected: list[str]
) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.put(service("b"))
    assert probe.get(resourceVersion=version, **query).names == expected


def test_an_exact_version_that_is_forgotten_is_410_while_any_newer_one_will_do(server: ApiServer, probe: Probe) -> None:
    version = server.put(service("a"))["metadata"]["resourceVersion"]
    server.expire()
    exact = probe.get(resourceVersion=version, resourceVersionMatch="Exact")
    assert (exact.code, exact.body["reason"]) == (410, "Expired")
    assert probe.get(resourceVersion=version).names == ["a"]


def test_a_version_still_to_come_is_a_timeout_that_names_the_cause(probe: Probe) -> None:
    reply = probe.get(resourceVersion=10**9)
    assert (reply.code, reply.body["reason"], reply.headers["Retry-After"]) == (504, "Timeout", "1")
    assert reply.body["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


@pytest.mark.parametrize(
    ("query", "code", "reason"),
    [
        pytest.param({"resourceVersion": "abc"}, 400, "BadRequest", id="version-is-no-number"),
        pytest.param({"limit": "abc"}, 400, "BadRequest", id="limit-is-no-number"),
        pytest.param({"continue": "abc"}, 400, "BadRequest", id="token-of-somebody-else"),
        pytest.param({"continue": "abc", "resourceVersion": 5}, 400, "BadRequest", id="token-and-version"),
        pytest.param({"labelSelector": "a=b=c"}, 400, "BadRequest", id="selector"),
        pytest.param({"fieldSelector": "spec.type=x"}, 400, "BadRequest", id="field-without-index"),
        pytest.param({"resourceVersionMatch": "Exact"}, 422, "Invalid", id="match-without-version"),
        pytest.param({"resourceVersion": 5, "resourceVersionMatch": "x"}, 422, "Invalid", id="unknown-match"),
        pytest.param({"resourceVersion": 0, "resourceVersionMatch": "Exact"}, 422, "Invalid", id="exactly-zero"),
        pytest.param({"sendInitialEvents": "true"}, 422, "Invalid", id="initial-events-of-a-list"),
    ],
)
def test_a_query_that_makes_no_sense_is_refused(probe: Probe, query: dict[str, object], code: int, reason: str) -> None:
    reply = probe.get(**query)
    assert (reply.code, reply.body["kind"], reply.body["reason"]) == (code, "Status", reason)


def test_fifty_thousand_objects_are_no_matter(server: ApiServer, probe: Probe) -> None:
    server.put_all(service(f"s{number:05}", f"n{number % 10}") for number in range(50_000))
    first = probe.get(limit=500)
    assert len(first.names) == 500
    assert first.body["metadata"]["remainingItemCount"] == 49_500
