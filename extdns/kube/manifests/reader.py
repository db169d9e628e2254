"""Reads the text of one file: YAML or JSON, one document or many, lists or single objects."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from extdns.kube.manifests.contents import Contents, Flaw, Found
from extdns.kube.manifests.drafts import Draft, json_drafts, yaml_drafts
from extdns.kube.manifests.kinds import ListOf, Unread, recognised
from extdns.model.cluster import Kind, ObjectKey, ObjectRef

_MAX_NESTED_LISTS: Final = 8
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATOR: Final = b"\n---"
_BLANK: Final = b" \t\r\n"
_ONLY_HEADER: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*\n)*")
_BEFORE_BRACE: Final = re.compile(rb"(?:---(?=\s))?\s*(?=\{)")


def read(data: bytes, place: str) -> Contents:
    """What *data* holds; *place* is the name of the file in messages. Never raises.

    Documents are told apart before they are parsed, so that a broken one costs only itself. Of an
    object described twice the first counts.
    """
    if data.startswith(_UTF_16):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            return Contents(flaws=(Flaw(line=0, key=None, message="not readable as UTF-16; allowed: UTF-8"),))
    drafts = chain.from_iterable(
        _drafts(text, line, json_only=place.lower().endswith(".json"))
        for text, line in _texts(data.removeprefix(codecs.BOM_UTF8))
    )
    found: dict[ObjectKey, Found] = {}
    flaws: list[Flaw] = []
    for result in _results(drafts, inherited=None, depth=0):
        if isinstance(result, Flaw):
            flaws.append(result)
        elif first := found.get(result.key):
            flaws.append(Flaw(line=result.line, key=result.key, message=also_in(result.key, f"{place}:{first.line}")))
        else:
            found[result.key] = result
    return Contents(found=tuple(found.values()), flaws=tuple(flaws))


def also_in(key: ObjectKey, place: str) -> str:
    """The message for an object that is described a second time, after *place*."""
    return f"{ObjectRef(key=key)} is also in {place}, which counts"


def _texts(data: bytes) -> Iterator[tuple[bytes, int]]:
    """*data* cut before each line that begins with `---`, and the line from 1 at which each piece begins.

    No document can hold such a line: YAML forbids it even in quotes and block text. A piece of
    nothing but comments and directives belongs to the next one.
    """
    begin, line, at = 0, 1, data.find(_SEPARATOR)
    while at >= 0:
        after = at + len(_SEPARATOR)
        if data[after : after + 1] in _BLANK and not _ONLY_HEADER.fullmatch(data, begin, at + 1):
            yield data[begin : at + 1], line
            line += data.count(b"\n", begin, at + 1)
            begin = at + 1
        at = data.find(_SEPARATOR, after)
    yield data[begin:], line


def _drafts(text: bytes, line: int, *, json_only: bool) -> Iterator[Draft | Flaw]:
    """The documents of one piece; YAML may begin with a brace, too, so it gets its turn if JSON fails at once."""
    if before := _BEFORE_BRACE.match(text):
        drafts = json_drafts(text[before.end() :], line + text.count(b"\n", 0, before.end()))
        first = next(drafts)
        if json_only or not isinstance(first, Flaw):
            return chain((first,), drafts)
    return yaml_drafts(text, line)


def _results(drafts: Iterable[Draft | Flaw], *, inherited: Kind | None, depth: int) -> Iterator[Found | Flaw]:
    for draft in drafts:
        if isinstance(draft, Flaw):
            yield draft
            continue
        what = recognised(draft.api_version, draft.kind)
        if what is None and draft.kind is None:
            what = inherited
        match what:
            case Kind():
                yield draft.read(what)
            case Unread(kind, message):
                yield Flaw(line=draft.line, key=draft.read(kind).key if kind else None, message=message)
            case ListOf(kind):
                yield from _items(draft, kind, depth)
            case None if draft.kind is None and (draft.has("metadata") or draft.has("items")):
                yield Flaw(line=draft.line, key=None, message="kind is missing; allowed: a kind such as Service")
            case None:
                pass


def _items(draft: Draft, kind: Kind | None, depth: int) -> Iterator[Found | Flaw]:
    items = draft.items()
    if items is None:
        yield Flaw(line=draft.line, key=None, message="items is missing or no list; allowed: a list of objects")
    elif depth == _MAX_NESTED_LISTS:
        message = f"lists are nested too deeply; allowed: {_MAX_NESTED_LISTS} levels"
        yield Flaw(line=draft.line, key=None, message=message)
    else:
        yield from _results(items, inherited=kind, depth=depth + 1)
