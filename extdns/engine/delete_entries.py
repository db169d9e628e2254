"""What is known about the deletes of single records (docs/design/delete-safety.md, "States of a delete")."""

from __future__ import annotations

import heapq
import math
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING, Final, TypeVar

from extdns.engine.delete_budget import WINDOW_S, Count, DeleteBudgets
from extdns.model.evidence import ALL_ZONES, Evidence, PendingDelete, Scope, describe_hold, format_scope
from extdns.model.record import OwnedRecord
from extdns.model.saved_state import Approval, SavedGrant
from extdns.model.value import Value
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extdns.model.dns_name import DnsName
    from extdns.model.record import RecordKey

_SPARE_TIMERS: Final = 64
PLAN_APPROVAL: Final = Approval(code="")
"""The approval of a delete by a person who applied a plan."""

_Outer = TypeVar("_Outer")
_Inner = TypeVar("_Inner")


class Hold(Value, frozen=True, kw_only=True):
    """Why a delete is held, and since when.

    Attributes:
        scope: the scope whose code approves the delete; if *by_budget*, the scope whose budget is exceeded.
        since_at: when the hold began (monotonic seconds).
        by_budget: whether a budget is exceeded; if not, the evidence is insufficient.
        by_absence: whether the delete counts in the smaller budget of deletes by absence.
        evidence: the evidence for the delete that was found last.
    """

    scope: Scope
    since_at: float
    by_budget: bool
    by_absence: bool
    evidence: Evidence = Evidence.ORPHAN_UNCLAIMED

    def describe(self, zone: Zone) -> str:
        """Describe why a delete in *zone* is held."""
        scope = format_scope("" if self.scope == ALL_ZONES else zone.name, self.scope.namespace)
        return describe_hold(scope, by_budget=self.by_budget, by_absence=self.by_absence)


class DeleteState(StrEnum):
    """How far the delete of a record is (docs/design/delete-safety.md, "States of a delete")."""

    WAITING = "waiting"
    GRANTED = "granted"
    HELD = "held"
    APPROVED = "approved"
    LOADED = "loaded"
    ENDED = "ended"


@dataclass(slots=True, eq=False, kw_only=True)
class Entry:
    """What is known about the delete of one record. Only `Entries.changing` lets anything change it.

    Attributes:
        zone_id: "" for all zones, as long as the record was not read.
        digest: identifies the record with its ownership records.
        record_id: identifies the record, whatever it contains; "" if only the digest was saved.
        zone, owned: the record; None from the time when the entry is loaded, or the zone leaves the list, until the
            name of the record is planned.
        delete: the evidence now; None if there is none.
        since_at: since when there is evidence (monotonic seconds).
        unresolved_at: when a claim was unresolved first since then; infinity if none was.
        is_granted: whether the delete may be made once the saved state contains the grant.
        granted_revision: the revision of the saved state that contains the last grant; 0 if it was never granted.
        made: a delete that was granted, and counts as made until the record is found to exist.
        approval: how a person approved the delete, until *approved_until* (monotonic seconds).
        counted: how budgets count the delete while it waits, is granted or held; None if they do not.
        timer_at: when the entry has to be looked at again (monotonic seconds).
    """

    zone_id: str
    digest: str
    record_id: str = ""
    zone: Zone | None = None
    owned: OwnedRecord | None = None
    delete: PendingDelete | None = None
    since_at: float = 0.0
    unresolved_at: float = math.inf
    is_granted: bool = False
    granted_revision: int = 0
    made: SavedGrant | None = None
    hold: Hold | None = None
    approval: Approval | None = None
    approved_until: float = math.inf
    counted: Count | None = None
    timer_at: float = math.inf

    @property
    def state(self) -> DeleteState:
        """How far the delete is. A hold does not stop the transfer of its record to another namespace."""
        if not (self.delete or self.hold):
            return DeleteState.ENDED
        if self.owned is None:
            return DeleteState.LOADED
        if self.is_granted:
            return DeleteState.GRANTED
        if self.hold and not (self.delete and self.delete.is_transfer):
            return DeleteState.APPROVED if self.approval else DeleteState.HELD
        return DeleteState.WAITING

    @property
    def is_in_grace(self) -> bool:
        """Whether the delete can be granted when it is due."""
        return self.delete is not None and self.state in {DeleteState.WAITING, DeleteState.APPROVED}

    @property
    def shown(self) -> tuple[Scope, str, Evidence] | None:
        """What people see of a hold that nobody approved: scope, digest and evidence."""
        if self.hold is None or self.owned is None or self.approval:
            return None
        return self.hold.scope, self.digest, self.hold.evidence


