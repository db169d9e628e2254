"""Zones, and what a DNS service can and cannot do (design 2, 4)."""

from __future__ import annotations

from extdns.model.name import DnsName
from extdns.model.record import Record
from extdns.model.value import Value


class Zone(Value, frozen=True, kw_only=True, order=True):
    """One zone of one account.

    Attributes:
        id: unique among all zones of the process.
        account: the account or profile that holds it, "" where there is only one.
        private: whether only some networks see it (split horizon).
    """

    name: DnsName
    id: str
    account: str = ""
    private: bool = False

    def __str__(self) -> str:
        """`example.org (Z2ABC)`, as messages name it."""
        return self.name if self.id == self.name else f"{self.name} ({self.id})"


class AccountFailure(Value, frozen=True, kw_only=True):
    """An account whose zones could not be listed.

    Attributes:
        permanent: whether only a person can mend it (a right is missing).
    """

    account: str
    message: str
    permanent: bool = False


class ZoneList(Value, frozen=True, kw_only=True):
    """All zones that could be listed, sorted, and the accounts that failed.

    Attributes:
        calls: calls to the service that the list took.
    """

    zones: tuple[Zone, ...]
    failed: tuple[AccountFailure, ...] = ()
    calls: int = 1


class Page(Value, frozen=True, kw_only=True):
    """Part of a zone.

    Attributes:
        records: in the service's order.
        after: opaque cursor of the next page, None on the last.
    """

    records: tuple[Record, ...]
    after: str | None = None


class Traits(Value, frozen=True, kw_only=True):
    """What a DNS service promises (design 2, last paragraph).

    Attributes:
        atomic: a batch applies whole or not at all.
        conditional: a write fails if the record is not what the change says it was.
        names_culprits: a refusal names the record sets it is about.
        ordered: pages come in the order of `DnsName.order`, so that absence can be told page by page.
        overwrites: an update is sent as what it makes alone, and that counts twice, unless the batch is too large so.
        max_batch_writes: writes (record and mark count one each) in a batch; an update counts two.
        max_batch_values: values in a batch, counted likewise; an alias is one. None for no limit.
        max_batch_bytes: bytes of record data in a batch.
        types: record types the service takes from us.
        longest_only: a name goes to the zones that match longest; else to every private zone above it as well.
    """

    atomic: bool
    conditional: bool
    names_culprits: bool = False
    ordered: bool = False
    overwrites: bool = False
    max_batch_writes: int = 1000
    max_batch_values: int | None = None
    max_batch_bytes: int = 32000
    types: frozenset[str] = frozenset()
    longest_only: bool = False

    @property
    def guards(self) -> bool:
        """Whether the service makes just what was planned or nothing; if not, we must look before every write."""
        return self.atomic and self.conditional
