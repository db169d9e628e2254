"""A reason code as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import Final

from extdns.documents.document import RootDocument
from extdns.model.reason import EventWhen, Reason

_WIDTH: Final = 100
_EVENTS: Final = {
    EventWhen.NEVER: "",
    EventWhen.RETAINED: "While a record is retained for this reason, the objects that request it get the Event {}.",
    EventWhen.ALWAYS: "The objects that request the record get the Event {}.",
    EventWhen.HELD: "While the delete is held, the resource of the record gets the Event {}.",
}


class ReasonDocument(RootDocument, frozen=True, tag="Reason"):
    """What a reason code means, and its heading in docs/reference/reasons.md.

    `event` is the reason of the Event that objects get, "" if they get none. `exitCode` is the exit code of `--once`,
    unless another decision has a worse one.
    """

    code: str
    group: str
    meaning: str
    event: str
    exit_code: int


def build_reason(reason: Reason) -> ReasonDocument:
    """Describe a reason code from its row."""
    row = reason.row
    return ReasonDocument(
        code=reason.value,
        group=row.group.value,
        meaning=row.text,
        event="" if row.event_rule is EventWhen.NEVER else reason.event,
        exit_code=reason.row.exit_code,
    )


def format_reason(reason: Reason) -> Iterator[str]:
    """Yield the lines that describe a reason code: its meaning, its effects, and the next step if there is one."""
    row = reason.row
    event = _EVENTS[row.event_rule].format(reason.event)
    exit_code = f"With --once the exit code is {reason.row.exit_code}." if reason.row.exit_code else ""
    yield f"{reason}: {row.group.value}"
    yield ""
    yield fill(row.text, _WIDTH, break_on_hyphens=False)
    if effects := " ".join(filter(None, (event, exit_code))):
        yield ""
        yield effects
    if following := ". ".join(filter(None, (row.next_step[:1].upper() + row.next_step[1:], row.see))):
        yield ""
        yield f"Next: {following}"
