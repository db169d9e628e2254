"""The rigs of the conformance tests of providers: for each provider, a zone to read, write and edit.

To test another provider, add a function that builds its `Rig` to `RIGS`. Cloud services are fakes on loopback; what
needs a real DNS server is in `SERVER_RIGS`.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace as replace_struct

from extdns.model import rrtype
from extdns.model.change import AdjustedRecords, Applied, Batch, ChangeSet, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, canonicalize_targets
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.model.zone import Zone
from extdns.ports import Registry, ZoneReader, ZoneWriter
from providers.aws.cloudmap.provider import CloudMapReader, CloudMapSettings, CloudMapWriter
from providers.aws.cloudmap.services import TYPES as CLOUDMAP_TYPES
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.settings import AwsSettings, Route53ZoneFilter
from providers.azure.adjust import TYPES as AZURE_TYPES
from providers.azure.provider import AzureReader, AzureWriter
from providers.cloudflare.provider import CloudflareReader, CloudflareWriter
from providers.cloudflare.settings import CloudflareSettings
from providers.common.api_calls import CallOptions, RateLimit
from providers.google.provider import CloudDnsReader, CloudDnsWriter
from providers.google.settings import GoogleSettings
from providers.inmemory.provider import InMemoryProvider
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import Rfc2136Settings
from providers.webhook.provider import WebhookReader, WebhookWriter, WebhookZones
from providers.webhook.settings import WebhookSettings
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.reader import ZoneFileReader
from providers.zonefile.writer import ZoneFileWriter
from registry.aws_sd.registry import DescriptionRegistry
from registry.rows.service import RowService
from tests import azure, cloudflare, cloudmap
from tests import clouddns as google
from tests.builders import PLAN, REGISTRY, build_row_registry
from tests.fakes.careless import CarelessProvider
from tests.fakes.clocks import MovedClock
from tests.fakes.row_store import RowStoreInMemory
from tests.fakes.webhook.server import WebhookServer
from tests.kerberos import start_clean_kerberos
from tests.octodns_config import describe_bind, describe_powerdns, describe_yaml, write_config
from tests.program.process import ROOT
from tests.route53 import service
from tests.updatable import KEY, start_clean

OWNABLE: Final = frozenset(rrtype.OWNABLE)


@dataclass(frozen=True, kw_only=True)
class Rig:
    """One provider with a zone `example.org` that has no records of ours.

    Attributes:
        other: a second writer, which edits records unknown to the provider under test.
        routes: properties of a routing policy, or empty if the service has no set identifiers.
        sees_ttl: whether a write conflicts if only the TTL has changed since the record was read.
        keeps_all_texts: whether TXT values with quotes, backslashes and several strings are kept as they are.
        shows_ttl: whether the outcome of a write has the TTL that the service chose.
        names_offending: whether a refusal says which name it is about.
        normalize: returns a target in the form in which the service holds it.
        refusals: names that the service refuses, with a part of its answer.
        types: the record types that the provider supports.
        registry: the registry with which the engine uses the provider.
        names: returns whether the service can have records at a name.
    """

    reader: ZoneReader
    writer: ZoneWriter
    other: ZoneWriter
    zone: Zone
    routes: StringMap | None = None
    sees_ttl: bool = True
    keeps_all_texts: bool = True
    shows_ttl: bool = True
    names_offending: bool = True
    normalize: Callable[[str], str] = str
    refusals: Mapping[str, str] = field(default_factory=dict)
    types: frozenset[str] = OWNABLE
    registry: Registry = REGISTRY
    names: Callable[[str], bool] = lambda _: True

    def submit(self, *writes: Write) -> object:
        return self.writer.submit(self.zone, build_batch(self.zone, writes))

    def apply(self, *writes: Write) -> tuple[Record, ...]:
        """Make *writes*, which must succeed, and return the records at their keys."""
        outcome = self.submit(*writes)
        assert isinstance(outcome, Applied), outcome
        return outcome.records

    def edit(self, *writes: Write) -> None:
        """Make *writes* with the second writer, as another person would."""
        outcome = self.other.submit(self.zone, build_batch(self.zone, writes))
        assert isinstance(outcome, Applied), outcome

    def read(self) -> tuple[Record, ...]:
        records: list[Record] = []
        after = None
        while True:
            page = self.reader.read_page(self.zone, after)
            records += page.records
            if page.after is None:
                return tuple(records)
            assert page.after != after
            after = page.after


def build_desired(name: str, rtype: str, *targets: str, ttl_s: int = 0, set_identifier: str = "") -> DesiredRecord:
    """Return a desired record in canonical form."""
    return DesiredRecord(
        name=DnsName.parse(name),
        type=rtype,
        targets=canonicalize_targets(rtype, targets),
        ttl_s=ttl_s,
        set_identifier=set_identifier,
    )


def create(name: str, rtype: str, *targets: str, ttl_s: int = 0, set_identifier: str = "") -> Write:
    return Write(old=None, new=build_desired(name, rtype, *targets, ttl_s=ttl_s, set_identifier=set_identifier))


def delete(record: Record) -> Write:
    return Write(old=record, new=None)


def update(record: Record, *targets: str, ttl_s: int | None = None) -> Write:
    new = build_desired(record.name, record.type, *targets, ttl_s=record.ttl_s if ttl_s is None else ttl_s)
    return Write(old=record, new=new)


def restate(record: Record) -> Write:
    """Return a write that changes nothing and fails if *record* changed."""
    return update(record, *record.targets)


def build_batch(zone: Zone, writes: Iterable[Write]) -> Batch:
    """Return *writes* as one batch, with a change set for each name."""
    groups: dict[DnsName, list[Write]] = {}
    for write in writes:
        groups.setdefault(write.key.name, []).append(write)
    sets = (ChangeSet(zone=zone, name=name, changes=(), writes=tuple(groups[name])) for name in sorted(groups))
    return Batch(number=1, zone=zone, change_sets=tuple(sets))


def build_inmemory_rig(_: Path) -> Rig:
    provider = InMemoryProvider(["example.org"], page_size=3)
    zone = provider.list_zones().zones[0]
    return Rig(reader=provider, writer=provider, other=provider, zone=zone, routes=EMPTY_MAP)


def build_careless_rig(_: Path) -> Rig:
    """Build a rig with a service that is neither atomic nor conditional, and pages of three records."""
    provider = CarelessProvider(["example.org"], page_size=3)
    zone = provider.list_zones().zones[0]
    return Rig(reader=provider, writer=provider, other=provider, zone=zone, routes=EMPTY_MAP)


def build_rows_rig(folder: Path, build: Callable[[Path], Rig]) -> Rig:
    """Build the rig of *build* with the ownership of records in rows outside of the zone."""
    inner, store = build(folder), RowStoreInMemory()
    ours, other = (
        RowService(inner.reader, writer, store, owner=owner, managed_types=PLAN.managed_types, read_term=lambda: 0)
        for owner, writer in ((PLAN.owner, inner.writer), ("other", inner.other))
    )
    ours.list_zones()
    other.list_zones()
    return replace(inner, reader=ours, writer=ours, other=other, registry=build_row_registry())


ZONE_TEXT: Final = """\
$ORIGIN example.org.
$TTL 3600
@        IN SOA  ns1 hostmaster ( 2024010101 7200 900 1209600 300 )
         IN NS   ns1
