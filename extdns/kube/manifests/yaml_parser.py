"""Parse YAML into plain values as the API server reads them.

It uses the events of the YAML parser instead of a loader. A loader holds every node of a file in memory, which takes
four times as long, and libyaml's ends the process if a document is nested too deeply. It also expands aliases without
limit, keeps the last of duplicate keys, and resolves some plain scalars differently from the API server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, cast

import yaml

from extdns.kube.object_decoder import DocumentProblem, ParsedDocument
from extdns.model.kind import InvalidValue

MAX_DEPTH: Final = 64
"""Deeper than any valid object, and less than Python's recursion limit."""

MAX_VALUES: Final = 5_000_000
"""Limit for the values in one document with aliases expanded: about 100,000 Services, or 1 GB of memory."""

_LOADER: Final[type[yaml.SafeLoader | yaml.CSafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlMapping(dict[str, object]):
    """A mapping, and the line at which it begins, from 1."""

    __slots__ = ("line",)
    line: int


def parse_documents(text: bytes, line: int) -> Iterator[ParsedDocument | DocumentProblem]:
    """Parse the documents in *text*, which begins at *line*. Never raises.

    After a problem the rest of the text cannot be parsed. A duplicate key, or one that is not a string, has an
    `InvalidValue`.
    """
    events = yaml.parse(text, Loader=_LOADER)
    try:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                yield _Composer(events, line).compose_document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = mark.line if mark else 0
        what = "" if isinstance(error, _LimitError) else "not YAML: "
        problem = _describe_yaml_error(text, at, str(error.problem or error.context))
        yield DocumentProblem(line=line + at, message=what + problem)
    except yaml.reader.ReaderError as error:
        at = text.count(b"\n", 0, error.position)
        yield DocumentProblem(line=line + at, message=f"not YAML: {error.reason}")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        yield DocumentProblem(line=line, message=f"not YAML: {error}")


def _describe_yaml_error(text: bytes, at: int, problem: str) -> str:
    """Return *problem*, or a clearer sentence if line *at*, from 0, is indented with a tab."""
    (affected,) = text.split(b"\n", at + 1)[at : at + 1] or (b"",)
    if b"\t" in affected[: len(affected) - len(affected.lstrip())]:
        return "the line is indented with a tab; allowed: blanks"
    return problem


class _LimitError(yaml.MarkedYAMLError):
    """A document exceeds a limit of ours."""


def _get_mark(event: yaml.Event) -> yaml.error.Mark | None:
    return cast("yaml.error.Mark | None", event.start_mark)  # libyaml's own class has the same attributes


class _Composer:
    def __init__(self, events: Iterator[yaml.Event], first_line: int) -> None:
        self._events = events
        self._first_line = first_line
        self._anchors: dict[str, tuple[object, int]] = {}
        self._size = 0

    def compose_document(self) -> ParsedDocument:
        event = next(self._events)
        return ParsedDocument(self._find_line(event), self._compose(event, 0))

    def _compose(self, event: yaml.Event, depth: int) -> object:
        before = self._size
        self._count_values(1, event)
        if depth > MAX_DEPTH:
            message = f"the document is nested too deeply; allowed: {MAX_DEPTH} levels"
            raise _LimitError(problem=message, problem_mark=_get_mark(event))
        value: object
        match event:
            case yaml.MappingStartEvent():
                value = self._compose_mapping(event, depth + 1)
            case yaml.SequenceStartEvent():
                value = list(self._compose_items(depth + 1))
            case yaml.ScalarEvent():
                value = parse_scalar(event)
            case _:
                return self._resolve_alias(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._size - before
        return value

    def _compose_items(self, depth: int) -> Iterator[object]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._compose(event, depth)

    def _compose_mapping(self, start: yaml.Event, depth: int) -> YamlMapping:
        """Compose a mapping. Its keys are text, as for the API server, even if they look like numbers."""
        mapping = YamlMapping()
        mapping.line = self._find_line(start)
        merged: list[object] = []
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._compose(event, depth)
            value = self._compose(next(self._events), depth)
            if isinstance(event, yaml.ScalarEvent):
                key = str(event.value)
                if key == "<<" and event.implicit[0]:
                    merged += value if isinstance(value, list) else [value]
                    continue
            if not isinstance(key, str):
                key, value = "?", InvalidValue("has a key that is not a string", "strings as keys")
            if key in mapping:
                value = InvalidValue(f"is given again on line {self._find_line(event)}", "each key once")
            mapping[key] = value
        for other in merged:  # existing keys win, then earlier mappings
            if isinstance(other, YamlMapping):
                for key, value in other.items():
                    mapping.setdefault(key, value)
        return mapping

    def _resolve_alias(self, event: yaml.Event) -> object:
        name = event.anchor if isinstance(event, yaml.AliasEvent) else None
        known = self._anchors.get(name or "")
        if known is None:
            message = f"the alias *{name} refers to no complete anchor before it"
            raise yaml.MarkedYAMLError(problem=message, problem_mark=_get_mark(event))
        value, size = known
        self._count_values(size, event)
        return value

    def _count_values(self, values: int, event: yaml.Event) -> None:
        self._size += values
        if self._size > MAX_VALUES:
            message = f"the document is too large; allowed: {MAX_VALUES:,} values in one document"
            raise _LimitError(problem=message, problem_mark=_get_mark(event))

    def _find_line(self, event: yaml.Event) -> int:
        return self._first_line + (event.start_mark.line if event.start_mark else 0)


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
    if not (event.implicit[0] or event.tag in _RESOLVED_TAGS):
        return text
    if text in _NAMED_VALUES:
        return _NAMED_VALUES[text]
    if text[0] not in "+-.0123456789" or len(text) > _LONGEST_NUMBER:
        return text
    digits = text.replace("_", "")
    if integer := _INTEGER.fullmatch(digits):
        sign, *by_base = integer.groups()
        return next(int(sign + part, base) for part, base in zip(by_base, _BASES, strict=True) if part)
    return float(digits) if _FLOAT.fullmatch(digits) else text
