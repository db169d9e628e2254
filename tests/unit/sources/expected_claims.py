"""Show the claims of a source as the lines that most tests compare, and build such lines from values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from extdns.model.claim import Claim, ExcludedClaim, InvalidClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.reason import Reason


def resolved(name: str, rtype: str, *targets: str, ttl_s: int = 0) -> str:
    """Return the line of a claim to a record, as in `a.t 60 A 192.0.2.1, 192.0.2.2`."""
    return f"{name} {f'{ttl_s} ' if ttl_s else ''}{rtype} {', '.join(targets)}"


def unresolved(name: str, reason: Reason = Reason.NO_ADDRESS) -> str:
    """Return the line of a claim to a name without known targets."""
    return f"{name}: {reason}"


def excluded(excluded_by: str, name: str | None = None) -> str:
    """Return the line of the claim of a whole object, or of its *name*, that a flag or annotation excludes."""
    return f"{'' if name is None else f'{name}: '}excluded by {excluded_by}"


def invalid(reason: Reason, value: str) -> str:
    """Return the line of the claim to an invalid *value*."""
    return f"{reason}: {value}"


def reduce_claims(claims: Iterable[Claim]) -> list[str]:
    """Return *claims* as the functions above show them: without provenance, labels, properties and texts."""
    return [_reduce(claim) for claim in claims]


def _reduce(claim: ResolvedClaim | UnresolvedClaim | ExcludedClaim | InvalidClaim) -> str:
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
