"""The reference page of the reason codes: `python -m extdns.commands.reasons > docs/reference/reasons.md`."""

from __future__ import annotations

import sys
from typing import Final

from extdns.model.reason import MEANINGS, Reason

_INTRODUCTION: Final = """\
# Reason codes

<!-- Made by `python -m extdns.commands.reasons`; edit MEANINGS in extdns/model/reason.py instead. -->

Every name that an object asks for, every record of ours and every change ends in one of these codes. Logs show it as
`reason`, plans in brackets, and the metric `extdns_decisions` counts by it.

A delete carries the evidence it rests on, one of the codes under "Removed". A record that nobody asks for and that has
no such evidence is kept.
"""
_TITLES: Final = {
    Reason.PROGRAMMED: "Published, or about to be",
    Reason.OBJECT_DELETED: "Removed",
    Reason.IN_GRACE: "Kept as it is",
    Reason.INVALID_NAME: "Something on the object is wrong",
    Reason.DOMAIN_FILTERED: "Left out by the configuration, or in no zone that can be read",
    Reason.OWNED_BY_OTHER: "Somebody else has the name, or the mark has no place",
    Reason.UNSUPPORTED: "The DNS service does not take it",
}
"""Each title stands before the code at which its part of `Reason` begins."""


def page() -> str:
    """Write the page; ends in a newline."""
    return "\n".join((_INTRODUCTION, *(line for reason in Reason for line in _lines(reason)), ""))


def title(reason: Reason) -> str:
    """The title of the part of the page in which *reason* stands."""
    before = list(Reason)[: list(Reason).index(reason) + 1]
    return next(_TITLES[one] for one in reversed(before) if one in _TITLES)


def _lines(reason: Reason) -> tuple[str, ...]:
    line = f"| `{reason}` | {MEANINGS[reason]} |"
    if reason not in _TITLES:
        return (line,)
    gap = () if reason is next(iter(Reason)) else ("",)
    return (*gap, f"## {_TITLES[reason]}", "", "| Code | Meaning |", "|---|---|", line)


if __name__ == "__main__":
    sys.stdout.write(page())
