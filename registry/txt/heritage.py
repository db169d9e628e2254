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

    def carries(self, labels: Pairs) -> bool:
        """Tell whether *labels* can be written and read again."""
        ...

    def encode(self, labels: Pairs) -> str:
        """The TXT value that carries *labels*."""
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

    def carries(self, labels: Pairs) -> bool:
        """Tell whether *labels* can be written and read again, also by a DNS service in between."""
        text = self.encode(labels)
        if len(text) > MAX_CHARACTERS or text.count(",") != len(labels) or not _TEXT.fullmatch(text):
            return False
        return not any("=" in key for key, _ in labels)

    def encode(self, labels: Pairs) -> str:
        """The TXT value that carries *labels*, in the order of their keys.

        Nothing is escaped, so that some labels do not survive; `carries` tells.
        """
        tokens = [f"{_HERITAGE}={_VENDOR}"]
        tokens += [f"{_BEFORE_KEYS}{key}={value}" for key, value in labels if key != NONCE]
        return f'"{",".join(tokens)}"'
