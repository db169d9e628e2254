"""Cuts a template into tokens."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from extdns.sources.gotemplate.errors import TemplateError

LEFT: Final = "{{"
RIGHT: Final = "}}"
_SPACES: Final = " \t\r\n"
_COMMENT: Final = "/*"
_COMMENT_END: Final = "*/"
_WORDS: Final = frozenset(
    {"block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"}
)


class Sort(StrEnum):
    """What a token is. The values of punctuation are how it is spelled."""

    TEXT = "text"
    LEFT = "{{"
    RIGHT = "}}"
    SPACE = "space"
    DOT = "."
    FIELD = "field"
    VARIABLE = "variable"
    FUNCTION = "function"
    KEYWORD = "keyword"
    BOOLEAN = "boolean"
    STRING = "string"
    CHARACTER = "character"
    NUMBER = "number"
    PIPE = "|"
    OPEN = "("
    CLOSE = ")"
    DECLARE = ":="
    ASSIGN = "="
    COMMA = ","
    END = "end of the template"


class Token(NamedTuple):
    """A piece of a template, *offset* characters from its start."""

    sort: Sort
    text: str
    offset: int

    def __str__(self) -> str:
        """How messages name it."""
        return str(self.sort) if self.sort is Sort.END else f'"{self.text}"'


_TOKEN: Final = re.compile(
    r"""
      (?P<DECLARE>:=) | (?P<ASSIGN>=) | (?P<PIPE>\|) | (?P<COMMA>,) | (?P<OPEN>\() | (?P<CLOSE>\))
    | (?P<STRING> "(?:[^"\\\n]|\\[^\n])*+" | `[^`]*+` )
    | (?P<CHARACTER> '(?:[^'\\\n]|\\[^\n])++' )
    | (?P<NUMBER> [+-]?+ (?: 0[xX][0-9a-fA-F_]++ | 0[bB][01_]++ | 0[oO][0-7_]++
                           | (?:[0-9][0-9_]*+(?:\.[0-9_]*+)?+ | \.[0-9][0-9_]*+) (?:[eE][+-]?+[0-9_]++)?+ ) )
    | (?P<FIELD>\.\w++) | (?P<DOT>\.) | (?P<VARIABLE>\$\w*+) | (?P<FUNCTION>\w++)
    """,
    re.VERBOSE,
)
# What must not stand right behind a number, and what alone may stand right behind a name.
_WORDLIKE: Final = re.compile(r"\w")
_AFTER_NAME: Final = re.compile(r"[ \t\r\n.,|:()]|\}\}|\Z")
_NAMES: Final = frozenset({Sort.FIELD, Sort.VARIABLE, Sort.FUNCTION})


def tokens(text: str) -> Iterator[Token]:
    """The tokens of *text*, the last of which is an END; comments are none.

    Raises:
        TemplateError: something that is no token, or an action, a quote or a comment that does not end.
    """
    at, trimmed = 0, False
    while True:
        left = text.find(LEFT, at)
        begin, end = at, len(text) if left < 0 else left
        inside = end + len(LEFT)
        if trimmed:
            begin = end - len(text[begin:end].lstrip(_SPACES))
        if left >= 0 and text[inside : inside + 1] == "-" and text[inside + 1 : inside + 2] in tuple(_SPACES):
            end = begin + len(text[begin:end].rstrip(_SPACES))
            inside += 2
        if begin < end:
            yield Token(Sort.TEXT, text[begin:end], begin)
        if left < 0:
            yield Token(Sort.END, "", len(text))
            return
        if text.startswith(_COMMENT, inside):
            at, trimmed = _after_comment(text, left, inside)
        else:
            yield Token(Sort.LEFT, LEFT, left)
            at, trimmed = yield from _action(text, left, inside)


def _after_comment(text: str, left: int, inside: int) -> tuple[int, bool]:
    """Where the text goes on, and whether blanks are trimmed there."""
    end = text.find(_COMMENT_END, inside + len(_COMMENT))
    if end < 0:
        raise TemplateError("the comment does not end", left)
    closed = _closed(text, end + len(_COMMENT_END))
    if closed is None:
        raise TemplateError('the comment ends before the action; allowed after it: "}}" or " -}}"', end)
    return closed


def _closed(text: str, at: int) -> tuple[int, bool] | None:
    """If an action ends here: where the text goes on, and whether blanks are trimmed there."""
    if text.startswith(RIGHT, at):
        return at + len(RIGHT), False
    if text[at : at + 1] in tuple(_SPACES) and text.startswith(f"-{RIGHT}", at + 1):
        return at + 2 + len(RIGHT), True
    return None


def _action(text: str, left: int, at: int) -> Generator[Token, None, tuple[int, bool]]:
    """The tokens up to the end of the action that begins at *left*; returns as `_closed` does."""
    opened: list[int] = []
    while (closed := _closed(text, at)) is None:
        if at >= len(text):
            raise TemplateError("the action does not end", left)
        if text[at] in _SPACES:
            end = at
            while text[end : end + 1] in tuple(_SPACES) and _closed(text, end) is None:
                end += 1
            yield Token(Sort.SPACE, text[at:end], at)
            at = end
            continue
        token = _token(text, at)
        if token.sort is Sort.OPEN:
            opened.append(at)
        elif token.sort is Sort.CLOSE and not opened:
            raise TemplateError('unexpected ")"', at)
        elif token.sort is Sort.CLOSE:
            opened.pop()
        yield token
        at += len(token.text)
    if opened:
        raise TemplateError('"(" without ")"', opened[-1])
    yield Token(Sort.RIGHT, RIGHT, at)
    return closed


def _token(text: str, at: int) -> Token:
    found = _TOKEN.match(text, at)
    if found is None or found.lastgroup is None:
        character = text[at]
        what = "the quoted text does not end" if character in "\"'`" else f"unexpected character {character!r}"
        raise TemplateError(what, at)
    sort, word = Sort[found.lastgroup], found[0]
    if sort is Sort.NUMBER and _WORDLIKE.match(text, found.end()):
        raise TemplateError("not a number", at)
    if sort in _NAMES and not _AFTER_NAME.match(text, found.end()):
        raise TemplateError(f"unexpected character {text[found.end()]!r}", found.end())
    if sort is Sort.FUNCTION and word in _WORDS:
        sort = Sort.KEYWORD
    elif sort is Sort.FUNCTION and word in {"true", "false"}:
        sort = Sort.BOOLEAN
    return Token(sort, word, at)
