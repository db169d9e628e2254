"""Whether we lead, and what was decided while we did not (issue 9, "Leader election").

Who stands by plans like who leads, from the same objects and records, but writes nothing, decides no
delete and tells nobody. Who comes to lead tells everything, and reads again what it would write:
the former leader may have written it.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extdns.engine.decisions import Decisions
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones
    from extdns.model.decision import Decision
    from extdns.model.name import DnsName


class Leadership:
    """What the word that we lead, or do no more, means for names.

    Attributes:
        leads: whether we lead; always, where there is no election.
    """

    def __init__(self, settings: EngineSettings, zones: Zones, decisions: Decisions) -> None:
        """Stand by until `change`, if there is an election."""
        self._zones = zones
        self._decisions = decisions
        self._untold: set[DnsName] = set()
        self.leads = not settings.elects

    def change(self, *, leads: bool) -> set[DnsName]:
        """Lead, or stand by, from now on; returns the names to plan again."""
        self.leads = leads
        if not leads:
            self._untold = set()
            return {name for state in self._zones for name in state.deletes.recall()}
        self._untold = {decision.name for decision in self._decisions}
        for state in self._zones:
            state.writes.doubts.suspect(chain.from_iterable(state.writes.pending.values()))
            state.writes.pending.clear()
        return set()

    def told(self, new: tuple[Decision, ...], dirty: AbstractSet[DnsName]) -> tuple[Decision, ...]:
        """What to tell when the decisions *new* were made, and the names *dirty* are still to be planned."""
        if not self.leads:
            return ()
        late = {name for name in self._untold if not (name in dirty or self._in_doubt(name))}
        if not late:
            return new
        self._untold -= late
        before = [decision for name in late for decision in self._decisions.of(name)]
        others = [decision for decision in new if decision.name not in late]
        return tuple(sorted(before + others, key=lambda decision: decision.order))

    def _in_doubt(self, name: DnsName) -> bool:
        return any(state.writes.doubts.about(name) for state in self._zones.of(name))
