"""The DNS service of `--provider`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from extdns.app.filters import domains
from extdns.app.requesttimes import TIMES
from extdns.controller.candidacy import may_write
from extdns.controller.clock import SystemClock
from extdns.controller.leased import LeasedWriter
from providers.remote.writing import QUICK_S, Writing

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import Lease, ZoneReader, ZoneWriter
    from providers.aws.settings import AwsSettings
    from providers.google.settings import GoogleSettings
    from providers.remote.allowance import Rate


def service(config: Config, lease: Lease | None = None) -> tuple[ZoneReader, ZoneWriter | None]:
    """The reader and the writer of `--provider`, which only writes while we hold *lease*; a dry run has no writer."""
    if lease is None:
        return _service(config, Writing())
    reader, writer = _service(config, Writing(timeouts_s=QUICK_S, may_begin=partial(may_write, lease)))
    return reader, writer and LeasedWriter(writer, lease)


def _service(config: Config, writing: Writing) -> tuple[ZoneReader, ZoneWriter | None]:
    dry_run = config.control.dry_run
    match config.control.provider:
        case "aws":
            return _route53(config, writing)
        case "google":
            return _cloud_dns(config, writing)
        case "inmemory":
            from providers.inmemory.provider import InMemoryProvider

            memory = InMemoryProvider(config.inmemory.inmemory_zone)
            return memory, None if dry_run else memory
        case _:
            from providers.zonefile.folder import ZoneFolder
            from providers.zonefile.reader import ZoneFileReader
            from providers.zonefile.writer import ZoneFileWriter

            folder = ZoneFolder(Path(config.zonefile.zonefile_dir))
            return ZoneFileReader(folder), None if dry_run else ZoneFileWriter(folder, SystemClock())


def offline(config: Config) -> ZoneReader:
    """A reader for `--provider` that only tells what the service makes of endpoints; it needs no credentials."""
    match config.control.provider:
        case "aws":
            from providers.aws.reader import Route53Reader

            return Route53Reader(route53_settings(config), {})
        case "google":
            from providers.google.client import client
            from providers.google.reader import CloudDnsReader

            settings = cloud_dns_settings(config)
            return CloudDnsReader(settings, client(settings))
        case _:
            return service(config)[0]


def _route53(config: Config, writing: Writing) -> tuple[ZoneReader, ZoneWriter | None]:
    from providers.aws.client import clients
    from providers.aws.reader import Route53Reader
    from providers.aws.writer import Route53Writer

    settings = replace(route53_settings(config), writing=writing)
    accounts = clients(settings)
    writer = None if config.control.dry_run else Route53Writer(accounts, conditional=settings.conditional)
    return Route53Reader(settings, accounts), writer


def route53_settings(config: Config) -> AwsSettings:
    """What the provider for Route 53 needs to know of *config*."""
    from providers.aws.adjust import AliasSettings
    from providers.aws.selection import Selection
    from providers.aws.settings import Access, AwsSettings

    chosen = config.aws
    return AwsSettings(
        accounts=tuple(
            Access(
                profile=profile,
                role=chosen.aws_assume_role,
                external_id=chosen.aws_assume_role_external_id,
                heard=TIMES.take,
            )
            for profile in dict.fromkeys(chosen.aws_profile or ("",))
        ),
        selection=Selection(
            ids=tuple(filter(None, config.plan.zone_id_filter)),
            visibility=chosen.aws_zone_type,
            domains=domains(config),
            match_parent=chosen.aws_zone_match_parent,
            tags=chosen.aws_zone_tags,
        ),
        aliases=AliasSettings(
            prefer_cname=chosen.aws_prefer_cname, evaluate_target_health=chosen.aws_evaluate_target_health
        ),
        conditional=chosen.aws_conditional_writes,
        attempts=chosen.aws_api_retries,
        max_changes=chosen.aws_batch_change_size,
        max_bytes=chosen.aws_batch_change_size_bytes,
        max_values=chosen.aws_batch_change_size_values,
        pause_s=chosen.aws_batch_change_interval_s,
        rate=_rate(config),
    )


def _cloud_dns(config: Config, writing: Writing) -> tuple[ZoneReader, ZoneWriter | None]:
    from providers.google.client import client
    from providers.google.reader import CloudDnsReader, limits
    from providers.google.writer import CloudDnsWriter

    settings = replace(cloud_dns_settings(config), writing=writing)
    project = client(settings)
    writer = None if config.control.dry_run else CloudDnsWriter(project)
    return CloudDnsReader(settings, project, limits(project)), writer


def cloud_dns_settings(config: Config) -> GoogleSettings:
    """What the provider for Cloud DNS needs to know of *config*."""
    from providers.google.selection import Selection
    from providers.google.settings import GoogleSettings

    chosen = config.google
    return GoogleSettings(
        project=chosen.google_project,
        endpoint=chosen.google_api_endpoint,
        selection=Selection(
            ids=tuple(filter(None, config.plan.zone_id_filter)),
            visibility=chosen.google_zone_visibility,
            domains=domains(config),
        ),
        max_changes=chosen.google_batch_change_size,
        pause_s=chosen.google_batch_change_interval_s,
        rate=_rate(config),
        heard=TIMES.take,
    )


def _rate(config: Config) -> Rate:
    from providers.remote.allowance import Rate

    return Rate(per_s=float(config.control.api_calls_per_second), burst=float(config.control.api_burst))