class Entries:
    """All entries. It keeps the budgets, the indexes and the timers in step with every change of an entry.

    Attributes:
        by_digest, by_record: the entries by digest, and by record id if it is known.
        by_name: by zone id and name, those whose records were read.
        by_namespace: by zone and namespace of their resources, those whose records were read.
        by_scope: by the scope of the hold, those that are held and whose records were read.
        unread: by zone id, those that the end of a pass drops: loaded ones, and deletes that count as made.
        granted: those that are granted.
        unchecked: scopes in which more deletes wait than when their budgets were compared with the limits last.
        changed: scopes whose held deletes, or the evidence for them, changed.
    """

    def __init__(
        self,
        budgets: DeleteBudgets,
        count_entry: Callable[[Entry, float], Count | None],
        find_due_at: Callable[[Entry], float],
    ) -> None:
        """Start without entries.

        *count_entry* returns how *budgets* count an entry now (monotonic seconds), and *find_due_at* when its delete is
        granted or held; infinity if it waits for nothing.
        """
        self._budgets = budgets
        self._count_entry = count_entry
        self._find_due_at = find_due_at
        self._timers: list[tuple[float, int, Entry]] = []
        self._ticket = count()
        self.by_digest: dict[str, Entry] = {}
        self.by_record: dict[str, Entry] = {}
        self.by_name: dict[tuple[str, DnsName], dict[RecordKey, Entry]] = {}
        self.by_namespace: dict[Scope, dict[str, Entry]] = {}
        self.by_scope: dict[Scope, dict[str, Entry]] = {}
        self.unread: dict[str, dict[str, Entry]] = {}
        self.granted: dict[str, Entry] = {}
        self.unchecked: set[Scope] = set()
        self.changed: set[Scope] = set()

    def __iter__(self) -> Iterator[Entry]:
        """Iterate over a copy of all entries."""
        return iter(tuple(self.by_digest.values()))

    @contextmanager
    def changing(self, entry: Entry, now_s: float) -> Iterator[None]:
        """Take *entry* out of all indexes and budgets while it is changed, and put it back unless nothing is left."""
        shown, counted = entry.shown, entry.counted
        self.remove(entry)
        try:
            yield
        finally:
            if entry.delete or entry.hold or entry.approval or entry.made:
                self._put_in(entry, now_s)
            if entry.shown != shown:
                self.changed.update(one[0] for one in (shown, entry.shown) if one)
            if entry.counted and entry.counted != counted and entry.is_in_grace:
                self.unchecked.update(entry.counted.scopes)

    def remove(self, entry: Entry) -> None:
        """Remove *entry* from all indexes and budgets."""
        if self.by_digest.get(entry.digest) is not entry:
            return
        del self.by_digest[entry.digest]
        self.by_record.pop(entry.record_id, None)
        self.granted.pop(entry.digest, None)
        _remove(self.unread, entry.zone_id, entry.digest)
        if entry.owned:
            _remove(self.by_name, (entry.zone_id, entry.owned.record.name), entry.owned.key)
            _remove(self.by_namespace, Scope(entry.zone_id, entry.owned.namespace), entry.digest)
        if entry.hold:
            _remove(self.by_scope, entry.hold.scope, entry.digest)
        if entry.counted:
            self._budgets.add(entry.counted, -1)
            entry.counted = None

    def _put_in(self, entry: Entry, now_s: float) -> None:
        self.by_digest[entry.digest] = entry
        if entry.record_id:
            self.by_record[entry.record_id] = entry
        if entry.is_granted:
            self.granted[entry.digest] = entry
        if entry.owned is None or entry.made:
            self.unread.setdefault(entry.zone_id, {})[entry.digest] = entry
        if entry.owned:
            self.by_name.setdefault((entry.zone_id, entry.owned.record.name), {})[entry.owned.key] = entry
            scope = Scope(entry.zone_id, entry.owned.namespace)
            self.by_namespace.setdefault(scope, {})[entry.digest] = entry
            if entry.hold:
                self.by_scope.setdefault(entry.hold.scope, {})[entry.digest] = entry
        entry.counted = self._count_entry(entry, now_s)
        if entry.counted:
            self._budgets.add(entry.counted, 1)
        self.set_timer(entry, self._find_due_at(entry))

    def set_timer(self, entry: Entry, due_at: float) -> None:
        """Look at *entry* again when its delete is due, its approval expires, or its hold no longer counts."""
        expires_at = entry.approved_until if entry.approval else math.inf
        counts_until = entry.hold.since_at + WINDOW_S if entry.hold and entry.counted else math.inf
        at_s = min(due_at, expires_at, counts_until)
        if at_s == entry.timer_at:
            return
        entry.timer_at = at_s
        if at_s < math.inf:
            heapq.heappush(self._timers, (at_s, next(self._ticket), entry))
        if len(self._timers) > 2 * len(self.by_digest) + _SPARE_TIMERS:
            self._timers = [timer for timer in self._timers if self._is_pending(timer[2], timer[0])]
            heapq.heapify(self._timers)

    def _is_pending(self, entry: Entry, at_s: float) -> bool:
        """Return whether the timer of *entry* at this time is still the one that counts."""
        return entry.timer_at == at_s and self.by_digest.get(entry.digest) is entry

    @property
    def next_timer_at(self) -> float:
        """When an entry has to be looked at again (monotonic seconds), infinity if never."""
        return self._timers[0][0] if self._timers else math.inf

    def take_expired(self, now_s: float) -> Iterator[Entry]:
        """Yield the entries that have to be looked at again, and set their next timers."""
        while self._timers and self._timers[0][0] <= now_s:
            at_s, _, entry = heapq.heappop(self._timers)
            if self._is_pending(entry, at_s):
                entry.timer_at = math.inf
                yield entry


def _remove(index: dict[_Outer, dict[_Inner, Entry]], key: _Outer, inner: _Inner) -> None:
    """Remove an entry from an index, with the key if it was the last."""
    found = index.get(key, {})
    found.pop(inner, None)
    if not found:
        index.pop(key, None)
