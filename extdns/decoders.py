"""Build decoders of JSON in one thread at a time."""

from __future__ import annotations

from threading import Lock
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")
_LOCK: Final = Lock()


def build_decoder(form: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder of *form*: msgspec ends the process if two threads inspect a type for the first time at once.

    After that, any thread may also use `msgspec.convert` with it.
    """
    with _LOCK:
        return msgspec.json.Decoder(form)
