"""Adjust desired records to what Cloudflare can hold, and refuse what it would refuse (API reference, DNS Records)."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Final

from msgspec.structs import replace

from extdns.errors import sanitize
from extdns.model import rrtype, ttl
from extdns.model.change import Refusal
from extdns.model.record import DesiredRecord, parse_address
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone
from providers.cloudflare.entries import (
    BOOLEANS,
    COMMENT,
    CUSTOM,
    HOSTNAME_TYPES,
    PROXIABLE,
    PROXIED,
    REGION,
    TAGS,
    format_tags,
    split_hostnames,
)
from providers.cloudflare.settings import CloudflareSettings
from providers.common import plain_records
from providers.common.refusals import describe_unsupported, refuse

FREE: Final = "free"
SUPPORTED_TYPES: Final = frozenset(rrtype.OWNABLE) - {rrtype.DNAME}
_TTLS_S: Final = (60, 86_400)
_MAX_COMMENT: Final = {FREE: 100}
_MAX_PAID_COMMENT: Final = 500
_MAX_TAGS: Final = 20
_MAX_CUSTOM: Final = 100
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TAG: Final = re.compile(r"[A-Za-z0-9_-]+(:[^\x00-\x1f\x7f-\x9f]*)?")
_REGION: Final = re.compile(r"[A-Za-z0-9_-]{0,63}", re.ASCII)
_CUSTOM: Final = re.compile(r"(?=.{1,253}$)(?:\*\.)?(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}", re.ASCII)
_MAX_TXT: Final = 2048
_PRIVATE: Final = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "fc00::/7")))
_NAME: Final = re.compile(r"[a-z0-9_*.-]+")


def adjust_record(
    desired: DesiredRecord, zone: Zone, settings: CloudflareSettings, plan: str
) -> DesiredRecord | Refusal:
    """Return *desired* in the form in which *zone* will hold it, or why it cannot. *plan* is that of the zone."""
    if desired.type not in SUPPORTED_TYPES:
        return refuse(desired, describe_unsupported("Cloudflare", desired.type, SUPPORTED_TYPES))
    properties = _read_properties(desired, settings)
    adjusted = plain_records.adjust_record(
        replace(desired, properties=EMPTY_MAP), zone, holders="zones of Cloudflare", flattens_apex=True
    )
    if isinstance(adjusted, Refusal):
        return replace(adjusted, desired=desired)
    if problem := _find_problem(adjusted, properties, plan):
        return refuse(desired, problem)
    low_s, high_s = _TTLS_S
    ttl_s = ttl.UNSET if PROXIED in properties or not adjusted.has_ttl else min(max(adjusted.ttl_s, low_s), high_s)
    return replace(adjusted, ttl_s=ttl_s, properties=StringMap.from_items(properties))


def _read_properties(desired: DesiredRecord, settings: CloudflareSettings) -> dict[str, str]:
    """Return the properties as they are read back, without those that are empty or off.

    Requests have the prefix of the annotations before the name of a property. A text that is not a boolean leaves the
    default, as in external-dns.
    """
    stated = {key.rpartition("/")[2]: value for key, value in desired.properties}
    proxied = BOOLEANS.get(stated.get(PROXIED, "").lower(), settings.proxied) and desired.type in PROXIABLE
    of_name = {key for key in settings.hostname_properties if desired.type in HOSTNAME_TYPES[key]}
    comment = " ".join(stated.get(COMMENT, settings.comment).split())
    found = {
        PROXIED: "true" if proxied else "",
        COMMENT: comment,
        TAGS: format_tags(stated.get(TAGS, "").split(",")),
        REGION: stated.get(REGION, settings.region).strip() if REGION in of_name else "",
        CUSTOM: ",".join(split_hostnames(stated.get(CUSTOM, "").lower())) if CUSTOM in of_name else "",
    }
    return {key: value for key, value in found.items() if value}


def _find_problem(desired: DesiredRecord, properties: dict[str, str], plan: str) -> str:
    if not _NAME.fullmatch(desired.name):
        return f"{desired.name}: names in zones of Cloudflare have letters, digits, hyphens and underscores"
    limit = _MAX_COMMENT.get(plan, _MAX_PAID_COMMENT)
    comment = properties.get(COMMENT, "")
    if _CONTROL.search(comment):
        return f"the comment '{sanitize(comment)}'; allowed: no control characters"
    if len(comment) > limit:
        return f"the comment has {len(comment)} characters; the plan of the zone allows {limit}"
    tags = properties.get(TAGS, "").split(",") if TAGS in properties else []
    if tags and plan == FREE:
        return f"the tags {sanitize(', '.join(tags))}: the plan of the zone ({plan}) has no tags"
    if len(tags) > _MAX_TAGS:
        return f"{len(tags)} tags; allowed: {_MAX_TAGS}"
    if bad := next((tag for tag in tags if not _TAG.fullmatch(tag)), ""):
        return f"the tag '{sanitize(bad)}'; allowed: NAME:VALUE, with letters, digits, - and _ in the name"
    if long := next((one for one in desired.targets if desired.type == rrtype.TXT and len(one) > _MAX_TXT), ""):
        return f"a TXT value of {len(long)} characters; allowed: {_MAX_TXT}"
    if PROXIED in properties and (found := _find_private(desired.targets)):
        return f"{found} cannot be proxied: Cloudflare does not reach it"
    return _find_hostname_problem(properties)


def _find_hostname_problem(properties: dict[str, str]) -> str:
    if not _REGION.fullmatch(region := properties.get(REGION, "")):
        return f"the region '{sanitize(region)}'; allowed: the key of a region, such as eu"
    names = split_hostnames(properties.get(CUSTOM, ""))
    if len(names) > _MAX_CUSTOM:
        return f"{len(names)} custom hostnames; allowed: {_MAX_CUSTOM} for a record"
    if wrong := next((one for one in names if not _CUSTOM.fullmatch(one)), ""):
        return f"the custom hostname '{sanitize(wrong)}'; allowed: a complete name, such as app.example.com"
    return ""


def _find_private(targets: tuple[str, ...]) -> str:
    """Return the first of *targets* that is a private address, which Cloudflare does not reach; "" if none is."""
    for target in targets:
        address = parse_address(target)
        if address is not None and any(address in network for network in _PRIVATE):
            return target
    return ""
