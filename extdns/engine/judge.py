"""Whether a record of ours that nothing replaces may go (design 6)."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from extdns.engine.decisions import FAILING
from extdns.engine.inputs import Cause
from extdns.model.change import Blocked
from extdns.model.claim import Wanted, Withheld
from extdns.model.cluster import Kind, KindState, ObjectKey, ObjectProblem, Phase
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.engine.claims import ClaimIndex, NameClaim
    from extdns.engine.inputs import Observation
    from extdns.engine.settings import EngineSettings
    from extdns.model.ownership import Owned

_ASK_AGAIN_S = 30.0
_LOOK_AGAIN_S = 300.0


class Judge:
    """Weighs what is known of the objects behind a record.

    Attributes:
        doubts: objects whose absence wants confirmation, and from when on (monotonic seconds); those that were
            asked about since are no longer among them.
        asking: objects about which an answer is awaited.
    """

    def __init__(self, claims: ClaimIndex, settings: EngineSettings) -> None:
        """Judge by *claims*; kinds start out unknown."""
        self._claims = claims
        self._settings = settings
        self._phases: dict[Kind, Phase] = dict.fromkeys(settings.kinds.values(), Phase.LISTING)
        self._others: dict[Kind, Phase] = {}  # kinds that objects rest on, once they were synced
        self._problems: dict[tuple[str, ObjectKey | None], str] = {}
        self._confirmed: dict[ObjectKey, bool] = {}
        self._answers: dict[ObjectKey, bool] = {}
        self._outdated: set[ObjectKey] = set()
        self._vain: set[ObjectKey] = set()
        self.doubts: dict[ObjectKey, float] = {}
        self.asking: set[ObjectKey] = set()

    def report(self, state: KindState) -> bool:
        """Take in the phase of a kind; returns whether that matters to the records of its objects."""
        phases = self._phases if state.kind in self._phases else self._others
        if phases is self._others and state.kind not in phases and state.phase is not Phase.SYNCED:
            return False  # what rests on it is parked
        before, phases[state.kind] = phases.get(state.kind, Phase.SYNCED), state.phase
        return before is not state.phase

    def note(self, problem: ObjectProblem) -> None:
        """Take in what cannot be read, or can again."""
        if problem.message:
            self._problems[problem.place, problem.key] = problem.message
        else:
            self._problems.pop((problem.place, problem.key), None)

    def problems(self) -> Iterator[str]:
        """What cannot be read, with the place, sorted."""
        return (f"{place}: {message}" for (place, _), message in sorted(self._problems.items(), key=str))

    def confirm(self, key: ObjectKey, *, exists: bool | None, now_s: float) -> tuple[ObjectKey, ...]:
        """Take in whether an object exists; None leaves the doubt for a while.

        An answer to a question from before the object was seen again is none. Answers wait for each other, so that
        the budget sees at once how many objects are gone.

        Returns:
            The objects whose answers count from now on.
        """
        self.asking.discard(key)
        if key in self._outdated:
            self._outdated.discard(key)
        elif exists is None:
            self._vain.add(key)
            self.doubts[key] = now_s + _ASK_AGAIN_S
        else:
            self._vain.discard(key)
            self.doubts.pop(key, None)
            self._answers[key] = exists
        if self.awaiting:
            return ()
        counting, self._answers = self._answers, {}
        self._confirmed |= counting
        return tuple(counting)

    def observe(self, seen: Observation) -> None:
        """Take in that an object is looked at, before its claims are."""
        for lost in self._claims.lacked(seen.key):
            if lost not in seen.lacking:
                self.forget(lost)
        if seen.cause in {Cause.VERSION, Cause.DEPENDENCY}:
            self.forget(seen.key)

    def forget(self, key: ObjectKey) -> None:
        """An object was seen, or nothing made for it is left: what is known of its absence counts no more."""
        self._confirmed.pop(key, None)
        self._answers.pop(key, None)
        self._vain.discard(key)
        self.doubts.pop(key, None)
        if key in self.asking:
            self._outdated.add(key)

    @property
    def awaiting(self) -> bool:
        """Whether an answer is awaited, but for questions that were asked in vain before."""
        return not self.asking <= self._vain

    def ask(self, now_s: float) -> list[ObjectKey]:
        """Objects to ask for now, sorted; each is asked for once at a time."""
        due = sorted(key for key, at_s in self.doubts.items() if at_s <= now_s and key not in self.asking)
        for key in due:
            del self.doubts[key]
        self.asking.update(due)
        return due

    def hides(self, owned: Owned) -> bool:
        """Tell whether the object behind *owned* was never seen and cannot be: others may not touch its record."""
        kind = self._settings.kinds.get(owned.resource.partition("/")[0])
        if kind is None or self._phases[kind] is Phase.SYNCED:
            return False
        key = self.object_of(owned.resource)
        return key is not None and not self._claims.knows(key)

    def behind(self, owned: Owned) -> frozenset[ObjectKey | None]:
        """Whose news count for *owned*: its object and what that lacks; None for any object, if it names none."""
        if not owned.resource:
            return frozenset({None})
        key = self.object_of(owned.resource)
        return frozenset({key, *self._claims.lacked(key)} if key else ())

    def object_of(self, resource: str) -> ObjectKey | None:
        """The object that a `resource` label names, if a source reads its kind in its namespace."""
        label, _, place = resource.partition("/")
        kind = self._settings.kinds.get(label)
        if kind is None:
            return None
        if not kind.namespaced:
            name = place.removeprefix("/")  # the empty namespace of `clusterthing//x`
            return ObjectKey(kind, "", name) if name else None
        namespace, _, name = place.partition("/")
        readable = not self._settings.namespaces or namespace in self._settings.namespaces
        return ObjectKey(kind, namespace, name) if namespace and name and readable else None

    def made_for(self, owned: Owned) -> str:
        """What the mark of *owned* names, as its key has it: of some kinds there are two labels, or two spellings."""
        key = self.object_of(owned.resource)
        return key.resource if key else owned.resource

    def __call__(self, owned: Owned, now_s: float, ignoring: Container[NameClaim] = ()) -> Evidence | Blocked:
        """The evidence for removing *owned*, or what keeps it, whatever the claims *ignoring* say."""
        found = self._weighed(owned, now_s, ignoring)
        if found is Evidence.ORPHAN_UNCLAIMED and not owned.certain:
            return Blocked(reason=Reason.ORPHAN_UNCLAIMED, detail="its mark may have been made for another record")
        return found

    def _weighed(self, owned: Owned, now_s: float, ignoring: Container[NameClaim]) -> Evidence | Blocked:
        unreadable = self._unreadable(owned)
        if unreadable:
            return unreadable
        if self._settings.plan.compat:
            found = self._failed(owned) or self._known_ending(owned) or self._maybe_unread(owned)
            return found or self._unclaimed(owned)
        return self._by_claims(owned, ignoring, now_s) or self._by_object(owned, now_s)

    def _known_ending(self, owned: Owned) -> Evidence | Blocked | None:
        return self._claims.ended((owned.record.name, owned.record.set_identifier), self.made_for(owned))

    def _failed(self, owned: Owned) -> Blocked | None:
        """Where what is asked for fails, nothing is asked for instead: the record stays with the reference, too."""
        for claim in self._claims.of(owned.record.name):
            if (
                isinstance(claim, Withheld)
                and claim.set_identifier == owned.record.set_identifier
                and claim.reason in FAILING
            ):
                return Blocked(reason=claim.reason, detail=f"{claim.provenance.ref}: {claim.detail}")
        return None

    def _by_claims(self, owned: Owned, ignoring: Container[NameClaim], now_s: float) -> Evidence | Blocked | None:
        record = owned.record
        claims = [
            claim
            for claim in self._claims.of(record.name)
            if claim.set_identifier == record.set_identifier and claim not in ignoring
        ]
        made_for = self.made_for(owned)
        withheld = [claim for claim in claims if isinstance(claim, Withheld)]
        undecided = [claim for claim in withheld if claim.reason is not Reason.NO_ENDPOINTS]
        live = [claim for claim in claims if isinstance(claim, Wanted)]
        for claim in undecided:
            if not live or claim.provenance.ref.key.resource == made_for:
                return Blocked(reason=claim.reason, detail=f"{claim.provenance.ref}: {claim.detail}")
        if live:
            return Blocked(reason=Reason.CONFLICT_LOST, detail=f"still asked for by {live[0].provenance.ref}")
        emptied = any(claim.provenance.ref.key.resource == made_for or not made_for for claim in withheld)
        return self._unless_blind(Evidence.NO_ENDPOINTS, owned, now_s) if emptied else None

    def _unreadable(self, owned: Owned) -> Blocked | None:
        key = self.object_of(owned.resource)
        if key is None:
            return None
        phase = self._phases[key.kind]
        if phase is not Phase.SYNCED:
            return Blocked(reason=Reason.SOURCE_DOWN, detail=f"{key.kind.name} objects are {phase}")
        broken = (message for (_, broken), message in self._problems.items() if broken == key)
        failure = self._claims.failure(key) or next(broken, "")
        return Blocked(reason=Reason.OBJECT_FAILED, detail=failure) if failure else None

    def _maybe_unread(self, owned: Owned) -> Blocked | None:
        """A list of which a part cannot be read is not complete: the object may be in that part."""
        key = self.object_of(owned.resource)
        place = next((place for place, broken in self._problems if broken is None), "")
        if key is None or not place or self._claims.knows(key):
            return None
        return Blocked(reason=Reason.OBJECT_FAILED, detail=f"{place} cannot be read and may hold the object")

    def _by_object(self, owned: Owned, now_s: float) -> Evidence | Blocked:
        key = self.object_of(owned.resource)
        ending = self._known_ending(owned)
        known = key is not None and self._claims.knows(key)
        if ending is Evidence.ABSENT and known:
            return Evidence.HOSTNAME_REMOVED  # it is back, and asks no more
        if isinstance(ending, Blocked):
            return ending
        if ending is not None and ending is not Evidence.ABSENT:
            return self._unless_blind(ending, owned, now_s)
        if key is None or known:
            return self._unclaimed(owned)
        return self._maybe_unread(owned) or self._absent(key, ending or Evidence.ORPHAN_GONE, now_s)

    def _unless_blind(self, evidence: Evidence, owned: Owned, now_s: float) -> Evidence | Blocked:
        """*evidence*, unless it rests on kinds of which one cannot be seen now, or on something that a list lacks."""
        down = sorted(kind.name for kind, phase in self._others.items() if phase is not Phase.SYNCED)
        if down and evidence in {Evidence.DEPENDENCY_CHANGED, Evidence.NO_ENDPOINTS}:
            return Blocked(reason=Reason.SOURCE_DOWN, detail=f"{', '.join(down)} objects are not listed")
        key = self.object_of(owned.resource)
        found = [self._absent(lost, evidence, now_s) for lost in (self._claims.lacked(key) if key else ())]
        return next((doubt for doubt in found if isinstance(doubt, Blocked)), evidence)

    def _absent(self, key: ObjectKey, evidence: Evidence, now_s: float) -> Evidence | Blocked:
        exists = False if self._settings.once else self._confirmed.get(key)
        if exists is False:
            return evidence
        asked = key in self.asking and key not in self._outdated
        if not (asked or key in self._answers):
            pause_s = _LOOK_AGAIN_S if exists else self._settings.deletes.grace_s
            self.doubts.setdefault(key, now_s + pause_s)
        why = (
            "a list lacks the object, which is there" if exists else "waiting for confirmation that the object is gone"
        )
        reason = Reason.ORPHAN_GONE if evidence is Evidence.ORPHAN_GONE else Reason.ABSENT
        return Blocked(reason=reason, detail=why)

    def _unclaimed(self, owned: Owned) -> Evidence | Blocked:
        down = sorted(kind.name for kind, phase in self._phases.items() if phase is not Phase.SYNCED)
        if down:
            return Blocked(reason=Reason.SOURCE_DOWN, detail=f"{', '.join(down)} objects are not listed")
        failed = None if owned.resource else self._claims.failing
        if failed:  # it may be what the record was made for
            return Blocked(reason=Reason.OBJECT_FAILED, detail=f"{failed[0]}: {failed[1]}")
        return Evidence.ORPHAN_UNCLAIMED
