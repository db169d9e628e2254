"""The result of `extdns check`, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from extdns.documents.document import Document, ProcessReference, Version, describe_process
from extdns.documents.text import escape_line
from extdns.model.value import format_count

CheckState = Literal["ok", "missing", "unknown"]


class CheckResult(Document, frozen=True):
    """One thing that extdns needs. `next` is what to do about it, "" if nothing."""

    what: str
    state: CheckState
    detail: str
    next: str


class CheckDocument(Document, frozen=True):
    """Everything that was checked, in order, and the command that checked it."""

    api_version: Version
    kind: Literal["Check"]
    process: ProcessReference
    checks: tuple[CheckResult, ...]


def format_check(document: CheckDocument) -> Iterator[str]:
    """Yield one line for each check, with what to do about it below, and the summary last; safe for a terminal."""
    return map(escape_line, _build_lines(document))


def _build_lines(document: CheckDocument) -> Iterator[str]:
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
