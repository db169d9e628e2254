"""The result of `extdns policy check`, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from extdns.documents.document import Document, Version
from extdns.documents.text import escape_line
from extdns.model.value import format_count


class CheckedPolicy(Document, frozen=True):
    """One DNSPolicy, or a part of a file that cannot be read. `name` is "" if it is not known.

    `location` is the file and, if it is known, the line. A policy with `problems` cannot be used; `warnings` say
    what is perhaps not meant, such as an expression that has no value for typical records.
    """

    location: str
    name: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


class PolicyCheckDocument(Document, frozen=True):
    """Every DNSPolicy of the files, and every part of a file that cannot be read, in the order of the files."""

    api_version: Version
    kind: Literal["PolicyCheck"]
    policies: tuple[CheckedPolicy, ...]


def format_policy_check(document: PolicyCheckDocument) -> Iterator[str]:
    """Yield a line for each policy, with problems and warnings below it, and the summary last; safe for a terminal."""
    return map(escape_line, _build_lines(document))


def _build_lines(document: PolicyCheckDocument) -> Iterator[str]:
    for one in document.policies:
        state = "invalid" if one.problems else "ok"
        yield f"{state:7}  {one.location}{f'  DNSPolicy {one.name}' if one.name else ''}"
        yield from (f"         {problem}" for problem in one.problems)
        yield from (f"         warning: {warning}" for warning in one.warnings)
    invalid = sum(bool(one.problems) for one in document.policies)
    valid = len(document.policies) - invalid
    counted = format_count(valid, "valid policy", "valid policies")
    yield f"{counted}, {invalid} invalid." if document.policies else "There is no DNSPolicy in these files."
