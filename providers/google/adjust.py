"""What Cloud DNS would hold of what is wanted, in the form in which it is read back (spec plan 5, 11)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.model import pairs, rrtype, texts
from extdns.model.adjusted import Refusal
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, canonical_targets
from extdns.model.zone import Zone
from providers.google import policy
from providers.google.validity import TYPES, objection
from providers.google.wire import Limits

_NOT_BARE: Final = frozenset('"\\')


def adjusted(endpoint: Endpoint, zone: Zone, limits: Limits) -> Endpoint | Refusal:
    """*endpoint* as *zone* would hold it, or why it cannot."""
    if endpoint.type not in TYPES:
        allowed = ", ".join(rtype for rtype in rrtype.OWNABLE if rtype in TYPES)
        return _refusal(endpoint, f"Cloud DNS has no {endpoint.type}; allowed: {allowed}")
    try:
        form = _form(endpoint)
    except ValueError as exc:
        return _refusal(endpoint, f"{policy.PROPERTY}: {exc}")
    wrong = objection(form, zone, limits)
    return _refusal(endpoint, wrong) if wrong else form


def _refusal(endpoint: Endpoint, detail: str) -> Refusal:
    return Refusal(endpoint=endpoint, reason=Reason.UNSUPPORTED, detail=detail)


def _form(endpoint: Endpoint) -> Endpoint:
    routing = endpoint.properties.get(policy.PROPERTY)
    if routing:
        routing = policy.settled(routing)
        properties = Pairs.of({policy.PROPERTY: routing})
        return replace(
            endpoint, targets=canonical_targets(endpoint.type, policy.targets(routing)), properties=properties
        )
    if endpoint.type == rrtype.TXT:
        endpoint = replace(endpoint, targets=canonical_targets(rrtype.TXT, map(_text, endpoint.targets)))
    return replace(endpoint, properties=pairs.NONE) if endpoint.properties else endpoint


def _text(target: str) -> str:
    """A TXT value in quotes; of one without, the service makes a string of each word."""
    words = target.split()
    if words and _NOT_BARE.isdisjoint(target):
        target = " ".join(f'"{word}"' for word in words)
    return texts.joined(target)
