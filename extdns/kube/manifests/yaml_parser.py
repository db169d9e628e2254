"""Parse YAML, and thus most JSON, into plain values. Each mapping has the line numbers of its keys.

It uses the events of the YAML parser instead of a loader. A loader expands aliases without limit, keeps
the last of duplicate keys, and resolves some plain scalars differently from the API server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import yaml

from extdns.kube.manifests.document_tree import DocumentTree
from extdns.model.kind import InvalidValue

MAX_DEPTH: Final = 64
"""Deeper than any valid object, and less than Python's recursion limit."""

MAX_VALUES: Final = 5_000_000
"""Limit for the values in one document with aliases expanded: about 100,000 Services, or 1 GB of memory."""

_LOADER: Final[type[yaml.SafeLoader | yaml.CSafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_MAPPINGS: Final = frozenset({"annotations", "labels", "selector"})


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """One document: its root value and the first line of that value, from 1."""

    value: object
    line: int


@dataclass(frozen=True, slots=True)
class BrokenDocument:
    """A document that cannot be parsed. The rest of the text cannot be parsed either."""

    line: int
    message: str


def parse_documents(text: bytes, line: int) -> Iterator[ParsedDocument | BrokenDocument]:
    """Parse the documents in *text*, which begins at *line*. Ends after a `BrokenDocument`. Never raises."""
    events = yaml.parse(text, Loader=_LOADER)
    try:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                yield _Composer(events, line).compose_document()
    except _UnusableDocumentError as stop:
        yield BrokenDocument(stop.line, stop.message)
    except yaml.MarkedYAMLError as error:
        position = error.problem_mark or error.context_mark
        at = position.line if position else 0
        yield BrokenDocument(
            line + at, f"not YAML: {_describe_yaml_error(text, at, str(error.problem or error.context))}"
        )
    except yaml.reader.ReaderError as error:
        yield BrokenDocument(line + text.count(b"\n", 0, error.position), f"not YAML: {error.reason}")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        yield BrokenDocument(line, f"not YAML: {error}")


def _describe_yaml_error(text: bytes, at: int, problem: str) -> str:
    """Return *problem*, or a clearer sentence if line *at*, from 0, is indented with a tab."""
    (affected,) = text.split(b"\n", at + 1)[at : at + 1] or (b"",)
    if b"\t" in affected[: len(affected) - len(affected.lstrip())]:
        return "the line is indented with a tab; allowed: blanks"
    return problem


class _UnusableDocumentError(Exception):
    """A YAML document is invalid or exceeds a limit."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class _Composer:
    """Builds the values of one YAML document from its parser events."""

    def __init__(self, events: Iterator[yaml.Event], first_line: int) -> None:
        self._events = events
        self._first_line = first_line
        self._anchors: dict[str, tuple[object, int]] = {}
        self._size = 0

    def compose_document(self) -> ParsedDocument:
        event = next(self._events)
        return ParsedDocument(self._compose_value(event, 0, is_text_mapping=False), self._find_line(event))

    def _compose_value(self, event: yaml.Event, depth: int, *, is_text_mapping: bool) -> object:
        """Compose the value that begins with *event*. With *is_text_mapping*, a mapping keeps empty values."""
        before = self._size
        self._count_values(1, event)
        if depth > MAX_DEPTH:
            raise _UnusableDocumentError(
                self._find_line(event), f"the document is nested too deeply; allowed: {MAX_DEPTH} levels"
            )
        value: object
        match event:
            case yaml.MappingStartEvent():
                value = self._compose_mapping(event, depth, is_text_mapping=is_text_mapping)
            case yaml.SequenceStartEvent():
                value = self._compose_sequence(depth)
            case yaml.ScalarEvent():
                value = parse_scalar(event)
            case _:
                return self._resolve_alias(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._size - before
        return value

    def _compose_mapping(self, start: yaml.MappingStartEvent, depth: int, *, is_text_mapping: bool) -> DocumentTree:
        tree = DocumentTree(self._find_line(start))
        merged: list[object] = []
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._compose_key(event, depth)
            value = self._compose_value(next(self._events), depth + 1, is_text_mapping=key in _TEXT_MAPPINGS)
            if key is None:
                key, value = "?", InvalidValue("has a key that is not a string", "strings as keys")
            if key == "<<" and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
                merged.extend(value if isinstance(value, list) else [value])
            elif key in tree:
                tree[key] = InvalidValue(f"is given again on line {self._find_line(event)}", "each key once")
            else:
                tree[key] = value
                tree.lines.append(self._find_line(event))
        _merge(tree, merged)
        if not is_text_mapping:
            _remove_nulls(tree)
        return tree

    def _compose_sequence(self, depth: int) -> list[object]:
        values: list[object] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            values.append(self._compose_value(event, depth + 1, is_text_mapping=False))
        return values

    def _compose_key(self, event: yaml.Event, depth: int) -> str | None:
        """Return a key as text, as the API server does, even if it looks like a number.

        None if it is neither a scalar nor an alias of a string.
        """
        value = self._compose_value(event, depth + 1, is_text_mapping=False)
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value)
        return value if isinstance(value, str) else None

    def _resolve_alias(self, event: yaml.Event) -> object:
        name = event.anchor if isinstance(event, yaml.AliasEvent) else None
        known = self._anchors.get(name or "")
        if known is None:
            raise _UnusableDocumentError(
                self._find_line(event), f"not YAML: the alias *{name} refers to no complete anchor before it"
            )
        value, size = known
        self._count_values(size, event)
        return value

    def _count_values(self, values: int, event: yaml.Event) -> None:
        self._size += values
        if self._size > MAX_VALUES:
            raise _UnusableDocumentError(
                self._find_line(event), f"the document is too large; allowed: {MAX_VALUES:,} values in one document"
            )

    def _find_line(self, event: yaml.Event) -> int:
        return self._first_line + (event.start_mark.line if event.start_mark else 0)


def _merge(tree: DocumentTree, merged: list[object]) -> None:
    """Add the entries of merge keys (`<<`). Existing keys win, then earlier mappings."""
    for other in merged:
        if isinstance(other, DocumentTree):
            for (key, value), line in zip(other.items(), other.lines, strict=True):
                if key not in tree:
                    tree[key] = value
                    tree.lines.append(line)


def _remove_nulls(tree: DocumentTree) -> None:
    if None in tree.values():
        remaining = [
            (key, value, line) for (key, value), line in zip(tree.items(), tree.lines, strict=True) if value is not None
        ]
        tree.clear()
        tree.update((key, value) for key, value, _ in remaining)
        tree.lines = [line for _, _, line in remaining]


_RESOLVED_TAGS: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))

_NAMED_VALUES: Final[dict[str, object]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_LONGEST_NUMBER: Final = 64
_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))")
_BASES: Final = (16, 8, 2, 10)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def parse_scalar(event: yaml.ScalarEvent) -> object:
    """Return the value of a scalar: str, int, float, bool or None. If quoted or with an unknown tag, it is a str."""
    text: str = event.value
    if event.implicit[0] or event.tag in _RESOLVED_TAGS:
        return _resolve_plain(text)
    return text


def _resolve_plain(text: str) -> object:
    if text in _NAMED_VALUES:
        return _NAMED_VALUES[text]
    if text[0] not in "+-.0123456789" or len(text) > _LONGEST_NUMBER:
        return text
    digits = text.replace("_", "")
    if integer := _INTEGER.fullmatch(digits):
        sign, *by_base = integer.groups()
        return next(int(sign + part, base) for part, base in zip(by_base, _BASES, strict=True) if part)
    return float(digits) if _FLOAT.fullmatch(digits) else text
