"""Faults on demand: which one the next requests of a sort run into."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final

from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.faults import Fault
from tests.fakes.apiserver.requests import Request

_PATIENCE_S: Final = 30.0
"""How long a test waits for a fault to be hit before it fails."""


@dataclass(kw_only=True, eq=False)
class Armed:
    """A fault with the requests it waits for; None matches any.

    Attributes:
        left: how many more requests it takes, None for no end.
    """

    fault: Fault
    verb: str | None
    resource: str | None
    namespace: str | None
    left: int | None
    hit: Event = field(default_factory=Event)

    def matches(self, request: Request) -> bool:
        """Tell whether *request* is one of those."""
        asked = request.verb, request.resource, request.namespace
        wanted = self.verb, self.resource, self.namespace
        return all(want in {None, said} for want, said in zip(wanted, asked, strict=True))

    def wait(self) -> None:
        """Wait until a request has run into it.

        Raises:
            AssertionError: None did.
        """
        if not self.hit.wait(_PATIENCE_S):
            raise AssertionError(f"nobody ran into {self.fault} within {_PATIENCE_S} s")

    def release(self) -> None:
        """Let what stalls or trickles go on."""
        self.fault.release()

    def before(self) -> Answer | None:
        """Act before the work is done; an answer stands for the work."""
        self.hit.set()
        return self.fault.before()

    def after(self, answer: Answer) -> Answer:
        """Act on the answer."""
        return self.fault.after(answer)


class Faults:
    """The faults that are armed; the first that matches a request is taken."""

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
        """Arm *fault* for the next *times* requests that match; an empty *resource* is discovery and the like."""
        armed = Armed(fault=fault, verb=verb, resource=resource, namespace=namespace, left=times)
        with self._lock:
            self._armed.append(armed)
        return armed

    def take(self, request: Request) -> Armed | None:
        """Give the fault that *request* runs into."""
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

    def clear(self) -> None:
        """Disarm all, and let go on what stalls."""
        with self._lock:
            taken, self._taken, self._armed = self._taken, [], []
        for armed in taken:
            armed.release()
