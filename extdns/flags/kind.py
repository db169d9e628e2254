"""What values a flag can have: how one is read, written and explained."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_TRUE: Final = ("1", "t", "T", "TRUE", "true", "True")
_FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")
_INT64: Final = 2**63
_DIGITS = re.compile(r"[+-]?\d{1,19}", re.ASCII)


def _no_suggestion(_text: str) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """One kind of value.

    Attributes:
        noun: completes `--interval=72 is not …`, article included.
        metavar: stands for the value in `--help`.
        allowed: what would have been right, as a noun phrase.
        read: text to value; raises ValueError, whose message (it may be empty) says why not.
        write: value to text, so that `read(write(value)) == value`.
        choices: all the texts there are, for a closed set; else empty.
        suggest: the right text that a wrong one probably meant, or "".
        pattern: matches all texts that can be right, and perhaps more (ECMA 262, whole text); "" if any can.
    """

    noun: str
    metavar: str
    allowed: str
    read: Callable[[str], T]
    write: Callable[[T], str]
    choices: tuple[str, ...] = ()
    suggest: Callable[[str], str] = _no_suggestion
    pattern: str = ""


def read_boolean(text: str) -> bool:
    """Read a switch from the environment (spec sources 9.1).

    Raises:
        ValueError: none of the spellings of true and false that Go knows.
    """
    if text not in _TRUE + _FALSE:
        raise ValueError
    return text in _TRUE


def number(least: int = -_INT64) -> Kind[int]:
    """Make the kind of whole numbers from *least* up to what 64 bits hold."""

    def read(text: str) -> int:
        if not _DIGITS.fullmatch(text) or not least <= int(text) < _INT64:
            raise ValueError
        return int(text)

    allowed = "digits, such as 10" if least == -_INT64 else f"{least} and more"
    return Kind(noun="a whole number", metavar="N", allowed=allowed, read=read, write=str, pattern=r"[+-]?[0-9]{1,19}")


def _read_pair(text: str) -> tuple[str, str]:
    """Split at the first `=` or `:`, whichever comes first (spec plan 8.1)."""
    for position, character in enumerate(text):
        if character in "=:":
            return text[:position], text[position + 1 :]
    raise ValueError


def choice(noun: str, *values: str, metavar: str = "NAME") -> Kind[str]:
    """Make the kind of a closed set of texts; case matters (spec sources 9.1)."""

    def read(text: str) -> str:
        if text not in values:
            raise ValueError
        return text

    def suggest(text: str) -> str:
        folded = {value.lower(): value for value in values if value}
        return next((folded[near] for near in get_close_matches(text.lower(), folded, n=1)), "")

    named = tuple(value for value in values if value)
    return Kind(
        noun=noun, metavar=metavar, allowed=", ".join(named), read=read, write=str, choices=values, suggest=suggest
    )


def text(metavar: str = "TEXT") -> Kind[str]:
    """Make a kind that takes any text, shown as *metavar*."""
    return Kind(noun="a text", metavar=metavar, allowed="any text", read=str, write=str)


BOOLEAN: Final[Kind[bool]] = Kind(
    noun="true or false",
    metavar="",
    allowed=", ".join(_TRUE + _FALSE),
    read=read_boolean,
    write=lambda value: "true" if value else "false",
)
NUMBER: Final = number()
PAIR: Final[Kind[tuple[str, str]]] = Kind(
    noun="a pair", metavar="KEY=VALUE", allowed="KEY=VALUE", read=_read_pair, write="=".join
)
