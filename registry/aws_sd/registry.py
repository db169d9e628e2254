"""Implement the registry port with descriptions of services, each a TXT record at the name of its service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked, ChangeSet, Create, Write, build_write
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OWNED_RECORD, OWNER, DesiredRecord, OwnedRecord, Record, RecordKey, restate_record
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone
from registry.txt.ownership_index import ENCODABLE_LABELS, PlainTextCodec, is_ownership_text
from registry.txt.registry import check_owner

_MAX_DESCRIPTION: Final = 1024
_CODEC: Final = PlainTextCodec()


class DescriptionRegistry:
    """Reads and writes ownership in the TXT record that stands for the description of a service."""

    covers_all_zones = False  # a description is in the zone of its record

    def __init__(self, *, owner: str, managed_types: frozenset[str]) -> None:
        """Create a registry for one owner. Only records of *managed_types* can be ours.

        Raises:
            UsageError: *owner* is empty or cannot be read back from a description.
        """
        check_owner(owner, _CODEC)
        self.owner = owner
        self._managed_types = managed_types

    def is_ownership_text(self, target: str) -> bool:
        """Return whether the TXT value *target* would be read as an ownership record, of any owner."""
        return is_ownership_text(target, _CODEC)

    def ownership_name(self, name: DnsName) -> DnsName:
        """Return *name*: the description is that of its service."""
        return name

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:  # noqa: ARG002 - the port passes both
        """Return no names: the ownership of a record depends on no other name."""
        return ()

    def read(self, records: Iterable[Record], zone: Zone) -> tuple[OwnedRecord, ...]:  # noqa: ARG002 - the port passes it
        """Return the records that are not ownership records, with their owners, sorted by key."""
        ordered = sorted(records, key=lambda record: record.key)
        texts = {record.name: (record, labels) for record in ordered if (labels := _read_labels(record)) is not None}
        proving = {record.key for record, _ in texts.values()}
        return tuple(self._describe(record, texts) for record in ordered if record.key not in proving)

    def _describe(self, record: Record, texts: Mapping[DnsName, tuple[Record, StringMap]]) -> OwnedRecord:
        found = texts.get(record.name)
        if found is None or record.type not in self._managed_types or record.set_identifier:
            return OwnedRecord(record=record)
        text, labels = found
        owner = labels.get(OWNER)
        return OwnedRecord(
            record=record,
            owner=owner or None,
            is_ours=owner == self.owner,
            labels=labels.without(OWNER, OWNED_RECORD),
            ownership_records=(text,),
        )

    def complete(self, change_set: ChangeSet, current: Iterable[Record]) -> ChangeSet | Blocked:
        """Return *change_set* with its writes, sorted by key, that of the description included.

        The description goes with the last record of ours, and names its resource as long as one of that stays. A name
        has one service, so that no record can be created at one of somebody else.
        """
        here = [record for record in current if record.name == change_set.name]
        key = RecordKey(change_set.name, "", rrtype.TXT)
        old = next((record for record in here if record.key == key), None)
        writes = [build_write(change) for change in change_set.changes]
        made = [write.new for write in writes if write.new]
        if blocked := self._find_block(change_set, here, old):
            return blocked
        changed = {write.key for write in writes}
        staying = [one for one in self.read(here, change_set.zone) if one.is_ours and one.key not in changed]
        if old and staying and not (made and made[0].resource == staying[0].resource):
            writes.append(Write(old=old, new=restate_record(old)))
        elif made:
            text = self._build_text(made[0], key, old)
            if isinstance(text, Blocked):
                return text
            writes.append(Write(old=old, new=text))
        elif old:
            writes.append(Write(old=old, new=None))
        return replace(change_set, writes=tuple(sorted(writes, key=lambda write: write.key)))

    def _find_block(self, change_set: ChangeSet, here: Iterable[Record], old: Record | None) -> Blocked | None:
        """Return why *change_set* cannot be made among the records *here*, with the TXT record *old*; None if it can.

        A description makes every record of its service ours. So records without owner are adopted together, or not.
        """
        owner = (_read_labels(old) or EMPTY_MAP).get(OWNER) if old else None
        if owner == self.owner:
            return None
        creates = any(isinstance(change, Create) for change in change_set.changes)
        changed = {change.key for change in change_set.changes if not creates}
        others = [record for record in here if record.type in self._managed_types and record.key not in changed]
        if owner and creates:
            detail = f"the service {change_set.name} belongs to owner {owner!r}"
            return Blocked(reason=Reason.OWNED_BY_OTHER, detail=detail)
        if others or (old and creates):
            types = ", ".join(record.type for record in others)
            detail = f"there is a service {change_set.name} whose description names no owner"
            detail += f", and which also has {types}" if types else ""
            return Blocked(reason=Reason.NO_OWNERSHIP_NAME, detail=detail)
        return None

    def _build_text(self, desired: DesiredRecord, key: RecordKey, old: Record | None) -> DesiredRecord | Blocked:
        text = _CODEC.encode(desired.labels.without(OWNED_RECORD).set(OWNER, self.owner))
        if text is None or len(text) - 2 > _MAX_DESCRIPTION:
            detail = (
                f"the labels of {desired.type} {desired.name} do not fit into the description of a service; allowed: "
                f"{ENCODABLE_LABELS}, {_MAX_DESCRIPTION} characters in all"
            )
            return Blocked(reason=Reason.INVALID_ENDPOINT, detail=detail)
        ttl_s = old.ttl_s if old else 0
        return DesiredRecord(name=key.name, type=key.type, targets=(text,), ttl_s=ttl_s)


def _read_labels(record: Record) -> StringMap | None:
    is_candidate = record.type == rrtype.TXT and len(record.targets) == 1 and not record.set_identifier
    return _CODEC.decode(record.targets[0]) if is_candidate else None
