"""Marks as ciphertext (spec plan 3.2.4): base64 of a nonce and AES-256-GCM over the gzipped plain text."""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from extdns.errors import UsageError
from extdns.model.pairs import Pairs
from registry.txt.heritage import MAX_CHARACTERS, PlainText

NONCE_BYTES: Final = 12  # NIST SP 800-38D section 8.2: what GCM takes as it is

_KEY_BYTES: Final = 32
_TAG_BYTES: Final = 16
_GZIP: Final = 16 + zlib.MAX_WBITS  # zlib's manual, inflateInit2: a gzip header is asked for


def key_of(text: str) -> bytes:
    """The key that `--txt-encrypt-aes-key` gives: 32 bytes as they are, or in standard base64.

    Raises:
        UsageError: it is neither; the message does not show it.
    """
    raw = text.encode()
    if len(raw) == _KEY_BYTES:
        return raw
    try:
        key = base64.b64decode(raw, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != _KEY_BYTES:
        raise UsageError(
            f"--txt-encrypt-aes-key is no key: it has {len(raw)} bytes\n  allowed: 32 bytes, or the base64 of 32 bytes"
        )
    return key


class EncryptedText:
    """Reads encrypted and plain marks alike; writes what it was told to."""

    __slots__ = ("_cipher", "_nonce", "_plain", "_writes")

    def __init__(self, *, key: bytes, nonce: Callable[[], bytes], writes: bool) -> None:
        """Take the key.

        Args:
            key: 32 bytes.
            nonce: gives 12 bytes, never the same twice.
            writes: whether new marks are encrypted, too.
        """
        self._cipher = AESGCM(key)
        self._nonce = nonce
        self._writes = writes
        self._plain = PlainText()

    def decode(self, target: str) -> Pairs | None:
        """As `PlainText.decode`, of what *target* hides if it is ours to open."""
        opened = self._opened(target)
        return self._plain.decode(target if opened is None else opened)

    def encode(self, labels: Pairs) -> str | None:
        """As `PlainText.encode`; encrypted, no two texts are alike."""
        plain = self._plain.encode(labels)
        if plain is None or not self._writes:
            return plain
        nonce = self._nonce()
        packed = gzip.compress(plain.strip('"').encode(), mtime=0)
        text = f'"{base64.b64encode(nonce + self._cipher.encrypt(nonce, packed, None)).decode()}"'
        return text if len(text) <= MAX_CHARACTERS else None

    def _opened(self, target: str) -> str | None:
        if len(target) > MAX_CHARACTERS:
            return None
        try:
            sealed = base64.b64decode(target.strip('"'), validate=True)
            if len(sealed) < NONCE_BYTES + _TAG_BYTES:
                return None
            return _inflated(self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None))
        except (ValueError, InvalidTag, zlib.error):
            return None


def _inflated(packed: bytes) -> str:
    """The text in *packed*; of one that is longer than any mark, no more than shows that it is.

    Raises:
        zlib.error: it is no gzip stream.
        ValueError: it is no UTF-8.
    """
    return zlib.decompressobj(_GZIP).decompress(packed, MAX_CHARACTERS + 1).decode()
