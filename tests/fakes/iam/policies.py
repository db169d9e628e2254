"""Evaluate IAM policies (user guide, "Policy evaluation logic"): an explicit deny wins, and the default is deny."""

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
    """The result of a policy simulation. Each value is stricter than the one before."""

    ALLOWED = "allowed"
    IMPLICIT = "implicitDeny"
    EXPLICIT = "explicitDeny"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """An API request to be authorized, with the values of its context keys."""

    action: str
    resource: str
    context: Mapping[str, Sequence[str]] = field(default_factory=dict)


def decide(documents: Iterable[Document], query: AuthorizationRequest) -> tuple[Decision, list[str]]:
    """Return the decision of all *documents* for *query*, and the context keys that they use and *query* lacks."""
    concerned = [one for document in documents for one in document["Statement"] if _is_about(one, query)]
    missing = sorted({key for one in concerned for key in _find_missing_keys(one, query)})
    effects = {one["Effect"] for one in concerned if _meets_conditions(one, query)}
    if "Deny" in effects:
        return Decision.EXPLICIT, missing
    return (Decision.ALLOWED if "Allow" in effects else Decision.IMPLICIT), missing


def _is_about(statement: Document, query: AuthorizationRequest) -> bool:
    action = any(fnmatchcase(query.action.lower(), one.lower()) for one in _make_list(statement["Action"]))
    return action and any(fnmatchcase(query.resource, one) for one in _make_list(statement["Resource"]))


def _make_list(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _list_conditions(statement: Document) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    for spelled, keys in statement.get("Condition", {}).items():
        quantifier, _, operator = spelled.rpartition(":")
        assert quantifier in {"", "ForAllValues", "ForAnyValue"}, spelled
        assert operator in _EQUAL | _LIKE, f"the fake does not support the operator {operator}"
        yield from ((quantifier, operator, key, _make_list(values)) for key, values in keys.items())


def _find_missing_keys(statement: Document, query: AuthorizationRequest) -> Iterator[str]:
    return (key for _, _, key, _ in _list_conditions(statement) if key not in query.context)


def _meets_conditions(statement: Document, query: AuthorizationRequest) -> bool:
    return all(_is_met(*condition, query) for condition in _list_conditions(statement))


def _is_met(quantifier: str, operator: str, key: str, values: Sequence[str], query: AuthorizationRequest) -> bool:
    """Return whether a condition is met (user guide, "Multivalued context keys").

    For a key without values, `ForAllValues` is met and `ForAnyValue` is not.
    """
    original = query.context.get(key, ())
    if not original:
        return quantifier == "ForAllValues" or (not quantifier and operator in _NEGATED)
    found = (_matches(one, operator, values) != (operator in _NEGATED) for one in original)
    return all(found) if quantifier == "ForAllValues" else any(found)


def _matches(original: str, operator: str, values: Sequence[str]) -> bool:
    return original in values if operator in _EQUAL else any(fnmatchcase(original, value) for value in values)
