r"""DNS names as Route 53 keeps, shows and orders them (developer guide, "DNS domain name format").

Lower case, with a dot at the end; whatever is not a-z, 0-9, `-`, `_` or the dot between labels is an escape of three
octal digits, `*` too: `\052.example.com.`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_SETTLED: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
_ESCAPE: Final = re.compile(r"\\([0-3][0-7]{2})")
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_MAX_LABEL_BYTES: Final = 63
_MAX_NAME_BYTES: Final = 255


class BadName(Exception):
    """A name that the service refuses, with its words as the message.

    Attributes:
        problem: its code and what that means.
    """

    def __init__(self, problem: str, name: str) -> None:
        super().__init__(f"FATAL problem: {problem} encountered with '{name}'")
        self.problem = problem


@lru_cache(maxsize=200_000)
def normalise(name: str) -> str:
    """Give *name* as the service keeps it; the dot at the end may be missing, escapes may be or not be used.

    Raises:
        BadName: It is empty, has an empty or too long label, is too long, or holds what is not ASCII.
    """
    if len(name) < _MAX_NAME_BYTES and _SETTLED.fullmatch(name):
        return name if name[-1] == "." else name + "."
    if not name:
        raise BadName("DomainNameEmpty (Domain name is empty)", name)
    if not name.isascii():
        raise BadName("UnsupportedCharacter (Value contains unsupported characters)", name)
    labels = [list(_octets(label)) for label in name.removesuffix(".").split(".")]
    if not all(labels):
        raise BadName("DomainLabelEmpty (Domain label is empty)", name)
    if any(len(label) > _MAX_LABEL_BYTES for label in labels):
        raise BadName("DomainLabelTooLong (Domain label is too long)", name)
    if sum(len(label) + 1 for label in labels) + 1 > _MAX_NAME_BYTES:
        raise BadName("DomainNameTooLong (Domain name is too long)", name)
    return "".join("".join(map(_escaped, label)) + "." for label in labels)


@lru_cache(maxsize=200_000)
def order(name: str) -> str:
    """Give what a settled *name* is sorted by: its labels reversed, the dot at the end kept (`com.example.www.`)."""
    return ".".join(reversed(name[:-1].split("."))) + "."


def is_within(name: str, zone: str) -> bool:
    """Tell whether a settled *name* is *zone* or below it."""
    return name == zone or name.endswith("." + zone)


def _octets(label: str) -> Iterator[str]:
    """Give the characters of a label, escapes undone, in lower case."""
    position = 0
    while position < len(label):
        escape = _ESCAPE.match(label, position)
        yield (chr(int(escape[1], 8)) if escape else label[position]).lower()
        position = escape.end() if escape else position + 1


def _escaped(character: str) -> str:
    return character if character in _PLAIN else f"\\{ord(character):03o}"
