"""Adopt records that are exactly as objects request and that nobody owns.

A record may have an owner whose affix, naming format or key differs from ours (docs/design/forgery.md). The settings of
other owners are unknown, so each record with a name that an ownership record of `web.example.org` could have is a
possible ownership record::

    PREFIX web .example.org         the prefix may hold the type, and dots
    web SUFFIX .example.org         likewise
    a-web SUFFIX .example.org

It is none if its text states another record, or if its name, read without any affix, is the ownership name of another
existing record.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from extdns.app import assembly
from extdns.app.provider import build_provider
from extdns.app.registry import build_registry, build_registry_context
from extdns.commands.one_pass import FixedStateStore, finish_pass, run_pass
from extdns.config import Config
from extdns.controller.stop_signals import StopSignals
from extdns.documents.migration import AdoptionDocument, build_adoption
from extdns.documents.plan import PassResult
from extdns.model import rrtype
from extdns.model.change import Action, Blocked, ChangeSet, Decision, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OWNED_RECORD, OWNER, OwnedRecord, Record, RecordKey, restate_record
from extdns.model.saved_state import Saved
from extdns.model.value import Value
from extdns.model.zone import Zone
from extdns.planner.proposal import find_differences
from extdns.planner.settings import Policy
from extdns.ports import Registry
from registry.txt.ownership_index import OwnershipTextCodec, is_possibly_encrypted
from registry.txt.spec import build_codec

_SHOWN: Final = 5
_Key = tuple[str, DnsName, str, str]
_NamedRecord = tuple[str, str]
"""The name and type of the record that an ownership record is named after; type "" if its name contains none."""


def adopt(config: Config, *, writes: bool, re_encrypts: bool) -> AdoptionDocument:
    """List the records that can be adopted, and adopt them if *writes* is true and everything could be read.

    If *re_encrypts* is true, encrypt the ownership records of records that are ours with the first key instead.
    """
    is_chosen = partial(_is_outdated, build_codec(build_registry_context(config))) if re_encrypts else _lacks_owner
    result = run_pass(config)
    candidates = {
        one.key: one
        for one in sorted(result.engine.decisions, key=attrgetter("sort_key"))
        if one.current and is_chosen(one.current) and (re_encrypts or _is_candidate(one, config.registry.txt_owner_id))
    }
    taken = writes and not result.missing
    owned = {} if re_encrypts else _find_owned(result, candidates) | _find_contested(result, candidates)
    free = [one for key, one in candidates.items() if key not in owned]
    attempt = _run_adopting_pass(config, free, is_chosen, writes=taken) if free else result
    result = result._replace(missing=tuple(dict.fromkeys((*result.missing, *attempt.missing))))
    refused = _find_refused(candidates, owned, attempt, Reason.PUBLISHED if taken else Reason.OWNERSHIP_RECORD_MISSING)
    refused_keys = {one.key for one in refused}
    records = tuple(one for key, one in candidates.items() if key not in refused_keys)
    return build_adoption(result, records, refused, taken=taken, re_encrypts=re_encrypts)


def _is_candidate(decision: Decision, owner: str) -> bool:
    if decision.reason is not Reason.FOREIGN_RECORD or decision.current is None or decision.desired is None:
        return False
    return not find_differences(decision.current, decision.desired, owner)


def _lacks_owner(owned: OwnedRecord) -> bool:
    return owned.owner is None and not (owned.is_ours or owned.encrypted_name)


def _is_outdated(codec: OwnershipTextCodec, owned: OwnedRecord) -> bool:
    """Return whether *owned* is ours, and none of its ownership records is encrypted with the first key."""
    return owned.is_ours and not any(codec.is_current(record.targets[0]) for record in owned.ownership_records)


def _run_adopting_pass(
    config: Config, chosen: Iterable[Decision], is_chosen: Callable[[OwnedRecord], bool], *, writes: bool
) -> PassResult:
    """Run a pass that writes ownership records of *chosen*. If *writes* is false, the pass only plans."""
    control = config.control
    policy = Policy.UPSERT_ONLY if control.policy == Policy.SYNC else control.policy  # keeps ownership records, too
    config = dataclasses.replace(config, control=control.replace(dry_run=not writes, policy=policy))
    keys = {one.current.key for one in chosen if one.current}
    with StopSignals() as signals:
        running = assembly.assemble(
            config,
            service=build_provider(config),
            state=FixedStateStore(Saved()),
            registry=AdoptingRegistry(build_registry(config), keys, is_chosen),
            needs_approval=True,
        )
        signals.deliver_to(running.controller.stop)
        running.controller.run(once=True, approve=lambda: None)
    return finish_pass(config, running)


def _find_owned(result: PassResult, candidates: Mapping[_Key, Decision]) -> dict[_Key, Decision]:
    """Return decisions, by key, about *candidates* that may have an owner whose key, prefix or suffix is not ours."""
    owned: dict[_Key, Decision] = {}
    registry, codec = build_registry(result.config), build_codec(build_registry_context(result.config))
    for zone_state in result.engine.zones:
        here = {key: one for key, one in candidates.items() if one.zone == zone_state.zone}
        if here:
            above = (other.cache for other in result.engine.zones if _is_above(other.zone, zone_state.zone))
            records = [record for cache in (zone_state.cache, *above) for record in cache.all_records()]
            proving = {text.key for one in registry.read(records, zone_state.zone) for text in one.ownership_records}
            owners = PossibleOwners(records, proving, codec)
            for key, one in here.items():
                if one.current and (owner := owners.find(one.current.record)):
                    owned[key] = _refuse_adoption(one, owner)
    return owned


def _find_contested(result: PassResult, candidates: Mapping[_Key, Decision]) -> dict[_Key, Decision]:
    """Return decisions, by key, about *candidates* whose name objects of several namespaces request: one gets it."""
    contested: dict[_Key, Decision] = {}
    for key, one in candidates.items() if not result.config.sources.merge_across_namespaces else ():
        decisions = [other for other in result.engine.decisions.decisions(one.name) if other.key[:3] == key[:3]]
        namespaces = sorted({by.ref.key.namespace for other in decisions for by in other.requested_by})
        if len(namespaces) > 1 and one.type != rrtype.PTR:
            shown = ", ".join(namespaces[:_SHOWN])
            detail = f"objects of several namespaces request the name: {shown}; adopt it once those of only one do"
            contested[key] = replace(one, action=Action.KEEP, reason=Reason.REQUESTED_BY_OTHER, detail=detail)
    return contested


def _is_above(other: Zone, zone: Zone) -> bool:
    """Return whether *other* is above *zone*, so that it may hold the ownership record of the apex of *zone*."""
    return other.name != zone.name and zone.name.within(other.name)


def _refuse_adoption(decision: Decision, owner: PossibleOwner) -> Decision:
    if owner.owner is None:
        detail = f"TXT {owner.text} looks like the record's ownership record, encrypted with another key"
        return replace(decision, action=Action.KEEP, reason=Reason.OWNERSHIP_RECORD_UNREADABLE, detail=detail)
    detail = (
        f'TXT {owner.text}, an ownership record of "{owner.owner}", may cover the record with another prefix or suffix'
    )
    return replace(decision, action=Action.KEEP, reason=Reason.OWNED_BY_OTHER, detail=detail)


def _find_refused(
    candidates: Mapping[_Key, Decision], owned: Mapping[_Key, Decision], attempt: PassResult, success: Reason
) -> tuple[Decision, ...]:
    decided = {**{one.key: one for one in attempt.engine.decisions if one.current}, **owned}
    return tuple(now for key, one in candidates.items() if (now := decided.get(key, one)).reason is not success)


class AdoptingRegistry:
    """A `Registry` that treats chosen records as ours, and their ownership records as missing.

    The only writes it returns are those of the missing ownership records.
    """

    def __init__(
        self, registry: Registry, chosen: Collection[RecordKey], is_chosen: Callable[[OwnedRecord], bool]
    ) -> None:
        """Choose the records *chosen* as long as *is_chosen* is true for them. For all others, *registry* decides."""
        self._registry = registry
        self._chosen = frozenset(chosen)
        self._is_chosen = is_chosen
        self.owner = registry.owner
        self.covers_all_zones = registry.covers_all_zones
        self.is_ownership_text = registry.is_ownership_text
        self.ownership_name = registry.ownership_name
        self.related_names = registry.related_names

    def read(self, records: Iterable[Record], zone: Zone) -> tuple[OwnedRecord, ...]:
        """Read the owners, with the chosen records as ours but without a current ownership record."""
        return tuple(
            replace(owned, is_ours=True, has_current_format=False)
            if owned.key in self._chosen and self._is_chosen(owned)
            else owned
            for owned in self._registry.read(records, zone)
        )

    def complete(self, change_set: ChangeSet, current: Iterable[Record]) -> ChangeSet | Blocked:
        """Complete only the updates that add an ownership record, and write the records themselves again as they are.

        If *change_set* has no such update, return `Blocked`.
        """
        additions = tuple(
            change
            for change in change_set.changes
            if isinstance(change, Update) and change.key in self._chosen and change.differences == ("ownership record",)
        )
        if not additions:
            return Blocked(reason=Reason.POLICY_KEEPS, detail="extdns adopt writes only ownership records")
        completed = self._registry.complete(replace(change_set, changes=additions), current)
        if isinstance(completed, Blocked):
            return completed
        return replace(completed, writes=tuple(map(self._keep_data, completed.writes)))

    def _keep_data(self, write: Write) -> Write:
        """Return *write*; for a chosen record, one that writes the current data again instead of the desired data."""
        if write.old is None or write.key not in self._chosen:
            return write
        return Write(old=write.old, new=restate_record(write.old))


class PossibleOwner(Value, frozen=True):
    """An owner that a record may have.

    Attributes:
        owner: the owner id that the ownership record states, None if it is encrypted.
    """

    text: DnsName
    owner: str | None


class PossibleOwners:
    """Finds ownership records that could cover a record, among all records of its zone."""

    def __init__(
        self, records: Collection[Record], matched_keys: Iterable[RecordKey], codec: OwnershipTextCodec
    ) -> None:
        """Index the ownership records among all *records* of a zone.

        Those of *matched_keys* are left out: they cover a record by our own settings.
        """
        self._codec = codec
        self._keys = {record.key for record in records}
        self._by_rest: defaultdict[tuple[str, str], list[tuple[str, PossibleOwner, _NamedRecord | None]]] = defaultdict(
            list
        )
        matched = set(matched_keys)
        for record in records:
            if record.type == rrtype.TXT and record.key not in matched:
                self._add_record(record)

    def _add_record(self, record: Record) -> None:
        for labels in filter(None, map(self._codec.decode, record.targets)):
            stated = labels.get(OWNED_RECORD)
            named = (stated, "") if stated else self._find_named(record)
            self._add_owner(record, PossibleOwner(record.name, labels.get(OWNER)), named)
            return
        if any(map(is_possibly_encrypted, record.targets)):
            self._add_owner(record, PossibleOwner(record.name, None), self._find_named(record))

    def _find_named(self, record: Record) -> _NamedRecord | None:
        """Return name and type of the existing record that *record*, read without any affix, covers; or None."""
        rtype, dash, name = record.name.partition("-")
        if not dash or rtype.upper() not in rrtype.OWNABLE:
            return None
        key = RecordKey(DnsName(name), record.set_identifier, rtype.upper())
        return (key.name, key.type) if key in self._keys else None

    def _add_owner(self, record: Record, owner: PossibleOwner, named: _NamedRecord | None) -> None:
        head, rest = "", str(record.name)
        while rest:
            label, _, rest = rest.partition(".")
            head = f"{head}.{label}" if head else label
            self._by_rest[record.set_identifier, rest].append((head, owner, named))

    def find(self, record: Record) -> PossibleOwner | None:
        """Return the first ownership record by name that could cover *record*, with its owner; or None."""
        return min(self._find_all(record), key=lambda found: found.text, default=None)

    def _find_all(self, record: Record) -> Iterator[PossibleOwner]:
        head, _, rest = record.name.partition(".")
        for text, owner, named in self._by_rest.get((record.set_identifier, rest), ()):
            if named in {(record.name, ""), (record.name, record.type)} or (
                named is None and _could_name(text, head, record.type)
            ):
                yield owner


def _could_name(text: str, head: str, rtype: str) -> bool:
    """Return whether an ownership record whose name starts with *text* can cover a record of *rtype* and label *head*.

    *head* is the first label of the record. An ownership record without a type in its name never covers an AAAA
    record. The wildcard replacement of the other owner is unknown, so any text can replace `*`.
    """
    kind = rtype.lower()
    if head == "*":
        return rtype != rrtype.AAAA or kind in text
    if not (text.endswith(head) or text.startswith((head, f"{kind}-{head}", f"cname-{head}"))):
        return False
    return rtype != rrtype.AAAA or kind in text.replace(head, "", 1)
