"""What the engine holds at one moment, copied, for readers on other threads (design 4, "Status")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from extdns.engine.health import failures, unread
from extdns.model.decision import Verdict
from extdns.model.reason import Reason
from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.engine.mirror import Mirror
    from extdns.engine.zones import ZoneState
    from extdns.model.decision import Decision
    from extdns.model.held import Held, Waiting
    from extdns.model.name import DnsName
    from extdns.model.ownership import Owned
    from extdns.model.record import RecordKey
    from extdns.model.zone import Zone


class ZoneEntry(Value, frozen=True, kw_only=True):
    """One zone.

    Attributes:
        mirror: a copy of its own.
        read_s: monotonic time at which the last round of reading began, None if none was ended.
        failure: why it cannot be read or written now, "" if it can.
        waiting: names whose changes wait to be written.
        owned: records that are ours.
        deleted: deletes of the last ten minutes that count against the budget.
        held: records whose deletes wait for a person, by key.
        code: releases them, "" if there are none.
        undone: deletes that have evidence and were not made, those that are held among them.
    """

    zone: Zone
    mirror: Mirror
    read_s: float | None
    failure: str
    waiting: int
    owned: int
    deleted: int
    held: tuple[Held, ...]
    code: str
    undone: Mapping[RecordKey, Waiting]


class Snapshot:
    """A copy of the tables of an engine, entries shared: they are frozen. It is made by the engine's thread.

    Attributes:
        decisions: how every name ended.
        claims: who asks for what.
        zones: every zone, sorted.
        failing: what fails, in sentences.
        missing: those of them that leave something unknown.
        leads: whether the process may write.
        all_zones: whether every account has said which zones it has; else a name may lie in one that is not known.
    """

    def __init__(self, engine: Engine) -> None:
        """Copy *engine*, which costs a step of the interpreter for each table."""
        self.decisions = engine.decisions.copy()
        self.claims = engine.claims.copy()
        self.zones = tuple(map(_zone, engine.zones))
        self.failing = failures(engine)
        self.leads = engine.leadership.leads
        self.missing = unread(engine)
        self.all_zones = engine.zones.listed and not engine.zones.failed
        self._placement = engine.zones.placement
        self._plan, self._registry = engine.settings.plan, engine.settings.registry

    def zones_of(self, name: DnsName) -> tuple[Zone, ...]:
        """The zones that *name* belongs to."""
        return self._placement.zones_of(name)

    def unread(self, name: DnsName) -> Iterator[Zone]:
        """Those of the zones that *name* belongs to of which not all is known."""
        zones = self.zones_of(name)
        return (entry.zone for entry in self.zones if entry.zone in zones and not entry.mirror.whole)

    def left_out(self, key: RecordKey) -> Reason | None:
        """Why the configuration lets nobody look at a record set, None if it does."""
        if not self._plan.domains.passes(key.name):
            return Reason.DOMAIN_FILTERED
        return None if key.type in self._plan.managed_types else Reason.TYPE_UNMANAGED

    def around(self, name: DnsName, mirror: Mirror) -> tuple[Owned, ...]:
        """The records of *mirror* at *name* and at names whose marks may lie there, without marks."""
        related = self._registry.related
        near = {name, *related(name)}
        near.update(*map(related, tuple(near)))
        return self._registry.read(mirror.around(name, near - {name}))

    def undone(self, decision: Decision) -> Waiting | None:
        """The delete that *decision* puts off, None if there is none."""
        if decision.held is None or decision.verdict is not Verdict.KEEP:
            return None
        key = decision.held.key
        return next((entry.undone.get(key) for entry in self.zones if entry.zone == decision.zone), None)


def _zone(state: ZoneState) -> ZoneEntry:
    budget, deletes = state.deletes.budget, state.deletes
    return ZoneEntry(
        zone=state.zone,
        mirror=state.mirror.copy(),
        read_s=state.audit.read_s,
        failure=state.audit.backoff.message or state.writes.forbidden,
        waiting=len(state.writes.pending),
        owned=budget.owned,
        deleted=len(budget.made),
        held=deletes.held,
        code=deletes.releases.code,
        undone=deletes.waiting,
    )
