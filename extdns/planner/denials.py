"""Claims that rules deny, and what they keep (docs/design/rules.md).

A denied claim becomes an unresolved one if it keeps a record of its namespace, so that the namespace keeps the name in
contests. If it keeps none, the claim is dropped, and neither takes the name nor blocks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from extdns.model.change import Blocked
from extdns.model.claim import ResolvedClaim, UnresolvedClaim
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, OwnedRecord, RecordKey
from extdns.model.value import Value
from extdns.planner.coexistence import can_coexist
from extdns.planner.decide import Unfulfilled, reject_claim
from extdns.planner.proposal import is_published
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import RuleInput


class Denial(Value, frozen=True, kw_only=True):
    """A claim that rules deny, or about which they have no answer.

    Attributes:
        records: the records that the claim requests, as the service would hold them, and those that it refuses.
        own: the records of ours that were made for the object of the claim.
        replaced: other records of the namespace of the claim, which *records* would replace.
        violating: the keys of the records at the name that are to be deleted (`onViolation: delete`).
        inputs: the inputs for the records that may have to be deleted.
    """

    claim: ResolvedClaim
    block: Blocked
    records: tuple[DesiredRecord, ...]
    own: tuple[OwnedRecord, ...]
    replaced: tuple[OwnedRecord, ...] = ()
    violating: frozenset[RecordKey] = frozenset()
    inputs: tuple[RuleInput, ...] = ()

    @property
    def rejections(self) -> list[Unfulfilled]:
        """One unfulfilled request for each of `records`."""
        return [replace(reject_claim(self.claim, self.block), desired=record) for record in self.records]

    @property
    def is_unresolved(self) -> bool:
        """Whether a record of the claim's namespace and set identifier stays: the claim then counts as unresolved."""
        staying = [one for one in (*self.own, *self.replaced) if one.key not in self.violating]
        return any(one.record.set_identifier == self.claim.set_identifier for one in staying)

    @property
    def substitutes(self) -> list[UnresolvedClaim]:
        """The unresolved claims that take the place of the denied one, so that its records stay."""
        return [
            UnresolvedClaim(
                name=self.claim.name,
                set_identifier=self.claim.set_identifier,
                provenance=self.claim.provenance,
                reason=self.block.reason,
                detail=self.block.detail,
                type=record.type,
                denied=record,
            )
            for record in self.records
        ]

    def would_lose_targets(self, owned: OwnedRecord, allowed: Iterable[DesiredRecord] = ()) -> bool:
        """Return whether *owned* has targets of the denied claim that none of the *allowed* records has."""
        targets = {target for one in self.records if one.key == owned.key for target in one.targets}
        others = {target for one in allowed if one.key == owned.key for target in one.targets}
        return bool(targets & {*owned.record.targets} - others)


def replaces(record: DesiredRecord, owned: OwnedRecord) -> bool:
    """Return whether *record* takes the place of *owned*: it has the same key, or cannot coexist with it."""
    return record.key == owned.key or not can_coexist((owned.record, record))


def is_any_published(current: Iterable[OwnedRecord], records: Sequence[DesiredRecord]) -> bool:
    """Return whether one of the *current* records is ours, and is what one of *records* requests."""
    return any(is_published(owned, record) for owned in current for record in records)


def describe_denial(reason: Reason, answers: Iterable[Evaluation]) -> Blocked:
    """Return why a change is not made: the first violation, or why there is no answer."""
    found = list(answers)
    denials = sorted({violation for answer in found for violation in answer.denials})
    if not denials:
        unavailable = min(answer.unavailable for answer in found if answer.unavailable)
        return Blocked(reason=Reason.POLICY_UNAVAILABLE, detail=unavailable)
    more = f" (and {len(denials) - 1} more)" if len(denials) > 1 else ""
    return Blocked(reason=reason, detail=f"{denials[0].rule}: {denials[0].message}{more}")
