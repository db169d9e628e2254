"""The ConfigMap in which state is kept, as JSON: one value an owner, and the releases (design 6, "State").

A state file holds the same, so that what is said of one holds for both::

    metadata.annotations["extdns.io/release"]   codes that a person released
    data[key of the owner]                      {"apiVersion", "kind", "owner", "zones": {id: SavedZone}}
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from extdns.errors import ExtdnsError, InvalidValueError, shortened
from extdns.model.saved import Saved, SavedZone

Document = dict[str, Any]

RELEASE: Final = "extdns.io/release"
MOST_BYTES: Final = 1024 * 1024
"""Of all values together; the API server takes no larger ConfigMap."""

_VERSION: Final = "extdns.io/v1"
_KIND: Final = "State"
_LONGEST_KEY: Final = 253
_UNSAFE: Final = re.compile(rb"[^A-Za-z0-9.-]")
_NOBODY: Final = "_"
"""The key of the owner id "", which no escaped one can be."""


class _Kept(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    owner: str
    zones: dict[str, SavedZone]
    api_version: str = _VERSION
    kind: str = _KIND


def empty(name: str) -> Document:
    """A ConfigMap in which nothing is kept yet."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {}}


def parsed(body: bytes) -> Document:
    """The ConfigMap that *body* is.

    Raises:
        InvalidValueError: it is none.
    """
    allowed = "a ConfigMap as JSON"
    try:
        document = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise InvalidValueError(shortened(str(exc)), allowed, "") from exc
    if document.get("kind") != "ConfigMap" or not isinstance(document.get("metadata"), dict):
        raise InvalidValueError(f"kind: {document.get('kind')}", allowed, "")
    return document


def saved(document: Document, owner: str) -> Saved:
    """What is kept of *owner*, nothing if it never was.

    Raises:
        InvalidValueError: what is there is no state, or that of another owner.
    """
    text = _data(document).get(key_of(owner))
    if text is None:
        return Saved()
    found, kept = _decoded(text)
    if found != owner:
        raise InvalidValueError(found, f"the state of the owner {owner!r}", "")
    return kept


def owners(document: Document) -> Iterator[tuple[str, Saved]]:
    """Every owner of whom something is kept, sorted by key; what cannot be read is left out."""
    for _, text in sorted(_data(document).items()):
        with suppress(InvalidValueError):
            yield _decoded(text)


def unreadable(document: Document) -> Iterator[str]:
    """The keys of values that are no state, sorted, each with what is wrong."""
    for key, text in sorted(_data(document).items()):
        try:
            _decoded(text)
        except InvalidValueError as exc:
            yield f"{key}: {exc}"


def with_saved(document: Document, owner: str, kept: Saved) -> Document:
    """*document* with *kept* in place of what was kept of *owner*, without the releases that are part of it now.

    Raises:
        ExtdnsError: it would become too large.
    """
    text = msgspec.json.encode(_Kept(owner=owner, zones=dict(kept.zones))).decode()
    data = _data(document) | {key_of(owner): text}
    size = sum(len(key.encode()) + len(str(value).encode()) for key, value in data.items())
    if size > MOST_BYTES:
        raise ExtdnsError(f"the state would have {size} bytes, of which a ConfigMap holds {MOST_BYTES}")
    spent = frozenset(_spent(kept))
    return _annotated(document | {"data": data}, [code for code in released(document) if code not in spent])


def released(document: Document) -> tuple[str, ...]:
    """The codes that a person released, as far as they are no part of what is kept yet."""
    annotations = document.get("metadata", {}).get("annotations")
    text = annotations.get(RELEASE) if isinstance(annotations, dict) else None
    return tuple(dict.fromkeys(filter(None, re.split(r"[\s,]+", text)))) if isinstance(text, str) else ()


def with_released(document: Document, codes: Iterable[str]) -> Document:
    """*document* with *codes* among those that a person released."""
    return _annotated(document, dict.fromkeys((*released(document), *codes)))


def key_of(owner: str) -> str:
    """The key of the value that belongs to *owner*; keys hold few characters (Kubernetes API, ConfigMap)."""
    key = (
        _UNSAFE.sub(lambda found: b"_%02x" % ord(found[0]), owner.encode("utf-8", "surrogatepass")).decode() or _NOBODY
    )
    if key.startswith("."):
        key = f"_2e{key[1:]}"
    if len(key) > _LONGEST_KEY:
        return f"_{hashlib.sha256(owner.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return key


def _data(document: Document) -> dict[str, Any]:
    data = document.get("data")
    return data if isinstance(data, dict) else {}


def _decoded(text: object) -> tuple[str, Saved]:
    allowed = "state that extdns kept"
    try:
        kept = msgspec.json.decode(text if isinstance(text, str) else "", type=_Kept)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise InvalidValueError(str(exc), allowed, "") from exc
    if (kept.api_version, kept.kind) != (_VERSION, _KIND):
        raise InvalidValueError(f"{kept.api_version} {kept.kind}", allowed, "")
    return kept.owner, Saved(zones=tuple(sorted(kept.zones.items())))


def _spent(kept: Saved) -> Iterator[str]:
    """Codes of sets of which everything is released: the annotation must not release them a second time, later."""
    for _, zone in kept.zones:
        done = {digest for digest, _ in zone.released}
        yield from (code for code, digests in zone.shown if done.issuperset(digests))


def _annotated(document: Document, codes: Iterable[str]) -> Document:
    metadata = document["metadata"]
    annotations = metadata.get("annotations")
    others = {key: text for key, text in annotations.items() if key != RELEASE} if isinstance(annotations, dict) else {}
    if joined := " ".join(codes):
        others[RELEASE] = joined
    rest = {key: part for key, part in metadata.items() if key != "annotations"}
    return document | {"metadata": rest | ({"annotations": others} if others else {})}
