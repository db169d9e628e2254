r"""Regular expressions of `--regex-domain-filter` and `--regex-domain-exclusion` (docs/spec/plan.md 7.3).

The values have the syntax of RE2, which differs from that of Python. What only RE2 has is translated:

=====================  ==========================================
RE2                    Python
=====================  ==========================================
`(?i)` in the middle   `(?i:…)` up to the end of the group
`(?<name>…)`           `(?P<name>…)`
`\z`                   `\Z`
`\Q…\E`, `\x{2f}`      the characters, escaped
`[[:alnum:]]`          `[0-9A-Za-z]`
`(?U)`                 nothing: greediness does not change whether a text matches
=====================  ==========================================

What only Python has (look-around, back-references, possessive repeats) is an error, as in RE2.
`\p{…}` and `\C` are errors although RE2 has them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from extdns.flags.kind import ValueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """A compiled regular expression. Two are equal if their *text*, as given by the user, is equal."""

    text: str
    pattern: re.Pattern[str] = field(compare=False, repr=False)


def parse_regex(text: str) -> Regex | None:
    """Compile a regular expression in the syntax of RE2. Return None for "".

    Raises:
        ValueError: *text* is invalid, or uses syntax that RE2 or this module does not support.
    """
    if not text:
        return None
    try:
        return Regex(text=text, pattern=re.compile(_Translator(text).translate()))
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from error


_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
}
# In RE2 these are ASCII only; in Python they would match digits and letters of every script.
_SETS: Final = {
    "d": "0-9",
    "D": r"\x00-/:-\U0010ffff",
    "s": r"\t\n\f\r ",
    "S": r"\x00-\x08\x0b\x0e-\x1f!-\U0010ffff",
    "w": "0-9A-Za-z_",
    "W": r"\x00-/:-@\[-^`{-\U0010ffff",
}
_SYMBOL: Final = r"""
    \\Q(?P<quoted>.*?)(?:\\E|\Z)
  | (?P<escape>\\(?:x\{[0-9A-Fa-f]{1,8}\}|x[0-9A-Fa-f]{2}|0[0-7]{0,2}|[1-7][0-7]{1,2}|.))
  | (?P<repeat>(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)
  | \(\?(?P<flags>[imsU]*(?:-[imsU]+)?)(?P<flags_end>[:)])
  | \(\?P?<(?P<name>\w+)>
  | (?P<open>\((?!\?))
  | (?P<close>\))
  | (?P<bar>\|)
  | (?P<class>\[\^?)
  | (?P<anchor>[.^$])
  | (?P<literal>[^(\\])
"""
_CLASS_ATOM: Final = r"""
    \[:(?P<posix>\^?[a-z]+):\]
  | (?P<escape>\\(?:x\{[0-9A-Fa-f]{1,8}\}|x[0-9A-Fa-f]{2}|0[0-7]{0,2}|[1-7][0-7]{1,2}|.))
  | (?P<literal>[^\\])
"""
_SYNTAX: Final = re.VERBOSE | re.DOTALL | re.ASCII
_ASSERTIONS: Final = {"A": r"\A", "z": r"\Z", "b": r"(?a:\b)", "B": r"(?a:\B)"}
_CONTROL: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class _Translator:
    """Translates an RE2 expression to Python, from left to right.

    `(?i)` is translated to the opening `(?i:`, which is closed at the end of the group that contains the `(?i)`.
    `_flags` is a stack of lists of such openings: one for the whole expression, then one for each group that is open.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._symbol = re.compile(_SYMBOL, _SYNTAX)  # not compiled when the module is imported, which `--version` does
        self._class_atom = re.compile(_CLASS_ATOM, _SYNTAX)
        self._position = 0
        self._flags: list[list[str]] = [[]]

    def translate(self) -> str:
        out: list[str] = []
        repeated = False
        while self._position < len(self._text):
            match = self._symbol.match(self._text, self._position)
            if match is None:
                raise ValueError(f"{self._text[self._position :][:4]!r} is not supported in regular expressions")
            self._position = match.end()
            if repeated and match.lastgroup == "repeat":
                raise ValueError(f"{match[0]!r} follows another repetition")
            repeated = match.lastgroup == "repeat"
            out.append(self._translate_token(match))
        if len(self._flags) != 1:
            raise ValueError("a ( has no )")
        return "".join(out) + ")" * len(self._flags[-1])

    def _translate_token(self, match: re.Match[str]) -> str:
        match match.lastgroup:
            case "quoted":
                return re.escape(match["quoted"])
            case "escape":
                return _translate_escape(match["escape"][1:])
            case "flags_end":
                return self._open_flag_group(match["flags"].replace("U", "").rstrip("-"), match["flags_end"])
            case "name" | "open":
                self._flags.append([])
                return f"(?P<{match['name']}>" if match["name"] else "("
            case "close":
                return self._close_group()
            case "bar":
                return ")" * len(self._flags[-1]) + "|" + "".join(self._flags[-1])
            case "class":
                return self._translate_class(match["class"])
            case "literal":
                return re.escape(match[0])
            case _:
                return match[0]

    def _open_flag_group(self, flags: str, end: str) -> str:
        opened = f"(?{flags}:"
        if end == ":":
            self._flags.append([])
        else:
            self._flags[-1].append(opened)
        return opened

    def _close_group(self) -> str:
        if len(self._flags) == 1:
            raise ValueError("a ) has no (")
        return ")" * (len(self._flags.pop()) + 1)

    def _translate_class(self, opening: str) -> str:
        out = opening + self._translate_class_item()
        while not self._text.startswith("]", self._position):
            out += self._translate_class_item()
        self._position += 1
        return out + "]"

    def _translate_class_item(self) -> str:
        low, is_character = self._translate_class_atom()
        if not self._text.startswith("-", self._position) or self._text.startswith("-]", self._position):
            return low
        self._position += 1
        high, also = self._translate_class_atom()
        if not (is_character and also):
            raise ValueError("a range in […] needs a character at both ends")
        return f"{low}-{high}"

    def _translate_class_atom(self) -> tuple[str, bool]:
        """Translate one character or named set within [...]. Return it, and whether it is a single character."""
        match = self._class_atom.match(self._text, self._position)
        if match is None:
            raise ValueError("a [ has no ]")
        self._position = match.end()
        if match["posix"]:
            if match["posix"] not in _POSIX:
                raise ValueError(f"{match[0]} is not a character class of regular expressions")
            return _POSIX[match["posix"]], False
        if match["escape"] and match["escape"][1:] in _SETS:
            return _SETS[match["escape"][1:]], False
        return re.escape(_decode_character(match["escape"][1:]) if match["escape"] else match[0]), True


def _translate_escape(body: str) -> str:
    """Translate an escape sequence outside of [...], given without its backslash."""
    if body in _SETS:
        return f"[{_SETS[body]}]"
    return _ASSERTIONS[body] if body in _ASSERTIONS else re.escape(_decode_character(body))


def _decode_character(body: str) -> str:
    """Return the character that an escape sequence, given without its backslash, represents."""
    if body in _CONTROL:
        return _CONTROL[body]
    if body.startswith("x") and len(body) > 1:
        return chr(int(body[1:].strip("{}"), 16))
    if body[0] in "01234567" and body not in "1234567":
        return chr(int(body, 8))
    if body.isascii() and body.isalnum():
        raise ValueError(f"\\{body} is not supported in regular expressions")
    return body


REGEX: Final[ValueKind[Regex | None]] = ValueKind(
    noun="a regular expression",
    metavar="REGEX",
    allowed="RE2 syntax, without \\p{…} and \\C",
    parse=parse_regex,
    format=lambda regex: regex.text if regex else "",
)
