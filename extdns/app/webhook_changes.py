"""Turn the changes of a webhook request into conditional writes, by zone (docs/design/webhook.md, "The server")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from extdns.errors import InvalidValueError, sanitize
from extdns.model import rrtype
from extdns.model.change import ChangeSet, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import OWNED_RECORD, DesiredRecord, Record, RecordKey, canonicalize_targets
from extdns.model.selection import DomainFilter
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone
from providers.webhook.wire import Changes, Endpoint

Adjust = Callable[[DesiredRecord, Zone], tuple[DesiredRecord, ...]]
"""Returns what the provider would hold, or raises `ImpossibleChangeError`."""

Snapshots = Mapping[str, Mapping[RecordKey, Record]]
"""By zone id: what the zones held when they were last read or written."""


class ImpossibleChangeError(Exception):
    """A change that cannot be made safely; the message says why."""


def parse_endpoint(endpoint: Endpoint) -> DesiredRecord:
    """Return the record that *endpoint* describes.

    Raises:
        ImpossibleChangeError: its name is invalid.
    """
    try:
        name = DnsName.parse(endpoint.dns_name)
    except InvalidValueError as exc:
        raise ImpossibleChangeError(str(exc)) from exc
    return DesiredRecord(
        name=name,
        type=endpoint.record_type,
        targets=canonicalize_targets(endpoint.record_type, endpoint.targets or ()),
        ttl_s=max(0, endpoint.record_ttl or 0),
        set_identifier=endpoint.set_identifier or "",
        labels=StringMap.from_items(endpoint.labels) if endpoint.labels else EMPTY_MAP,
        properties=endpoint.properties,
    )


class ChangePlanner:
    """Collects the writes of one request. A change that cannot be made becomes a problem, and does not stop others.

    Attributes:
        problems: a line for each change that cannot be made.
    """

    def __init__(
        self,
        find_zones: Callable[[DnsName], Iterable[Zone]],
        snapshots: Snapshots,
        adjust: Adjust,
        domains: DomainFilter,
    ) -> None:
        """Plan changes of the zones that *find_zones* returns, of which *snapshots* has the records.

        Names that *domains* exclude are not changed, nor are the ownership records of their records.
        """
        self._find_zones = find_zones
        self._domains = domains
        self._snapshots = snapshots
        self._adjust = adjust
        self._writes: dict[Zone, dict[str, list[Write]]] = {}
        self._failed: set[str] = set()
        self.problems: list[str] = []

    def plan(self, changes: Changes) -> None:
        """Add the writes that make *changes*, and a problem for each change that cannot be made."""
        deleted = {_find_key(endpoint): endpoint for endpoint in changes.delete}
        for endpoint in changes.create:  # one that is deleted, too, is updated
            self._plan_each(endpoint, deleted.pop(_find_key(endpoint), None), endpoint)
        for old, new in zip(changes.update_old, changes.update_new, strict=True):
            self._plan_each(new, old, new)
        for endpoint in deleted.values():
            self._plan_each(endpoint, endpoint, None)

    def build_change_sets(self) -> dict[Zone, list[ChangeSet]]:
        """Return the change sets by zone, each with all writes of one name and its ownership records.

        Names with a problem are left out.
        """
        return {
            zone: [
                ChangeSet(
                    zone=zone,
                    name=next((one.key.name for one in writes if one.key.type != rrtype.TXT), writes[0].key.name),
                    changes=(),
                    writes=tuple(sorted(writes, key=lambda write: write.key)),
                )
                for group, writes in sorted(groups.items())
                if group not in self._failed
            ]
            for zone, groups in self._writes.items()
        }

    def _plan_each(self, about: Endpoint, old: Endpoint | None, new: Endpoint | None) -> None:
        """Plan the change from *old* to *new* in each zone of its name; store the problem if it is impossible."""
        group = ((about.labels or {}).get(OWNED_RECORD) or about.dns_name).lower().removesuffix(".")
        try:
            before = parse_endpoint(old) if old else None
            after = parse_endpoint(new) if new else None
            zones = self._find_zones_to_change(before, after)
            planned = [(zone, self._plan_in_zone(zone, before, after)) for zone in zones]
        except ImpossibleChangeError as exc:
            self.problems.append(f"{sanitize(about.dns_name)} {sanitize(about.record_type)}: {exc}")
            self._failed.add(group)
            return
        for zone, writes in planned:
            if writes:
                self._writes.setdefault(zone, {}).setdefault(group, []).extend(writes)

    def _find_zones_to_change(self, before: DesiredRecord | None, after: DesiredRecord | None) -> tuple[Zone, ...]:
        """Return the zones of the name. Raises `ImpossibleChangeError` if the change is possible in none of them."""
        about = after or before
        if about is None:
            raise AssertionError("a change has a record before or after it")
        if before and before.name != about.name:
            raise ImpossibleChangeError(f"an update cannot move a record, here from {before.name}")
        zones = tuple(self._find_zones(about.name))
        if not zones:
            raise ImpossibleChangeError("no managed zone holds the name")
        if not self._domains.matches(_find_owned_name(about)):
            raise ImpossibleChangeError("the domain filter excludes the name")
        if before and not _is_ownership_record(before):
            held = any(before.key in self._snapshots.get(zone.id, {}) for zone in zones)
            if not held:
                raise ImpossibleChangeError("the record is gone; read the records again")
        return zones

    def _plan_in_zone(self, zone: Zone, before: DesiredRecord | None, after: DesiredRecord | None) -> list[Write]:
        snapshot = self._snapshots.get(zone.id, {})
        held = snapshot.get(before.key) if before else None
        if before and held:
            _require_same(before, held)
        if after is None:
            return [Write(old=held, new=None)] if held else []
        adjusted = self._adjust(after, zone)
        writes: list[Write] = []
        for desired in adjusted:
            current = snapshot.get(desired.key)
            if before is None and current is not None:
                raise ImpossibleChangeError("the record exists already; read the records again")
            writes.append(Write(old=current if before is None or desired.key != before.key else held, new=desired))
        if held and held.key not in {desired.key for desired in adjusted}:
            writes.append(Write(old=held, new=None))
        return writes


def _find_key(endpoint: Endpoint) -> tuple[str, str, str]:
    """Return name, type and set identifier, by which endpoints of one record are equal."""
    name = endpoint.dns_name.lower().removesuffix(".")
    return name, endpoint.record_type, endpoint.set_identifier or ""


def _require_same(stated: DesiredRecord, held: Record) -> None:
    """Raise `ImpossibleChangeError` if the request states other targets than those of *held*, the record read last.

    The text of ownership records is not compared.
    """
    if _is_ownership_record(stated):
        return
    same = stated.targets == held.targets
    if held.type != rrtype.TXT:  # the names in other types have no case
        same = {target.casefold() for target in stated.targets} == {target.casefold() for target in held.targets}
    if not same:
        raise ImpossibleChangeError(
            f"the record has other targets than the request states ({', '.join(held.targets)[:200]});"
            " read the records again"
        )


def _is_ownership_record(record: DesiredRecord) -> bool:
    """Return whether external-dns labels *record* as the ownership record of another one."""
    return record.type == rrtype.TXT and record.labels.has(OWNED_RECORD)


def _find_owned_name(record: DesiredRecord) -> DnsName:
    """Return the name of *record*, or of the record that it is the ownership record of.

    Raises:
        ImpossibleChangeError: that name is invalid.
    """
    if not _is_ownership_record(record):
        return record.name
    try:
        return DnsName.parse(record.labels.get(OWNED_RECORD))
    except InvalidValueError as exc:
        raise ImpossibleChangeError(str(exc)) from exc


def list_names(sets: Iterable[ChangeSet]) -> Iterator[DnsName]:
    """Return the names that *sets* write."""
    return (write.key.name for one in sets for write in one.writes)
