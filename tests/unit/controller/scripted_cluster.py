"""A cluster whose changes a test lists, and a source for its Services."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable

from extdns.model.claim import Claim
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase, Sighting
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta
from extdns.ports import ClusterView
from extdns.resources.core import Service
from tests.builders import SERVICE, build_claim
from tests.fakes.view import FakeView

SYNCED = KindChange(state=KindState(kind=SERVICE, phase=Phase.SYNCED))


def service(name: str) -> Service:
    return Service(metadata=ObjectMeta(name=name, namespace="shop"))


def add_services(*names: str) -> tuple[ObjectChange, ...]:
    """Return the changes that a cluster reports for new Services."""
    return tuple(
        ObjectChange(key=ObjectKey(SERVICE, "shop", name), old=None, new=service(name), seen=Sighting.PRESENT)
        for name in names
    )


class ScriptedCluster:
    """A cluster whose `take` returns or raises one of *steps* at each call, and then blocks."""

    def __init__(self, *steps: tuple[ClusterChange, ...] | Exception, refusals: Iterable[Exception] = ()) -> None:
        self._steps = deque(steps)
        self._refusals = deque(refusals)
        self._closed = threading.Event()
        self.view = FakeView(*map(service, ("web", "api", "bad")), listed=(SERVICE,))
        self.answer: Callable[[ObjectKey], bool | None] = lambda _: True
        self.taken = threading.Event()
        self.takes = 0
        self.closings = 0

    def require(self, kind: Kind) -> KindState:
        if self._refusals:
            raise self._refusals.popleft()
        return KindState(kind=kind, phase=Phase.LISTING)

    def exists(self, key: ObjectKey) -> bool | None:
        return self.answer(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        self.takes += 1
        if not self._steps:
            self.taken.set()
            self._closed.wait(timeout_s)
            return ()
        step = self._steps.popleft()
        if isinstance(step, Exception):
            raise step
        return step

    def close(self) -> None:
        self.closings += 1
        self._closed.set()


class NamedServices:
    """A source in which each Service requests its own name below example.org."""

    name = "service"
    kind = SERVICE

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - the signature of the port
        return (build_claim(obj.metadata.name, obj.metadata.name),)
