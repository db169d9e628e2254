"""Kinds of value that external-dns does not check, so that it accepts values without effect.

extdns accepts them too, because it must start where external-dns starts. A warning says what such a value does and
what the user probably meant (`extdns.flags.validation.find_warnings`). With `--compat` there is no warning. For a flag
that external-dns does not have, such a value is an error.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import replace
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.kind import NUMBER, ValueKind, make_choice_kind, make_text_kind
from extdns.model import rrtype

_MATCHES_NOTHING: Final = "it matches nothing"
_REASONS: Final = ("RecordReady", "RecordDeleted", "RecordError")


def _make_pattern_kind(
    noun: str, metavar: str, *, allowed: str, pattern: str, consequence: str = _MATCHES_NOTHING
) -> ValueKind[str]:
    """Make a kind that accepts any text, with a warning if it is not empty and does not match *pattern*."""
    return replace(
        make_text_kind(metavar),
        noun=noun,
        allowed=allowed,
        is_effective=lambda value: not value or re.fullmatch(pattern, value) is not None,
        consequence=consequence,
    )


def _make_known_kind(noun: str, metavar: str, *values: str) -> ValueKind[str]:
    """Make a kind that accepts any text, with a warning if it is neither empty nor one of *values*."""
    return replace(
        make_choice_kind(noun, *values, metavar=metavar),
        parse=str,
        choices=(),
        is_effective=lambda value: not value or value in values,
        consequence=_MATCHES_NOTHING,
    )


def _is_network(value: str) -> bool:
    bits = value.strip().partition("/")[2]
    try:
        return bool(ipaddress.ip_network(value.strip(), strict=False)) if bits.isascii() and bits.isdigit() else False
    except ValueError:
        return False


def _suggest_network(value: str) -> str:
    try:
        address = ipaddress.ip_address(value.strip())
    except ValueError:
        return ""
    return f"{address}/{address.max_prefixlen}"


DOMAIN: Final = replace(
    _make_pattern_kind(
        "a domain",
        "DOMAIN",
        allowed="one domain, such as example.org, or .example.org for what is below it",
        pattern=r"\s*(?!\.?\s*$)[^\s,/*^$()\[\]|\\+?]+\s*",
    ),
    blank="it is left out, and a filter without values excludes nothing",
)
RECORD_TYPE: Final = _make_known_kind("a record type", "TYPE", *rrtype.OWNABLE)
EVENT_REASON: Final = _make_known_kind("a reason of Events", "REASON", *_REASONS)
ZONE_ID: Final = _make_pattern_kind("a zone id", "ID", allowed="one zone id, or the end of one", pattern=r"[^\s,]+")
CIDR: Final = replace(
    make_text_kind("CIDR"),
    noun="a network",
    allowed="one network, such as 192.0.2.0/24 or 2001:db8::/32",
    is_effective=lambda value: not value or _is_network(value),
    consequence="the value is left out of the filter",
    suggest=_suggest_network,
)
CLASS: Final = _make_pattern_kind("a class", "NAME", allowed="the name of one class", pattern=r"[^\s,]+")
TAG: Final = _make_pattern_kind("a tag", "KEY[=VALUE]", allowed="one KEY or KEY=VALUE", pattern="[^,]+")


def _parse_affix(text: str) -> str:
    unknown = next((one for one in re.findall(r"%\{[^}]*\}?", text) if one != _RECORD_TYPE), "")
    if unknown:
        raise ValueError(f"{unknown} is not a placeholder; there is one: {_RECORD_TYPE}")
    return text


_RECORD_TYPE: Final = "%{record_type}"
AFFIX: Final = replace(
    _make_pattern_kind(
        "a part of a name",
        "TEXT",
        allowed=f"letters, digits, hyphens, dots and {_RECORD_TYPE}",
        pattern=r"(?:[\w.*-]|%\{record_type\})*",
        consequence="the names of ownership records with it are not valid",
    ),
    parse=_parse_affix,
)
LABEL: Final = _make_pattern_kind(
    "a label",
    "LABEL",
    allowed="letters, digits and hyphens",
    pattern=r"[\w.-]+|\*",  # * replaced by itself is not replaced
    consequence="the names of ownership records with it are not valid",
)
OWNER: Final = _make_pattern_kind(
    "an owner id",
    "ID",
    allowed="a text without commas, quotes, = and blanks",
    pattern=r'[^,"=\s\\]+',
    consequence="ownership records cannot name this owner",
)
TIME: Final = replace(
    DURATION,
    allowed="0s and more, such as 90s, 1m30s or 2h",
    is_effective=lambda value: value >= 0,
    consequence="it counts as 0s",
)
SIZE: Final = replace(
    NUMBER, noun="a size", allowed="1 and more", is_effective=lambda value: value > 0, consequence="it counts as 1"
)
