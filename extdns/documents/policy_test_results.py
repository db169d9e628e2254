"""The result of `extdns policy test`, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from extdns.documents.document import Document, Version
from extdns.documents.text import escape_line
from extdns.model.value import format_count


class TestedCase(Document, frozen=True):
    """One test.

    `missing` are the violations that were expected but not found, `unexpected` those that were found but not expected.
    `unavailable` is why the rules have no answer, "" if they have one.
    """

    __test__ = False  # it is no test class of pytest

    location: str
    name: str
    passed: bool
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    unavailable: str


class PolicyTestDocument(Document, frozen=True):
    """The tests that were run, in the order of the files, and the `problems` of test files and DNSPolicies.

    Tests in a file with problems are not run, and tests are run without invalid DNSPolicies.
    """

    api_version: Version
    kind: Literal["PolicyTest"]
    tests: tuple[TestedCase, ...]
    problems: tuple[str, ...]


def format_policy_tests(document: PolicyTestDocument) -> Iterator[str]:
    """Yield each failed test with its differences, the problems, and the summary last; safe for a terminal."""
    return map(escape_line, _build_lines(document))


def _build_lines(document: PolicyTestDocument) -> Iterator[str]:
    for one in document.tests:
        if one.passed:
            continue
        yield f"FAIL  {one.location}  {one.name}"
        if one.unavailable:
            yield f"      the rules have no answer: {one.unavailable}"
        yield from (f"      - {expected}" for expected in one.missing)
        yield from (f"      + {found}" for found in one.unexpected)
    failed = sum(not one.passed for one in document.tests)
    if any(one.missing or one.unexpected for one in document.tests):
        yield ""
        yield "Lines with - are expected and missing, lines with + are not expected."
    yield from (f"error: {problem}" for problem in document.problems)
    yield f"{format_count(len(document.tests) - failed, 'test')} passed, {failed} failed."
