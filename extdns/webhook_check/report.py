"""The outcomes of the checks as text and as JUnit XML, both safe whatever the provider has answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from extdns.documents.text import escape_line
from extdns.webhook_check.check import CheckEnd, CheckOutcome

_SUITE: Final = "extdns webhook-check"
_WIDTH: Final = 8


def format_outcome(outcome: CheckOutcome) -> Iterator[str]:
    """Yield the lines for one check: how it ended and why, and for a failure what the protocol says."""
    check = outcome.check
    yield f"{outcome.end:{_WIDTH}} {check.name}{f': {escape_line(outcome.message)}' if outcome.message else ''}"
    if outcome.end is CheckEnd.FAILED:
        yield f"{'':{_WIDTH}} {check.protocol} ({check.section})"


def format_summary(outcomes: Sequence[CheckOutcome], left: str) -> Iterator[str]:
    """Yield how many checks passed, failed and were skipped, and which records may be *left* in the zone."""
    ends = Counter(one.end for one in outcomes)
    yield f"{ends[CheckEnd.PASSED]} passed, {ends[CheckEnd.FAILED]} failed, {ends[CheckEnd.SKIPPED]} skipped."
    yield f"Delete by hand: {escape_line(left)}" if left else "Nothing is left in the zone."


def render_junit(outcomes: Sequence[CheckOutcome], left: str) -> str:
    """Return JUnit XML: one test case for each check, and one for the removal of the records."""
    ends = Counter(one.end for one in outcomes)
    suite = ET.Element(
        "testsuite",
        name=_SUITE,
        tests=str(len(outcomes) + 1),
        failures=str(ends[CheckEnd.FAILED] + bool(left)),
        errors="0",
        skipped=str(ends[CheckEnd.SKIPPED]),
        time=f"{sum(one.seconds for one in outcomes):.3f}",
    )
    for one in outcomes:
        case = _add_case(suite, one.check.name, one.seconds)
        if one.end is CheckEnd.FAILED:
            _add_failure(case, one.message, f"{one.check.protocol} ({one.check.section})")
        elif one.end is CheckEnd.SKIPPED:
            ET.SubElement(case, "skipped", message=escape_line(one.message))
    removal = _add_case(suite, "clean-up", 0.0)
    if left:
        _add_failure(removal, left, "Delete these records by hand.")
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _add_case(suite: ET.Element, name: str, seconds: float) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_SUITE, name=name, time=f"{seconds:.3f}")


def _add_failure(case: ET.Element, message: str, protocol: str) -> None:
    failure = ET.SubElement(case, "failure", message=escape_line(message), type="violation")
    failure.text = f"{escape_line(message)}\n{protocol}"
