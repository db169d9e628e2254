"""The claim index: which objects request which names, and why earlier claims are no longer made.

See docs/design/architecture.md; docs/design/delete-safety.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, KeysView

from msgspec.structs import replace

from extdns.engine.inputs import PRESENT, Cause, Observation
from extdns.engine.ptr_claim_index import PtrClaimIndex, RequesterKey
from extdns.errors import describe_invalid_value
from extdns.model import rrtype
from extdns.model.change import Blocked
from extdns.model.claim import (
    Claim,
    ClaimWarning,
    Derivation,
    ExcludedClaim,
    InvalidClaim,
    NameClaim,
    ResolvedClaim,
    find_hidden_request,
    find_problems,
    is_detached,
)
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.planner.settings import PlanSettings

NameAndIdentifier = tuple[DnsName, str]
FindEnd = Callable[[DnsName], Evidence | Blocked]

_ENDINGS = {
    Cause.VERSION: Evidence.HOSTNAME_REMOVED,
    Cause.DEPENDENCY: Evidence.DEPENDENCY_CHANGED,
    Cause.DELETED: Evidence.OBJECT_DELETED,
    Cause.MISSING: Evidence.ABSENT,
}
_HIDDEN = "an object has an invalid hostname or a misspelled annotation, which may stand for this name"


class ClaimIndex:
    """All claims, by object and by name, and why earlier claims ended.

    Attributes:
        ptr_claims: the PTR claims that are derived from the other claims.
        revision: grows with every change of the claims.
    """

    def __init__(self, settings: PlanSettings) -> None:
        """Start without any object. *settings* decide which PTR claims are derived."""
        self._settings = settings
        self.ptr_claims = PtrClaimIndex(settings)
        self._by_requester: dict[RequesterKey, tuple[Claim, ...]] = {}
        self._by_name: dict[DnsName, tuple[NameClaim, ...]] = {}
        self._ended: dict[DnsName, dict[tuple[str, str], Evidence | Blocked]] = {}
        self._provisional: dict[str, list[NameAndIdentifier]] = {}  # by resource: ends that `_renew` may replace
        self._missing_dependencies: dict[RequesterKey, tuple[ObjectKey, ...]] = {}
        self._failed: dict[str, dict[RequesterKey, Observation]] = {}  # by namespace, only if an object of it fails
        self._invalid_names: dict[RequesterKey, tuple[InvalidClaim, ...]] = {}
        self._hidden: dict[RequesterKey, ClaimWarning] = {}
        self._sources: dict[str, None] = {}  # in the order of their first objects
        self.revision = 0

    def update(self, seen: Observation, *, is_planning: bool = True) -> set[DnsName]:
        """Replace the claims of one object by those of the observation *seen*; return the names to plan again.

        If the claims could not be computed, the last ones stay. Before planning has begun (*is_planning*), the end of a
        PTR claim is evidence only if the object is gone.
        """
        self._sources.setdefault(seen.source)
        requester = (seen.source, seen.key)
        before = self._by_requester.get(requester, ())
        if seen.failure:
            self._failed.setdefault(seen.key.namespace, {})[requester] = seen
            self._by_requester.setdefault(requester, ())
            return set(_names(before))
        recovered = self._recover(requester)
        if seen.missing_dependencies:
            self._missing_dependencies[requester] = seen.missing_dependencies
        else:
            self._missing_dependencies.pop(requester, None)
        self._store_problems(requester, seen.claims)
        find_end = self._explain_ends(seen)
        renewed = self._renew(seen, find_end)
        if seen.cause not in PRESENT:
            self._by_requester.pop(requester, None)
        else:
            if before == seen.claims:
                seen = replace(seen, claims=before)  # `_reindex` compares by identity
            self._by_requester[requester] = seen.claims
        if before == seen.claims and not recovered:
            return renewed
        self.revision += 1
        names = self._reindex(before, seen.claims)
        self._remember(before, seen, find_end)
        is_evidence = is_planning or seen.cause not in PRESENT
        reverse = self._update_ptr_claims(before, seen, find_end if is_evidence else None)
        return names.union(reverse, renewed)

    def copy(self) -> ClaimIndex:
        """Return a copy that later changes do not affect: the present claims, without why earlier claims ended."""
        copied = ClaimIndex(self._settings)
        copied._by_requester, copied._by_name = dict(self._by_requester), dict(self._by_name)
        copied._failed = {namespace: dict(failed) for namespace, failed in self._failed.items()}
        copied._sources = dict(self._sources)
        copied.revision = self.revision
        return copied

    def claims(self, name: DnsName) -> tuple[NameClaim, ...]:
        """Return all claims to *name*, resolved and unresolved, sorted by source and object."""
        return self._by_name.get(name, ())

    def find_ptr_hosts(self, name: DnsName) -> set[str]:
        """Return the names in the PTR records that are requested at *name*."""
        records = [claim.desired for claim in self.claims(name) if isinstance(claim, ResolvedClaim)]
        return {host for record in records if record.type == rrtype.PTR for host in record.targets}

    def names(self) -> KeysView[DnsName]:
        """Return every name that an object requests."""
        return self._by_name.keys()

    @property
    def is_empty(self) -> bool:
        """Whether no object has a claim, in whatever state."""
        return not (self._by_name or any(self._by_requester.values()))

    def has_object(self, key: ObjectKey) -> bool:
        """Return whether a source has observed the object at *key*, and not later that it is gone."""
        return any((source, key) in self._by_requester for source in self._sources)

    def find_failure(self, key: ObjectKey) -> str:
        """Return the error with which computing the claims of the object at *key* failed, "" if it did not."""
        failed = self._failed.get(key.namespace, {})
        return next((seen.failure for source in self._sources if (seen := failed.get((source, key)))), "")

    def find_failing(self, namespace: str) -> tuple[ObjectKey, str] | None:
        """Return one object whose claims cannot be computed, with the error; None if there is none.

        It is of *namespace*, or of none; with *namespace* "", of any.
        """
        for one in (namespace, "") if namespace else tuple(self._failed):
            if failed := self._failed.get(one):
                seen = next(iter(failed.values()))
                return seen.key, seen.failure
        return None

    def failures(self) -> Iterable[tuple[ObjectKey, str]]:
        """Return every object whose claims could not be computed, with the error message, sorted."""
        return sorted((seen.key, seen.failure) for failed in self._failed.values() for seen in failed.values())

    def unexpected_failures(self) -> Iterable[tuple[ObjectKey, str]]:
        """Return the objects whose claims could not be computed because of an error, with the error, sorted.

        Unlike `failures`, this omits objects whose claims only wait for the first list of the kind of a dependency.
        """
        found = (seen for failed in self._failed.values() for seen in failed.values())
        return sorted((seen.key, seen.failure) for seen in found if not seen.awaited_kind)

    def _recover(self, requester: RequesterKey) -> bool:
        """Remove the failure of *requester*, whose claims could now be computed; return whether there was one."""
        namespace = requester[1].namespace
        failed = self._failed.get(namespace, {})
        recovered = failed.pop(requester, None) is not None
        if recovered and not failed:
            del self._failed[namespace]
        return recovered

    def invalid_names(self) -> Iterable[InvalidClaim]:
        """Return the claims whose hostname is not a DNS name, sorted by source and object."""
        return (invalid for _, found in sorted(self._invalid_names.items()) for invalid in found)

    @property
    def uncertainty(self) -> tuple[tuple[str, ...], bool]:
        """The namespaces of objects whose claims cannot be computed; whether `find_hidden_request(None)` finds one."""
        return tuple(self._failed), bool(self._hidden)

    def find_hidden_request(self, key: ObjectKey | None) -> Blocked | None:
        """Return the invalid hostname or misspelled annotation of the object at *key*; if that is None, of any."""
        if key is None:  # the text names no object: it would have to change whenever another object comes or goes
            return Blocked(reason=Reason.INVALID_NAME, detail=_HIDDEN) if self._hidden else None
        for source in self._sources:
            if problem := self._hidden.get((source, key)):
                detail = f"{problem.field}: {describe_invalid_value(problem.value, problem.allowed)}"
                return Blocked(reason=problem.reason, detail=f"{ObjectRef(key=key)}: {detail}")
        return None

    def missing_dependencies(self, key: ObjectKey) -> tuple[ObjectKey, ...]:
        """Return the objects that the claims of *key* depend on, and that are missing from a complete list."""
        if not self._missing_dependencies:
            return ()
        return tuple(
            [missing for source in self._sources for missing in self._missing_dependencies.get((source, key), ())]
        )

    def list_ended(self, name: DnsName) -> dict[tuple[str, str], Evidence | Blocked]:
        """Return the evidence that claims to *name* have ended since the process started, or why it is not evidence.

        Its keys are set identifier and resource.
        """
        return dict(self._ended.get(name, {}))

    def list_sources_and_objects(self) -> KeysView[tuple[str, ObjectKey]]:
        """Return the source and the key of every object that a source has observed and that is not gone."""
        return self._by_requester.keys()

    def objects(self) -> Iterable[tuple[ObjectKey, tuple[Claim, ...]]]:
        """Return the key and the claims of every object that is not gone, once for each source that has observed it."""
        return ((key, claims) for (_, key), claims in self._by_requester.items())

    def _store_problems(self, requester: RequesterKey, claims: tuple[Claim, ...]) -> None:
        problems = find_problems(claims)
        if not (problems or self._hidden or self._invalid_names):
            return
        hidden = None if self._settings.compat else find_hidden_request(problems)
        if hidden:
            self._hidden[requester] = hidden
        else:
            self._hidden.pop(requester, None)
        invalid = tuple([one for one in claims if isinstance(one, InvalidClaim) and one.reason is Reason.INVALID_NAME])
        if invalid:
            self._invalid_names[requester] = invalid
        else:
            self._invalid_names.pop(requester, None)

    def _reindex(self, before: tuple[Claim, ...], after: tuple[Claim, ...]) -> set[DnsName]:
        """Replace the claims *before* in the index by name by those *after*; return the names of both."""
        gone, names = {id(claim) for claim in before}, {*_names(before)}
        for name in names:
            left = tuple([claim for claim in self._by_name[name] if id(claim) not in gone])
            if left:
                self._by_name[name] = left
            else:
                del self._by_name[name]
        added: dict[DnsName, list[NameClaim]] = {}
        for claim in after:
            if isinstance(claim, NameClaim):
                added.setdefault(claim.name, []).append(claim)
        for name, claims in added.items():
            self._by_name[name] = _in_order((*self._by_name.get(name, ()), *claims))
        return names.union(added)

    def _remember(self, before: tuple[Claim, ...], seen: Observation, find_end: FindEnd) -> None:
        if not (before or self._ended):
            return
        now = {(claim.name, claim.set_identifier) for claim in _list_requests(seen.claims)}
        for name, identifier in now:
            if name in self._ended:
                self._ended[name].pop((identifier, seen.key.resource), None)
        for claim in _list_requests(before):
            if (claim.name, claim.set_identifier) not in now:
                self._store_end(claim.name, claim.set_identifier, seen, find_end(claim.name))

    def _store_end(self, name: DnsName, identifier: str, seen: Observation, end: Evidence | Blocked) -> None:
        resource = seen.key.resource
        self._ended.setdefault(name, {})[identifier, resource] = end
        if isinstance(end, Blocked) or seen.missing_dependencies:
            self._provisional.setdefault(resource, []).append((name, identifier))

    def _explain_ends(self, seen: Observation) -> FindEnd:
        """Return a function that tells as what evidence a claim to a name ends with *seen*, or why as none."""
        hidden = self.find_hidden_request(seen.key) if seen.cause in PRESENT else None
        end = hidden or _ENDINGS[seen.cause]
        if hidden or seen.cause is not Cause.VERSION:
            return lambda _: end
        excluded = {claim.name for claim in seen.claims if isinstance(claim, ExcludedClaim)}
        return lambda name: Evidence.FILTERED_OUT if excluded & {None, name} else end

    def _update_ptr_claims(
        self, before: tuple[Claim, ...], seen: Observation, find_end: FindEnd | None
    ) -> set[DnsName]:
        """Derive the PTR claims of the names whose claims changed; return the reverse names whose claims changed.

        With *find_end*, the end of a PTR claim is stored for its object and for the one that *seen* is about.
        """
        if rrtype.PTR not in self._settings.managed_types:
            return set()
        all_gone: list[ResolvedClaim] = []
        all_new: list[ResolvedClaim] = []
        changed = {claim for claim in {*before} ^ {*seen.claims} if isinstance(claim, NameClaim)}
        for name in sorted({claim.name for claim in changed}):
            requester = (seen.source, seen.key)
            gone, new = self.ptr_claims.update(name, self.claims(name), requester)
            if find_end and gone:
                end = find_end(name)
                for claim in gone:
                    self._store_end(claim.name, "", seen, end)
                    self._ended[claim.name]["", claim.provenance.ref.key.resource] = end
            all_gone += gone
            all_new += new
        self._reindex(tuple(all_gone), tuple(all_new))
        for claim in all_new:
            for key in (seen.key, claim.provenance.ref.key):
                self._ended.get(claim.name, {}).pop(("", key.resource), None)
        return {claim.name for claim in (*all_gone, *all_new)}

    def invalidate_kind(self, kind: Kind) -> None:
        """Weaken the evidence of ended claims, because the API server no longer serves *kind*.

        Ended claims of objects of *kind* count as `absent`. Claims of other objects that ended because any dependency
        changed are not evidence until these objects are observed again.
        """
        own = f"{kind.label}/"
        block = Blocked(reason=Reason.SOURCE_DOWN, detail=f"the API server no longer serves {kind.name} objects")
        for name, ends in self._ended.items():
            for (identifier, resource), evidence in ends.items():
                if resource.startswith(own):
                    ends[identifier, resource] = Evidence.ABSENT
                elif evidence is Evidence.DEPENDENCY_CHANGED:
                    ends[identifier, resource] = block
                    self._provisional.setdefault(resource, []).append((name, identifier))

    def _renew(self, seen: Observation, find_end: FindEnd) -> set[DnsName]:
        """Replace the provisional ends of claims of the object of *seen*; return their names.

        These are the ends that are not evidence and, if the object is gone now, also those that may rest on a
        dependency that a list lacks.
        """
        due = self._provisional.pop(seen.key.resource, ()) if self._provisional else ()
        for name, identifier in due:
            ends = self._ended.get(name, {})
            former = ends.get((identifier, seen.key.resource))
            if isinstance(former, Evidence):
                self._store_end(name, identifier, seen, former if seen.cause in PRESENT else _ENDINGS[seen.cause])
            elif former:
                self._store_end(name, identifier, seen, find_end(name))
        return {name for name, _ in due}

    def have_ended(self, names: Collection[DnsName]) -> bool:
        """Return whether a claim to one of *names* ended, and may exist again; `forget_ended` resets it."""
        return bool(self._ended) and not self._ended.keys().isdisjoint(names)

    def forget_ended(self, name: DnsName, except_for: Collection[tuple[str, str]]) -> None:
        """Delete the stored ends of claims to *name*, whose records in all zones are known.

        Those that existing records still need stay: *except_for* has set identifier and resource of each record of
        ours. Resource "" keeps the ends of all claims with that set identifier.
        """
        ends = self._ended.get(name, {})
        still_needed = {
            (identifier, resource): evidence
            for (identifier, resource), evidence in ends.items()
            if (identifier, resource) in except_for or (identifier, "") in except_for
        }
        if still_needed:
            self._ended[name] = still_needed
        else:
            self._ended.pop(name, None)


def _in_order(claims: tuple[NameClaim, ...]) -> tuple[NameClaim, ...]:
    if len(claims) == 1:
        return claims
    return tuple(sorted(claims, key=_get_sort_key))


def _get_sort_key(claim: NameClaim) -> tuple[str, ObjectKey, tuple[str, ...]]:
    provenance = claim.provenance
    hosts: tuple[str, ...] = ()
    if isinstance(claim, ResolvedClaim) and provenance.derivation is Derivation.PTR:
        hosts = claim.desired.targets  # the PTR claims of one object may be derived at different times
    return (provenance.source, provenance.ref.key, hosts)


def _list_requests(claims: Iterable[Claim]) -> list[NameClaim]:
    return [claim for claim in claims if isinstance(claim, NameClaim) and not is_detached(claim)]


def _names(claims: Iterable[Claim]) -> list[DnsName]:
    return [claim.name for claim in claims if isinstance(claim, NameClaim)]
