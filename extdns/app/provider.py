"""Build the reader and the writer of `--provider`."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.app.secret_files import read_secret, read_url
from extdns.controller.clock import SystemClock
from extdns.errors import UsageError, escape_unprintable, sanitize
from extdns.flags.rfc2136 import check_secret
from extdns.flags.webhook import check_address
from extdns.metrics.durations import REQUEST_TIMES, record_call
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, SHORT_TIMEOUTS_S, WriteOptions

if TYPE_CHECKING:
    import ssl

    from extdns.config import Config
    from extdns.controller.write_gate import WriteGate
    from extdns.flags.providers import AwsFlags
    from extdns.flags.rfc2136 import Rfc2136Flags
    from extdns.ports import ZoneReader, ZoneWriter
    from providers.aws.settings import AwsSettings
    from providers.common.api_calls import RateLimit
    from providers.google.settings import GoogleSettings
    from providers.rfc2136.settings import Authenticator, Rfc2136Settings, TsigSecret
    from providers.webhook.settings import WebhookSettings


def build_provider(config: Config, gate: WriteGate | None = None) -> tuple[ZoneReader, ZoneWriter | None]:
    """Build the reader and the writer of `--provider`; the writer is None in a dry run.

    A writer that has waited for the API rate limit sends its request only if *gate* is still open.
    """
    if gate is None:
        return _build_provider(config, WriteOptions())
    timeouts_s = SHORT_TIMEOUTS_S if gate.lease else DEFAULT_TIMEOUTS_S
    return _build_provider(config, WriteOptions(timeouts_s=timeouts_s, can_begin=gate.is_open))


def _build_provider(config: Config, options: WriteOptions) -> tuple[ZoneReader, ZoneWriter | None]:
    dry_run = config.control.dry_run
    match config.control.provider:
        case "aws":
            return _build_route53(config, options)
        case "google":
            return _build_cloud_dns(config, options)
        case "rfc2136":
            from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones

            zones = Rfc2136Zones(replace(build_rfc2136_settings(config), write_options=options))
            return Rfc2136Reader(zones), None if dry_run else Rfc2136Writer(zones)
        case "octodns":
            return _build_octodns(config, options)
        case "webhook":
            from providers.webhook.provider import WebhookReader, WebhookWriter, WebhookZones

            webhook = WebhookZones(replace(build_webhook_settings(config), write_options=options))
            return WebhookReader(webhook), None if dry_run else WebhookWriter(webhook)
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

            return Route53Reader(build_route53_settings(config, offline=True), {})
        case "google":
            from providers.google.client import build_api
            from providers.google.provider import CloudDnsReader

            settings = build_cloud_dns_settings(config)
            return CloudDnsReader(settings, build_api(settings))
        case "rfc2136":
            from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Zones

            return Rfc2136Reader(Rfc2136Zones(build_rfc2136_settings(config, offline=True)))
        case "octodns":
            return _build_octodns(config, WriteOptions(), offline=True)[0]
        case _:
            return build_provider(config)[0]


def _build_route53(config: Config, options: WriteOptions) -> tuple[ZoneReader, ZoneWriter | None]:
    from providers.aws.client import build_apis
    from providers.aws.provider import Route53Reader, Route53Writer

    settings = replace(build_route53_settings(config), write_options=options)
    accounts = build_apis(settings)
    writer = None if config.control.dry_run else Route53Writer(accounts, conditional=settings.conditional)
    return Route53Reader(settings, accounts), writer


def _read_external_id(chosen: AwsFlags) -> str:
    value, path = chosen.aws_assume_role_external_id, chosen.aws_assume_role_external_id_file
    return read_secret("aws-assume-role-external-id", value, path)


def build_route53_settings(config: Config, *, offline: bool = False) -> AwsSettings:
    """Return the settings of the provider for Route 53; *offline*, without the external id.

    Raises:
        UsageError: the file with the external id cannot be read.
    """
    from providers.aws.settings import AliasSettings, AwsAccount, AwsSettings, Route53ZoneFilter

    chosen = config.aws
    external_id = "" if offline else _read_external_id(chosen)
    return AwsSettings(
        accounts=tuple(
            AwsAccount(
                profile=profile,
                role=chosen.aws_assume_role,
                external_id=external_id,
                on_request=REQUEST_TIMES.record,
                on_call=record_call,
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
        on_call=record_call,
    )


_DNS_PORT: Final = 53
_TLS_PORT: Final = 853


def build_rfc2136_settings(config: Config, *, offline: bool = False) -> Rfc2136Settings:
    """Return the settings of the provider for DNS UPDATE; *offline*, without key and certificates.

    Raises:
        UsageError: a file with the key or with certificates cannot be read, or is invalid.
    """
    from extdns.model.dns_name import DnsName
    from providers.rfc2136.settings import DnsServer, Rfc2136Settings

    chosen = config.rfc2136
    port = chosen.rfc2136_port or (_TLS_PORT if chosen.rfc2136_use_tls else _DNS_PORT)
    return Rfc2136Settings(
        servers=tuple(DnsServer(host=host, port=port) for host in dict.fromkeys(chosen.rfc2136_host)),
        zones=tuple(dict.fromkeys(map(DnsName.parse, chosen.rfc2136_zone))),
        key=None if offline or chosen.rfc2136_insecure or chosen.rfc2136_gss_tsig else _read_tsig_key(chosen),
        authenticator=_build_kerberos(chosen) if chosen.rfc2136_gss_tsig and not offline else None,
        tls=_build_tls(chosen) if chosen.rfc2136_use_tls and not offline else None,
        strategy=chosen.rfc2136_load_balancing_strategy,
        min_ttl_s=math.ceil(chosen.rfc2136_min_ttl_s),
        max_writes=chosen.rfc2136_batch_change_size,
        on_call=record_call,
    )


def _read_tsig_key(chosen: Rfc2136Flags) -> TsigSecret:
    from providers.rfc2136.settings import TsigSecret

    secret = read_secret("rfc2136-tsig-secret", chosen.rfc2136_tsig_secret, chosen.rfc2136_tsig_secret_file)
    if chosen.rfc2136_tsig_secret_file:
        check_secret(secret, "the content of --rfc2136-tsig-secret-file")
    return TsigSecret(name=chosen.rfc2136_tsig_keyname, algorithm=chosen.rfc2136_tsig_secret_alg, secret=secret)


def _build_kerberos(chosen: Rfc2136Flags) -> Authenticator:
    """Build what logs in to Kerberos.

    Raises:
        UsageError: the package for it is not installed, or the file with the password cannot be read.
    """
    from providers.rfc2136.settings import KerberosLogin

    flag = "rfc2136-kerberos-password"
    password = read_secret(flag, chosen.rfc2136_kerberos_password, chosen.rfc2136_kerberos_password_file)
    try:
        from providers.rfc2136.kerberos import KerberosClient
    except ImportError as exc:  # also if gssapi is there, and the Kerberos library is not
        raise UsageError(
            f"--rfc2136-gss-tsig needs gssapi ({sanitize(str(exc))}); install it, with a C compiler and the headers of "
            "Kerberos (Debian: gcc, libkrb5-dev, python3-dev): pip install 'extdns[gssapi]'"
        ) from exc
    realm = chosen.rfc2136_kerberos_realm.upper()
    return KerberosClient(KerberosLogin(username=chosen.rfc2136_kerberos_username, realm=realm, password=password))


def _build_tls(chosen: Rfc2136Flags) -> ssl.SSLContext:
    import ssl

    try:
        context = ssl.create_default_context(cafile=chosen.tls_ca or None)
    except OSError as exc:  # ssl.SSLError is one, too
        raise UsageError(f"--tls-ca={escape_unprintable(chosen.tls_ca)} cannot be used: {sanitize(str(exc))}") from exc
    if chosen.tls_client_cert:
        try:
            context.load_cert_chain(chosen.tls_client_cert, chosen.tls_client_cert_key, password="")
        except OSError as exc:
            files = f"--tls-client-cert={chosen.tls_client_cert} or --tls-client-cert-key={chosen.tls_client_cert_key}"
            raise UsageError(f"{escape_unprintable(files)} cannot be used: {sanitize(str(exc))}") from exc
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["dot"])  # RFC 9103 section 7.1
    if chosen.rfc2136_skip_tls_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _build_octodns(
    config: Config, options: WriteOptions, *, offline: bool = False
) -> tuple[ZoneReader, ZoneWriter | None]:
    """Build the provider for octoDNS; *offline*, without the secrets of its providers.

    Raises:
        UsageError: octoDNS is not installed, or its configuration cannot be used.
    """
    if find_spec("octodns") is None:
        raise UsageError("--provider=octodns needs octoDNS; install it: pip install 'extdns[octodns]'")
    from providers.octodns.provider import OctodnsReader, OctodnsWriter, OctodnsZones
    from providers.octodns.settings import OctodnsSettings, OctodnsZoneFilter

    zones = OctodnsZones(
        OctodnsSettings(
            path=Path(config.octodns.octodns_config),
            zone_filter=OctodnsZoneFilter(
                ids=tuple(filter(None, config.plan.zone_id_filter)), domains=config.plan.build_domain_filter()
            ),
            offline=offline,
            write_options=options,
            on_call=record_call,
        )
    )
    return OctodnsReader(zones), None if config.control.dry_run else OctodnsWriter(zones)


def build_webhook_settings(config: Config) -> WebhookSettings:
    """Return the settings of the provider for webhooks.

    Raises:
        UsageError: the file with the address cannot be read, or its content is not valid.
    """
    from providers.webhook.settings import WebhookSettings

    chosen = config.webhook
    url = read_url("webhook-provider-url", chosen.webhook_provider_url, chosen.webhook_provider_url_file)
    if chosen.webhook_provider_url_file:
        check_address(url, "the content of --webhook-provider-url-file")
    return WebhookSettings(
        url=url,
        timeout_s=chosen.webhook_provider_read_timeout_s + chosen.webhook_provider_write_timeout_s,
        max_body_bytes=chosen.webhook_provider_max_body_size,
        domains=config.plan.build_domain_filter().include,
        rate_limit=_build_rate_limit(config),
        on_request=REQUEST_TIMES.record,
        on_call=record_call,
    )


def _build_rate_limit(config: Config) -> RateLimit:
    from providers.common.api_calls import RateLimit

    return RateLimit(per_s=float(config.control.api_calls_per_second), burst=float(config.control.api_burst))
