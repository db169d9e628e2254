"""Build the reader and the writer of `--provider`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from extdns import log
from extdns.controller.clock import SystemClock
from extdns.log import Event
from extdns.metrics.histogram import CALL_DURATIONS
from extdns.metrics.request_times import REQUEST_TIMES
from providers.common.api_calls import SHORT_TIMEOUTS_S, WriteOptions

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.controller.write_gate import WriteGate
    from extdns.model.api_request import ApiCall
    from extdns.ports import ZoneReader, ZoneWriter
    from providers.aws.settings import AwsSettings
    from providers.common.rate_limit import RateLimit
    from providers.google.settings import GoogleSettings


_log = log.get(__name__)


def build_provider(config: Config, gate: WriteGate | None = None) -> tuple[ZoneReader, ZoneWriter | None]:
    """Build the reader and the writer of `--provider`; the writer is None in a dry run.

    A writer that has waited for the API rate limit sends its request only if *gate* is still open.
    """
    if gate is None:
        return _build_provider(config, WriteOptions())
    options = WriteOptions(can_begin=gate.is_open)
    return _build_provider(config, replace(options, timeouts_s=SHORT_TIMEOUTS_S) if gate.lease else options)


def _build_provider(config: Config, options: WriteOptions) -> tuple[ZoneReader, ZoneWriter | None]:
    dry_run = config.control.dry_run
    match config.control.provider:
        case "aws":
            return _build_route53(config, options)
        case "google":
            return _build_cloud_dns(config, options)
        case "inmemory":
            from providers.inmemory.provider import InMemoryProvider

            memory = InMemoryProvider(config.inmemory.inmemory_zone)
            return memory, None if dry_run else memory
        case _:
            from providers.zonefile.folder import ZoneFolder
            from providers.zonefile.reader import ZoneFileReader
            from providers.zonefile.writer import ZoneFileWriter

            folder = ZoneFolder(Path(config.zonefile.zonefile_dir))
            ids = tuple(filter(None, config.plan.zone_id_filter))
            return ZoneFileReader(folder, ids=ids), None if dry_run else ZoneFileWriter(folder, SystemClock())


def build_offline_reader(config: Config) -> ZoneReader:
    """Build a reader that needs no credentials. Only its `adjust` can be used."""
    match config.control.provider:
        case "aws":
            from providers.aws.provider import Route53Reader

            return Route53Reader(build_route53_settings(config), {})
        case "google":
            from providers.google.client import build_api
            from providers.google.provider import CloudDnsReader

            settings = build_cloud_dns_settings(config)
            return CloudDnsReader(settings, build_api(settings))
        case _:
            return build_provider(config)[0]


def _build_route53(config: Config, options: WriteOptions) -> tuple[ZoneReader, ZoneWriter | None]:
    from providers.aws.client import build_apis
    from providers.aws.provider import Route53Reader, Route53Writer

    settings = replace(build_route53_settings(config), write_options=options)
    accounts = build_apis(settings)
    writer = None if config.control.dry_run else Route53Writer(accounts, conditional=settings.conditional)
    return Route53Reader(settings, accounts), writer


def build_route53_settings(config: Config) -> AwsSettings:
    """Return the settings of the provider for Route 53."""
    from providers.aws.settings import AliasSettings, AwsAccount, AwsSettings, Route53ZoneFilter

    chosen = config.aws
    return AwsSettings(
        accounts=tuple(
            AwsAccount(
                profile=profile,
                role=chosen.aws_assume_role,
                external_id=chosen.aws_assume_role_external_id,
                on_request=REQUEST_TIMES.record,
                on_call=_record_call,
            )
            for profile in dict.fromkeys(chosen.aws_profile or ("",))
        ),
        zone_filter=Route53ZoneFilter(
            ids=tuple(filter(None, config.plan.zone_id_filter)),
            visibility=chosen.aws_zone_type,
            domains=config.plan.build_domain_filter(),
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
        rate_limit=_build_rate_limit(config),
    )


def _build_cloud_dns(config: Config, options: WriteOptions) -> tuple[ZoneReader, ZoneWriter | None]:
    from providers.google.client import build_api
    from providers.google.provider import CloudDnsReader, CloudDnsWriter, read_limits

    settings = replace(build_cloud_dns_settings(config), write_options=options)
    project = build_api(settings)
    writer = None if config.control.dry_run else CloudDnsWriter(project)
    return CloudDnsReader(settings, project, read_limits(project)), writer


def build_cloud_dns_settings(config: Config) -> GoogleSettings:
    """Return the settings of the provider for Cloud DNS."""
    from providers.google.settings import CloudDnsZoneFilter, GoogleSettings

    chosen = config.google
    return GoogleSettings(
        project=chosen.google_project,
        endpoint=chosen.google_api_endpoint,
        zone_filter=CloudDnsZoneFilter(
            ids=tuple(filter(None, config.plan.zone_id_filter)),
            visibility=chosen.google_zone_visibility,
            domains=config.plan.build_domain_filter(),
        ),
        max_changes=chosen.google_batch_change_size,
        pause_s=chosen.google_batch_change_interval_s,
        rate_limit=_build_rate_limit(config),
        on_request=REQUEST_TIMES.record,
        on_call=_record_call,
    )


def _record_call(call: ApiCall) -> None:
    """Measure a call to the DNS service, and log it for people who look for a problem."""
    CALL_DURATIONS.observe((call.action, call.status), call.seconds)
    _log.debug(Event.API_CALL, action=call.action, status=call.status, seconds=round(call.seconds, 3))


def _build_rate_limit(config: Config) -> RateLimit:
    from providers.common.rate_limit import RateLimit

    return RateLimit(per_s=float(config.control.api_calls_per_second), burst=float(config.control.api_burst))
