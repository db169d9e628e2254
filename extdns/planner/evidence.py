"""The evidence that allows the delete of a record, or why the record is kept (docs/design/delete-safety.md).

Each finding states what it depends on, so that its name is planned again when that changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import COMPUTED, Awaited, Blocked, Update, Wait
from extdns.model.claim import Derivation, NameClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Category, Reason
from extdns.model.record import OwnedRecord
from extdns.model.value import Value
from extdns.planner.coexistence import can_coexist
from extdns.planner.denials import replaces
from extdns.planner.proposal import Candidate
from extdns.planner.settings import Planner
from extdns.planner.view import Facts

_ANSWERED: Final = {
    True: "the API server answers that the object exists",
    None: "waiting for confirmation that the object is gone",
}


class Finding(Value, frozen=True, kw_only=True):
    """The evidence for the delete of a record, or why it is kept.

    Attributes:
        outcome: the evidence, or why the record is kept.
        waits_for: what would change the outcome.
        unresolved: whether the record is kept only because its claim is unresolved; see `--unresolved-timeout`.
    """

    outcome: Evidence | Blocked
    waits_for: tuple[Wait, ...] = ()
    unresolved: bool = False


class EvidenceReader(Value, frozen=True, kw_only=True, gc=True):
    """Finds the evidence for deletes of the records of one name in the facts that were gathered for it."""

    planner: Planner
    facts: Facts

    def find(self, owned: OwnedRecord, claims: Sequence[NameClaim], requested: Sequence[Candidate]) -> Finding:
        """Return the evidence for the delete of *owned*, or why it is kept.

        *claims* are those to its name that did not lose a contest, and *requested* the records of managed types that
        they request, whether or not the service can hold them.
        """
        found, missing = self._find(owned, claims, requested), self._list_missing(owned)
        if (found.unresolved or isinstance(found.outcome, Evidence)) and not self.planner.settings.compat:
            confirmed = self._confirm_all_absent(missing)
            if isinstance(confirmed.outcome, Blocked):
                outcome = found.outcome if found.unresolved else confirmed.outcome
                found = Finding(outcome=outcome, waits_for=(*found.waits_for, *confirmed.waits_for))
        own = self.planner.find_object(owned.resource)
        changes = [Wait(Awaited.OBJECT, key) for key in (own, *missing) if key]
        return replace(found, waits_for=tuple(dict.fromkeys((*found.waits_for, *changes))))

    def find_target_removal(self, update: Update, candidate: Candidate) -> Finding | None:
        """Return why *update*, which only removes targets, must wait; None if it need not.

        It waits while an object that may provide a removed target is missing in a list without a DELETED event: a list
        may be incomplete, so a GET must confirm that the object is gone. The names that objects request for a PTR
        record wait while a claim to a removed one is unresolved.
        """
        if self.planner.settings.compat:
            return None
        record = update.current.record
        removed = set(record.targets).difference(update.desired.targets)
        is_derived = candidate.requested_by[0].derivation is Derivation.PTR
        if is_derived and (found := self._check_hosts(update.current, removed)):
            return found
        requesters = dict.fromkeys(one.ref.key for one in candidate.requested_by)
        missing = [key for requester in requesters for key in self.facts.objects[requester].missing]
        missing += self._list_absent(self.facts.list_ended(record.set_identifier))
        if not missing:
            return None
        found = self._confirm_all_absent(missing)
        # so that the answers are still known when the update is made
        changes = (Wait(Awaited.OBJECT, key) for key in missing)
        return replace(found, waits_for=tuple(dict.fromkeys((*found.waits_for, *changes))))

    def _find(self, owned: OwnedRecord, claims: Sequence[NameClaim], requested: Sequence[Candidate]) -> Finding:
        if found := self._check_readable(owned):
            return found
        if self.planner.settings.compat:
            found = self._check_failed(owned, claims) or self._read_claim_end(owned) or self._check_unread(owned)
            return found or self._find_unclaimed(owned)
        return self._read_claims(owned, claims, requested) or self._read_object(owned)

    def _check_readable(self, owned: OwnedRecord) -> Finding | None:
        key = self.planner.find_object(owned.resource)
        if key is None:
            return None
        if phase := self.facts.kinds_down.get(key.kind):
            block = Blocked(reason=Reason.SOURCE_DOWN, detail=f"{key.kind.name} objects are {phase}")
            return Finding(outcome=block, waits_for=(Wait(Awaited.SYNC, key.kind),))
        if failure := self.facts.objects[key].failure:
            return Finding(outcome=Blocked(reason=Reason.OBJECT_FAILED, detail=failure))
        return None

    def _check_failed(self, owned: OwnedRecord, claims: Iterable[NameClaim]) -> Finding | None:
        """Return why to keep the record if the claims of its resource cannot be computed; else None."""
        unresolved = ((claim, claim.reason.row) for claim in self._find_unresolved(claims, owned))
        return next((_keep_for(claim) for claim, row in unresolved if row.fails and not row.reference_skips), None)

    def _read_claim_end(self, owned: OwnedRecord) -> Finding | None:
        """Return the finding if the claim of the resource has ended since the start, else None.

        The end is not evidence while a later version of the object may request the name again.
        """
        end = self.facts.find_ended(owned.record.set_identifier, self.planner.normalize_resource(owned))
        if isinstance(end, Evidence) and (key := self.planner.find_object(owned.resource)):
            end = self.facts.objects[key].hidden or end
        return None if end is None else Finding(outcome=end, unresolved=_is_unresolved(end))

    def _read_claims(
        self, owned: OwnedRecord, claims: Sequence[NameClaim], requested: Sequence[Candidate]
    ) -> Finding | None:
        """Return the finding from the present claims to the record's name and set identifier, None if there is none."""
        resource, identifier = self.planner.normalize_resource(owned), owned.record.set_identifier
        unresolved = self._find_unresolved(claims, owned)
        live = (one for one in requested if one.desired.set_identifier == identifier)
        successors = [one for one in live if _succeeds(one, owned, resource)]
        for claim in unresolved:
            if claim.reason is not Reason.NO_ENDPOINTS and (not successors or _key(claim).resource == resource):
                return _keep_for(claim)
        if successors:
            first = successors[0].requested_by[0].ref
            block = Blocked(reason=Reason.REQUESTED_BY_OTHER, detail=f"{first} still requests the record")
            return Finding(outcome=block, waits_for=(Wait(Awaited.OBJECT, first.key),))
        if any(_key(claim).resource == resource or not resource for claim in unresolved):
            return self._require_synced(Evidence.NO_ENDPOINTS)
        if any(_key(claim).resource == resource and claim.set_identifier == identifier for claim in claims):
            return self._require_synced(Evidence.HOSTNAME_REMOVED)  # it requests other types only
        return None

    def _find_unresolved(self, claims: Iterable[NameClaim], owned: OwnedRecord) -> list[UnresolvedClaim]:
        resource, identifier = self.planner.normalize_resource(owned), owned.record.set_identifier
        managed = self.planner.settings.managed_types
        return [
            claim
            for claim in claims
            if isinstance(claim, UnresolvedClaim)
            and claim.set_identifier == identifier
            and (not claim.type or claim.type in managed)
            and (claim.denied is None or _key(claim).resource == resource or replaces(claim.denied, owned))
        ]

    def _read_object(self, owned: OwnedRecord) -> Finding:
        key, end = self.planner.find_object(owned.resource), self._read_claim_end(owned)
        if found := self._check_hosts(owned, owned.record.targets, moved=self._list_moved(owned)):
            return found
        known = key is not None and self.facts.objects[key].is_known
        if end is not None:
            if isinstance(end.outcome, Blocked):
                return end
            if end.outcome is not Evidence.ABSENT:
                return self._require_synced(end.outcome)
            if known:
                return self._require_synced(Evidence.HOSTNAME_REMOVED)  # it exists again, without the name
            if not owned.resource:
                return self._read_former_requesters(owned)
        if key is None or known:
            return self._check_hidden(key) or self._find_unclaimed(owned)
        if found := self._check_unread(owned):
            return found
        if end is not None:
            return self._confirm_absent(key, Evidence.ABSENT)
        found = self._check_computed(owned) or self._confirm_absent(key, Evidence.ORPHAN_GONE)
        return replace(found, waits_for=(*found.waits_for, COMPUTED))

    def _check_unread(self, owned: OwnedRecord) -> Finding | None:
        """Return why to keep the record if its object may be in a manifest that cannot be read; else None."""
        key, location = self.planner.find_object(owned.resource), self.facts.unreadable_manifest
        if key is None or not location or self.facts.objects[key].is_known:
            return None
        detail = f"{location} cannot be read and may contain the object"
        return Finding(outcome=Blocked(reason=Reason.OBJECT_FAILED, detail=detail), waits_for=(COMPUTED,))

    def _check_hidden(self, key: ObjectKey | None) -> Finding | None:
        """Return why to keep an orphan: the object at *key*, or any object if that is None, may still request it.

        Return None if no invalid hostname or misspelled annotation hides such a request. `--unresolved-timeout` does
        not apply, because no object has requested the record since the start.
        """
        block = self.facts.objects[key].hidden if key else self.facts.hidden
        return Finding(outcome=block, waits_for=(COMPUTED,)) if block else None

    def _list_moved(self, owned: OwnedRecord) -> frozenset[str]:
        """Return the resources, of those that *owned* may have been made for, that no longer request it.

        Left out are those that a list only lacked: if they are back, their claims may be unresolved since then.
        """
        resource = self.planner.normalize_resource(owned)
        ended = self.facts.list_ended(owned.record.set_identifier).items()
        return frozenset(one for one, end in ended if end is not Evidence.ABSENT and resource in {"", one})

    def _check_hosts(
        self, owned: OwnedRecord, hosts: Iterable[str], moved: frozenset[str] = frozenset()
    ) -> Finding | None:
        """Return why to keep a PTR record with *hosts*: a claim to one of them is unresolved. Return None if none is.

        A claim that has been unresolved since the process started has no PTR claim that would keep the record. Left out
        are hosts that a resource of *moved* requests: it no longer has the address.
        """
        if owned.record.type != rrtype.PTR:
            return None
        found = [self.facts.hosts[DnsName(host)] for host in sorted(hosts)]
        claims = (
            one for of_host in found if moved.isdisjoint(_key(one).resource for one in of_host) for one in of_host
        )
        waiting = (one for one in claims if isinstance(one, UnresolvedClaim) and one.reason is not Reason.NO_ENDPOINTS)
        kept = next(map(_keep_for, waiting), None)
        return replace(kept, waits_for=(*kept.waits_for, *self.facts.unread)) if kept else None

    def _check_computed(self, owned: OwnedRecord) -> Finding | None:
        """Return why to keep an orphan while the claims of an object that may request it cannot be computed."""
        failed = self.facts.failing.get("" if self.planner.settings.merges_namespaces else owned.namespace)
        if failed is None:
            return None
        key, failure = failed
        detail = f"{ObjectRef(key=key)} may request the record, but its claims cannot be computed: {failure}"
        return Finding(outcome=Blocked(reason=Reason.OBJECT_FAILED, detail=detail), waits_for=(COMPUTED,))

    def _require_synced(self, evidence: Evidence) -> Finding:
        """Return *evidence*, or why to keep the record: a kind that claims depend on is not synced."""
        down = self.facts.dependencies_down
        if down and evidence in {Evidence.DEPENDENCY_CHANGED, Evidence.NO_ENDPOINTS}:
            return _keep_until_synced(down)
        return Finding(outcome=evidence)

    def _list_missing(self, owned: OwnedRecord) -> Sequence[ObjectKey]:
        """Return the objects missing from a list that may still request *owned*, or provide it to a requester.

        These are its former requesters, other than its own object, and what the claims of all of them depend on.
        """
        ended = self.facts.list_ended(owned.record.set_identifier)
        own = self.planner.find_object(owned.resource)
        keys = dict.fromkeys(filter(None, (own, *map(self.planner.find_object, ended))))
        absent = [key for key in self._list_absent(ended) if key != own]
        return [*absent, *(one for key in keys for one in self.facts.objects[key].missing)]

    def _list_absent(self, ended: Mapping[str, Evidence | Blocked]) -> list[ObjectKey]:
        """Return the objects of *ended* claims that are `absent` from a list and have not been observed again."""
        absent = (self.planner.find_object(resource) for resource, end in ended.items() if end is Evidence.ABSENT)
        return [key for key in absent if key and not self.facts.objects[key].is_known]

    def _read_former_requesters(self, owned: OwnedRecord) -> Finding:
        """Return the finding for *owned*, which names no resource: a list lacks its former requesters, or did so."""
        ended = self.facts.list_ended(owned.record.set_identifier)
        if not all(map(self.planner.find_object, ended)):
            return self._find_unclaimed(owned)
        # without a missing object, they exist again and do not request the name
        return Finding(outcome=Evidence.ABSENT if self._list_missing(owned) else Evidence.HOSTNAME_REMOVED)

    def _confirm_all_absent(self, missing: Iterable[ObjectKey]) -> Finding:
        """Return `ABSENT` if GETs confirmed that no object of *missing* exists, else why to keep the record."""
        found = [self._confirm_absent(key, Evidence.ABSENT) for key in missing]
        unconfirmed = [one for one in found if isinstance(one.outcome, Blocked)]
        if not unconfirmed:
            return Finding(outcome=Evidence.ABSENT)
        waits = tuple(wait for one in unconfirmed for wait in one.waits_for)
        return Finding(outcome=unconfirmed[0].outcome, waits_for=waits)

    def _confirm_absent(self, key: ObjectKey, evidence: Evidence) -> Finding:
        exists = self.facts.objects[key].exists
        if exists is False:
            return Finding(outcome=evidence)
        block = Blocked(reason=Reason.ABSENCE_UNCONFIRMED, detail=_ANSWERED[exists])
        return Finding(outcome=block, waits_for=(Wait(Awaited.ANSWER, key),))

    def _find_unclaimed(self, owned: OwnedRecord) -> Finding:
        if self.facts.kinds_down:
            return _keep_until_synced(tuple(self.facts.kinds_down))
        return self._check_computed(owned) or Finding(outcome=Evidence.ORPHAN_UNCLAIMED, waits_for=(COMPUTED,))


