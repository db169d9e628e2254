"""What a request asks for, checked: parameters of the JSON API and of the page are the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl

from extdns.errors import shown
from extdns.facts.names import State, Wish
from extdns.flags.duration import parse_duration
from extdns.model.reason import Reason

_MOST_FIELDS: Final = 20
_MOST_CHARACTERS: Final = 300
_MOST_ROWS: Final = 500
WISHES: Final = ("q", "state", "reason", "zone", "source", "age")
_CHOICES: Final[Mapping[str, Collection[str]]] = {
    "state": tuple(State),
    "reason": tuple(Reason),
}


class BadRequestError(Exception):
    """The request is wrong; the text says what is allowed."""


class Query(dict[str, str]):
    """Parameters by name, each given once; what is empty counts as not given."""

    @classmethod
    def parse(cls, text: str, allowed: Collection[str]) -> Query:
        """Read the part of an address behind `?`.

        Raises:
            BadRequestError: a parameter is none of *allowed*, or has no allowed value.
        """
        try:
            pairs = parse_qsl(text, max_num_fields=_MOST_FIELDS)
        except ValueError as exc:
            raise BadRequestError(f"at most {_MOST_FIELDS} parameters") from exc
        query = cls()
        for name, value in pairs:
            _check(name, value, allowed)
            if name in query:
                raise BadRequestError(f"{name} is given twice")
            query[name] = value
        return query

    def wish(self, now: datetime) -> Wish:
        """Which names are asked for.

        Raises:
            BadRequestError: `age` is no duration, or none that is over.
        """
        return Wish(
            text=self.get("q", "").strip().lower(),
            state=self.get("state", ""),
            reason=self.get("reason", ""),
            zone=self.get("zone", ""),
            source=self.get("source", ""),
            since=now - timedelta(seconds=_age_s(self["age"])) if "age" in self else None,
        )

    def most(self, otherwise: int) -> int:
        """How many rows there are to a page.

        Raises:
            BadRequestError: `limit` is no such number.
        """
        text = self.get("limit", str(otherwise))
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_ROWS))):
            raise BadRequestError(f"limit={shown(text)} is not a number from 1 to {_MOST_ROWS}")
        number = int(text)
        if not 1 <= number <= _MOST_ROWS:
            raise BadRequestError(f"limit={number} is not a number from 1 to {_MOST_ROWS}")
        return number


def _age_s(text: str) -> float:
    with suppress(ValueError):
        if (age_s := parse_duration(text)) > 0:
            return age_s
    raise BadRequestError(f"age={shown(text)} is not a duration; allowed: as 90s, 10m, 1h30m, 7d")


def _check(name: str, value: str, allowed: Collection[str]) -> None:
    if name not in allowed:
        what = f"allowed: {', '.join(allowed)}" if allowed else "none is allowed here"
        raise BadRequestError(f"there is no parameter {shown(name)}; {what}")
    if len(value) > _MOST_CHARACTERS:
        raise BadRequestError(f"{name} has {len(value)} characters; allowed: {_MOST_CHARACTERS}")
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise BadRequestError(f"{name}={shown(value)} is none; allowed: {', '.join(choices)}")
