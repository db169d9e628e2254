"""Whether planning may begin, and whether this process is the leader (docs/design/retries.md, "The first pass")."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from extdns.model.cluster import KindState, Phase
from extdns.model.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from extdns.engine.decisions import Decisions
    from extdns.engine.delete_guard import DeleteGuard
    from extdns.engine.retries import Deadlines
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones
    from extdns.model.change import Decision
    from extdns.model.dns_name import DnsName

_DOWN = frozenset({Phase.FAILING, Phase.FORBIDDEN, Phase.NOT_SERVED})


class Readiness:
    """The phases of the kinds that sources read, and of the kinds that their objects depend on.

    Planning begins when every kind was listed completely or has failed for some time.

    Attributes:
        is_open: whether planning may begin; stays true from then on.
    """

    def __init__(self, kinds: Iterable[Kind], timeout_s: float, deadlines: Deadlines) -> None:
        """Wait for all *kinds* to be synced. Stop waiting for one that has failed for *timeout_s* seconds."""
        self._phases: dict[Kind, tuple[Phase, float]] = dict.fromkeys(kinds, (Phase.LISTING, 0.0))
        self._timeout_s = timeout_s
        self.is_open = not self._phases
        deadlines.register(self._find_deadlines)

    def report(self, state: KindState, now_s: float) -> None:
        """Record the phase of a kind. A failing kind counts as failing until it is synced, even while it is listed."""
        phase, since_at = self._phases.get(state.kind, (None, now_s))
        is_down = phase in _DOWN and state.phase is not Phase.SYNCED
        if not (is_down and state.phase is Phase.LISTING):
            self._phases[state.kind] = (state.phase, since_at if is_down or phase is state.phase else now_s)
        self.tick(now_s)

    def require(self, kind: Kind) -> None:
        """Wait also for *kind*, which claims depend on and which has not been listed yet."""
        self._phases.setdefault(kind, (Phase.LISTING, 0.0))

    def is_complete(self, now_s: float) -> bool:
        """Return whether every kind is synced or has failed for long enough."""
        for phase, since_at in self._phases.values():
            if phase is not Phase.SYNCED and not (phase in _DOWN and now_s - since_at >= self._timeout_s):
                return False
        return True

    def tick(self, now_s: float) -> bool:
        """Set `is_open` if planning may begin at *now_s*. Return whether that changed now."""
        if self.is_open:
            return False
        self.is_open = self.is_complete(now_s)
        return self.is_open

    def find_missing(self) -> tuple[tuple[str, Phase], ...]:
        """Return the names and phases of the kinds that are not synced."""
        return tuple([(kind.name, phase) for kind, (phase, _) in self._phases.items() if phase is not Phase.SYNCED])

    def _find_deadlines(self, _now_s: float) -> list[float]:
        """Return when the kinds that fail will have failed for long enough."""
        return [since_at + self._timeout_s for phase, since_at in self._phases.values() if phase in _DOWN]


class Leadership:
    """Whether this process is the leader (docs/design/retries.md, "Leader election").

    A standby plans as the leader does, from the same objects and records, but writes nothing, grants no delete and
    reports nothing. A new leader reports all decisions, and reads the names again that it would write: the former
    leader may have written them.

    Attributes:
        is_leader: always true without an election.
        unreported: names whose decisions the new leader has not reported yet.
    """

    def __init__(self, settings: EngineSettings, zones: Zones, decisions: Decisions, guard: DeleteGuard) -> None:
        """Start as a standby if there is an election, else as the leader."""
        self._guard = guard
        self._zones = zones
        self._decisions = decisions
        self.unreported: set[DnsName] = set()
        self.is_leader = not settings.has_election

    def change(self, *, is_leader: bool) -> set[DnsName]:
        """Become the leader or a standby; return the names to plan again."""
        self.is_leader = is_leader
        if not is_leader:
            self.unreported = set()
            return self._guard.demote()
        self.unreported = {decision.name for decision in self._decisions}
        for state in self._zones:
            state.queue.unconfirmed.require_sets(chain.from_iterable(state.queue.queued.values()))
            state.queue.queued.clear()
        return set()

    def select_reportable(self, new: tuple[Decision, ...], dirty: AbstractSet[DnsName]) -> tuple[Decision, ...]:
        """Return the decisions to report, sorted: *new* ones, and after an election all that were not reported yet.

        Decisions about *dirty* names, and about names that are being read again, are reported later.
        """
        if not self.is_leader:
            return ()
        if not self.unreported:
            return new
        ready = {name for name in self.unreported if not (name in dirty or self._is_unconfirmed(name))}
        if not ready:
            return new
        self.unreported -= ready
        former = [decision for name in ready for decision in self._decisions.decisions(name)]
        others = [decision for decision in new if decision.name not in ready]
        return tuple(sorted(former + others, key=lambda decision: decision.sort_key))

    def _is_unconfirmed(self, name: DnsName) -> bool:
        return any(name in state.queue.unconfirmed.names for state in self._zones.containing(name))
