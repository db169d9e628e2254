"""What goes wrong between a call and its answer, a fault a class; `Faults` says which calls run into which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final, Protocol

from tests.fakes.service.answers import Answer, ApiError, ConnectionCut

_PATIENCE_S: Final = 30.0
"""How long a test waits for a fault to be hit before it fails."""


class Call(Protocol):
    """What faults are chosen by; services keep more of a call."""

    @property
    def action(self) -> str: ...

    @property
    def zone_id(self) -> str: ...


class Fault:
    """Changes nothing."""

    def before(self) -> None:
        """Act before the work is done; an ApiError stands for the work."""

    def after(self, answer: Answer) -> Answer:
        """Act on the answer of what was done, or refused."""
        return answer

    def release(self) -> None:
        """Let go on what waits."""


@dataclass(frozen=True, slots=True)
class Refuse(Fault):
    """Answer with an error, and do nothing: `Refuse(503, "ServiceUnavailable")`, `Refuse(400, "Throttling")`."""

    status: int
    code: str
    message: str = "armed by a test"

    def before(self) -> None:
        raise ApiError(self.status, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Drop(Fault):
    """Close the connection without a word; if *worked*, only after the call was carried out."""

    worked: bool = False

    def before(self) -> None:
        if not self.worked:
            raise ConnectionCut

    def after(self, answer: Answer) -> Answer:
        raise ConnectionCut(answer)


@dataclass(frozen=True, slots=True)
class Stall(Fault):
    """Say nothing until released, so that the client gives up; then close the connection.

    If *worked*, the call is carried out at once and only the answer is held back; otherwise it never is. Once a call
    has come so far, *reached* is set.
    """

    worked: bool = False
    reached: Event = field(default_factory=Event)
    released: Event = field(default_factory=Event)

    def before(self) -> None:
        if not self.worked:
            self.after(None)

    def after(self, answer: Answer | None) -> Answer:
        self.reached.set()
        self.released.wait()
        raise ConnectionCut(answer)

    def release(self) -> None:
        self.released.set()


@dataclass(frozen=True, slots=True)
class Late(Fault):
    """Carry out the call only once released, and then answer."""

    released: Event = field(default_factory=Event)

    def before(self) -> None:
        self.released.wait()

    def release(self) -> None:
        self.released.set()


@dataclass(frozen=True, slots=True)
class Meanwhile(Fault):
    """Let somebody else do something just before the call is carried out."""

    edit: Callable[[], object]

    def before(self) -> None:
        self.edit()


@dataclass(kw_only=True, eq=False)
class Armed:
    """A fault with the calls it waits for; None matches any.

    Attributes:
        left: how many more calls it takes, None for no end.
    """

    fault: Fault
    action: str | None
    zone_id: str | None
    left: int | None
    hit: Event = field(default_factory=Event)

    def matches(self, call: Call) -> bool:
        """Tell whether *call* is one of those."""
        return self.action in {None, call.action} and self.zone_id in {None, call.zone_id}

    def wait(self) -> None:
        """Wait until a call has run into it.

        Raises:
            AssertionError: None did.
        """
        if not self.hit.wait(_PATIENCE_S):
            raise AssertionError(f"nobody ran into {self.fault} within {_PATIENCE_S} s")

    def release(self) -> None:
        """Let what stalls go on."""
        self.fault.release()


class Faults:
    """The faults that are armed; the first that matches a call is taken."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._armed: list[Armed] = []
        self._taken: list[Armed] = []

    def arm(
        self, fault: Fault, *, action: str | None = None, zone_id: str | None = None, times: int | None = 1
    ) -> Armed:
        """Arm *fault* for the next *times* calls that match."""
        armed = Armed(fault=fault, action=action, zone_id=zone_id, left=times)
        with self._lock:
            self._armed.append(armed)
        return armed

    def take(self, call: Call) -> Fault:
        """Give the fault that *call* runs into; one that does nothing if there is none."""
        with self._lock:
            armed = next((one for one in self._armed if one.matches(call)), None)
            if armed is None:
                return Fault()
            if armed.left is not None:
                armed.left -= 1
                if not armed.left:
                    self._armed.remove(armed)
            self._taken.append(armed)
        armed.hit.set()
        return armed.fault

    def clear(self) -> None:
        """Disarm all, and let go on what stalls."""
        with self._lock:
            taken, self._taken, self._armed = self._taken, [], []
        for armed in taken:
            armed.release()
