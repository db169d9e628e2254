"""Validate the values of each record type (developer guide, "Supported DNS record types")."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Final

from tests.fakes.route53 import names
from tests.fakes.route53.records import RecordSet

MAX_VALUES: Final = 400
_MAX_VALUE: Final = 4000
_MAX_STRING_BYTES: Final = 255
_STRING: Final = re.compile(r'"((?:[^"\\]|\\[0-7]{3}|\\.)*)"')
_ESCAPE: Final = re.compile(r"\\(?:[0-7]{3}|.)")


class _BadValueError(Exception):
    """A value that the service refuses, with the code and the message."""


def find_problems(record: RecordSet) -> Iterator[str]:
    """Yield what is wrong with the values of *record*."""
    if len(record.values) > MAX_VALUES:
        yield f"Cannot have more than {MAX_VALUES} records in a RRSet."
    if record.type in {"CNAME", "SOA"} and len(record.values) > 1:
        yield f"{record.type} records can have only one value: {record.name}"  # the message is our own
    for location, value in enumerate(record.values):
        if value in record.values[:location]:
            yield f"Duplicate Resource Record: '{value}'"
        problem = _find_problem(record.type, value)
        if problem:
            yield f"Invalid Resource Record: 'FATAL problem: {problem} encountered with '{value}''"


@lru_cache(maxsize=100_000)
def _find_problem(kind: str, value: str) -> str | None:
    if len(value) > _MAX_VALUE:
        return "CharacterStringTooLong (Value is too long)"
    try:
        _CHECKS.get(kind, _check_non_empty)(value)
    except _BadValueError as exc:
        return str(exc)
    return None


def _check_non_empty(value: str) -> None:
    if not value.strip():
        raise _BadValueError("InvalidRDATA (Value is empty)")


def _check_ipv4(value: str) -> None:
    with suppress(ValueError):
        ipaddress.IPv4Address(value)
        return
    raise _BadValueError("ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)")


def _check_ipv6(value: str) -> None:
    with suppress(ValueError):
        if "%" not in value:
            ipaddress.IPv6Address(value)
            return
    raise _BadValueError("AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 address)")


def _check_domain(value: str) -> None:
    try:
        names.normalize(value)
    except names.BadName as exc:
        raise _BadValueError(exc.problem) from exc


def _check_strings(value: str) -> None:
    """Validate one or several quoted strings of up to 255 bytes, separated by blanks."""
    if not value.isascii():
        raise _BadValueError("UnsupportedCharacter (Value contains unsupported characters)")
    position = 0
    while position < len(value):
        string = _STRING.match(value, position)
        if not string:
            raise _BadValueError("InvalidCharacterString (Value should be enclosed in quotation marks)")
        if len(_ESCAPE.sub("x", string[1])) > _MAX_STRING_BYTES:
            raise _BadValueError("CharacterStringTooLong (Value is too long)")
        position = string.end()
        rest = value[position:]
        if rest and not rest[0].isspace():
            raise _BadValueError("InvalidCharacterString (Value should be enclosed in quotation marks)")
        position += len(rest) - len(rest.lstrip())
    if not value.strip():
        raise _BadValueError("InvalidCharacterString (Value should be enclosed in quotation marks)")


def _check_number(text: str, maximum: int, problem: str) -> None:
    if not (text.isascii() and text.isdigit() and int(text) <= maximum):
        raise _BadValueError(problem)


def _check_mx(value: str) -> None:
    preference, _, host = value.strip().partition(" ")
    if not host:
        raise _BadValueError("MXRRDATAPriorityRequired (MX records require a priority field)")
    _check_number(preference, 65_535, "MXRRDATAPriorityRequired (MX records require a priority field)")
    _check_domain(host.strip())


def _check_srv(value: str) -> None:
    fields = value.split()
    if len(fields) != 4:
        raise _BadValueError("SRVRRDATANotFourFields (Value does not have four fields)")
    for field in fields[:3]:
        _check_number(field, 65_535, "SRVRRDATAFieldOutOfRange (Value is not a number from 0 to 65535)")
    if fields[3] != ".":
        _check_domain(fields[3])


def _check_caa(value: str) -> None:
    fields = value.split(maxsplit=2)
    if len(fields) != 3:
        raise _BadValueError("CAARRDATANotThreeFields (Value does not have three fields)")
    _check_number(fields[0], 255, "CAARRDATAInvalidFlag (Flags must be a number from 0 to 255)")
    if not (fields[1].isascii() and fields[1].isalnum()):
        raise _BadValueError("CAARRDATAInvalidTag (Tag must be letters and digits)")
    if not _STRING.fullmatch(fields[2]):
        raise _BadValueError("CAARRDATAValueNotQuoted (Value should be enclosed in quotation marks)")


def _check_naptr(value: str) -> None:
    found = re.fullmatch(r'(\d+) (\d+) ("[A-Za-z0-9]?") ("[^"]*") ("[^"]*") (\S+)', value.strip(), re.ASCII)
    if not found:
        raise _BadValueError("NAPTRRRDATAInvalid (Value does not have six fields)")
    for field in found.groups()[:2]:
        _check_number(field, 65_535, "NAPTRRRDATAFieldOutOfRange (Value is not a number from 0 to 65535)")
    if found[6] != ".":
        _check_domain(found[6])


def _check_soa(value: str) -> None:
    fields = value.split()
    if len(fields) != 7:
        raise _BadValueError("SOARRDATANotSevenFields (Value does not have seven fields)")
    for field in fields[2:]:
        _check_number(field, 2**32 - 1, "SOARRDATAFieldOutOfRange (Value is not a number)")


_CHECKS: Final[Mapping[str, Callable[[str], None]]] = {
    "A": _check_ipv4,
    "AAAA": _check_ipv6,
    "CAA": _check_caa,
    "CNAME": _check_domain,
    "MX": _check_mx,
    "NAPTR": _check_naptr,
    "NS": _check_domain,
    "PTR": _check_domain,
    "SOA": _check_soa,
    "SPF": _check_strings,
    "SRV": _check_srv,
    "TXT": _check_strings,
}
