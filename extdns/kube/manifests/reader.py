"""Read the documents of one manifest file: YAML or JSON, one or several, lists or single objects."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Final

import msgspec

from extdns.errors import describe_type
from extdns.kube.manifests.kinds import ListKind, UnsupportedKind, identify_kind
from extdns.kube.manifests.rendering import HELM, KUSTOMIZE, find_tool, is_template
from extdns.kube.object_decoder import (
    DecodedObject,
    DocumentProblem,
    FileContents,
    ParsedDocument,
    decode_tree,
    find_key,
    keep_all_fields,
)
from extdns.model.kind import Kind, ObjectKey, ObjectRef

_MAX_NESTED_LISTS: Final = 8
_MAX_UNIDENTIFIED: Final = 1000
"""After this many problems with unidentified objects, the file is probably not a manifest."""

_NO_KIND: Final = (
    "the document has no kind, so it is no Kubernetes object, and is ignored; "
    "add apiVersion and kind, or keep the file in another folder"
)
_STATUS_KIND: Final = "Status"
"""The kind of error responses of an API server."""

_NO_DOCUMENTS: Final = (
    "there is no document, perhaps because the command before the pipe failed; "
    "allowed: at least one document; for an empty cluster, a List without items"
)
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATOR: Final = re.compile(rb"\n---(?=\s|\Z)")  # searched for ten times as fast as with ^
_CONTENT: Final = re.compile(rb"^(?!(?:---(?!\S))?[ \t]*(?:#|\r?$))", re.MULTILINE)
"""The start of a line that is neither empty, nor a comment, nor a separator."""

_DIRECTIVES: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*+(?:%[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*+)++")

_BEFORE_BRACE: Final = re.compile(rb"(?:---(?=\s))?\s*(?=\{)")


def read_manifests(
    data: bytes, file_name: str, full_kinds: Collection[Kind] = (), *, manifests_only: bool = False
) -> FileContents:
    """Return the objects and the problems of one file. Never raises.

    Documents are split before they are parsed, so that a broken one does not affect the others. If an
    object is described twice, the first description counts. Objects of *full_kinds* keep all fields; kinds without a
    struct are allowed. With *manifests_only*, every document that is no Kubernetes object, and an empty file, is a
    problem.
    """
    if data.startswith(_UTF_16):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            return FileContents(problems=(DocumentProblem(line=0, message="not readable as UTF-16; allowed: UTF-8"),))
    documents: Iterable[ParsedDocument | DocumentProblem] = chain.from_iterable(
        _parse_documents(text, line, json_only=file_name.lower().endswith(".json"))
        for text, line in split_documents(data.removeprefix(codecs.BOM_UTF8))
    )
    if manifests_only:
        documents = _reject_others(documents)
    found: dict[ObjectKey, DecodedObject] = {}
    problems: list[DocumentProblem] = []
    unidentified = 0
    for result in chain.from_iterable(_decode_document(document, full_kinds) for document in documents):
        if isinstance(result, DocumentProblem):
            unidentified += result.key is None
            if unidentified > _MAX_UNIDENTIFIED:
                message = "too many problems that name no object; the rest of the file is not read"
                problems.append(DocumentProblem(line=result.line, message=message))
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
    if problems and is_template(data):
        problems = [one if one.is_ignored else msgspec.structs.replace(one, tool=HELM) for one in problems]
    return FileContents(found=tuple(found.values()), problems=tuple(problems))


def _reject_others(documents: Iterable[ParsedDocument | DocumentProblem]) -> Iterator[ParsedDocument | DocumentProblem]:
    """Yield *documents*, with a problem in place of each that is no Kubernetes object, and one if there are none."""
    line = 0
    for document in documents:
        line = document.line
        tree = document.content if isinstance(document, ParsedDocument) else None
        if not isinstance(tree, dict):
            yield document
        elif tree.get("kind") == _STATUS_KIND or not (tree.get("kind") and tree.get("apiVersion")):
            what = "a response of kind Status" if tree.get("kind") == _STATUS_KIND else "not a Kubernetes object"
            message = f"the document is {what}; allowed: mappings with apiVersion and kind"
            yield DocumentProblem(line=line, message=message)
        else:
            yield document
    if not line:
        yield DocumentProblem(line=1, message=_NO_DOCUMENTS)


def describe_duplicate(key: ObjectKey, location: str) -> str:
    """Build the message for an object that was described before, at *location*."""
    return f"{ObjectRef(key=key)} is also in {location}, which is used"


def split_documents(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Split *data* before each line that begins with `---`. Yield each part and its first line, from 1.

    No document can contain such a line: YAML forbids it even in quotes and block scalars. Parts without
    content are skipped. Directives at the start belong to the first document.
    """
    begin, line = 0, 1
    for end in chain((match.start() + 1 for match in _SEPARATOR.finditer(data)), (len(data),)):
        part = data[begin:end]
        if begin == 0 and end < len(data) and _DIRECTIVES.fullmatch(part):
            continue
        if _CONTENT.search(part):
            yield part, line
        line += part.count(b"\n")
        begin = end


def _parse_documents(text: bytes, line: int, *, json_only: bool) -> Iterator[ParsedDocument | DocumentProblem]:
    """Parse *text* as JSON if it begins with a brace, else as YAML.

    YAML can begin with a brace, too: unless *json_only* is set, it is tried if the first JSON document is invalid.
    """
    if before := _BEFORE_BRACE.match(text):
        documents = _parse_json_documents(text[before.end() :], line + text.count(b"\n", 0, before.end()))
        first = next(documents)
        if json_only or not isinstance(first, DocumentProblem):
            return chain((first,), documents)
    from extdns.kube.manifests.yaml_parser import parse_documents  # noqa: PLC0415 - not needed for JSON

    documents = parse_documents(text, line)
    return (one for one in documents if isinstance(one, DocumentProblem) or one.content is not None)


