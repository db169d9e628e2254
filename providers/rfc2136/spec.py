"""The provider `rfc2136`, from its flags."""

from __future__ import annotations

import math
import ssl
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from extdns.errors import UsageError, escape_unprintable, sanitize
from extdns.flags.secret_files import read_secret
from extdns.model.dns_name import DnsName
from extdns.model.zone import Permission, Zone
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec
from providers.rfc2136.flags import Rfc2136Flags, check_secret, find_warnings
from providers.rfc2136.settings import Authenticator, DnsServer, KerberosLogin, Rfc2136Settings, TsigSecret

_DNS_PORT: Final = 53
_TLS_PORT: Final = 853


def build(context: ProviderContext[Rfc2136Flags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Writer, Rfc2136Zones

    zones = Rfc2136Zones(build_settings(context))
    return DnsService(Rfc2136Reader(zones), Rfc2136Writer(zones))


def build_settings(context: ProviderContext[Rfc2136Flags]) -> Rfc2136Settings:
    """Return the settings of the provider; offline, without key and certificates."""
    flags, offline = context.flags, context.offline
    port = flags.rfc2136_port or (_TLS_PORT if flags.rfc2136_use_tls else _DNS_PORT)
    return Rfc2136Settings(
        servers=tuple(DnsServer(host=host, port=port) for host in dict.fromkeys(flags.rfc2136_host)),
        zones=tuple(dict.fromkeys(map(DnsName.parse, flags.rfc2136_zone))),
        key=None if offline or flags.rfc2136_insecure or flags.rfc2136_gss_tsig else _read_tsig_key(flags),
        authenticator=_build_kerberos(flags) if flags.rfc2136_gss_tsig and not offline else None,
        tls=_build_tls(flags) if flags.rfc2136_use_tls and not offline else None,
        strategy=flags.rfc2136_load_balancing_strategy,
        min_ttl_s=math.ceil(flags.rfc2136_min_ttl_s),
        max_writes=flags.rfc2136_batch_change_size,
        calls=context.calls,
    )


def _read_tsig_key(flags: Rfc2136Flags) -> TsigSecret:
    secret = read_secret("rfc2136-tsig-secret", flags.rfc2136_tsig_secret, flags.rfc2136_tsig_secret_file)
    if flags.rfc2136_tsig_secret_file:
        check_secret(secret, "the content of --rfc2136-tsig-secret-file")
    return TsigSecret(name=flags.rfc2136_tsig_keyname, algorithm=flags.rfc2136_tsig_secret_alg, secret=secret)


def _build_kerberos(flags: Rfc2136Flags) -> Authenticator:
    password = read_secret(
        "rfc2136-kerberos-password", flags.rfc2136_kerberos_password, flags.rfc2136_kerberos_password_file
    )
    try:
        from providers.rfc2136.kerberos import KerberosClient
    except ImportError as exc:  # also if gssapi is there, and the Kerberos library is not
        raise UsageError(
            f"--rfc2136-gss-tsig needs gssapi ({sanitize(str(exc))}); install it, with a C compiler and the headers of "
            "Kerberos (Debian: gcc, libkrb5-dev, python3-dev): pip install 'gssapi<2'"
        ) from exc
    realm = flags.rfc2136_kerberos_realm.upper()
    return KerberosClient(KerberosLogin(username=flags.rfc2136_kerberos_username, realm=realm, password=password))


def _build_tls(flags: Rfc2136Flags) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=flags.tls_ca or None)
    except OSError as exc:  # ssl.SSLError is one, too
        raise UsageError(f"--tls-ca={escape_unprintable(flags.tls_ca)} cannot be used: {sanitize(str(exc))}") from exc
    if flags.tls_client_cert:
        try:
            context.load_cert_chain(flags.tls_client_cert, flags.tls_client_cert_key, password="")
        except OSError as exc:
            files = f"--tls-client-cert={flags.tls_client_cert} or --tls-client-cert-key={flags.tls_client_cert_key}"
            raise UsageError(f"{escape_unprintable(files)} cannot be used: {sanitize(str(exc))}") from exc
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["dot"])  # RFC 9103 section 7.1
    if flags.rfc2136_skip_tls_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def check_permissions(
    context: ProviderContext[Rfc2136Flags], zones: Iterable[Zone]
) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether the server takes updates of it."""
    from providers.rfc2136.permissions import check_permission

    settings = build_settings(context)
    yield from ((zone, check_permission(settings, zone)) for zone in zones)


def describe_permissions(context: ProviderContext[Rfc2136Flags], _: Mapping[str, str]) -> str:
    """Return what the server must allow, and to whom."""
    address, key = "the addresses of extdns", "the TSIG key of --rfc2136-tsig-keyname"
    if context.flags.rfc2136_gss_tsig:
        reader, writer = address, "the Kerberos user of --rfc2136-kerberos-username"
    else:
        reader = writer = address if context.flags.rfc2136_insecure else key
    return (
        "the server must allow, for each --rfc2136-zone:\n"
        f"transfers (AXFR and IXFR) to {reader}\n"
        f"updates (RFC 2136) by {writer}"
    )


PROVIDER: Final = ProviderSpec(
    name="rfc2136",
    flags=Rfc2136Flags,
    build=build,
    check_permissions=check_permissions,
    describe_permissions=describe_permissions,
    find_warnings=find_warnings,
    remedies={
        "Transfer on ": (
            "check --rfc2136-host, --rfc2136-port and --rfc2136-zone, and that the server allows the transfer"
        ),
    },
    sdk={"gssapi": "kerberos"},
)
