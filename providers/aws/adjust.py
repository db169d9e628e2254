"""Adjust desired records to what Route 53 can hold, and refuse what it would refuse.

The result has the form in which Route 53 returns it (docs/spec/plan.md 4.5, 11), so that a second pass changes nothing.
What the API reference forbids (ResourceRecordSet and AliasTarget) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from extdns.errors import shorten
from extdns.model import rrtype, ttl
from extdns.model.change import Refusal
from extdns.model.reason import Reason
from extdns.model.record import (
    ALIAS,
    DesiredRecord,
    canonicalize_targets,
    list_policies,
    parse_address,
)
from extdns.model.validation import validate_record
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone, find_placement_problem
from providers.aws.alias_targets import CLOUDFRONT_ZONE, find_alias_zone, find_aws_zone
from providers.aws.record_sets import (
    BIAS,
    CONTINENT,
    COORDINATES,
    COUNTRY,
    DEFAULT_TTL_S,
    EVALUATE_HEALTH,
    FAILOVER,
    HEALTH_CHECK,
    HOSTED_ZONE,
    MULTI_VALUE,
    NEAR_GROUP,
    NEAR_REGION,
    PROPERTY_NAMES,
    REGION,
    SUBDIVISION,
    TARGET_ZONE,
    WEIGHT,
    strip_id_path,
)
from providers.aws.settings import AwsSettings
from providers.common.refusals import describe_unsupported, refuse
from providers.common.txt_strings import MAX_VALUE_CHARACTERS, is_txt_value, join_strings

SUPPORTED_TYPES: Final = frozenset(rrtype.OWNABLE) - {rrtype.DNAME}
_TRUE: Final = "true"
_TYPES_WITH_BIAS: Final = frozenset({*rrtype.ADDRESSES, rrtype.CNAME})  # their bias is 0 by default
_ALIAS_VALUES: Final = frozenset({"true", "false", rrtype.A, rrtype.AAAA})


def adjust_record(
    desired: DesiredRecord, zone: Zone, settings: AwsSettings
) -> tuple[DesiredRecord, ...] | tuple[Refusal]:
    """Return *desired* in the form in which *zone* will hold it, or why it cannot.

    A CNAME can become one or two aliases.
    """
    if desired.type not in SUPPORTED_TYPES:
        return (refuse(desired, describe_unsupported("Route 53", desired.type, SUPPORTED_TYPES)),)
    zone_id = strip_id_path(desired.properties.get(HOSTED_ZONE)) if desired.properties else ""
    if zone_id and zone_id != zone.id:
        detail = f"the record is for zone {zone_id} only"
        return (Refusal(desired=desired, reason=Reason.NO_ZONE, detail=detail),)
    types = _find_alias_types(desired, settings)
    if types:
        records = tuple(_build_alias(replace(desired, type=rtype), zone, settings) for rtype in types)
    else:
        records = (_normalize(desired),)
    for record in records:
        if problem := find_problem(record, zone):
            return (refuse(record, problem),)
    return records


def _find_alias_types(desired: DesiredRecord, settings: AwsSettings) -> tuple[str, ...]:
    """Return the types of the alias records that replace *desired*, or () if it does not become an alias."""
    choice = desired.properties.get(ALIAS) if desired.properties else ""
    if desired.type in rrtype.ADDRESSES:
        return (desired.type,) if choice == _TRUE and desired.targets else ()
    if desired.type != rrtype.CNAME or not desired.targets:
        return ()
    if choice not in _ALIAS_VALUES:
        choice = _TRUE if not settings.prefer_cname and find_aws_zone(desired.targets[0]) else "false"
    if choice == _TRUE:
        return (rrtype.A, rrtype.AAAA)
    return (choice,) if choice in rrtype.ADDRESSES else ()


def _build_alias(desired: DesiredRecord, zone: Zone, settings: AwsSettings) -> DesiredRecord:
    host = desired.targets[0]
    properties = _normalize_properties(desired)
    properties[ALIAS] = _TRUE
    requested = desired.properties.get(EVALUATE_HEALTH)
    evaluates = requested == _TRUE if desired.properties.has(EVALUATE_HEALTH) else settings.evaluate_target_health
    properties[EVALUATE_HEALTH] = _TRUE if evaluates and find_aws_zone(host) != CLOUDFRONT_ZONE else "false"
    if (target := strip_id_path(desired.properties.get(TARGET_ZONE))) and target != find_alias_zone(host, zone.id):
        properties[TARGET_ZONE] = target
    return replace(
        desired,
        targets=(host,),
        ttl_s=ttl.UNSET if desired.ttl_s == ttl.UNSET else DEFAULT_TTL_S,
        properties=StringMap.from_items(properties),
    )


def _normalize(desired: DesiredRecord) -> DesiredRecord:
    if desired.type == rrtype.TXT:
        values = map(join_strings, desired.targets)
        desired = replace(desired, targets=canonicalize_targets(rrtype.TXT, values))
    if not desired.properties:
        return desired
    properties = _normalize_properties(desired)
    return replace(desired, properties=StringMap.from_items(properties) if properties else EMPTY_MAP)


def _normalize_properties(desired: DesiredRecord) -> dict[str, str]:
    properties = dict(desired.properties)
    has_bias = bool(desired.set_identifier) and desired.type in _TYPES_WITH_BIAS
    normalized = normalize_policy(properties, has_bias=has_bias) if properties else {}
    if check := properties.get(HEALTH_CHECK):
        normalized[HEALTH_CHECK] = check
    return normalized


_NEAR: Final = frozenset({NEAR_REGION, NEAR_GROUP, BIAS, COORDINATES})
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_DEGREES: Final = re.compile(r"([+-]?)0*([0-9]{1,3}(?:\.[0-9]{1,2})?)", re.ASCII)
_MAX_LATITUDE: Final = 90
_MAX_LONGITUDE: Final = 180


def normalize_policy(properties: Mapping[str, str], *, has_bias: bool) -> dict[str, str]:
    """Return the routing properties among *properties* as Route 53 will return them.

    As in external-dns, a weight or bias that is not a number is 0, and invalid coordinates are dropped. A continent
    makes country and subdivision meaningless. Country codes become upper case, and coordinates lose leading zeros. With
    *has_bias*, a geoproximity policy without a bias gets the default.
    """
    found = {name: value for name, value in properties.items() if name in PROPERTY_NAMES}
    if MULTI_VALUE in found:
        found[MULTI_VALUE] = ""
    for name in (WEIGHT, BIAS):
        if name in found:
            found[name] = str(int(found[name])) if _INTEGER.fullmatch(found[name]) else "0"
    if CONTINENT in found:
        found = {name: value for name, value in found.items() if name not in {COUNTRY, SUBDIVISION}}
    if COUNTRY in found:
        found[COUNTRY] = found[COUNTRY].upper()
    if coordinates := found.pop(COORDINATES, ""):
        found |= _normalize_coordinates(coordinates)
    if has_bias and not found.keys().isdisjoint(_NEAR):
        found.setdefault(BIAS, "0")
    return found


def _normalize_coordinates(text: str) -> dict[str, str]:
    latitude, longitude = (_DEGREES.fullmatch(part) for part in text.partition(",")[::2])
    if latitude is None or longitude is None:
        return {}
    if abs(float(latitude[0])) > _MAX_LATITUDE or abs(float(longitude[0])) > _MAX_LONGITUDE:
        return {}
    return {COORDINATES: f"{latitude[1]}{latitude[2]},{longitude[1]}{longitude[2]}"}


_MAX_VALUES: Final = 400
_MAX_SET_IDENTIFIER: Final = 128
_MAX_WEIGHT: Final = 255
_MAX_BIAS: Final = 99
_REGION: Final = re.compile(r"[a-z]+(?:-[a-z]+)+-[0-9]+", re.ASCII)
# Characters that XML cannot hold or would change (XML 1.0 sections 2.2 and 2.11).
_INVALID_CHARACTER: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Properties are numbers, codes and ids; Route 53 quotes some in messages, without quotes.
_PROPERTY: Final = re.compile(r"[A-Za-z0-9*.,:/_-]*", re.ASCII)


def find_problem(desired: DesiredRecord, zone: Zone) -> str:
    """Return why Route 53 would refuse the adjusted record *desired*; "" if no reason is known."""
    problem = find_placement_problem(desired, zone) or _find_invalid_character(desired)
    if problem:
        return problem
    if len(desired.set_identifier) > _MAX_SET_IDENTIFIER:
        return f"a set identifier of {len(desired.set_identifier)} characters; allowed: {_MAX_SET_IDENTIFIER}"
    if (desired.properties or desired.set_identifier) and (problem := _find_policy_problem(desired)):
        return problem
    return (_find_alias_problem(desired, zone) if desired.is_alias else "") or _find_value_problem(desired)


def _find_invalid_character(desired: DesiredRecord) -> str:
    for name, text in desired.properties:
        if not _PROPERTY.fullmatch(text):
            return f"{name} {text[:60]!r}; allowed: letters, digits and *.,:/_-"
    texts = [("set identifier", desired.set_identifier), *((desired.type, target) for target in desired.targets)]
    for field, text in texts:
        if _INVALID_CHARACTER.search(text):
            return f"{field} {text[:60]!r}; allowed: no control characters"
    return ""


def _find_policy_problem(desired: DesiredRecord) -> str:
    properties, set_identifier, is_alias = desired.properties, desired.set_identifier, desired.is_alias
    policies = list_policies(properties)
    if policies and not set_identifier:
        return f"{policies[0]} needs a set identifier"
    if set_identifier and not policies:
        return f"set identifier {set_identifier!r} needs a routing policy, such as the annotation aws-weight"
    if len(policies) > 1:
        return f"{' and '.join(policies)} together; a record has one routing policy"
    if properties.has(MULTI_VALUE) and (is_alias or desired.type == rrtype.CNAME):
        return f"multi-value answers need values, not {'an alias' if is_alias else 'a CNAME'}"
    empty = next((name for name, value in properties if name in PROPERTY_NAMES - {MULTI_VALUE} and not value), "")
    return f"{empty} is empty" if empty else _find_policy_value_problem(properties)


def _find_policy_value_problem(properties: StringMap) -> str:
    weight, bias, failover = (properties.get(name) for name in (WEIGHT, BIAS, FAILOVER))
    if weight and not 0 <= int(weight) <= _MAX_WEIGHT:
        return f"weight {weight}; allowed: 0 to {_MAX_WEIGHT}"
    if bias and abs(int(bias)) > _MAX_BIAS:
        return f"bias {bias}; allowed: -{_MAX_BIAS} to {_MAX_BIAS}"
    if properties.has(FAILOVER) and failover not in {"PRIMARY", "SECONDARY"}:
        return f"failover {failover!r}; allowed: PRIMARY, SECONDARY"
    if properties.has(REGION) and not _REGION.fullmatch(properties.get(REGION)):
        return f"region {properties.get(REGION)!r}; allowed: a region of AWS, such as eu-central-1"
    if properties.has(SUBDIVISION) and not properties.get(COUNTRY):
        return "a geolocation subdivision needs its country, US or UA"
    if not _NEAR.isdisjoint(name for name, _ in properties) and sum(map(properties.has, _NEAR - {BIAS})) != 1:
        return "geoproximity needs either a region, a local zone group or coordinates"
    return ""


def _find_alias_problem(desired: DesiredRecord, zone: Zone) -> str:
    host = desired.targets[0]
    if parse_address(host):
        return f"an alias points at a name, not at {host}"
    if host == desired.name:
        return f"the alias {desired.name} points to itself"
    if zone.private and find_aws_zone(host) == CLOUDFRONT_ZONE:
        return f"an alias to CloudFront, {host}, is allowed in public zones only"
    is_inside = host == zone.name or host.endswith(f".{zone.name}")
    if not (is_inside or desired.properties.has(TARGET_ZONE) or find_aws_zone(host)):
        return f"{host} is neither a known AWS endpoint nor within {zone}; set aws-target-hosted-zone to its zone"
    return ""


def _find_value_problem(desired: DesiredRecord) -> str:
    rtype, targets = desired.type, desired.targets
    if rtype == rrtype.CNAME and len(targets) > 1:
        return f"a CNAME can have only one target, not {len(targets)}: {shorten(', '.join(targets))}"
    if len(targets) > _MAX_VALUES:
        return f"{len(targets)} values in one record; allowed: {_MAX_VALUES}"
    if rtype == rrtype.TXT:
        return next((problem for target in targets if (problem := _find_txt_problem(target))), "")
    found = validate_record(desired, lenient=True) if rtype != rrtype.PTR else None  # Route 53 accepts PTR at any name
    return f"{found.value!r}; allowed: {found.allowed}" if found else ""


def _find_txt_problem(target: str) -> str:
    if not is_txt_value(target):
        return f"{target[:60]!r}; allowed: TXT values of printable ASCII in double quotes"
    if len(target) > MAX_VALUE_CHARACTERS:
        return f"a TXT value of {len(target)} characters; allowed: {MAX_VALUE_CHARACTERS}"
    return ""
