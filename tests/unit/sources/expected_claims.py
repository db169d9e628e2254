"""Build the claims that a test expects, and reduce those of a source to what most tests compare."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from extdns.model.claim import (
    Claim,
    ExcludedClaim,
    InvalidClaim,
    Provenance,
    ResolvedClaim,
    UnresolvedClaim,
)
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from tests.builders import origin, ref

_REF: Final[ObjectRef] = ref("any")
_PROVENANCE: Final[Provenance] = origin("any")


def resolved(name: str, rtype: str, *targets: str, ttl_s: int = 0) -> ResolvedClaim:
    """Build a claim to a record."""
    desired = DesiredRecord(name=DnsName(name), type=rtype, targets=targets, ttl_s=ttl_s)
    return ResolvedClaim(desired=desired, provenance=_PROVENANCE)


def unresolved(name: str, reason: Reason = Reason.NO_ADDRESS) -> UnresolvedClaim:
    """Build a claim to a name without known targets."""
    return UnresolvedClaim(name=DnsName(name), set_identifier="", provenance=_PROVENANCE, reason=reason, detail="")


def excluded(excluded_by: str, name: str | None = None) -> ExcludedClaim:
    """Build the claim of a whole object, or of its *name*, that a flag or annotation excludes."""
    return ExcludedClaim(ref=_REF, excluded_by=excluded_by, name=None if name is None else DnsName(name))


def invalid(reason: Reason, value: str) -> InvalidClaim:
    """Build the claim to an invalid *value*."""
    return InvalidClaim(provenance=_PROVENANCE, reason=reason, value=value, allowed="")


def reduce_claims(claims: Iterable[Claim]) -> list[Claim]:
    """Return *claims* as the functions above build them: without provenance, labels, properties and texts."""
    return [_reduce(claim) for claim in claims]


def _reduce(claim: ResolvedClaim | UnresolvedClaim | ExcludedClaim | InvalidClaim) -> Claim:
    match claim:
        case ResolvedClaim(desired=desired):
            return resolved(desired.name, desired.type, *desired.targets, ttl_s=desired.ttl_s)
        case UnresolvedClaim():
            return unresolved(claim.name, claim.reason)
        case ExcludedClaim():
            return excluded(claim.excluded_by, claim.name)
        case InvalidClaim():
            return invalid(claim.reason, claim.value)
        case _:
            assert_never(claim)
