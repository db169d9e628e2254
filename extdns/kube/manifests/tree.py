"""YAML, and with it most JSON, as plain values whose mappings know their lines.

Built from parser events rather than with a loader, because a loader expands aliases without limit,
keeps the last of duplicate keys, and reads some plain text otherwise than the API server does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import yaml

from extdns.kube.manifests.plain import Tree, Unusable
from extdns.kube.manifests.scalar import scalar

MAX_DEPTH: Final = 64
"""Far deeper than any object, far from the interpreter's own limit."""

MAX_VALUES: Final = 5_000_000
"""Values in one document with every alias expanded: about 100,000 Services, or 1 GB of memory."""

_LOADER: Final[type[yaml.SafeLoader | yaml.CSafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXTS: Final = frozenset({"annotations", "labels", "selector"})


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its root value and the line, from 1, at which that begins."""

    value: object
    line: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A document that cannot be read, and with it what follows in the same text."""

    line: int
    message: str


def documents(text: bytes, line: int) -> Iterator[Document | Broken]:
    """The documents of *text*, which begins at *line* of its file; ends after the first `Broken`. Never raises."""
    events = yaml.parse(text, Loader=_LOADER)
    try:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                yield _Composer(events, line).document()
    except _Stop as stop:
        yield Broken(stop.line, stop.message)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        yield Broken(line + (mark.line if mark else 0), f"not YAML: {error.problem or error.context}")
    except yaml.reader.ReaderError as error:
        yield Broken(line + text.count(b"\n", 0, error.position), f"not YAML: {error.reason}")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        yield Broken(line, f"not YAML: {error}")


class _Stop(Exception):
    """The document is given up."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class _Composer:
    """Builds the values of one document."""

    def __init__(self, events: Iterator[yaml.Event], first_line: int) -> None:
        self._events = events
        self._first_line = first_line
        self._anchors: dict[str, tuple[object, int]] = {}
        self._size = 0

    def document(self) -> Document:
        event = next(self._events)
        return Document(self._value(event, 0, texts=False), self._line(event))

    def _value(self, event: yaml.Event, depth: int, *, texts: bool) -> object:
        """The value that begins with *event*; in a mapping of *texts* an empty value stays."""
        before = self._size
        self._grow(1, event)
        if depth > MAX_DEPTH:
            raise _Stop(self._line(event), f"nested too deeply; allowed: {MAX_DEPTH} levels")
        value: object
        match event:
            case yaml.MappingStartEvent():
                value = self._mapping(event, depth, texts=texts)
            case yaml.SequenceStartEvent():
                value = self._sequence(depth)
            case yaml.ScalarEvent():
                value = scalar(event)
            case _:
                return self._alias(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._size - before
        return value

    def _mapping(self, start: yaml.MappingStartEvent, depth: int, *, texts: bool) -> Tree:
        tree = Tree(self._line(start))
        merged: list[object] = []
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, depth)
            value = self._value(next(self._events), depth + 1, texts=key in _TEXTS)
            if key is None:
                key, value = "?", Unusable("has a key that is no text", "text as a key")
            if key == "<<" and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
                merged.extend(value if isinstance(value, list) else [value])
            elif key in tree:
                tree[key] = Unusable(f"is given again on line {self._line(event)}", "each key once")
            else:
                tree[key] = value
                tree.lines.append(self._line(event))
        _merge(tree, merged)
        if not texts:
            _leave_out_nulls(tree)
        return tree

    def _sequence(self, depth: int) -> list[object]:
        values: list[object] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            values.append(self._value(event, depth + 1, texts=False))
        return values

    def _key(self, event: yaml.Event, depth: int) -> str | None:
        """The key as written, as the API server turns numbers into text here, too; None if it is no scalar."""
        value = self._value(event, depth + 1, texts=False)
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value)
        return value if isinstance(value, str) else None

    def _alias(self, event: yaml.Event) -> object:
        name = event.anchor if isinstance(event, yaml.AliasEvent) else None
        known = self._anchors.get(name or "")
        if known is None:
            raise _Stop(self._line(event), f"not YAML: *{name} stands for nothing that is complete before it")
        value, size = known
        self._grow(size, event)
        return value

    def _grow(self, values: int, event: yaml.Event) -> None:
        self._size += values
        if self._size > MAX_VALUES:
            raise _Stop(self._line(event), f"too large; allowed: {MAX_VALUES:,} values in one document")

    def _line(self, event: yaml.Event) -> int:
        return self._first_line + (event.start_mark.line if event.start_mark else 0)


def _merge(tree: Tree, merged: list[object]) -> None:
    """Add what `<<` brings in: own keys win, then earlier mappings."""
    for other in merged:
        if isinstance(other, Tree):
            for (key, value), line in zip(other.items(), other.lines, strict=True):
                if key not in tree:
                    tree[key] = value
                    tree.lines.append(line)


def _leave_out_nulls(tree: Tree) -> None:
    if None in tree.values():
        kept = [
            (key, value, line) for (key, value), line in zip(tree.items(), tree.lines, strict=True) if value is not None
        ]
        tree.clear()
        tree.update((key, value) for key, value, _ in kept)
        tree.lines = [line for _, _, line in kept]
