"""Holds of records that this process has not read: an earlier process saved the hold, or the zone is not listed now.

A restored hold becomes an ordinary one (holds.py) when the name of its record is planned. It is found by the id of the
record, because another writer may have edited the record meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.evidence import ALL_ZONES, describe_hold, format_scope
from extdns.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.model.evidence import Scope
    from extdns.model.zone import Zone


class HoldCause(Value, frozen=True, kw_only=True):
    """Why a delete is held, and since when.

    Attributes:
        scope: the scope whose code approves the delete; if *by_budget*, the scope whose budget is exceeded.
        since_at: when the hold began (monotonic seconds).
        by_budget: whether a budget is exceeded; if not, the evidence is insufficient.
        by_absence: whether the delete counts in the smaller budget of deletes by absence.
    """

    scope: Scope
    since_at: float
    by_budget: bool
    by_absence: bool


def describe_cause(cause: HoldCause, zone: Zone) -> str:
    """Describe why a delete in *zone* is held."""
    scope = format_scope("" if cause.scope == ALL_ZONES else zone.name, cause.scope.namespace)
    return describe_hold(scope, by_budget=cause.by_budget, by_absence=cause.by_absence)


class RestoredHold(Value, frozen=True, kw_only=True):
    """The part of a hold that is saved.

    Attributes:
        zone_id: the zone of the record, or "" if it can be any zone.
        record_id: identifies the record, whatever it contains. If an older version saved the hold, this is the digest.
        digest: identifies the record with its content and ownership records, as they were when the hold was saved.
    """

    zone_id: str
    record_id: str
    digest: str
    cause: HoldCause


class RestoredHolds:
    """All restored holds, by record, by digest and by zone.

    Attributes:
        by_zone: the holds by zone id and record id. Zones without holds are left out. Holds whose record can be in any
            zone have the zone id "".
    """

    def __init__(self) -> None:
        self._by_record: dict[str, RestoredHold] = {}
        self._by_digest: dict[str, RestoredHold] = {}
        self.by_zone: dict[str, dict[str, RestoredHold]] = {}

    def __iter__(self) -> Iterator[RestoredHold]:
        """Iterate over a copy of all restored holds."""
        return iter(tuple(self._by_record.values()))

    def __contains__(self, digest: object) -> bool:
        """Return whether a restored hold has this digest."""
        return digest in self._by_digest

    def find(self, record_id: str, digest: str) -> RestoredHold | None:
        """Return the hold of a record; None if there is none. Holds saved by an older version have only the digest."""
        return self._by_record.get(record_id) or self._by_digest.get(digest)

    def add(self, hold: RestoredHold) -> None:
        """Add a hold. If its record has one already, a hold by a budget stays, and any other is replaced.

        A record that was edited can have two: one with its id, and one with its digest that an older version saved.
        """
        same = (self._by_record.get(hold.record_id), self._by_digest.get(hold.digest))
        before = [one for one in dict.fromkeys(same) if one]
        if any(one.cause.by_budget for one in before) and not hold.cause.by_budget:
            return
        for one in before:
            self.remove(one)
        self._by_record[hold.record_id] = self._by_digest[hold.digest] = hold
        self.by_zone.setdefault(hold.zone_id, {})[hold.record_id] = hold

    def remove(self, hold: RestoredHold) -> None:
        """Remove a hold."""
        del self._by_record[hold.record_id], self._by_digest[hold.digest], self.by_zone[hold.zone_id][hold.record_id]
        if not self.by_zone[hold.zone_id]:
            del self.by_zone[hold.zone_id]

    def take_zone(self, zone_id: str) -> tuple[RestoredHold, ...]:
        """Remove and return the holds of a zone; "" for those that can be of any zone."""
        found = tuple(self.by_zone.get(zone_id, {}).values())
        for hold in found:
            self.remove(hold)
        return found
