"""The corpus with the provider `webhook`: it makes the records that the provider `inmemory` makes."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.app import assembly
from extdns.app.provider import build_context
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError
from extdns.model.record import Record
from extdns.model.zone import Zone
from extdns.ports import ZoneReader, ZoneWriter
from providers.aws.provider import Route53Reader
from providers.aws.spec import build_settings
from providers.inmemory.provider import InMemoryProvider
from providers.webhook.provider import WebhookReader, WebhookWriter
from tests.conformance.provider import connect
from tests.corpus.case import Case, load, names
from tests.corpus.clouddns import find_route53_feature
from tests.corpus.test_corpus import build_manifests_flag
from tests.fakes.webhook.server import WebhookServer
from tests.route53 import service


def find_obstacle(case: Case) -> str:
    """Return what *case* needs that the webhook protocol does not have, "" if there is nothing."""
    zone_names = [zone["name"] for zone in case.zones]
    if len(set(zone_names)) < len(zone_names) or any(zone["private"] for zone in case.zones):
        return "two zones of one name, or private zones: the protocol has no zones"
    if case.id == "359-other-providers-annotations":
        return "a property with the prefix webhook/, which a webhook stores and memory does not"
    return find_route53_feature(case)


RUN: Final = [name for name in names() if not find_obstacle(load(name))]
Contents = set[tuple[object, ...]]


def read_seed(case: Case) -> dict[Zone, list[Record]]:
    fake, clients = service()
    fake.reset()
    for zone in case.zones:
        fake.add_zone(**zone)
    reader = Route53Reader(build_settings(build_context(parse(["--source=empty", "--provider=aws"], {}))), clients)
    return {
        zone: [replace(one, exact=None) for one in reader.read_page(zone, None).records]
        for zone in reader.list_zones().zones
    }


def read_contents(reader: ZoneReader) -> Contents:
    """Return name, type, set identifier, targets, TTL and properties of each record."""
    found: Contents = set()
    for zone in reader.list_zones().zones:
        after = None
        while True:
            page = reader.read_page(zone, after)
            found |= {(one.key, one.targets, one.ttl_s, one.properties) for one in page.records if one.type != "SOA"}
            if (after := page.after) is None:
                break
    return found


def run(case: Case, cluster: str, provider: str, reader: ZoneReader, writer: ZoneWriter) -> tuple[int, Contents]:
    flags = [*case.flags, "--once", "--metrics-address=127.0.0.1:0", f"--provider={provider}", cluster]
    try:
        config = parse(flags, case.environ)
        running = assembly.assemble(config, service=(reader, None if config.control.dry_run else writer))
        running.controller.run(once=True)
        code = compute_exit_code(running.engine)
    except UsageError:
        code = 1
    return code, read_contents(reader)


@pytest.mark.parametrize("name", RUN)
def test_a_webhook_gets_the_records_that_zones_in_memory_get(name: str, tmp_path: Path) -> None:
    case = load(name)
    cluster = build_manifests_flag(case, tmp_path)
    seed = read_seed(case)
    memory = InMemoryProvider(seed=seed)
    with WebhookServer(*(zone.name for zone in seed), default_ttl_s=300) as fake:
        for one in chain.from_iterable(seed.values()):
            fake.put(one.name, one.type, *one.targets, recordTTL=one.ttl_s)
        webhook = connect(fake.url)
        expected = run(case, cluster, "inmemory", memory, memory)
        assert run(case, cluster, "webhook", WebhookReader(webhook), WebhookWriter(webhook)) == expected
