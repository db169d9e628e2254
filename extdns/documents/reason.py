"""A reason code as JSON, as text, and the reference page of all of them.

The page: `python -m extdns.documents.reason > docs/reference/reasons.md`. Its table is made from the rows in
`extdns.model.reason_rows`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from textwrap import fill
from typing import Final

from extdns.documents.document import VERSION, Document, Version
from extdns.model.reason import Reason
from extdns.model.reason_row import EventWhen, Group

_WIDTH: Final = 100
_EVENTS: Final = {
    EventWhen.NEVER: "",
    EventWhen.RETAINED: "While a record is retained for this reason, the objects that request it get the Event {}.",
    EventWhen.ALWAYS: "The objects that request the record get the Event {}.",
    EventWhen.HELD: "While the delete is held, the resource of the record gets the Event {}.",
}
_EVENT_CONDITIONS: Final = {EventWhen.RETAINED: " if retained", EventWhen.HELD: " while held"}
_INTRODUCTION: Final = """\
# Reason codes

<!-- Made by `python -m extdns.documents.reason`; edit the rows in extdns/model/reason_rows.py instead. -->

Every decision about a record has one of these codes. Logs show it as the field `reason`, plans show it in brackets, and
the metric `extdns_decisions` counts decisions by it. `extdns explain CODE` prints its row.

The code of a delete is the evidence that allows it, one of the codes under "Removed". A record that no object requests
is kept until there is such evidence.

**Event** is the `reason` of the Event on the objects that request the record. *If retained*: only while a record of
ours is kept although the claim is unresolved. *While held*: on the resource of the record, while its delete is held.
**Exit** is the exit code of `--once`, unless another decision has a worse one: 1 is a failure, which
`external_dns_controller_consecutive_soft_errors` counts too; 3 is a delete that waits for approval.
"""


class ReasonDocument(Document, frozen=True, tag_field="kind", tag="Reason"):
    """What a reason code means, and its heading in docs/reference/reasons.md.

    `event` is the reason of the Event that objects get, "" if they get none. `exitCode` is the exit code of `--once`,
    unless another decision has a worse one.
    """

    api_version: Version
    code: str
    group: str
    meaning: str
    event: str
    exit_code: int


def build_reason(reason: Reason) -> ReasonDocument:
    """Describe a reason code from its row."""
    row = reason.row
    return ReasonDocument(
        api_version=VERSION,
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
    if row.next_step:
        yield ""
        yield f"Next: {row.next_step}"


def render_page() -> str:
    """Return the reference page of the reason codes as Markdown, with a newline at the end."""
    return "\n".join((_INTRODUCTION, *_render_sections()))


def _render_sections() -> Iterator[str]:
    for group in Group:
        yield f"## {group.value}\n\n| Code | Meaning | Event | Exit |\n|---|---|---|---|"
        yield from (_render_row(reason) for reason in Reason if reason.row.group is group)
        yield ""


def _render_row(reason: Reason) -> str:
    rule = reason.row.event_rule
    event = "" if rule is EventWhen.NEVER else f"`{reason.event}`{_EVENT_CONDITIONS.get(rule, '')}"
    return f"| `{reason}` | {reason.row.text} | {event} | {reason.row.exit_code or ''} |"


if __name__ == "__main__":
    sys.stdout.write(render_page())
