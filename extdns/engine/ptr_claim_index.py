"""The PTR claims of every name (docs/design/architecture.md, "PTR claims")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.model.claim import UnresolvedClaim, is_detached
from extdns.model.reason import Reason
from extdns.planner.ptr_claims import derive_ptr_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from extdns.model.claim import NameClaim, ResolvedClaim
    from extdns.model.dns_name import DnsName
    from extdns.model.kind import ObjectKey
    from extdns.planner.settings import PlanSettings

RequesterKey = tuple[str, "ObjectKey"]
"""A source and an object whose claims it computes."""


class PtrClaimIndex:
    """The PTR claims that the merged claims of each name yield, by that name, not by the reverse names."""

    def __init__(self, settings: PlanSettings) -> None:
        """Start without claims. *settings* decide how claims are merged and which records get PTR records."""
        self._settings = settings
        self._by_name: dict[DnsName, tuple[ResolvedClaim, ...]] = {}

    def update(
        self, name: DnsName, claims: Sequence[NameClaim], observed: RequesterKey
    ) -> tuple[list[ResolvedClaim], list[ResolvedClaim]]:
        """Derive the PTR claims of *name* again. Return the former ones that ended, and the new ones.

        *claims* are all claims to the name now, which an observation of *observed* changed.
        """
        before = self._by_name.get(name, ())
        derived = derive_ptr_claims(claims, self._settings)
        if not (before or derived):
            return [], []
        known = {claim: claim for claim in before}
        retained = _find_retained(before, derived, claims, observed) if before else ()
        after = {known.get(claim, claim): None for claim in (*derived, *retained)}  # unchanged claims stay identical
        if after:
            self._by_name[name] = tuple(after)
        else:
            del self._by_name[name]
        return [one for one in before if one not in after], [one for one in after if one not in known]

    def find_names(self, names: Iterable[DnsName]) -> set[DnsName]:
        """Return the reverse names of the PTR claims that the claims to *names* yield."""
        found = [self._by_name[name] for name in names if name in self._by_name] if self._by_name else ()
        return {claim.name for claims in found for claim in claims}


def _find_retained(
    before: Iterable[ResolvedClaim],
    derived: Iterable[ResolvedClaim],
    claims: Iterable[NameClaim],
    observed: RequesterKey,
) -> Iterator[ResolvedClaim]:
    """Return the PTR claims of *before* that stay, because claims that they may depend on are unresolved."""
    unresolved = {
        _get_requester(claim)
        for claim in claims
        if isinstance(claim, UnresolvedClaim) and claim.reason is not Reason.NO_ENDPOINTS and not is_detached(claim)
    }
    if unresolved:
        found = {(claim.name, _get_requester(claim)) for claim in derived}
        for claim in before:
            requester = _get_requester(claim)
            if (claim.name, requester) not in found and (requester in unresolved or requester != observed):
                yield claim


def _get_requester(claim: NameClaim) -> RequesterKey:
    return claim.provenance.source, claim.provenance.ref.key
