"""Held deletes in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from extdns.commands.held import count
from extdns.errors import shown
from extdns.model.evidence import Evidence
from extdns.model.reason import MEANINGS, Reason


def headline(deletes: int) -> str:
    """The answer in one line."""
    return f"{count(deletes, 'delete')} held." if deletes else "No delete is held."


def record_text(name: str, rtype: str, identifier: str, evidence: str) -> str:
    """One record whose delete is held, and on what evidence it would go."""
    member = f" ({identifier})" if identifier else ""
    return f"{shown(f'{name} {rtype}{member}', 300)} [{shown(evidence)}]"


def why(evidence: Iterable[str]) -> Iterator[str]:
    """What the codes mean that stand behind held records; no line if there are none."""
    codes = sorted(set(evidence) & set(Evidence))
    if codes:
        yield ""
        yield "Why"
        if any(Evidence(code).sufficient for code in codes):
            yield f"  [{Reason.HELD}] {MEANINGS[Reason.HELD]}"
        for code in codes:
            yield f"  [{code}] {MEANINGS[Reason(code)]}"
