"""What an API server sends in lists and watches, taken apart without looking into the objects."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from extdns.errors import ApiError, shortened
from extdns.kube.live.deep import list_parts
from extdns.kube.status import frame_refusal
from extdns.model.cluster import Kind

_INITIAL_END: Final = "k8s.io/initial-events-end"
_SHOWN: Final = 60


class _Lean(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    pass


class Head(_Lean, frozen=True, kw_only=True, gc=False):
    """What tells one version of an object from all others."""

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class Item(NamedTuple):
    """An object, not decoded; *head* is None if it cannot even be identified."""

    head: Head | None
    raw: bytes | msgspec.Raw


class Page(NamedTuple):
    """A list, or a part of one.

    Attributes:
        version: of the whole list, never "".
        token: asks for the next page; "" on the last.
    """

    items: list[Item]
    version: str
    token: str


class Shown(NamedTuple):
    """A frame of a watch: an object was added, or is another now."""

    item: Item


class Deleted(NamedTuple):
    """A frame of a watch: an object was deleted."""

    item: Item


class Bookmark(NamedTuple):
    """A frame of a watch: all up to *version* has been sent; *is_initial_end* after all objects of the start."""

    version: str
    is_initial_end: bool


Frame = Shown | Deleted | Bookmark


class _ListMetadata(_Lean, frozen=True, kw_only=True, gc=False):
    resource_version: str = ""
    token: str = msgspec.field(default="", name="continue")


class _List(_Lean, frozen=True, kw_only=True, gc=False):
    kind: str = ""
    api_version: str = ""
    metadata: _ListMetadata = _ListMetadata()
    items: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET


class _Typed(_Lean, frozen=True, kw_only=True, gc=False):
    kind: str = ""
    api_version: str = ""


class _Headed(_Typed, frozen=True, kw_only=True, gc=False):
    metadata: Head


class _Frame(_Lean, frozen=True, kw_only=True, gc=False):
    type: str
    object: msgspec.Raw


class _MarkMetadata(_Lean, frozen=True, kw_only=True, gc=False):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Mark(_Lean, frozen=True, kw_only=True, gc=False):
    metadata: _MarkMetadata


_LISTS: Final = msgspec.json.Decoder(_List)
_TYPED: Final = msgspec.json.Decoder(_Typed)
_HEADED: Final = msgspec.json.Decoder(_Headed)
_FRAMES: Final = msgspec.json.Decoder(_Frame)
_MARKS: Final = msgspec.json.Decoder(_Mark)
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def page(kind: Kind, call: str, body: bytes) -> Page:
    """A list of *kind*, or `ApiError` for anything else; *call* names the request in it."""
    listed, items = _listed(call, body)
    if (listed.kind, listed.api_version) != (f"{kind.name}List", kind.api_version):
        raise ApiError(f"{call}: {_other(listed.kind, listed.api_version)}; expected: a list of {_words(kind)}")
    if not listed.metadata.resource_version:
        raise ApiError(f"{call}: the list has no metadata.resourceVersion")
    if items is None:
        raise ApiError(f"{call}: the list has no items")
    return Page([item(raw) for raw in items], listed.metadata.resource_version, listed.metadata.token)


def item(raw: bytes | msgspec.Raw) -> Item:
    """An object and its head."""
    try:
        return Item(_HEADED.decode(raw).metadata, raw)
    except _UNREADABLE:
        return Item(None, raw)


def frame(kind: Kind, call: str, line: bytes) -> Frame:
    """One line of a watch of *kind*.

    Raises:
        ApiError: it is an ERROR frame, or anything but a frame.
    """
    try:
        said = _FRAMES.decode(line)
        if said.type == "ERROR":
            raise frame_refusal(call, said.object)
        typed, found = _typed_item(said.object)
        if (typed.kind, typed.api_version) != (kind.name, kind.api_version):
            raise ApiError(f"{call}: {_other(typed.kind, typed.api_version)}; expected: {_words(kind)}")
        match said.type:
            case "ADDED" | "MODIFIED":
                return Shown(found)
            case "DELETED":
                return Deleted(found)
            case "BOOKMARK":
                return _bookmark(said.object)
            case _:
                pass
    except RecursionError:
        return Shown(Item(None, line))
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise ApiError(f"{call}: the watch sent what is no event: {_beginning(line)}") from exc
    raise ApiError(f"{call}: the watch sent an event of type {shortened(said.type)!r}, which is not known")


def _typed_item(raw: msgspec.Raw) -> tuple[_Typed, Item]:
    """What it is, and the item, read at once where it can be identified."""
    try:
        headed = _HEADED.decode(raw)
    except _UNREADABLE:
        return _TYPED.decode(raw), Item(None, raw)
    return headed, Item(headed.metadata, raw)


def _listed(call: str, body: bytes) -> tuple[_List, list[bytes] | list[msgspec.Raw] | None]:
    try:
        try:
            listed = _LISTS.decode(body)
        except RecursionError:
            around, items = list_parts(body)
            return _LISTS.decode(around), items
    except _UNREADABLE as exc:
        raise ApiError(f"{call}: the answer is no list: {_beginning(body)}") from exc
    # a server without objects may say null; one that says nothing of items has not answered
    return listed, None if listed.items is msgspec.UNSET else listed.items or []


def _bookmark(raw: msgspec.Raw) -> Bookmark:
    metadata = _MARKS.decode(raw).metadata
    return Bookmark(metadata.resource_version, (metadata.annotations or {}).get(_INITIAL_END) == "true")


def _other(kind: str, api_version: str) -> str:
    return f"the answer is {shortened(kind) or 'of no kind'} {shortened(api_version)}".rstrip()


def _words(kind: Kind) -> str:
    return f"{kind.name} {kind.api_version}"


def _beginning(text: bytes) -> str:
    """How something unexpected begins, on one line: enough to know a proxy's page by."""
    return repr(text[:_SHOWN].decode(errors="replace").strip()) if text.strip() else "nothing"
