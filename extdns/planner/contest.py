"""Hostname contests: objects of several namespaces request one record.

See docs/design/differences.md, "Two namespaces, one hostname".

A contest decides one set identifier and type of a name. A CNAME is in contest with all types, and so is every type
with `PlanSettings.owns_names`; if several namespaces have records of other types, the CNAME loses. The namespace that
has the record keeps it; if there is no record, the namespace of the oldest object gets it. Claims within a namespace
are merged, as external-dns merges all claims. If the namespace that has a record no longer requests it, but another one
does, the record passes to the other one. That takes evidence and a grace period, but does not count in the budget,
because the name stays published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Action, Blocked, Decision
from extdns.model.claim import NameClaim, ResolvedClaim
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, Record, RecordKey
from extdns.model.value import Value, group_by
from extdns.planner.decide import Unfulfilled
from extdns.planner.proposal import merge_claims
from extdns.planner.settings import PlanSettings


class Contender(Value, frozen=True, kw_only=True):
    """A claim to a name, and the record types that it can affect.

    Attributes:
        claim: resolved or unresolved.
        types: the record types that the claim requests, as the service holds them; empty means any type.
    """

    claim: NameClaim
    types: frozenset[str]

    @property
    def namespace(self) -> str:
        """The namespace of the object that makes the claim."""
        return self.claim.provenance.ref.key.namespace

    def is_about(self, contest: Contest) -> bool:
        """Return whether the claim takes part in *contest*."""
        same_set = self.claim.set_identifier == contest.set_identifier
        return same_set and (not contest.types or not self.types or bool(self.types & contest.types))


class Contest(Value, frozen=True, kw_only=True):
    """A contest: one set identifier and the types that are decided together.

    Attributes:
        types: the record types; empty means all.
    """

    set_identifier: str
    types: frozenset[str] = frozenset()

    def covers(self, one: DesiredRecord | Record | RecordKey | Decision | Unfulfilled) -> bool:
        """Return whether the contest decides the record that *one* is about."""
        return one.set_identifier == self.set_identifier and (not self.types or one.type in self.types)


TAKEN: Final = Blocked(reason=Reason.REQUESTED_BY_OTHER, detail="")
"""Another namespace has the record, or one with which it cannot coexist."""


class ContestLoss(Value, frozen=True, kw_only=True):
    """A claim that lost a contest, and why."""

    contest: Contest
    claim: NameClaim
    block: Blocked


def find_contests(
    contenders: Sequence[Contender], current: Sequence[OwnedRecord], settings: PlanSettings
) -> tuple[Contest, ...]:
    """Return the contests at one name; none unless several namespaces are involved.

    *current* are our records there whose ownership records name a resource.
    """
    if len({*(one.namespace for one in contenders), *(owned.namespace for owned in current)}) <= 1:
        return ()
    found: list[Contest] = []
    existing = group_by(current, lambda owned: owned.record.set_identifier)
    for identifier, here in sorted(group_by(contenders, lambda one: one.claim.set_identifier).items()):
        types = {rtype for one in here for rtype in one.types}
        types |= {owned.record.type for owned in existing.get(identifier, ())}
        is_shared = len({owned.namespace for owned in existing.get(identifier, ())}) > 1
        if settings.owns_names or (rrtype.EXCLUSIVE in types and not is_shared):
            found.append(Contest(set_identifier=identifier))
        else:
            found += [Contest(set_identifier=identifier, types=frozenset({rtype})) for rtype in sorted(types)]
    return tuple(found)


def find_abandoned(
    contest: Contest, contenders: Iterable[Contender], current: Iterable[OwnedRecord]
) -> list[OwnedRecord]:
    """Return those of *current* that *contest* decides, and that another namespace requests, but no longer their own.

    Such a record is deleted, or passes to another namespace, only with evidence of its own.
    """
    requesting = {one.namespace for one in contenders if one.is_about(contest)}
    return [
        owned for owned in current if requesting and owned.namespace not in requesting and contest.covers(owned.record)
    ]


def decide_contest(
    contest: Contest,
    contenders: Iterable[Contender],
    current: Iterable[OwnedRecord],
    former: Iterable[Decision],
    retained: Mapping[RecordKey, Blocked],
    settings: PlanSettings,
) -> list[ContestLoss]:
    """Return the claims that lose *contest*.

    The namespace wins that has a record; else the one that had it last, if its claims are resolved; else that of the
    oldest claim.

    *retained* says why abandoned records do not pass to another namespace now.
    """
    here = [one for one in contenders if one.is_about(contest)]
    existing = [owned for owned in current if contest.covers(owned.record)]
    staying = [(owned, block) for owned in existing if (block := retained.get(owned.key))]
    if contest.types == frozenset({rrtype.EXCLUSIVE}):  # several namespaces have records of other types
        staying += [(owned, TAKEN) for owned in current if owned.record.set_identifier == contest.set_identifier]
    if staying:
        block = _explain_holder(*staying[0])
        return [ContestLoss(contest=contest, claim=one.claim, block=block) for one in here]
    namespaces = {one.namespace for one in here}
    if len(namespaces) <= 1:
        return []
    live = [one for one in here if isinstance(one.claim, ResolvedClaim)]
    oldest = min(live or here, key=_get_age).namespace
    able = {one.namespace for one in live}  # whose records can be made again
    ours = [one for one in former if one.action is not Action.NONE and (one.current is None or one.current.is_ours)]
    lasting = [one.current or one.desired for one in ours if contest.covers(one)]
    before = [record for record in lasting if record and record.resource and record.namespace in able]
    holder = next((one.namespace for one in (*existing, *before) if one.namespace in namespaces), oldest)
    winners = [one for one in here if one.namespace == holder]
    if _merge_content(live, settings) == _merge_content(winners, settings):
        return []
    won = set(winners)
    first = min(winners, key=_get_age)
    block = Blocked(reason=Reason.REQUESTED_BY_OTHER, detail=f"{first.claim.provenance.ref} has precedence")
    return [ContestLoss(contest=contest, claim=one.claim, block=block) for one in here if one not in won]


def _explain_holder(owned: OwnedRecord, block: Blocked) -> Blocked:
    detail = f"the {owned.record.type} record was made for {owned.resource}"
    return replace(block, detail=f"{detail}: {block.detail}" if block.detail else detail)


def _get_age(one: Contender) -> tuple[bool, str, str, str]:
    return one.claim.provenance.ref.age_sort_key


def _merge_content(contenders: Iterable[Contender], settings: PlanSettings) -> set[DesiredRecord]:
    """Return the records that the resolved claims of *contenders* request together, as they would be published."""
    claims = [one.claim for one in contenders if isinstance(one.claim, ResolvedClaim)]
    return {found.desired for found in merge_claims(claims, settings)}
