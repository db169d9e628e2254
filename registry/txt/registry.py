"""Implement the registry port with TXT records: read the owners of records, and complete change sets.

See docs/spec/plan.md 3.2 and docs/design/architecture.md, "Ports".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from operator import attrgetter

from msgspec.structs import replace

from extdns.errors import UsageError, sanitize
from extdns.model.change import Blocked, ChangeSet, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OWNED_RECORD, OWNER, RESOURCE, OwnedRecord, Record, RecordKey
from extdns.model.rrtype import TXT
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from registry.txt.naming import NamingFormat, RelatedNames, build_apex_name
from registry.txt.ownership_index import (
    ENCODABLE_LABELS,
    OwnershipMatch,
    OwnershipTextCodec,
    TxtSettings,
    build_index,
    is_ownership_text,
    is_possibly_encrypted,
)
from registry.txt.writes import build_writes, is_consistent

_CACHED_NAMES = 512  # as many as a batch changes: after it was written, they are looked up to be planned again
_OWNERSHIP_ONLY = {"ownership record", "owner"}
_OWNERSHIP_LABELS = (OWNER, OWNED_RECORD)
_UNCERTAIN_LABELS = (*_OWNERSHIP_LABELS, RESOURCE)


def check_owner(owner: str, codec: OwnershipTextCodec) -> None:
    """Check that *owner* can be the owner id in texts of *codec*.

    Raises:
        UsageError: *owner* is empty or cannot be read back from an ownership record.
    """
    if not owner:
        raise UsageError(
            "--txt-owner-id= is empty\n  allowed: a name for this installation, which must not change later"
        )
    if codec.encode(StringMap.from_items({OWNER: owner})) is None:
        raise UsageError(
            f"--txt-owner-id={sanitize(owner)} cannot be put into an ownership record\n  allowed: {ENCODABLE_LABELS}"
        )


class TxtRegistry:
    """Reads and writes ownership in TXT records next to the records they cover."""

    covers_all_zones = False  # an ownership record is in the zone of its record, or in the parent zone

    def __init__(self, settings: TxtSettings) -> None:
        """Create a registry for one owner.

        Raises:
            UsageError: the owner id is empty or cannot be read back from an ownership record.
        """
        check_owner(settings.owner, settings.codec)
        self.owner = settings.owner
        self._settings = settings
        self._find_related = lru_cache(maxsize=_CACHED_NAMES)(
            RelatedNames(settings.naming, settings.managed_types).find
        )
        # `complete` usually gets the same records as the call of `read` before it.
        self._build_index = lru_cache(maxsize=1)(partial(build_index, settings=settings))

    def is_ownership_text(self, target: str) -> bool:
        """Return whether the TXT value *target* would be read as an ownership record, of any owner."""
        return is_ownership_text(target, self._settings.codec)

    def ownership_name(self, name: DnsName) -> DnsName | None:
        """Return the name that a new ownership record of a record at *name* would have; None if DNS allows none.

        The name contains the type of the record; the first managed type is taken, sorted by name.
        """
        made = (self._settings.naming.build_name(name, rtype) for rtype in sorted(self._settings.managed_types))
        return next(filter(None, made), None)

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:
        """Return the names that must be read together with *name* of *zone*, each once, without *name*."""
        return self._find_related(name, zone.name)

    def read(self, records: Iterable[Record], zone: Zone) -> tuple[OwnedRecord, ...]:
        """Return the records that are not ownership records, with their owners, sorted by key.

        See docs/spec/plan.md 3.2.5. Records of unmanaged types have no owner. During a migration, a record of the
        previous owner is ours and still has that owner's id.
        """
        index = self._build_index(tuple(records), zone.name)
        texts = {record.key: record for record in index.records if record.type == TXT}
        found = [
            self._describe_owned(record, matches)
            if (matches := index.matches.get(record.key))
            else self._describe_unowned(record, texts, zone)
            for record in index.records
        ]
        return tuple(found)

    def _describe_unowned(self, record: Record, texts: Mapping[RecordKey, Record], zone: Zone) -> OwnedRecord:
        if not texts:
            return OwnedRecord(record=record)
        names = [self._settings.naming.build_name(record.name, record.type)]
        if record.name == zone.name:
            names.append(build_apex_name(zone.name, record.type))
        keys = (RecordKey(name, record.set_identifier, TXT) for name in names if name)
        text = next((texts[key] for key in keys if key in texts), None)
        if text is None:
            return OwnedRecord(record=record)
        found = any(self._settings.codec.decode(one) is not None for one in text.targets)
        is_single = len(text.targets) == 1
        return OwnedRecord(
            record=record,
            encrypted_name=str(text.name) if is_single and is_possibly_encrypted(text.targets[0]) else "",
            mixed_name=str(text.name) if found and not is_single else "",
            forged=str(text.name) if found and is_single else "",
        )

    def _describe_owned(self, record: Record, matches: Sequence[OwnershipMatch]) -> OwnedRecord:
        first, certain = matches[0].ownership_record, self._is_unambiguous(matches[0])
        owner = first.owner
        ours = self._settings.is_our_owner(owner)
        covering = [
            match.ownership_record.record
            for match in matches
            if match.ownership_record.owner == owner
            or (ours and self._settings.is_our_owner(match.ownership_record.owner))
        ]
        return OwnedRecord(
            record=record,
            owner=owner or None,
            is_ours=ours,
            labels=first.labels.without(*(_OWNERSHIP_LABELS if certain else _UNCERTAIN_LABELS)),
            ownership_records=tuple(sorted(covering, key=attrgetter("key")) if len(covering) > 1 else covering),
            has_current_format=not ours
            or matches[0].format is NamingFormat.CURRENT
            or self._settings.naming.build_name(record.name, record.type) is None,
            is_unambiguous=certain,
        )

    def _is_unambiguous(self, match: OwnershipMatch) -> bool:
        """Return whether it is certain that the resource stated by the ownership record is the resource of the record.

        An old ownership record at `a-foo` can also belong to an A `foo` that was removed by hand. The deletion of its
        resource is then no evidence for deleting the host `a-foo`.
        """
        found = match.ownership_record
        return (
            match.format is not NamingFormat.UNTYPED
            or found.labels.has(OWNED_RECORD)
            or not self._settings.naming.can_hold_type(found.record.name, self._settings.managed_types)
        )

    def complete(self, change_set: ChangeSet, current: Iterable[Record]) -> ChangeSet | Blocked:
        """Return *change_set* with its writes, sorted by key, those of ownership records included.

        See docs/spec/plan.md 3.2.6. The result is checked by reading it back. If an ownership record would not cover
        its record, or would change the owner of another record, its text states the record. If that does not help
        either, the change set is blocked.
        """
        index = self._build_index(tuple(current), change_set.zone.name)
        for states_record in (False, True):
            draft = build_writes(change_set, index, states_record=states_record)
            if isinstance(draft, Blocked):
                return draft
            if is_consistent(change_set, index, draft):
                writes = draft.list_writes()
                return _block_futile_update(change_set, writes) or replace(change_set, writes=writes)
        return Blocked(
            reason=Reason.DUPLICATE_OWNERSHIP_NAME,
            detail=f"the ownership records of {change_set.name} cannot be distinguished from those of another record",
        )


def _block_futile_update(change_set: ChangeSet, writes: Iterable[Write]) -> Blocked | None:
    """Return `Blocked` if only ownership records are updated and none of *writes* changes the text of one; else None.

    Unless it is blocked, such an update would be planned again and again. If only the naming format is old, the record
    counts as in sync.
    """
    updates = [change for change in change_set.changes if isinstance(change, Update)]
    if not updates:
        return None
    differences = {field for change in updates for field in change.differences or ("nothing",)}
    if not _OWNERSHIP_ONLY.issuperset(differences):
        return None
    keys = {change.key for change in updates}
    is_futile = all(
        write.old and write.new and write.old.targets == write.new.targets for write in writes if write.key not in keys
    )
    if not is_futile:
        return None
    return Blocked(
        reason=Reason.PUBLISHED if differences == {"ownership record"} else Reason.NO_OWNERSHIP_NAME,
        detail=f"{change_set.name} is already ours through an ownership record in an older format; "
        f"zone {change_set.zone} cannot hold one in the newest format",
    )
