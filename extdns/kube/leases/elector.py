"""Stands for election on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, assert_never

from extdns import log
from extdns.errors import ApiError, ConflictError, DeniedError, described
from extdns.kube.leases.election import Election, Failed, Found, Input, Leave, Look, Put, Request, Rules, Tick, Written
from extdns.log import Event

if TYPE_CHECKING:
    from extdns.kube.leases.place import LeasePlace
    from extdns.ports import Clock

_log = log.get(__name__)

_LEAVING_S: Final = 3.0
_RIGHTS: Final = "get, create and update on leases"


class Elector:
    """Implements `extdns.ports.Lease` by a Lease of the API server."""

    def __init__(self, place: LeasePlace, identity: str, rules: Rules, clock: Clock) -> None:
        """Stand for the Lease at *place* as *identity*, once `begin` is called."""
        self._place = place
        self._identity = identity
        self._rules = rules
        self._clock = clock
        self._election = Election(identity, rules)
        self._ended = threading.Event()
        self._gives_up = False
        self._news: Callable[[], None] = lambda: None
        self._troubles: dict[type[Request], str] = {}
        self._holder = ""
        self._thread = threading.Thread(target=self._work, name="lease", daemon=True)

    def begin(self, news: Callable[[], None]) -> None:
        """Stand for election; *news* is called, by another thread, whenever there is more time left."""
        self._news = news
        self._thread.start()

    def left_s(self) -> float:
        """Seconds for which nobody else can hold the Lease, 0 while we do not; safe from any thread."""
        return self._election.left_s(self._clock.monotonic_s())

    def facts(self) -> Mapping[str, str]:
        """Which Lease it is, who holds it, and what fails."""
        facts = {"lease": str(self._place), "holder": self._holder or "nobody"}
        trouble = "; ".join(tuple(self._troubles.values()))
        return facts | ({"message": trouble} if trouble else {})

    def close(self, *, give_up: bool) -> None:
        """Stand no more; with *give_up* another process may take the Lease at once, else when its time is over."""
        self._gives_up = give_up
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(_LEAVING_S)
        self._place.close()

    def _work(self) -> None:
        while not self._ended.is_set():
            self._go_on(Tick())
            self._ended.wait(max(0.0, self._election.wake_s - self._clock.monotonic_s()))
        if self._gives_up:
            self._go_on(Leave())

    def _go_on(self, item: Input) -> None:
        request = self._election.step(item, self._clock.monotonic_s())
        while request is not None:
            answer = self._carried_out(request)
            request = self._election.step(answer, self._clock.monotonic_s())
            self._tell_holder()
            if isinstance(answer, Written):
                self._news()

    def _carried_out(self, request: Request) -> Input:
        try:
            answer = self._asked(request)
        except ConflictError:  # another process was quicker
            return Failed()
        except ApiError as exc:
            self._tell_trouble(request, str(exc), _RIGHTS if isinstance(exc, DeniedError) else None)
            return Failed()
        except Exception as exc:  # noqa: BLE001 - law 3: who cannot ask does not hold it, and asks again
            self._tell_trouble(request, described(exc), None)
            return Failed()
        self._troubles.pop(type(request), None)
        return answer

    def _asked(self, request: Request) -> Input:
        match request:
            case Look():
                return Found(term=self._place.read())
            case Put(holder=holder, over=over):
                now, duration_s = self._clock.now(), self._rules.duration_s
                return Written(term=self._place.write(holder=holder, over=over, duration_s=duration_s, now=now))
            case _:
                assert_never(request)

    def _tell_trouble(self, request: Request, message: str, needs: str | None) -> None:
        """Say what fails, once for each reason."""
        if message != self._troubles.get(type(request)):
            self._troubles[type(request)] = message
            _log.warning(Event.LEASE_FAILED, lease=str(self._place), message=message, needs=needs)

    def _tell_holder(self) -> None:
        if self._election.holder != self._holder:
            self._holder = self._election.holder
            if self._holder not in {"", self._identity}:
                _log.info(Event.STANDING_BY, lease=str(self._place), holder=self._holder)
