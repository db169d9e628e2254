"""What zones hold: all record sets, and ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.model import rrtype

if TYPE_CHECKING:
    from extdns.engine.engine import Engine
    from extdns.engine.mirror import Mirror
    from extdns.facts.snapshot import Snapshot
    from extdns.model.record import Record
    from extdns.model.zone import Zone

_MARK: Final = '"heritage='


class Holding(NamedTuple):
    """What stands in a zone, marks aside: all record sets, and those of them that are ours."""

    records: int
    ours: int


def holdings(seen: Engine | Snapshot) -> dict[Zone, Holding]:
    """What each zone holds that was read whole; of the others nothing is known."""
    ours = Counter(decision.zone for decision in seen.decisions if decision.held and decision.held.ours)
    return {
        state.zone: Holding(sum(1 for _ in records(state.mirror)), ours[state.zone])
        for state in seen.zones
        if state.mirror.whole
    }


def records(mirror: Mirror) -> Iterator[Record]:
    """The record sets that a zone held when it was last read; marks are left out."""
    return filter(_counts, mirror.records())


def _counts(record: Record) -> bool:
    """Whether it is a record; marks, and what cannot be read, are not counted."""
    if record.type == rrtype.TXT:
        return not any(target.startswith(_MARK) for target in record.targets)
    return record.type != rrtype.UNREADABLE
