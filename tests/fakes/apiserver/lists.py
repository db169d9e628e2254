"""Answer lists: complete or in pages, at the requested resourceVersion."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

import msgspec

from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.options import ListOptions
from tests.fakes.apiserver.statuses import ApiError, expired, too_large
from tests.fakes.apiserver.store import Collection, Store, Stored

_CONTINUE_EXPIRED: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)
_LATEST: Final = -1
"""The version in a continue token that continues with the current objects."""


@dataclass(frozen=True, slots=True)
class Token:
    """A continue token: the key at which the next page begins, and the resourceVersion of the first page."""

    version: int
    start: str

    @classmethod
    def decode(cls, text: str) -> Token:
        try:
            fields = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            return cls(int(fields["rv"]), str(fields["start"]))
        except (binascii.Error, msgspec.DecodeError, KeyError, TypeError, ValueError) as exc:
            raise ApiError(400, f"invalid continue token: continue key is not valid: {exc}") from exc

    def encode(self) -> str:
        """Encode the token as Kubernetes does, without padding."""
        fields = {"v": "meta.k8s.io/v1", "rv": self.version, "start": self.start}
        return base64.urlsafe_b64encode(msgspec.json.encode(fields)).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Page:
    """A list, or one page of it. *remaining* is the number of items after it, or None if it is not reported."""

    version: int
    items: list[Stored]
    token: str = ""
    remaining: int | None = None

    def encode(self, kind: Kind) -> bytes:
        """Encode the list as JSON. Its items include their kind only if *kind* is a custom one."""
        metadata: dict[str, object] = {"resourceVersion": str(self.version)}
        if self.token or kind.custom:
            metadata["continue"] = self.token
        if self.remaining is not None:
            metadata["remainingItemCount"] = self.remaining
        shown = msgspec.json.encode(metadata)
        head = b'{"kind":"%bList","apiVersion":"%b","metadata":%b,"items":['
        items = b",".join([stored.encode(kind, typed=kind.custom) for stored in self.items])
        return head % (kind.kind.encode(), kind.api_version.encode(), shown) + items + b"]}"


def list_page(store: Store, kind: Kind, namespace: str, options: ListOptions) -> Page:
    """Return the requested list, or one page of it."""
    with store.lock:
        token = Token.decode(options.token) if options.token else None
        version = _choose_version(store, options, token)
        keys, objects = store.collection(kind).list_at(version)
        found: list[Stored] = []
        for position in range(bisect_left(keys, token.start) if token else 0, len(keys)):
            stored = objects[keys[position]]
            if not matches(stored, namespace, options):
                continue
            if options.limit and len(found) == options.limit:
                start = found[-1].key + "\0"
                return Page(version, found, Token(version, start).encode(), _count_remaining(keys, start, namespace))
            found.append(stored)
        return Page(version, found)


def list_current(collection: Collection, namespace: str, options: ListOptions) -> list[Stored]:
    """Return the current objects that match *options*. The caller holds the lock of the store."""
    return [
        stored for stored in map(collection.objects.__getitem__, collection.keys) if matches(stored, namespace, options)
    ]


def matches(stored: Stored, namespace: str, options: ListOptions) -> bool:
    """Return whether an object is in *namespace* ("" is any) and has the requested name."""
    if namespace and not stored.key.startswith(namespace + "/"):
        return False
    return options.name in {"", stored.key.rpartition("/")[2]}


def _choose_version(store: Store, options: ListOptions, token: Token | None) -> int:
    if token is not None:
        if token.version == _LATEST:
            return store.version
        if token.version < store.horizon:
            raise expired(_CONTINUE_EXPIRED, token=Token(_LATEST, token.start).encode())
        if token.version > store.version:
            raise too_large(token.version, store.version, retry_after_s=None)
        return token.version
    requested = options.version or 0
    if requested > store.version:
        raise too_large(requested, store.version)
    if not options.exact:
        return store.version
    if requested < store.horizon:
        raise expired("The resourceVersion for the provided list is too old.")
    return requested


def _count_remaining(keys: list[str], start: str, namespace: str) -> int:
    after = keys[bisect_left(keys, start) :]
    return sum(key.startswith(namespace + "/") for key in after) if namespace else len(after)
