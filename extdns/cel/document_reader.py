"""Read fields of a document, and collect one message for each mistake in it.

Reading never raises: a field with a mistake gives its default, so that one pass finds all mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

from extdns.errors import InvalidValueError, describe_type, find_similar, sanitize
from extdns.model.dns_name import DnsName
from extdns.model.kind import InvalidValue

MAX_ITEMS: Final = 256
"""The most items of a list whose length is not limited otherwise."""

_Item = TypeVar("_Item")


class DocumentReader:
    """Reads fields of a YAML or JSON document, and collects the mistakes in it.

    Attributes:
        problems: a message for each mistake, with the path of the field, in the order in which they were found.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []

    def report(self, path: str, message: str) -> None:
        """Record that the field at *path* has a mistake, which *message* describes."""
        self.problems.append(f"{path} {message}" if path else message)

    def report_type(self, path: str, value: object, allowed: str) -> None:
        """Record that the field at *path* has a *value* of another type than those that *allowed* describes."""
        if isinstance(value, InvalidValue):
            self.report(path, f"{value.problem}; allowed: {value.allowed}")
        else:
            self.report(path, f"is {describe_type(value)}; allowed: {allowed}")

    def read_mapping(self, value: object, path: str, fields: Collection[str]) -> Mapping[str, object]:
        """Return those of *fields* that the mapping *value* has, and report its other keys.

        Return {} if *value* is missing, or is not a mapping, which is reported.
        """
        if not isinstance(value, dict):
            if value is not None:
                self.report_type(path, value, "a mapping")
            return {}
        for name, item in value.items():
            if name not in fields and isinstance(item, InvalidValue):
                self.report_type(f"{path}.{sanitize(str(name))}", item, "")
            elif name not in fields:
                message = f"does not exist; allowed: {_describe_choices(str(name), fields)}"
                self.report(f"{path}.{sanitize(str(name))}", message)
        return {name: item for name, item in value.items() if name in fields}

    def read_list(
        self, value: object, path: str, read_item: Callable[[object, str], _Item], most: int = MAX_ITEMS
    ) -> tuple[_Item, ...]:
        """Return the items of the list *value*, read by *read_item* from value and path; () without a list."""
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.report_type(path, value, "a list")
            return ()
        if len(value) > most:
            self.report(path, f"has {len(value)} items; allowed: {most}")
        items: Sequence[object] = value[:most]
        return tuple(read_item(item, f"{path}[{at}]") for at, item in enumerate(items))

    def read_text(self, value: object, path: str, most: int) -> str:
        """Return the text *value*, one line of at most *most* characters; "" if it is missing or invalid."""
        if value is None:
            return ""
        if not isinstance(value, str):
            self.report_type(path, value, f"a string{_advise_quotes(value)}")
        elif len(value) > most:
            self.report(path, f"has {len(value)} characters; allowed: {most}")
        elif not value.isprintable():
            self.report(path, f"is '{sanitize(value)}'; allowed: printable characters on one line")
        else:
            return value
        return ""

    def read_choice(self, value: object, path: str, choices: Sequence[str], default: str) -> str:
        """Return *value* if it is one of *choices*; *default* if it is missing or invalid."""
        if value is None:
            return default
        if not isinstance(value, str):
            self.report_type(path, value, _describe_choices(str(value), choices))
            return default
        if value not in choices:
            self.report(path, f'is "{sanitize(value)}"; allowed: {_describe_choices(value, choices)}')
            return default
        return value

    def read_matching(self, value: object, path: str, pattern: re.Pattern[str], allowed: str) -> str:
        """Return the text *value* if it matches *pattern* completely, else ""; *allowed* describes valid texts."""
        if not isinstance(value, str):
            self.report_type(path, value, f"{allowed}{_advise_quotes(value)}")
            return ""
        if not pattern.fullmatch(value):
            self.report(path, f'is "{sanitize(value)}"; allowed: {allowed}')
            return ""
        return value

    def read_name(self, value: object, path: str) -> str:
        """Return the domain name *value* in canonical form, "" if it is missing or invalid."""
        text = self.read_text(value, path, most=1024)
        if not text:
            if value is None or value == "":
                self.report(path, "is empty; allowed: a domain name")
            return ""
        try:
            return DnsName.parse(text)
        except InvalidValueError as error:
            self.report(path, f'is "{sanitize(text)}"; allowed: {error.allowed}')
            return ""


def _describe_choices(text: str, choices: Collection[str]) -> str:
    near = find_similar(text, choices)
    return ", ".join(choices) + (f"; did you mean: {near}" if near else "")


def _advise_quotes(value: object) -> str:
    return ", so quote it" if isinstance(value, bool | int | float) else ""
