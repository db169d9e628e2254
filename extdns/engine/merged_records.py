"""Records that external-dns merged from several namespaces.

See docs/design/differences.md, "Two namespaces, one hostname".

They stay as they are while they equal that merge. Otherwise a tenant could keep a target of another one, by requesting
it: a record of extdns can equal the merge, too, when its own object requests less. So no record becomes merged once
every name of its zone was planned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.engine.hold_codes import compute_record_id
from extdns.model.reason import Category, Reason, select_reasons

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.delete_settings import DeleteSettings
    from extdns.model.change import Decision
    from extdns.model.dns_name import DnsName
    from extdns.model.record import OwnedRecord, RecordKey

_UNDECIDED: Final = select_reasons(Category.UNDECIDED)
_NONE: Final[frozenset[RecordKey]] = frozenset()


class MergedRecords:
    """The ids of the merged records of each zone.

    Attributes:
        complete_zones: the ids of the zones in which no record becomes merged.
        revision: a number that rises with every change that has to be saved.
    """

    def __init__(self, settings: DeleteSettings) -> None:
        self._owner = settings.owner
        self._is_off = settings.merges_namespaces
        self._found: dict[str, dict[DnsName, frozenset[str]]] = {}  # by zone id and name
        self._loaded: dict[str, frozenset[str]] = {}  # by zone id, those of an earlier process
        self.complete_zones: set[str] = set()
        self.revision = 0

    def select(self, zone_id: str, current: Iterable[OwnedRecord]) -> frozenset[RecordKey]:
        """Return the keys of the *current* records that count as merged if they equal the merge.

        These are the merged ones and, until every name of the zone was planned, all: what is decided before may lack
        the requests of a kind that is not synced.
        """
        is_open = zone_id not in self.complete_zones
        if not (is_open or self._found.get(zone_id) or self._loaded.get(zone_id)):
            return _NONE
        ours = [owned.key for owned in current if owned.is_ours]
        return frozenset(key for key in ours if is_open or self._is_merged(zone_id, key))

    def observe(self, zone_id: str, name: DnsName, decisions: Iterable[Decision]) -> None:
        """Store which records at *name* are merged, by the new *decisions* about it. Undecided ones stay merged."""
        before, loaded = self._found.get(zone_id, {}).get(name, frozenset()), self._loaded.get(zone_id, frozenset())
        if not (before or loaded or Reason.MERGED_BEFORE in [one.reason for one in decisions]):
            return
        owned = [(one.current.key, one.reason) for one in decisions if one.current and one.current.is_ours]
        after = frozenset(
            self._identify(zone_id, key)
            for key, reason in owned
            if reason is Reason.MERGED_BEFORE or (reason in _UNDECIDED and self._is_merged(zone_id, key))
        )
        self._loaded[zone_id] = loaded.difference(self._identify(zone_id, key) for key, _ in owned)
        self._found.setdefault(zone_id, {})[name] = after
        if not after:
            del self._found[zone_id][name]
        self.revision += (before, loaded) != (after, self._loaded[zone_id])

    def complete(self, zone_id: str) -> None:
        """Let no further record become merged: every name of the zone was planned."""
        if not self._is_off and (zone_id not in self.complete_zones or self._loaded.get(zone_id)):
            self.complete_zones.add(zone_id)
            self._loaded.pop(zone_id, None)
            self.revision += 1

    def load(self, zone_id: str, record_ids: tuple[str, ...] | None) -> set[DnsName]:
        """Load the merged records of an earlier process; None if it did not complete the zone.

        Return the names at which this process took other records for merged ones.
        """
        if record_ids is None or self._is_off:
            return set()
        before, saved = self._found.get(zone_id, {}), frozenset(record_ids)
        self.complete_zones.add(zone_id)
        self._found[zone_id] = {name: both for name, ids in before.items() if (both := ids & saved)}
        self._loaded[zone_id] = saved.difference(*before.values())
        return {name for name, ids in before.items() if not ids <= saved}

    def save(self, zone_id: str) -> tuple[str, ...] | None:
        """Return what the next process loads."""
        if zone_id not in self.complete_zones:
            return None
        found = self._found.get(zone_id, {}).values()
        return tuple(sorted(self._loaded.get(zone_id, frozenset()).union(*found)))

    def _is_merged(self, zone_id: str, key: RecordKey) -> bool:
        record_id = self._identify(zone_id, key)
        found = self._found.get(zone_id, {}).get(key.name, frozenset())
        return record_id in found or record_id in self._loaded.get(zone_id, frozenset())

    def _identify(self, zone_id: str, key: RecordKey) -> str:
        return compute_record_id(self._owner, zone_id, key)
