"""Validate and normalize record data in the format of zone files (RFC 1035 section 5, RFC 1034 section 3.6.1).

Host names must be absolute: guide "Records format", "must end with periods".
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Final

_HOST: Final = re.compile(r"(?:[A-Za-z0-9_*-]{1,63}\.)+|\.", re.ASCII)
_STRING: Final = re.compile(r'"((?:[^"\\]|\\[0-9]{3}|\\.)*)"|([^\s"\\]+)')
_ESCAPE: Final = re.compile(r"\\(?:[0-9]{3}|.)")
_MAX_STRING_BYTES: Final = 255
_MAX_UINT16: Final = 65_535


def is_valid(kind: str, value: object) -> bool:
    return isinstance(value, str) and _CHECKS.get(kind, _is_anything)(value)


def normalize(kind: str, value: str) -> str:
    """Return valid data as the service stores it: strings in quotes, addresses in short form."""
    if kind in {"TXT", "SPF"}:
        return " ".join(f'"{found[1] if found[2] is None else found[2]}"' for found in _STRING.finditer(value))
    if kind == "AAAA":
        return str(ipaddress.IPv6Address(value))
    return value


def _is_anything(value: str) -> bool:
    return bool(value.strip())


def _is_address(value: str, version: int) -> bool:
    try:
        return ipaddress.ip_address(value).version == version and "%" not in value
    except ValueError:
        return False


def _is_host(value: str) -> bool:
    return _HOST.fullmatch(value) is not None


def _is_text(value: str) -> bool:
    position = 0
    while position < len(value):
        string = _STRING.match(value, position)
        if not string:
            return False
        if len(_ESCAPE.sub("x", string[1] or string[2] or "")) > _MAX_STRING_BYTES:
            return False
        position = string.end()
        rest = value[position:]
        if rest and not rest[0].isspace():
            return False
        position += len(rest) - len(rest.lstrip())
    return bool(value.strip()) and value.isascii()


def _is_number(text: str, most: int = _MAX_UINT16) -> bool:
    return text.isascii() and text.isdigit() and int(text) <= most


def _is_numbered(value: str, numbers: int) -> bool:
    """Return whether *value* is *numbers* 16-bit numbers followed by a host name."""
    fields = value.split()
    return len(fields) == numbers + 1 and all(map(_is_number, fields[:numbers])) and _is_host(fields[numbers])


def _is_naptr(value: str) -> bool:
    found = re.fullmatch(r'(\d+) (\d+) "[A-Za-z0-9]*" "[^"]*" "[^"]*" (\S+)', value, re.ASCII)
    return found is not None and _is_number(found[1]) and _is_number(found[2]) and _is_host(found[3])


_CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "A": lambda value: _is_address(value, 4),
    "AAAA": lambda value: _is_address(value, 6),
    "ALIAS": _is_host,
    "CNAME": _is_host,
    "MX": lambda value: _is_numbered(value, 1),
    "NAPTR": _is_naptr,
    "NS": _is_host,
    "PTR": _is_host,
    "SPF": _is_text,
    "SRV": lambda value: _is_numbered(value, 3),
    "TXT": _is_text,
}
