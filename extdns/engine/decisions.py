"""The decisions in force, one entry a name, replaced one by one (design 4, "Status")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.zone import Zone

FAILING = frozenset(
    {
        Reason.REFUSED,
        Reason.FOUGHT_OVER,
        Reason.ZONE_FORBIDDEN,
        Reason.NO_ANSWER,
        Reason.TRY_LATER,
        Reason.POLICY_KEEPS_TYPE,
        Reason.ROUTING_CONFLICT,
        Reason.NO_OWNERSHIP_NAME,
        Reason.TOO_LARGE,
        Reason.UNSUPPORTED,
        Reason.INVALID_TARGET,
        Reason.MARK_CLASH,
        Reason.OBJECT_FAILED,
        Reason.RECORD_UNREADABLE,
    }
)
IN_ORDER = frozenset({Reason.PROGRAMMED, Reason.MERGED_BEFORE})
"""Reasons of records that stand as they should."""
CHANGING = frozenset({Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE})
_HELD = frozenset({Reason.HELD, Reason.ORPHAN_UNCLAIMED})
_OPEN = frozenset(
    {Reason.OBJECT_FAILED, Reason.SOURCE_DOWN, Reason.ABSENT, Reason.ORPHAN_GONE, Reason.RECORD_UNREADABLE}
)


def held(decision: Decision) -> bool:
    """Tell whether a delete waits for a person.

    A delete with the same reason is no hold: it may be planned in a dry run, or made under `--compat`.
    """
    return decision.verdict is Verdict.KEEP and decision.reason in _HELD


class Decisions:
    """The last decisions of every name.

    Attributes:
        reasons: how many decisions there are of each reason.
        revision: grows with every change.
    """

    def __init__(self) -> None:
        """Start without any."""
        self._by_name: dict[DnsName, tuple[Decision, ...]] = {}
        self.reasons: Counter[Reason] = Counter()
        self.revision = 0

    def of(self, name: DnsName) -> tuple[Decision, ...]:
        """The decisions of *name*, sorted by their order."""
        return self._by_name.get(name, ())

    def __iter__(self) -> Iterator[Decision]:
        """All decisions, by name."""
        return (decision for _, decided in self.by_name() for decision in decided)

    def by_name(self) -> Iterator[tuple[DnsName, tuple[Decision, ...]]]:
        """Every name about which something is decided, sorted, with its decisions."""
        return ((name, self._by_name[name]) for name in sorted(self._by_name))

    def put(self, name: DnsName, decided: Iterable[Decision]) -> tuple[Decision, ...]:
        """Replace what was decided for *name*; returns the decisions that are new."""
        new = tuple(decided)
        if len(new) > 1:
            new = tuple(sorted(new, key=lambda decision: decision.order))
        old = self._by_name.get(name, ())
        if new == old:
            return ()
        self.revision += 1
        for decision in old:
            self.reasons[decision.reason] -= 1
        for decision in new:
            self.reasons[decision.reason] += 1
        if new:
            self._by_name[name] = new
        else:
            self._by_name.pop(name, None)
        return tuple([decision for decision in new if decision not in old]) if old else new

    def open_at(self, names: Iterable[DnsName]) -> set[Zone]:
        """The zones in which it cannot be told yet what becomes of a record that stands at one of *names*."""
        found = (decision for name in names for decision in self.of(name))
        return {one.zone for one in found if one.zone and one.verdict is Verdict.KEEP and one.reason in _OPEN}

    def copy(self) -> Decisions:
        """The same decisions, in a table that does not change."""
        copied = Decisions()
        copied._by_name = dict(self._by_name)
        copied.reasons, copied.revision = self.reasons.copy(), self.revision
        return copied

    @property
    def failing(self) -> int:
        """How many decisions are failures: refused, forbidden, without answer, or not computable."""
        return sum(self.reasons[reason] for reason in FAILING)
