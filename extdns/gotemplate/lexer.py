"""Split a template into tokens, and parse the literals among them."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.values import (
    FLOAT,
    GoValue,
    decode_string,
    encode_string,
    make_boolean,
    make_integer,
    make_string,
)

LEFT: Final = "{{"
RIGHT: Final = "}}"
_SPACES: Final = " \t\r\n"
_COMMENT: Final = "/*"
_COMMENT_END: Final = "*/"
_KEYWORDS: Final = frozenset(
    {"block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"}
)


class TokenKind(StrEnum):
    """The kind of a token. The value of punctuation is its spelling."""

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
    """One token of a template, *offset* characters from its start."""

    kind: TokenKind
    text: str
    offset: int

    def __str__(self) -> str:
        """Return the name of the token for messages."""
        return str(self.kind) if self.kind is TokenKind.END else f'"{self.text}"'


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
# A letter, digit or underscore may not follow a number directly. Only these characters may follow a name directly.
_WORD_CHARACTER: Final = re.compile(r"\w")
_AFTER_NAME: Final = re.compile(r"[ \t\r\n.,|:()]|\}\}|\Z")
_NAMES: Final = frozenset({TokenKind.FIELD, TokenKind.VARIABLE, TokenKind.FUNCTION})


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens of *text*, ending with one END. Comments yield no token.

    Raises:
        TemplateError: a character or parenthesis is unexpected, or an action, a quoted text, a parenthesis or a comment
            does not end.
    """
    at, trims_left = 0, False
    while True:
        left = text.find(LEFT, at)
        begin, end = at, len(text) if left < 0 else left
        inside = end + len(LEFT)
        if trims_left:
            begin = end - len(text[begin:end].lstrip(_SPACES))
        if left >= 0 and text[inside : inside + 1] == "-" and text[inside + 1 : inside + 2] in tuple(_SPACES):
            end = begin + len(text[begin:end].rstrip(_SPACES))
            inside += 2
        if begin < end:
            yield Token(TokenKind.TEXT, text[begin:end], begin)
        if left < 0:
            yield Token(TokenKind.END, "", len(text))
            return
        if text.startswith(_COMMENT, inside):
            at, trims_left = _skip_comment(text, left, inside)
        else:
            yield Token(TokenKind.LEFT, LEFT, left)
            at, trims_left = yield from _tokenize_action(text, left, inside)


def _skip_comment(text: str, left: int, inside: int) -> tuple[int, bool]:
    """Return the offset of the text after the comment, and whether blanks at the start of that text are trimmed."""
    end = text.find(_COMMENT_END, inside + len(_COMMENT))
    if end < 0:
        raise TemplateError("the comment does not end", left)
    after = _find_action_end(text, end + len(_COMMENT_END))
    if after is None:
        raise TemplateError('the comment ends before the action; allowed after it: "}}" or " -}}"', end)
    return after


def _find_action_end(text: str, at: int) -> tuple[int, bool] | None:
    """If an action ends at *at*, return the offset after it, and whether blanks after it are trimmed; else None."""
    if text.startswith(RIGHT, at):
        return at + len(RIGHT), False
    if text[at : at + 1] in tuple(_SPACES) and text.startswith(f"-{RIGHT}", at + 1):
        return at + 2 + len(RIGHT), True
    return None


def _tokenize_action(text: str, left: int, at: int) -> Generator[Token, None, tuple[int, bool]]:
    """Yield the tokens of the action that begins at *left*, from *at* on.

    Return the offset after the action, and whether blanks after it are trimmed.
    """
    opened: list[int] = []
    while (closed := _find_action_end(text, at)) is None:
        if at >= len(text):
            raise TemplateError("the action does not end: }} is missing", left)
        if text[at] in _SPACES:
            end = at
            while text[end : end + 1] in tuple(_SPACES) and _find_action_end(text, end) is None:
                end += 1
            yield Token(TokenKind.SPACE, text[at:end], at)
            at = end
            continue
        token = _read_token(text, at)
        if token.kind is TokenKind.OPEN:
            opened.append(at)
        elif token.kind is TokenKind.CLOSE and not opened:
            raise TemplateError('unexpected ")"', at)
        elif token.kind is TokenKind.CLOSE:
            opened.pop()
        yield token
        at += len(token.text)
    if opened:
        raise TemplateError('"(" without ")"', opened[-1])
    yield Token(TokenKind.RIGHT, RIGHT, at)
    return closed


