"""Endpoints that objects write out whole, as DNSEndpoints do (spec sources 1.2, 6.3)."""

from __future__ import annotations

from typing import Final

from extdns.errors import InvalidValueError, not_valid
from extdns.model import rrtype, ttl
from extdns.model.claim import Invalid, Notice, Provenance, Wanted, Withheld
from extdns.model.dnsendpoint import SpecEndpoint
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import OWNER, RESOURCE, Endpoint, canonical_targets

# Targets of these may be written with or without a dot at the end; those of all other types, known or not, without.
_EITHER: Final = frozenset({rrtype.CNAME, rrtype.DNAME, rrtype.TXT, rrtype.MX, rrtype.SRV})
_DOTTED: Final = frozenset({rrtype.NAPTR})
# What has no target and is none of these may get a default one (spec sources 8.2).
_TARGETED: Final = frozenset({rrtype.CNAME, rrtype.DNAME})


def claim_of(written: SpecEndpoint, at: Provenance) -> Wanted | Withheld | Invalid:
    """What *written*, which stands *at* that field, asks for; without targets if it names none.

    What is written so that no record can be made of it, leaves that record as it is (`Withheld`). Whether its type
    is one that can be published, and its targets fit it, is asked of what default targets have made of it (spec sources
    0.2).
    """
    try:
        name = DnsName.parse(written.dns_name)
    except InvalidValueError as exc:
        return Invalid(provenance=at, reason=Reason(exc.reason), value=written.dns_name, allowed=exc.allowed)
    endpoint = _endpoint(name, written, at)
    wrong = _misdotted(written) or _untargeted(endpoint)
    if wrong is None:
        return Wanted(endpoint=endpoint, provenance=at, notices=_notices(written, at))
    value, allowed = wrong
    detail = f"{at.field}: {not_valid(value, allowed)}"
    return Withheld(
        name=name,
        set_identifier=written.set_identifier,
        provenance=at,
        reason=Reason.INVALID_ENDPOINT,
        detail=detail,
        type=written.record_type,
    )


def _endpoint(name: DnsName, written: SpecEndpoint, at: Provenance) -> Endpoint:
    labels = {key: value for key, value in (written.labels or {}).items() if key != OWNER}
    return Endpoint(
        name=name,
        type=written.record_type,
        targets=canonical_targets(written.record_type, _targets(written)),
        ttl_s=written.record_ttl if _has_ttl(written) else ttl.UNSET,
        set_identifier=written.set_identifier,
        labels=Pairs.of(labels | {RESOURCE: at.ref.key.resource}),
        properties=Pairs.of(
            (given.name, given.value) for given in reversed(written.provider_specific or ()) if given.name
        ),
    )


def _targets(written: SpecEndpoint) -> tuple[str, ...]:
    """All but empty ones (deviation 1)."""
    return tuple(target for target in written.targets or () if target)


def _has_ttl(written: SpecEndpoint) -> bool:
    return 0 < written.record_ttl <= ttl.MAX_TTL_S


def _notices(written: SpecEndpoint, at: Provenance) -> tuple[Notice, ...]:
    if written.record_ttl == ttl.UNSET or _has_ttl(written):
        return ()
    value, allowed = str(written.record_ttl), f"from 1 to {ttl.MAX_TTL_S} seconds"
    return (Notice(reason=Reason.INVALID_TTL, field=f"{at.field}.recordTTL", value=value, allowed=allowed),)


def _misdotted(written: SpecEndpoint) -> tuple[str, str] | None:
    if written.record_type in _EITHER:
        return None
    for target in _targets(written):
        if written.record_type in _DOTTED and not target.endswith("."):
            return target, f"{target}., with a dot at its end"
        if written.record_type not in _DOTTED and target.endswith("."):
            return target, f"{target.rstrip('.')}, without a dot at its end"
    return None


def _untargeted(endpoint: Endpoint) -> tuple[str, str] | None:
    if endpoint.type in _TARGETED and not endpoint.targets:
        return "no target", f"at least one target for {endpoint.type}"
    return None
