r"""Regular expressions of `--regex-domain-filter` and `--regex-domain-exclusion` (spec plan 7.3).

Users write the syntax of RE2; Python's differs. What only RE2 knows is translated:

=====================  ==========================================
RE2                    Python
=====================  ==========================================
`(?i)` in the middle   `(?i:…)` up to the end of the group
`(?<name>…)`           `(?P<name>…)`
`\z`                   `\Z`
`\Q…\E`, `\x{2f}`      the characters, escaped
`[[:alnum:]]`          `[0-9A-Za-z]`
`(?U)`                 nothing: greed does not decide a match
=====================  ==========================================

What only Python knows (look-around, back-references, possessive repeats) is refused as RE2 does.
`\p{…}` and `\C` are refused although RE2 knows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from extdns.flags.kind import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """A compiled expression; *text* is what the user wrote, and all that is compared."""

    text: str
    pattern: re.Pattern[str] = field(compare=False, repr=False)


def parse_regex(text: str) -> Regex | None:
    """Read an RE2 expression; "" is none.

    Raises:
        ValueError: not an expression, or one that uses what RE2 or we do not have.
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
# RE2 knows these as ASCII only; Python would take every script's digits and letters.
_SETS: Final = {
    "d": "0-9",
    "D": r"\x00-/:-\U0010ffff",
    "s": r"\t\n\f\r ",
    "S": r"\x00-\x08\x0b\x0e-\x1f!-\U0010ffff",
    "w": "0-9A-Za-z_",
    "W": r"\x00-/:-@\[-^`{-\U0010ffff",
}
_TOKEN = re.compile(
    r"""
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
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_CLASS_ATOM = re.compile(
    r"""
    \[:(?P<posix>\^?[a-z]+):\]
  | (?P<escape>\\(?:x\{[0-9A-Fa-f]{1,8}\}|x[0-9A-Fa-f]{2}|0[0-7]{0,2}|[1-7][0-7]{1,2}|.))
  | (?P<literal>[^\\])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_PLACES: Final = {"A": r"\A", "z": r"\Z", "b": r"(?a:\b)", "B": r"(?a:\B)"}
_CONTROL: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class _Translator:
    """One pass from left to right; `_flags` holds, a group, the flags to close at its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._flags: list[list[str]] = [[]]

    def translate(self) -> str:
        out: list[str] = []
        repeated = False
        while self._position < len(self._text):
            match = _TOKEN.match(self._text, self._position)
            if match is None:
                raise ValueError(f"RE2 has no {self._text[self._position :][:4]!r}")
            self._position = match.end()
            if repeated and match.lastgroup == "repeat":
                raise ValueError(f"{match[0]!r} repeats a repeat")
            repeated = match.lastgroup == "repeat"
            out.append(self._translated(match))
        if len(self._flags) != 1:
            raise ValueError("a ) is missing")
        return "".join(out) + ")" * len(self._flags[-1])

    def _translated(self, match: re.Match[str]) -> str:
        match match.lastgroup:
            case "quoted":
                return re.escape(match["quoted"])
            case "escape":
                return _outside_class(match["escape"][1:])
            case "flags_end":
                return self._flag_group(match["flags"].replace("U", "").rstrip("-"), match["flags_end"])
            case "name" | "open":
                self._flags.append([])
                return f"(?P<{match['name']}>" if match["name"] else "("
            case "close":
                return self._close()
            case "bar":
                return ")" * len(self._flags[-1]) + "|" + "".join(self._flags[-1])
            case "class":
                return self._class(match["class"])
            case "literal":
                return re.escape(match[0])
            case _:
                return match[0]

    def _flag_group(self, flags: str, end: str) -> str:
        opened = f"(?{flags}:"
        if end == ":":
            self._flags.append([])
        else:
            self._flags[-1].append(opened)
        return opened

    def _close(self) -> str:
        if len(self._flags) == 1:
            raise ValueError("a ( is missing")
        return ")" * (len(self._flags.pop()) + 1)

    def _class(self, opening: str) -> str:
        out = opening + self._class_item()
        while not self._text.startswith("]", self._position):
            out += self._class_item()
        self._position += 1
        return out + "]"

    def _class_item(self) -> str:
        low, is_character = self._class_atom()
        if not self._text.startswith("-", self._position) or self._text.startswith("-]", self._position):
            return low
        self._position += 1
        high, also = self._class_atom()
        if not (is_character and also):
            raise ValueError("a range in […] needs a character at both ends")
        return f"{low}-{high}"

    def _class_atom(self) -> tuple[str, bool]:
        """One character or named set within [...], and whether it is a character."""
        match = _CLASS_ATOM.match(self._text, self._position)
        if match is None:
            raise ValueError("a ] is missing")
        self._position = match.end()
        if match["posix"]:
            if match["posix"] not in _POSIX:
                raise ValueError(f"{match[0]} is not available")
            return _POSIX[match["posix"]], False
        if match["escape"] and match["escape"][1:] in _SETS:
            return _SETS[match["escape"][1:]], False
        return re.escape(_character(match["escape"][1:]) if match["escape"] else match[0]), True


def _outside_class(body: str) -> str:
    """What an escape (without its backslash) becomes where it stands for itself."""
    if body in _SETS:
        return f"[{_SETS[body]}]"
    return _PLACES[body] if body in _PLACES else re.escape(_character(body))


def _character(body: str) -> str:
    """The one character that an escape (without its backslash) stands for."""
    if body in _CONTROL:
        return _CONTROL[body]
    if body.startswith("x") and len(body) > 1:
        return chr(int(body[1:].strip("{}"), 16))
    if body[0] in "01234567" and body not in "1234567":
        return chr(int(body, 8))
    if body.isascii() and body.isalnum():
        raise ValueError(f"\\{body} is not available")
    return body


REGEX: Final[Kind[Regex | None]] = Kind(
    noun="a regular expression",
    metavar="REGEX",
    allowed="RE2 syntax, without \\p{…} and \\C",
    read=parse_regex,
    write=lambda regex: regex.text if regex else "",
)
