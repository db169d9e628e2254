"""Faults of the fake DNS services, one class each. `Faults` selects the calls that they affect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final, Protocol

from tests.fakes.service.answers import Answer, ApiError, ConnectionCut

_TIMEOUT_S: Final = 120.0
"""How long `Armed.wait` waits until it fails, in seconds."""


class Call(Protocol):
    """The fields by which faults select calls. Services record more of a call."""

    @property
    def action(self) -> str: ...

    @property
    def zone_id(self) -> str: ...


class Fault:
    """The base of all faults, which changes nothing."""

    def before(self) -> None:
        """Act before the call is carried out. If it raises an `ApiError`, the call is not carried out."""

    def after(self, answer: Answer) -> Answer:
        """Return the response to send in place of *answer*."""
        return answer

    def release(self) -> None:
        """Continue the calls that this fault delays."""


@dataclass(frozen=True, slots=True)
class Refuse(Fault):
    """Answer with an error, as in `Refuse(503, "ServiceUnavailable")`, without carrying out the call."""

    status: int
    code: str
    message: str = "armed by a test"

    def before(self) -> None:
        raise ApiError(self.status, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Drop(Fault):
    """Close the connection without a response. With *worked*, the call is carried out before."""

    worked: bool = False

    def before(self) -> None:
        if not self.worked:
            raise ConnectionCut

    def after(self, answer: Answer) -> Answer:
        raise ConnectionCut(answer)


@dataclass(frozen=True, slots=True)
class Stall(Fault):
    """Send nothing until released, so that the client times out; then close the connection.

    With *worked*, the call is carried out at once and only its response is withheld; else it is never carried out.
    The event *reached* is set as soon as a call is delayed.
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
    """Delay a call until released, then carry it out and answer it."""

    released: Event = field(default_factory=Event)

    def before(self) -> None:
        self.released.wait()

    def release(self) -> None:
        self.released.set()


@dataclass(frozen=True, slots=True)
class Meanwhile(Fault):
    """Call a function just before the call is carried out, such as to edit a record as another person."""

    edit: Callable[[], object]

    def before(self) -> None:
        self.edit()


@dataclass(kw_only=True, eq=False)
class Armed:
    """A fault with the filter of the calls that it affects; None matches any value.

    Attributes:
        left: how many more calls it affects; None is no limit.
    """

    fault: Fault
    action: str | None
    zone_id: str | None
    left: int | None
    hit: Event = field(default_factory=Event)

    def matches(self, call: Call) -> bool:
        return self.action in {None, call.action} and self.zone_id in {None, call.zone_id}

    def wait(self) -> None:
        """Wait until the fault has affected a call."""
        if not self.hit.wait(_TIMEOUT_S):
            raise AssertionError(f"{self.fault} affected no call within {_TIMEOUT_S} s")

    def release(self) -> None:
        self.fault.release()


class Faults:
    """The armed faults. A call is affected by the first one that matches it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._armed: list[Armed] = []
        self._taken: list[Armed] = []

    def arm(
        self, fault: Fault, *, action: str | None = None, zone_id: str | None = None, times: int | None = 1
    ) -> Armed:
        """Let *fault* affect the next *times* matching calls."""
        armed = Armed(fault=fault, action=action, zone_id=zone_id, left=times)
        with self._lock:
            self._armed.append(armed)
        return armed

    def take(self, call: Call) -> Fault:
        """Return the fault that affects *call*; without any, one that does nothing."""
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
        """Remove all faults and continue the calls that they delay."""
        with self._lock:
            taken, self._taken, self._armed = self._taken, [], []
        for armed in taken:
            armed.release()
