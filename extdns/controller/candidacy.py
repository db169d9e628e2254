"""Whether this process leads, as the thread of the engine goes by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from extdns.engine.inputs import Input, Led, Tick
from extdns.flags.election import WRITE_S

if TYPE_CHECKING:
    from extdns.ports import Clock, Lease


def may_write(lease: Lease) -> bool:
    """Whether a write may begin now, on any thread."""
    return lease.left_s() >= WRITE_S


class Candidacy:
    """Tells each change of the lead once."""

    def __init__(self, lease: Lease, clock: Clock, put: Callable[[Input], None]) -> None:
        """Go by *lease*; *put* wakes the engine, from any thread."""
        self._lease = lease
        self._clock = clock
        self._put = put
        self._begun = False
        self.leads = False

    def begin(self) -> None:
        """Stand for election; harmless when called twice."""
        if not self._begun:
            self._begun = True
            self._lease.begin(lambda: self._put(Tick()))

    def news(self) -> Iterator[Led]:
        """The change since the last call, if there was one."""
        if may_write(self._lease) is not self.leads:
            self.leads = not self.leads
            yield Led(leads=self.leads)

    @property
    def wake_s(self) -> float:
        """Monotonic time at which the lead is lost if it is not renewed before, infinity for who does not have it."""
        return self._clock.monotonic_s() + self._lease.left_s() - WRITE_S if self.leads else math.inf

    def facts(self) -> dict[str, str]:
        """Our role and the Lease, for people."""
        return {"role": "leader" if self.leads else "standby", **self._lease.facts()}

    def close(self, *, give_up: bool) -> None:
        """Stand no more; with *give_up* another process may lead at once."""
        self._lease.close(give_up=give_up)
