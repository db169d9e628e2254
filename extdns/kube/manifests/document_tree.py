"""Represent parsed YAML with line numbers, and locate validation errors in it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from extdns.errors import shorten
from extdns.model.kind import InvalidValue
from extdns.model.value import Value


class DocumentTree(dict[str, object]):
    """A YAML mapping with the line numbers of its keys.

    Entries without a value are removed, as the API server does, except in mappings of strings.

    Attributes:
        line: line at which the mapping begins, from 1.
        lines: line of each key, in the order of the keys.
    """

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        """Create an empty mapping that begins at *line*."""
        super().__init__()
        self.line = line
        self.lines: list[int] = []

    def line_of(self, key: str) -> int:
        """Return the line of *key*, which must be present."""
        return self.lines[list(self).index(key)]


_ERROR: Final = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_EXPECTED: Final = re.compile(r"Expected `(\w+)")
_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_ALLOWED: Final = {
    "str": "a string",
    "int": "a whole number",
    "bool": "true or false",
    "object": "a mapping",
    "array": "a list",
}


class ValidationProblem(Value, frozen=True):
    """A problem and its line in the file."""

    line: int
    message: str


def locate_problem(tree: DocumentTree, error: msgspec.ValidationError) -> ValidationProblem:
    """Locate the *error* that the conversion of *tree* raised.

    The decoder's message contains the path, but neither the keys of maps nor the value; they are looked up.
    """
    found = _ERROR.fullmatch(str(error))
    what, path = (found["what"], found["path"] or "") if found else (str(error), "")
    cursor = _Cursor(tree)
    for name, index in _STEP.findall(path):
        cursor.step(name, index)
    if missing := _MISSING.match(what):
        cursor.step(missing[1], "")
        return ValidationProblem(cursor.line, f"{cursor.path} is missing; allowed: the object's {missing[1]}")
    if isinstance(cursor.value, InvalidValue):
        return ValidationProblem(cursor.line, f"{cursor.path} {cursor.value.problem}; allowed: {cursor.value.allowed}")
    expected = _EXPECTED.match(what)
    allowed = _ALLOWED.get(expected[1], expected[1]) if expected else "a whole number"
    if allowed == _ALLOWED["str"] and isinstance(cursor.value, bool | int | float):
        allowed += ", so quote it"
    return ValidationProblem(cursor.line, f"{cursor.path} is {describe_value(cursor.value)}; allowed: {allowed}")


class _Cursor:
    """Walks down a tree, one field or item at a time."""

    def __init__(self, tree: DocumentTree) -> None:
        self.value: object = tree
        self.line = tree.line
        self.path = ""

    def step(self, name: str, index: str) -> None:
        """Go to the field *name* or the item *index*. If both are empty, go to the first value that is not a string."""
        if index:
            self.path += f"[{index}]"
            self.value = self.value[int(index)] if isinstance(self.value, list) else None
            self.line = self.value.line if isinstance(self.value, DocumentTree) else self.line
            return
        tree = self.value if isinstance(self.value, DocumentTree) else DocumentTree(self.line)
        if name:
            self.path += f".{name}" if self.path else name
        else:
            name = next((key for key, value in tree.items() if not isinstance(value, str)), "")
            self.path += f'["{shorten(name)}"]'
        self.value = tree.get(name)
        self.line = tree.line_of(name) if name in tree else self.line


def describe_value(value: object) -> str:
    """Describe *value* for messages, such as `the number 3`."""
    match value:
        case None:
            return "empty"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f'the string "{shorten(value)}"'
        case list():
            return "a list"
        case _:
            return "a mapping"
