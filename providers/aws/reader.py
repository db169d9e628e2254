"""Route 53 as a `ZoneReader`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from extdns.errors import RetryableError
from extdns.model.adjusted import Adjusted
from extdns.model.name import DnsName
from extdns.model.record import Endpoint, Record
from extdns.model.zone import Page, Traits, Zone, ZoneList
from providers.aws import codec, names
from providers.aws.adjust import adjusted
from providers.aws.quotas import MOST_CHARACTERS, MOST_ELEMENTS
from providers.aws.validity import TYPES
from providers.aws.wire import ListedSets, Position
from providers.aws.zones import listed
from providers.remote.failure import CallFailedError, as_read_error

if TYPE_CHECKING:
    from extdns.model.apibudget import ApiBudget
    from providers.aws.client import Client
    from providers.aws.settings import AwsSettings

_SOA: Final = "SOA"  # the service's own
# Of names with other characters it is not said whether they are sorted as they are or as they are escaped.
_PLAIN: Final = re.compile(r"[a-z0-9_.-]+", re.ASCII)
_ITEMS_A_NAME: Final = 20


class Route53Reader:
    """Reads the zones of one or more accounts; one that fails keeps no other from being read."""

    def __init__(self, settings: AwsSettings, clients: Mapping[str, Client]) -> None:
        """Read with *clients*, by account; what the flags say of batches is stated in the traits."""
        self._settings = settings
        self._clients = clients
        self._traits = Traits(
            atomic=True,
            conditional=True,
            names_culprits=True,
            overwrites=not settings.conditional,
            max_batch_writes=min(max(settings.max_changes, 1), MOST_ELEMENTS),
            max_batch_values=min(max(settings.max_values, 1), MOST_ELEMENTS),
            max_batch_bytes=min(max(settings.max_bytes, 1), MOST_CHARACTERS),
            types=TYPES,
        )

    @property
    def traits(self) -> Traits:
        """Batches are atomic, and conditional by deleting exactly what stood."""
        return self._traits

    def budgets(self) -> tuple[ApiBudget, ...]:
        """How many calls each account may still make."""
        return tuple(budget for client in self._clients.values() for budget in client.budgets())

    def zones(self) -> ZoneList:
        """The zones that pass the filters, of every account that answers; of one zone listed twice, the first.

        Raises:
            RetryableError: no account answers, though none of them says that a right is missing.
        """
        return listed(self._settings.selection, self._clients)

    def adjust(self, wanted: Sequence[Endpoint], zone: Zone) -> Adjusted:
        """Aliases for the load balancers of AWS, properties as they are read back, and what would be refused."""
        found = [adjusted(endpoint, zone, self._settings.aliases) for endpoint in wanted]
        if len(found) == 1:
            return found[0]
        return Adjusted(
            wanted=tuple(form for one in found for form in one.wanted),
            refused=tuple(refusal for one in found for refusal in one.refused),
        )

    def page(self, zone: Zone, after: str | None) -> Page:
        """The next record sets in the order of the service; the SOA is left out.

        Raises:
            ProviderError: the zone cannot be read, or is not there.
        """
        found = self._sets(zone, _position(after) if after else None, self._settings.page_items)
        return Page(records=_records(found, zone), after=_cursor(found.after) if found.after else None)

    def names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        """All records of *names*; names that lie close together share a call.

        Raises:
            ProviderError: the zone cannot be read, or is not there.
        """
        wanted = sorted(set(names), key=lambda name: name.order)
        plain = [name for name in wanted if _PLAIN.fullmatch(name)]
        groups = [plain, *([name] for name in wanted if not _PLAIN.fullmatch(name))]
        return tuple({record.key: record for group in groups for record in self._group(zone, group)}.values())

    def _group(self, zone: Zone, left: list[DnsName]) -> Iterator[Record]:
        """The records of names in the zone's order, or of a single one; some may come twice."""
        wanted = frozenset(left)
        start: Position | None = None
        while left:
            most = min(self._settings.page_items, _ITEMS_A_NAME * len(left))
            page = self._sets(zone, start or Position(name=left[0], type=""), most)
            yield from (record for record in _records(page, zone) if record.name in wanted)
            if page.after is None:
                return
            continues = names.parsed(page.after.name)
            following = _place(page.after)
            left = [name for name in left if name == continues or (name != left[0] and name.order > following)]
            start = page.after if left and left[0] == continues else None

    def _sets(self, zone: Zone, start: Position | None, most: int) -> ListedSets:
        client = self._clients.get(zone.account)
        if client is None:
            raise RetryableError(f"no account {zone.account!r} is configured, which zone {zone} belongs to")
        try:
            return client.page(zone.id, f"zone {zone}", start, most)
        except CallFailedError as exc:
            raise as_read_error(exc) from exc


def _place(position: Position) -> str:
    """A place among names, as `DnsName.order` gives it, that is certainly not behind *position*."""
    spelled = position.name.removesuffix(".")
    return min(".".join(reversed(text.split("."))) + "." for text in (spelled, names.unescaped(spelled)))


def _records(page: ListedSets, zone: Zone) -> tuple[Record, ...]:
    records = (codec.record(found, zone) for found in page.sets if found.type != _SOA)
    return tuple(record for record in records if record is not None)


def _cursor(position: Position) -> str:
    return f"{position.name} {position.type} {position.set_identifier}"  # names and types hold no blank


def _position(cursor: str) -> Position:
    name, rtype, set_identifier = cursor.split(" ", 2)
    return Position(name=name, type=rtype, set_identifier=set_identifier)
