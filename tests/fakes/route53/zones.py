"""Hosted zones with their records, sorted as the service lists them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice
from typing import Final

from tests.fakes.route53.records import Key, RecordSet

Held = Mapping[tuple[str, str], RecordSet]
"""The record sets of one name, by type and set identifier."""

_NOTHING: Final[Held] = {}
NAME_SERVERS: Final = ("ns-1.awsdns-01.org", "ns-2.awsdns-02.co.uk", "ns-3.awsdns-03.com", "ns-4.awsdns-04.net")


class Author(Enum):
    """Who changed a record set: a client through the API, or the test directly."""

    API = auto()
    TEST = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A record set that was created, changed or deleted."""

    by: Author
    before: RecordSet | None
    after: RecordSet | None


@dataclass(kw_only=True, eq=False)
class Zone:
    """A hosted zone. Whoever reads or changes it must hold the lock of the server.

    Attributes:
        zone_id: the id without `/hostedzone/`.
        name: the normalized name.
        edits: all changes since the zone was created and filled.
        protections: the comments of protected records by name and type.
    """

    zone_id: str
    name: str
    account: str
    private: bool = False
    tags: dict[str, str] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    protections: dict[tuple[str, str], str] = field(default_factory=dict)
    _keys: list[Key] = field(default_factory=list)
    _by_key: dict[Key, RecordSet] = field(default_factory=dict)
    _by_name: dict[str, Held] = field(default_factory=dict)

    def __post_init__(self) -> None:
        servers = tuple(f"{server}." for server in NAME_SERVERS)
        authority = f"{servers[0]} awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"
        ns = RecordSet(name=self.name, type="NS", ttl=172_800, values=servers)
        soa = RecordSet(name=self.name, type="SOA", ttl=900, values=(authority,))
        self.load((ns, soa))

    def __len__(self) -> int:
        return len(self._keys)

    def records(self) -> tuple[RecordSet, ...]:
        return tuple(self._by_key[key] for key in self._keys)

    def held(self, name: str) -> Held:
        return self._by_name.get(name, _NOTHING)

    def page(self, start: Key, limit: int) -> tuple[RecordSet, ...]:
        """Return up to *limit* record sets, sorted, from *start* on."""
        first = bisect_left(self._keys, start)
        return tuple(self._by_key[key] for key in islice(self._keys, first, first + limit))

    def replace(self, name: str, held: Held, *, by: Author) -> None:
        current = self.held(name)
        for location in current.keys() - held.keys():
            gone = current[location]
            del self._keys[bisect_left(self._keys, gone.key)]
            del self._by_key[gone.key]
            self.edits.append(Edit(by=by, before=gone, after=None))
        for location, record in held.items():
            before = current.get(location)
            if before is None:
                insort(self._keys, record.key)
            if before != record:
                self._by_key[record.key] = record
                self.edits.append(Edit(by=by, before=before, after=record))
        if held:
            self._by_name[name] = dict(held)
        else:
            self._by_name.pop(name, None)

    def load(self, records: Iterable[RecordSet]) -> None:
        """Create or replace many record sets quickly, without validation and without recording edits."""
        for record in records:
            self._by_key[record.key] = record
            self._by_name[record.name] = {**self.held(record.name), (record.type, record.set_identifier): record}
        self._keys = sorted(self._by_key)
