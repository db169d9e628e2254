"""Conformance tests of reads and watches of a Kubernetes API server, run against the fake and the real server.

If the two differ, the fake is wrong. Both serve Things, which a CRD defines. Built-in kinds, faults and access control
of the fake are tested in its own tests.
"""

from __future__ import annotations

from http.client import HTTPException

import pytest

from tests.conformance.apiserver import ALL, Rig, build_thing, check_success
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.raw_client import MERGE
from tests.fakes.apiserver.server import ApiServer
from tests.kubernetes.kinds import THING

# Lists


def test_an_empty_list_has_a_resource_version_and_no_items(api: Rig) -> None:
    body = api.raw_client.get(api.path).body
    assert (body["kind"], body["apiVersion"], body["items"]) == ("ThingList", "acme.test/v1", [])
    assert body["metadata"] == {"continue": "", "resourceVersion": str(api.server.version)}


def test_list_items_include_their_kind_and_are_sorted_by_namespace_and_name(api: Rig) -> None:
    other = Rig.with_new_namespace(
        api.server, api.raw_client
    )  # its name sorts after that of the first namespace, since both counters have the same number of digits
    other.create("a")
    for name in ("b", "a-b", "a", "a.b"):
        api.create(name)
    items = [
        item
        for item in api.raw_client.get(ALL).body["items"]
        if item["metadata"]["namespace"] in {api.namespace, other.namespace}
    ]
    assert {(item["kind"], item["apiVersion"]) for item in items} == {("Thing", "acme.test/v1")}
    ours = [item["metadata"]["name"] for item in items if item["metadata"]["namespace"] == api.namespace]
    assert ours == ["a", "a-b", "a.b", "b"]
    assert items == sorted(items, key=lambda item: f"{item['metadata']['namespace']}/{item['metadata']['name']}")


def test_later_list_pages_show_the_objects_as_of_the_first_page(api: Rig) -> None:
    for name in "abcde":
        api.create(name)
    first = api.raw_client.get(api.path, limit=2)
    assert first.names == ["a", "b"]
    assert first.body["metadata"]["remainingItemCount"] == 3
    api.server.delete("Thing", api.namespace, "c")
    api.create("bb")
    second = api.raw_client.get(api.path, limit=2, **{"continue": first.body["metadata"]["continue"]})
    third = api.raw_client.get(api.path, limit=2, **{"continue": second.body["metadata"]["continue"]})
    assert (second.names, third.names) == (["c", "d"], ["e"])
    assert second.body["metadata"]["remainingItemCount"] == 1
    assert {first.version, second.version, third.version} == {first.version}
    assert third.body["metadata"] == {"continue": "", "resourceVersion": first.version}
    assert api.raw_client.get(api.path).names == ["a", "b", "bb", "d", "e"]


def test_a_list_page_with_a_label_selector_has_no_remaining_item_count(api: Rig) -> None:
    for name in "abc":
        api.create(name, labels={"app": "x"})
    page = api.raw_client.get(api.path, limit=2, labelSelector="app=x")
    assert page.names == ["a", "b"]
    assert page.body["metadata"].keys() == {"continue", "resourceVersion"}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        pytest.param({"labelSelector": "app=x"}, ["a", "b"], id="equal"),
        pytest.param({"labelSelector": "app!=x"}, ["c", "d"], id="not-equal-holds-without-the-label"),
        pytest.param({"labelSelector": "app in (x,y),tier"}, ["b"], id="set-and-present"),
        pytest.param({"labelSelector": "app notin (x)"}, ["c", "d"], id="not-in"),
        pytest.param({"labelSelector": "!app"}, ["d"], id="absent"),
        pytest.param({"fieldSelector": "metadata.name=b"}, ["b"], id="name"),
        pytest.param({"fieldSelector": "metadata.namespace=nowhere"}, [], id="namespace"),
        pytest.param({"resourceVersion": "0", "limit": 1}, ["a", "b", "c", "d"], id="version-0-has-no-pages"),
    ],
)
def test_a_list_with_a_selector_returns_only_matching_objects(
    api: Rig, query: dict[str, object], names: list[str]
) -> None:
    labels = {"a": {"app": "x"}, "b": {"app": "x", "tier": "1"}, "c": {"app": "y"}, "d": {}}
    for name, chosen in labels.items():
        api.create(name, labels=chosen)
    newest = {"resourceVersion": api.server.version, "resourceVersionMatch": "NotOlderThan"}
    assert api.raw_client.get(api.path, **newest).names == list("abcd")  # a cache has seen all of them
    assert api.raw_client.get(api.path, **query).names == names


