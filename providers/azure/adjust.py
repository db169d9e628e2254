"""Adjust desired records to what Azure can hold, and refuse what it would refuse."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError, sanitize
from extdns.model import rrtype
from extdns.model.change import Refusal
from extdns.model.record import DesiredRecord
from extdns.model.value import EMPTY_MAP
from extdns.model.zone import Zone
from providers.azure.records import TAGS, build_property, build_strings, parse_tags, read_text
from providers.common import plain_records
from providers.common.refusals import describe_unsupported, refuse

HOLDERS: Final = "zones of Azure DNS"
_PUBLIC: Final = frozenset({"A", "AAAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"})
TYPES: Final = {False: _PUBLIC, True: _PUBLIC - {rrtype.NS}}
"""The types of records in private zones, and in others."""

_NAME: Final = re.compile(r"[a-z0-9_*-]+(\.[a-z0-9_-]+)*")
_MAX_RECORDS: Final = 20
_MAX_TXT_RECORDS: Final = 400
_MAX_TXT: Final = 4096
_MAX_PAIRS: Final = 50
_MAX_KEY: Final = 512
_MAX_VALUE: Final = 256


def adjust_record(desired: DesiredRecord, zone: Zone) -> DesiredRecord | Refusal:
    """Return *desired* in the form in which *zone* will hold it, or why it cannot."""
    supported = TYPES[zone.private]
    if desired.type not in supported:
        service = "Azure Private DNS" if zone.private else "Azure DNS"
        return refuse(desired, describe_unsupported(service, desired.type, supported))
    tags = parse_tags(desired.properties.get(TAGS))
    adjusted = plain_records.adjust_record(replace(desired, properties=EMPTY_MAP), zone, holders=HOLDERS)
    if isinstance(adjusted, Refusal):
        return replace(adjusted, desired=desired)
    if problem := _find_problem(adjusted, tags):
        return refuse(desired, problem)
    return replace(adjusted, properties=build_property(tags.items()))


def _find_problem(desired: DesiredRecord, tags: dict[str, str]) -> str:
    """Return why Azure would refuse *desired*, or return it in another form; "" if no reason is known."""
    if not _NAME.fullmatch(desired.name):
        return f"{desired.name}: names have letters, digits, hyphens and underscores, and * in the first label"
    if len(tags) > _MAX_PAIRS:
        return f"{len(tags)} tags; allowed: {_MAX_PAIRS}"
    if long := next((key for key, one in tags.items() if len(key) > _MAX_KEY or len(one) > _MAX_VALUE), ""):
        return f"the tag {sanitize(long, 50)!r}; allowed: {_MAX_KEY} characters, and {_MAX_VALUE} in its value"
    limit = _MAX_TXT_RECORDS if desired.type == rrtype.TXT else _MAX_RECORDS
    if len(desired.targets) > limit:
        return f"{len(desired.targets)} values; allowed: {limit}"
    return _find_text_problem(desired.targets) if desired.type == rrtype.TXT else ""


def _find_text_problem(targets: tuple[str, ...]) -> str:
    length = 0
    for target in targets:
        try:
            strings = build_strings(target)
        except (ValueError, InvalidValueError):
            return f"the TXT value {sanitize(target, 50)} is not text (UTF-8)"
        if read_text(strings) != target:
            return f"the TXT value {sanitize(target, 50)} has quotation marks around it, which Azure shows as none"
        length += sum(map(len, strings))
    return f"TXT values of {length} characters; allowed: {_MAX_TXT} together" if length > _MAX_TXT else ""
