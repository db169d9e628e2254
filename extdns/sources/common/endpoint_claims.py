"""Build claims from the endpoints of DNSEndpoint objects (docs/spec/sources.md 1.2, 6.3)."""

from __future__ import annotations

from typing import Final

from extdns.errors import InvalidValueError, describe_invalid_value
from extdns.model import rrtype, ttl
from extdns.model.claim import ClaimWarning, InvalidClaim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import REASONS, Reason
from extdns.model.record import OWNER, RESOURCE, DesiredRecord, canonicalize_targets
from extdns.model.validation import parse_owner
from extdns.model.value import StringMap
from extdns.resources.externaldns import SpecEndpoint

# Targets of these types may end with a dot. Those of NAPTR must, and those of all other types must not.
_DOT_OPTIONAL_TYPES: Final = frozenset({rrtype.CNAME, rrtype.DNAME, rrtype.TXT, rrtype.MX, rrtype.SRV})
_DOT_REQUIRED_TYPES: Final = frozenset({rrtype.NAPTR})
# Records of these types must have a target. Others may get a default target (docs/spec/sources.md 8.2).
_TARGET_REQUIRED_TYPES: Final = frozenset({rrtype.CNAME, rrtype.DNAME})


def build_endpoint_claim(
    endpoint: SpecEndpoint, provenance: Provenance, *, lenient: bool = False
) -> ResolvedClaim | UnresolvedClaim | InvalidClaim:
    """Build the claim for *endpoint*, found in the field of *provenance*.

    If the name is not valid, the claim is invalid. If a target is not valid, or a CNAME or DNAME has no target, the
    claim is unresolved, so an existing record stays. An endpoint of another type without targets gives a claim without
    targets. An invalid TTL is ignored with a warning. The validation stage checks type and targets later, after default
    targets were added (docs/spec/sources.md 0.2). *lenient*: see `extdns.model.validation`.
    """
    try:
        name = parse_owner(endpoint.dns_name, endpoint.record_type, lenient=lenient)
    except InvalidValueError as exc:
        return InvalidClaim(
            provenance=provenance, reason=REASONS[exc.reason], value=endpoint.dns_name, allowed=exc.allowed
        )
    ttl_s, groups = _read_ttl(endpoint, provenance)
    desired = _build_desired_record(name, endpoint, ttl_s, provenance)
    problem = _find_trailing_dot_problem(endpoint) or _find_missing_target(desired)
    if problem is None:
        return ResolvedClaim(desired=desired, provenance=provenance, warning_groups=groups)
    value, allowed = problem
    detail = f"{provenance.field}: {describe_invalid_value(value, allowed)}"
    return UnresolvedClaim(
        name=name,
        set_identifier=endpoint.set_identifier,
        provenance=provenance,
        reason=Reason.INVALID_ENDPOINT,
        detail=detail,
        type=endpoint.record_type,
    )


def _build_desired_record(name: DnsName, endpoint: SpecEndpoint, ttl_s: int, provenance: Provenance) -> DesiredRecord:
    labels = {key: value for key, value in (endpoint.labels or {}).items() if key != OWNER}
    return DesiredRecord(
        name=name,
        type=endpoint.record_type,
        targets=canonicalize_targets(endpoint.record_type, _list_targets(endpoint)),
        ttl_s=ttl_s,
        set_identifier=endpoint.set_identifier,
        labels=StringMap.from_items(labels | {RESOURCE: provenance.ref.key.resource}),
        properties=StringMap.from_items(
            (item.name, item.value) for item in reversed(endpoint.provider_specific or ()) if item.name
        ),
    )


def _list_targets(endpoint: SpecEndpoint) -> tuple[str, ...]:
    """Return the targets of *endpoint* that are not empty (docs/spec/sources.md 11)."""
    return tuple(target for target in endpoint.targets or () if target)


def _read_ttl(endpoint: SpecEndpoint, provenance: Provenance) -> tuple[int, tuple[tuple[ClaimWarning, ...], ...]]:
    try:
        return ttl.check_ttl(endpoint.record_ttl) if endpoint.record_ttl else ttl.UNSET, ()
    except InvalidValueError as exc:
        field = f"{provenance.field}.recordTTL"
        warning = ClaimWarning(reason=REASONS[exc.reason], field=field, value=exc.value, allowed=exc.allowed)
        return ttl.UNSET, ((warning,),)


def _find_trailing_dot_problem(endpoint: SpecEndpoint) -> tuple[str, str] | None:
    if endpoint.record_type in _DOT_OPTIONAL_TYPES:
        return None
    for target in _list_targets(endpoint):
        if endpoint.record_type in _DOT_REQUIRED_TYPES and not target.endswith("."):
            return target, f"{target}., with a dot at its end"
        if endpoint.record_type not in _DOT_REQUIRED_TYPES and target.endswith("."):
            return target, f"{target.rstrip('.')}, without a dot at its end"
    return None


def _find_missing_target(endpoint: DesiredRecord) -> tuple[str, str] | None:
    if endpoint.type in _TARGET_REQUIRED_TYPES and not endpoint.targets:
        return "no target", f"at least one target for {endpoint.type}"
    return None
