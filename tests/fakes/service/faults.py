"""Faults of the fake DNS services, one class each. `Faults` selects the calls that they affect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final, Generic, Protocol, TypeVar

from tests.fakes.service.answers import Answer, ApiError, ConnectionCut

_TIMEOUT_S: Final = 120.0
"""How long `Armed.wait` waits until it fails, in seconds."""


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
class Replace(Fault):
    """Carry out the call, but answer with *body* and more *headers*, and with *status* if it is not 0."""

    body: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)

    def after(self, answer: Answer) -> Answer:
        headers = {**answer.headers, **self.headers}
        return Answer(status=self.status or answer.status, body=self.body.encode(), headers=headers)


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


class Releasable(Protocol):
    """A fault of any fake."""

    def release(self) -> None: ...


F = TypeVar("F", bound=Releasable)


@dataclass(kw_only=True, eq=False)
class Armed(Generic[F]):
    """A fault with the attributes of the calls that it affects.

    Attributes:
        left: how many more calls it affects; None is no limit.
    """

    fault: F
    filters: Mapping[str, str | None]
    left: int | None
    hit: Event = field(default_factory=Event)

    def matches(self, call: object) -> bool:
        return all(wanted in {None, getattr(call, name)} for name, wanted in self.filters.items())

    def wait(self) -> None:
        """Wait until the fault has affected a call."""
        if not self.hit.wait(_TIMEOUT_S):
            raise AssertionError(f"{self.fault} affected no call within {_TIMEOUT_S} s")

    def release(self) -> None:
        self.fault.release()


class Arming(Generic[F]):
    """The armed faults of a fake. A call is affected by the first one that matches it."""

    def __init__(self, nothing: F) -> None:
        """Return *nothing* for each call that no fault affects."""
        self._nothing = nothing
        self._lock = Lock()
        self._armed: list[Armed[F]] = []
        self._taken: list[Armed[F]] = []

    def _arm(self, fault: F, times: int | None, **filters: str | None) -> Armed[F]:
        armed = Armed(fault=fault, filters=filters, left=times)
        with self._lock:
            self._armed.append(armed)
        return armed

    def take(self, call: object) -> F:
        """Return the fault that affects *call*; without any, one that does nothing."""
        with self._lock:
            armed = next((one for one in self._armed if one.matches(call)), None)
            if armed is None:
                return self._nothing
            if armed.left is not None:
                armed.left -= 1
                if not armed.left:
                    self._armed.remove(armed)
            self._taken.append(armed)
        armed.hit.set()
        return armed.fault

    def disarm(self, kind: type[F]) -> None:
        """Remove the faults of class *kind* that have not affected all their calls."""
        with self._lock:
            self._armed = [armed for armed in self._armed if not isinstance(armed.fault, kind)]

    def clear(self) -> None:
        """Remove all faults and continue the calls that they delay."""
        with self._lock:
            taken, self._taken, self._armed = self._taken, [], []
        for armed in taken:
            armed.release()


class Faults(Arming[Fault]):
    """The armed faults of a DNS service."""

    def __init__(self) -> None:
        super().__init__(Fault())

    def arm(self, fault: Fault, *, action: str | None = None, times: int | None = 1) -> Armed[Fault]:
        """Let *fault* affect the next *times* calls with these attributes; None is any."""
        return self._arm(fault, times, action=action)
