"""A change batch: all of it, or nothing (API reference, ChangeResourceRecordSets)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tests.fakes.route53 import aliases, rules, values
from tests.fakes.route53.errors import invalid_batch
from tests.fakes.route53.records import RecordSet
from tests.fakes.route53.zones import Author, Held, Zone
from tests.fakes.service.answers import ApiError

MAX_ELEMENTS: Final = 1000
MAX_CHARACTERS: Final = 32_000


class Action(StrEnum):
    """What a change does."""

    CREATE = "CREATE"
    DELETE = "DELETE"
    UPSERT = "UPSERT"


@dataclass(frozen=True, slots=True)
class Change:
    """One item of a batch."""

    action: Action
    record: RecordSet


@dataclass(slots=True)
class Draft:
    """A zone with the changes of a batch so far, which it does not have itself yet."""

    zone: Zone
    touched: dict[str, dict[tuple[str, str], RecordSet]] = field(default_factory=dict)

    def held(self, name: str) -> Held:
        """Give what *name* would hold."""
        return self.touched[name] if name in self.touched else self.zone.held(name)

    @property
    def growth(self) -> int:
        """How many record sets it has more than the zone."""
        return sum(len(held) - len(self.zone.held(name)) for name, held in self.touched.items())

    def put(self, record: RecordSet) -> None:
        """Create or replace a record set."""
        self._own(record.name)[record.type, record.set_identifier] = record

    def remove(self, record: RecordSet) -> None:
        """Delete a record set, which is there."""
        del self._own(record.name)[record.type, record.set_identifier]

    def _own(self, name: str) -> dict[tuple[str, str], RecordSet]:
        return self.touched.setdefault(name, dict(self.zone.held(name)))


def apply(
    zone: Zone,
    changes: tuple[Change, ...],
    *,
    knows_health_check: Callable[[str], bool],
    max_records: int | None = None,
) -> None:
    """Apply *changes* to *zone*, in their order.

    Raises:
        ApiError: InvalidChangeBatch with a message for each error, or NoSuchHealthCheck; *zone* is as it was. Errors
            of the batch as such are told before those of single record sets, and these before conflicts with what
            the zone holds.
    """
    made = [change.record for change in changes if change.action is not Action.DELETE]
    for check in (_sizes(changes), _repeats(changes), _syntax(zone, changes)):
        _refuse(check)
    for record in made:
        if record.health_check_id and not knows_health_check(record.health_check_id):
            message = f"No health check exists with the specified ID: {record.health_check_id}"
            raise ApiError(404, "NoSuchHealthCheck", message)
    draft = Draft(zone)
    _refuse(message for change in changes for message in _worked(draft, change))
    _refuse(rules.settled(zone, draft, made))
    if max_records is not None and len(zone) + draft.growth > max_records:
        raise invalid_batch((f"Exceeded limit MAX_RRSETS_BY_ZONE for zone: {zone.zone_id}",))
    for name, held in draft.touched.items():
        zone.replace(name, held, by=Author.API)


def _refuse(messages: Iterable[str]) -> None:
    found = tuple(messages)
    if found:
        raise invalid_batch(found)


def _sizes(changes: tuple[Change, ...]) -> Iterator[str]:
    """Count as the service does: an alias is one element, an UPSERT counts twice (developer guide, "Quotas")."""
    elements = characters = 0
    for change in changes:
        times = 2 if change.action is Action.UPSERT else 1
        elements += times * (len(change.record.values) or 1)
        characters += times * sum(map(len, change.record.values))
    if elements > MAX_ELEMENTS:
        yield f"Number of records limit of {MAX_ELEMENTS} exceeded."
    if characters > MAX_CHARACTERS:
        yield f"RDATA character limit of {MAX_CHARACTERS} exceeded."


def _repeats(changes: tuple[Change, ...]) -> Iterator[str]:
    """A record set comes once in a batch, or first in a DELETE and then in what makes it anew."""
    seen: dict[object, Action] = {}
    for change in changes:
        key = change.record.key
        before = seen.get(key)
        if before is not None and (before is not Action.DELETE or change.action is Action.DELETE):
            shown = f"{change.record.type} {change.record.name}"
            yield f"The request contains an invalid set of changes for a resource record set '{shown}'"
        seen[key] = change.action if before is None else Action.UPSERT


def _syntax(zone: Zone, changes: tuple[Change, ...]) -> Iterator[str]:
    for change in changes:
        yield from rules.misplaced(zone, change.record)
        yield from values.problems(change.record)


def _worked(draft: Draft, change: Change) -> Iterator[str]:
    """Work *change* into *draft*, or tell why not."""
    record = change.record
    held = draft.held(record.name)
    current = held.get((record.type, record.set_identifier))
    if change.action is Action.DELETE:
        if current is None:
            yield f"Tried to delete resource record set {record.shown} but it was not found"
        elif not record.matches(current):
            yield (
                f"Tried to delete resource record set {record.shown} "
                "but the values provided do not match the current values"
            )
        else:
            draft.remove(record)
        return
    if change.action is Action.CREATE and current is not None:
        yield f"Tried to create resource record set {record.shown} but it already exists"
        return
    found = [*rules.conflicts(draft.zone, held, record)]
    if record.alias:
        found += aliases.problems(draft.zone, draft.held(record.alias.name), record, record.alias)
    if found:
        yield from found
    else:
        draft.put(record)
