"""Write to Route 53: the `ZoneWriter` port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from extdns.model.change import Applied, Batch, Forbidden, Outcome, TryLater
from extdns.model.zone import Zone
from providers.aws.errors import build_outcome
from providers.aws.record_sets import (
    ChangeAction,
    RecordSetChange,
    Route53RecordSet,
    build_record,
    build_record_set,
    fits_in_batch,
)
from providers.common.api_calls import CallFailedError

if TYPE_CHECKING:
    from providers.aws.client import Route53Api


class _Replacement(NamedTuple):
    """A record set before and after a write, None if there is none."""

    old: Route53RecordSet | None
    new: Route53RecordSet | None


class Route53Writer:
    """Sends batches to Route 53. Each batch is one request, which is never repeated."""

    def __init__(self, apis: Mapping[str, Route53Api], *, conditional: bool = True) -> None:
        """Create a writer.

        Args:
            apis: by account.
            conditional: whether an update deletes the exact current record instead of overwriting it with UPSERT.
        """
        self._apis = apis
        self._conditional = conditional

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one request: deletes first, and an alias after the record it points to.

        If that is forbidden, send the updates as UPSERT, because deleting may be the only permission that is missing
        (docs/design/differences.md); the outcome is then marked `unconditional`. A batch with real deletes is not sent
        again. Every batch tries conditional writes first: permissions differ by name, and can be granted later.
        """
        api = self._apis.get(zone.account)
        if api is None:
            return TryLater(message=f"zone {zone} belongs to account {zone.account!r}, which is not configured")
        if not batch.writes:
            return Applied(records=())
        replacements = [
            _Replacement(
                build_record_set(write.old, zone) if write.old else None,
                build_record_set(write.new, zone) if write.new else None,
            )
            for write in batch.writes
        ]
        conditional = list(_list_changes(replacements, conditional=True))
        if not self._conditional:
            overwriting = list(_list_changes(replacements, conditional=False))
            return _send(api, zone, replacements, overwriting if fits_in_batch(overwriting) else conditional)
        outcome = _send(api, zone, replacements, conditional)
        if not isinstance(outcome, Forbidden) or not _has_deletes(conditional):
            return outcome
        overwriting = list(_list_changes(replacements, conditional=False))
        if _has_deletes(overwriting) or not fits_in_batch(overwriting):
            return outcome
        return _send(api, zone, replacements, overwriting)


def _send(
    api: Route53Api, zone: Zone, replacements: Iterable[_Replacement], changes: Sequence[RecordSetChange]
) -> Outcome:
    """Send *changes*, which make *replacements*, and return the outcome."""
    try:
        change_id = api.change_record_sets(zone.id, f"zone {zone}", _sort_changes(changes, zone))
    except CallFailedError as exc:
        return build_outcome(exc, [change.record_set for change in changes])
    records = [build_record(replacement.new, zone) for replacement in replacements if replacement.new]
    return Applied(
        records=tuple([record for record in records if record is not None]),
        change_id=change_id,
        unconditional=ChangeAction.UPSERT in [change.action for change in changes],
    )


def _has_deletes(changes: Iterable[RecordSetChange]) -> bool:
    return any(change.action is ChangeAction.DELETE for change in changes)


def _sort_changes(changes: Sequence[RecordSetChange], zone: Zone) -> Sequence[RecordSetChange]:
    """Return *changes* with deletes first, and each alias after its target in *zone*, which must exist before it."""
    created = [change.record_set for change in changes if change.action is not ChangeAction.DELETE]
    targets = {one.name: one.alias.name for one in created if one.alias and one.alias.zone_id == zone.id}

    def count_hops(change: RecordSetChange) -> int:
        if change.action is ChangeAction.DELETE:
            return 0
        name, hops = change.record_set.name, 1
        while name in targets and hops <= len(targets):  # aliases can point to each other in a loop
            name, hops = targets[name], hops + 1
        return hops

    return sorted(changes, key=count_hops)


def _list_changes(replacements: Iterable[_Replacement], *, conditional: bool) -> Iterator[RecordSetChange]:
    for old, new in replacements:
        if old and new and not conditional and _can_overwrite(old, new):
            yield RecordSetChange(action=ChangeAction.UPSERT, record_set=new)
            continue
        if old:
            yield RecordSetChange(action=ChangeAction.DELETE, record_set=old)
        if new:
            yield RecordSetChange(action=ChangeAction.CREATE, record_set=new)


def _can_overwrite(old: Route53RecordSet, new: Route53RecordSet) -> bool:
    """Return whether Route 53 accepts an UPSERT from *old* to *new*: both aliases or not, and one routing policy."""
    fields = ({field.partition(".")[0] for field, _ in one.routing} for one in (old, new))
    return (old.alias is None) == (new.alias is None) and next(fields) == next(fields)
