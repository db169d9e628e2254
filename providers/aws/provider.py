"""Read and write Route 53: the `ZoneReader` and `ZoneWriter` ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from extdns import log
from extdns.errors import ProviderError, RetryableError
from extdns.log import Event
from extdns.model import rrtype
from extdns.model.capabilities import Capabilities
from extdns.model.change import AdjustedRecords, Applied, Batch, Forbidden, Outcome, TryLater, Unknown, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone, ZoneList, ZonePage
from providers.aws import record_sets
from providers.aws.adjust import adjust_record
from providers.aws.errors import build_outcome, find_existing
from providers.aws.record_sets import (
    MAX_BATCH_CHARACTERS,
    MAX_BATCH_ELEMENTS,
    ChangeAction,
    RecordSetChange,
    RecordSetPosition,
    Route53Page,
    Route53RecordSet,
    build_record,
    build_record_set,
    fits_in_batch,
)
from providers.aws.settings import AwsSettings
from providers.aws.zones import list_zones
from providers.common.api_calls import CallFailedError

if TYPE_CHECKING:
    from extdns.model.zone import RateLimitStatus
    from providers.aws.client import Route53Api

_log = log.get(__name__)
# Names whose position in a page is certain. For other names, Route 53 does not document whether it sorts them escaped.
_PLAIN: Final = re.compile(r"[a-z0-9_.-]+", re.ASCII)
_ITEMS_PER_NAME: Final = 20


class Route53Reader:
    """Reads the zones of one or more accounts; if one account fails, the others are still read."""

    def __init__(self, settings: AwsSettings, apis: Mapping[str, Route53Api]) -> None:
        """Create a reader of *apis*, by account; *settings* can make batches smaller than Route 53's limits."""
        self._settings = settings
        self._apis = apis
        self.capabilities = Capabilities(
            atomic=True,
            conditional=True,
            sends_upserts=not settings.conditional,
            max_batch_writes=min(max(settings.max_changes, 1), MAX_BATCH_ELEMENTS),
            max_batch_values=min(max(settings.max_values, 1), MAX_BATCH_ELEMENTS),
            max_batch_size=min(max(settings.max_bytes, 1), MAX_BATCH_CHARACTERS),
        )

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return how many calls each account may make now."""
        return tuple(status for api in self._apis.values() for status in api.rate_limiter.read_rate_limits())

    def list_zones(self) -> ZoneList:
        """Return the zones that match the zone filter, and which accounts failed."""
        return list_zones(self._settings.zone_filter, self._apis)

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        """Return *desired* as *zone* will hold it, with aliases to load balancers, and the records it would refuse."""
        return AdjustedRecords.from_results(
            [one for record in desired for one in adjust_record(record, zone, self._settings)]
        )

    def read_page(self, zone: Zone, after: str | None) -> ZonePage:
        """Return the next record sets in the order of Route 53, without the SOA."""
        found = self._read_sets(zone, _parse_cursor(after) if after else None, self._settings.page_items)
        return ZonePage(records=_build_records(found, zone), after=_format_cursor(found.after) if found.after else None)

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """Return all records of *names*; names that are close in Route 53's order share a call."""
        ordered = sorted(set(names), key=lambda name: name.order)
        plain = [name for name in ordered if _PLAIN.fullmatch(name)]
        groups = [plain, *([name] for name in ordered if not _PLAIN.fullmatch(name))]
        return tuple({record.key: record for group in groups for record in self._read_group(zone, group)}.values())

    def _read_group(self, zone: Zone, remaining: list[DnsName]) -> Iterator[Record]:
        """Yield the records of the names *remaining*, which must be sorted. A record can occur twice."""
        names = frozenset(remaining)
        start: RecordSetPosition | None = None
        while remaining:
            limit = min(self._settings.page_items, _ITEMS_PER_NAME * len(remaining))
            page = self._read_sets(zone, start or RecordSetPosition(name=remaining[0], type=""), limit)
            yield from (record for record in _build_records(page, zone) if record.name in names)
            if page.after is None:
                return
            continues = record_sets.parse_name(page.after.name)
            following = _find_first_order(page.after)
            remaining = [
                name for name in remaining if name == continues or (name != remaining[0] and name.order > following)
            ]
            start = page.after if remaining and remaining[0] == continues else None

    def _read_sets(self, zone: Zone, start: RecordSetPosition | None, limit: int) -> Route53Page:
        api = self._apis.get(zone.account)
        if api is None:
            raise RetryableError(f"zone {zone} belongs to account {zone.account!r}, which is not configured")
        return api.list_record_sets(zone, start, limit)


def _find_first_order(position: RecordSetPosition) -> str:
    """Return the sort key of *position* (see `DnsName.order`): the lower of those of its escaped and unescaped name."""
    name = position.name.removesuffix(".")
    return min(".".join(reversed(text.split("."))) + "." for text in (name, record_sets.unescape(name)))


def _build_records(page: Route53Page, zone: Zone) -> tuple[Record, ...]:
    records = (build_record(found, zone) for found in page.sets if found.type != rrtype.SOA)
    return tuple(record for record in records if record is not None)


def _format_cursor(position: RecordSetPosition) -> str:
    return f"{position.name} {position.type} {position.set_identifier}"  # names and types contain no blanks


def _parse_cursor(cursor: str) -> RecordSetPosition:
    name, rtype, set_identifier = cursor.split(" ", 2)
    return RecordSetPosition(name=name, type=rtype, set_identifier=set_identifier)


class _Replacement(NamedTuple):
    old: Route53RecordSet | None
    new: Route53RecordSet | None


