"""Reads the text of one file: YAML or JSON, one document or many, lists or single objects."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final

from extdns.kube.manifests.contents import Contents, Flaw, Found
from extdns.kube.manifests.drafts import Draft, json_drafts, yaml_drafts
from extdns.kube.manifests.kinds import ListOf, Unread, recognised
from extdns.kube.whole import kept_whole
from extdns.model.cluster import Kind, ObjectKey, ObjectRef

_MAX_NESTED_LISTS: Final = 8
_MAX_KEYLESS: Final = 1000
"""Flaws without a key, after which a file is no list of manifests with mistakes but something else."""

_STATUS: Final = "Status"
"""What an API server says of a failure."""

_NOTHING_CAME: Final = (
    "no document came, as when the command before the pipe fails; "
    "allowed: at least one document, which for an empty cluster is a List without items"
)
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATOR: Final = b"\n---"
_BLANK: Final = b" \t\r\n"
_CONTENT: Final = re.compile(rb"^(?!(?:---(?!\S))?[ \t]*(?:#|\r?$))", re.MULTILINE)
"""Where a line begins that is more than a comment or a separator."""

_DIRECTIVES: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*+(?:%[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*+)++---")

_BEFORE_BRACE: Final = re.compile(rb"(?:---(?=\s))?\s*(?=\{)")


def read(data: bytes, place: str, whole: Collection[Kind] = (), *, manifests_alone: bool = False) -> Contents:
    """What *data* holds; *place* is the name of the file in messages. Never raises.

    Objects of the kinds *whole*, of which we need have no struct, are kept whole. Among files there are others than
    manifests; where *manifests_alone* are to come, whatever is none is a flaw, and so is nothing at all.

    Documents are told apart before they are parsed, so that a broken one costs only itself. Of an
    object described twice the first counts.
    """
    if data.startswith(_UTF_16):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            return Contents(flaws=(Flaw(line=0, key=None, message="not readable as UTF-16; allowed: UTF-8"),))
    drafts: Iterable[Draft | Flaw] = chain.from_iterable(
        _drafts(text, line, json_only=place.lower().endswith(".json"))
        for text, line in _texts(data.removeprefix(codecs.BOM_UTF8))
    )
    if manifests_alone:
        drafts = _manifests(drafts)
    found: dict[ObjectKey, Found] = {}
    flaws: list[Flaw] = []
    keyless = 0
    for result in _results(drafts, whole, inherited=None, depth=0):
        if isinstance(result, Flaw):
            keyless += result.key is None
            if keyless > _MAX_KEYLESS:
                flaws.append(Flaw(line=result.line, key=None, message="too many mistakes; the rest is not read"))
                break
            flaws.append(result)
        elif first := found.get(result.key):
            flaws.append(Flaw(line=result.line, key=result.key, message=also_in(result.key, f"{place}:{first.line}")))
        else:
            found[result.key] = result
    return Contents(found=tuple(found.values()), flaws=tuple(flaws))


def _manifests(drafts: Iterable[Draft | Flaw]) -> Iterator[Draft | Flaw]:
    """*drafts*, of which those that are no objects of an API server are flaws."""
    line = 0
    for draft in drafts:
        line = draft.line
        if isinstance(draft, Flaw) or (draft.kind and draft.api_version and draft.kind != _STATUS):
            yield draft
        else:
            what = "an answer of kind Status" if draft.kind == _STATUS else "no Kubernetes object"
            yield Flaw(line=line, key=None, message=f"what came is {what}; allowed: mappings with apiVersion and kind")
    if not line:
        yield Flaw(line=1, key=None, message=_NOTHING_CAME)


def also_in(key: ObjectKey, place: str) -> str:
    """The message for an object that is described a second time, after *place*."""
    return f"{ObjectRef(key=key)} is also in {place}, which counts"


def _texts(data: bytes) -> Iterator[tuple[bytes, int]]:
    """*data* cut before each line that begins with `---`, and the line from 1 at which each piece begins.

    No document can hold such a line: YAML forbids it even in quotes and block text. Pieces without
    content are left out. The first such line belongs to the directives before it, if there are any.
    """
    begin, line = 0, 1
    directives = _DIRECTIVES.match(data)
    at = data.find(_SEPARATOR, directives.end() if directives else 0)
    while at >= 0:
        end, after = at + 1, at + len(_SEPARATOR)
        if data[after : after + 1] in _BLANK:
            if _CONTENT.search(data, begin, end):
                yield data[begin:end], line
            line += data.count(b"\n", begin, end)
            begin = end
        at = data.find(_SEPARATOR, after)
    if _CONTENT.search(data, begin):
        yield data[begin:], line


def _drafts(text: bytes, line: int, *, json_only: bool) -> Iterator[Draft | Flaw]:
    """The documents of one piece; YAML may begin with a brace, too, so it gets its turn if JSON fails at once."""
    if before := _BEFORE_BRACE.match(text):
        drafts = json_drafts(text[before.end() :], line + text.count(b"\n", 0, before.end()))
        first = next(drafts)
        if json_only or not isinstance(first, Flaw):
            return chain((first,), drafts)
    return yaml_drafts(text, line)


def _results(
    drafts: Iterable[Draft | Flaw], whole: Collection[Kind], *, inherited: Kind | None, depth: int
) -> Iterator[Found | Flaw]:
    for draft in drafts:
        if isinstance(draft, Flaw):
            yield draft
            continue
        what = recognised(draft.api_version, draft.kind, whole)
        if what is None and draft.kind is None:
            what = inherited
        match what:
            case Kind():
                found = draft.read(what)
                yield kept_whole(found, draft.content) if what in whole and isinstance(found, Found) else found
            case Unread(kind, message):
                yield Flaw(line=draft.line, key=draft.read(kind).key if kind else None, message=message)
            case ListOf(kind):
                yield from _items(draft, whole, kind, depth)
            case None if draft.kind is None and (draft.has("metadata") or draft.has("items")):
                yield Flaw(line=draft.line, key=None, message="kind is missing; allowed: a kind such as Service")
            case None:
                pass


def _items(draft: Draft, whole: Collection[Kind], kind: Kind | None, depth: int) -> Iterator[Found | Flaw]:
    items = draft.items()
    if items is None:
        yield Flaw(line=draft.line, key=None, message="items is missing or no list; allowed: a list of objects")
    elif depth == _MAX_NESTED_LISTS:
        message = f"lists are nested too deeply; allowed: {_MAX_NESTED_LISTS} levels"
        yield Flaw(line=draft.line, key=None, message=message)
    else:
        yield from _results(items, whole, inherited=kind, depth=depth + 1)
