"""Documents and list items, in either notation, of which it is not yet known what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from extdns.kube.manifests.contents import Flaw, Found
from extdns.kube.manifests.mistakes import shown
from extdns.kube.manifests.objects import from_json, from_tree
from extdns.kube.manifests.plain import Tree
from extdns.model.cluster import Kind

_ALLOWED: Final = "a mapping with apiVersion and kind"


class _Top(msgspec.Struct, frozen=True, rename="camel"):
    """The fields that tell what a document is; the rest is only skipped over."""

    api_version: object = None
    kind: object = None
    metadata: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    items: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_TOP: Final = msgspec.json.Decoder(_Top)
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True)
class JsonDraft:
    """One JSON object, still text; *line* is where it begins, from 1."""

    text: bytes
    line: int
    top: _Top

    @property
    def api_version(self) -> object:
        """`apiVersion`, None if there is none."""
        return self.top.api_version

    @property
    def kind(self) -> object:
        """`kind`, None if there is none."""
        return self.top.kind

    @property
    def content(self) -> bytes:
        """All of it."""
        return self.text

    def has(self, field: str) -> bool:
        """Whether there is `metadata`, or `items`."""
        return getattr(self.top, field) is not msgspec.UNSET

    def items(self) -> Iterator[Draft | Flaw] | None:
        """The items of a list; None if `items` is missing or no list."""
        if isinstance(self.top.items, msgspec.UnsetType):
            return None
        try:
            items = _ITEMS.decode(self.top.items)
        except msgspec.ValidationError:
            return None
        return self._items(items)

    def read(self, kind: Kind) -> Found | Flaw:
        """The object it describes."""
        return from_json(kind, self.text, self.line)

    def _items(self, items: list[msgspec.Raw]) -> Iterator[Draft | Flaw]:
        """The line of each is counted on from the one before: an item does not know where it was cut out."""
        end, line = 0, self.line
        for number, item in enumerate(items):
            text = bytes(item)
            begin = max(self.text.find(text, end), end)
            line += self.text.count(b"\n", end, begin)
            yield _json_draft(text, line, f"items[{number}] is ")
            line += text.count(b"\n")
            end = begin + len(text)


@dataclass(frozen=True, slots=True)
class TreeDraft:
    """One YAML mapping."""

    tree: Tree

    @property
    def line(self) -> int:
        """Where it begins, from 1."""
        return self.tree.line

    @property
    def api_version(self) -> object:
        """`apiVersion`, None if there is none."""
        return self.tree.get("apiVersion")

    @property
    def kind(self) -> object:
        """`kind`, None if there is none."""
        return self.tree.get("kind")

    @property
    def content(self) -> Tree:
        """All of it."""
        return self.tree

    def has(self, field: str) -> bool:
        """Whether there is `metadata`, or `items`."""
        return field in self.tree

    def items(self) -> Iterator[Draft | Flaw] | None:
        """The items of a list; None if `items` is missing or no list."""
        items = self.tree.get("items")
        return self._items(items) if isinstance(items, list) else None

    def read(self, kind: Kind) -> Found | Flaw:
        """The object it describes."""
        return from_tree(kind, self.tree)

    def _items(self, items: list[object]) -> Iterator[Draft | Flaw]:
        line = self.tree.line_of("items")
        for number, item in enumerate(items):
            if isinstance(item, Tree):
                yield TreeDraft(item)
            else:
                yield Flaw(line=line, key=None, message=f"items[{number}] is {shown(item)}; allowed: {_ALLOWED}")


Draft = JsonDraft | TreeDraft


def yaml_drafts(text: bytes, line: int) -> Iterator[Draft | Flaw]:
    """The documents of the YAML *text*, which begins at *line*; ends where it cannot be read. Never raises."""
    from extdns.kube.manifests.tree import Broken, documents  # noqa: PLC0415 - JSON has no use for YAML

    for document in documents(text, line):
        if isinstance(document, Broken):
            yield Flaw(line=document.line, key=None, message=document.message)
        elif isinstance(document.value, Tree):
            yield TreeDraft(document.value)
        elif document.value is not None:
            message = f"the document is {shown(document.value)}; allowed: {_ALLOWED}"
            yield Flaw(line=document.line, key=None, message=message)


_BLANK: Final = re.compile(rb"\s*")
_MALFORMED: Final = re.compile(r"JSON is malformed: (?P<why>.*) \(byte (?P<offset>\d+)\)")
_TRAILING: Final = "trailing characters"


def json_drafts(text: bytes, line: int) -> Iterator[Draft | Flaw]:
    """The JSON objects of *text*, which begins at *line*, one after the other. Never raises.

    After a mistake it goes on with the next line that begins with a brace, as objects do in JSON
    lines and in indented JSON.
    """
    begin = counted = 0
    while (begin := _after_blanks(text, begin)) < len(text):
        line += text.count(b"\n", counted, begin)
        counted = begin
        end, why = _json_end(text, begin)
        if not why:
            yield _json_draft(text[begin:end], line, "the document is ")
            begin = end
            continue
        yield Flaw(line=line + text.count(b"\n", begin, end), key=None, message=why)
        begin = text.find(b"\n{", max(begin, end - 1)) + 1
        if not begin:
            return


def _json_end(text: bytes, begin: int) -> tuple[int, str]:
    """Where the JSON value that starts at *begin* ends; or where it goes wrong, and why."""
    try:
        msgspec.json.decode(memoryview(text)[begin:], type=msgspec.Raw)
    except RecursionError:
        return len(text), "not readable: nested too deeply"
    except msgspec.DecodeError as error:
        malformed = _MALFORMED.fullmatch(str(error))
        if malformed is None:
            return len(text), "not JSON: it ends too early"
        at = begin + int(malformed["offset"])
        if malformed["why"] == _TRAILING:
            return at - 1, ""  # this message alone counts from 1
        return at, f"not JSON: {malformed['why']}"
    return len(text), ""


def _after_blanks(text: bytes, begin: int) -> int:
    blank = _BLANK.match(text, begin)
    return blank.end() if blank else begin


def _json_draft(text: bytes, line: int, subject: str) -> Draft | Flaw:
    """The draft of *text*, which is one JSON value; *subject* begins the sentence should it be no object."""
    try:
        return JsonDraft(text, line, _TOP.decode(text))
    except msgspec.ValidationError:
        message = f"{subject}{shown(msgspec.json.decode(text))}; allowed: {_ALLOWED}"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"not readable: {error}"
    return Flaw(line=line, key=None, message=message)
