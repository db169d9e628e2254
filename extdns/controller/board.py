"""What readers on other threads are shown, copied at most once a second, when asked (design 4, "Status")."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.facts.changes import Sent, sent
from extdns.facts.live import Counted, Live
from extdns.facts.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.engine import Engine
    from extdns.model.change import Batch
    from extdns.model.cluster import KindState
    from extdns.model.outcome import Outcome
    from extdns.ports import Clock

_FRESH_S: Final = 1.0
_KEPT_S: Final = 60.0
_PATIENCE_S: Final = 0.05
_FIRST_PATIENCE_S: Final = 3.0
_MOST_CHANGES: Final = 1000


class Board:
    """Written by the thread that runs the engine; read by any, which then waits for a copy for a moment.

    An engine in the middle of a long step is not waited for: the copy of before is shown.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        *,
        kinds: Callable[[], Iterable[KindState]],
        settled: Callable[[], bool],
        wake: Callable[[], None],
    ) -> None:
        """Copy *engine*; *wake* makes its thread call `look` soon."""
        self._engine = engine
        self._clock = clock
        self._kinds = kinds
        self._settled = settled
        self._wake = wake
        self._copied = threading.Condition()
        self._asked = False
        self._counted = Counted()
        self._changes: OrderedDict[object, Sent] = OrderedDict()
        self._sent = 0
        self._live: Live | None = self._copy()  # to be shown while the first step takes its time

    def show(self) -> Live | None:
        """The last copy, as a rule less than a second old; None if there is none and the engine has no time for one."""
        with self._copied:
            if not self._fresh():
                self._asked = True
                self._wake()
                self._copied.wait_for(self._fresh, _PATIENCE_S if self._live else _FIRST_PATIENCE_S)
            return self._live

    def look(self) -> None:
        """Copy if somebody asked; a copy that nobody looks at any more is let go, with all that it holds."""
        if self._asked:
            self._asked = False  # whatever comes of it: a copy that fails must not be tried at every step
            live = self._copy()
            with self._copied:
                self._live = live
                self._copied.notify_all()
        elif self._live and self._clock.monotonic_s() - self._live.at_s > _KEPT_S:
            self._live, self._counted = None, Counted()

    def ended(self, batch: Batch, outcome: Outcome) -> None:
        """A batch has an outcome; what happens to the same change again and again is kept once."""
        for one in sent(batch, outcome, self._engine.decisions, self._clock.now()):
            self._sent += 1
            key: object = self._sent
            if one.outcome != "applied":
                key = (one.zone.id, one.name, one.type, one.set_identifier, one.action, one.outcome, one.detail)
            former = self._changes.pop(key, None)
            self._changes[key] = replace(one, times=former.times + 1) if former else one
            if len(self._changes) > _MOST_CHANGES:
                self._changes.popitem(last=False)

    def _fresh(self) -> bool:
        return self._live is not None and self._clock.monotonic_s() - self._live.at_s < _FRESH_S

    def _copy(self) -> Live:
        return Live(
            Snapshot(self._engine),
            at=self._clock.now(),
            at_s=self._clock.monotonic_s(),
            kinds=tuple(self._kinds()),
            changes=tuple(reversed(self._changes.values())),
            settled=self._settled(),
            counted=self._counted,
        )
