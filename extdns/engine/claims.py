"""The claim index: who asks for which name, and how former claims ended (design 4, 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, KeysView

from msgspec.structs import replace

from extdns.engine.inputs import Cause, Observation
from extdns.model.change import Blocked
from extdns.model.claim import Claim, Derivation, Filtered, Invalid, Wanted, Withheld
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.reason import Reason

NameClaim = Wanted | Withheld
Pair = tuple[DnsName, str]
_Asker = tuple[str, ObjectKey]

_POINTER = Derivation.POINTER

_ENDINGS = {
    Cause.VERSION: Evidence.HOSTNAME_REMOVED,
    Cause.DEPENDENCY: Evidence.DEPENDENCY_CHANGED,
    Cause.DELETED: Evidence.OBJECT_DELETED,
    Cause.MISSING: Evidence.ABSENT,
}


class ClaimIndex:
    """Claims by object and by name; only `update` changes it.

    Attributes:
        revision: grows with every change of what is asked for.
    """

    def __init__(self) -> None:
        """Start empty: nothing is known of any object."""
        self._by_asker: dict[_Asker, tuple[Claim, ...]] = {}
        self._by_name: dict[DnsName, tuple[NameClaim, ...]] = {}
        self._ended: dict[DnsName, dict[tuple[str, str], Evidence | Blocked]] = {}
        self._void: dict[str, list[Pair]] = {}  # of `_ended`, what waits for another look at the object, by resource
        self._lacking: dict[_Asker, tuple[ObjectKey, ...]] = {}
        self._failed: dict[_Asker, Observation] = {}
        self._misnamed: dict[_Asker, tuple[Invalid, ...]] = {}
        self._sources: dict[str, None] = {}
        self.revision = 0

    def update(self, seen: Observation) -> set[DnsName]:
        """Take in what a source says of an object, and return the names for which that matters.

        A failure leaves the object's last claims in force.
        """
        self._sources[seen.source] = None
        asker = (seen.source, seen.key)
        before = self._by_asker.get(asker, ())
        if before and (pointers := _withheld_pointers(before, seen.claims)):
            seen = replace(seen, claims=(*seen.claims, *pointers))
        if seen.failure:
            self._failed[asker] = seen
            self._by_asker.setdefault(asker, ())
            return set(_names(before))
        recovered = self._failed.pop(asker, None) is not None
        if seen.lacking:
            self._lacking[asker] = seen.lacking
        else:
            self._lacking.pop(asker, None)
        renewed = self._renew(seen)
        if seen.cause in {Cause.DELETED, Cause.MISSING}:
            self._by_asker.pop(asker, None)
        else:
            if before == seen.claims:
                seen = replace(seen, claims=before)  # `_reindex` goes by identity
            self._by_asker[asker] = seen.claims
        self._note_misnamed(asker, seen.claims)
        if before == seen.claims and not recovered:
            return renewed
        self.revision += 1
        self._reindex(before, seen.claims)
        self._remember(before, seen)
        return {*_names(before), *_names(seen.claims), *renewed}

    def copy(self) -> ClaimIndex:
        """Who asks for what now, in a table that does not change; how former claims ended is not told."""
        copied = ClaimIndex()
        copied._by_asker, copied._by_name = dict(self._by_asker), dict(self._by_name)
        copied._failed, copied._sources = dict(self._failed), dict(self._sources)
        copied.revision = self.revision
        return copied

    def of(self, name: DnsName) -> tuple[NameClaim, ...]:
        """All claims to *name*, wanted and withheld, by source and object."""
        return self._by_name.get(name, ())

    def names(self) -> KeysView[DnsName]:
        """Every name that somebody asks for."""
        return self._by_name.keys()

    def knows(self, key: ObjectKey) -> bool:
        """Tell whether a source has seen the object and it was not seen to go."""
        return any((source, key) in self._by_asker for source in self._sources)

    def failure(self, key: ObjectKey) -> str:
        """Why the object's claims could not be computed, "" if they were."""
        return next((seen.failure for source in self._sources if (seen := self._failed.get((source, key)))), "")

    @property
    def failing(self) -> tuple[ObjectKey, str] | None:
        """One of `failures`, the one that fails for the longest time; None if there is none."""
        return next(((seen.key, seen.failure) for seen in self._failed.values()), None)

    def failures(self) -> Iterable[tuple[ObjectKey, str]]:
        """Every object whose claims could not be computed, sorted, with the reason."""
        return sorted((seen.key, seen.failure) for seen in self._failed.values())

    def broken(self) -> Iterable[tuple[ObjectKey, str]]:
        """Those of `failures` that do not just wait for a kind to be listed."""
        return sorted((seen.key, seen.failure) for seen in self._failed.values() if not seen.parked_on)

    def misnamed(self) -> Iterable[Invalid]:
        """What objects ask for that is no name, sorted by object."""
        return (wrong for _, found in sorted(self._misnamed.items()) for wrong in found)

    def lacked(self, key: ObjectKey) -> tuple[ObjectKey, ...]:
        """What the claims of the object at *key* are computed from, and a list lacks."""
        return tuple([lost for source in self._sources for lost in self._lacking.get((source, key), ())])

    def ended(self, pair: Pair, resource: str) -> Evidence | Blocked | None:
        """How the claim of *resource* to *pair* ended since start, or why that counts for nothing; None if it did not.

        Any claim's, if *resource* is "".
        """
        endings = self._ended.get(pair[0], {})
        if resource:
            return endings.get((pair[1], resource))
        return next((evidence for (identifier, _), evidence in sorted(endings.items()) if identifier == pair[1]), None)

    def askers(self) -> Iterable[tuple[str, ObjectKey]]:
        """Every object that a source has seen, with the source."""
        return self._by_asker.keys()

    def objects(self) -> Iterable[tuple[ObjectKey, tuple[Claim, ...]]]:
        """Every object that a source has seen, with its claims."""
        return ((key, claims) for (_, key), claims in self._by_asker.items())

    def _note_misnamed(self, asker: _Asker, claims: tuple[Claim, ...]) -> None:
        wrong = tuple([one for one in claims if isinstance(one, Invalid) and one.reason is Reason.INVALID_NAME])
        if wrong:
            self._misnamed[asker] = wrong
        else:
            self._misnamed.pop(asker, None)

    def _reindex(self, before: tuple[Claim, ...], after: tuple[Claim, ...]) -> None:
        gone = {id(claim) for claim in before}
        for name in {*_names(before)}:
            left = tuple(claim for claim in self._by_name[name] if id(claim) not in gone)
            if left:
                self._by_name[name] = left
            else:
                del self._by_name[name]
        for claim in after:
            if isinstance(claim, NameClaim):
                self._by_name[claim.name] = _in_order((*self._by_name.get(claim.name, ()), claim))

    def _remember(self, before: tuple[Claim, ...], seen: Observation) -> None:
        if not (before or self._ended):
            return
        now = {(claim.name, claim.set_identifier) for claim in seen.claims if isinstance(claim, NameClaim)}
        for name, identifier in now:
            if name in self._ended:
                self._ended[name].pop((identifier, seen.key.resource), None)
        for claim in before:
            if isinstance(claim, NameClaim) and (claim.name, claim.set_identifier) not in now:
                endings = self._ended.setdefault(claim.name, {})
                endings[claim.set_identifier, seen.key.resource] = _ending(seen, claim.name)

    def void(self, kind: Kind) -> None:
        """*kind* is not served any more: its last events may have told of its end, not of that of its objects.

        Objects of *kind* count as missing; nothing is concluded from what others no longer find, until they are
        looked at again.
        """
        own = f"{kind.label}/"
        why = Blocked(reason=Reason.SOURCE_DOWN, detail=f"{kind.name} objects ceased to be served")
        for name, endings in self._ended.items():
            for (identifier, resource), evidence in endings.items():
                if resource.startswith(own):
                    endings[identifier, resource] = Evidence.ABSENT
                elif evidence is Evidence.DEPENDENCY_CHANGED:
                    endings[identifier, resource] = why
                    self._void.setdefault(resource, []).append((name, identifier))

    def _renew(self, seen: Observation) -> set[DnsName]:
        """Judge by *seen* what counted for nothing; returns the names."""
        pairs = self._void.pop(seen.key.resource, ())
        for name, identifier in pairs:
            endings, place = self._ended.get(name, {}), (identifier, seen.key.resource)
            if isinstance(endings.get(place), Blocked):
                endings[place] = _ending(seen, name)
        return {name for name, _ in pairs}

    def remembers(self, name: DnsName) -> bool:
        """Tell whether a claim to *name* ended."""
        return name in self._ended

    def forget(self, name: DnsName, except_for: Collection[tuple[str, str]]) -> None:
        """Drop how claims to *name* ended, but for the records that still stand there.

        Args:
            name: a name of which everything that stands is known.
            except_for: set identifier and resource of each record of ours; resource "" keeps them all.
        """
        endings = self._ended.get(name, {})
        kept = {
            (identifier, resource): evidence
            for (identifier, resource), evidence in endings.items()
            if (identifier, resource) in except_for or (identifier, "") in except_for
        }
        if kept:
            self._ended[name] = kept
        else:
            self._ended.pop(name, None)


def _withheld_pointers(before: Iterable[Claim], now: Iterable[Claim]) -> tuple[Claim, ...]:
    """Pointers of *before* to names that are withheld *now*: as long as their addresses stay, so do these."""
    pointers = [claim for claim in before if isinstance(claim, Wanted) and claim.provenance.derived is _POINTER]
    if not pointers:
        return ()
    withheld = {claim.name for claim in now if isinstance(claim, Withheld)}
    return tuple(claim for claim in pointers if claim.endpoint.targets[0] in withheld)


def _in_order(claims: tuple[NameClaim, ...]) -> tuple[NameClaim, ...]:
    if len(claims) == 1:
        return claims
    return tuple(sorted(claims, key=lambda claim: (claim.provenance.source, claim.provenance.ref.key)))


def _names(claims: Iterable[Claim]) -> list[DnsName]:
    return [claim.name for claim in claims if isinstance(claim, NameClaim)]


def _ending(seen: Observation, name: DnsName) -> Evidence:
    filtered = any(isinstance(claim, Filtered) and claim.name in {None, name} for claim in seen.claims)
    return Evidence.FILTERED_OUT if filtered and seen.cause is Cause.VERSION else _ENDINGS[seen.cause]
