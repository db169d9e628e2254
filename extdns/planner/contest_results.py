"""The results of the hostname contests at one name (docs/design/differences.md, "Two namespaces, one hostname").

::

    claims ─▶ contenders ─▶ contests ─▶ desired records of the claims that did not lose
                               └─ lost to another namespace, or waiting for a transfer
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked, Wait
from extdns.model.claim import Derivation, NameClaim, UnresolvedClaim
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, RecordKey
from extdns.model.value import Value, group_by
from extdns.planner.coexistence import can_coexist
from extdns.planner.comparison import block_former_owner, find_changed, find_written
from extdns.planner.contest import TAKEN, Contender, Contest, ContestLoss, decide_contest, find_abandoned, find_contests
from extdns.planner.decide import Unfulfilled, reject_claim
from extdns.planner.deletes import find_block
from extdns.planner.desired import NO_BLOCKS, Desired, Requested, adjust, build_candidates
from extdns.planner.evidence import EvidenceReader, Finding
from extdns.planner.proposal import Candidate
from extdns.planner.settings import Planner, PlanSettings, Policy
from extdns.planner.view import Facts, NameView

_VIOLATION: Final = Finding(outcome=Evidence.POLICY_VIOLATION)


class Transfers(Value, frozen=True, kw_only=True):
    """What becomes of the records that their namespace no longer requests while another one requests the name.

    Attributes:
        retained: those that stay, and why.
        deleted: those that no record of the other namespace replaces, and why its requests wait until they are gone.
        deletes: the deletes for which there is evidence. Each is made once the delete guard allows it.
        waits_for: what the records that stay wait for.
    """

    retained: Mapping[RecordKey, Blocked] = NO_BLOCKS
    deleted: Mapping[RecordKey, Blocked] = NO_BLOCKS
    deletes: tuple[PendingDelete, ...] = ()
    waits_for: tuple[Wait, ...] = ()


NO_TRANSFERS: Final = Transfers()

Contesting = tuple[Contest, Sequence[Contender], Sequence[OwnedRecord]]
"""A contest, with the contenders and our records that have its set identifier."""


class ContestResults(Value, frozen=True, kw_only=True):
    """The results of the hostname contests at one name.

    Attributes:
        desired: the desired records of the claims that did not lose.
        losses: the claims that lost, and in which contest.
        rejected: the same losses, in the form that decisions need.
        remaining: the claims that did not lose every record that they request.
        transfers: which records pass to another namespace, and which do not yet.
        merged: the keys of records that equal what external-dns merges from all claims, and not what the winners
            request.
        is_contested: whether there may be a contest at all.
    """

    desired: Desired
    losses: tuple[ContestLoss, ...] = ()
    rejected: tuple[Unfulfilled, ...] = ()
    remaining: Sequence[NameClaim] = ()
    transfers: Transfers = NO_TRANSFERS
    merged: frozenset[RecordKey] = frozenset()
    is_contested: bool = False

    def select_requests(
        self, records: Iterable[OwnedRecord], requested: Requested
    ) -> Iterator[tuple[OwnedRecord, Sequence[NameClaim], Sequence[Candidate]]]:
        """Yield each of *records*, the claims to its set identifier that did not lose, and what these request.

        If the ownership record names no object, yield also the claims that lost: the record may belong to any
        namespace.
        """
        by_identifier = group_by(requested.claims, _get_identifier)
        losses = group_by(self.losses, lambda loss: loss.contest.set_identifier)
        of_all, of_winners = (
            group_by(one.of_managed_types, lambda candidate: candidate.desired.set_identifier)
            for one in (requested.desired, self.desired)
        )
        for owned in records:
            identifier = owned.record.set_identifier
            here = by_identifier.get(identifier, [])
            if not owned.resource:
                yield owned, here, of_all.get(identifier, [])
                continue
            about = losses.get(identifier, ())
            losing = {loss.claim for loss in about if loss.contest.covers(owned.record)}
            yield owned, [claim for claim in here if claim not in losing], of_winners.get(identifier, [])


def may_be_contested(view: NameView, requested: Requested, settings: PlanSettings) -> bool:
    """Return whether objects of several namespaces request the records of a name, or have some of them."""
    if settings.merges_namespaces or len(requested.claims) + len(view.current) <= 1:
        return False
    namespaces = {owned.namespace for owned in _select_ours(view)}
    for claim in requested.claims:
        if _is_contender(claim, view):
            namespaces.add(claim.provenance.ref.key.namespace)
    return len(namespaces) > 1


def resolve_contests(view: NameView, requested: Requested, planner: Planner) -> ContestResults:
    """Return which of the claims *requested* lose a hostname contest, and which records pass to another namespace.

    If several namespaces request the records of the name, or have some of them, *view* must have its facts.
    """
    claims, desired = requested.claims, requested.desired
    if not (view.facts and may_be_contested(view, requested, planner.settings)):
        return ContestResults(desired=desired, remaining=claims)
    ours = _select_ours(view)
    contenders = [_contend(claim, view, planner) for claim in claims if _is_contender(claim, view)]
    contests = find_contests(contenders, ours, planner.settings)
    about = _group_by_contest(contests, contenders, ours)
    transfers = _find_transfers(about, requested, view, view.facts, planner)
    losses = _decide_contests(about, {**transfers.retained, **transfers.deleted}, view, planner.settings)
    merged: frozenset[RecordKey] = frozenset()
    selected = desired
    if losses:
        merged = _find_merged(claims, contests, losses, desired, view, planner)
        about_merged = group_by(merged, _get_identifier)
        losses = [loss for loss in losses if not _covers_any(loss.contest, about_merged)]
        selected = _select(claims, contests, losses, view, planner)
    by_identifier = group_by(contests, _get_identifier)
    lost = {(id(loss.claim), loss.contest) for loss in losses}
    gone = {one.claim for one in contenders if _loses_all(one, by_identifier.get(one.claim.set_identifier, ()), lost)}
    return ContestResults(
        desired=selected,
        losses=tuple(losses),
        rejected=tuple(_reject(losses, gone, view, planner)),
        remaining=[claim for claim in claims if claim not in gone],
        transfers=transfers,
        merged=merged,
        is_contested=True,
    )


def _is_contender(claim: NameClaim, view: NameView) -> bool:
    """Return whether *claim* takes part in contests.

    PTR claims do so only while we have a CNAME at the name. Otherwise those of all namespaces are merged.
    """
    if claim.provenance.derivation is not Derivation.PTR:
        return True
    return any(owned.is_ours and owned.resource and owned.record.type == rrtype.EXCLUSIVE for owned in view.current)


def _select_ours(view: NameView) -> list[OwnedRecord]:
    """Return our records at the name whose ownership records name a resource, without a PTR record of PTR claims."""
    found = [owned for owned in view.current if owned.is_ours and owned.resource]
    if rrtype.PTR not in [owned.record.type for owned in found] or all(
        _is_contender(claim, view) for claim in view.claims
    ):
        return found
    contending = {claim.provenance.ref.key.resource for claim in view.claims if _is_contender(claim, view)}
    return [owned for owned in found if owned.record.type != rrtype.PTR or owned.resource in contending]


def _contend(claim: NameClaim, view: NameView, planner: Planner) -> Contender:
    if isinstance(claim, UnresolvedClaim):
        return Contender(claim=claim, types=frozenset({claim.type} if claim.type else ()))
    found = adjust(build_candidates((claim,), planner.settings), view, planner)
    types = {one.desired.type for one in found.taken} | {one.type for one in found.refused}
    return Contender(claim=claim, types=frozenset(types))


def _decide_contests(
    about: Iterable[Contesting], retained: Mapping[RecordKey, Blocked], view: NameView, settings: PlanSettings
) -> list[ContestLoss]:
    losses: list[ContestLoss] = []
    former = [one for one in view.former if one.zone == view.zone]
    for contest, here, records in about:
        losses += decide_contest(contest, here, records, former, retained, settings)
    return losses


def _group_by_contest(
    contests: Iterable[Contest], contenders: Iterable[Contender], ours: Iterable[OwnedRecord]
) -> list[Contesting]:
    contending = group_by(contenders, lambda one: one.claim.set_identifier)
    existing = group_by(ours, lambda owned: owned.record.set_identifier)
    return [(one, contending[one.set_identifier], existing.get(one.set_identifier, ())) for one in contests]


def _find_transfers(
    about: Sequence[Contesting], requested: Requested, view: NameView, facts: Facts, planner: Planner
) -> Transfers:
    """Return which records that their namespace no longer requests pass to another one, which requests them.

    A record passes only if one that takes its place would be written: not if that one yields, loses or is refused.
    Otherwise it is deleted as if nobody requested it, and requests of others wait until it is gone; they do not wait if
    `--policy` keeps it.
    """
    abandoned = [(owned, here) for one, here, records in about for owned in find_abandoned(one, here, records)]
    if not abandoned:
        return NO_TRANSFERS
    contests = [contest for contest, _, _ in about]
    losses = _decide_contests(about, {}, view, planner.settings)
    winning = _select(requested.claims, contests, losses, view, planner) if losses else requested.desired
    written = group_by(find_written(view.current, winning.taken, planner.settings), lambda one: one.set_identifier)
    reader = EvidenceReader(planner=planner, facts=facts)
    retained: dict[RecordKey, Blocked] = {}
    deleted: dict[RecordKey, Blocked] = {}
    deletes: list[PendingDelete] = []
    waits: list[Wait] = []
    requesting = {one.desired.set_identifier for one in requested.desired.of_managed_types}
    for owned, here in abandoned:
        identifier = owned.record.set_identifier
        if identifier not in requesting:
            continue
        if former := block_former_owner(owned, planner.settings):
            retained[owned.key] = former
            continue
        is_transfer = any(
            one.type == owned.record.type or not can_coexist((owned.record, one)) for one in written.get(identifier, ())
        )
        claims = [
            one.claim
            for one in here
            if one.namespace == owned.namespace or (isinstance(one.claim, UnresolvedClaim) and not is_transfer)
        ]
        finding = _VIOLATION if owned.key in requested.violating else reader.find(owned, claims, ())
        waits += finding.waits_for
        if isinstance(finding.outcome, Blocked):
            retained[owned.key] = finding.outcome
            continue
        delete = PendingDelete(owned=owned, evidence=finding.outcome, is_transfer=is_transfer)
        deletes.append(delete)
        if blocked := find_block(view, delete):
            retained[owned.key] = blocked
        if not is_transfer and planner.settings.policy is Policy.SYNC:
            deleted[owned.key] = TAKEN  # rules may also deny the delete
    retained = _keep_together(contests, retained | deleted, deletes) | retained
    return Transfers(retained=retained, deleted=deleted, deletes=tuple(deletes), waits_for=tuple(waits))


def _keep_together(
    contests: Iterable[Contest], staying: Mapping[RecordKey, Blocked], deletes: Iterable[PendingDelete]
) -> dict[RecordKey, Blocked]:
    """Return why records that would pass stay: while one of *staying* is there, nothing else wins its contest."""
    found: dict[RecordKey, Blocked] = {}
    here = group_by(staying, _get_identifier)
    passing = group_by([one.owned.key for one in deletes if one.is_transfer], _get_identifier)
    for contest in contests:
        if first := next((key for key in here.get(contest.set_identifier, ()) if contest.covers(key)), None):
            keys = [key for key in passing.get(contest.set_identifier, ()) if contest.covers(key)]
            found |= dict.fromkeys(keys, staying[first])
    return found


def _find_merged(
    claims: Sequence[NameClaim],
    contests: Sequence[Contest],
    losses: Sequence[ContestLoss],
    desired: Desired,
    view: NameView,
    planner: Planner,
) -> frozenset[RecordKey]:
    """Return the keys of records that equal the merge of all claims and differ from what the winners request.

    A record that equals what the winners request does not count, even if the merge is equal: external-dns publishes
    only one of several CNAMEs, and only what one of several sources requests. Nor does a record that extdns published:
    it equals the merge because its owner requests less now, and a claim of others must not keep the rest.
    """
    losing = {loss.contest for loss in losses if loss.block.reason is Reason.REQUESTED_BY_OTHER}
    if not (losing and view.may_be_merged):
        return frozenset()
    of_all = group_by(find_changed(view.current, desired.taken, planner.settings), _get_identifier)
    winning = _select(claims, contests, losses, view, planner)
    of_winners = group_by(find_changed(view.current, winning.taken, planner.settings), _get_identifier)
    merged = [contest for contest in losing if not _covers_any(contest, of_all) and _covers_any(contest, of_winners)]
    about = group_by(merged, _get_identifier)
    return frozenset(
        key for key in view.may_be_merged if any(contest.covers(key) for contest in about.get(key.set_identifier, ()))
    )


def _select(
    claims: Sequence[NameClaim],
    contests: Sequence[Contest],
    losses: Sequence[ContestLoss],
    view: NameView,
    planner: Planner,
) -> Desired:
    """Return the desired records of *claims* without the *losses*. A claim can lose one type and keep another."""
    contested = {contest.set_identifier for contest in contests}
    contending, others = list[NameClaim](), list[NameClaim]()
    for claim in claims:
        is_contending = _is_contender(claim, view) and claim.set_identifier in contested
        (contending if is_contending else others).append(claim)
    by_identifier = group_by(contending, _get_identifier)
    lost = group_by(losses, lambda loss: loss.contest)
    found = adjust(build_candidates(others, planner.settings), view, planner)
    taken, refused, managed = [*found.taken], [*found.refused], [*found.of_managed_types]
    for contest in contests:
        losing = {loss.claim for loss in lost.get(contest, ())}
        here = [one for one in by_identifier.get(contest.set_identifier, ()) if one not in losing]
        found = adjust(build_candidates(here, planner.settings), view, planner)
        taken += [one for one in found.taken if contest.covers(one.desired)]
        refused += [one for one in found.refused if contest.covers(one)]
        managed += [one for one in found.of_managed_types if contest.covers(one.desired)]
    return Desired(taken=tuple(taken), refused=tuple(refused), of_managed_types=tuple(managed))


def _loses_all(contender: Contender, contests: Iterable[Contest], lost: Container[tuple[int, Contest]]) -> bool:
    own = [contest for contest in contests if contender.is_about(contest)]
    return bool(own) and all((id(contender.claim), contest) in lost for contest in own)


def _reject(
    losses: Iterable[ContestLoss],
    gone: Container[NameClaim],
    view: NameView,
    planner: Planner,
) -> Iterable[Unfulfilled]:
    """Reject claims that lost a contest: the claim if it lost every record that it requests, else each lost record."""
    rejected: set[NameClaim] = set()
    for loss in losses:
        claim = loss.claim
        if claim in gone or isinstance(claim, UnresolvedClaim):
            if claim not in rejected:
                rejected.add(claim)
                yield reject_claim(claim, loss.block)
            continue
        found = adjust(build_candidates((claim,), planner.settings), view, planner)
        for one in found.taken:
            if loss.contest.covers(one.desired):
                yield replace(reject_claim(claim, loss.block), desired=one.desired)


def _covers_any(contest: Contest, keys: Mapping[str, Iterable[RecordKey]]) -> bool:
    """Return whether *contest* decides one of *keys*, which are by set identifier."""
    return any(contest.covers(key) for key in keys.get(contest.set_identifier, ()))


def _get_identifier(one: NameClaim | Contest | RecordKey) -> str:
    return one.set_identifier
