"""Compute the size of a DNS UPDATE message with the changes of a batch (docs/design/rfc2136.md, "Writing")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from extdns.model import rrtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.model.change import ChangeSet, Write
    from extdns.model.dns_name import DnsName

_HEADER_BYTES: Final = 12
_ZONE_BYTES: Final = 6  # of the zone section: its type, its class, and what its name takes more than its text
_RECORD_BYTES: Final = 10  # type, class, TTL and the length of the data
_REFERENCE_BYTES: Final = 2
_COMPRESSION_REACH: Final = 0x3FFF
_ADDRESS_BYTES: Final = {rrtype.A: 4, rrtype.AAAA: 16}
_STRING_BYTES: Final = 255
_ABSENT_FOR_CNAME: Final = 30
"""The most record types that must be absent if a CNAME replaces other records."""


class _MessageSize:
    """The size of a message to which records are added in order.

    A name is written once, and then as a pointer to where it was written first. That must be within the first 16 KiB of
    the message (RFC 1035 section 4.1.4). The names in record data are counted without compression.
    """

    def __init__(self, zone: DnsName) -> None:
        self.size = _HEADER_BYTES + len(zone) + _ZONE_BYTES
        self._suffixes: set[str] = {zone}

    def add(self, name: str, count: int, data_bytes: int = 0) -> None:
        """Add *count* records at *name* with *data_bytes* of data together."""
        for _ in range(count):
            suffix = name
            while suffix not in self._suffixes:
                if self.size <= _COMPRESSION_REACH:
                    self._suffixes.add(suffix)
                label, _, suffix = suffix.partition(".")
                self.size += len(label) + 1
            self.size += _REFERENCE_BYTES + _RECORD_BYTES
        self.size += data_bytes


def measure_message(change_sets: Iterable[ChangeSet], zone: DnsName) -> int:
    """Return how many bytes the UPDATE message of *change_sets* takes at most, without a signature.

    Args:
        change_sets: in the order of the batch.
        zone: the name of the zone.
    """
    writes = [write for change_set in change_sets for write in change_set.writes]
    used = {write.key.name for write in writes if write.old is not None}
    message = _MessageSize(zone)
    for write in writes:
        if write.old is not None:
            message.add(write.key.name, len(write.old.targets), _measure_data(write.old.type, write.old.targets))
        elif write.key.type != rrtype.CNAME:
            message.add(write.key.name, 2)
        else:
            message.add(write.key.name, _ABSENT_FOR_CNAME if write.key.name in used else 1)
    for write in filter(_is_change, writes):
        if write.old is not None:
            _add_delete(message, write, zone)
        if write.new is not None:
            message.add(write.key.name, len(write.new.targets), _measure_data(write.new.type, write.new.targets))
    return message.size


def measure_least(change_set: ChangeSet) -> int:
    """Return how many bytes *change_set* takes at least in a message: with pointers as names, and without data."""
    records = 0
    for write in change_set.writes:
        records += max(1, len(write.old.targets) if write.old else 0)
        records += len(write.new.targets) if write.new is not None and _is_change(write) else 0
    return records * (_REFERENCE_BYTES + _RECORD_BYTES)


def _add_delete(message: _MessageSize, write: Write, zone: DnsName) -> None:
    """Add the delete of the old record: as a whole, or value by value if it is the NS record of the *zone* itself."""
    old = write.old
    if old is None:
        return
    if (old.name, old.type) == (zone, rrtype.NS):
        message.add(old.name, len(old.targets), _measure_data(old.type, old.targets))
    else:
        message.add(old.name, 1)


def _is_change(write: Write) -> bool:
    """Return whether *write* changes the record, instead of only requiring that it is as it was read."""
    old, new = write.old, write.new
    return old is None or new is None or (old.targets, old.ttl_s) != (new.targets, new.ttl_s)


def _measure_data(rtype: str, targets: Sequence[str]) -> int:
    """Return how many bytes the data of *targets* takes at most."""
    if rtype in _ADDRESS_BYTES:
        return _ADDRESS_BYTES[rtype] * len(targets)
    more = 0 if rtype == rrtype.TXT else 2  # a TXT value has quotes, which are not sent
    return sum(len(target) + len(target) // _STRING_BYTES + more for target in targets)
