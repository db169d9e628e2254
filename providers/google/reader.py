"""Cloud DNS as a `ZoneReader`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from extdns.model.adjusted import Adjusted
from extdns.model.name import DnsName
from extdns.model.record import Endpoint, Record
from extdns.model.zone import Page, Traits, Zone, ZoneList
from providers.google import codec
from providers.google.adjust import adjusted
from providers.google.validity import TYPES
from providers.google.wire import Limits, ListedSets
from providers.google.zones import listed
from providers.remote.failure import CallFailedError, as_read_error

if TYPE_CHECKING:
    from extdns.model.apibudget import ApiBudget
    from providers.google.client import Client
    from providers.google.settings import GoogleSettings

_SOA: Final = "SOA"  # the service's own
_USUAL: Final = Limits()


def limits(client: Client) -> Limits:
    """What the project may hold and change; what is usual, if it cannot be asked now."""
    try:
        return client.limits()
    except CallFailedError:
        return _USUAL


class CloudDnsReader:
    """Reads the zones of a project."""

    def __init__(self, settings: GoogleSettings, client: Client, limits: Limits = _USUAL) -> None:
        """Read with *client*; what the flags and the project's *limits* say of batches is stated in the traits."""
        self._settings = settings
        self._client = client
        self._limits = limits
        most = min(limits.additions, limits.deletions)
        self._traits = Traits(
            atomic=True,
            conditional=True,
            names_culprits=True,
            max_batch_writes=min(settings.max_changes, most) if settings.max_changes > 0 else most,
            max_batch_bytes=limits.size,
            types=TYPES,
            longest_only=True,
        )

    @property
    def traits(self) -> Traits:
        """Changes are atomic, and conditional by deleting exactly what stood."""
        return self._traits

    def budgets(self) -> tuple[ApiBudget, ...]:
        """How many calls the project may still make."""
        return self._client.budgets()

    def zones(self) -> ZoneList:
        """The zones of the project that pass the filters; those that can be told where a right is missing.

        Raises:
            RetryableError: the project does not answer, though it does not say that a right is missing.
        """
        return listed(self._settings.selection, self._client)

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """Properties as they are read back, and what would be refused."""
        return Adjusted.of(adjusted(endpoint, zone, self._limits) for endpoint in wanted)

    def page(self, zone: Zone, after: str | None) -> Page:
        """The next record sets in the order of the service, which it does not tell; the SOA is left out.

        Raises:
            ProviderError: the zone cannot be read, or is not there.
        """
        found = self._sets(zone, after=after or "")
        return Page(records=tuple(_records(found)), after=found.after or None)

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*, each by a call of its own: the service looks up one name at a time.

        Raises:
            ProviderError: the zone cannot be read, or is not there.
        """
        return tuple(record for name in sorted(set(names)) for record in self._records_of(zone, name))

    def _records_of(self, zone: Zone, name: DnsName) -> Iterator[Record]:
        after = ""
        while True:
            found = self._sets(zone, name=f"{name}.", after=after)
            yield from _records(found)
            after = found.after
            if not after:
                return

    def _sets(self, zone: Zone, *, name: str = "", after: str) -> ListedSets:
        try:
            return self._client.page(zone.id, f"zone {zone}", name=name, after=after, most=self._settings.page_items)
        except CallFailedError as exc:
            raise as_read_error(exc) from exc


def _records(page: ListedSets) -> Iterator[Record]:
    records = (codec.record(found) for found in page.sets if found.type != _SOA)
    return (record for record in records if record is not None)
