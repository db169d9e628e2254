"""Changes of records, and the change sets in which they reach a zone (design 2, laws 5-6)."""

from __future__ import annotations

from collections.abc import Sequence

from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, Record, RecordKey
from extdns.model.value import Value
from extdns.model.zone import Zone


class Create(Value, frozen=True, kw_only=True):
    """Make a record set where none of its key stands."""

    wanted: Endpoint

    @property
    def key(self) -> RecordKey:
        """The identity of the record set to make."""
        return self.wanted.key


class Update(Value, frozen=True, kw_only=True):
    """Replace a record set of ours by another of the same key.

    Attributes:
        differences: what differs, in words that messages use: `targets`, `ttl`, `properties`,
            `mark`, `owner`.
    """

    held: Owned
    wanted: Endpoint
    differences: tuple[str, ...]

    @property
    def key(self) -> RecordKey:
        """The identity of the record set to replace."""
        return self.held.key


class Delete(Value, frozen=True, kw_only=True):
    """Remove a record set of ours."""

    held: Owned
    evidence: Evidence

    @property
    def key(self) -> RecordKey:
        """The identity of the record set to remove."""
        return self.held.key


Change = Create | Update | Delete


class Write(Value, frozen=True, kw_only=True):
    """One record set before and after, mark or not.

    Attributes:
        old: what must stand there now, exactly; None: nothing may.
        new: what shall stand there; None: nothing. Equal content restates the record, which makes
            the batch fail if somebody else changed it.
    """

    old: Record | None
    new: Endpoint | None

    @property
    def key(self) -> RecordKey:
        """The identity of the record set that is written."""
        if self.new is not None:
            return self.new.key
        if self.old is None:
            msg = "a write needs a record before or after"
            raise ValueError(msg)
        return self.old.key


class ChangeSet(Value, frozen=True, kw_only=True):
    """Changes of one name in one zone that happen together or not at all (law 6).

    Attributes:
        changes: sorted by key.
        writes: what the registry made of them, marks included, sorted by key; empty before
            `Registry.complete`.
    """

    zone: Zone
    name: DnsName
    changes: tuple[Change, ...]
    writes: tuple[Write, ...] = ()


def alike(one: Sequence[ChangeSet], other: Sequence[ChangeSet]) -> bool:
    """Tell whether both do the same to the same records; what encrypted marks hide is never equal."""
    return [_gist(change_set) for change_set in one] == [_gist(change_set) for change_set in other]


def _gist(change_set: ChangeSet) -> object:
    return change_set.changes, [(write.key, write.old) for write in change_set.writes]


class Blocked(Value, frozen=True, kw_only=True):
    """A change set that cannot be made, for a reason that a person can act on."""

    reason: Reason
    detail: str


class Batch(Value, frozen=True, kw_only=True):
    """Change sets submitted to one zone in one call, sorted by name.

    Attributes:
        number: unique within the process, rising.
    """

    number: int
    zone: Zone
    sets: tuple[ChangeSet, ...]

    @property
    def writes(self) -> tuple[Write, ...]:
        """All writes of the batch, in the order of its sets."""
        return tuple(write for change_set in self.sets for write in change_set.writes)
