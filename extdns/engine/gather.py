"""Gather what decides about one name, as frozen values (docs/design/architecture.md, "Planning one name").

The planner sees nothing of claims, zones, GET requests and the delete guard but what this module copies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.engine.batches import complete, project_records
from extdns.engine.parent_zones import (
    check_shared,
    find_parent_zone,
    lacks_ownership_name,
    read_owned,
    read_parent_zone,
    read_records,
)
from extdns.model import rrtype
from extdns.model.change import ZONES, Awaited, Blocked, Wait
from extdns.model.claim import Derivation, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import parse_namespace
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.planner.settings import Planner
from extdns.planner.view import Facts, NameView, ObjectFacts, ObjectInput, RuleFacts

if TYPE_CHECKING:
    from extdns.engine.adjustments import Adjustments
    from extdns.engine.parts import EngineParts
    from extdns.engine.rule_state import RuleState
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones, ZoneState
    from extdns.model.change import Decision
    from extdns.model.claim import NameClaim
    from extdns.model.evidence import Evidence
    from extdns.model.kind import ObjectKey
    from extdns.model.record import OwnedRecord


_MAY_BE_TEXTS: Final = frozenset({rrtype.UNREADABLE, rrtype.UNREADABLE + rrtype.TXT})


def build_planner(settings: EngineSettings, adjustments: Adjustments, rules: RuleState) -> Planner:
    """Return the settings and functions with which every name is planned."""
    return Planner(
        settings=settings.plan,
        adjust=adjustments.adjust,
        complete=partial(complete, registry=settings.registry, capabilities=settings.capabilities),
        evaluate=rules.evaluate,
        kinds=settings.kinds,
        namespaces=settings.namespaces,
        expires_unresolved=settings.deletes.unresolved_timeout_s is not None and not settings.deletes.immediate,
    )


def gather_view(
    zone_state: ZoneState,
    sharing: Sequence[ZoneState],
    name: DnsName,
    parts: EngineParts,
    *,
    claims: tuple[NameClaim, ...],
    former: tuple[Decision, ...],
) -> NameView:
    """Return what is needed to plan *name* in a zone that was fully read. The facts are gathered if they can matter.

    Args:
        zone_state: the state of one of the zones of the name.
        sharing: the other zones in which the ownership records of the name matter (`find_sharing_zones`).
        name: the name.
        parts: the parts of the engine; not changed.
        claims: the claims to the name.
        former: the last decisions about it.
    """
    registry = parts.settings.registry
    parent = find_parent_zone(parts.zones, zone_state, name, registry)
    related = registry.related_names(name, zone_state.zone)
    records = zone_state.cache.records_around(name, related)
    if parent:
        records += read_parent_zone(parent, zone_state, related)
    current = read_owned(registry, records, name, zone_state.zone)
    may_lack = not parent and (parts.settings.plan.compat or name == zone_state.zone.name)  # else nothing depends on it
    elsewhere: list[OwnedRecord] = []
    if sharing:
        read = [(zone_state, current)]
        for other in sharing:
            around = read_records(parts.zones, other, name, registry)
            read.append((other, read_owned(registry, around, name, other.zone)))
        current, *others = check_shared(read, name, claims, former, parts.settings.plan)
        elsewhere += map(partial(_select_shared, zones=parts.zones), chain.from_iterable(others))
    view = NameView(
        zone=zone_state.zone,
        name=name,
        parent=parent.zone if parent else None,
        lacks_ownership_name=may_lack and lacks_ownership_name(zone_state.zone, name, registry),
        claims=claims,
        current=current,
        expected=tuple(project_records(records, zone_state.queue.list_outstanding(related), name, related)),
        elsewhere=tuple(elsewhere),
        block=_find_block(zone_state, name, records, current, parts),
        other_cluster=parts.delete_guard.cluster.other_id,
        former=former,
        may_be_merged=parts.delete_guard.merged.select(zone_state.zone.id, current) if len(claims) > 1 else frozenset(),
        rules=_gather_rules(claims, current, parts) if parts.rules.is_active else None,
    )
    if parent or (sharing and any(rrtype.is_row(record.type) for record in records)):
        view = replace(view, leftovers=_find_leftovers(view, records, parts.settings))
    is_needed = parts.phases.down or parts.rules.is_active or (current and not claims)  # else `plan_name` finds out
    return gather_facts(view, parts) if is_needed else view


def _select_shared(owned: OwnedRecord, zones: Zones) -> OwnedRecord:
    """Return *owned* without the ownership records that are for its own zone alone."""
    if zones.find_by_name(owned.record.name):
        return owned
    rows = [one for one in owned.ownership_records if rrtype.is_row(one.type)]
    return replace(owned, ownership_records=tuple(rows))


def _find_leftovers(view: NameView, records: Sequence[Record], settings: EngineSettings) -> tuple[Record, ...]:
    """Return the ownership records in the parent zone, and rows, by which another record at the name would be ours.

    One without a type in its name can also cover a record of a type that is not managed now. The NS and SOA records
    that every zone has do not count.

    Args:
        view: the name, its records and its records elsewhere.
        records: those of the name and its related names.
        settings: the settings of the engine.
    """
    identifiers = {record.set_identifier for record in records}
    others = [
        Record(name=view.name, type=rtype, targets=(), ttl_s=0, set_identifier=identifier)
        for identifier, rtype in product(identifiers, settings.plan.managed_types)
    ]
    keys = {record.key for record in records}
    others = [one for one in others if one.key not in keys]
    found = read_owned(settings.registry, (*records, *others), view.name, view.zone)
    known = (*view.current, *view.elsewhere)
    covered = Counter(one.key for owned in known for one in owned.ownership_records)
    used = {one.key for owned in known if owned.is_ours for one in owned.ownership_records}
    used.update(key for key, count in covered.items() if count > 1 and not rrtype.is_row(key.type))
    ours = [owned for owned in found if owned.is_ours and owned.owner == settings.plan.owner]
    unused = {one for owned in ours for one in owned.ownership_records if one.key not in used}
    types = {owned.record.type for owned in known}
    if not types <= {*settings.plan.managed_types, rrtype.NS, rrtype.SOA}:
        unused = {one for one in unused if _states_type(one, others, view, settings)}
    outside = {one for one in unused if view.parent and not one.name.within(view.name)}
    return tuple(sorted(outside.union(one for one in unused if rrtype.is_row(one.type)), key=lambda record: record.key))


def _states_type(text: Record, others: Iterable[Record], view: NameView, settings: EngineSettings) -> bool:
    """Return whether the name of the ownership record *text* states the type of the only one of *others* it covers."""
    found = read_owned(settings.registry, (text, *others), view.name, view.zone)
    return any(owned.is_ours and owned.has_current_format for owned in found)


def gather_former_view(
    zone_state: ZoneState, name: DnsName, homes: Iterable[ZoneState], parts: EngineParts
) -> NameView:
    """Return what is needed to keep our records of *name* in a zone, because it belongs to the zones *homes* now."""
    registry = parts.settings.registry
    records = zone_state.cache.records_around(name, registry.related_names(name, zone_state.zone))
    current = read_owned(registry, records, name, zone_state.zone)
    detail = f"the name belongs to {', '.join(str(home.zone) for home in homes)}"
    block = Blocked(reason=Reason.ZONE_MOVED, detail=detail)
    return NameView(
        zone=zone_state.zone, name=name, current=tuple([one for one in current if one.is_ours]), block=block
    )


def _find_block(
    zone_state: ZoneState,
    name: DnsName,
    records: Iterable[Record],
    current: Iterable[OwnedRecord],
    parts: EngineParts,
) -> Blocked | None:
    """Return why nothing at *name* may change, None if it may.

    The zone is no longer listed; the zones of an account are unknown, and no record is ours; or a record cannot be read
    that is at the name, or may be an ownership record at a related name.
    """
    unknown = parts.zones.unknown_accounts
    if zone_state.missing_since_at is not None:
        detail = f"zone {zone_state.zone} is missing in the list of zones"
        return Blocked(reason=Reason.ZONE_GONE, detail=detail, waits_for=(ZONES,))
    if unknown and not any(owned.is_ours for owned in current):
        accounts = ", ".join(account or "the account" for account in unknown)
        detail = f"the zones of {accounts} are unknown"
        return Blocked(reason=Reason.ZONES_UNKNOWN, detail=detail, waits_for=(ZONES,))
    unreadable = [
        text
        for record in records
        if record.type in _MAY_BE_TEXTS or (record.name == name and rrtype.is_unreadable(record.type))
        for text in record.targets
    ]
    if not unreadable:
        return None
    waits = (Wait(Awaited.ZONE, zone_state.zone.id),)
    return Blocked(reason=Reason.RECORD_UNREADABLE, detail="; ".join(sorted(unreadable)), waits_for=waits)


def gather_facts(view: NameView, parts: EngineParts) -> NameView:
    """Return *view* with everything on which deletes and updates of our records depend."""
    ours = [owned for owned in view.current if owned.is_ours]
    find = parts.planner.find_object
    ended: dict[str, dict[str, Evidence | Blocked]] = {}
    for (identifier, resource), end in sorted(parts.claims.list_ended(view.name).items()):
        ended.setdefault(identifier, {})[resource] = end
    pointers = [owned for owned in ours if owned.record.type == rrtype.PTR]
    hosts = [DnsName(target) for one in pointers for target in one.record.targets]
    named = [find(owned.resource) for owned in ours]
    named += [find(resource) for resource in {resource: None for ends in ended.values() for resource in ends}]
    named += [claim.provenance.ref.key for claim in view.claims]
    keys = dict.fromkeys(filter(None, named))
    namespaces = {"", *(owned.namespace for owned in ours)}
    missing = [one for key in keys for one in parts.claims.missing_dependencies(key)]
    facts = Facts(
        ended=ended,
        objects={key: _gather_object(key, parts) for key in (*keys, *missing)},
        hosts={host: _list_host_claims(host, pointers, parts) for host in hosts},
        unread=tuple(
            Wait(Awaited.ZONE, one.zone.id)
            for host in hosts
            for one in parts.zones.containing(host)
            if not one.cache.is_complete
        ),
        kinds_down={kind: parts.phases.phase(kind) for kind in parts.phases.down},
        dependencies_down=tuple(parts.phases.dependencies_down),
        unreadable_manifest=parts.problems.unidentified,
        failing={one: found for one in namespaces if (found := parts.claims.find_failing(one))},
        hidden=parts.claims.find_hidden_request(None),
        deletes={owned.key: parts.delete_guard.describe(view.zone, owned) for owned in ours},
    )
    return replace(view, facts=facts)


def _list_host_claims(host: DnsName, pointers: Iterable[OwnedRecord], parts: EngineParts) -> tuple[NameClaim, ...]:
    """Return the claims to *host* that may keep it in the PTR records *pointers*.

    Left out are those of objects that rules deny the name, and of namespaces that have neither one of *pointers* nor a
    record at *host*. If no zone of *host* is known, all namespaces may have one.
    """
    decisions, settings = parts.decisions.decisions(host), parts.settings
    denied = {by.ref for one in decisions if one.reason is Reason.POLICY_DENIED for by in one.requested_by}
    claims = tuple([claim for claim in parts.claims.claims(host) if claim.provenance.ref not in denied])
    zones = parts.zones.containing(host)
    is_known = bool(zones) and all(one.cache.is_complete for one in zones)
    if not is_known or not any(isinstance(claim, UnresolvedClaim) for claim in claims):
        return claims
    found = [*pointers]
    for one in zones:
        records = read_records(parts.zones, one, host, settings.registry)
        found += [owned for owned in read_owned(settings.registry, records, host, one.zone) if owned.is_ours]
    namespaces = {claim.provenance.ref.key.namespace for claim in claims}
    having = {one for one in namespaces if any(settings.plan.is_requested_by(owned, (one,)) for owned in found)}
    return tuple([claim for claim in claims if claim.provenance.ref.key.namespace in having])


def _gather_object(key: ObjectKey, parts: EngineParts) -> ObjectFacts:
    return ObjectFacts(
        is_known=parts.claims.has_object(key),
        exists=parts.checks.exists(key),
        failure=parts.claims.find_failure(key) or parts.problems.find_problem(key),
        missing=parts.claims.missing_dependencies(key),
        hidden=parts.claims.find_hidden_request(key),
    )


def _gather_rules(claims: Iterable[NameClaim], current: Iterable[OwnedRecord], parts: EngineParts) -> RuleFacts:
    """Return what rules see besides the records of the name. An object can be read before its new namespace is."""
    rules = parts.rules
    requesters = {}
    for key in dict.fromkeys(claim.provenance.ref.key for claim in claims):
        requesters[key] = ObjectInput(rules.find_object(key), rules.find_namespace(key.namespace))
    resources = {}
    for resource in dict.fromkeys(owned.resource for owned in current if owned.is_ours):
        found = parts.planner.find_object(resource)
        is_known = found is not None and parts.claims.has_object(found)
        namespace = rules.find_namespace(parse_namespace(resource), may_be_gone=not is_known)
        resources[resource] = ObjectInput(rules.find_object(found) if found else None, namespace)
    resolved = [one for one in claims if isinstance(one, ResolvedClaim)]
    derived = [one.desired for one in resolved if one.provenance.derivation is Derivation.PTR]
    hosts = [DnsName(target) for record in derived for target in record.targets]
    decisions = {host: parts.decisions.decisions(host) for host in hosts}
    return RuleFacts(requesters=requesters, resources=resources, hosts=decisions)
