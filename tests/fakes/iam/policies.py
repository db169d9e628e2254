"""What policies allow (user guide, "Policy evaluation logic"): a denial wins, and without a word nothing is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, Final

Document = Mapping[str, Any]

_EQUAL: Final = frozenset({"StringEquals", "StringNotEquals"})
_LIKE: Final = frozenset({"StringLike", "StringNotLike"})
_NEGATED: Final = frozenset({"StringNotEquals", "StringNotLike"})


class Decision(StrEnum):
    """As the simulation names them; each is stricter than the one before."""

    ALLOWED = "allowed"
    IMPLICIT = "implicitDeny"
    EXPLICIT = "explicitDeny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request to be evaluated, with the values of its context keys."""

    action: str
    resource: str
    context: Mapping[str, Sequence[str]] = field(default_factory=dict)


def decided(documents: Iterable[Document], asked: Asked) -> tuple[Decision, list[str]]:
    """What *documents* together come to, and the context keys that they ask for and *asked* lacks."""
    concerned = [one for document in documents for one in document["Statement"] if _concerns(one, asked)]
    missing = sorted({key for one in concerned for key in _missing(one, asked)})
    effects = {one["Effect"] for one in concerned if _holds(one, asked)}
    if "Deny" in effects:
        return Decision.EXPLICIT, missing
    return (Decision.ALLOWED if "Allow" in effects else Decision.IMPLICIT), missing


def _concerns(statement: Document, asked: Asked) -> bool:
    action = any(fnmatchcase(asked.action.lower(), one.lower()) for one in _listed(statement["Action"]))
    return action and any(fnmatchcase(asked.resource, one) for one in _listed(statement["Resource"]))


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _conditions(statement: Document) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    """Quantifier, operator, key and values of each."""
    for spelled, keys in statement.get("Condition", {}).items():
        quantifier, _, operator = spelled.rpartition(":")
        assert quantifier in {"", "ForAllValues", "ForAnyValue"}, spelled
        assert operator in _EQUAL | _LIKE, f"{operator} is not known here"
        yield from ((quantifier, operator, key, _listed(values)) for key, values in keys.items())


def _missing(statement: Document, asked: Asked) -> Iterator[str]:
    return (key for _, _, key, _ in _conditions(statement) if key not in asked.context)


def _holds(statement: Document, asked: Asked) -> bool:
    return all(_met(*condition, asked) for condition in _conditions(statement))


def _met(quantifier: str, operator: str, key: str, values: Sequence[str], asked: Asked) -> bool:
    """User guide, "Multivalued context keys": `ForAllValues` holds where there are none, `ForAnyValue` does not."""
    given = asked.context.get(key, ())
    if not given:
        return quantifier == "ForAllValues" or (not quantifier and operator in _NEGATED)
    found = (_fits(one, operator, values) != (operator in _NEGATED) for one in given)
    return all(found) if quantifier == "ForAllValues" else any(found)


def _fits(given: str, operator: str, values: Sequence[str]) -> bool:
    return given in values if operator in _EQUAL else any(fnmatchcase(given, value) for value in values)