def test_a_list_at_an_exact_resource_version_shows_the_objects_of_that_time(api: Rig) -> None:
    then = api.create("a")["metadata"]["resourceVersion"]
    api.create("b")
    api.server.delete("Thing", api.namespace, "a")
    past = api.raw_client.get(api.path, resourceVersion=then, resourceVersionMatch="Exact")
    assert (past.names, past.version) == (["a"], then)
    newer = api.raw_client.get(api.path, resourceVersion=then, resourceVersionMatch="NotOlderThan")
    assert (newer.names, newer.version) == (["b"], str(api.server.version))


@pytest.mark.parametrize("match", ["Exact", "NotOlderThan"])
def test_a_list_at_a_future_resource_version_fails_with_status_504(api: Rig, match: str) -> None:
    now = api.server.version
    reply = api.raw_client.get(api.path, resourceVersion=now + 1000, resourceVersionMatch=match)
    assert reply.code == 504
    assert reply.body["reason"] == "Timeout"
    assert reply.body["message"].startswith(f"Timeout: Too large resource version: {now + 1000}, current: ")
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    assert reply.body["details"] == {"causes": [cause], "retryAfterSeconds": 1}


# Watches


def test_a_watch_reports_all_changes_since_its_resource_version(api: Rig) -> None:
    then = api.raw_client.get(api.path).version
    api.create("a", labels={"app": "x"})
    Rig.with_new_namespace(api.server, api.raw_client).create("elsewhere")
    check_success(api.patch("a", {"metadata": {"labels": {"app": "y"}}}, MERGE))
    with api.raw_client.watch(api.path, resourceVersion=then) as stream:
        assert stream.read_events(2) == [("ADDED", "a"), ("MODIFIED", "a")]
        api.server.delete("Thing", api.namespace, "a")
        deleted = stream.read_event()
    assert deleted is not None
    assert deleted["type"] == "DELETED"
    assert deleted["object"]["metadata"]["resourceVersion"] == str(api.server.version)
    assert deleted["object"]["metadata"]["labels"] == {"app": "y"}


def test_a_watch_with_a_selector_reports_an_object_that_no_longer_matches_as_deleted(api: Rig) -> None:
    then = api.create("a", labels={"app": "x"})["metadata"]["resourceVersion"]
    for value in ("y", "x"):
        check_success(api.patch("a", {"metadata": {"labels": {"app": value}}}, MERGE))
    with api.raw_client.watch(api.path, resourceVersion=then, labelSelector="app=x") as stream:
        gone, back = stream.read_event(), stream.read_event()
    assert gone is not None
    assert back is not None
    assert (gone["type"], gone["object"]["metadata"]["labels"]) == ("DELETED", {"app": "x"})
    assert (back["type"], back["object"]["metadata"]["labels"]) == ("ADDED", {"app": "x"})
    assert int(gone["object"]["metadata"]["resourceVersion"]) == int(back["object"]["metadata"]["resourceVersion"]) - 1


@pytest.mark.parametrize("query", [{}, {"resourceVersion": "0"}], ids=["no-version", "version-0"])
def test_a_watch_without_resource_version_first_reports_existing_objects_as_added(
    api: Rig, query: dict[str, object]
) -> None:
    for name in ("b", "a"):
        api.create(name)
    api.raw_client.get(api.path, resourceVersion=api.server.version, resourceVersionMatch="NotOlderThan")
    with api.raw_client.watch(api.path, **query) as stream:
        assert sorted(stream.read_events(2)) == [("ADDED", "a"), ("ADDED", "b")]
        api.create("c")
        assert stream.read_events(1) == [("ADDED", "c")]


def test_a_watch_ends_without_error_after_its_timeout_and_sends_bookmarks_only_if_they_are_allowed(api: Rig) -> None:
    query = {"resourceVersion": api.server.version, "timeoutSeconds": 5}
    with (
        api.raw_client.watch(api.path, **query) as silent,
        api.raw_client.watch(api.path, **query, allowWatchBookmarks="true") as stream,
    ):
        Rig.with_new_namespace(api.server, api.raw_client).create("elsewhere")
        frames = list(iter(stream.read_event, None))
        assert silent.read_event() is None
    versions = [int(frame["object"]["metadata"]["resourceVersion"]) for frame in frames]
    shape = {"apiVersion": "acme.test/v1", "kind": "Thing"}
    assert frames == [
        {"type": "BOOKMARK", "object": shape | {"metadata": {"resourceVersion": str(version)}}} for version in versions
    ]
    assert versions
    assert query["resourceVersion"] < versions[0] <= versions[-1] <= api.server.version


