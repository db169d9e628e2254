"""Decode lists and watch events of the API server, and identify their objects without decoding them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeVar

import msgspec

from extdns.errors import ApiError, shorten
from extdns.kube.api_protocol import build_watch_error
from extdns.model.kind import Kind

T = TypeVar("T")

_INITIAL_END: Final = "k8s.io/initial-events-end"
_MAX_EXCERPT: Final = 60


class _ResponseStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    pass


class ObjectHeader(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    """The metadata that identify one version of an object."""

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class RawObject(NamedTuple):
    """An object that is not decoded. *header* is None if the object cannot be identified."""

    header: ObjectHeader | None
    content: bytes | msgspec.Raw


class ListPage(NamedTuple):
    """A page of a list.

    Attributes:
        continue_token: token to request the next page; "" on the last page.
    """

    items: list[RawObject]
    resource_version: str
    continue_token: str


class ChangedEvent(NamedTuple):
    """A watch event: an object was added or modified."""

    item: RawObject


class DeletedEvent(NamedTuple):
    """A watch event: an object was deleted."""

    item: RawObject


class BookmarkEvent(NamedTuple):
    """A watch event that changes no object.

    Attributes:
        resource_version: everything up to this version has been sent.
        ends_initial_list: all objects that existed when the watch began have been sent.
    """

    resource_version: str
    ends_initial_list: bool


WatchEvent = ChangedEvent | DeletedEvent | BookmarkEvent


class _ListMetadata(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    resource_version: str = ""
    token: str = msgspec.field(default="", name="continue")


class _List(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    kind: str = ""
    api_version: str = ""
    metadata: _ListMetadata = _ListMetadata()
    items: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET


class _TypedObject(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    kind: str = ""
    api_version: str = ""


class _IdentifiedObject(_TypedObject, frozen=True, kw_only=True, gc=False):
    metadata: ObjectHeader


class _Event(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    type: str
    object: msgspec.Raw


class _BookmarkMetadata(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _BookmarkObject(_ResponseStruct, frozen=True, kw_only=True, gc=False):
    metadata: _BookmarkMetadata


_LISTS: Final = msgspec.json.Decoder(_List)
_TYPED_OBJECTS: Final = msgspec.json.Decoder(_TypedObject)
_IDENTIFIED_OBJECTS: Final = msgspec.json.Decoder(_IdentifiedObject)
_EVENTS: Final = msgspec.json.Decoder(_Event)
_BOOKMARKS: Final = msgspec.json.Decoder(_BookmarkObject)
_DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def decode_list(kind: Kind, call: str, body: bytes) -> ListPage:
    """Decode a list of *kind*. Raises `ApiError` for anything else; *call* names the request in its message."""
    try:
        listed = decode_any_depth(_LISTS, body)
    except _DECODE_ERRORS as exc:
        raise ApiError(f"{call}: the response is not a list: {_quote_start(body)}") from exc
    if (listed.kind, listed.api_version) != (f"{kind.name}List", kind.api_version):
        raise ApiError(
            f"{call}: {_describe_type(listed.kind, listed.api_version)}; expected: a list of {_describe_kind(kind)}"
        )
    if not listed.metadata.resource_version:
        raise ApiError(f"{call}: the list has no metadata.resourceVersion")
    if listed.items is msgspec.UNSET:
        raise ApiError(f"{call}: the list has no items")
    items = [decode_object(raw) for raw in listed.items or ()]
    return ListPage(items, listed.metadata.resource_version, listed.metadata.token)


def decode_header(kind: Kind, call: str, body: bytes) -> ObjectHeader:
    """Decode the header of an object of *kind*. Raises `ApiError` for anything else; *call* names the request."""
    try:
        found = decode_any_depth(_IDENTIFIED_OBJECTS, body)
    except _DECODE_ERRORS as exc:
        raise ApiError(f"{call}: the response is not a {kind.name}: {_quote_start(body)}") from exc
    if (found.kind, found.api_version) != (kind.name, kind.api_version):
        raise ApiError(f"{call}: {_describe_type(found.kind, found.api_version)}; expected: {_describe_kind(kind)}")
    return found.metadata


def decode_object(raw: bytes | msgspec.Raw) -> RawObject:
    """Decode only the metadata that identify the object *raw*; the header is None if that fails."""
    try:
        return RawObject(decode_any_depth(_IDENTIFIED_OBJECTS, raw).metadata, raw)
    except _DECODE_ERRORS:
        return RawObject(None, raw)


def decode_watch_event(kind: Kind, call: str, line: bytes) -> WatchEvent:
    """Decode one line of a watch of *kind*.

    Raises:
        ApiError: the line is an ERROR event, or not an event of *kind*.
    """
    try:
        event = decode_any_depth(_EVENTS, line)
        if event.type == "ERROR":
            raise build_watch_error(call, event.object)
        typed, found = _decode_typed(event.object)
        if (typed.kind, typed.api_version) != (kind.name, kind.api_version):
            raise ApiError(f"{call}: {_describe_type(typed.kind, typed.api_version)}; expected: {_describe_kind(kind)}")
        match event.type:
            case "ADDED" | "MODIFIED":
                return ChangedEvent(found)
            case "DELETED":
                return DeletedEvent(found)
            case "BOOKMARK":
                return _decode_bookmark(event.object)
            case _:
                pass
    except _DECODE_ERRORS as exc:
        raise ApiError(f"{call}: the watch sent a line that is not an event: {_quote_start(line)}") from exc
    raise ApiError(f"{call}: the watch sent an event of type {shorten(event.type)!r}, which is not known")


def _decode_typed(raw: msgspec.Raw) -> tuple[_TypedObject, RawObject]:
    """Return type and identity of an object, decoded together if possible."""
    try:
        headed = decode_any_depth(_IDENTIFIED_OBJECTS, raw)
    except _DECODE_ERRORS:
        return decode_any_depth(_TYPED_OBJECTS, raw), RawObject(None, raw)
    return headed, RawObject(headed.metadata, raw)


def _decode_bookmark(raw: msgspec.Raw) -> BookmarkEvent:
    metadata = _BOOKMARKS.decode(raw).metadata
    return BookmarkEvent(metadata.resource_version, (metadata.annotations or {}).get(_INITIAL_END) == "true")


def _describe_type(kind: str, api_version: str) -> str:
    return f"the response is {shorten(kind) or 'of no kind'} {shorten(api_version)}".rstrip()


def _describe_kind(kind: Kind) -> str:
    return f"{kind.name} {kind.api_version}"


def _quote_start(text: bytes) -> str:
    """Return the start of an unexpected response on one line, enough to recognize the page of a proxy."""
    return repr(text[:_MAX_EXCERPT].decode(errors="replace").strip()) if text.strip() else "nothing"


_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_MAX_DEPTH: Final = 500
"""About half of what the decoder accepts. The API server accepts 10,000 levels, also in fields that nobody reads."""


def decode_any_depth(decoder: msgspec.json.Decoder[T], text: bytes | msgspec.Raw) -> T:
    """Decode JSON, and if it is nested too deeply, with null in place of its deepest values."""
    try:
        return decoder.decode(text)
    except RecursionError:
        return decoder.decode(replace_deep_values(bytes(text)))


def replace_deep_values(text: bytes) -> bytes:
    """Return the JSON *text* with null in place of objects and arrays that are more than 500 levels deep."""
    kept = bytearray()
    depth = end = 0
    for token in _TOKEN.finditer(text):
        if token[0] in b"{[":
            depth += 1
            if depth == _MAX_DEPTH + 1:
                kept += text[end : token.start()] + b"null"
                end = len(text)
        elif token[0] in b"}]":
            if depth == _MAX_DEPTH + 1:
                end = token.end()
            depth -= 1
    return bytes(kept) + text[end:]
