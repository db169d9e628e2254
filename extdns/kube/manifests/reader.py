"""Read the documents of one manifest file: YAML or JSON, one or several, lists or single objects."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final

import msgspec

from extdns.kube.manifests.document_tree import DocumentTree, describe_value
from extdns.kube.manifests.kinds import ListKind, UnsupportedKind, identify_kind
from extdns.kube.object_decoder import (
    DecodedObject,
    DocumentProblem,
    FileContents,
    decode_json,
    decode_tree,
    keep_all_fields,
)
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.value import Value

_MAX_NESTED_LISTS: Final = 8
_MAX_UNIDENTIFIED: Final = 1000
"""After this many problems with unidentified objects, the file is probably not a manifest."""

_NO_KIND: Final = "the document has no kind, so it is no Kubernetes object, and is ignored"
_STATUS_KIND: Final = "Status"
"""The kind of error responses of an API server."""

_NO_DOCUMENTS: Final = (
    "there is no document, perhaps because the command before the pipe failed; "
    "allowed: at least one document; for an empty cluster, a List without items"
)
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATOR: Final = b"\n---"
_BLANK: Final = b" \t\r\n"
_CONTENT: Final = re.compile(rb"^(?!(?:---(?!\S))?[ \t]*(?:#|\r?$))", re.MULTILINE)
"""The start of a line that is neither empty, nor a comment, nor a separator."""

_DIRECTIVES: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*+(?:%[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*+)++---")

_BEFORE_BRACE: Final = re.compile(rb"(?:---(?=\s))?\s*(?=\{)")


def read_manifests(
    data: bytes, file_name: str, full_kinds: Collection[Kind] = (), *, manifests_only: bool = False
) -> FileContents:
    """Return the objects and the problems of one file. Never raises.

    Documents are split before they are parsed, so that a broken one does not affect the others. If an
    object is described twice, the first description counts.

    Args:
        data: the content of the file.
        file_name: names the file in messages.
        full_kinds: kinds whose objects keep all fields; kinds without a struct are allowed.
        manifests_only: report every document that is not a Kubernetes object, and an empty file, as a problem.
    """
    if data.startswith(_UTF_16):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            return FileContents(
                problems=(DocumentProblem(line=0, key=None, message="not readable as UTF-16; allowed: UTF-8"),)
            )
    documents: Iterable[RawDocument | DocumentProblem] = chain.from_iterable(
        _parse_documents(text, line, json_only=file_name.lower().endswith(".json"))
        for text, line in split_documents(data.removeprefix(codecs.BOM_UTF8))
    )
    if manifests_only:
        documents = _reject_others(documents)
    found: dict[ObjectKey, DecodedObject] = {}
    problems: list[DocumentProblem] = []
    unidentified = 0
    for result in _decode_documents(documents, full_kinds, inherited=None, depth=0):
        if isinstance(result, DocumentProblem):
            unidentified += result.key is None
            if unidentified > _MAX_UNIDENTIFIED:
                message = "too many problems that name no object; the rest of the file is not read"
                problems.append(DocumentProblem(line=result.line, key=None, message=message))
                break
            problems.append(result)
        elif first := found.get(result.key):
            problems.append(
                DocumentProblem(
                    line=result.line,
                    key=result.key,
                    message=describe_duplicate(result.key, f"{file_name}:{first.line}"),
                )
            )
        else:
            found[result.key] = result
    return FileContents(found=tuple(found.values()), problems=tuple(problems))


def _reject_others(documents: Iterable[RawDocument | DocumentProblem]) -> Iterator[RawDocument | DocumentProblem]:
    """Yield *documents*, with a problem in place of each that is no Kubernetes object, and one if there are none."""
    line = 0
    for document in documents:
        line = document.line
        if isinstance(document, DocumentProblem) or (
            document.kind and document.api_version and document.kind != _STATUS_KIND
        ):
            yield document
        else:
            what = "a response of kind Status" if document.kind == _STATUS_KIND else "not a Kubernetes object"
            yield DocumentProblem(
                line=line, key=None, message=f"the document is {what}; allowed: mappings with apiVersion and kind"
            )
    if not line:
        yield DocumentProblem(line=1, key=None, message=_NO_DOCUMENTS)


def describe_duplicate(key: ObjectKey, location: str) -> str:
    """Build the message for an object that was described before, at *location*."""
    return f"{ObjectRef(key=key)} is also in {location}, which is used"


def split_documents(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Split *data* before each line that begins with `---`. Yield each part and its first line, from 1.

    No document can contain such a line: YAML forbids it even in quotes and block scalars. Parts without
    content are skipped. Directives at the start belong to the first document.
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


def _parse_documents(text: bytes, line: int, *, json_only: bool) -> Iterator[RawDocument | DocumentProblem]:
    """Parse *text* as JSON if it begins with a brace, else as YAML.

    YAML can begin with a brace, too: unless *json_only* is set, it is tried if the first JSON document is invalid.
    """
    if before := _BEFORE_BRACE.match(text):
        documents = parse_json_documents(text[before.end() :], line + text.count(b"\n", 0, before.end()))
        first = next(documents)
        if json_only or not isinstance(first, DocumentProblem):
            return chain((first,), documents)
    return parse_yaml_documents(text, line)


def _decode_documents(
    documents: Iterable[RawDocument | DocumentProblem],
    full_kinds: Collection[Kind],
    *,
    inherited: Kind | None,
    depth: int,
) -> Iterator[DecodedObject | DocumentProblem]:
    for document in documents:
        if isinstance(document, DocumentProblem):
            yield document
            continue
        kind = identify_kind(document.api_version, document.kind, full_kinds)
        if kind is None and document.kind is None:
            kind = inherited
        match kind:
            case Kind():
                found = document.decode(kind)
                yield (
                    keep_all_fields(found, document.content)
                    if kind in full_kinds and isinstance(found, DecodedObject)
                    else found
                )
            case UnsupportedKind(kind, message):
                yield DocumentProblem(
                    line=document.line, key=document.decode(kind).key if kind else None, message=message
                )
            case ListKind(kind):
                yield from _decode_items(document, full_kinds, kind, depth)
            case None if document.kind is None and (document.has_field("metadata") or document.has_field("items")):
                yield DocumentProblem(
                    line=document.line, key=None, message="kind is missing; allowed: a kind such as Service"
                )
            case None if document.kind is None and document.api_version is None:
                yield DocumentProblem(line=document.line, key=None, message=_NO_KIND, is_ignored=True)
            case None:
                pass


def _decode_items(
    document: RawDocument, full_kinds: Collection[Kind], kind: Kind | None, depth: int
) -> Iterator[DecodedObject | DocumentProblem]:
    items = document.items()
    if items is None:
        yield DocumentProblem(
            line=document.line, key=None, message="items is missing or no list; allowed: a list of objects"
        )
    elif depth == _MAX_NESTED_LISTS:
        message = f"lists are nested too deeply; allowed: {_MAX_NESTED_LISTS} levels"
        yield DocumentProblem(line=document.line, key=None, message=message)
    else:
        yield from _decode_documents(items, full_kinds, inherited=kind, depth=depth + 1)


_ALLOWED: Final = "a mapping with apiVersion and kind"


class _Top(msgspec.Struct, frozen=True, rename="camel"):
    """The top-level fields that identify a document. Other fields are skipped."""

    api_version: object = None
    kind: object = None
    metadata: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    items: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_TOP: Final = msgspec.json.Decoder(_Top)
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])


class JsonDocument(Value, frozen=True):
    """One JSON object as text. *line* is its first line, from 1."""

    text: bytes
    line: int
    top: _Top

    @property
    def api_version(self) -> object:
        """The value of `apiVersion`; None if there is no such field."""
        return self.top.api_version

    @property
    def kind(self) -> object:
        """The value of `kind`; None if there is no such field."""
        return self.top.kind

    @property
    def content(self) -> bytes:
        """The text of the whole document."""
        return self.text

    def has_field(self, field: str) -> bool:
        """Return whether the document has *field*, either `metadata` or `items`, with any value."""
        return getattr(self.top, field) is not msgspec.UNSET

    def items(self) -> Iterator[RawDocument | DocumentProblem] | None:
        """Return the items of a list; None if `items` is missing or not a list."""
        if isinstance(self.top.items, msgspec.UnsetType):
            return None
        try:
            items = _ITEMS.decode(self.top.items)
        except msgspec.ValidationError:
            return None
        return self._decode_items(items)

    def decode(self, kind: Kind) -> DecodedObject | DocumentProblem:
        """Decode the document as an object of *kind*; return the problem if it is not a valid one."""
        return decode_json(kind, self.text, self.line)

    def _decode_items(self, items: list[msgspec.Raw]) -> Iterator[RawDocument | DocumentProblem]:
        """Yield the items. Their lines are counted, since the JSON decoder does not report positions."""
        end, line = 0, self.line
        for number, item in enumerate(items):
            text = bytes(item)
            begin = max(self.text.find(text, end), end)
            line += self.text.count(b"\n", end, begin)
            yield _parse_json_document(text, line, f"items[{number}] is ")
            line += text.count(b"\n")
            end = begin + len(text)


class YamlDocument(Value, frozen=True):
    """One YAML document whose value is a mapping."""

    tree: DocumentTree

    @property
    def line(self) -> int:
        """The first line, from 1."""
        return self.tree.line

    @property
    def api_version(self) -> object:
        """The value of `apiVersion`; None if there is no such field."""
        return self.tree.get("apiVersion")

    @property
    def kind(self) -> object:
        """The value of `kind`; None if there is no such field."""
        return self.tree.get("kind")

    @property
    def content(self) -> DocumentTree:
        """The mapping with all fields of the document."""
        return self.tree

    def has_field(self, field: str) -> bool:
        """Return whether the document has *field*, either `metadata` or `items`, with any value."""
        return field in self.tree

    def items(self) -> Iterator[RawDocument | DocumentProblem] | None:
        """Return the items of a list; None if `items` is missing or not a list."""
        items = self.tree.get("items")
        return self._decode_items(items) if isinstance(items, list) else None

    def decode(self, kind: Kind) -> DecodedObject | DocumentProblem:
        """Decode the document as an object of *kind*; return the problem if that fails."""
        return decode_tree(kind, self.tree)

    def _decode_items(self, items: list[object]) -> Iterator[RawDocument | DocumentProblem]:
        line = self.tree.line_of("items")
        for number, item in enumerate(items):
            if isinstance(item, DocumentTree):
                yield YamlDocument(item)
            else:
                yield DocumentProblem(
                    line=line, key=None, message=f"items[{number}] is {describe_value(item)}; allowed: {_ALLOWED}"
                )


RawDocument = JsonDocument | YamlDocument


def parse_yaml_documents(text: bytes, line: int) -> Iterator[RawDocument | DocumentProblem]:
    """Parse the YAML documents in *text*, which begins at *line*. Stops at a syntax error. Never raises."""
    from extdns.kube.manifests.yaml_parser import BrokenDocument, parse_documents  # noqa: PLC0415 - not needed for JSON

    for document in parse_documents(text, line):
        if isinstance(document, BrokenDocument):
            yield DocumentProblem(line=document.line, key=None, message=document.message)
        elif isinstance(document.value, DocumentTree):
            yield YamlDocument(document.value)
        elif document.value is not None:
            message = f"the document is {describe_value(document.value)}; allowed: {_ALLOWED}"
            yield DocumentProblem(line=document.line, key=None, message=message)


_WHITESPACE: Final = re.compile(rb"\s*")
_MALFORMED: Final = re.compile(r"JSON is malformed: (?P<why>.*) \(byte (?P<offset>\d+)\)")
_TRAILING: Final = "trailing characters"


def parse_json_documents(text: bytes, line: int) -> Iterator[RawDocument | DocumentProblem]:
    """Parse the JSON objects in *text*, which begins at *line*. Never raises.

    After a syntax error, parsing continues at the next line that begins with a brace, as objects do in JSON Lines
    and in indented JSON.
    """
    begin = counted = 0
    while (begin := _skip_whitespace(text, begin)) < len(text):
        line += text.count(b"\n", counted, begin)
        counted = begin
        end, problem = _find_json_end(text, begin)
        if not problem:
            yield _parse_json_document(text[begin:end], line, "the document is ")
            begin = end
            continue
        yield DocumentProblem(line=line + text.count(b"\n", begin, end), key=None, message=problem)
        begin = text.find(b"\n{", max(begin, end - 1)) + 1
        if not begin:
            return


def _find_json_end(text: bytes, begin: int) -> tuple[int, str]:
    """Return the end of the JSON value at *begin* and "", or the position of a syntax error and the message."""
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
            return at - 1, ""  # unlike others, this message counts from 1
        return at, f"not JSON: {malformed['why']}"
    return len(text), ""


def _skip_whitespace(text: bytes, begin: int) -> int:
    blank = _WHITESPACE.match(text, begin)
    return blank.end() if blank else begin


def _parse_json_document(text: bytes, line: int, prefix: str) -> RawDocument | DocumentProblem:
    """Parse *text*, one JSON value, into a document. If it is no JSON object, the message begins with *prefix*."""
    try:
        return JsonDocument(text, line, _TOP.decode(text))
    except msgspec.ValidationError:
        message = f"{prefix}{describe_value(msgspec.json.decode(text))}; allowed: {_ALLOWED}"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"not readable: {error}"
    return DocumentProblem(line=line, key=None, message=message)
