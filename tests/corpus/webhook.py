"""Run extdns on a case of the corpus through `extdns webhook` in front of the strict Route 53 or zones in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from extdns.app import assembly
from extdns.app.provider import build_route53_settings
from extdns.config import parse
from extdns.controller.exit_codes import compute_exit_code
from extdns.errors import UsageError
from providers.aws.provider import Route53Reader, Route53Writer
from providers.inmemory.provider import InMemoryProvider
from providers.webhook.provider import WebhookReader, WebhookWriter
from tests.corpus.product import Result
from tests.corpus.recordsets import normalize_record_sets
from tests.route53 import service
from tests.webhook_service import connect, serve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.config import Config
    from extdns.model.record import Record, RecordKey
    from extdns.model.zone import Zone
    from extdns.ports import ZoneReader, ZoneWriter
    from tests.corpus.case import Case

_COMMON = ("--once", "--metrics-address=127.0.0.1:0")
Contents = dict[str, dict["RecordKey", "Record"]]


class Outcome(NamedTuple):
    """The exit code of a run, and the records of zones in memory after it."""

    exit: int
    contents: Contents


def run_on_route53(case: Case, *, cluster: str) -> tuple[Result, Result]:
    """Run extdns on *case* twice through the webhook server in front of Route 53."""
    fake, _ = service()
    fake.reset()
    fake.api.health_checks |= case.health_checks
    for zone in case.zones:
        fake.add_zone(**zone)
    return _run_and_measure(case, cluster), _run_and_measure(case, cluster)


def _run_and_measure(case: Case, cluster: str) -> Result:
    fake, clients = service()
    before = len(fake.log.calls())
    try:
        config = parse([*case.flags, *_COMMON, "--provider=aws", cluster], case.environ)
        settings = build_route53_settings(config)
        reader, writer = Route53Reader(settings, clients), Route53Writer(clients, conditional=settings.conditional)
        code, error = _run_through_webhook(case, cluster, config, reader, writer), ""
    except UsageError as exc:
        code, error = 1, str(exc)
    writes = sum(call.action == "ChangeResourceRecordSets" for call in fake.log.calls()[before:])
    zones = {zone["zone_id"]: normalize_record_sets(fake.shown(zone["zone_id"])) for zone in case.zones}
    return Result(exit=code, zones=zones, writes=writes, error=error)


def run_in_memory(case: Case, *, cluster: str, through_webhook: bool) -> Outcome:
    """Run extdns once on zones in memory that hold what those of *case* hold, with or without the webhook server."""
    provider = InMemoryProvider(seed=_read_seed(case))
    flags = [*case.flags, *_COMMON, "--provider=inmemory", cluster]
    try:
        config = parse(flags, case.environ)
        if through_webhook:
            code = _run_through_webhook(case, cluster, config, provider, provider)
        else:
            code = _run(config, provider, provider)
    except UsageError:
        code = 1
    return Outcome(code, {zone.name: _read_contents(provider, zone) for zone in provider.list_zones().zones})


def _run_through_webhook(case: Case, cluster: str, config: Config, reader: ZoneReader, writer: ZoneWriter) -> int:
    zones = connect(serve(reader, writer, config.plan.build_domain_filter()))
    mine = parse([*case.flags, *_COMMON, "--provider=webhook", cluster], case.environ)
    return _run(mine, WebhookReader(zones), WebhookWriter(zones))


def _run(config: Config, reader: ZoneReader, writer: ZoneWriter) -> int:
    running = assembly.assemble(config, service=(reader, None if config.control.dry_run else writer))
    running.controller.run(once=True)
    assert running.controller.is_complete
    return compute_exit_code(running.engine)


def _read_seed(case: Case) -> Mapping[Zone, Sequence[Record]]:
    fake, clients = service()
    fake.reset()
    fake.api.health_checks |= case.health_checks
    for zone in case.zones:
        fake.add_zone(**zone)
    config = parse(["--source=empty", "--provider=aws"], {})
    reader = Route53Reader(build_route53_settings(config), clients)
    return {
        replace(zone, id=zone.name): [replace(one, exact=None) for one in reader.read_page(zone, None).records]
        for zone in reader.list_zones().zones
    }


def _read_contents(provider: InMemoryProvider, zone: Zone) -> dict[RecordKey, Record]:
    found: dict[RecordKey, Record] = {}
    after = None
    while True:
        page = provider.read_page(zone, after)
        found |= {record.key: record for record in page.records}
        if page.after is None:
            return found
        after = page.after
