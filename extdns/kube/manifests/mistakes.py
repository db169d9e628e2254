"""Says what is wrong with an object, for people: the field, its value, and what is allowed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import msgspec

from extdns.errors import shortened
from extdns.kube.manifests.plain import Tree, Unusable

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


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong and in which line of its file."""

    line: int
    message: str


def mistake_in(tree: Tree, error: msgspec.ValidationError) -> Mistake:
    """Where and why *tree* could not be converted.

    The decoder tells the path but not the key of a map's entry, nor the value; both are looked up.
    """
    found = _ERROR.fullmatch(str(error))
    what, path = (found["what"], found["path"] or "") if found else (str(error), "")
    spot = _Spot(tree)
    for name, index in _STEP.findall(path):
        spot.step(name, index)
    if missing := _MISSING.match(what):
        spot.step(missing[1], "")
        return Mistake(spot.line, f"{spot.path} is missing; allowed: the object's {missing[1]}")
    if isinstance(spot.value, Unusable):
        return Mistake(spot.line, f"{spot.path} {spot.value.why}; allowed: {spot.value.allowed}")
    expected = _EXPECTED.match(what)
    allowed = _ALLOWED.get(expected[1], expected[1]) if expected else "a whole number"
    if allowed == _ALLOWED["str"] and isinstance(spot.value, bool | int | float):
        allowed += ", so quote it"
    return Mistake(spot.line, f"{spot.path} is {shown(spot.value)}; allowed: {allowed}")


class _Spot:
    """A place in a tree, reached step by step."""

    def __init__(self, tree: Tree) -> None:
        self.value: object = tree
        self.line = tree.line
        self.path = ""

    def step(self, name: str, index: str) -> None:
        """Go to the field *name*, to the item *index*, or, both empty, to the first entry that is no text."""
        if index:
            self.path += f"[{index}]"
            self.value = self.value[int(index)] if isinstance(self.value, list) else None
            self.line = self.value.line if isinstance(self.value, Tree) else self.line
            return
        tree = self.value if isinstance(self.value, Tree) else Tree(self.line)
        if name:
            self.path += f".{name}" if self.path else name
        else:
            name = next((key for key, value in tree.items() if not isinstance(value, str)), "")
            self.path += f'["{shortened(name)}"]'
        self.value = tree.get(name)
        self.line = tree.line_of(name) if name in tree else self.line


def shown(value: object) -> str:
    """*value* as a noun phrase."""
    match value:
        case None:
            return "empty"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f'the string "{shortened(value)}"'
        case list():
            return "a list"
        case _:
            return "a mapping"
