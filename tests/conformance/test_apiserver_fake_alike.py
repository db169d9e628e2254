"""Whatever is asked of them, the fake answers what the real machinery answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apimachinery.kinds import KINDS
from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiserver import Rig, ingress
from tests.fakes.apiserver.probe import APPLY, JSON_PATCH, MERGE, Probe, Reply
from tests.fakes.apiserver.server import ApiServer

NAMES: Final = ("a", "b")
LATEST: Final = "the latest version"
"""Stands for the resourceVersion that the object has when the request is made."""
UNTOLD: Final = "managedFields"
"""Left out: who owns what shows in conflicts, and the fake does not know the twists of empty maps."""
DECODERS: Final = {400, 406, 415, 500}
"""Codes whose messages quote a decoder."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A request behind the path of a namespace; the path begins with the name of the object it is about, if any."""

    method: str
    at: str
    body: Any = None
    content_type: str = "application/json"


VALUES: Final = st.recursive(
    st.sampled_from([0, 1, "x", None, 1.5]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=2),
    max_leaves=5,
)
FIELDS: Final = st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=2)
LABELS: Final = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from(["x", "y", ""]), max_size=2)
HALVES: Final = st.fixed_dictionaries({}, optional={"spec": FIELDS, "status": FIELDS, "other": VALUES})


def metadata(versions: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Metadata but for the name."""
    fields = {
        "labels": LABELS,
        "annotations": LABELS,
        "finalizers": st.lists(st.sampled_from(["example.org/x", "example.org/y"]), max_size=2, unique=True),
        "resourceVersion": st.sampled_from(versions),
        "generation": st.just(7),
        "creationTimestamp": st.just("2020-01-01T00:00:00Z"),
    }
    return st.fixed_dictionaries({}, optional=fields)


TEXTS: Final = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from(["x", "y", ""]), min_size=1)
APPLIED: Final = st.fixed_dictionaries(
    {}, optional={"labels": TEXTS, "annotations": TEXTS, "resourceVersion": st.just(LATEST)}
)
"""Metadata that is applied: no empty maps and no lists, whose ownership the fake does not know item by item."""


def body(name: str, halves: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """An Ingress."""
    made = ingress(name, **more)
    del made["spec"]
    return made | dict(halves)


SUBRESOURCES: Final = st.sampled_from(["", "", "/status"])
FORCE: Final = st.sampled_from(["", "&force=true"])
MANAGERS: Final = st.sampled_from(["one", "two"])
POINTERS: Final = st.sampled_from(["/spec", "/spec/p", "/spec/p/0", "/spec/p/-", "/metadata/labels", "/status"])
PATCH_OPERATIONS: Final = st.one_of(
    st.builds(
        lambda op, path, value: {"op": op, "path": path, "value": value},
        st.sampled_from(["add", "replace", "test"]),
        POINTERS,
        VALUES,
    ),
    st.builds(lambda path: {"op": "remove", "path": path}, POINTERS),
)


def steps_about(name: str) -> st.SearchStrategy[Step]:
    """Requests about one object."""
    creates = st.builds(body, st.just(name), HALVES, metadata(("", "5")))
    updates = st.builds(body, st.just(name), HALVES, metadata((LATEST, LATEST, LATEST, "5", "")))
    configs = st.builds(body, st.just(name), HALVES, APPLIED)
    merges = st.builds(lambda halves, more: {"metadata": more, **halves}, HALVES, metadata((LATEST, "5")))
    paths = st.builds(lambda sub: f"/{name}{sub}", SUBRESOURCES)
    applied = st.builds(
        lambda sub, manager, force: f"/{name}{sub}?fieldManager={manager}{force}", SUBRESOURCES, MANAGERS, FORCE
    )
    return st.one_of(
        st.builds(Step, method=st.just("POST"), at=st.just(""), body=creates),
        st.builds(Step, method=st.just("PUT"), at=paths, body=updates),
        st.builds(Step, method=st.just("PATCH"), at=paths, body=merges, content_type=st.just(MERGE)),
        st.builds(
            Step,
            method=st.just("PATCH"),
            at=paths,
            body=st.lists(PATCH_OPERATIONS, max_size=2),
            content_type=st.just(JSON_PATCH),
        ),
        st.builds(Step, method=st.just("PATCH"), at=applied, body=configs, content_type=st.just(APPLY)),
        st.builds(Step, method=st.just("GET"), at=paths),
        st.builds(Step, method=st.just("DELETE"), at=st.just(f"/{name}")),
    )


QUERIES: Final = st.sampled_from(
    ["", "?limit=1", "?labelSelector=app", "?labelSelector=app%3Dx", "?labelSelector=!app"]
)
STEPS: Final = st.one_of(*(steps_about(name) for name in NAMES), st.builds(Step, method=st.just("GET"), at=QUERIES))


class Side:
    """One of the servers, with what stands for what in its answers."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._first = rig.server.version
        self._uids: dict[str, str] = {}

    def ask(self, step: Step) -> object:
        """What a step is answered, as far as both servers must say the same."""
        said = step.body
        if isinstance(said, dict) and said["metadata"].get("resourceVersion") == LATEST:
            there = self._rig.server.get("Ingress", self._rig.namespace, step.at.split("/")[1].split("?")[0])
            version = there["metadata"]["resourceVersion"] if there else "5"
            said = said | {"metadata": said["metadata"] | {"resourceVersion": version}}
        reply = self._rig.probe.ask(step.method, f"{self._rig.path}{step.at}", said, content_type=step.content_type)
        return reply.code, self._plain(self._without_words(reply))

    def told(self, count: int, query: Mapping[str, str]) -> list[object]:
        """What a watch from the beginning is told, up to *count* frames."""
        frames: list[object] = []
        with self._rig.probe.watch(self._rig.path, resourceVersion=self._first, **query) as stream:
            while (frame := stream.frame()) is not None and len(frames) < count:
                frames.append(self._plain(frame))
                if frame["object"]["metadata"]["name"] == "last":
                    break
        return frames

    @staticmethod
    def _without_words(reply: Reply) -> Any:  # noqa: ANN401 - any JSON
        return reply.body | {"message": ""} if reply.code in DECODERS else reply.body

    def _plain(self, value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON
        """Give *value* without what no two servers share."""
        match key, value:
            case (("creationTimestamp" | "deletionTimestamp" | "continue"), str()):
                return bool(value)
            case "resourceVersion", str():
                return int(value) - self._first
            case "uid", str():
                return self._uids.setdefault(value, f"uid {len(self._uids)}")
            case _, dict():
                return {
                    inner: self._plain(said, inner)
                    for inner, said in value.items()
                    if inner != UNTOLD and (inner, said) != ("details", {})
                }
            case _, list():
                return [self._plain(item) for item in value]
            case _, _:
                return value


@settings(max_examples=100, report_multiple_bugs=False)
@given(script=st.lists(STEPS, max_size=10))
def test_fake_and_machinery_answer_alike(api_machinery: ApiMachinery, script: list[Step]) -> None:
    with ApiServer(kinds=KINDS) as server:
        real = Rig.of(api_machinery, api_machinery.probe)
        fake = replace(real, server=server, probe=Probe(server))
        sides = [Side(fake), Side(real)]
        for step in [
            *script,
            Step(method="GET", at=""),
            Step(method="POST", at="", body=ingress("last", labels={"app": "x"})),
        ]:
            ours, theirs = (side.ask(step) for side in sides)
            assert ours == theirs, step
        for query in ({}, {"labelSelector": "app=x"}):
            ours, theirs = (side.told(len(script) + 2, query) for side in sides)
            assert ours == theirs
