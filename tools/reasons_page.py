"""The reference page of the reason codes, docs/reference/reasons.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.model.reason import EventWhen, Group, Reason

_EVENT_CONDITIONS: Final = {EventWhen.RETAINED: " if retained", EventWhen.HELD: " while held"}
_INTRODUCTION: Final = """\
# Reason codes

<!-- Made by `make generate` from the rows in extdns/model/reason.py. -->

Every decision about a record has one of these codes. Logs show it as the field `reason`, plans show it in brackets, and
the metric `extdns_decisions` counts decisions by it. `extdns explain CODE` prints its row.

The code of a delete is the evidence that allows it, one of the codes under "Removed". A record that no object requests
is kept until there is such evidence.

**Event** is the `reason` of the Event on the objects that request the record. *If retained*: only while a record of
ours is kept although the claim is unresolved. *While held*: on the resource of the record, while its delete is held.
**Exit** is the exit code of `--once`, unless another decision has a worse one: 1 is a failure, 3 is a delete that waits
for approval; [messages.md](../design/messages.md#exit-codes) has the other codes. It is 0 if the name belongs to
somebody else, is excluded or denied by a rule, or has no address yet: nothing went wrong then.
"""


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
    code = f"{reason.row.exit_code or ''}{', not with --compat' if reason.row.reference_skips else ''}"
    return f"| `{reason}` | {reason.row.text} | {event} | {code} |"
