"""Adjust desired records to what Cloud DNS can hold, and refuse what it would refuse (docs/spec/plan.md 5, 11).

The result has the form in which the service returns it, so that a second pass changes nothing. What the guides
"Error messages" and "DNS records overview" forbid is refused.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.errors import shorten
from extdns.model import rrtype
from extdns.model.change import Refusal
from extdns.model.record import DesiredRecord, canonicalize_targets, parse_address
from extdns.model.validation import validate_record
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone, find_placement_problem
from providers.common.refusals import describe_unsupported, refuse
from providers.common.txt_strings import is_txt_value, join_strings
from providers.google.record_sets import ROUTING_POLICY, ProjectLimits, list_policy_targets, normalize_policy

SUPPORTED_TYPES: Final = frozenset(rrtype.OWNABLE) - {rrtype.DNAME}
_NEEDS_QUOTES: Final = frozenset('"\\')


def adjust_record(desired: DesiredRecord, zone: Zone, limits: ProjectLimits) -> DesiredRecord | Refusal:
    """Return *desired* in the form in which *zone* will hold it, or why it cannot."""
    if desired.type not in SUPPORTED_TYPES:
        return refuse(desired, describe_unsupported("Cloud DNS", desired.type, SUPPORTED_TYPES))
    try:
        record = _normalize(desired)
    except ValueError as exc:
        return refuse(desired, f"{ROUTING_POLICY}: {exc}")
    problem = find_problem(record, zone, limits)
    return refuse(desired, problem) if problem else record


def _normalize(desired: DesiredRecord) -> DesiredRecord:
    routing = desired.properties.get(ROUTING_POLICY)
    if routing:
        routing = normalize_policy(routing)
        return replace(
            desired,
            targets=canonicalize_targets(desired.type, list_policy_targets(routing)),
            properties=StringMap.from_items({ROUTING_POLICY: routing}),
        )
    if desired.type == rrtype.TXT:
        desired = replace(desired, targets=canonicalize_targets(rrtype.TXT, map(_quote, desired.targets)))
    return replace(desired, properties=EMPTY_MAP) if desired.properties else desired


def _quote(target: str) -> str:
    """Return a TXT value in quotes.

    If *target* has no quotes, each word becomes a string, because the service does the same.
    """
    words = target.split()
    if words and _NEEDS_QUOTES.isdisjoint(target):
        target = " ".join(f'"{word}"' for word in words)
    return join_strings(target)


def find_problem(desired: DesiredRecord, zone: Zone, limits: ProjectLimits) -> str:
    """Return why Cloud DNS would refuse the adjusted record *desired*; "" if no reason is known."""
    if desired.set_identifier:
        return f"Cloud DNS does not support set identifiers, such as {desired.set_identifier!r}"
    if desired.name.needs_escapes:
        return f"the name {desired.name}; allowed: names of letters, digits, '-', '_' and '*'"
    return find_placement_problem(desired, zone) or _find_value_problem(desired, limits)


def _find_value_problem(desired: DesiredRecord, limits: ProjectLimits) -> str:
    rtype, targets = desired.type, desired.targets
    if rtype == rrtype.CNAME and len(targets) > 1 and not desired.properties.has(ROUTING_POLICY):
        return f"a CNAME can have only one target, not {len(targets)}: {shorten(', '.join(targets))}"
    limit = limits.name_servers if rtype == rrtype.NS else limits.values
    if len(targets) > limit:
        return f"{len(targets)} values in one record; allowed: {limit}"
    if rtype == rrtype.TXT:
        invalid = next((target for target in targets if not is_txt_value(target)), None)
        return "" if invalid is None else f"{invalid[:60]!r}; allowed: TXT values of printable ASCII in double quotes"
    if rtype in rrtype.ADDRESSES and (host := next((text for text in targets if parse_address(text) is None), "")):
        return f"{rtype} needs addresses, not {host}; Cloud DNS does not support aliases"
    # the service accepts PTR at any name
    found = validate_record(desired, lenient=True) if rtype != rrtype.PTR else None
    return f"{found.value!r}; allowed: {found.allowed}" if found else ""
