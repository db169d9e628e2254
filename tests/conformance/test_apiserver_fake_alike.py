"""Whatever is asked of them, the fake answers what the real machinery answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.apimachinery.kinds import KINDS
from tests.apimachinery.server import ApiMachinery
from tests.conformance.apiscripts import LATEST, STEPS, Step
from tests.conformance.apiserver import Rig, ingress
from tests.fakes.apiserver.patches import merge
from tests.fakes.apiserver.probe import Probe
from tests.fakes.apiserver.server import ApiServer

QUOTING_A_DECODER: Final = {400, 406, 415, 500}
"""Codes whose messages nobody reads by the letter."""
UNTOLD: Final = "managedFields"
"""Left out: who owns what shows in conflicts, and the fake does not know the twists of empty maps."""
LAST: Final = "last"


class Side:
    """One of the servers, with what stands for what in its answers."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._first = rig.server.version
        self._known: dict[str, dict[str, str]] = {"uid": {}, "resourceVersion": {}}

    def ask(self, step: Step) -> object:
        """What *step* is answered, as far as both servers must say the same."""
        path = f"{self._rig.path}{step.at}"
        reply = self._rig.probe.ask(step.method, path, self._body(step), content_type=step.content_type)
        said = reply.body | {"message": ""} if reply.code in QUOTING_A_DECODER else reply.body
        return reply.code, self._plain(said)

    def told(self, query: Mapping[str, str]) -> list[object]:
        """What a watch from the beginning is told, up to the object that was made last."""
        frames: list[object] = []
        with self._rig.probe.watch(self._rig.path, resourceVersion=self._first, **query) as stream:
            while (frame := stream.frame()) is not None:
                frames.append(self._plain(frame))
                if frame["object"]["metadata"].get("name") == LAST:
                    break
        return frames

    def _body(self, step: Step) -> object:
        """What *step* sends to this server, which has versions of its own."""
        said = step.body
        if not isinstance(said, dict):
            return said
        name = step.at.removeprefix("/").split("/")[0].split("?")[0]
        there = (name and self._rig.server.get("Ingress", self._rig.namespace, name)) or {}
        if said.get("metadata", {}).get("resourceVersion") == LATEST:
            version = there.get("metadata", {}).get("resourceVersion", "5")
            said = said | {"metadata": said["metadata"] | {"resourceVersion": version}}
        return merge(there, said) if step.onto else said

    def _plain(self, value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON
        """Give *value* without what no two servers share."""
        match key, value:
            case (("creationTimestamp" | "deletionTimestamp" | "continue"), str()):
                return bool(value)
            case (("uid" | "resourceVersion"), str()):
                known = self._known[key]
                return known.setdefault(value, f"{key} {len(known)}")
            case _, dict():
                kept = {inner: said for inner, said in value.items() if inner != UNTOLD}
                return {
                    inner: self._plain(said, inner) for inner, said in kept.items() if (inner, said) != ("details", {})
                }
            case _, list():
                return [self._plain(item) for item in value]
            case _, _:
                return value


@settings(max_examples=60, derandomize=True, phases=[Phase.generate])  # smaller failures would take minutes
@given(script=st.lists(STEPS, max_size=10))
def test_fake_and_machinery_answer_alike(api_machinery: ApiMachinery, script: list[Step]) -> None:
    with ApiServer(kinds=KINDS) as server:
        real = Rig.of(api_machinery, api_machinery.probe)
        sides = [Side(replace(real, server=server, probe=Probe(server))), Side(real)]
        last = Step(method="POST", at="", body=ingress(LAST, labels={"app": "x"}))
        for step in [*script, Step(method="GET", at=""), last]:
            ours, theirs = (side.ask(step) for side in sides)
            assert ours == theirs, step
        for query in ({}, {"labelSelector": "app=x"}):
            ours, theirs = (side.told(query) for side in sides)
            assert ours == theirs, query
