"""Split the text of a zone file into entries and words (RFC 1035 section 5.1) without losing anything.

Text is decoded as Latin-1, so that each byte is one character and can be written back unchanged.
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
_BROKEN: Final = "quotes that end on their line, and a character after each backslash"


class Word(NamedTuple):
    """A word or quoted string, with its quotes and backslashes, from *start* to *end* in the text of its entry."""

    text: str
    start: int
    end: int


class RawEntry(NamedTuple):
    """One entry with its lines, including the last newline.

    Attributes:
        line: the number of its first line, from 1.
        words: () for blank lines and comments.
        problem: what the text lacks to be a valid entry; "" if it is one.
    """

    text: str
    line: int
    words: tuple[Word, ...]
    problem: str = ""


def split_entries(text: str) -> Iterator[RawEntry]:
    """Split *text* into entries; joined, they are *text* again.

    After an unclosed quote or incomplete escape, the rest of the text is one entry.
    """
    start = depth = 0
    line = 1
    problem = ""
    words: list[Word] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            problem, depth, position = _BROKEN, 0, len(text)
            break
        position = token.end()
        match token.lastgroup:
            case "word":
                words.append(Word(token.group(), token.start() - start, position - start))
            case "open":
                depth += 1
            case "close":
                problem = problem or ("" if depth else _UNOPENED)
                depth = max(depth - 1, 0)
            case "newline" if not depth:
                entry = text[start:position]
                yield RawEntry(entry, line, tuple(words), problem)
                line += entry.count("\n")
                start, problem, words = position, "", []
            case _:
                continue
    if start < len(text):
        yield RawEntry(text[start:], line, tuple(words), problem or (_UNCLOSED if depth else ""))


def split_words(text: str) -> tuple[str, ...] | None:
    """Return the words of *text*, None if it contains anything but words and blanks."""
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
