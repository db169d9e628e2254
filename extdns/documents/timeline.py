"""What happened to a name, as far as the process knows: requested, written, repaired, held (docs/design/page.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from extdns.documents.document import Document
from extdns.documents.text import join_targets, parse_time
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.documents.changes import ChangeDocument
    from extdns.documents.snapshot import ProcessSnapshot
    from extdns.model.claim import NameClaim
    from extdns.model.dns_name import DnsName

TimelineEvent = Literal["requested", "created", "updated", "repaired", "deleted", "not-written", "held", "due"]
_APPLIED: dict[str, TimelineEvent] = {"create": "created", "update": "updated", "delete": "deleted"}


class TimelineEntry(Document, frozen=True):
    """One event at a name.

    If `event` is `due`, a delete may be made from `at` on, when its grace period or `--unresolved-timeout` ends.
    `reason` is a reason code, "" if there is none.
    """

    at: datetime
    event: TimelineEvent
    text: str
    reason: str


def build_timeline(
    live: ProcessSnapshot, name: DnsName, claims: Iterable[NameClaim], changes: Iterable[ChangeDocument]
) -> tuple[TimelineEntry, ...]:
    """Build the timeline of *name*, the oldest event first, from the *claims* and the last *changes* at it."""
    entries = (*_list_requests(claims), *map(_build_write, changes), *_list_deletes(live, name))
    return tuple(sorted(entries, key=lambda one: one.at))


def _list_requests(claims: Iterable[NameClaim]) -> Iterator[TimelineEntry]:
    """Yield an entry for the creation of each object with a claim, since it is unknown when its claim began."""
    for ref in dict.fromkeys(claim.provenance.ref for claim in claims):
        if at := parse_time(ref.created):
            yield TimelineEntry(
                at=at, event="requested", text=f"{ref}, which requests the name, was created", reason=""
            )


def _build_write(one: ChangeDocument) -> TimelineEntry:
    times = f", {one.times} times in a row" if one.times > 1 else ""
    change = f"{one.type} {join_targets(one.targets)} in {one.zone.name}"
    if one.outcome != "applied":
        detail = f": {one.detail}" if one.detail else ""
        text = f"{one.action} {change}: {one.outcome}{times}{detail}"
        return TimelineEntry(at=one.at, event="not-written", text=text, reason=one.reason)
    event = "repaired" if one.reason == Reason.DRIFT_REPAIRED else _APPLIED[one.action]
    return TimelineEntry(at=one.at, event=event, text=f"{change}{times}", reason=one.reason)


def _list_deletes(live: ProcessSnapshot, name: DnsName) -> Iterator[TimelineEntry]:
    """Yield the deletes at *name* that are held, and those whose grace period has not ended."""
    for one in (one for found in live.engine.held_sets for one in found.held):
        if one.owned.record.name == name and one.since_s is not None:
            text = f"the delete of {one.owned.record.type} waits for approval: {one.cause}"
            yield TimelineEntry(at=live.time_of(one.since_s), event="held", text=text, reason=one.evidence.value)
    for entry in live.engine.zones:
        for key, waiting in entry.waiting_deletes.items():
            if key.name == name and waiting.grace_ends_s is not None:
                limit = (
                    "--unresolved-timeout" if waiting.evidence is Evidence.UNRESOLVED_EXPIRED else "the grace period"
                )
                text = f"{limit} ends; then the delete of {key.type} may be made, unless it is held"
                yield TimelineEntry(
                    at=live.time_of(waiting.grace_ends_s), event="due", text=text, reason=waiting.evidence.value
                )
