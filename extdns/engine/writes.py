"""The write queue of one zone: one batch in flight, outcomes, quarantine (design 4)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from typing import assert_never

from extdns.engine.backoff import Backoff
from extdns.engine.clashes import Clashes
from extdns.engine.doubts import Doubts, blamed, names_of
from extdns.engine.fights import Fights
from extdns.engine.pace import Pace
from extdns.engine.packing import pack
from extdns.engine.quarantine import Quarantine
from extdns.model.change import Batch, Blocked, ChangeSet, alike
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Forbidden, Refused, TryLater, Unknown
from extdns.model.reason import Reason
from extdns.model.zone import Traits

Failure = Conflict | Refused | Forbidden | TryLater | Unknown

_SINGLES_UNTIL_FORBIDDEN = 3


@dataclass(slots=True)
class Writes:
    """Change sets on their way to one zone.

    Attributes:
        pending: by name, what is planned and not sent.
        in_flight: the batch that has no outcome yet.
        doubts: what must be read first; nothing is sent while a batch is in doubt, nor anything at all where the
            service guards nothing.
        quarantine: by name.
        clashes: names at which something was not as a batch said.
        forbidden: why the whole zone is closed to us, "" if it is not.
        backoff: pause of the zone, after throttling or a lost answer, or while it is forbidden.
    """

    pending: dict[DnsName, tuple[ChangeSet, ...]] = field(default_factory=dict)
    in_flight: Batch | None = None
    doubts: Doubts = field(default_factory=Doubts)
    quarantine: dict[DnsName, Quarantine] = field(default_factory=dict)
    clashes: Clashes = field(default_factory=Clashes)
    forbidden: str = ""
    backoff: Backoff = field(default_factory=lambda: Backoff(first_s=0.25))
    _sent: dict[DnsName, tuple[ChangeSet, ...]] = field(default_factory=dict)
    _groups: deque[tuple[DnsName, ...]] = field(default_factory=deque)
    _singles: int = 0
    _probed: DnsName | None = None
    _why: dict[DnsName, Blocked] = field(default_factory=dict)
    _pace: Pace = field(default_factory=Pace)
    _fights: Fights = field(default_factory=Fights)
    _seen: frozenset[DnsName] = frozenset()

    def busy(self, name: DnsName) -> bool:
        """Tell whether a write of *name* awaits its outcome; it is planned again afterwards."""
        return name in self._sent

    @property
    def waiting(self) -> int:
        """How many names wait to be written, or are being."""
        return len(self.pending) + len(self._sent)

    def names_in_flight(self) -> set[DnsName]:
        """Every name, marks' names included, that a batch without outcome writes."""
        batch = self.in_flight or self.doubts.batch
        return {write.key.name for write in batch.writes} if batch else set()

    def plan(self, name: DnsName, sets: tuple[ChangeSet, ...], now_s: float) -> Blocked | None:
        """Put what is now planned for *name* in the place of what was; returns what holds it up, if anything does."""
        if self.doubts.about(name):
            self.pending.pop(name, None)
            return self._why.get(name)
        quarantine = self.quarantine.get(name)
        if quarantine and not alike(quarantine.refused, sets):
            del self.quarantine[name]
        elif quarantine and not quarantine.backoff.over(now_s):
            self.pending.pop(name, None)
            return quarantine.why
        if not sets:
            self.pending.pop(name, None)
            self.clashes.forget(name)
            self._why.pop(name, None)
            return None
        if fought := self._fights.parry(name, sets, now_s):
            self.pending.pop(name, None)
            return fought
        self.pending[name] = sets
        self.clashes.planned(name, sets)
        if self.forbidden:
            return Blocked(reason=Reason.ZONE_FORBIDDEN, detail=self.forbidden)
        why = self._why.get(name)
        return why if why and max(self.backoff.until_s, self._free_s(name)) > now_s else None

    def ahead(self, names: Collection[DnsName]) -> Iterator[ChangeSet]:
        """What is planned, on its way or in doubt at *names*."""
        if not (self.pending.keys().isdisjoint(names) and self._sent.keys().isdisjoint(names)):
            for name in names:
                yield from self.pending.get(name) or self._sent.get(name, ())
        if self.doubts.batch:
            doubtful = frozenset(names)
            yield from (change_set for change_set in self.doubts.batch.sets if change_set.name in doubtful)

    def withdraw(self, names: AbstractSet[DnsName]) -> dict[DnsName, tuple[ChangeSet, ...]]:
        """Take back what is planned for *names*, which are to be planned again; returns it."""
        return {name: self.pending.pop(name) for name in names & self.pending.keys()}

    def lacking(self, sets: Mapping[DnsName, tuple[ChangeSet, ...]]) -> set[DnsName]:
        """The names of which no longer is planned what is in *sets*."""
        return {name for name, former in sets.items() if not alike(self.pending.get(name, ()), former)}

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Forget the plans of names that no longer belong to the zone."""
        for by_name in (self.pending, self.quarantine, self._why):
            for name in [name for name in by_name if not belongs(name)]:
                del by_name[name]
        self.clashes.retain(belongs)
        self._fights.retain(belongs)

    def next_batch(self, number: int, traits: Traits, now_s: float) -> Batch | None:
        """The batch to send now, which then is in flight; None while there is none or a pause lasts.

        Where the service guards nothing, the names to write must have been read since the last look; else
        they are asked for, as `doubts` say.
        """
        seen, self._seen = self._seen, frozenset()
        waits = self.doubts.batch if traits.guards else self.doubts
        if self.in_flight or waits or not self.pending or not self.backoff.over(now_s):
            return None
        known = () if traits.guards else [name for name in self.pending if name in seen]
        names = known or self._next_names(traits, now_s)
        sets = pack((change_set for name in names for change_set in self.pending[name]), traits)
        if not sets:
            return None
        sets = tuple(sorted(sets, key=lambda change_set: (change_set.name, change_set.writes[0].key)))
        batch = Batch(number=number, zone=sets[0].zone, sets=sets)
        if not traits.guards and not self.doubts.check(batch, seen):
            return None
        self.in_flight = batch
        self._sent = {name: self.pending.pop(name) for name in names_of(batch)}
        return batch

    def answered(self) -> frozenset[DnsName]:
        """As `Doubts.answered`; what was read is as it was for the next look alone."""
        self._seen = self.doubts.answered()
        return self._seen

    def _next_names(self, traits: Traits, now_s: float) -> Iterable[DnsName]:
        """First come, first served; what a refusal split part by part.

        What was refused comes last, and alone if a refusal would not tell which of several it is about; so does
        what was said to clash and did not.
        """
        if self.forbidden:
            return self._probe(now_s)
        while self._groups:
            group = [name for name in self._groups.popleft() if name in self.pending and self._free_s(name) <= now_s]
            if group:
                return group
        ready = (name for name in self.pending if self._free_s(name) <= now_s)
        fresh = (name for name in ready if name not in self.quarantine and not self.clashes.unfounded(name))
        first = next(fresh, None)
        if first is not None:
            return chain((first,), fresh)
        wronged = [name for name in self.pending if self._free_s(name) <= now_s]
        refused = [name for name in wronged if not self.clashes.unfounded(name)]
        return refused if refused and traits.names_culprits else wronged[:1]

    def _probe(self, now_s: float) -> Iterable[DnsName]:
        """One name, each time another: the right may be missing for some only."""
        names = sorted(name for name in self.pending if self._free_s(name) <= now_s)
        later = [name for name in names if self._probed is None or name > self._probed]
        self._probed = next(iter(later or names), self._probed)
        return (later or names)[:1]

    def _free_s(self, name: DnsName) -> float:
        return max(self.clashes.free_s(name), self._pace.free_s(name))

    def applied(self, batch: Batch, now_s: float) -> None:
        """The batch is done: forget what went wrong with its names and with the zone."""
        self.in_flight, self._sent = None, {}
        self.doubts.dispel()
        self.backoff.succeed()
        self.forbidden, self._singles = "", 0
        names = names_of(batch)
        self._pace.wrote(names, now_s)
        self._fights.wrote(batch.sets, now_s)
        for name in names:
            self.quarantine.pop(name, None)
            self.clashes.forget(name)
            self._why.pop(name, None)

    def failed(self, batch: Batch, outcome: Failure, now_s: float) -> None:
        """The batch was not applied, or nobody knows; its names are to be planned again."""
        if isinstance(outcome, Conflict | Refused):  # neither is said to somebody without the right
            self.forbidden, self._singles = "", 0
        match outcome:
            case Conflict(message=message, culprits=culprits):
                self._conflict(batch, message, blamed(batch, culprits), now_s)
            case Refused(message=message, culprits=culprits):
                why = Blocked(reason=Reason.REFUSED, detail=message)
                self._isolate(batch, why, blamed(batch, culprits), now_s)
            case Forbidden(message=message):
                self._forbid(batch, message, now_s)
            case TryLater(message=message, retry_after_s=retry_after_s):
                self.backoff.fail(now_s, retry_after_s)
                self._explain(names_of(batch), Blocked(reason=Reason.TRY_LATER, detail=message))
            case Unknown(message=message):
                self.backoff.fail(now_s)
                self.doubts.unanswered(batch)
                self._explain(names_of(batch), Blocked(reason=Reason.NO_ANSWER, detail=message))
            case _:
                assert_never(outcome)
        self.in_flight, self._sent = None, {}

    def weigh(self, read: Collection[DnsName], changed: Collection[DnsName]) -> Collection[DnsName]:
        """As `Doubts.weigh`; where the batch was applied after all, the zone's pause ends."""
        names = self.doubts.weigh(read, changed)
        if names and not self.doubts.resent:
            self.backoff.succeed()
        return names

    def _explain(self, names: Iterable[DnsName], why: Blocked) -> None:
        self._why.update(dict.fromkeys(names, why))

    def _conflict(self, batch: Batch, message: str, culprits: tuple[DnsName, ...], now_s: float) -> None:
        """Read the culprits again; a conflict that neither the service nor reading makes out is a refusal."""
        names = culprits or names_of(batch)
        vague = not (culprits or self.doubts.repeats(batch))
        if vague and (len(names) > 1 or any(map(self.clashes.unfounded, names))):
            self._isolate(batch, Blocked(reason=Reason.REFUSED, detail=message), (), now_s)
            return
        self._explain(names, Blocked(reason=Reason.CHANGED_MEANWHILE, detail=message))
        self.doubts.conflict(batch, names)
        for name in names:
            self.clashes.met(name, self._sent[name], now_s)

    def _isolate(self, batch: Batch, why: Blocked, culprits: tuple[DnsName, ...], now_s: float) -> None:
        """Set culprits aside; where none is known, send the batch again in halves until there is."""
        names = names_of(batch)
        if not culprits and len(names) > 1:
            middle = len(names) // 2
            self._groups.extendleft((names[middle:], names[:middle]))
            return
        due_s = {quarantine.backoff.until_s for quarantine in self.quarantine.values()}
        for name in culprits or names:
            quarantine = self.quarantine.setdefault(name, Quarantine(refused=self._sent[name], why=why))
            due_s.add(quarantine.renew(self._sent[name], why, now_s, due_s))

    def _forbid(self, batch: Batch, message: str, now_s: float) -> None:
        self._singles += len(names_of(batch)) == 1
        if self._singles >= _SINGLES_UNTIL_FORBIDDEN or self.forbidden:
            self.forbidden = message
            self._groups.clear()
            self.backoff.fail(now_s, 30.0)
        else:
            self._isolate(batch, Blocked(reason=Reason.ZONE_FORBIDDEN, detail=message), (), now_s)

    @property
    def set_aside(self) -> int:
        """How many names wait because the service refused them or somebody changes them back."""
        return len(self.quarantine) + self._fights.left_alone

    def waits(self, lost: Callable[[Backoff], bool]) -> bool:
        """Tell whether something waits to be sent, but for names whose conflicts are *lost*."""
        vain = self.clashes.vain(lost)
        return any(name not in vain for name in self.pending)

    def wake_s(self, now_s: float) -> float | None:
        """When a pause that stands in the way of something ends."""
        pauses = [quarantine.backoff.until_s for quarantine in self.quarantine.values()]
        pauses.append(self._fights.next_s)
        if self.backoff.until_s > now_s:
            pauses.append(self.backoff.until_s)
        elif self.pending and not self.in_flight:
            paused = chain(self.clashes.names(), self._pace.paused())
            pauses += [self._free_s(name) for name in paused if name in self.pending]
        return min((until_s for until_s in pauses if now_s < until_s < math.inf), default=None)

    def retriable(self, now_s: float) -> list[DnsName]:
        """Names whose quarantine is over and that are not planned yet, and those no longer fought over."""
        refused = (
            name
            for name, quarantine in self.quarantine.items()
            if quarantine.backoff.over(now_s)
            and not (name in self.pending or self.busy(name) or self.doubts.about(name))
        )
        return [*refused, *self._fights.over(now_s)]
