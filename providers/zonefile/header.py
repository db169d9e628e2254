"""What stands between the owner of a record and its data: TTL, class and type (RFC 1035 section 5.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from extdns.errors import InvalidValueError
from extdns.model.reason import Reason
from providers.zonefile import rdata
from providers.zonefile.scan import Word

_CLASSES: Final = frozenset({"IN", "CH", "HS", "CLASS1", "CLASS3", "CLASS4"})
_INTERNET: Final = frozenset({"IN", "CLASS1"})
_TTL: Final = re.compile(r"\d+(?:[smhdw]\d*)*", re.IGNORECASE)


def split(words: Sequence[Word]) -> tuple[int | None, Sequence[Word]]:
    """The TTL stated in front of the type, None if none is, and the words from the type on.

    Raises:
        InvalidValueError: a TTL that is none, another class than IN, or no word left.
    """
    ttl_s: int | None = None
    for index, word in enumerate(words):
        if word.text.upper() in _CLASSES:
            if word.text.upper() not in _INTERNET:
                raise InvalidValueError(word.text, "class IN", Reason.INVALID_OBJECT)
        elif ttl_s is None and word.text[0].isdigit():
            ttl_s = rdata.ttl_named(word.text)
        else:
            return ttl_s, words[index:]
    text = " ".join(word.text for word in words)
    raise InvalidValueError(text, "[ttl] [class] type data", Reason.INVALID_OBJECT)


def type_of(word: str) -> str:
    """The record type *word*, in capitals.

    Raises:
        InvalidValueError: it is none.
    """
    rtype = rdata.type_named(word)
    if rtype is None:
        raise InvalidValueError(word, "a record type, as A or CNAME", Reason.INVALID_OBJECT)
    return rtype


def begins(word: str) -> bool:
    """Tell whether *word* can be the first after an owner; else it may be an owner that a blank was put before."""
    return bool(word.upper() in _CLASSES or _TTL.fullmatch(word) or rdata.type_named(word))
