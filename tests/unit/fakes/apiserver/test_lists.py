"""Lists (Kubernetes API concepts: "Retrieving large results sets in chunks", "Semantics for get and list")."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.apiserver.raw_client import IN_SHOP, RawClient, build_service
from tests.fakes.apiserver.server import ApiServer
from tests.unit.fakes.apiserver.http_routes import build_route

ROUTES = "/apis/gateway.networking.k8s.io/v1/httproutes"


def test_listed_items_are_in_the_order_of_etcd_keys(server: ApiServer, raw_client: RawClient) -> None:
    server.put_all(
        [build_service("b", "x"), build_service("a", "x-y"), build_service("z", "a"), build_service("a", "x")]
    )
    items = raw_client.get().body["items"]
    placed = [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in items]
    assert placed == [("a", "z"), ("x-y", "a"), ("x", "a"), ("x", "b")]


def test_a_list_of_a_namespace_contains_only_its_objects(server: ApiServer, raw_client: RawClient) -> None:
    server.put_all([build_service("a", "shop"), build_service("b", "shop-2")])
    assert raw_client.get(IN_SHOP).names == ["a"]


def test_only_items_of_custom_kinds_contain_their_kind_in_a_list(server: ApiServer, raw_client: RawClient) -> None:
    server.put(build_service("a"))
    server.put(build_route("r"))
    core, custom = raw_client.get().body, raw_client.get(ROUTES).body
    assert (core["kind"], core["apiVersion"]) == ("ServiceList", "v1")
    assert "kind" not in core["items"][0]
    assert "apiVersion" not in core["items"][0]
    assert (custom["items"][0]["kind"], custom["kind"]) == ("HTTPRoute", "HTTPRouteList")


def test_an_empty_list_has_an_items_array_and_a_resource_version(raw_client: RawClient) -> None:
    body = raw_client.get().body
    assert body["items"] == []
    assert int(body["metadata"]["resourceVersion"]) > 0


def test_listed_objects_have_the_metadata_that_a_server_sets(server: ApiServer, raw_client: RawClient) -> None:
    server.put(build_service("a"))
    metadata = raw_client.get().body["items"][0]["metadata"]
    assert {"uid", "resourceVersion", "creationTimestamp", "managedFields"} <= metadata.keys()


def pages(raw_client: RawClient, **query: object) -> list[Any]:
    found = [raw_client.get(**query)]
    while token := found[-1].body["metadata"].get("continue"):
        found.append(raw_client.get(**query | {"continue": token}))
    return found


def test_all_pages_of_a_list_show_the_version_of_the_first_page(server: ApiServer, raw_client: RawClient) -> None:
    server.put_all([build_service(name) for name in "abcde"])
    first = raw_client.get(limit=2)
    server.delete("Service", "shop", "c")
    server.put(build_service("d", changed="yes"))
    server.put(build_service("bb"))
    second = raw_client.get(limit=9, **{"continue": first.body["metadata"]["continue"]})
    assert second.names == ["c", "d", "e"]
    assert second.version == first.version
    assert "labels" not in second.body["items"][1]["metadata"]


def test_list_pages_state_a_remaining_item_count_unless_a_selector_is_used(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.put_all([build_service(name, app="x") for name in "abcde"])
    whole = pages(raw_client, limit=2)
    assert [page.names for page in whole] == [["a", "b"], ["c", "d"], ["e"]]
    assert [page.body["metadata"].get("remainingItemCount") for page in whole] == [3, 1, None]
    selected = pages(raw_client, limit=2, labelSelector="app=x")
    assert [page.names for page in selected] == [["a", "b"], ["c", "d"], ["e"]]
    assert {page.body["metadata"].get("remainingItemCount") for page in selected} == {None}


def test_an_expired_continue_token_gets_a_410_with_a_token_to_continue_with_newer_objects(
    server: ApiServer, raw_client: RawClient
) -> None:
    server.put_all([build_service(name) for name in "abcd"])
    token = raw_client.get(limit=2).body["metadata"]["continue"]
    server.expire()
    gone = raw_client.get(limit=2, **{"continue": token})
    assert (gone.code, gone.body["reason"]) == (410, "Expired")
    server.put(build_service("cc"))
    on = raw_client.get(limit=9, **{"continue": gone.body["metadata"]["continue"]})
    assert on.names == ["c", "cc", "d"]


def test_a_list_at_version_zero_ignores_the_page_limit(server: ApiServer, raw_client: RawClient) -> None:
    server.put_all([build_service(name) for name in "abc"])
    assert raw_client.get(limit=1, resourceVersion=0).names == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({}, ["a", "b"], id="unset-is-the-latest"),
        pytest.param({"resourceVersionMatch": "Exact"}, ["a"], id="exact"),
        pytest.param({"limit": 9}, ["a"], id="a-limit-makes-it-exact"),
        pytest.param({"limit": 9, "resourceVersionMatch": "NotOlderThan"}, ["a", "b"], id="unless-not-older-than"),
    ],
)
def test_resource_version_and_match_decide_whether_a_list_is_exact_or_newer(
    server: ApiServer, raw_client: RawClient, query: dict[str, object], expected: list[str]
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.put(build_service("b"))
    assert raw_client.get(resourceVersion=version, **query).names == expected


def test_listing_at_an_expired_resource_version_gets_a_410_only_if_it_must_be_exact(
    server: ApiServer, raw_client: RawClient
) -> None:
    version = server.put(build_service("a"))["metadata"]["resourceVersion"]
    server.expire()
    exact = raw_client.get(resourceVersion=version, resourceVersionMatch="Exact")
    assert (exact.code, exact.body["reason"]) == (410, "Expired")
    assert raw_client.get(resourceVersion=version).names == ["a"]


def test_listing_at_a_future_resource_version_gets_a_timeout_with_the_cause(raw_client: RawClient) -> None:
    reply = raw_client.get(resourceVersion=10**9)
    assert (reply.code, reply.body["reason"], reply.headers["Retry-After"]) == (504, "Timeout", "1")
    assert reply.body["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


@pytest.mark.parametrize(
    ("query", "code", "reason"),
    [
        pytest.param({"resourceVersion": "abc"}, 400, "BadRequest", id="version-is-no-number"),
        pytest.param({"limit": "abc"}, 400, "BadRequest", id="limit-is-no-number"),
        pytest.param({"continue": "abc"}, 400, "BadRequest", id="invalid-continue-token"),
        pytest.param({"continue": "abc", "resourceVersion": 5}, 400, "BadRequest", id="token-and-version"),
        pytest.param({"labelSelector": "a=b=c"}, 400, "BadRequest", id="selector"),
        pytest.param({"fieldSelector": "spec.type=x"}, 400, "BadRequest", id="field-without-index"),
        pytest.param({"resourceVersionMatch": "Exact"}, 422, "Invalid", id="match-without-version"),
        pytest.param({"resourceVersion": 5, "resourceVersionMatch": "x"}, 422, "Invalid", id="unknown-match"),
        pytest.param({"resourceVersion": 0, "resourceVersionMatch": "Exact"}, 422, "Invalid", id="exact-version-zero"),
        pytest.param({"sendInitialEvents": "true"}, 422, "Invalid", id="initial-events-of-a-list"),
    ],
)
def test_an_invalid_list_query_is_refused_with_a_reason(
    raw_client: RawClient, query: dict[str, object], code: int, reason: str
) -> None:
    reply = raw_client.get(**query)
    assert (reply.code, reply.body["kind"], reply.body["reason"]) == (code, "Status", reason)


def test_fifty_thousand_objects_are_listed_in_pages(server: ApiServer, raw_client: RawClient) -> None:
    server.put_all(build_service(f"s{number:05}", f"n{number % 10}") for number in range(50_000))
    first = raw_client.get(limit=500)
    assert len(first.names) == 500
    assert first.body["metadata"]["remainingItemCount"] == 49_500
