"""Held deletes in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from extdns.errors import shown
from extdns.facts.held import HeldFacts
from extdns.model.evidence import Evidence
from extdns.model.quantity import count
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


def running_text(facts: HeldFacts) -> Iterator[str]:
    """The lines that tell what a running process holds."""
    yield headline(sum(len(one.records) for one in facts.items))
    for one in facts.items:
        yield ""
        yield f"Zone {shown(f'{one.zone.name} ({one.zone.id})')}: {count(one.owned, 'record')} of ours"
        yield f"  ! {count(len(one.records), 'delete')} HELD under {shown(one.release_code)}"
        for record in one.records:
            yield f"      {record_text(record.name, record.type, record.set_identifier, record.evidence)}"
    yield from why(record.evidence for one in facts.items for record in one.records)
    if facts.items:
        yield ""
    for one in facts.items:
        them = "them" if len(one.records) > 1 else "it"
        yield f"Release {them} in {shown(one.zone.name)}: {shown(one.command)}"
