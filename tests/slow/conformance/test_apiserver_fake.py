"""The fake API server answers as real ones do: the same requests are sent to both, and the answers compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.apiserver import ALL, Rig, build_thing, check_success
from tests.fakes.apiserver.kinds import NAMESPACE
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.patches import apply_merge_patch
from tests.fakes.apiserver.raw_client import APPLY, MERGE, RawClient
from tests.fakes.apiserver.server import ApiServer
from tests.kubernetes.cluster import Cluster
from tests.kubernetes.kinds import THING
from tests.slow.conformance.apiscripts import LATEST, STEPS, Step

JSON: Final = "application/json"
QUOTING_A_DECODER: Final = {400, 406, 415, 500}
"""Status codes whose messages come from a decoder and may differ."""
QUOTING_VERSIONS: Final = {410, 504}
"""Status codes whose messages contain resourceVersions, and are compared without numbers."""
LAST: Final = "last"
LISTED: Final = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


class Side:
    """One of the two servers. Numbers uids and resourceVersions in answers, so that both can be compared.

    Attributes:
        owners: whether `managedFields` are compared. The fake does not compute owners of empty maps exactly.
    """

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.owners = False
        self._known: dict[str, dict[str, str]] = {"uid": {}, "resourceVersion": {}}

    def send(self, step: Step) -> object:
        """Send *step*, and return the answer without what may differ between the servers."""
        path = f"{self.rig.path}{step.at}"
        reply = self.rig.raw_client.send(step.method, path, self._fill_in(step), content_type=step.content_type)
        return reply.code, self.show(reply.body)

    def get(self, **query: object) -> Any:  # noqa: ANN401 - any JSON
        """Return the list of Things without what may differ."""
        return self.show(self.rig.raw_client.get(self.rig.path, **query).body)

    def watch(self, *, until: str = "", **query: object) -> list[object]:
        """Return the events of a watch, up to that of the object *until*, or to its end."""
        frames: list[object] = []
        with self.rig.raw_client.watch(self.rig.path, **query) as stream:
            while (frame := stream.read_event()) is not None:
                frames.append(self.show(frame))
                if frame["object"]["metadata"].get("name", "") == until != "":
                    break
        return frames

    def show(self, value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON
        """Return *value* without times, and with uids and resourceVersions numbered in order."""
        match key, value:
            case (("creationTimestamp" | "deletionTimestamp" | "continue"), str()):
                return bool(value)
            case (("uid" | "resourceVersion"), str()):
                return self._known[key].setdefault(value, f"{key} {len(self._known[key])}")
            case _, {"kind": "Status", "code": code} if code in QUOTING_A_DECODER:
                return value | {"message": ""}
            case _, {"kind": "Status", "code": code, "message": message} if code in QUOTING_VERSIONS:
                return value | {"message": re.sub(r"\d+", "N", message), "metadata": {}}
            case "managedFields", list():
                entries = [self.show(entry | {"time": ""}) for entry in value]  # one without changes has no time
                return sorted(entries, key=str)
            case _, dict():
                return {
                    inner: self.show(body, inner)
                    for inner, body in sorted(value.items())
                    if (inner != "managedFields" or self.owners) and (inner, body) != ("details", {})
                }
            case _, list():
                return [self.show(item) for item in value]
            case _, _:
                return value

    def _fill_in(self, step: Step) -> object:
        body = step.body
        if not isinstance(body, dict):
            return body
        name = step.at.removeprefix("/").split("/")[0].split("?")[0]
        there = (name and self.rig.server.get("Thing", self.rig.namespace, name)) or {}
        metadata = body.get("metadata")
        if isinstance(metadata, dict) and metadata.get("resourceVersion") == LATEST:
            version = there.get("metadata", {}).get("resourceVersion", "5")
            body = body | {"metadata": metadata | {"resourceVersion": version}}
        return apply_merge_patch(there, body) if step.onto else body


Sides = Callable[[], tuple[Side, Side]]


@pytest.fixture
def sides(any_version: Cluster) -> Iterator[Sides]:
    """Return a function that makes the same empty namespace in the fake and in a real cluster."""
    with ApiServer(kinds=[NAMESPACE, THING]) as server:
        server.api.watch_list = WatchList.SERVED if any_version.streams_lists else WatchList.GATED

        def make() -> tuple[Side, Side]:
            real = Rig.with_new_namespace(any_version, any_version.raw_client)
            server.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": real.namespace}})
            return Side(Rig(server=server, raw_client=RawClient(server), namespace=real.namespace)), Side(real)

        yield make


@settings(
    max_examples=60,
    derandomize=True,
    phases=[Phase.generate],  # shrinking a failure takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(script=st.lists(STEPS, max_size=10))
def test_random_requests_get_equal_answers_from_the_fake_and_the_real_api_server(
    sides: Sides, script: list[Step]
) -> None:
    ours, theirs = sides()
    first = {side: side.rig.server.version for side in (ours, theirs)}
    last = Step(method="POST", at="", body=build_thing(LAST))
    for step in [*script, Step(method="GET", at=""), last]:
        assert ours.send(step) == theirs.send(step), step
    events = [side.watch(until=LAST, resourceVersion=first[side]) for side in (ours, theirs)]
    assert events[0] == events[1]


# Refused requests


def post(body: object, content_type: str = JSON) -> Step:
    return Step(method="POST", at="", body=body, content_type=content_type)


def put(name: str, **metadata: str) -> Step:
    return Step(method="PUT", at=f"/{name}", body=build_thing(metadata.pop("stated", name), **metadata))


def patch(at: str, content_type: str, body: object) -> Step:
    return Step(method="PATCH", at=at, body=body, content_type=content_type)


def get(at: str) -> Step:
    return Step(method="GET", at=at)


MANAGED: Final = "/web?fieldManager=m"
REFUSED: Final = {
    "create twice": post(build_thing("web")),
    "create without a name": post(build_thing("")),
    "create with a version": post(build_thing("a", resourceVersion="5")),
    "create in another namespace": post(build_thing("a", namespace="another")),
    "create of no kind": post({"metadata": {"name": "a"}}),
    "create of no version": post({"kind": "Thing"}),
    "create of another version": post(build_thing("a") | {"apiVersion": "v2"}),
    "create of another kind": post(build_thing("a") | {"kind": "Foo"}),
    "create from half a body": post("{"),
    "create from a list": post([]),
    "create from text": post("a=b", "text/plain"),
    "create with a number for metadata": post(build_thing("a") | {"metadata": 5}),
    "create with a number in labels": post(build_thing("a", labels={"a": 1})),
    "create with a number for labels": post(build_thing("a", labels=5)),
    "create with a number in finalizers": post(build_thing("a", finalizers=[5])),
    "update late": put("web", resourceVersion="1"),
    "update from no version": put("web"),
    "update under another name": put("web", stated="other", resourceVersion="1"),
    "update of nothing": put("none", resourceVersion="1"),
    "update makes nothing": put("none"),
    "delete of nothing": Step(method="DELETE", at="/none"),
    "merge late": patch("/web", MERGE, {"metadata": {"resourceVersion": "1"}}),
    "merge of nothing": patch("/none", MERGE, {}),
    "merge of half a body": patch("/web", MERGE, "{"),
    "merge of a list": patch("/web", MERGE, []),
    "merge without the metadata": patch("/web", MERGE, {"metadata": None}),
    "merge by force": patch("/web?force=true", MERGE, {}),
    "patch of no type": patch("/web", JSON, {}),
    "apply by nobody": patch("/web", APPLY, build_thing("web")),
    "apply of no kind": patch(MANAGED, APPLY, {}),
    "apply of half a body": patch(MANAGED, APPLY, "{"),
    "apply under another name": patch(MANAGED, APPLY, build_thing("other")),
    "apply late": patch(MANAGED, APPLY, build_thing("web", resourceVersion="1")),
    "apply with owners": patch(MANAGED, APPLY, build_thing("web", managedFields=[{"manager": "m"}])),
    "apply of the status of nothing": patch("/none/status?fieldManager=m", APPLY, build_thing("none")),
    "get of nothing": get("/none"),
    "unknown field": get("?fieldSelector=spec.x%3D1"),
    "list at no number": get("?resourceVersion=x"),
    "match without a version": get("?resourceVersionMatch=Exact"),
    "unknown match": get("?resourceVersionMatch=Foo&resourceVersion=1"),
    "list with initial events": get("?sendInitialEvents=true"),
    "list from an invalid token": get("?limit=1&continue=abc"),
    "limit that is no number": get("?limit=x"),
    "watch from no number": get("?watch=1&resourceVersion=x"),
    "watch with a match": get("?watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1"),
    "initial events without a match": get("?watch=1&sendInitialEvents=true"),
}


def test_a_refused_request_gets_the_same_answer_from_both_api_servers_and_changes_nothing(sides: Sides) -> None:
    ours, theirs = sides()
    for side in (ours, theirs):
        side.rig.create("web")
    before = [side.rig.server.version for side in (ours, theirs)]
    differing = {}
    for name, step in REFUSED.items():
        answers = ours.send(step), theirs.send(step)
        if answers[0] != answers[1]:
            differing[name] = answers
    assert differing == {}
    assert [side.rig.server.version for side in (ours, theirs)] == before


# Server-side apply


def apply(manager: str, **spec: object) -> Step:
    return patch(f"/web?fieldManager={manager}", APPLY, build_thing("web", spec=spec))


APPLIES: Final[Sequence[Step]] = (
    apply("one", n=1, list=[1], only={"a": {"b": 1}}),
    apply("one", n=1, list=[1], only={"a": {"b": 1}}),
    apply("two", n=1),
    apply("two", n=2, m=1),
    apply("two&force=true", n=2, m=1),
    apply("three", n=3, m=3),
    apply("one", n=1),
    patch("/web?fieldManager=hand", MERGE, {"spec": {"m": 2}, "metadata": {"labels": {"a": "b"}}}),
    apply("two", n=2, m=1),
    apply("two", n=2),
    patch("/web/status?fieldManager=hand", MERGE, {"status": {"n": 1}}),
    patch("/web/status?fieldManager=one", APPLY, build_thing("web", status={"n": 2})),
    patch("/web/status?fieldManager=one&force=true", APPLY, build_thing("web", status={"n": 2})),
)


def test_applies_of_several_managers_get_equal_answers_with_the_owners_of_each_field(sides: Sides) -> None:
    ours, theirs = sides()
    ours.owners = theirs.owners = True
    for step in APPLIES:
        assert ours.send(step) == theirs.send(step), step


# Lists and watches, and what remains of them after the server restarts


def read_in_pages(side: Side) -> object:
    for name in "abcde":
        side.rig.create(name)
    first = side.rig.raw_client.get(side.rig.path, limit=2)
    side.rig.server.delete("Thing", side.rig.namespace, "c")
    side.rig.create("bb")
    pages = [first]
    while token := pages[-1].body["metadata"].get("continue"):
        pages.append(side.rig.raw_client.get(side.rig.path, limit=2, **{"continue": token}))
    return [side.show(page.body) for page in pages], side.get(), side.get(fieldSelector="metadata.name=b", limit=1)


def read_all_namespaces(side: Side) -> object:
    for name in ("b", "a-b", "a", "a.b"):
        side.rig.create(name)
    items = side.rig.raw_client.get(ALL).body["items"]
    assert items == sorted(items, key=lambda item: f"{item['metadata']['namespace']}/{item['metadata']['name']}")
    return [side.show(item) for item in items if item["metadata"]["namespace"] == side.rig.namespace]


def read_kinds(side: Side) -> object:
    body = side.rig.raw_client.get(ALL.rpartition("/")[0]).body
    fields = ("name", "kind", "namespaced")
    kinds = [{key: one[key] for key in fields} for one in body["resources"] if "/" not in one["name"]]
    return body["kind"], body["groupVersion"], kinds, side.rig.raw_client.get("/apis/none.test/v1").code


def read_the_past(side: Side) -> object:
    then = side.rig.create("a")["metadata"]["resourceVersion"]
    side.rig.create("b")
    side.rig.server.delete("Thing", side.rig.namespace, "a")
    at = {"resourceVersion": then, "limit": 1}
    now = side.get(resourceVersionMatch="NotOlderThan", **at)  # a cache has seen all changes then
    return now, side.get(resourceVersionMatch="Exact", **at), side.get(resourceVersion="0", limit=1)


def read_the_future(side: Side) -> object:
    future = side.rig.server.version + 1000
    return [side.get(resourceVersion=future, resourceVersionMatch=match) for match in ("Exact", "NotOlderThan")]


def watch_changes(side: Side) -> object:
    then = side.rig.raw_client.get(side.rig.path).version
    side.rig.create("a")
    check_success(side.rig.patch("a", {"metadata": {"labels": {"app": "y"}}}, MERGE))
    side.rig.server.delete("Thing", side.rig.namespace, "a")
    side.rig.create(LAST)
    return side.watch(until=LAST, resourceVersion=then)


def watch_from_the_beginning(side: Side) -> object:
    side.rig.create("a")
    side.get(resourceVersion=side.rig.server.version, resourceVersionMatch="NotOlderThan")
    return side.watch(until="a"), side.watch(until="a", resourceVersion="0")


def watch_with_bookmarks(side: Side) -> object:
    client, query = side.rig.raw_client, {"resourceVersion": side.rig.server.version, "timeoutSeconds": 5}
    with (
        client.watch(side.rig.path, **query) as silent,
        client.watch(side.rig.path, **query, allowWatchBookmarks="true") as stream,
    ):
        Rig.with_new_namespace(side.rig.server, client).create("elsewhere")
        return silent.read_event(), side.show(stream.read_event())


def watch_from_the_future(side: Side) -> object:
    future = side.rig.server.version + 2
    with side.rig.raw_client.watch(side.rig.path, resourceVersion=future, timeoutSeconds=3) as stream:
        versions = {name: int(side.rig.create(name)["metadata"]["resourceVersion"]) for name in "abc"}
        later = [("ADDED", name) for name, version in versions.items() if version > future]
        return stream.read_events(len(later) + 1) == [*later, ("END", "")]


def list_by_a_watch(side: Side) -> object:
    reply = side.rig.raw_client.get(side.rig.path, watch="1", timeoutSeconds=1, **LISTED)
    if reply.code != 200:
        return reply.code, side.show(reply.body)
    side.rig.create("a")
    with side.rig.raw_client.watch(side.rig.path, **LISTED) as stream:
        return [side.show(stream.read_event()) for _ in range(2)]


def expire_versions(side: Side) -> object:
    for name in "abc":
        side.rig.create(name)
    page = side.rig.raw_client.get(side.rig.path, limit=1)
    side.rig.server.expire()
    late = side.rig.raw_client.get(side.rig.path, limit=1, **{"continue": page.body["metadata"]["continue"]})
    rest = side.rig.raw_client.get(side.rig.path, limit=1, **{"continue": late.body["metadata"]["continue"]})
    watched = side.watch(resourceVersion=page.version)
    past = side.get(resourceVersion=page.version, resourceVersionMatch="Exact")
    return watched, past, late.code, side.show(late.body), rest.names


def kill_and_start(side: Side) -> object:
    side.rig.create("a")
    with side.rig.raw_client.watch(side.rig.path, resourceVersion=side.rig.server.version) as stream:
        side.rig.server.kill()
        with pytest.raises((OSError, HTTPException, ValueError)):
            stream.read_rest()
    with pytest.raises(ConnectionRefusedError):
        side.get()
    side.rig.server.start()
    return side.get()


def begin_a_new_history(side: Side) -> object:
    made = side.rig.create("a")
    for number in range(20):
        side.rig.server.put(build_thing("a", namespace=side.rig.namespace, spec={"number": number}))
    old = side.rig.server.version
    side.rig.server.restart()
    again = side.rig.server.get("Thing", side.rig.namespace, "a") or {}
    lower, same = side.rig.server.version < old, again["metadata"]["uid"] == made["metadata"]["uid"]
    side.rig.server.put(build_thing("b", namespace=side.rig.namespace))
    return lower, same, side.watch(resourceVersion=old, timeoutSeconds=1)


def unregister_and_register(side: Side) -> object:
    side.rig.create("a")
    with side.rig.raw_client.watch(side.rig.path, resourceVersion=side.rig.server.version) as stream:
        side.rig.server.unregister("Thing")
        events = stream.read_events(2)
    reply = side.rig.raw_client.get(side.rig.path)
    side.rig.server.register(THING)
    return events, reply.code, reply.body, reply.headers["Content-Type"], side.get()["items"]


SCENES: Final[Mapping[str, Callable[[Side], object]]] = {
    scene.__name__: scene
    for scene in (
        read_in_pages,
        read_all_namespaces,
        read_kinds,
        read_the_past,
        read_the_future,
        watch_changes,
        watch_from_the_beginning,
        watch_with_bookmarks,
        watch_from_the_future,
        list_by_a_watch,
        expire_versions,
        kill_and_start,
        begin_a_new_history,
        unregister_and_register,
    )
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_lists_and_watches_show_the_same_with_the_fake_and_the_real_api_server(
    sides: Sides, scene: Callable[[Side], object]
) -> None:
    ours, theirs = sides()
    assert scene(ours) == scene(theirs)
