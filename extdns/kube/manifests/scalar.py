"""What a YAML scalar means, by the rules of the API server's YAML library.

Those are YAML 1.1's with three exceptions: `y` and `n` are booleans, dates are text, and there are
no numbers to the base of 60.
"""

from __future__ import annotations

import re
from typing import Final

import yaml

_RESOLVED_TAGS: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))

_WORDS: Final[dict[str, object]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_LONGEST_NUMBER: Final = 64
_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))")
_BASES: Final = (16, 8, 2, 10)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def scalar(event: yaml.ScalarEvent) -> object:
    """The value of one scalar: text, int, float, bool or None. A tag we do not know makes it text."""
    text: str = event.value
    if event.implicit[0] or event.tag in _RESOLVED_TAGS:
        return _resolved(text)
    return text


def _resolved(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789" or len(text) > _LONGEST_NUMBER:
        return text
    digits = text.replace("_", "")
    if integer := _INTEGER.fullmatch(digits):
        sign, *by_base = integer.groups()
        return next(int(sign + part, base) for part, base in zip(by_base, _BASES, strict=True) if part)
    return float(digits) if _FLOAT.fullmatch(digits) else text