def _decode_document(
    document: ParsedDocument | DocumentProblem,
    full_kinds: Collection[Kind],
    inherited: Kind | None = None,
    depth: int = 0,
) -> Iterator[DecodedObject | DocumentProblem]:
    if isinstance(document, DocumentProblem):
        yield document
    elif isinstance(document.content, dict):
        yield from _decode_mapping(document, document.content, full_kinds, inherited, depth)
    else:
        # not which text: whoever edits manifests can link to a file with a secret, and plans are shown to many
        what = "a text" if isinstance(document.content, str) else describe_type(document.content)
        message = f"the document is {what}; allowed: a mapping with apiVersion and kind"
        items = document.content if isinstance(document.content, list) else [None]
        is_patch = all(isinstance(one, dict) and "op" in one for one in items)
        yield DocumentProblem(line=document.line, message=message, tool=KUSTOMIZE if is_patch else "")


def _decode_mapping(
    document: ParsedDocument, tree: dict[str, object], full_kinds: Collection[Kind], inherited: Kind | None, depth: int
) -> Iterator[DecodedObject | DocumentProblem]:
    """Yield the object, or the items of the list, in *tree*; *inherited* is the kind of an item without one."""
    line = document.line
    api_version, name = tree.get("apiVersion"), tree.get("kind")
    match identify_kind(api_version, name, full_kinds) or (inherited if name is None else None):
        case Kind() as kind:
            found = decode_tree(kind, tree, line)
            yield keep_all_fields(found, tree) if kind in full_kinds and isinstance(found, DecodedObject) else found
        case UnsupportedKind(kind, message):
            yield DocumentProblem(line=line, key=find_key(kind, tree) if kind else None, message=message)
        case ListKind() if depth == _MAX_NESTED_LISTS:
            message = f"lists are nested too deeply; allowed: {_MAX_NESTED_LISTS} levels"
            yield DocumentProblem(line=line, message=message)
        case ListKind(kind):
            yield from _decode_items(document, tree.get("items"), full_kinds, kind, depth)
        case None if name is None and (tree.get("metadata") is not None or tree.get("items") is not None):
            yield DocumentProblem(line=line, message="kind is missing; allowed: a kind such as Service")
        case None if name is None and api_version is None:
            yield DocumentProblem(line=line, message=_NO_KIND, is_ignored=True)
        case None:
            if tool := find_tool(api_version, name):
                yield DocumentProblem(line=line, message="", is_ignored=True, tool=tool)


def _decode_items(
    document: ParsedDocument, items: object, full_kinds: Collection[Kind], kind: Kind | None, depth: int
) -> Iterator[DecodedObject | DocumentProblem]:
    if not isinstance(items, list):
        message = "items is missing or not a list; allowed: a list of objects"
        yield DocumentProblem(line=document.line, message=message)
        return
    for number, content in enumerate(items):
        if isinstance(content, msgspec.Raw):
            item = _parse_json(content, document.line)
        else:
            item = ParsedDocument(getattr(content, "line", document.line), content)  # a mapping in YAML has a line
        for result in _decode_document(item, full_kinds, kind, depth + 1):
            if isinstance(result, DocumentProblem):
                yield msgspec.structs.replace(result, message=f"items[{number}]: {result.message}")
            else:
                yield result


class _ListDocument(msgspec.Struct):
    items: list[msgspec.Raw] = []


_LIST_DOCUMENT: Final = msgspec.json.Decoder(_ListDocument)
_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ANY: Final = msgspec.json.Decoder()


def _parse_json(text: bytes | msgspec.Raw, line: int) -> ParsedDocument | DocumentProblem:
    """Parse *text*, one JSON value. Items of a list are left as text, so that a large list needs little memory."""
    try:
        with suppress(msgspec.ValidationError):  # it is not a mapping, or its items are not a list
            if items := _LIST_DOCUMENT.decode(text).items:
                fields = _FIELDS.decode(text).items()
                return ParsedDocument(
                    line, {name: items if name == "items" else _ANY.decode(raw) for name, raw in fields}
                )
        return ParsedDocument(line, _ANY.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return DocumentProblem(line=line, message=f"not readable: {error}")


_VISIBLE: Final = re.compile(rb"\S")
_MALFORMED: Final = re.compile(r"JSON is malformed: (?P<why>.*) \(byte (?P<offset>\d+)\)")
_TRAILING: Final = "trailing characters"


def _parse_json_documents(text: bytes, line: int) -> Iterator[ParsedDocument | DocumentProblem]:
    """Parse the JSON objects in *text*, which begins at *line*. Never raises.

    After a syntax error, parsing continues at the next line that begins with a brace, as objects do in JSON Lines
    and in indented JSON.
    """
    begin = counted = 0
    while found := _VISIBLE.search(text, begin):
        begin = found.start()
        line += text.count(b"\n", counted, begin)
        counted = begin
        end, problem = _find_json_end(text, begin)
        if not problem:
            yield _parse_json(text[begin:end], line)
            begin = end
            continue
        yield DocumentProblem(line=line + text.count(b"\n", begin, end), message=problem)
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
