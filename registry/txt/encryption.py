"""Encrypt the text of ownership records (docs/spec/plan.md 3.2.4).

The format is base64 of a nonce and the AES-256-GCM ciphertext of the gzipped plain text.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib
from collections.abc import Callable, Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from extdns.errors import UsageError
from extdns.model.value import StringMap
from registry.txt.ownership_index import MAX_CHARACTERS, PlainTextCodec

NONCE_BYTES: Final = 12  # NIST SP 800-38D section 8.2: the length that GCM uses without hashing

_KEY_BYTES: Final = 32
_GZIP: Final = 16 + zlib.MAX_WBITS  # zlib's manual, inflateInit2: expect a gzip header


def parse_keys(text: str) -> tuple[bytes, ...]:
    """Return the keys in *text*, one a line, each 32 bytes as they are or their standard base64.

    Text of 32 bytes is one key, even if one of its bytes is a newline.

    Raises:
        UsageError: there is none, or a line is neither; the message does not contain the key.
    """
    raw = text.encode(errors="surrogateescape")  # bytes that are not UTF-8, too
    lines = [raw] if len(raw) == _KEY_BYTES else [line for line in raw.splitlines() if line] or [b""]
    return tuple(map(_parse_key, lines))


def _parse_key(raw: bytes) -> bytes:
    if len(raw) == _KEY_BYTES:
        return raw
    try:
        key = base64.b64decode(raw, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != _KEY_BYTES:
        raise UsageError(
            f"--txt-encrypt-aes-key is not a key: it has {len(raw)} bytes\n"
            "  allowed: 32 bytes, or the base64 of 32 bytes; several keys in lines of their own"
        )
    return key


class EncryptedTextCodec:
    """Reads encrypted and plain ownership records; writes encrypted ones if *encrypts* is set."""

    def __init__(self, *, keys: Sequence[bytes], nonce: Callable[[], bytes], encrypts: bool) -> None:
        """Create a codec with at least one key of 32 bytes: the first encrypts, all decrypt.

        *nonce* returns 12 bytes, never the same twice.
        """
        self._ciphers = tuple(map(AESGCM, keys))
        self._nonce = nonce
        self._encrypts = encrypts
        self._plain = PlainTextCodec()

    def decode(self, target: str) -> StringMap | None:
        """Return the labels in *target*, decrypted if necessary; see `PlainTextCodec.decode`."""
        opened = next((text for cipher in self._ciphers if (text := _decrypt(target, cipher)) is not None), target)
        return self._plain.decode(opened)

    def is_current(self, target: str) -> bool:
        """Return whether *target* is encrypted with the first key, or plain text if new ones are."""
        if not self._encrypts:
            return self._plain.is_current(target)
        return _decrypt(target, self._ciphers[0]) is not None

    def encode(self, labels: StringMap) -> str | None:
        """Return the TXT value for *labels*; if encrypted, it differs on every call. See `PlainTextCodec.encode`."""
        plain = self._plain.encode(labels)
        if plain is None or not self._encrypts:
            return plain
        nonce = self._nonce()
        packed = gzip.compress(plain.strip('"').encode(), mtime=0)
        text = f'"{base64.b64encode(nonce + self._ciphers[0].encrypt(nonce, packed, None)).decode()}"'
        return text if len(text) <= MAX_CHARACTERS else None


def _decrypt(target: str, cipher: AESGCM) -> str | None:
    if len(target) > MAX_CHARACTERS:
        return None
    try:
        ciphertext = base64.b64decode(target.strip('"'), validate=True)
        return _decompress(cipher.decrypt(ciphertext[:NONCE_BYTES], ciphertext[NONCE_BYTES:], None))
    except (ValueError, InvalidTag, zlib.error):
        return None


def _decompress(packed: bytes) -> str:
    """Decompress *packed*. Stop after one character more than an ownership record can have, to limit memory.

    Raises:
        zlib.error: *packed* is not a gzip stream.
        ValueError: the text is not UTF-8.
    """
    return zlib.decompressobj(_GZIP).decompress(packed, MAX_CHARACTERS + 1).decode()