def test_a_watch_from_a_future_resource_version_sends_nothing_until_that_version(api: Rig) -> None:
    future = api.server.version + 2
    with api.raw_client.watch(api.path, resourceVersion=future, timeoutSeconds=2) as stream:
        versions = {name: int(api.create(name)["metadata"]["resourceVersion"]) for name in "abc"}
        later = [("ADDED", name) for name, version in versions.items() if version > future]
        assert ("ADDED", "c") in later
        assert stream.read_events(len(later) + 1) == [*later, ("END", "")]


@pytest.mark.parametrize("mode", [WatchList.SERVED, WatchList.REFUSED_BY_STORE])
def test_a_watch_with_initial_events_sends_a_bookmark_after_them_or_fails_if_unsupported(
    api: Rig, mode: WatchList
) -> None:
    if isinstance(api.server, ApiServer):
        api.server.api.watch_list = mode
    for name in ("b", "a"):
        api.create(name)
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    with api.raw_client.watch(api.path, **query) as stream:
        first = stream.read_event()
        assert first is not None
        if first["type"] == "ERROR":
            assert (first["object"]["code"], first["object"]["reason"]) == (500, "InternalError")
            assert first["object"]["message"].endswith("required storage feature RequestWatchProgress is disabled")
            assert stream.read_event() is None
        else:
            assert stream.read_events(1)[0][0] == "ADDED"
            end = stream.read_event()
            assert end is not None
            assert end["type"] == "BOOKMARK"
            assert end["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


# Restarts and history


def test_watches_lists_and_continue_tokens_with_expired_resource_versions_get_status_410(own_api: Rig) -> None:
    for name in "abc":
        own_api.create(name)
    page = own_api.raw_client.get(own_api.path, limit=1)
    own_api.server.expire()
    with own_api.raw_client.watch(own_api.path, resourceVersion=page.version) as stream:
        frame, end = stream.read_event(), stream.read_event()
    assert frame is not None
    assert end is None
    assert frame["type"] == "ERROR"
    assert (frame["object"]["code"], frame["object"]["reason"]) == (410, "Expired")
    assert frame["object"]["message"] == f"too old resource version: {page.version} ({own_api.server.version})"
    past = own_api.raw_client.get(own_api.path, resourceVersion=page.version, resourceVersionMatch="Exact")
    assert (past.code, past.body["reason"]) == (410, "Expired")
    late = own_api.raw_client.get(own_api.path, limit=1, **{"continue": page.body["metadata"]["continue"]})
    assert (late.code, late.body["reason"]) == (410, "Expired")
    on = own_api.raw_client.get(own_api.path, limit=1, **{"continue": late.body["metadata"]["continue"]})
    assert (on.names, on.version) == (["b"], str(own_api.server.version))


def test_a_killed_api_server_cuts_watches_and_refuses_connections_until_it_is_started(own_api: Rig) -> None:
    own_api.create("a")
    with own_api.raw_client.watch(own_api.path, resourceVersion=own_api.server.version) as stream:
        own_api.server.kill()
        with pytest.raises((OSError, HTTPException, ValueError)):
            stream.read_rest()
    with pytest.raises(ConnectionRefusedError):
        own_api.raw_client.get(own_api.path)
    own_api.server.start()
    assert own_api.raw_client.get(own_api.path).names == ["a"]


def test_an_api_server_restarted_with_a_new_history_has_lower_resource_versions_and_the_same_objects(
    own_api: Rig,
) -> None:
    made = own_api.create("a")
    for number in range(20):
        own_api.server.put(build_thing("a", namespace=own_api.namespace, spec={"number": number}))
    old = own_api.server.version
    own_api.server.restart()
    assert own_api.server.version < old
    again = own_api.server.get("Thing", own_api.namespace, "a")
    assert again is not None
    assert again["metadata"]["uid"] == made["metadata"]["uid"]
    own_api.server.put(build_thing("b", namespace=own_api.namespace))
    assert own_api.read_events(own_api.path, 1, resourceVersion=old, timeoutSeconds=1) == [("END", "")]


def test_after_a_crd_is_deleted_its_watches_end_and_its_path_gets_status_404(own_api: Rig) -> None:
    own_api.create("a")
    with own_api.raw_client.watch(own_api.path, resourceVersion=own_api.server.version) as stream:
        own_api.server.unregister("Thing")
        assert stream.read_events(2) == [("DELETED", "a"), ("END", "")]
    reply = own_api.raw_client.get(own_api.path)
    assert (reply.code, reply.body, reply.headers["Content-Type"]) == (
        404,
        "404 page not found\n",
        "text/plain; charset=utf-8",
    )
    own_api.server.register(THING)
    assert own_api.raw_client.get(own_api.path).names == []
