"""What is uncertain in one zone and must be read before it is planned again (design 4, "Outcome of a batch")."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from extdns.model.change import Batch, ChangeSet
from extdns.model.name import DnsName


@dataclass(slots=True)
class Doubts:
    """Names that a conflict was about, or that are to be looked at before a write, and a batch that was not answered.

    Of such a batch the first and the last name are read. Are they as they were, then the batch was
    not applied, and is sent again; are they not, then all its names are read.

    Attributes:
        batch: the batch without an answer, None if there is none.
        resent: names of a batch that was not applied when they were read, and may be yet.
    """

    batch: Batch | None = None
    resent: frozenset[DnsName] = frozenset()
    _names: frozenset[DnsName] = frozenset()
    _ends: frozenset[DnsName] = frozenset()
    _ask: set[DnsName] = field(default_factory=set)
    _asked: frozenset[DnsName] = frozenset()

    def about(self, name: DnsName) -> bool:
        """Tell whether *name* has to be read before it is planned again."""
        return name in self._ask or name in self._asked or name in self._names

    def __bool__(self) -> bool:
        """Whether anything is uncertain."""
        return bool(self._ask or self._asked or self.batch)

    def conflict(self, batch: Batch, names: Collection[DnsName]) -> None:
        """Something was not as *batch* said at *names*; a batch sent twice may have been applied the first time."""
        if self.repeats(batch):
            self.unanswered(batch)
        else:
            self._ask |= _written(batch, names)

    def repeats(self, batch: Batch) -> bool:
        """Tell whether *batch* holds something that was sent before and may yet be applied."""
        return not self.resent.isdisjoint(names_of(batch))

    def check(self, batch: Batch, known: Collection[DnsName]) -> bool:
        """Tell whether all that *batch* writes is *known*; what is not is asked for, and the batch planned anew."""
        written = _written(batch, names_of(batch))
        if written <= frozenset(known):
            return True
        self._ask |= written
        return False

    def unanswered(self, batch: Batch) -> None:
        """*batch* may have been applied or not."""
        names = names_of(batch)
        self.batch, self._names = batch, frozenset(names)
        self._ends = _written(batch, (names[0], names[-1]))
        self._ask |= self._ends

    def suspect(self, sets: Iterable[ChangeSet]) -> None:
        """Somebody else may have written what stands in *sets*."""
        for change_set in sets:
            self._ask |= {change_set.name, *(write.key.name for write in change_set.writes)}

    def ask(self) -> tuple[DnsName, ...]:
        """The names to read now, sorted; () while there are none or an answer is awaited."""
        if self._asked or not self._ask:
            return ()
        self._asked, self._ask = frozenset(self._ask), set()
        return tuple(sorted(self._asked))

    def failed(self) -> None:
        """What was asked for could not be read."""
        self._ask |= self._asked
        self._asked = frozenset()

    def answered(self) -> frozenset[DnsName]:
        """The answer to `ask` is here; returns the names for which it counts: not those in doubt anew."""
        counts = self._asked - self._ask
        self._asked = frozenset()
        return counts

    def weigh(self, read: Collection[DnsName], changed: Collection[DnsName]) -> Collection[DnsName]:
        """Names were *read*, some of which *changed*; returns the names of the batch if it is in doubt no more."""
        if self.batch is None or not self._ends.issubset(read):
            return ()
        written = _written(self.batch, self._names)
        untouched = written.isdisjoint(changed)
        if not untouched and not written.issubset(read):
            self._ask |= written
            return ()
        names = self._names
        self.resent = names if untouched else frozenset()
        self.batch, self._names, self._ends = None, frozenset(), frozenset()
        return names

    def dispel(self) -> None:
        """A batch was applied: nothing is in doubt of what was sent before."""
        self.resent = frozenset()


def names_of(batch: Batch) -> tuple[DnsName, ...]:
    """The names that *batch* changes, in its order, each once."""
    return tuple(dict.fromkeys(change_set.name for change_set in batch.sets))


def blamed(batch: Batch, culprits: Iterable[DnsName]) -> tuple[DnsName, ...]:
    """The names of *batch* whose change sets write something at *culprits*; a mark's name blames its record's."""
    found = frozenset(culprits)
    return tuple(
        dict.fromkeys(
            change_set.name for change_set in batch.sets if any(write.key.name in found for write in change_set.writes)
        )
    )


def _written(batch: Batch, names: Collection[DnsName]) -> frozenset[DnsName]:
    return frozenset(
        write.key.name for change_set in batch.sets if change_set.name in names for write in change_set.writes
    )
