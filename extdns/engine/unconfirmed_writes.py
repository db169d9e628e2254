"""Track the writes of one zone whose effect is unknown, and the names to read before they are planned again.

See docs/design/retries.md, "Write conflicts and unconfirmed writes".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from extdns.engine.batches import find_names

if TYPE_CHECKING:
    from extdns.model.change import Batch, ChangeSet
    from extdns.model.dns_name import DnsName

_NO_NAMES: Final[frozenset[DnsName]] = frozenset()


class UnconfirmedWrites:
    """Names to read, after a write conflict or before a write, and a batch without an answer.

    The first and the last name of such a batch are read, and all of them if the service may apply a part of a batch. If
    they are unchanged, the batch was not applied, and is sent again. If one of them changed, all its names are read.

    Attributes:
        has_atomic_batches: whether the service applies a batch completely or not at all.
        names: all names to read before they are planned again; empty if the effect of every write is known.
        unanswered_batch: the batch without an answer, None if there is none.
        resent: names of batches that had not been applied when they were read, but may still be applied late.
    """

    def __init__(self) -> None:
        """Start without unknown effects."""
        self.has_atomic_batches = True
        self.names = _NO_NAMES
        self.unanswered_batch: Batch | None = None
        self.resent = _NO_NAMES
        self._batch_names = _NO_NAMES
        self._batch_ends = _NO_NAMES
        self._to_read = _NO_NAMES
        self._being_read = _NO_NAMES

    def record_conflict(self, batch: Batch, names: Collection[DnsName]) -> None:
        """Schedule reads of *names*, whose records differed from what *batch* stated.

        If changes of the batch were sent before, they may have been applied late, so check the whole batch again.
        """
        if self.is_resent(batch):
            self.record_unanswered(batch)
        else:
            self._require(_find_written_names(batch.change_sets, names))

    def is_resent(self, batch: Batch) -> bool:
        """Return whether *batch* repeats changes of a batch without an answer, which may still be applied late."""
        return not self.resent.isdisjoint(find_names(batch))

    def require_known(self, batch: Batch, known: Collection[DnsName]) -> bool:
        """Return whether all names that *batch* writes are in *known*. If not, schedule reads of these names."""
        written = _find_written_names(batch.change_sets, find_names(batch))
        if written <= frozenset(known):
            return True
        self._require(written)
        return False

    def record_unanswered(self, batch: Batch) -> None:
        """Store that *batch* got no answer, and schedule the reads that show whether it was applied."""
        names = find_names(batch)
        self.unanswered_batch, self._batch_names = batch, frozenset(names)
        ends = (names[0], names[-1]) if self.has_atomic_batches else names
        self._batch_ends = _find_written_names(batch.change_sets, ends)
        self._require(self._batch_ends)

    def require_sets(self, sets: Iterable[ChangeSet]) -> None:
        """Schedule reads of all names of *sets*, because another process may have written them."""
        self._require({name for one in sets for name in (one.name, *(write.key.name for write in one.writes))})

    def start_read(self) -> tuple[DnsName, ...]:
        """Return the names to read now, sorted; () if there are none or an answer is awaited."""
        if self._being_read or not self._to_read:
            return ()
        self._being_read, self._to_read = self._to_read, _NO_NAMES
        return tuple(sorted(self._being_read))

    def record_read_failure(self) -> None:
        """Schedule another read of the same names, because the last one failed."""
        self._to_read, self._being_read = self._to_read | self._being_read, _NO_NAMES

    def finish_read(self) -> frozenset[DnsName]:
        """End the read under way. Return the names it confirms: those not scheduled again since it was started."""
        confirmed = self._being_read - self._to_read
        self._being_read = _NO_NAMES
        self._update_names()
        return confirmed

    def resolve(self, read: Collection[DnsName], changed: Collection[DnsName]) -> Collection[DnsName]:
        """Decide from the names *read*, and those *changed*, whether the batch without an answer was applied.

        Returns:
            The names of the batch if that is decided; () if it is not, or if there is no such batch.
        """
        batch = self.unanswered_batch
        if batch is None or not self._batch_ends.issubset(read):
            return ()
        written = _find_written_names(batch.change_sets, self._batch_names)
        is_unchanged = written.isdisjoint(changed)
        if not is_unchanged and not written.issubset(read):
            self._require(written)
            return ()
        names = self._batch_names
        self.resent = self.resent | names if is_unchanged else self.resent - names
        self.unanswered_batch, self._batch_names, self._batch_ends = None, _NO_NAMES, _NO_NAMES
        self._update_names()
        return names

    def confirm_all(self) -> None:
        """Forget `resent`: after a later batch was applied, earlier batches can no longer be applied late."""
        self.resent = _NO_NAMES

    def _require(self, names: Iterable[DnsName]) -> None:
        self._to_read |= frozenset(names)
        self._update_names()

    def _update_names(self) -> None:
        self.names = self._to_read | self._being_read | self._batch_names


def _find_written_names(sets: Iterable[ChangeSet], names: Collection[DnsName]) -> frozenset[DnsName]:
    """Return all names written by those change sets of *sets* that change one of *names*, including ownership names."""
    return frozenset(write.key.name for one in sets if one.name in names for write in one.writes)
