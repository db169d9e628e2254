"""TXT values: character strings in quotes, of at most 255 characters each (RFC 1035 section 3.3.14).

We hold a text of any length in one pair of quotes; on the way to the service it is cut into strings
of 255, on the way back strings that were full are joined with what follows.
"""

from __future__ import annotations

import re
from typing import Final

MAX_VALUE_CHARACTERS: Final = 4000
_MAX_STRING: Final = 255
_UNIT: Final = r'(?:\\[0-9]{3}|\\.|[^\\"])'
_UNITS: Final = re.compile(_UNIT)
_STRING: Final = re.compile(rf'"({_UNIT}*)"')
_VALUE: Final = re.compile(rf'"{_UNIT}*"(?:\s+"{_UNIT}*")*', re.ASCII)
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*", re.ASCII)


def is_value(text: str) -> bool:
    """Tell whether *text* is one or more quoted strings of printable characters."""
    return _VALUE.fullmatch(text) is not None and _PRINTABLE.fullmatch(text) is not None


def cut(text: str) -> str:
    """*text* as the service takes it: no string longer than 255 characters; an escape is one."""
    if len(text) <= _MAX_STRING + 2:
        return text
    return " ".join(f'"{part}"' for string in _strings(text) for part in _parts(string)) or text


def joined(text: str) -> str:
    """*text* as we hold it; what is no list of strings stays as it is."""
    if len(text) <= _MAX_STRING + 2 or not is_value(text):
        return text
    found: list[str] = []
    full = False
    for string in _strings(text):
        if full:
            found[-1] += string
        else:
            found.append(string)
        if string or not full:  # an empty one that was joined leaves it full
            length = len(_UNITS.findall(string))
            full = length >= _MAX_STRING and length % _MAX_STRING == 0
    return " ".join(f'"{string}"' for string in found)


def _strings(text: str) -> list[str]:
    return _STRING.findall(text)


def _parts(string: str) -> list[str]:
    units = _UNITS.findall(string)
    return ["".join(units[at : at + _MAX_STRING]) for at in range(0, len(units), _MAX_STRING)] or [""]