def _succeeds(candidate: Candidate, owned: OwnedRecord, resource: str) -> bool:
    """Return whether *candidate* takes the place of *owned*: same type, or incompatible and of its *resource*.

    Other types that can coexist with the record neither keep it, nor are they evidence for its delete.
    """
    if candidate.desired.type == owned.record.type:
        return True
    is_own = not resource or any(one.ref.key.resource == resource for one in candidate.requested_by)
    return is_own and not can_coexist((owned.record, candidate.desired))


def _keep_for(claim: UnresolvedClaim) -> Finding:
    block = Blocked(reason=claim.reason, detail=f"{claim.provenance.ref}: {claim.detail}")
    waits = (Wait(Awaited.OBJECT, _key(claim)),)
    return Finding(outcome=block, waits_for=waits, unresolved=_is_unresolved(block))


def _keep_until_synced(kinds: Sequence[Kind]) -> Finding:
    names = ", ".join(kind.name for kind in kinds)
    block = Blocked(reason=Reason.SOURCE_DOWN, detail=f"{names} objects are not listed")
    return Finding(outcome=block, waits_for=tuple(Wait(Awaited.SYNC, kind) for kind in kinds))


def _is_unresolved(outcome: Evidence | Blocked) -> bool:
    return isinstance(outcome, Blocked) and outcome.reason.row.category is Category.UNRESOLVED


def _key(claim: NameClaim) -> ObjectKey:
    return claim.provenance.ref.key
