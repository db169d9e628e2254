"""Apply a change batch, completely or not at all (API reference, ChangeResourceRecordSets)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tests.fakes.route53 import aliases, rules, values
from tests.fakes.route53.errors import build_invalid_batch
from tests.fakes.route53.records import RecordSet
from tests.fakes.route53.zones import Author, Held, Zone
from tests.fakes.service.answers import ApiError

MAX_ELEMENTS: Final = 1000
MAX_CHARACTERS: Final = 32_000


class Action(StrEnum):
    CREATE = "CREATE"
    DELETE = "DELETE"
    UPSERT = "UPSERT"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a batch: an action and a record set."""

    action: Action
    record: RecordSet


@dataclass(slots=True)
class ProjectedZone:
    """A copy of a zone to which the changes of a batch are applied first, so that the zone changes only at the end."""

    zone: Zone
    touched: dict[str, dict[tuple[str, str], RecordSet]] = field(default_factory=dict)

    def held(self, name: str) -> Held:
        """Return the records at *name* after the changes so far."""
        return self.touched[name] if name in self.touched else self.zone.held(name)

    def put(self, record: RecordSet) -> None:
        self._copy_records(record.name)[record.type, record.set_identifier] = record

    def remove(self, record: RecordSet) -> None:
        del self._copy_records(record.name)[record.type, record.set_identifier]

    def _copy_records(self, name: str) -> dict[tuple[str, str], RecordSet]:
        return self.touched.setdefault(name, dict(self.zone.held(name)))


def apply(
    zone: Zone,
    changes: tuple[Change, ...],
    *,
    knows_health_check: Callable[[str], bool],
) -> None:
    """Apply *changes* to *zone*, in their order.

    Errors of the batch as a whole are reported first, then those of single record sets, then conflicts with records of
    the zone.
    """
    made = [change.record for change in changes if change.action is not Action.DELETE]
    for check in (_find_exceeded_sizes(changes), _find_repeated(changes), _find_invalid_values(zone, changes)):
        _raise_problems(check)
    for record in made:
        if record.health_check_id and not knows_health_check(record.health_check_id):
            message = f"No health check exists with the specified ID: {record.health_check_id}"
            raise ApiError(404, "NoSuchHealthCheck", message)
    candidate = ProjectedZone(zone)
    _raise_problems(message for change in changes for message in _apply_change(candidate, change))
    _raise_problems(rules.find_zone_problems(zone, candidate, made))
    for name, held in candidate.touched.items():
        zone.replace(name, held, by=Author.API)


def _raise_problems(messages: Iterable[str]) -> None:
    found = tuple(messages)
    if found:
        raise build_invalid_batch(found)


def _find_exceeded_sizes(changes: tuple[Change, ...]) -> Iterator[str]:
    """Yield exceeded size limits. An alias is one element, and an UPSERT counts twice (developer guide, "Quotas")."""
    elements = characters = 0
    for change in changes:
        times = 2 if change.action is Action.UPSERT else 1
        elements += times * (len(change.record.values) or 1)
        characters += times * sum(map(len, change.record.values))
    if elements > MAX_ELEMENTS:
        yield f"Number of records limit of {MAX_ELEMENTS} exceeded."
    if characters > MAX_CHARACTERS:
        yield f"RDATA character limit of {MAX_CHARACTERS} exceeded."


def _find_repeated(changes: tuple[Change, ...]) -> Iterator[str]:
    """Yield record sets that occur twice in a batch, other than first in a DELETE and then in a CREATE or UPSERT."""
    seen: dict[object, Action] = {}
    for change in changes:
        key = change.record.key
        before = seen.get(key)
        if before is not None and (before is not Action.DELETE or change.action is Action.DELETE):
            shown = f"{change.record.type} {change.record.name}"
            yield f"The request contains an invalid set of changes for a resource record set '{shown}'"
        seen[key] = change.action if before is None else Action.UPSERT


def _find_invalid_values(zone: Zone, changes: tuple[Change, ...]) -> Iterator[str]:
    for change in changes:
        yield from rules.find_invalid(zone, change.record)
        yield from values.find_problems(change.record)


def _apply_change(candidate: ProjectedZone, change: Change) -> Iterator[str]:
    """Apply *change* to *candidate*, or yield why that is not possible."""
    record = change.record
    held = candidate.held(record.name)
    current = held.get((record.type, record.set_identifier))
    if change.action is Action.DELETE:
        if current is None:
            yield f"Tried to delete resource record set {record.description} but it was not found"
        elif not record.matches(current):
            yield (
                f"Tried to delete resource record set {record.description} "
                "but the values provided do not match the current values"
            )
        else:
            candidate.remove(record)
        return
    if change.action is Action.CREATE and current is not None:
        yield f"Tried to create resource record set {record.description} but it already exists"
        return
    found = [*rules.find_conflicts(candidate.zone, held, record)]
    if record.alias:
        found += aliases.find_problems(candidate.zone, candidate.held(record.alias.name), record, record.alias)
    if found:
        yield from found
    else:
        candidate.put(record)
