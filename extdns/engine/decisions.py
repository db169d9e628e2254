"""The last decisions about every name, and what they wait for.

A plan says what its decisions wait for (`NamePlan.waits_for`). From these waits the engine derives which objects to
request with GET, and which names become dirty when an answer or an object arrives or when all claims can be computed.
So no name can wait for an answer that was not requested, and every answer leads to planning the names that wait for it.
For the other waits the part of the engine that ends them, such as the delete guard, returns the names to plan again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain, repeat
from typing import Final, NamedTuple

from extdns.engine.delete_budget import CountedName, identify_name, list_scopes
from extdns.model.change import Action, Decision, Wait
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Scope
from extdns.model.reason import Category, Reason, select_reasons

FAILING = frozenset(reason for reason in Reason if reason.row.fails)
IN_SYNC = select_reasons(Category.IN_SYNC)
CHANGING = frozenset({Action.CREATE, Action.UPDATE, Action.DELETE})


def is_held_decision(decision: Decision) -> bool:
    """Return whether *decision* is a held delete, or an update held for another cluster, which waits for a person.

    A delete with the same reason is not held: it was planned in a dry run, or is made with `--compat`.
    """
    return decision.action is Action.KEEP and decision.reason.row.is_held


class Decisions:
    """The last decisions of every name.

    Attributes:
        reasons: how many decisions there are of each reason.
        owned: how many records are ours, by zone id.
        unjudged: how many names were not judged when they were planned last (`Planned.unjudged`), by zone id.
        unjudged_by_name: these names, each with the ids of those zones.
        revision: grows with every change.
    """

    def __init__(self) -> None:
        """Start without decisions."""
        self._by_name: dict[DnsName, tuple[Decision, ...]] = {}
        self.reasons: Counter[Reason] = Counter()
        self.owned: Counter[str] = Counter()
        self._added_owned: Counter[Scope] = Counter()
        self.unjudged: Counter[str] = Counter()
        self.unjudged_by_name: dict[DnsName, AbstractSet[str]] = {}
        self.revision = 0

    def decisions(self, name: DnsName) -> tuple[Decision, ...]:
        """Return the decisions about *name*, sorted."""
        return self._by_name.get(name, ())

    def __iter__(self) -> Iterator[Decision]:
        """Return all decisions, sorted by name."""
        return chain.from_iterable([self._by_name[name] for name in sorted(self._by_name)])

    def by_name(self) -> Iterator[tuple[DnsName, tuple[Decision, ...]]]:
        """Return every name with its decisions, sorted."""
        return ((name, self._by_name[name]) for name in sorted(self._by_name))

    def replace(self, name: DnsName, decided: Iterable[Decision]) -> tuple[Decision, ...]:
        """Replace the decisions about *name* by *decided*; return those that were not among the former ones."""
        new = tuple(decided)
        if len(new) > 1:
            new = tuple(sorted(new, key=lambda decision: decision.sort_key))
        old = self._by_name.get(name, ())
        if new == old:
            return ()
        self.revision += 1
        self._count(old, -1)
        self._count(new, 1)
        if new:
            self._by_name[name] = new
        else:
            self._by_name.pop(name, None)
        known = set(old)
        return tuple([decision for decision in new if decision not in known]) if old else new

    def _count(self, decisions: Iterable[Decision], step: int) -> None:
        names: set[tuple[Scope, CountedName]] = set()
        for one in decisions:
            self.reasons[one.reason] += step
            if one.zone and one.current and one.current.is_ours:
                self.owned[one.zone.id] += step
                identity = identify_name(one.zone.id, one.current.key)
                names.update(zip(list_scopes(one.zone.id, one.current.resource, by_absence=True), repeat(identity)))
        for scope, _ in names:
            self._added_owned[scope] += step

    def take_added_owned(self) -> Counter[Scope]:
        """Return, by scope of a delete budget, how many names with records of ours were added since the last call.

        A name whose records pass from one namespace to another is removed from one and added to the other.
        """
        added, self._added_owned = self._added_owned, Counter()
        return added

    def replace_unjudged(self, name: DnsName, zone_ids: AbstractSet[str]) -> None:
        """Replace the zones, by id, in which *name* was not judged when it was planned last."""
        if name not in self.unjudged_by_name and not zone_ids:  # nearly every name
            return
        self.unjudged.subtract(self.unjudged_by_name.pop(name, ()))
        self.unjudged.update(zone_ids)
        if zone_ids:
            self.unjudged_by_name[name] = zone_ids

    def copy(self) -> Decisions:
        """Return a copy, which later changes of these decisions do not affect."""
        copied = Decisions()
        copied._by_name = dict(self._by_name)
        copied.reasons, copied.revision = self.reasons.copy(), self.revision
        return copied

    @property
    def failing(self) -> int:
        """The number of decisions whose reason is a failure."""
        return sum(self.reasons[reason] for reason in FAILING)


_NOBODY: Final[frozenset[DnsName]] = frozenset()


class ZoneWait(NamedTuple):
    """What the decisions about a name in one zone wait for; an empty zone id means no particular zone."""

    zone: str
    wait: Wait


class Waits:
    """What each name waits for, and which names wait for each thing. Only names that wait take memory."""

    def __init__(self) -> None:
        """Start with no waits."""
        self._by_name: dict[DnsName, tuple[ZoneWait, ...]] = {}
        self._names: dict[Wait, set[DnsName]] = {}

    def waits(self, name: DnsName) -> tuple[ZoneWait, ...]:
        """Return what *name* waits for, in each of its zones."""
        return self._by_name.get(name, ())

    def names(self, wait: Wait) -> AbstractSet[DnsName]:
        """Return the names that wait for *wait*."""
        return self._names.get(wait, _NOBODY)

    def all_names(self) -> AbstractSet[DnsName]:
        """Return every name that waits for something."""
        return self._by_name.keys()

    def replace(self, name: DnsName, waits: Iterable[ZoneWait]) -> list[Wait]:
        """Replace the waits of *name*; return the former ones that no other name shares."""
        new = tuple(dict.fromkeys(waits))
        old = self._by_name.get(name, ())
        if new == old:
            return []
        if new:
            self._by_name[name] = new
        else:
            del self._by_name[name]
        before, after = {one.wait for one in old}, {one.wait for one in new}
        for wait in after - before:
            self._names.setdefault(wait, set()).add(name)
        return [wait for wait in before - after if self._drop(wait, name)]

    def _drop(self, wait: Wait, name: DnsName) -> bool:
        names = self._names[wait]
        names.discard(name)
        if not names:
            del self._names[wait]
        return not names
