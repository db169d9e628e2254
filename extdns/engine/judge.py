"""Whether a record of ours that nothing replaces may go (design 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.change import Blocked
from extdns.model.claim import Wanted, Withheld
from extdns.model.cluster import Kind, KindState, ObjectKey, Phase
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.engine.claims import ClaimIndex
    from extdns.engine.settings import EngineSettings
    from extdns.model.ownership import Owned

_ASK_AGAIN_S = 30.0


class Judge:
    """Weighs what is known of the objects behind a record.

    Attributes:
        doubts: objects whose absence wants confirmation, and from when on (monotonic seconds).
    """

    def __init__(self, claims: ClaimIndex, settings: EngineSettings) -> None:
        """Judge by *claims*; kinds start out unknown."""
        self._claims = claims
        self._settings = settings
        self._phases: dict[Kind, Phase] = dict.fromkeys(settings.kinds.values(), Phase.LISTING)
        self._confirmed: dict[ObjectKey, bool] = {}
        self.doubts: dict[ObjectKey, float] = {}

    def report(self, state: KindState) -> None:
        """Take in the phase of a kind."""
        if state.kind in self._phases:
            self._phases[state.kind] = state.phase

    def confirm(self, key: ObjectKey, *, exists: bool | None, now_s: float) -> None:
        """Take in whether an object exists; None leaves the doubt for a while."""
        if exists is None:
            self.doubts[key] = now_s + _ASK_AGAIN_S
        else:
            self.doubts.pop(key, None)
            self._confirmed[key] = exists

    def revive(self, key: ObjectKey) -> None:
        """An object was seen: nothing known of its absence holds any more."""
        self._confirmed.pop(key, None)
        self.doubts.pop(key, None)

    def doubts_due(self, now_s: float) -> list[ObjectKey]:
        """Objects to ask for now, sorted."""
        return sorted(key for key, at_s in self.doubts.items() if at_s <= now_s)

    def hides(self, owned: Owned) -> bool:
        """Tell whether the object behind *owned* was never seen and cannot be: others may not touch its record."""
        key = self.object_of(owned.resource)
        return key is not None and self._phases[key.kind] is not Phase.SYNCED and not self._claims.knows(key)

    def object_of(self, resource: str) -> ObjectKey | None:
        """The object that a `resource` label names, if a source reads its kind in its namespace."""
        prefix, _, place = resource.partition("/")
        namespace, slash, name = place.partition("/")
        kind = self._settings.kinds.get(prefix)
        if kind is None:
            return None
        if not kind.namespaced:
            return ObjectKey(kind, "", place)
        readable = not self._settings.namespaces or namespace in self._settings.namespaces
        return ObjectKey(kind, namespace, name) if slash and readable else None

    def __call__(self, owned: Owned) -> Evidence | Blocked:
        """The evidence for removing *owned*, or what keeps it."""
        if self._settings.plan.compat:
            return self._unreadable(owned) or self._known_ending(owned) or Evidence.ORPHAN_UNCLAIMED
        return self._by_claims(owned) or self._unreadable(owned) or self._by_object(owned)

    def _known_ending(self, owned: Owned) -> Evidence | None:
        return self._claims.ended((owned.record.name, owned.record.set_identifier), owned.resource)

    def _by_claims(self, owned: Owned) -> Evidence | Blocked | None:
        record = owned.record
        claims = [claim for claim in self._claims.of(record.name) if claim.set_identifier == record.set_identifier]
        withheld = [claim for claim in claims if isinstance(claim, Withheld)]
        undecided = [claim for claim in withheld if claim.reason is not Reason.NO_ENDPOINTS]
        live = [claim for claim in claims if isinstance(claim, Wanted)]
        for claim in undecided:
            if not live or claim.provenance.ref.resource == owned.resource:
                return Blocked(reason=claim.reason, detail=f"{claim.provenance.ref}: {claim.detail}")
        if live:
            return Blocked(reason=Reason.CONFLICT_LOST, detail=f"still asked for by {live[0].provenance.ref}")
        return Evidence.NO_ENDPOINTS if withheld else None

    def _unreadable(self, owned: Owned) -> Blocked | None:
        key = self.object_of(owned.resource)
        if key is None:
            return None
        phase = self._phases[key.kind]
        if phase is not Phase.SYNCED:
            return Blocked(reason=Reason.SOURCE_DOWN, detail=f"{key.kind.name} objects are {phase}")
        failure = self._claims.failure(key)
        return Blocked(reason=Reason.OBJECT_FAILED, detail=failure) if failure else None

    def _by_object(self, owned: Owned) -> Evidence | Blocked:
        key = self.object_of(owned.resource)
        ending = self._known_ending(owned)
        if ending is Evidence.ABSENT and key is not None:
            return self._absent(key, Evidence.ABSENT, owned)
        if ending is not None:
            return ending
        if key is not None and not self._claims.knows(key):
            return self._absent(key, Evidence.ORPHAN_GONE, owned)
        return self._unclaimed(owned)

    def _absent(self, key: ObjectKey, evidence: Evidence, owned: Owned) -> Evidence | Blocked:
        exists = False if self._settings.once else self._confirmed.get(key)
        if exists is False:
            return evidence
        if exists:
            return self._unclaimed(owned)
        self.doubts.setdefault(key, 0.0)
        return Blocked(reason=Reason(evidence.value), detail="waiting for confirmation that the object is gone")

    def _unclaimed(self, owned: Owned) -> Blocked:
        down = sorted(kind.name for kind, phase in self._phases.items() if phase is not Phase.SYNCED)
        if down:
            return Blocked(reason=Reason.SOURCE_DOWN, detail=f"{', '.join(down)} objects are not listed")
        made_for = f"made for {owned.resource}" if owned.resource else "its mark names no object"
        return Blocked(reason=Reason.ORPHAN_UNCLAIMED, detail=f"held: nobody asks for it; {made_for}")
