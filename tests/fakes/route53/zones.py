"""Hosted zones with their records, in the order in which the service lists them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from tests.fakes.route53.records import Key, RecordSet

Held = Mapping[tuple[str, str], RecordSet]
"""The record sets of one name, by type and set identifier."""

_NOTHING: Final[Held] = {}
NAME_SERVERS: Final = ("ns-1.awsdns-01.org", "ns-2.awsdns-02.co.uk", "ns-3.awsdns-03.com", "ns-4.awsdns-04.net")


@dataclass(frozen=True, slots=True)
class Vpc:
    """A VPC that a private zone is associated with."""

    vpc_id: str
    region: str


@dataclass(kw_only=True, eq=False)
class Zone:
    """A hosted zone; who reads or changes it holds the lock of the server.

    Attributes:
        zone_id: without `/hostedzone/`.
        name: settled.
        busy_until_s: when the last change is worked off; another one that comes before is refused.
    """

    zone_id: str
    name: str
    account: str
    private: bool = False
    comment: str = ""
    caller_reference: str = ""
    vpcs: list[Vpc] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    busy_until_s: float = 0.0
    _keys: list[Key] = field(default_factory=list)
    _by_key: dict[Key, RecordSet] = field(default_factory=dict)
    _by_name: dict[str, Held] = field(default_factory=dict)

    def __post_init__(self) -> None:
        servers = tuple(f"{server}." for server in NAME_SERVERS)
        authority = f"{servers[0]} awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"
        ns = RecordSet(name=self.name, type="NS", ttl=172_800, values=servers)
        soa = RecordSet(name=self.name, type="SOA", ttl=900, values=(authority,))
        self.replace(self.name, {("NS", ""): ns, ("SOA", ""): soa})

    def __len__(self) -> int:
        return len(self._keys)

    def records(self) -> tuple[RecordSet, ...]:
        """List all record sets, in order."""
        return tuple(self._by_key[key] for key in self._keys)

    def held(self, name: str) -> Held:
        """Give what a settled *name* holds."""
        return self._by_name.get(name, _NOTHING)

    def page(self, start: Key, limit: int) -> tuple[RecordSet, ...]:
        """List up to *limit* record sets, from the first that is not before *start*."""
        first = bisect_left(self._keys, start)
        return tuple(self._by_key[key] for key in islice(self._keys, first, first + limit))

    def replace(self, name: str, held: Held) -> None:
        """Let *name* hold *held* and nothing else."""
        before = {record.key for record in self.held(name).values()}
        after = {record.key: record for record in held.values()}
        for key in before - after.keys():
            del self._keys[bisect_left(self._keys, key)]
            del self._by_key[key]
        for key in after.keys() - before:
            insort(self._keys, key)
        self._by_key.update(after)
        if held:
            self._by_name[name] = dict(held)
        else:
            self._by_name.pop(name, None)

    def load(self, records: Iterable[RecordSet]) -> None:
        """Add or replace many record sets, quickly and unchecked."""
        for record in records:
            self._by_key[record.key] = record
            self._by_name[record.name] = {**self.held(record.name), (record.type, record.set_identifier): record}
        self._keys = sorted(self._by_key)
