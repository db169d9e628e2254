"""The text of a mark (spec plan 3.2.3)."""

from __future__ import annotations

import re
import sys
from typing import Final, Protocol

from extdns.model.pairs import Pairs

OWNED_RECORD: Final = "ownedRecord"  # names the record that the mark is for, where the mark's own name could mean two
NONCE: Final = "txt-encryption-nonce"  # belongs to an encrypted value, is never part of the text

MAX_CHARACTERS: Final = 4096  # DNS services take 4,000 at most; what is longer is nobody's mark

CARRIED: Final = "short texts in printable ASCII without comma, double quote and backslash"

# What a key and a value may hold so that the text can be taken apart again: commas part labels, `=` ends a key.
_LABEL: Final = r",external-dns/[ !#-+\--<>-\[\]-~]*=[ !#-+\--\[\]-~]*"
_TEXT: Final = re.compile(rf'"heritage=external-dns(?:{_LABEL})*"')
_HERITAGE: Final = "heritage"
_VENDOR: Final = "external-dns"
_BEFORE_KEYS: Final = f"{_VENDOR}/"

_SEALED: Final = re.compile(r'"?[A-Za-z0-9+/]{64,}={0,2}"?')  # nonce, tag and the shortest text make 64


def is_sealed(target: str) -> bool:
    """Tell whether a TXT value that is no mark looks like one that is encrypted (spec plan 3.2.4)."""
    return len(target) <= MAX_CHARACTERS and len(target.strip('"')) % 4 == 0 and bool(_SEALED.fullmatch(target))


class MarkText(Protocol):
    """Reads and writes the TXT value of a mark."""

    def decode(self, target: str) -> Pairs | None:
        """The labels that *target* carries, None if it is no mark; never raises."""
        ...

    def encode(self, labels: Pairs) -> str | None:
        """The TXT value that carries *labels*, None if none can."""
        ...


class PlainText:
    """Writes and reads `"heritage=external-dns,external-dns/owner=me"`; the quotes are part of the value."""

    __slots__ = ()

    def decode(self, target: str) -> Pairs | None:
        """The labels that the TXT value *target* carries, None if it is no mark; never raises.

        Tokens without `=` and keys of others are skipped; of a label given twice the last one wins.
        """
        if len(target) > MAX_CHARACTERS:
            return None
        labels: dict[str, str] = {}
        marked = False
        for token in target.strip('"').split(","):
            key, equals, value = token.partition("=")
            if not equals:
                continue
            if key == _HERITAGE:
                if value != _VENDOR:
                    return None
                marked = True
            elif key.startswith(_VENDOR):
                # keys and owners are the same in all marks, and objects are named elsewhere, too
                labels[sys.intern(key.removeprefix(_BEFORE_KEYS))] = sys.intern(value)
        return Pairs(sorted(labels.items())) if marked else None

    def encode(self, labels: Pairs) -> str | None:
        """The TXT value that carries *labels*, in the order of their keys.

        Nothing is escaped: there is none for labels that would be read again as others, or that a DNS
        service in between would change.
        """
        tokens = [f"{_HERITAGE}={_VENDOR}"]
        for key, value in labels:
            if "=" in key:
                return None
            if key != NONCE:
                tokens.append(f"{_BEFORE_KEYS}{key}={value}")
        text = f'"{",".join(tokens)}"'
        apart = text.count(",") == len(tokens) - 1
        return text if apart and len(text) <= MAX_CHARACTERS and _TEXT.fullmatch(text) else None
