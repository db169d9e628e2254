r"""DNS names as Route 53 stores, shows and sorts them (developer guide, "DNS domain name format").

Names are in lower case with a trailing dot. All characters but a-z, 0-9, `-`, `_` and the dot between labels, even `*`,
are escaped by three octal digits: `\052.example.com.`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_NORMALIZED: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
_ESCAPE: Final = re.compile(r"\\([0-3][0-7]{2})")
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_MAX_LABEL_BYTES: Final = 63
_MAX_NAME_BYTES: Final = 255


class BadName(Exception):
    """A name that the service refuses. The message is that of the service.

    Attributes:
        problem: the error code and its meaning.
    """

    def __init__(self, problem: str, name: str) -> None:
        super().__init__(f"FATAL problem: {problem} encountered with '{name}'")
        self.problem = problem


@lru_cache(maxsize=200_000)
def normalize(name: str) -> str:
    """Return *name* as the service stores it. The trailing dot is optional, and so are escapes."""
    if len(name) < _MAX_NAME_BYTES and _NORMALIZED.fullmatch(name):
        return name if name[-1] == "." else name + "."
    if not name:
        raise BadName("DomainNameEmpty (Domain name is empty)", name)
    if not name.isascii():
        raise BadName("UnsupportedCharacter (Value contains unsupported characters)", name)
    labels = [list(_decode_label(label)) for label in name.removesuffix(".").split(".")]
    if not all(labels):
        raise BadName("DomainLabelEmpty (Domain label is empty)", name)
    if any(len(label) > _MAX_LABEL_BYTES for label in labels):
        raise BadName("DomainLabelTooLong (Domain label is too long)", name)
    if sum(len(label) + 1 for label in labels) + 1 > _MAX_NAME_BYTES:
        raise BadName("DomainNameTooLong (Domain name is too long)", name)
    return "".join("".join(map(_escape, label)) + "." for label in labels)


@lru_cache(maxsize=200_000)
def build_sort_key(name: str) -> str:
    """Return the sort key of a normalized *name*: its labels reversed, with the trailing dot (`com.example.www.`)."""
    return ".".join(reversed(name[:-1].split("."))) + "."


def is_within(name: str, zone: str) -> bool:
    """Return whether a normalized *name* is *zone* or below it."""
    return name == zone or name.endswith("." + zone)


def _decode_label(label: str) -> Iterator[str]:
    """Yield the characters of a label in lower case, with escapes decoded."""
    position = 0
    while position < len(label):
        escape = _ESCAPE.match(label, position)
        yield (chr(int(escape[1], 8)) if escape else label[position]).lower()
        position = escape.end() if escape else position + 1


def _escape(character: str) -> str:
    return character if character in _PLAIN else f"\\{ord(character):03o}"
