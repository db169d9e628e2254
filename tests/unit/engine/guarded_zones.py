"""A delete guard with zones and a clock, for tests without an engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from extdns.engine.delete_budget import list_scopes
from extdns.engine.delete_guard import DeleteGuard
from extdns.engine.delete_settings import DeleteSettings
from extdns.model.change import Blocked
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence, PendingDelete, Scope
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, OwnedRecord, Record
from extdns.model.saved_state import Approval, Saved
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone
from extdns.planner.deletes import find_block
from extdns.planner.view import Facts, NameView

ZONE = Zone(name=DnsName("acme.test"), id="Z1")
GRACE_S = 60.0
GONE = Evidence.OBJECT_DELETED


def record(number: int, namespace: str = "shop", *, zone: Zone = ZONE, target: str = "192.0.2.1") -> OwnedRecord:
    """Build the record of ours with this *number*, whose resource is a Service in *namespace*."""
    labels = StringMap.from_items({RESOURCE: f"service/{namespace}/h{number}"}) if namespace else EMPTY_MAP
    name = DnsName(f"h{number}.{zone.name}")
    current = Record(name=name, type="A", targets=(target,), ttl_s=300)
    return OwnedRecord(record=current, owner="me", is_ours=True, labels=labels)


def records(count: int, namespace: str = "shop", *, zone: Zone = ZONE, first: int = 0) -> list[OwnedRecord]:
    """Build *count* records of ours, numbered from *first*."""
    return [record(number, namespace, zone=zone) for number in range(first, first + count)]


@dataclass(kw_only=True)
class GuardedZones:
    """A guard, zones with records of ours, and a clock.

    Attributes:
        zones: the current records, by zone id and name.
        evidence: the evidence that records have now, by zone id and name.
        deleted: the names whose records were deleted, in order.
    """

    guard: DeleteGuard
    now_s: float = 1000.0
    zones: dict[str, dict[str, tuple[Zone, OwnedRecord]]] = field(default_factory=dict)
    evidence: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)

    def add_records(self, owned: Iterable[OwnedRecord], zone: Zone = ZONE) -> None:
        for one in owned:
            self.zones.setdefault(zone.id, {})[str(one.record.name)] = zone, one
            self._add_owned(zone.id, one, 1)

    def observe_evidence(self, owned: Iterable[OwnedRecord], evidence: Evidence = GONE, zone: Zone = ZONE) -> None:
        """Record evidence for the deletes of records, and plan their names."""
        for one in owned:
            self.evidence[zone.id, str(one.record.name)] = evidence
            self.plan(one, zone)

    def end_evidence(self, owned: Iterable[OwnedRecord]) -> None:
        """Remove the evidence for the deletes of records, and plan their names; nobody requests the records."""
        for one in owned:
            self.evidence.pop((ZONE.id, str(one.record.name)), None)
            self.plan(one)

    def request(self, owned: Iterable[OwnedRecord], zone: Zone = ZONE) -> None:
        """Remove the evidence for the deletes of records, and plan their names as requested by an object."""
        for one in owned:
            self.evidence.pop((zone.id, str(one.record.name)), None)
            current = self.find_current(one, zone)
            keys = frozenset({one.key})
            self.guard.observe(zone, one.record.name, (), self.now_s, current=current, requested=keys)

    def find_current(self, one: OwnedRecord, zone: Zone) -> tuple[OwnedRecord, ...]:
        """Return the current record at the name of *one*."""
        found = self.zones.get(zone.id, {}).get(str(one.record.name))
        return (found[1],) if found else ()

    def plan(self, one: OwnedRecord, zone: Zone = ZONE) -> Reason | None:
        """Plan the name of a record. Return the reason why its delete may not be made now, or None."""
        current = self.find_current(one, zone)
        evidence = self.evidence.get((zone.id, str(one.record.name)))
        deletes = tuple(PendingDelete(owned=owned, evidence=evidence) for owned in current if evidence)
        blocks = [self.find_block(delete, zone) for delete in deletes]
        self.guard.observe(zone, one.record.name, deletes, self.now_s, current=current)
        return next((block.reason for block in blocks if block), None)

    def find_block(self, delete: PendingDelete, zone: Zone = ZONE) -> Blocked | None:
        """Return why *delete* may not be made now, None if it may."""
        return find_block(self.build_view(delete.owned, zone=zone), delete)

    def build_view(self, owned: OwnedRecord, *, zone: Zone = ZONE) -> NameView:
        """Return a view of the name of *owned* with what the guard says about its delete, and nothing else."""
        facts = Facts(
            ended={},
            objects={},
            hosts={},
            unread=(),
            kinds_down={},
            dependencies_down=(),
            unreadable_manifest="",
            failing={},
            hidden=None,
            deletes={owned.key: self.guard.describe(zone, owned)},
        )
        other_cluster = self.guard.cluster.other_id
        return NameView(zone=zone, name=owned.record.name, facts=facts, other_cluster=other_cluster)

    def pass_time(self, seconds: float = 0.0, *, makes_deletes: bool = True) -> None:
        """Let time pass, and grant the deletes that are due. If *makes_deletes*, make the granted ones."""
        end_s = self.now_s + seconds
        while True:
            self.now_s = min(max(self.now_s, self.guard.next_deadline_at), end_s)
            while self.guard.advance(self.now_s):
                if makes_deletes:
                    self.make_deletes()
            if self.now_s >= end_s:
                return

    def make_deletes(self) -> None:
        for (zone_id, name), evidence in sorted(self.evidence.items()):
            found = self.zones.get(zone_id, {}).get(name)
            if found is None:
                continue
            zone, owned = found
            if self.find_block(PendingDelete(owned=owned, evidence=evidence), zone) is None:
                del self.zones[zone_id][name]
                self.deleted.append(name)
                self.guard.observe(zone, owned.record.name, (), self.now_s, current=())
                self._add_owned(zone_id, owned, -1)

    def _add_owned(self, zone_id: str, owned: OwnedRecord, count: int) -> None:
        scopes = list_scopes(zone_id, owned.resource, by_absence=True)
        self.guard.budgets.add_owned(dict.fromkeys(scopes, count), self.now_s)

    def list_reasons(self, owned: Iterable[OwnedRecord], zone: Zone = ZONE) -> set[Reason | None]:
        """Return the reasons why the deletes of records may not be made now."""
        return {self.plan(one, zone) for one in owned if self.find_current(one, zone)}

    def find_codes(self) -> dict[Scope, str]:
        """Return the published codes of held deletes by scope."""
        return {found.scope: found.code for found in self.guard.held_sets() if found.code}

    def find_held(self) -> dict[Scope, set[str]]:
        """Return the first labels of the names of held deletes by scope."""
        held_sets = self.guard.held_sets()
        assert all(found.scope.zone_id == (found.zone.id if found.zone else "") for found in held_sets)
        return {found.scope: {one.owned.record.name.partition(".")[0] for one in found.held} for found in held_sets}

    def approve(self, *codes: str) -> None:
        """Approve the held deletes with *codes*."""
        self.guard.approve([Approval(code=code) for code in codes], self.now_s)

    def restart(self, *, saved: Saved | None = None, is_complete: bool = True, **settings: Any) -> GuardedZones:  # noqa: ANN401 - any field of DeleteSettings
        """Return a new guard that loaded the saved state of this one, or *saved*, and planned every name.

        Args:
            saved: the state to load, None for that of this guard.
            is_complete: whether all zones that the state names are listed.
            settings: replace single delete settings.
        """
        state = self.guard.save(self.now_s) if saved is None else saved
        after = start_guard(now_s=self.now_s, **settings)
        after.guard.load(state, self.now_s)
        after.evidence = self.evidence
        for zone_id, found in self.zones.items():
            after.add_records([owned for _, owned in found.values()], next(iter(found.values()))[0])
            for zone, owned in found.values():
                after.plan(owned, zone)
            after.guard.drop_unread(zone_id, after.now_s)
        if is_complete:
            after.guard.drop_unread("", after.now_s)
        return after


def start_guard(
    *owned: OwnedRecord,
    now_s: float = 1000.0,
    settings_digest: str = "f",
    **settings: Any,  # noqa: ANN401
) -> GuardedZones:
    """Return a started guard for one zone with the records *owned*; *settings* replace single delete settings."""
    chosen = replace(DeleteSettings(owner="me", grace_s=GRACE_S), **settings)
    scene = GuardedZones(guard=DeleteGuard(chosen, settings_digest), now_s=now_s)
    scene.guard.start(now_s)
    scene.add_records(owned)
    return scene


def hold_deletes(count: int = 31) -> GuardedZones:
    """Return a scene with a hundred records, the deletes of *count* of which are held."""
    scene = start_guard(*records(100))
    scene.observe_evidence(records(count))
    scene.pass_time(GRACE_S)
    assert scene.list_reasons(records(count)) == {Reason.HELD}
    return scene
