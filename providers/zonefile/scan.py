"""The text of a master file as entries and words (RFC 1035 section 5.1), nothing lost.

Text is Latin-1, so that every byte of the file is one character and comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_BLANK = r" \t\r\f\v"
_TOKEN: Final = re.compile(
    rf"""(?P<blank>[{_BLANK}]+|;[^\n]*)
    |(?P<word>"(?:[^"\\\n]|\\[^\n])*"|(?:[^{_BLANK}\n();"\\]|\\[^\n])+)
    |(?P<newline>\n)|(?P<open>\()|(?P<close>\))""",
    re.VERBOSE,
)
_UNCLOSED: Final = "a closing parenthesis for each opening one"
_UNOPENED: Final = "an opening parenthesis for each closing one"
_BROKEN: Final = "quotes that end on their line, and a character behind each backslash"


class Word(NamedTuple):
    """A word or a quoted string, quotes and backslashes as written, from *start* to *end* in its entry."""

    text: str
    start: int
    end: int


class Piece(NamedTuple):
    """One entry: its lines, the last newline included.

    Attributes:
        line: of its first character, from 1.
        words: () for blank lines and comments.
        fault: "", or what would have been allowed where the text is no entry.
    """

    text: str
    line: int
    words: tuple[Word, ...]
    fault: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """Cut *text* into entries, which joined are *text* again.

    Where a quote or an escape is broken, nothing behind it can be told apart: the rest is one piece.
    """
    start = depth = 0
    line = 1
    fault = ""
    words: list[Word] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            fault, depth, position = _BROKEN, 0, len(text)
            break
        position = token.end()
        match token.lastgroup:
            case "word":
                words.append(Word(token.group(), token.start() - start, position - start))
            case "open":
                depth += 1
            case "close":
                fault = fault or ("" if depth else _UNOPENED)
                depth = max(depth - 1, 0)
            case "newline" if not depth:
                entry = text[start:position]
                yield Piece(entry, line, tuple(words), fault)
                line += entry.count("\n")
                start, fault, words = position, "", []
            case _:
                continue
    if start < len(text):
        yield Piece(text[start:], line, tuple(words), fault or (_UNCLOSED if depth else ""))


def words(text: str) -> tuple[str, ...] | None:
    """The words of *text* if it is nothing but words on one line, else None."""
    found: list[str] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or (token.lastgroup != "word" and token.group().strip(" \t")):
            return None
        if token.lastgroup == "word":
            found.append(token.group())
        position = token.end()
    return tuple(found)