class Route53Writer:
    """Sends batches to Route 53, each in one request.

    Only a batch that is forbidden, or that an emulator refuses, can be sent again, with UPSERT.
    """

    def __init__(self, apis: Mapping[str, Route53Api], *, conditional: bool = True) -> None:
        """Create a writer for *apis*, by the name in `Zone.account`.

        If *conditional*, an update deletes the exact current record instead of overwriting it with UPSERT.
        """
        self._apis = apis
        self._conditional = conditional
        self._reader = Route53Reader(AwsSettings(), apis)
        self._emulated: set[str] = set()  # ids of zones that an emulator has
        self._in_doubt: set[str] = set()  # ids of zones whose last batch was to create what exists

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        """Make all writes of *batch* in one request: deletes first, and an alias after the record it points to.

        If that is forbidden, and the batch only creates and updates, send it again with its updates as UPSERT, because
        deleting may be the only permission that is missing (docs/design/differences.md); the outcome is then marked
        `unconditional`. The next batch tries conditional writes first, too: permissions differ by name, and can be
        granted later. Without `conditional`, send updates as UPSERT at once, if the batch does not become too large.

        If only an emulator can have refused it, read *zone*, check that its records are as *batch* states, and send
        creates and updates as UPSERT. From then on do so with each batch of *zone*.
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
        if zone.id not in self._emulated and (outcome := self._send_to_route53(api, zone, replacements)):
            return outcome
        return self._overwrite(api, zone, batch, replacements)

    def _send_to_route53(self, api: Route53Api, zone: Zone, replacements: Sequence[_Replacement]) -> Outcome | None:
        """Make *replacements* as Route 53 requires it. Return None if an emulator refuses that."""
        conditional = list(_list_changes(replacements, conditional=True))
        if not self._conditional:
            overwriting = list(_list_changes(replacements, conditional=False))
            return self._send(api, zone, replacements, overwriting if fits_in_batch(overwriting) else conditional)
        outcome = self._send(api, zone, replacements, conditional)
        if not isinstance(outcome, Forbidden) or not _has_deletes(conditional):
            return outcome
        overwriting = list(_list_changes(replacements, conditional=False))
        if _has_deletes(overwriting) or not fits_in_batch(overwriting):
            return outcome
        return self._send(api, zone, replacements, overwriting)

    def _send(
        self, api: Route53Api, zone: Zone, replacements: Iterable[_Replacement], changes: Sequence[RecordSetChange]
    ) -> Outcome | None:
        """Send *changes*, which make *replacements*. Return the outcome; None if an emulator refused them.

        Route 53 makes changes in their order, deletes first. So it never says only that a record set exists that
        *changes* delete: either it deletes it, or it also says why it cannot. That another record set exists can be
        true once; then its name is read again, and not created again. The second time, the endpoint decides.
        """
        try:
            applied = _apply(api, zone, replacements, changes)
        except CallFailedError as exc:
            existing = {_get_key(one) for one in find_existing(exc, changes)}
            deleted = {_get_key(change.record_set) for change in changes if change.action is ChangeAction.DELETE}
            if existing - deleted:
                if zone.id in self._in_doubt and not api.has_amazon_endpoint():
                    return None
                self._in_doubt.add(zone.id)
            elif existing:
                return None
            return _build_failure(exc, changes)
        self._in_doubt.discard(zone.id)
        return applied

    def _overwrite(self, api: Route53Api, zone: Zone, batch: Batch, replacements: Sequence[_Replacement]) -> Outcome:
        """Make *replacements* with UPSERT if the records of *zone* are as *batch* states."""
        try:
            current = {record.key: record for record in self._read_zone(zone)}
        except ProviderError as exc:
            return TryLater(message=str(exc))
        changed = {write.key.name for write in batch.writes if current.get(write.key) != write.old}
        if changed:
            message = f"records in zone {zone} are not as they were read before"
            return WriteConflict(message=message, offending_names=tuple(sorted(changed)))
        if zone.id not in self._emulated:
            self._emulated.add(zone.id)
            _log.warning(Event.EMULATED, zone=str(zone))
        changes = [
            RecordSetChange(action=ChangeAction.UPSERT if new else ChangeAction.DELETE, record_set=one)
            for old, new in replacements
            if (one := new or old)
        ]
        try:
            return _apply(api, zone, replacements, changes)
        except CallFailedError as exc:
            return _build_failure(exc, changes)

    def _read_zone(self, zone: Zone) -> Iterator[Record]:
        page = self._reader.read_page(zone, None)
        yield from page.records
        while page.after:
            page = self._reader.read_page(zone, page.after)
            yield from page.records


def _apply(
    api: Route53Api, zone: Zone, replacements: Iterable[_Replacement], changes: Sequence[RecordSetChange]
) -> Applied:
    change_id = api.change_record_sets(zone, _sort_changes(changes, zone))
    records = [build_record(replacement.new, zone) for replacement in replacements if replacement.new]
    return Applied(
        records=tuple([record for record in records if record is not None]),
        change_id=change_id,
        unconditional=_is_unconditional(changes),
    )


def _build_failure(failed: CallFailedError, changes: Sequence[RecordSetChange]) -> Outcome:
    outcome = build_outcome(failed, [change.record_set for change in changes])
    return replace(outcome, unconditional=_is_unconditional(changes)) if isinstance(outcome, Unknown) else outcome


def _is_unconditional(changes: Iterable[RecordSetChange]) -> bool:
    return any(change.action is ChangeAction.UPSERT for change in changes)


def _get_key(one: Route53RecordSet) -> tuple[DnsName | None, str, str]:
    return record_sets.parse_name(one.name), one.type, one.set_identifier


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
    """Return whether Route 53 accepts an UPSERT from *old* to *new*: same routing policy, both or neither an alias."""
    fields = ({field.partition(".")[0] for field, _ in one.routing} for one in (old, new))
    return (old.alias is None) == (new.alias is None) and next(fields) == next(fields)
