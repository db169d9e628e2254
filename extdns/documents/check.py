"""The results of `extdns check`, `extdns policy check` and `extdns policy test`, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from extdns.documents.document import AnswerDocument, Document, RootDocument, describe_process
from extdns.documents.text import escape_lines
from extdns.model.value import format_count

CheckState = Literal["ok", "missing", "unknown", "note"]


class CheckResult(Document, frozen=True):
    """One thing that extdns needs, or a note on a flag without effect. `next` is what to do about it, "" if nothing."""

    what: str
    state: CheckState
    detail: str = ""
    next: str = ""


class CheckDocument(AnswerDocument, frozen=True, tag="Check"):
    """Everything that was checked, in order, and the command that checked it."""

    checks: tuple[CheckResult, ...]


@escape_lines
def format_check(document: CheckDocument) -> Iterator[str]:
    """Yield one line for each check, with what to do about it below, and the summary last."""
    for one in document.checks:
        yield f"{one.state:7}  {one.what}{f': {one.detail}' if one.detail else ''}"
        if one.next:
            yield f"         {one.next}"
    yield ""
    yield f"Answered by {describe_process(document.process)}"
    yield ""
    states = Counter(one.state for one in document.checks)
    unknown = f"{format_count(states['unknown'], 'thing is', 'things are')} unknown." if states["unknown"] else ""
    if states["missing"]:
        yield f"{format_count(states['missing'], 'thing')} missing. {unknown}".strip()
    else:
        yield f"Nothing is known to be missing, but {unknown}" if unknown else "Nothing is missing."


class CheckedPolicy(Document, frozen=True):
    """One DNSPolicy, or a part of a file that cannot be read. `name` is "" if it is not known.

    `location` is the file and, if it is known, the line. A policy with `problems` cannot be used; `warnings` say
    what is perhaps not meant, such as an expression that has no value for typical records.
    """

    location: str
    name: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


class PolicyCheckDocument(RootDocument, frozen=True, tag="PolicyCheck"):
    """Every DNSPolicy of the files, and every part of a file that cannot be read, in the order of the files."""

    policies: tuple[CheckedPolicy, ...]


@escape_lines
def format_policy_check(document: PolicyCheckDocument) -> Iterator[str]:
    """Yield a line for each policy, with problems and warnings below it, and the summary last."""
    for one in document.policies:
        state = "invalid" if one.problems else "ok"
        yield f"{state:7}  {one.location}{f'  DNSPolicy {one.name}' if one.name else ''}"
        yield from (f"         {problem}" for problem in one.problems)
        yield from (f"         warning: {warning}" for warning in one.warnings)
    invalid = sum(bool(one.problems) for one in document.policies)
    valid = len(document.policies) - invalid
    counted = format_count(valid, "valid policy", "valid policies")
    yield f"{counted}, {invalid} invalid." if document.policies else "There is no DNSPolicy in these files."


class TestedCase(Document, frozen=True):
    """One test.

    `missing` are the violations that were expected but not found, `unexpected` those that were found but not expected.
    `unavailable` is why the rules have no answer, "" if they have one.
    """

    __test__ = False  # it is not a test class of pytest

    location: str
    name: str
    passed: bool
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    unavailable: str


class PolicyTestDocument(RootDocument, frozen=True, tag="PolicyTest"):
    """The tests that were run, in the order of the files, and the `problems` of test files and DNSPolicies.

    Tests in a file with problems are not run, and tests are run without invalid DNSPolicies.
    """

    tests: tuple[TestedCase, ...]
    problems: tuple[str, ...]


@escape_lines
def format_policy_tests(document: PolicyTestDocument) -> Iterator[str]:
    """Yield each failed test with its differences, the problems, and the summary last."""
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
