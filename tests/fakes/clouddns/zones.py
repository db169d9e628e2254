"""Managed zones with their record sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.clouddns.records import Key, RecordSet

NAME_SERVERS: Final = tuple(f"ns-cloud-a{number}.googledomains.com." for number in range(1, 5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A change that was made, for `changes.get`."""

    id: str
    at_s: float
    started: str
    additions: tuple[RecordSet, ...]
    deletions: tuple[RecordSet, ...]


@dataclass(kw_only=True, eq=False)
class Zone:
    """A managed zone; who reads or changes it holds the lock of the server.

    Attributes:
        name: what its owner calls it.
        number: its id.
        dns_name: in lower case, with a dot at the end.
        fields: further fields of the resource, such as `peeringConfig`.
    """

    name: str
    number: str
    dns_name: str
    private: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    held: dict[Key, RecordSet] = field(default_factory=dict)
    changes: list[Changed] = field(default_factory=list)

    def __post_init__(self) -> None:
        soa = f"{NAME_SERVERS[0]} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"
        self.put([RecordSet(name=self.dns_name, type="SOA", ttl=21_600, rrdatas=(soa,))])
        self.put([RecordSet(name=self.dns_name, type="NS", ttl=21_600, rrdatas=NAME_SERVERS)])

    def put(self, records: Iterable[RecordSet]) -> None:
        """Add or replace record sets, unchecked."""
        self.held |= {record.key: record for record in records}

    def listed(self) -> list[RecordSet]:
        """All record sets in the order of pages: by name as text, which is not the order of DNS, then type."""
        return [self.held[key] for key in sorted(self.held)]
