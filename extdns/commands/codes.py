"""`extdns explain CODE`: the paragraph of a reason code."""

from __future__ import annotations

from difflib import get_close_matches
from textwrap import fill
from typing import TYPE_CHECKING, Final

from extdns.commands.forms import show_facts
from extdns.commands.reasons import title
from extdns.errors import shown
from extdns.facts.document import VERSION
from extdns.facts.reason import ReasonFacts
from extdns.flags.mistakes import mistake
from extdns.model.reason import MEANINGS, Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WIDTH: Final = 100
_NEXT: Final = {
    Reason.HELD: "See and release what is held: extdns status",
    Reason.ORPHAN_UNCLAIMED: "See and release what is held: extdns status",
}


def looks_like_code(text: str) -> bool:
    """Whether *text* is neither a name, which has a dot, nor an object, which has a slash."""
    return "." not in text and "/" not in text


def explain_code(text: str, rest: Sequence[str], output: str) -> int:
    """Show what the code *text* means.

    Raises:
        UsageError: there is no such code, or more was said.
    """
    if rest:
        raise mistake(
            f"extdns explain {shown(text)} takes no flags but --output, and {shown(rest[0])} was given",
            "a name has a dot, as in shop.example.org; an object is KIND/NAMESPACE/NAME",
        )
    try:
        reason = Reason(text.strip("[]").lower())
    except ValueError:
        near = get_close_matches(text.lower(), list(Reason), n=1)
        raise mistake(
            f"{shown(text)} is not a reason code",
            f"did you mean: {near[0]}" if near else "",
            "all codes: docs/reference/reasons.md; a name has a dot, an object is KIND/NAMESPACE/NAME",
        ) from None
    show_facts(_facts(reason), _lines(reason), output)
    return 0


def _lines(reason: Reason) -> Iterator[str]:
    yield f"{reason}: {title(reason)}"
    yield ""
    yield fill(MEANINGS[reason], _WIDTH, break_on_hyphens=False)
    if reason in _NEXT:
        yield ""
        yield f"Next: {_NEXT[reason]}"


def _facts(reason: Reason) -> ReasonFacts:
    return ReasonFacts(api_version=VERSION, code=reason.value, group=title(reason), meaning=MEANINGS[reason])
