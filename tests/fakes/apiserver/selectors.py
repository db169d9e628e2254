"""Label and field selectors, in the text form of the API."""

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
    """Requirements that all must hold; none selects everything."""

    requirements: tuple[Requirement, ...] = ()

    @classmethod
    def parse(cls, text: str) -> LabelSelector:
        """Read a selector such as `app=a,tier in (x,y),!old`.

        Raises:
            ApiError: 400, it cannot be parsed.
        """
        return cls(tuple(_requirement(part.strip(), text) for part in _COMMA.split(text)) if text.strip() else ())

    def matches(self, labels: Labels) -> bool:
        """Tell whether an object with *labels* is selected."""
        return all(requirement(labels) for requirement in self.requirements)


def _requirement(part: str, text: str) -> Requirement:
    if found := _SET.fullmatch(part):
        return _in(found["key"], frozenset(value.strip() for value in found["values"].split(",")), found["op"] == "in")
    if found := _EQUAL.fullmatch(part):
        return _in(found["key"], frozenset({found["value"]}), found["op"] != "!=")
    if found := _EXISTS.fullmatch(part):
        return _exists(found["key"], found["not"] is None)
    raise ApiError(400, f"unable to parse requirement: {part!r} in {text!r}")


def _in(key: str, values: frozenset[str], wanted: bool) -> Requirement:
    return lambda labels: (labels.get(key) in values) is wanted


def _exists(key: str, wanted: bool) -> Requirement:
    return lambda labels: (key in labels) is wanted


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """The two fields that every kind can be selected by; None selects any."""

    name: str | None = None
    namespace: str | None = None
    never: bool = False

    @classmethod
    def parse(cls, text: str) -> FieldSelector:
        """Read a selector such as `metadata.name=a`.

        Raises:
            ApiError: 400, another field or operator, as for a field that a real kind has no index of.
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
        """Tell whether the object at *key* (`namespace/name` or `name`) is selected."""
        namespace, _, name = key.rpartition("/")
        return not self.never and self.name in {None, name} and self.namespace in {None, namespace}
