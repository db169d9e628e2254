"""Parse and evaluate label and field selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.fakes.apiserver.statuses import ApiError

Labels = Mapping[str, str]
Requirement = Callable[[Labels], bool]

_KEY: Final = r"(?P<key>[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?)"
_VALUE: Final = r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_SET: Final = re.compile(rf"{_KEY}\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUAL: Final = re.compile(rf"{_KEY}\s*(?P<op>==|=|!=)\s*(?P<value>{_VALUE})")
_EXISTS: Final = re.compile(rf"(?P<not>!\s*)?{_KEY}")
_COMMA: Final = re.compile(r",(?![^()]*\))")


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Requirements on labels, all of which must be met. Without requirements, it selects all objects."""

    requirements: tuple[Requirement, ...] = ()

    @classmethod
    def parse(cls, text: str) -> LabelSelector:
        """Parse a selector such as `app=a,tier in (x,y),!old`.

        Raises:
            ApiError: with status 400, if the selector is not valid.
        """
        return cls(tuple(_parse_requirement(part.strip(), text) for part in _COMMA.split(text)) if text.strip() else ())

    def matches(self, labels: Labels) -> bool:
        """Return whether an object with *labels* is selected."""
        return all(requirement(labels) for requirement in self.requirements)


def _parse_requirement(part: str, text: str) -> Requirement:
    if found := _SET.fullmatch(part):
        return _require_value(
            found["key"], frozenset(value.strip() for value in found["values"].split(",")), found["op"] == "in"
        )
    if found := _EQUAL.fullmatch(part):
        return _require_value(found["key"], frozenset({found["value"]}), found["op"] != "!=")
    if found := _EXISTS.fullmatch(part):
        return _require_label(found["key"], found["not"] is None)
    raise ApiError(400, f"unable to parse requirement: {part!r} in {text!r}")


def _require_value(key: str, values: frozenset[str], expected: bool) -> Requirement:
    return lambda labels: (labels.get(key) in values) is expected


def _require_label(key: str, expected: bool) -> Requirement:
    return lambda labels: (key in labels) is expected


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """A selector of objects by name and namespace, which every kind supports. None selects any value."""

    name: str | None = None
    namespace: str | None = None
    never: bool = False

    @classmethod
    def parse(cls, text: str) -> FieldSelector:
        """Parse a selector such as `metadata.name=a`.

        Raises:
            ApiError: with status 400, for another field or operator.
        """
        chosen: dict[str, str] = {}
        never = False
        for part in filter(None, text.split(",")):
            field, _, value = part.replace("==", "=").partition("=")
            if field not in {"metadata.name", "metadata.namespace"}:
                raise ApiError(400, f"field label not supported: {field}")
            never |= chosen.setdefault(field, value) != value
        return cls(chosen.get("metadata.name"), chosen.get("metadata.namespace"), never)

    def __bool__(self) -> bool:
        return self != FieldSelector()

    def matches(self, key: str) -> bool:
        """Return whether the object at *key* (`namespace/name` or `name`) is selected."""
        namespace, _, name = key.rpartition("/")
        return not self.never and self.name in {None, name} and self.namespace in {None, namespace}
