"""Treat every record as ours, without ownership records (docs/spec/plan.md 3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from extdns.model.change import ChangeSet, build_write
from extdns.model.dns_name import DnsName
from extdns.model.record import OwnedRecord, Record
from extdns.model.zone import Zone
from registry.txt.ownership_index import PlainTextCodec, is_ownership_text


class NoopRegistry:
    """A registry without ownership records. TXT records are handled like all others."""

    owner = ""
    covers_all_zones = False

    def is_ownership_text(self, target: str) -> bool:
        """Return whether another process, with a txt registry, could read *target* as an ownership record."""
        return is_ownership_text(target, PlainTextCodec())

    def ownership_name(self, name: DnsName) -> None:  # noqa: ARG002 - the port passes a name
        """Return None: there are no ownership records."""
        return

    def related_names(self, name: DnsName, zone: Zone) -> tuple[str, ...]:  # noqa: ARG002 - the port passes both
        """Return no names: the ownership of a record depends on no other name."""
        return ()

    def read(self, records: Iterable[Record], zone: Zone) -> tuple[OwnedRecord, ...]:  # noqa: ARG002 - there are no ownership records
        """Return all *records* as ours, sorted by key."""
        return tuple(
            OwnedRecord(record=record, is_ours=True) for record in sorted(records, key=lambda record: record.key)
        )

    def complete(self, change_set: ChangeSet, current: Iterable[Record]) -> ChangeSet:  # noqa: ARG002 - there are no ownership records
        """Return *change_set* with one write for each change; the writes are sorted by key."""
        writes = sorted(map(build_write, change_set.changes), key=lambda write: write.key)
        return replace(change_set, writes=tuple(writes))