def _read_token(text: str, at: int) -> Token:
    match = _TOKEN.match(text, at)
    if match is None or match.lastgroup is None:
        character = text[at]
        what = "the quoted text does not end" if character in "\"'`" else f"unexpected character {character!r}"
        raise TemplateError(what, at)
    sort, word = TokenKind[match.lastgroup], match[0]
    if sort is TokenKind.NUMBER and _WORD_CHARACTER.match(text, match.end()):
        raise TemplateError(f"unexpected character {text[match.end()]!r} after the number {word}", at)
    if sort in _NAMES and not _AFTER_NAME.match(text, match.end()):
        raise TemplateError(f"unexpected character {text[match.end()]!r}", match.end())
    if sort is TokenKind.FUNCTION and word in _KEYWORDS:
        sort = TokenKind.KEYWORD
    elif sort is TokenKind.FUNCTION and word in {"true", "false"}:
        sort = TokenKind.BOOLEAN
    return Token(sort, word, at)


_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|.?)"
)
_SIMPLE: Final = dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True))
_LEGACY_OCTAL: Final = re.compile(r"[+-]?0[0-7]+")
_MAX_BYTE: Final = 0xFF


def parse_literal(token: Token) -> GoValue:
    """Return the value of a string, character, number or boolean token. Raises `TemplateError`."""
    match token.kind:
        case TokenKind.STRING:
            return make_string(unquote(token))
        case TokenKind.CHARACTER:
            return make_integer(ord(_parse_character(token)))
        case TokenKind.NUMBER:
            return _parse_number(token)
        case _:
            return make_boolean(token.text == "true")


def unquote(token: Token) -> str:
    """Return the text between the quotes of a string or character token, escapes decoded. Raises `TemplateError`."""
    quote, inner = token.text[0], token.text[1:-1]
    if quote == "`":
        return inner.replace("\r", "")
    found: list[bytes] = []
    at = 0
    for escape in _ESCAPE.finditer(inner):
        found += (encode_string(inner[at : escape.start()]), _decode_escape(escape, quote, token))
        at = escape.end()
    return decode_string(b"".join((*found, encode_string(inner[at:]))))


def _decode_escape(escape: re.Match[str], quote: str, token: Token) -> bytes:
    simple, octal, byte, short, long = escape.groups()
    if simple and (simple not in "'\"" or simple == quote):
        return _SIMPLE[simple].encode()
    code = int(octal, 8) if octal else int(byte, 16) if byte else -1
    if 0 <= code <= _MAX_BYTE:
        return bytes((code,))
    try:
        return chr(int(short or long or "", 16)).encode()
    except (ValueError, OverflowError):
        raise TemplateError(f"{escape[0]} is not an escape sequence in {token.text}", token.offset) from None


def _parse_character(token: Token) -> str:
    text = unquote(token)
    if len(text) != 1:
        raise TemplateError(
            f"{token.text} is not one character in quotes; allowed: such as 'a', or a string such as \"ab\"",
            token.offset,
        )
    return text


def _parse_number(token: Token) -> GoValue:
    text = token.text
    try:
        if _LEGACY_OCTAL.fullmatch(text):
            return make_integer(int(text, 8))
        if text.lstrip("+-")[:2].lower() in {"0x", "0b", "0o"} or not any(sign in text for sign in ".eE"):
            return make_integer(int(text, 0))
        if "_" not in text:
            return GoValue(FLOAT, float(text))
    except ValueError:
        pass
    except TemplateError as exc:
        raise TemplateError(exc.message, token.offset) from exc
    raise TemplateError(f"{text} is not a number", token.offset)


class TokenStream:
    """Reads a sequence of tokens, and can go back.

    Attributes:
        at: the position of the next token.
    """

    def __init__(self, tokens: Iterable[Token]) -> None:
        """Start before the first of *tokens*, which end with END. Raises the errors of the iterator *tokens*."""
        self._tokens = tuple(tokens)
        self.at = 0

    @property
    def last_token(self) -> Token:
        """The token that was read last."""
        return self._tokens[max(self.at - 1, 0)]

    def read(self) -> Token:
        """Return the next token. At the end, return END every time."""
        token = self._tokens[min(self.at, len(self._tokens) - 1)]
        self.at += 1
        return token

    def read_after_spaces(self) -> Token:
        """Return the next token that is not a space."""
        token = self.read()
        return self.read() if token.kind is TokenKind.SPACE else token

    def step_back(self) -> None:
        """Go back by one token."""
        self.at -= 1

    def expect_right(self, where: str) -> None:
        """Read the end of an action; *where* is the part of the template, such as `range`. Raises `TemplateError`."""
        token = self.read_after_spaces()
        if token.kind is not TokenKind.RIGHT:
            raise TemplateError(f'unexpected {token} in {where}; allowed: "{RIGHT}"', token.offset)

    def expect_string(self, where: str) -> str:
        """Return the text of the next token that is not a space. Raises `TemplateError` if it is not a string."""
        token = self.read_after_spaces()
        if token.kind is not TokenKind.STRING:
            raise TemplateError(f"unexpected {token} in {where}; allowed: a name in quotes", token.offset)
        return unquote(token)
