"""What quoted texts, characters and numbers stand for."""

from __future__ import annotations

import re
from typing import Final

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.lexer import Sort, Token
from extdns.sources.gotemplate.types import FLOAT
from extdns.sources.gotemplate.values import Value, boolean, from_octets, integer, octets, string

_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|.?)"
)
_SIMPLE: Final = dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True))
_LEGACY_OCTAL: Final = re.compile(r"[+-]?0[0-7]+")
_MAX_BYTE: Final = 0xFF


def literal(token: Token) -> Value:
    """The value of a string, character, number or boolean; raises `TemplateError`."""
    match token.sort:
        case Sort.STRING:
            return string(unquoted(token))
        case Sort.CHARACTER:
            return integer(ord(_character(token)))
        case Sort.NUMBER:
            return _number(token)
        case _:
            return boolean(token.text == "true")


def unquoted(token: Token) -> str:
    """The text of a string or character between its quotes; raises `TemplateError`."""
    quote, inner = token.text[0], token.text[1:-1]
    if quote == "`":
        return inner.replace("\r", "")
    found: list[bytes] = []
    at = 0
    for escape in _ESCAPE.finditer(inner):
        found += (octets(inner[at : escape.start()]), _escaped(escape, quote, token))
        at = escape.end()
    return from_octets(b"".join((*found, octets(inner[at:]))))


def _escaped(escape: re.Match[str], quote: str, token: Token) -> bytes:
    simple, octal, byte, short, long = escape.groups()
    if simple and (simple not in "'\"" or simple == quote):
        return _SIMPLE[simple].encode()
    code = int(octal, 8) if octal else int(byte, 16) if byte else -1
    if 0 <= code <= _MAX_BYTE:
        return bytes((code,))
    try:
        return chr(int(short or long or "", 16)).encode()
    except (ValueError, OverflowError):
        raise TemplateError(f"{escape[0]} is no escape in {token.text}", token.offset) from None


def _character(token: Token) -> str:
    text = unquoted(token)
    if len(text) != 1:
        raise TemplateError(f"{token.text} is not one character", token.offset)
    return text


def _number(token: Token) -> Value:
    text = token.text
    try:
        if _LEGACY_OCTAL.fullmatch(text):
            return integer(int(text, 8))
        if text.lstrip("+-")[:2].lower() in {"0x", "0b", "0o"} or not any(mark in text for mark in ".eE"):
            return integer(int(text, 0))
        if "_" not in text:
            return Value(FLOAT, float(text))
    except ValueError:
        pass
    except TemplateError as exc:
        raise TemplateError(exc.message, token.offset) from exc
    raise TemplateError(f"{text} is not a number", token.offset)
