"""What Route 53 would hold of what is wanted, in the form in which it is read back (spec plan 4.5, 11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from extdns.model import pairs, rrtype, texts, ttl
from extdns.model.adjusted import Adjusted, Refusal
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import ALIAS, Endpoint, canonical_targets
from extdns.model.zone import Zone
from providers.aws import routing
from providers.aws.codec import DEFAULT_TTL_S, HEALTH, TARGET_ZONE
from providers.aws.targets import CLOUDFRONT, canonical_zone, target_zone
from providers.aws.validity import TYPES, objection
from providers.aws.wire import bare_id

PIN: Final = "aws/hosted-zone-id"
_TRUE: Final = "true"
_BIASED: Final = frozenset({*rrtype.ADDRESSES, rrtype.CNAME})  # those whose bias is 0 if nobody gave one
_CHOICES: Final = frozenset({"true", "false", rrtype.A, rrtype.AAAA})


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasSettings:
    """When a CNAME becomes an alias, and whether aliases follow their target's health unless told otherwise."""

    prefer_cname: bool = False
    evaluate_target_health: bool = True


def adjusted(endpoint: Endpoint, zone: Zone, settings: AliasSettings) -> Adjusted:
    """What *zone* would hold for *endpoint*; a CNAME may become two aliases."""
    if endpoint.type not in TYPES:
        allowed = ", ".join(rtype for rtype in rrtype.OWNABLE if rtype in TYPES)
        return _refused(endpoint, f"Route 53 has no {endpoint.type}; allowed: {allowed}")
    pin = bare_id(endpoint.properties.get(PIN)) if endpoint.properties else ""
    if pin and pin != zone.id:
        return _refused(endpoint, f"meant for zone {pin} alone", Reason.NO_ZONE)
    forms = _forms(endpoint, zone, settings)
    for form in forms:
        if wrong := objection(form, zone):
            return _refused(endpoint, wrong)
    return Adjusted(wanted=forms)


def _refused(endpoint: Endpoint, detail: str, reason: Reason = Reason.UNSUPPORTED) -> Adjusted:
    return Adjusted(wanted=(), refused=(Refusal(endpoint=endpoint, reason=reason, detail=detail),))


def _forms(endpoint: Endpoint, zone: Zone, settings: AliasSettings) -> tuple[Endpoint, ...]:
    types = _alias_types(endpoint, settings)
    if not types:
        return (_plain(endpoint),)
    return tuple(_alias(replace(endpoint, type=rtype), zone, settings) for rtype in types)


def _alias_types(endpoint: Endpoint, settings: AliasSettings) -> tuple[str, ...]:
    """The types of the aliases that *endpoint* becomes, () if it becomes none."""
    said = endpoint.properties.get(ALIAS) if endpoint.properties else ""
    if endpoint.type in rrtype.ADDRESSES:
        return (endpoint.type,) if said == _TRUE and endpoint.targets else ()
    if endpoint.type != rrtype.CNAME or not endpoint.targets:
        return ()
    if said not in _CHOICES:
        said = _TRUE if not settings.prefer_cname and canonical_zone(endpoint.targets[0]) else "false"
    if said == _TRUE:
        return (rrtype.A, rrtype.AAAA)
    return (said,) if said in rrtype.ADDRESSES else ()


def _alias(endpoint: Endpoint, zone: Zone, settings: AliasSettings) -> Endpoint:
    host = endpoint.targets[0]
    found = _policy(endpoint)
    found[ALIAS] = _TRUE
    given = endpoint.properties
    follows = given.get(HEALTH) == _TRUE if given.has(HEALTH) else settings.evaluate_target_health
    found[HEALTH] = _TRUE if follows and canonical_zone(host) != CLOUDFRONT else "false"
    if (target := bare_id(given.get(TARGET_ZONE))) and target != target_zone(host, zone.id):
        found[TARGET_ZONE] = target
    return replace(
        endpoint,
        targets=(host,),
        ttl_s=ttl.UNSET if endpoint.ttl_s == ttl.UNSET else DEFAULT_TTL_S,
        properties=Pairs.of(found),
    )


def _plain(endpoint: Endpoint) -> Endpoint:
    if endpoint.type == rrtype.TXT:
        endpoint = replace(endpoint, targets=canonical_targets(rrtype.TXT, map(texts.joined, endpoint.targets)))
    if not endpoint.properties:
        return endpoint
    found = _policy(endpoint)
    return replace(endpoint, properties=Pairs.of(found) if found else pairs.NONE)


def _policy(endpoint: Endpoint) -> dict[str, str]:
    given = dict(endpoint.properties)
    biased = bool(endpoint.set_identifier) and endpoint.type in _BIASED
    found = routing.settled(given, biased=biased) if given else {}
    if check := given.get(routing.HEALTH_CHECK):
        found[routing.HEALTH_CHECK] = check
    return found
