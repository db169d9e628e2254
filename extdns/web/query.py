"""Parse and validate the query of a request. The JSON API and the live page have the same parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from extdns.documents.names import NameQuery, NameState
from extdns.errors import sanitize
from extdns.flags.duration import parse_duration
from extdns.model.reason import Reason

_MAX_FIELDS: Final = 20
_MAX_CHARACTERS: Final = 300
_MAX_ROWS: Final = 500
_MAX_CURSOR: Final = 2000
"""A policy of a policy server is named by the path of its file."""

PAGE_PARAMETERS: Final = ("after", "limit")
FILTER_PARAMETERS: Final = ("q", "state", "reason", "zone", "source", "rule", "age")
_CHOICES: Final[Mapping[str, Collection[str]]] = {
    "state": tuple(NameState),
    "reason": tuple(Reason),
}


class RequestError(Exception):
    """The request is invalid, or there is nothing at its path; the message says what is allowed or available."""

    def __init__(self, message: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(message)
        self.status = status


class Query(dict[str, str]):
    """The parameters of a query by name. Empty ones are left out."""

    @classmethod
    def parse(cls, text: str, allowed: Collection[str]) -> Query:
        """Parse *text*, the part of a URL after `?`.

        Raises:
            RequestError: a parameter is not in *allowed*, is repeated, or has an invalid value.
        """
        try:
            pairs = parse_qsl(text, max_num_fields=_MAX_FIELDS)
        except ValueError as exc:
            raise RequestError(f"too many parameters; allowed: {_MAX_FIELDS}") from exc
        query = cls()
        for name, value in pairs:
            _check(name, value, allowed)
            if name in query:
                raise RequestError(f"{name} is repeated")
            query[name] = value
        return query

    def build_name_query(self, now: datetime) -> NameQuery:
        """Build the filter for the list of names; *now* is the time from which `age` counts back.

        Raises:
            RequestError: `age` is not a positive duration.
        """
        return NameQuery(
            text=self.get("q", "").strip().lower(),
            state=self.get("state", ""),
            reason=self.get("reason", ""),
            zone=self.get("zone", ""),
            source=self.get("source", ""),
            rule=self.get("rule", ""),
            since=now - timedelta(seconds=_parse_age(self["age"])) if "age" in self else None,
        )

    def parse_limit(self, default: int) -> int:
        """Return the number of rows of a page, from `limit`.

        Raises:
            RequestError: `limit` is not a number from 1 to 500.
        """
        text = self.get("limit", str(default))
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_ROWS))):
            raise RequestError(f"limit={sanitize(text)} is not a number from 1 to {_MAX_ROWS}")
        number = int(text)
        if not 1 <= number <= _MAX_ROWS:
            raise RequestError(f"limit={number} is not a number from 1 to {_MAX_ROWS}")
        return number


def _parse_age(text: str) -> float:
    with suppress(ValueError):
        if (age_s := parse_duration(text)) > 0:
            return age_s
    raise RequestError(f"age={sanitize(text)} is not a duration; allowed: values such as 90s, 10m, 1h30m, 7d")


def _check(name: str, value: str, allowed: Collection[str]) -> None:
    if name not in allowed:
        what = f"allowed: {', '.join(allowed)}" if allowed else "this path has no parameters"
        raise RequestError(f"unknown parameter {sanitize(name)}; {what}")
    most = _MAX_CURSOR if name == "after" else _MAX_CHARACTERS
    if len(value) > most:
        raise RequestError(f"{name} has {len(value)} characters; allowed: {most}")
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise RequestError(f"{name}={sanitize(value)} is not allowed; allowed: {', '.join(choices)}")
