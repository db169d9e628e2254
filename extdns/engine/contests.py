"""Objects of several namespaces that ask for one name (design 4, "Where claims meet").

Decided for each set identifier of a name alone: the namespace that has it keeps it, else the oldest
object's takes it. Within a namespace claims are merged, as those of the reference are everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from extdns.model.change import Blocked
from extdns.model.claim import Derivation, Wanted
from extdns.model.reason import Reason
from extdns.planner.merge import candidates

if TYPE_CHECKING:
    from extdns.engine.claims import NameClaim
    from extdns.engine.deletes import Deletes
    from extdns.engine.judge import Judge
    from extdns.engine.settings import EngineSettings
    from extdns.model.ownership import Owned

Losers = list[tuple["NameClaim", Blocked]]


class Contests:
    """Tells which claims come to nothing because another namespace has the name."""

    def __init__(self, settings: EngineSettings, judge: Judge) -> None:
        """Judge by what *judge* knows of the objects behind records."""
        self._settings = settings
        self._judge = judge

    def lost(self, deletes: Deletes, held: Sequence[Owned], claims: Sequence[NameClaim], now_s: float) -> Losers:
        """Those of *claims*, all to one name, that lose it to another namespace, each with the reason.

        Args:
            deletes: of the zone; what the former holder left is weighed there.
            held: all records of the name in the zone.
            claims: all to one name.
            now_s: monotonic seconds.
        """
        if self._settings.plan.merges_namespaces or len(claims) + len(held) <= 1:
            return []
        contenders = [claim for claim in claims if claim.provenance.derived is not Derivation.POINTER]
        ours = [owned for owned in held if owned.ours and owned.resource]
        if len({*map(_space, contenders), *map(_named_space, ours)}) <= 1:
            return []
        lost: Losers = []
        for identifier in sorted({claim.set_identifier for claim in contenders}):
            here = [claim for claim in contenders if claim.set_identifier == identifier]
            stands = [owned for owned in ours if owned.record.set_identifier == identifier]
            lost += self._pair(deletes, stands, here, now_s)
        return lost

    def _pair(self, deletes: Deletes, held: Sequence[Owned], claims: Sequence[NameClaim], now_s: float) -> Losers:
        marked = {_named_space(owned) for owned in held}
        spaces = {_space(claim) for claim in claims}
        if len(marked) == 1 and not marked & spaces:
            why = self._unparted(deletes, held, claims, now_s)
            if why:
                return [(claim, why) for claim in claims]
        if len(spaces) == 1:
            return []
        live = [claim for claim in claims if isinstance(claim, Wanted)]
        oldest = min(live or claims, key=lambda claim: claim.provenance.ref.seniority)
        holder = next(iter(marked)) if len(marked) == 1 and marked <= spaces else _space(oldest)
        kept = [claim for claim in claims if _space(claim) == holder]
        if self._content(live) == self._content(claim for claim in kept if isinstance(claim, Wanted)):
            return []
        first = min(kept, key=lambda claim: claim.provenance.ref.seniority).provenance.ref
        why = Blocked(reason=Reason.CONFLICT_LOST, detail=f"{first} has it")
        return [(claim, why) for claim in claims if _space(claim) != holder]

    def _unparted(
        self, deletes: Deletes, held: Iterable[Owned], claims: Sequence[NameClaim], now_s: float
    ) -> Blocked | None:
        """What keeps the name with a namespace of which no object asks for it any more."""
        for owned in held:
            evidence = self._judge(owned, now_s, ignoring=claims)
            answer = (
                evidence if isinstance(evidence, Blocked) else deletes.weigh(owned, evidence, now_s, passes_on=True)
            )
            if isinstance(answer, Blocked):
                detail = f"{owned.record.type} was made for {owned.resource}"
                return Blocked(reason=answer.reason, detail=f"{detail}: {answer.detail}" if answer.detail else detail)
        return None

    def _content(self, wanted: Iterable[Wanted]) -> set[tuple[str, tuple[str, ...]]]:
        found = candidates(wanted, self._settings.plan)
        return {(candidate.endpoint.type, candidate.endpoint.targets) for candidate in found}


def _space(claim: NameClaim) -> str:
    return claim.provenance.ref.key.namespace


def _named_space(owned: Owned) -> str:
    """The namespace in `service/shop/web`, "" for what has none."""
    _, _, place = owned.resource.partition("/")
    namespace, slash, _ = place.partition("/")
    return namespace if slash else ""