ns1      IN A    192.0.2.53
"""


def build_zonefile_rig(folder: Path) -> Rig:
    """Build a rig with the zone-file provider and pages of two names. The second writer has the same folder open."""
    (folder / "example.org.zone").write_text(ZONE_TEXT)
    common = ZoneFolder(folder)
    reader = ZoneFileReader(common, page_names=2)
    clock = MovedClock()
    return Rig(
        reader=reader,
        writer=ZoneFileWriter(common, clock),
        other=ZoneFileWriter(ZoneFolder(folder), clock),
        zone=reader.list_zones().zones[0],
    )


def build_route53_rig(_: Path) -> Rig:
    fake, client = service()
    fake.reset()
    zone_id = fake.add_zone("example.org")
    reader = Route53Reader(AwsSettings(zone_filter=Route53ZoneFilter(ids=(zone_id,)), page_items=3), client)
    return Rig(
        reader=reader,
        writer=Route53Writer(client),
        other=Route53Writer(client),
        zone=reader.list_zones().zones[0],
        routes=StringMap.from_items({"aws/weight": "10"}),
        types=OWNABLE - {rrtype.DNAME},
    )


def build_cloudmap_rig(_: Path, *, shows_descriptions: bool = True) -> Rig:
    fake, client = cloudmap.service()
    fake.reset()
    fake.add_namespace("example.org")
    settings = CloudMapSettings(shows_descriptions=shows_descriptions, removes_empty=True, page_names=3)
    reader = CloudMapReader(settings, client)
    return Rig(
        reader=reader,
        writer=CloudMapWriter(settings, client),
        other=CloudMapWriter(settings, client),
        zone=reader.list_zones().zones[0],
        types=CLOUDMAP_TYPES,
        registry=DescriptionRegistry(owner="me", managed_types=CLOUDMAP_TYPES),
        names=lambda name: "*" not in name,
    )


def build_clouddns_rig(_: Path) -> Rig:
    fake, client = google.service()
    fake.reset()
    name = fake.add_zone("example.org")
    reader = CloudDnsReader(GoogleSettings(zone_ids=(name,), page_items=3), client)
    return Rig(
        reader=reader,
        writer=CloudDnsWriter(client),
        other=CloudDnsWriter(client),
        zone=reader.list_zones().zones[0],
        types=OWNABLE - {rrtype.DNAME},
    )


def build_bind_rig(_: Path) -> Rig:
    return _build_rfc2136_rig("named")


def build_knot_rig(_: Path) -> Rig:
    return _build_rfc2136_rig("knotd")


def build_powerdns_rig(_: Path) -> Rig:
    return _build_rfc2136_rig("pdns_server")


def _build_rfc2136_rig(program: str) -> Rig:
    server = start_clean(program)
    return _build_rfc2136_rig_with(
        Rfc2136Settings(servers=(server.address,), zones=(DnsName("example.org"),), key=KEY, page_names=3)
    )


def build_kerberos_rig(_: Path) -> Rig:
    return _build_rfc2136_rig_with(replace(start_clean_kerberos().build_settings(), page_names=3))


def _build_rfc2136_rig_with(settings: Rfc2136Settings) -> Rig:
    zones = Rfc2136Zones(settings)
    reader = Rfc2136Reader(zones)
    return Rig(
        reader=reader,
        writer=Rfc2136Writer(zones),
        other=Rfc2136Writer(Rfc2136Zones(settings)),
        zone=reader.list_zones().zones[0],
        sees_ttl=False,
    )


def build_octodns_bind_rig(folder: Path) -> Rig:
    return build_octodns_rig(folder, describe_bind(start_clean("named")))


def build_cloudflare_rig(_: Path) -> Rig:
    fake = cloudflare.service()
    fake.reset()
    fake.put(fake.add_zone("example.org"), "ns1.example.org", "A", "192.0.2.53")
    settings = CloudflareSettings(url=fake.url, page_items=100, page_names=3)
    client = cloudflare.client(settings)
    reader = CloudflareReader(settings, client)
    return Rig(
        reader=reader,
        writer=CloudflareWriter(client),
        other=CloudflareWriter(client),
        zone=reader.list_zones().zones[0],
        names_offending=False,
        types=OWNABLE - {rrtype.DNAME},
    )


def build_azure_rig(_: Path, *, private: bool = False) -> Rig:
    """Build a rig with the Azure provider, a zone in the fake service, and pages of three names.

    Answers have one record set, so that names in a public zone are read one by one.
    """
    fake = azure.service()
    fake.reset()
    fake.max_top = 1
    fake.put(fake.add_zone("example.org", private=private), "ns1", "A", [{"ipv4Address": "192.0.2.53"}])
    settings = replace_struct(azure.settings(fake, private=private), page_names=3)
    client = azure.client(settings)
    reader = AzureReader(settings, client, azure.OWNERSHIP_NAMES)
    return Rig(
        reader=reader,
        writer=AzureWriter(client, azure.OWNERSHIP_NAMES),
        other=AzureWriter(client, None),
        zone=reader.list_zones().zones[0],
        types=AZURE_TYPES[private],
    )


def build_octodns_powerdns_rig(folder: Path) -> Rig:
    rig = build_octodns_rig(folder, describe_powerdns(start_clean("pdns_server")))
    return replace(rig, refusals={"a-*.example.org": "contains unsupported characters"})


def build_octodns_yaml_rig(folder: Path) -> Rig:
    return build_octodns_rig(folder, describe_yaml(folder))


def build_octodns_rig(folder: Path, provider: dict[str, object], calls: CallOptions = CallOptions()) -> Rig:  # noqa: B008 - frozen
    from providers.octodns.provider import (  # noqa: PLC0415 - an extra, which the other rigs do without
        OctodnsReader,
        OctodnsWriter,
        OctodnsZones,
    )
    from providers.octodns.settings import OctodnsSettings  # noqa: PLC0415 - the same

    settings = OctodnsSettings(path=write_config(folder, provider, ("example.org",)), page_names=3, calls=calls)
    zones = OctodnsZones(settings)
    reader = OctodnsReader(zones)
    return Rig(
        reader=reader,
        writer=OctodnsWriter(zones),
        other=OctodnsWriter(OctodnsZones(settings)),
        zone=reader.list_zones().zones[0],
        keeps_all_texts=False,
        normalize=lambda target: target.replace('"s"', '"S"'),  # octoDNS writes the flags of NAPTR in capitals
        types=frozenset(zones.managed[DnsName("example.org")].target.instance.SUPPORTS),
    )


def build_webhook_rig(_: Path) -> Rig:
    """Build a rig with a webhook that changes what it is sent, unchecked, and pages of three names."""
    fake = get_fake_webhook()
    fake.faults.clear()
    for key in fake.records():
        fake.delete(*key)
    zones = connect(fake.url, page_names=3)
    reader = ShowingReader(zones)
    return Rig(
        reader=reader,
        writer=WebhookWriter(zones),
        other=WebhookWriter(zones),
        zone=reader.list_zones().zones[0],
        routes=EMPTY_MAP,
        shows_ttl=False,
        names_offending=False,
    )


def build_acme_rig(folder: Path) -> Rig:
    (folder / "example.org.json").write_text('[{"name": "example.org", "type": "NS", "targets": ["ns1"], "ttl_s": 60}]')
    acme = runpy.run_path(str(ROOT / "examples" / "acme" / "extdns_acme_zones.py"))["AcmeZones"]
    zones = acme(folder, page_names=2)
    return Rig(reader=zones, writer=zones, other=acme(folder), zone=zones.list_zones().zones[0], sees_ttl=False)


def connect(url: str, **settings: Any) -> WebhookZones:  # noqa: ANN401 - of several types
    """Return a client of the webhook at *url* that reads anew for each call and has no rate limit."""
    base = {"reuse_s": 0.0, "calls": CallOptions(rate_limit=RateLimit(per_s=1e6, burst=1e6))}
    return WebhookZones(WebhookSettings(url=url, **{**base, **settings}))


class ShowingReader(WebhookReader):
    """A reader that shows desired records to the webhook as soon as they are adjusted, so that none is unknown."""

    def adjust(self, desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        self.load_adjustments(super().adjust(desired, zone).unknown)
        return super().adjust(desired, zone)


@cache
def get_fake_webhook() -> WebhookServer:
    """Return the webhook of all tests of this process."""
    fake = WebhookServer("example.org", default_ttl_s=300)
    fake.start()
    return fake


RIGS: Final[dict[str, Callable[[Path], Rig]]] = {
    "acme-zones": build_acme_rig,
    "aws": build_route53_rig,
    "aws-rows": partial(build_rows_rig, build=build_route53_rig),
    "aws-sd": build_cloudmap_rig,
    "azure-dns": build_azure_rig,
    "azure-private-dns": partial(build_azure_rig, private=True),
    "careless": build_careless_rig,
    "careless-rows": partial(build_rows_rig, build=build_careless_rig),
    "cloudflare": build_cloudflare_rig,
    "google": build_clouddns_rig,
    "inmemory": build_inmemory_rig,
    "octodns-yaml": build_octodns_yaml_rig,
    "webhook": build_webhook_rig,
    "zonefile": build_zonefile_rig,
}
SERVER_RIGS: Final[dict[str, Callable[[Path], Rig]]] = {
    "octodns-bind": build_octodns_bind_rig,
    "octodns-powerdns": build_octodns_powerdns_rig,
    "rfc2136-bind": build_bind_rig,
    "rfc2136-bind-kerberos": build_kerberos_rig,
    "rfc2136-knot": build_knot_rig,
    "rfc2136-powerdns": build_powerdns_rig,
}
"""The rigs with real DNS servers, which `tests/slow/conformance` uses."""

GUARDED: Final = frozenset(
    {
        "acme-zones",
        "aws",
        "google",
        "inmemory",
        "aws-rows",
        "zonefile",
        *(n for n in SERVER_RIGS if n.startswith("rfc2136")),
    }
)
"""Providers whose service has atomic batches and conditional writes."""

CONDITIONAL: Final = GUARDED | {"azure-dns", "azure-private-dns"}
"""Providers whose service has conditional writes."""


def build_rig(name: str, folder: Path) -> Rig:
    return (RIGS | SERVER_RIGS)[name](folder)
