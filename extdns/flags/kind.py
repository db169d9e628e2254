"""Define kinds of value: how to parse, format and explain the values of a flag."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final, Generic, TypeVar

from extdns.errors import find_similar
from extdns.model.selection import Selector, parse_annotation_selector, parse_label_selector

T = TypeVar("T")

_TRUE: Final = ("1", "t", "T", "TRUE", "true", "True")
_FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")
_INT64: Final = 2**63
_DIGITS = re.compile(r"[+-]?\d{1,19}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueKind(Generic[T]):
    """A kind of value that flags can have, such as a duration.

    Attributes:
        noun: the name of the kind with its article, for errors such as `--interval=72 is not a duration`.
        metavar: the placeholder for a value in `extdns help flags`, such as `DURATION`.
        allowed: which values are allowed, as a noun phrase for errors.
        parse: converts text to a value. Raises ValueError if it is invalid, with the reason or no message.
        format: converts a value to text, so that `parse(format(value)) == value`.
        choices: all allowed texts, () if they cannot be listed.
        suggest: returns the valid text that the user of an invalid one probably meant, "" if there is none.
        pattern: a regular expression (ECMA 262) that every valid text matches as a whole; "" if there is none.
        is_url: whether the value is a URL, which may contain a user and a password.
        is_effective: returns whether a value has an effect. Other values get a warning; they are accepted because
            external-dns accepts them.
        consequence: what extdns does with a value without effect, as a clause for the warning.
        blank: what it does with a value of blanks and dots, if that is something else.
    """

    noun: str
    metavar: str
    allowed: str
    parse: Callable[[str], T]
    format: Callable[[T], str]
    choices: tuple[str, ...] = ()
    suggest: Callable[[str], str] = lambda _: ""
    pattern: str = ""
    is_url: bool = False
    is_effective: Callable[[T], bool] = lambda _: True
    consequence: str = ""
    blank: str = ""


def restrict(kind: ValueKind[T], accepts: Callable[[T], object], problem: str = "") -> ValueKind[T]:
    """Return *kind* with only those values that *accepts*; *problem* says what is wrong with the others."""

    def read(text: str) -> T:
        value = kind.parse(text)
        if not accepts(value):
            raise ValueError(problem)
        return value

    return replace(kind, parse=read)


def parse_boolean(text: str) -> bool:
    """Parse the value of a switch in an environment variable (docs/spec/sources.md 9.1).

    Raises:
        ValueError: *text* is not one of the spellings of true and false that Go accepts.
    """
    if text not in _TRUE + _FALSE:
        raise ValueError
    return text in _TRUE


def make_number_kind(least: int = -_INT64, most: int = _INT64 - 1) -> ValueKind[int]:
    """Make a kind for whole numbers from *least* to *most*, by default the range of a signed 64-bit integer."""

    def read(text: str) -> int:
        if not _DIGITS.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError
        return int(text)

    if most < _INT64 - 1:
        allowed = f"{least} to {most}"
    else:
        allowed = "digits, such as 10" if least == -_INT64 else f"{least} and more"
    return ValueKind(
        noun="a whole number", metavar="N", allowed=allowed, parse=read, format=str, pattern=r"[+-]?[0-9]{1,19}"
    )


def _parse_key_value(text: str) -> tuple[str, str]:
    """Split *text* into key and value at the first `=` or `:` (docs/spec/plan.md 8.1)."""
    for position, character in enumerate(text):
        if character in "=:":
            return text[:position], text[position + 1 :]
    raise ValueError


def make_choice_kind(noun: str, *values: str, metavar: str = "NAME") -> ValueKind[str]:
    """Make a kind that allows only *values*, case-sensitive (docs/spec/sources.md 9.1)."""
    named = tuple(value for value in values if value)

    def suggest(text: str) -> str:
        folded = {value.lower(): value for value in named}
        return folded.get(find_similar(text.lower(), folded), "")

    kind = make_text_kind(metavar)
    return restrict(
        replace(kind, noun=noun, allowed=", ".join(named), choices=values, suggest=suggest), values.__contains__
    )


def make_text_kind(metavar: str = "TEXT") -> ValueKind[str]:
    """Make a kind that allows any text. `extdns help flags` shows *metavar* as its placeholder."""
    return ValueKind(noun="a text", metavar=metavar, allowed="any text", parse=str, format=str)


URL: Final[ValueKind[str]] = ValueKind(
    noun="a URL", metavar="URL", allowed="any text", parse=str, format=str, is_url=True
)
BOOLEAN: Final[ValueKind[bool]] = ValueKind(
    noun="true or false",
    metavar="",
    allowed=", ".join(_TRUE + _FALSE),
    parse=parse_boolean,
    format=lambda value: "true" if value else "false",
)
NUMBER: Final = make_number_kind()
KEY_VALUE: Final[ValueKind[tuple[str, str]]] = ValueKind(
    noun="a pair", metavar="KEY=VALUE", allowed="KEY=VALUE", parse=_parse_key_value, format="=".join
)
_SELECTOR_SYNTAX: Final = "key, !key, key=value, key in (a,b), key notin (a,b)"

# The filters of objects, --label-filter and --annotation-filter (docs/spec/sources.md 2.7).
LABEL_SELECTOR: Final[ValueKind[Selector]] = ValueKind(
    noun="a label selector",
    metavar="SELECTOR",
    allowed=f"{_SELECTOR_SYNTAX}, key!=value, key>1, key<1; a comma is AND",
    parse=parse_label_selector,
    format=attrgetter("text"),
)
ANNOTATION_SELECTOR: Final[ValueKind[Selector]] = ValueKind(
    noun="an annotation selector",
    metavar="SELECTOR",
    allowed=f"{_SELECTOR_SYNTAX}; a comma is AND",
    parse=parse_annotation_selector,
    format=attrgetter("text"),
)
