"""The write queue of one zone: one batch in flight, outcomes, quarantine (design 4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from extdns.engine.backoff import Backoff
from extdns.engine.packing import pack
from extdns.model.change import Batch, ChangeSet
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, Refused, TryLater, Unknown
from extdns.model.zone import Traits

_SINGLES_UNTIL_FORBIDDEN = 3


@dataclass(slots=True)
class Quarantine:
    """A name whose change the service refused; tried again after a pause, or when the change is another one."""

    refused: tuple[ChangeSet, ...]
    message: str
    backoff: Backoff = field(default_factory=lambda: Backoff(first_s=60.0, most_s=3600.0))


@dataclass(slots=True)
class Writes:
    """Change sets on their way to one zone.

    Attributes:
        pending: by name, what is planned and not sent.
        in_flight: the batch that has no outcome yet.
        doubtful: a batch without an answer; its names are read before anything else.
        quarantine: by name.
        forbidden: why the whole zone is closed to us, "" if it is not.
        backoff: pause of the zone, after throttling or while it is forbidden.
    """

    pending: dict[DnsName, tuple[ChangeSet, ...]] = field(default_factory=dict)
    in_flight: Batch | None = None
    doubtful: Batch | None = None
    quarantine: dict[DnsName, Quarantine] = field(default_factory=dict)
    forbidden: str = ""
    backoff: Backoff = field(default_factory=Backoff)
    _flying: frozenset[DnsName] = frozenset()
    _groups: deque[tuple[DnsName, ...]] = field(default_factory=deque)
    _singles: int = 0
    _probed: DnsName | None = None
    _conflicts: dict[DnsName, Backoff] = field(default_factory=dict)

    def busy(self, name: DnsName) -> bool:
        """Tell whether a write of *name* awaits its outcome; it is planned again afterwards."""
        return name in self._flying

    def names_in_flight(self) -> set[DnsName]:
        """Every name, marks' names included, that a batch without outcome writes."""
        batch = self.in_flight or self.doubtful
        return {write.key.name for write in batch.writes} if batch else set()

    def plan(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> Quarantine | None:
        """Put what is now planned for *name* in the place of what was; tells the quarantine it is in."""
        quarantine = self.quarantine.get(name)
        if quarantine and (quarantine.refused != sets or not sets):
            del self.quarantine[name]
            quarantine = None
        if sets and not (quarantine and not quarantine.backoff.over(now_s)):
            self.pending[name] = sets
        else:
            self.pending.pop(name, None)
        return quarantine

    def next_batch(self, number: int, traits: Traits, now_s: float) -> Batch | None:
        """The batch to send now, which then is in flight; None while there is none or a pause lasts."""
        if self.in_flight or self.doubtful or not self.pending or not self.backoff.over(now_s):
            return None
        ready = (
            name for name in self._next_names() if name not in self._conflicts or self._conflicts[name].over(now_s)
        )
        sets = pack((change_set for name in ready for change_set in self.pending[name]), traits)
        if not sets:
            return None
        sets = tuple(sorted(sets, key=lambda change_set: (change_set.name, change_set.writes[0].key)))
        self._flying = frozenset(change_set.name for change_set in sets)
        for name in self._flying:
            del self.pending[name]
        self.in_flight = Batch(number=number, zone=sets[0].zone, sets=sets)
        return self.in_flight

    def _next_names(self) -> Iterable[DnsName]:
        """First come, first served; what a refusal split is sent part by part."""
        if self.forbidden:
            return self._probe()
        while self._groups:
            group = [name for name in self._groups.popleft() if name in self.pending]
            if group:
                return group
        return self.pending

    def _probe(self) -> Iterable[DnsName]:
        """One name, each time another: the right may be missing for some only."""
        names = sorted(self.pending)
        later = [name for name in names if self._probed is None or name > self._probed]
        self._probed = (later or names)[0]
        return (self._probed,)

    def _landed(self, *, doubtful: Batch | None = None) -> None:
        self.in_flight, self.doubtful = None, doubtful
        if doubtful is None:
            self._flying = frozenset()

    def settle(self) -> tuple[DnsName, ...]:
        """The doubtful batch's names were read; they are to be planned again."""
        names = _names(self.doubtful) if self.doubtful else ()
        self._landed()
        return names

    def applied(self, batch: Batch) -> None:
        """The batch is done: forget what went wrong with its names and with the zone."""
        self._landed()
        self.backoff.succeed()
        self.forbidden, self._singles = "", 0
        for change_set in batch.sets:
            self.quarantine.pop(change_set.name, None)
            self._conflicts.pop(change_set.name, None)

    def failed(self, batch: Batch, outcome: Outcome, now_s: float) -> tuple[DnsName, ...]:
        """The batch was not applied; returns the names to read again. Its names are to be planned again."""
        self._landed(doubtful=batch if isinstance(outcome, Unknown) else None)
        names = _names(batch)
        match outcome:
            case Conflict(culprits=culprits):
                return self._conflict(tuple(name for name in names if name in culprits) or names, now_s)
            case Refused(message=message, culprits=culprits):
                self._refused(batch, message, tuple(name for name in names if name in culprits), now_s)
            case Forbidden(message=message):
                self._forbid(batch, message, now_s)
            case TryLater(retry_after_s=retry_after_s):
                self.backoff.fail(now_s, retry_after_s)
            case Applied() | Unknown():
                pass
            case _:
                assert_never(outcome)
        return ()

    def _conflict(self, names: tuple[DnsName, ...], now_s: float) -> tuple[DnsName, ...]:
        """The first conflict of a name is planned again at once, later ones after growing pauses."""
        for name in names:
            if name in self._conflicts:
                self._conflicts[name].fail(now_s)
            else:
                self._conflicts[name] = Backoff(most_s=60.0)
        return names

    def _refused(self, batch: Batch, message: str, culprits: tuple[DnsName, ...], now_s: float) -> None:
        names = _names(batch)
        if culprits or len(names) == 1:
            self._set_aside(batch, culprits or names, message, now_s)
            return
        middle = len(names) // 2
        self._groups.extendleft((names[middle:], names[:middle]))

    def _forbid(self, batch: Batch, message: str, now_s: float) -> None:
        if len(_names(batch)) == 1:
            self._singles += 1
        if self._singles >= _SINGLES_UNTIL_FORBIDDEN or self.forbidden:
            self.forbidden = message
            self._groups.clear()
            self.backoff.fail(now_s, 30.0)
        else:
            self._refused(batch, message, (), now_s)

    def _set_aside(self, batch: Batch, culprits: Iterable[DnsName], message: str, now_s: float) -> None:
        for name in culprits:
            sets = tuple(change_set for change_set in batch.sets if change_set.name == name)
            quarantine = self.quarantine.setdefault(name, Quarantine(refused=sets, message=message))
            quarantine.refused, quarantine.message = sets, message
            quarantine.backoff.fail(now_s)

    def wake_s(self, now_s: float) -> float | None:
        """When a pause that stands in the way of something ends."""
        pauses = [self.backoff.until_s] if self.pending else []
        pauses += [pause.until_s for name, pause in self._conflicts.items() if name in self.pending]
        pauses += [quarantine.backoff.until_s for quarantine in self.quarantine.values()]
        return min((until_s for until_s in pauses if until_s > now_s), default=None)

    def retriable(self, now_s: float) -> list[DnsName]:
        """Names whose quarantine is over and that are not planned yet."""
        return [
            name
            for name, quarantine in self.quarantine.items()
            if quarantine.backoff.over(now_s) and name not in self.pending and not self.busy(name)
        ]


def _names(batch: Batch) -> tuple[DnsName, ...]:
    return tuple(dict.fromkeys(change_set.name for change_set in batch.sets))
