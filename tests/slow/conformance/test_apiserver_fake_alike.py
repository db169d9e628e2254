"""Send random requests to the fake and to the real API server, and compare the responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.apiscripts import LATEST, STEPS, Step
from tests.conformance.apiserver import Rig, build_thing
from tests.fakes.apiserver.kinds import NAMESPACE
from tests.fakes.apiserver.patches import apply_merge_patch
from tests.fakes.apiserver.raw_client import RawClient
from tests.fakes.apiserver.server import ApiServer
from tests.kubernetes.cluster import Cluster
from tests.kubernetes.kinds import THING

QUOTING_A_DECODER: Final = {400, 406, 415, 500}
"""Status codes whose messages come from a decoder and may differ."""
NOT_COMPARED: Final = "managedFields"
"""A field that is not compared: conflicts show owners, and the fake does not compute owners of empty maps exactly."""
LAST: Final = "last"


class Side:
    """One of the two servers. Numbers uids and resourceVersions in responses, so that both can be compared."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._first = rig.server.version
        self._known: dict[str, dict[str, str]] = {"uid": {}, "resourceVersion": {}}

    def send(self, step: Step) -> object:
        """Send *step*, and return the response without what may differ between the servers."""
        path = f"{self._rig.path}{step.at}"
        reply = self._rig.raw_client.send(
            step.method, path, self._fill_in_versions(step), content_type=step.content_type
        )
        body = reply.body | {"message": ""} if reply.code in QUOTING_A_DECODER else reply.body
        return reply.code, self._normalize(body)

    def watch(self, query: Mapping[str, str]) -> list[object]:
        """Return the events of a watch from the beginning, up to the object created last, without what may differ."""
        frames: list[object] = []
        with self._rig.raw_client.watch(self._rig.path, resourceVersion=self._first, **query) as stream:
            while (frame := stream.read_event()) is not None:
                frames.append(self._normalize(frame))
                if frame["object"]["metadata"].get("name") == LAST:
                    break
        return frames

    def _fill_in_versions(self, step: Step) -> object:
        """Return the body of *step* with the resourceVersions of this server filled in."""
        body = step.body
        if not isinstance(body, dict):
            return body
        name = step.at.removeprefix("/").split("/")[0].split("?")[0]
        there = (name and self._rig.server.get("Thing", self._rig.namespace, name)) or {}
        if body.get("metadata", {}).get("resourceVersion") == LATEST:
            version = there.get("metadata", {}).get("resourceVersion", "5")
            body = body | {"metadata": body["metadata"] | {"resourceVersion": version}}
        return apply_merge_patch(there, body) if step.onto else body

    def _normalize(self, value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON
        """Return *value* without times and owners, and with uids and resourceVersions numbered in order."""
        match key, value:
            case (("creationTimestamp" | "deletionTimestamp" | "continue"), str()):
                return bool(value)
            case (("uid" | "resourceVersion"), str()):
                known = self._known[key]
                return known.setdefault(value, f"{key} {len(known)}")
            case _, dict():
                compared = {inner: body for inner, body in value.items() if inner != NOT_COMPARED}
                return {
                    inner: self._normalize(body, inner)
                    for inner, body in compared.items()
                    if (inner, body) != ("details", {})
                }
            case _, list():
                return [self._normalize(item) for item in value]
            case _, _:
                return value


@settings(
    max_examples=60,
    derandomize=True,
    phases=[Phase.generate],  # shrinking a failure takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(script=st.lists(STEPS, max_size=10))
def test_random_requests_get_equal_responses_from_the_fake_and_the_real_api_server(
    cluster: Cluster, script: list[Step]
) -> None:
    with ApiServer(kinds=[NAMESPACE, THING]) as server:
        real = Rig.with_new_namespace(cluster, cluster.raw_client)
        sides = [Side(replace(real, server=server, raw_client=RawClient(server))), Side(real)]
        last = Step(method="POST", at="", body=build_thing(LAST, labels={"app": "x"}))
        for step in [*script, Step(method="GET", at=""), last]:
            ours, theirs = (side.send(step) for side in sides)
            assert ours == theirs, step
        for query in ({}, {"labelSelector": "app=x"}):
            ours, theirs = (side.watch(query) for side in sides)
            assert ours == theirs, query
