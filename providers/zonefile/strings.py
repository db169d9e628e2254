"""TXT data: character-strings in a file, and the quoted text that targets are (RFC 1035 section 3.3.14).

A target is one record's text in double quotes. A string of more than 255 bytes stands for several
in the file: it is cut when written, and strings that follow a full one are joined when read. So what
was written is read back as it was, and separate strings stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from extdns.errors import InvalidValueError
from extdns.model.reason import Reason
from providers.zonefile import scan

MAX_BYTES: Final = 255
_ALLOWED: Final = 'text, or strings that each stand in double quotes, with \\" and \\\\ for those two characters'
_ESCAPE_ALLOWED: Final = "a backslash in front of a character, or of three digits from 000 to 255"
_ESCAPE = re.compile(r"\\(\d{3}|\D|)", re.DOTALL)
_QUOTED: Final = {code: f"\\{code:03d}" for code in (*range(0x20), *range(0x7F, 0x100))} | {
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}


def octets(word: str) -> bytes:
    """The bytes of one character-string of a file, in quotes or not; *word* is Latin-1.

    Raises:
        InvalidValueError: more than 255 bytes, or an escape that means nothing.
    """
    found = _unescaped(word)
    if len(found) > MAX_BYTES:
        raise InvalidValueError(word, f"strings of at most {MAX_BYTES} bytes", Reason.INVALID_TARGET)
    return found


def target_of(strings: Iterable[bytes]) -> str:
    """The target that a record of *strings* is."""
    joined: list[bytes] = []
    full = False
    for string in strings:
        if full:
            joined[-1] += string
        else:
            joined.append(string)
        full = len(string) == MAX_BYTES
    return " ".join(_quoted(string) for string in joined)


def written(target: str) -> str:
    """The words that stand for *target* in a file; a target without quotes is taken as it is.

    Raises:
        InvalidValueError: quotes that do not match, or an escape that means nothing.
    """
    return " ".join(_quoted(part) for string in _strings(target) for part in _cut(string))


def _strings(target: str) -> list[bytes]:
    text = target.encode("utf-8", "replace")
    if not target.startswith('"'):
        return [text]
    words = scan.words(text.decode("latin-1"))
    if words is None or not all(word.startswith('"') for word in words):
        raise InvalidValueError(target, _ALLOWED, Reason.INVALID_TARGET)
    return [_unescaped(word) for word in words]


def _cut(string: bytes) -> Iterator[bytes]:
    for start in range(0, len(string) or 1, MAX_BYTES):
        yield string[start : start + MAX_BYTES]


def _quoted(string: bytes) -> str:
    return f'"{string.decode("latin-1").translate(_QUOTED)}"'


def _unescaped(word: str) -> bytes:
    text = word[1:-1] if word.startswith('"') else word
    try:
        return _ESCAPE.sub(_character, text).encode("latin-1")
    except ValueError as exc:
        raise InvalidValueError(word, _ESCAPE_ALLOWED, Reason.INVALID_TARGET) from exc


def _character(escape: re.Match[str]) -> str:
    """The character that *escape* stands for; `ValueError` if none."""
    code = escape.group(1)
    return code if len(code) == 1 else bytes([int(code)]).decode("latin-1")
