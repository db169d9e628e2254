"""Choose which requests of the fake API server fail, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final

from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.faults import Fault
from tests.fakes.apiserver.requests import Request

_TIMEOUT_S: Final = 120.0
"""How long `Armed.wait` waits until it fails, in seconds."""


@dataclass(kw_only=True, eq=False)
class Armed:
    """A fault with the filter of the requests that it affects; None matches any value.

    Attributes:
        left: how many more requests it affects; None is no limit.
    """

    fault: Fault
    verb: str | None
    resource: str | None
    namespace: str | None
    left: int | None
    hit: Event = field(default_factory=Event)

    def matches(self, request: Request) -> bool:
        requested = request.verb, request.resource, request.namespace
        filters = self.verb, self.resource, self.namespace
        return all(allowed in {None, value} for allowed, value in zip(filters, requested, strict=True))

    def wait(self) -> None:
        """Wait until the fault has affected a request."""
        if not self.hit.wait(_TIMEOUT_S):
            raise AssertionError(f"{self.fault} affected no request within {_TIMEOUT_S} s")

    def release(self) -> None:
        self.fault.release()

    def before(self) -> Answer | None:
        self.hit.set()
        return self.fault.before()

    def after(self, answer: Answer) -> Answer:
        return self.fault.after(answer)


class Faults:
    """The armed faults. A request is affected by the first one that matches it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._armed: list[Armed] = []
        self._taken: list[Armed] = []

    def arm(
        self,
        fault: Fault,
        *,
        verb: str | None = None,
        resource: str | None = None,
        namespace: str | None = None,
        times: int | None = 1,
    ) -> Armed:
        """Let *fault* affect the next *times* matching requests. *resource* "" matches discovery and the like."""
        armed = Armed(fault=fault, verb=verb, resource=resource, namespace=namespace, left=times)
        with self._lock:
            self._armed.append(armed)
        return armed

    def take(self, request: Request) -> Armed | None:
        with self._lock:
            for armed in self._armed:
                if not armed.matches(request):
                    continue
                if armed.left is not None:
                    armed.left -= 1
                    if not armed.left:
                        self._armed.remove(armed)
                self._taken.append(armed)
                return armed
        return None

    def disarm(self, kind: type[Fault]) -> None:
        """Remove the faults of class *kind* that have not affected all their requests."""
        with self._lock:
            self._armed = [armed for armed in self._armed if not isinstance(armed.fault, kind)]

    def clear(self) -> None:
        """Remove all faults and continue the responses that they delay."""
        with self._lock:
            taken, self._taken, self._armed = self._taken, [], []
        for armed in taken:
            armed.release()
