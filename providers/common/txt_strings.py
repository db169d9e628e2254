"""TXT values as services store them: strings of at most 255 characters each (RFC 1035 section 3.3)."""

from __future__ import annotations

import re
from typing import Final

MAX_VALUE_CHARACTERS: Final = 4000
_MAX_STRING: Final = 255
# Without backtracking, which takes exponential time: `\101` could also be read as an escaped 1, 0 and 1.
_UNIT: Final = r'(?>\\[0-9]{3}|\\.|[^\\"])'
_UNITS: Final = re.compile(_UNIT)
_STRING: Final = re.compile(rf'"({_UNIT}*+)"')
_VALUE: Final = re.compile(rf'"{_UNIT}*+"(?:\s+"{_UNIT}*+")*', re.ASCII)
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*", re.ASCII)


def is_txt_value(text: str) -> bool:
    """Return whether *text* is one or more quoted strings of printable characters."""
    return _VALUE.fullmatch(text) is not None and _PRINTABLE.fullmatch(text) is not None


def split_strings(text: str) -> str:
    """Split the strings of the TXT value *text* so that none has over 255 characters; an escape counts as one."""
    if len(text) <= _MAX_STRING + 2:
        return text
    return " ".join(f'"{part}"' for string in _STRING.findall(text) for part in _split_units(string)) or text


def join_strings(text: str) -> str:
    """Undo `split_strings`: join each string of 255 characters with the next one.

    Text that is not a TXT value stays unchanged.
    """
    if len(text) <= _MAX_STRING + 2 or not is_txt_value(text):
        return text
    found: list[str] = []
    full = False
    for string in _STRING.findall(text):
        if full:
            found[-1] += string
        else:
            found.append(string)
        if string or not full:  # joining an empty string leaves it full
            length = len(_UNITS.findall(string))
            full = length >= _MAX_STRING and length % _MAX_STRING == 0
    return " ".join(f'"{string}"' for string in found)


def _split_units(string: str) -> list[str]:
    units = _UNITS.findall(string)
    return ["".join(units[at : at + _MAX_STRING]) for at in range(0, len(units), _MAX_STRING)] or [""]
