"""Deletes of one zone on their way to the write queue: grace, budget, held, released (design 6).

::

    evidence ─▶ grace ─▶ granted ─▶ kept ─▶ gone
                  │ ▲       ▲
                  ▼ │       │ budget eases, or a person releases it
                 cleared   held

Planning weighs each delete when it plans a name; `advance` moves those whose time has come, and
returns the names to plan again. What is granted is made once the next process would know of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from extdns.engine.budget import Budget
from extdns.engine.releases import Releases, digest
from extdns.model.change import Blocked
from extdns.model.evidence import Evidence
from extdns.model.held import Held, Waiting
from extdns.model.reason import WITHHELD, Reason

if TYPE_CHECKING:
    from extdns.engine.deletesettings import DeleteSettings
    from extdns.model.name import DnsName
    from extdns.model.ownership import Owned
    from extdns.model.record import RecordKey
    from extdns.model.zone import Zone

_WAITED = {Evidence.ABSENT, Evidence.ORPHAN_GONE}
"""Confirmed at least the grace after it was first seen: another grace is not needed."""


class _Stage(Enum):
    GRACE = auto()
    HELD = auto()
    GRANTED = auto()


@dataclass(slots=True)
class _Pending:
    owned: Owned
    evidence: Evidence
    since_s: float
    digest: str
    stage: _Stage = _Stage.GRACE
    released: bool = False
    passes_on: bool = False
    granted_at: int = 0  # the change with which it was granted last; from then on it may be on its way

    @property
    def counts(self) -> bool:
        return not (self.released or self.passes_on)


_WAITING: Final = {
    _Stage.GRACE: Blocked(reason=Reason.IN_GRACE, detail=""),
    _Stage.HELD: Blocked(reason=Reason.HELD, detail=""),
}


class Deletes:
    """The deletes of one zone that have evidence and were not made yet.

    Attributes:
        zone: whose they are.
        budget: what may be deleted without a person's word.
        releases: what a person released.
        accepted: whether records that nobody asked for since start may go: the settings that decide
            what is wanted are those under which this zone was once in order.
        shown: the code of what is held, and the evidence for each.
        changes: rises whenever something changed that the next process should know.
    """

    def __init__(self, zone: Zone, settings: DeleteSettings) -> None:
        """Start with none."""
        self.zone = zone
        self._settings = settings
        self._pending: dict[DnsName, dict[RecordKey, _Pending]] = {}
        self._weighed: set[RecordKey] = set()
        self._next_s = math.inf
        self._kept = math.inf
        self.shown: tuple[str, tuple[Evidence, ...]] = ("", ())
        self.changes = 0
        self.budget = Budget(settings.limits)
        self.releases = Releases(settings.releases)
        self.accepted = False

    def weigh(self, owned: Owned, evidence: Evidence, now_s: float, *, passes_on: bool = False) -> Evidence | Blocked:
        """*evidence*, if *owned* may go now; else what it waits for.

        What only *passes on* to another object waits for the grace alone: no name is lost.
        """
        if self._settings.at_once:
            return evidence
        self._weighed.add(owned.key)
        at_name = self._pending.setdefault(owned.record.name, {})
        entry = at_name.get(owned.key)
        if entry is None or entry.owned.record != owned.record or entry.owned.marks != owned.marks:
            since_s = now_s if entry is None else entry.since_s
            entry = _Pending(owned, evidence, since_s, digest(self._settings.owner, self.zone, owned))
            at_name[owned.key] = entry
            self._next_s = now_s
        elif entry.evidence is not evidence:
            if Evidence.STALE in {entry.evidence, evidence}:  # whose time is another one
                entry.since_s = now_s
            entry.evidence = evidence
            self._next_s = now_s
        if entry.passes_on is not passes_on:
            entry.passes_on, self._next_s = passes_on, now_s
        if entry.stage is _Stage.GRANTED:
            return evidence if entry.granted_at <= self._kept else _WAITING[_Stage.GRACE]
        if not (self._sufficient(entry) or entry.released):
            return Blocked(reason=Reason.ORPHAN_UNCLAIMED, detail=f"held: nobody asks for it; {_made_for(owned)}")
        return _WAITING[entry.stage]

    def unless_stale(self, owned: Owned, standing: Evidence | Blocked, now_s: float) -> Evidence | Blocked:
        """*standing*, but that a record whose object cannot say its target may go after `--stale-hold`.

        With `--compat` only what fails keeps a record, and it does so without limit, as in the reference.
        """
        if self._settings.stale_hold_s is None or self._settings.at_once:
            return standing
        if isinstance(standing, Evidence) or standing.reason not in WITHHELD:
            return standing
        answer = self.weigh(owned, Evidence.STALE, now_s)
        return standing if isinstance(answer, Blocked) and answer.reason is Reason.IN_GRACE else answer

    def planned(self, name: DnsName, standing: Container[RecordKey], now_s: float) -> None:
        """*name* was planned, and *standing* is what holds records there: what was not weighed is over.

        Either its evidence broke off, and it would have to begin anew; or it is gone.
        """
        weighed, self._weighed = self._weighed, set()
        at_name = self._pending.get(name)
        if not at_name:
            return
        for key in [key for key in at_name if key not in weighed]:
            entry = at_name.pop(key)
            if self.releases.forget(entry.digest):
                self.changes += 1
            elif entry.granted_at and key not in standing:
                self.budget.spend(now_s, by_absence=entry.evidence.by_absence)
                self.changes += 1
            self._next_s = now_s
        if not at_name:
            del self._pending[name]

    def advance(self, now_s: float) -> set[DnsName]:
        """Let time pass; returns the names whose deletes may go now, or no more."""
        if now_s < self._next_s:
            return set()
        self.releases.expire(now_s)
        moved = self._restage(now_s)
        shown = self._show()
        if shown and self._release(tuple(self.releases.given), now_s):
            moved |= self._restage(now_s)
            self._show()
        if moved or shown:
            self.changes += 1
        self._next_s = self._wake_s(now_s)
        return moved

    def release(self, codes: Iterable[str], now_s: float) -> None:
        """Release what waits still of the sets that were shown under *codes*."""
        if self._release(codes, now_s):
            self._next_s = now_s
            self.changes += 1

    def _release(self, codes: Iterable[str], now_s: float) -> bool:
        waiting = {entry.digest for entry in self._entries()}
        found = [self.releases.release(code, waiting, now_s) for code in codes]
        return any(found)

    def retain(self, belongs: Callable[[DnsName], bool]) -> None:
        """Drop what is to go at names that do not belong to the zone any more."""
        for name in [name for name in self._pending if not belongs(name)]:
            del self._pending[name]
            self._next_s = -math.inf

    def keep(self, changes: float) -> set[DnsName]:
        """The next process knows of all up to *changes*; returns the names whose deletes may go because of that."""
        before, self._kept = self._kept, changes
        granted = (entry for entry in self._entries() if entry.stage is _Stage.GRANTED)
        return {entry.owned.record.name for entry in granted if before < entry.granted_at <= changes}

    def accept(self, now_s: float) -> None:
        """The settings are those under which this zone was once in order."""
        self.accepted, self._next_s = True, now_s
        self.changes += 1

    def recall(self) -> set[DnsName]:
        """Somebody else decides from now on; returns the names of the deletes that were to go or held.

        What was deleted goes on to count, and does so twice once the state that tells of it is restored: that
        may hold a delete, and lets none pass.
        """
        recalled = [entry for entry in self._entries() if entry.stage is not _Stage.GRACE]
        for entry in recalled:
            entry.stage = _Stage.GRACE
        self.accepted, self._next_s = False, -math.inf
        self._show()
        return {entry.owned.record.name for entry in recalled}

    @property
    def granted(self) -> tuple[bool, ...]:
        """Of each delete that may be on its way and counts, whether it rests on absence."""
        granted = (entry for entry in self._entries() if entry.granted_at and entry.counts)
        return tuple(entry.evidence.by_absence for entry in granted)

    @property
    def held(self) -> tuple[Held, ...]:
        """The deletes that wait for a person, by the key of the record."""
        held = (Held(owned=one.owned, evidence=one.evidence) for one in self._entries() if one.stage is _Stage.HELD)
        return tuple(sorted(held, key=lambda one: one.owned.key))

    @property
    def waiting(self) -> dict[RecordKey, Waiting]:
        """The deletes that were not made yet, also those that wait for a person."""
        return {entry.owned.key: self._waiting(entry) for entry in self._entries()}

    @property
    def undecided(self) -> bool:
        """Whether records stand that nobody asked for since start and nobody released."""
        return any(not (self._sufficient(entry) or entry.released) for entry in self._entries())

    @property
    def wake_s(self) -> float:
        """When `advance` is due (monotonic seconds), infinity if nothing waits for time."""
        return self._next_s

    def _entries(self) -> Iterator[_Pending]:
        return (entry for at_name in self._pending.values() for entry in at_name.values())

    def _waiting(self, entry: _Pending) -> Waiting:
        ends_s = self._due_s(entry) if entry.stage is _Stage.GRACE else None
        return Waiting(evidence=entry.evidence, grace_ends_s=ends_s)

    def _show(self) -> bool:
        """Take note of what is held; returns whether that is something else than before, or for another reason."""
        held = {entry.digest: entry.evidence for entry in self._entries() if entry.stage is _Stage.HELD}
        self.releases.show(held)
        before, self.shown = self.shown, (self.releases.code, tuple(why for _, why in sorted(held.items())))
        return self.shown != before

    def _sufficient(self, entry: _Pending) -> bool:
        if entry.evidence.by_absence and not self._settings.owner:  # without marks, nothing proves that it was ours
            return False
        return entry.evidence.sufficient or self.accepted

    def _restage(self, now_s: float) -> set[DnsName]:
        """Give each delete its stage; returns the names of those that changed it."""
        counts = {True: 0, False: 0}
        for entry in self._entries():
            entry.released = self.releases.released(entry.digest, now_s)
            if entry.counts and self._sufficient(entry):
                counts[entry.evidence.by_absence] += 1
        over = {
            by_absence: self.budget.exceeded(waiting, now_s, by_absence=by_absence)
            for by_absence, waiting in counts.items()
        }
        moved: set[DnsName] = set()
        for entry in self._entries():
            stage = self._stage(entry, now_s, over=over[entry.evidence.by_absence])
            if stage is not entry.stage:
                entry.stage = stage
                if stage is _Stage.GRANTED:
                    entry.granted_at = self.changes + 1
                moved.add(entry.owned.record.name)
        return moved

    def _stage(self, entry: _Pending, now_s: float, *, over: bool) -> _Stage:
        if not (entry.released or self._sufficient(entry)):
            return _Stage.HELD
        if now_s < self._due_s(entry):  # a person's word stands for evidence and budget, not for the time
            return _Stage.GRACE
        return _Stage.HELD if over and entry.counts else _Stage.GRANTED

    def _due_s(self, entry: _Pending) -> float:
        if entry.evidence in _WAITED:
            return entry.since_s
        if entry.evidence is Evidence.STALE:
            return entry.since_s + (self._settings.stale_hold_s or 0.0)
        return entry.since_s + self._settings.grace_s

    def _wake_s(self, now_s: float) -> float:
        times = [self._due_s(entry) for entry in self._entries() if entry.stage is _Stage.GRACE]
        times += self.releases.until_s.values()
        times.append(self.budget.eases_s)
        return min((time_s for time_s in times if time_s > now_s), default=math.inf)


def _made_for(owned: Owned) -> str:
    return f"made for {owned.resource}" if owned.resource else "its mark names no object"
