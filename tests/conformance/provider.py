"""What the conformance suite of providers needs of each: a zone of its own to read, write and meddle with.

A new provider adds a function that makes its `Rig` to `RIGS`; a service is a fake on loopback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from extdns.model.change import Batch, ChangeSet, Write
from extdns.model.name import DnsName
from extdns.model.outcome import Applied
from extdns.model.pairs import NONE, Pairs
from extdns.model.record import Endpoint, Record, canonical_targets
from extdns.model.zone import Zone
from extdns.ports import ZoneReader, ZoneWriter
from providers.aws.reader import Route53Reader
from providers.aws.selection import Selection
from providers.aws.settings import AwsSettings
from providers.aws.writer import Route53Writer
from providers.google.reader import CloudDnsReader
from providers.google.selection import Selection as GoogleSelection
from providers.google.settings import GoogleSettings
from providers.google.writer import CloudDnsWriter
from providers.inmemory.provider import InMemoryProvider
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.reader import ZoneFileReader
from providers.zonefile.writer import ZoneFileWriter
from tests import clouddns as google
from tests.fakes.careless import CarelessProvider
from tests.route53 import service


@dataclass(frozen=True, kw_only=True)
class Rig:
    """One provider with a zone `example.org` that holds nothing of ours.

    Attributes:
        other: a writer that the provider under test knows nothing of, for edits behind its back.
        routes: properties of a routing policy, if set identifiers can be held.
    """

    reader: ZoneReader
    writer: ZoneWriter
    other: ZoneWriter
    zone: Zone
    routes: Pairs | None = None

    def submit(self, *writes: Write) -> object:
        """The outcome of one batch of *writes*."""
        return self.writer.submit(self.zone, batch_of(self.zone, writes))

    def apply(self, *writes: Write) -> tuple[Record, ...]:
        """Make *writes*, which must succeed; returns what stands at their keys."""
        outcome = self.submit(*writes)
        assert isinstance(outcome, Applied), outcome
        return outcome.records

    def meddle(self, *writes: Write) -> None:
        """Make *writes* as somebody else would."""
        outcome = self.other.submit(self.zone, batch_of(self.zone, writes))
        assert isinstance(outcome, Applied), outcome

    def read(self) -> tuple[Record, ...]:
        """The whole zone, page by page."""
        records: list[Record] = []
        after = None
        while True:
            page = self.reader.page(self.zone, after)
            records += page.records
            if page.after is None:
                return tuple(records)
            assert page.after != after
            after = page.after


class FixedClock:
    """A clock that stands still."""

    def now(self) -> datetime:
        """Noon of some day."""
        return datetime(2026, 11, 21, 12, tzinfo=UTC)

    def monotonic_s(self) -> float:
        """Always the same."""
        return 0.0


def endpoint(name: str, rtype: str, *targets: str, ttl_s: int = 0, set_identifier: str = "") -> Endpoint:
    """An endpoint in canonical form."""
    return Endpoint(
        name=DnsName.parse(name),
        type=rtype,
        targets=canonical_targets(rtype, targets),
        ttl_s=ttl_s,
        set_identifier=set_identifier,
    )


def create(name: str, rtype: str, *targets: str, ttl_s: int = 0, set_identifier: str = "") -> Write:
    """A write where nothing may stand."""
    return Write(old=None, new=endpoint(name, rtype, *targets, ttl_s=ttl_s, set_identifier=set_identifier))


def delete(record: Record) -> Write:
    """A write that leaves nothing where *record* stands."""
    return Write(old=record, new=None)


def update(record: Record, *targets: str, ttl_s: int | None = None) -> Write:
    """A write that gives *record* other targets."""
    new = endpoint(record.name, record.type, *targets, ttl_s=record.ttl_s if ttl_s is None else ttl_s)
    return Write(old=record, new=new)


def restate(record: Record) -> Write:
    """A write that changes nothing and fails if *record* is no longer what it was."""
    return update(record, *record.targets)


def batch_of(zone: Zone, writes: Iterable[Write]) -> Batch:
    """*writes* as one batch, a change set a name."""
    groups: dict[DnsName, list[Write]] = {}
    for write in writes:
        groups.setdefault(write.key.name, []).append(write)
    sets = (ChangeSet(zone=zone, name=name, changes=(), writes=tuple(groups[name])) for name in sorted(groups))
    return Batch(number=1, zone=zone, sets=tuple(sets))


def inmemory(_: Path) -> Rig:
    """The in-memory provider, in pages of three."""
    provider = InMemoryProvider(["example.org"], page_size=3)
    zone = provider.zones().zones[0]
    return Rig(reader=provider, writer=provider, other=provider, zone=zone, routes=NONE)


def careless(_: Path) -> Rig:
    """A service that is neither atomic nor conditional, in pages of three."""
    provider = CarelessProvider(["example.org"], page_size=3)
    zone = provider.zones().zones[0]
    return Rig(reader=provider, writer=provider, other=provider, zone=zone, routes=NONE)


ZONE_TEXT: Final = """\
$ORIGIN example.org.
$TTL 3600
@        IN SOA  ns1 hostmaster ( 2024010101 7200 900 1209600 300 )
         IN NS   ns1
ns1      IN A    192.0.2.53
"""


def zonefile(folder: Path) -> Rig:
    """The zone-file provider, in pages of two names; somebody else has the same folder open."""
    (folder / "example.org.zone").write_text(ZONE_TEXT)
    shared = ZoneFolder(folder)
    reader = ZoneFileReader(shared, page_names=2)
    clock = FixedClock()
    return Rig(
        reader=reader,
        writer=ZoneFileWriter(shared, clock),
        other=ZoneFileWriter(ZoneFolder(folder), clock),
        zone=reader.zones().zones[0],
    )


def route53(_: Path) -> Rig:
    """The provider for Route 53 and a zone of its own in a strict fake, in pages of three record sets."""
    fake, client = service()
    fake.reset()
    zone_id = fake.add_zone("example.org")
    reader = Route53Reader(AwsSettings(selection=Selection(ids=(zone_id,)), page_items=3), client)
    return Rig(
        reader=reader,
        writer=Route53Writer(client),
        other=Route53Writer(client),
        zone=reader.zones().zones[0],
        routes=Pairs.of({"aws/weight": "10"}),
    )


def clouddns(_: Path) -> Rig:
    """The provider for Cloud DNS and a zone of its own in a strict fake, in pages of three record sets."""
    fake, client = google.service()
    fake.reset()
    name = fake.add_zone("example.org")
    reader = CloudDnsReader(GoogleSettings(selection=GoogleSelection(ids=(name,)), page_items=3), client)
    return Rig(reader=reader, writer=CloudDnsWriter(client), other=CloudDnsWriter(client), zone=reader.zones().zones[0])


RIGS: Final[dict[str, Callable[[Path], Rig]]] = {
    "aws": route53,
    "careless": careless,
    "google": clouddns,
    "inmemory": inmemory,
    "zonefile": zonefile,
}
GUARDED: Final = ("aws", "google", "inmemory", "zonefile")
"""Those whose service is atomic and conditional."""
