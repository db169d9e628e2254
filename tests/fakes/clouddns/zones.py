"""Managed zones of the fake Cloud DNS with their record sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.clouddns.records import Key, RecordSet

NAME_SERVERS: Final = tuple(f"ns-cloud-a{number}.googledomains.com." for number in range(1, 5))


@dataclass(kw_only=True, eq=False)
class Zone:
    """A managed zone. Whoever reads or changes it must hold the lock of the server.

    Attributes:
        name: the name of the resource.
        number: the id.
        dns_name: the DNS name in lower case, with a trailing dot.
        changes: the number of changes that were applied.
        fields: other fields of the resource, such as `peeringConfig`.
    """

    name: str
    number: str
    dns_name: str
    private: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    held: dict[Key, RecordSet] = field(default_factory=dict)
    changes: int = 0

    def __post_init__(self) -> None:
        soa = f"{NAME_SERVERS[0]} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"
        self.put([RecordSet(name=self.dns_name, type="SOA", ttl=21_600, rrdatas=(soa,))])
        self.put([RecordSet(name=self.dns_name, type="NS", ttl=21_600, rrdatas=NAME_SERVERS)])

    def put(self, records: Iterable[RecordSet]) -> None:
        self.held |= {record.key: record for record in records}

    def list_records(self) -> list[RecordSet]:
        """Return all record sets in the order of list pages: by name as text, unlike the order of DNS, then by type."""
        return [self.held[key] for key in sorted(self.held)]
