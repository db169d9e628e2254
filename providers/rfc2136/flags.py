"""The flags of the provider `rfc2136`, and how they fit together (docs/spec/plan.md 6.1, 8.4)."""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Mapping
from typing import Final

from extdns.errors import InvalidValueError, sanitize
from extdns.flags.duration import DURATION
from extdns.flags.flag import FlagSection, Setting, flag
from extdns.flags.kind import NUMBER, make_choice_kind
from extdns.flags.usage_errors import usage_error
from extdns.model.dns_name import DnsName

ALGORITHMS: Final = ("hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512")
_TLS_PROVIDERS: Final = ("pdns", "rfc2136")
_MAX_PORT: Final = 65535
_MAX_TTL_S: Final = 2**31 - 1  # RFC 2181 section 8
_NOT_IN_PRINCIPALS: Final = "@\\ "
_TLS_FLAGS: Final = ("tls-ca", "tls-client-cert", "tls-client-cert-key", "rfc2136-skip-tls-verify")
_KERBEROS_FLAGS: Final = tuple(
    f"rfc2136-kerberos-{part}" for part in ("realm", "username", "password", "password-file")
)
_KEY_FLAGS: Final = tuple(f"rfc2136-tsig-{part}" for part in ("keyname", "secret", "secret-file", "secret-alg"))
_HOST_NAME: Final = re.compile(r"(?=.{1,254}\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?", re.IGNORECASE | re.ASCII)


class Rfc2136Flags(FlagSection, topic="Provider rfc2136", providers=("rfc2136",)):
    """The flags of the provider `rfc2136`, with the TLS flags. A *rfc2136_port* of 0 is the usual port."""

    rfc2136_host: tuple[str, ...] = flag(
        "DNS server that takes updates; if one cannot be reached, the next one is used",
        default=(),
        metavar="HOST",
        in_plan=False,
    )
    rfc2136_port: int = flag(
        "port of the DNS server; 0 is 53, with --rfc2136-use-tls 853", default=0, kind=NUMBER, in_plan=False
    )
    rfc2136_zone: tuple[str, ...] = flag("zone to manage", default=(), metavar="DOMAIN")
    rfc2136_insecure: bool = flag("send updates and transfers without TSIG", default=False, in_plan=False)
    rfc2136_tsig_keyname: str = flag("name of the TSIG key", metavar="NAME", in_plan=False)
    rfc2136_tsig_secret: str = flag("the TSIG key", metavar="BASE64", secret=True, in_plan=False)
    rfc2136_tsig_secret_file: str = flag(
        "file with the TSIG key, instead of --rfc2136-tsig-secret", metavar="PATH", in_plan=False
    )
    rfc2136_tsig_secret_alg: str = flag(
        f"algorithm of the TSIG key: {', '.join(ALGORITHMS)}", metavar="ALGORITHM", in_plan=False
    )
    rfc2136_axfr: bool = flag(
        "read zones by AXFR and IXFR; required, because ownership is unknown without reading",
        default=True,
        compat=False,
        in_plan=False,
    )
    rfc2136_tsig_axfr: bool = flag("old name of --rfc2136-axfr", default=False, in_plan=False)
    rfc2136_min_ttl_s: float = flag("minimum TTL of records", default=0.0, kind=DURATION)
    rfc2136_gss_tsig: bool = flag(
        "sign updates with a key that Kerberos negotiates (GSS-TSIG); needs the extra gssapi", default=False
    )
    rfc2136_kerberos_username: str = flag("Kerberos user, without the realm", metavar="NAME")
    rfc2136_kerberos_password: str = flag("password of the user", metavar="PASSWORD", secret=True)
    rfc2136_kerberos_password_file: str = flag(
        "file with the password, instead of --rfc2136-kerberos-password", metavar="PATH"
    )
    rfc2136_kerberos_realm: str = flag(
        "Kerberos realm of the user and of the DNS servers; converted to capitals", metavar="REALM"
    )
    rfc2136_batch_change_size: int = flag(
        "maximum of writes in one message, ownership records included; an update of a record counts as two, and a "
        "value below 10 counts as 10, because a record and its ownership record are written together",
        default=500,
        compat=50,
        kind=NUMBER,
    )
    rfc2136_use_tls: bool = flag("use DNS over TLS", default=False, in_plan=False)
    rfc2136_skip_tls_verify: bool = flag("do not check the server's certificate", default=False, in_plan=False)
    rfc2136_load_balancing_strategy: str = flag(
        "how to choose the DNS server for a call if there are several",
        default="disabled",
        kind=make_choice_kind("a strategy", "random", "round-robin", "disabled", metavar="STRATEGY"),
        in_plan=False,
    )
    tls_ca: str = flag(
        "certificates of the authorities that are trusted", metavar="PATH", providers=_TLS_PROVIDERS, in_plan=False
    )
    tls_client_cert: str = flag("client certificate", metavar="PATH", providers=_TLS_PROVIDERS, in_plan=False)
    tls_client_cert_key: str = flag("key of --tls-client-cert", metavar="PATH", providers=_TLS_PROVIDERS, in_plan=False)

    def validate(self) -> None:
        """Check that servers and zones are given, and a key to sign with, first by the rules of external-dns."""
        _check_reference_rules(self)
        _check_servers(self)
        _check_zones(self)
        if not self.rfc2136_axfr and not self.rfc2136_tsig_axfr:
            raise usage_error(
                "--provider=rfc2136 needs --rfc2136-axfr: if a zone is not read, the owners of its records are unknown",
                "give --rfc2136-axfr, and let the server transfer the zone to the key",
            )
        if bool(self.tls_client_cert) != bool(self.tls_client_cert_key):
            raise usage_error("--tls-client-cert and --tls-client-cert-key belong together", "give both or none")
        if self.rfc2136_gss_tsig:
            _check_kerberos(self)
        elif not self.rfc2136_insecure:
            _check_key(self)


SECTION: Final = Rfc2136Flags


def _check_reference_rules(flags: Rfc2136Flags) -> None:
    if flags.rfc2136_min_ttl_s < 0:
        raise usage_error("TTL specified for rfc2136 is negative", "allowed for --rfc2136-min-ttl: 0s and more")
    if flags.rfc2136_insecure and flags.rfc2136_gss_tsig:
        raise usage_error("--rfc2136-insecure and --rfc2136-gss-tsig are mutually exclusive arguments")
    has_password = flags.rfc2136_kerberos_password or flags.rfc2136_kerberos_password_file
    if flags.rfc2136_gss_tsig and not (
        flags.rfc2136_kerberos_realm and flags.rfc2136_kerberos_username and has_password
    ):
        raise usage_error(
            "--rfc2136-gss-tsig requires --rfc2136-kerberos-realm, --rfc2136-kerberos-username, "
            "--rfc2136-kerberos-password"
        )
    if flags.rfc2136_batch_change_size < 1:
        raise usage_error(
            "batch size specified for rfc2136 cannot be less than 1",
            "allowed for --rfc2136-batch-change-size: 1 and more",
        )


def _check_servers(flags: Rfc2136Flags) -> None:
    if not flags.rfc2136_host or not all(host.strip() for host in flags.rfc2136_host):
        raise usage_error("--provider=rfc2136 has no DNS server", "give --rfc2136-host=HOST, once for each server")
    for host in flags.rfc2136_host:
        if not _is_host(host):
            raise usage_error(
                f"--rfc2136-host={sanitize(host)} is not a host",
                "allowed: a host name, or an IP address without brackets; the port is in --rfc2136-port",
            )
    if not 0 <= flags.rfc2136_port <= _MAX_PORT:
        raise usage_error(f"--rfc2136-port={flags.rfc2136_port} is not a port", f"allowed: 0 to {_MAX_PORT}")


def _is_host(text: str) -> bool:
    try:
        return bool(_HOST_NAME.fullmatch(text) or ipaddress.ip_address(text))
    except ValueError:
        return False


def _check_zones(flags: Rfc2136Flags) -> None:
    if not flags.rfc2136_zone:
        raise usage_error("--provider=rfc2136 has no zone", "give --rfc2136-zone=DOMAIN, once for each zone")
    for zone in flags.rfc2136_zone:
        if "," in zone or "*" in zone:
            raise usage_error(
                f"--rfc2136-zone={sanitize(zone)} is not a zone", "give --rfc2136-zone once for each zone"
            )
        _check_name("--rfc2136-zone", zone)
    if flags.rfc2136_min_ttl_s > _MAX_TTL_S:
        raise usage_error("--rfc2136-min-ttl is longer than a TTL can be", f"allowed: 0s to {_MAX_TTL_S}s")


def _check_kerberos(flags: Rfc2136Flags) -> None:
    for name, value, allowed in (
        ("username", flags.rfc2136_kerberos_username, "the name of the user without domain and realm"),
        ("realm", flags.rfc2136_kerberos_realm, "a realm, as EXAMPLE.ORG"),
    ):
        if not value.isprintable() or set(value) & set(_NOT_IN_PRINCIPALS):
            raise usage_error(f"--rfc2136-kerberos-{name}={sanitize(value)} is invalid", f"allowed: {allowed}")
    if any("\ud800" <= character <= "\udfff" for character in flags.rfc2136_kerberos_password):
        raise usage_error("--rfc2136-kerberos-password is not text", "allowed: UTF-8")


def _check_key(flags: Rfc2136Flags) -> None:
    if not flags.rfc2136_tsig_keyname:
        raise usage_error("--provider=rfc2136 has no key", "give --rfc2136-tsig-keyname, or --rfc2136-insecure")
    _check_name("--rfc2136-tsig-keyname", flags.rfc2136_tsig_keyname)
    if not flags.rfc2136_tsig_secret_alg:
        raise usage_error(
            "--provider=rfc2136 needs the algorithm of its TSIG key",
            f"give --rfc2136-tsig-secret-alg; allowed: {', '.join(ALGORITHMS)}",
        )
    if flags.rfc2136_tsig_secret_alg not in ALGORITHMS:
        raise usage_error(
            f"{sanitize(flags.rfc2136_tsig_secret_alg)} is not supported TSIG algorithm",
            f"allowed for --rfc2136-tsig-secret-alg: {', '.join(ALGORITHMS)}",
        )
    if not flags.rfc2136_tsig_secret and not flags.rfc2136_tsig_secret_file:
        raise usage_error(
            "--provider=rfc2136 needs the secret of its TSIG key",
            "give --rfc2136-tsig-secret or --rfc2136-tsig-secret-file",
        )
    if flags.rfc2136_tsig_secret:
        check_secret(flags.rfc2136_tsig_secret, "--rfc2136-tsig-secret")


def check_secret(secret: str, origin: str) -> None:
    """Check that *secret* is base64 and not empty. *origin* is the flag or file that it comes from, for the message."""
    try:
        found = base64.b64decode(secret, validate=True)
    except ValueError:
        found = b""
    if not found:
        raise usage_error(f"{origin} is not base64", "allowed: the secret as in the key statement of the server")


def _check_name(origin: str, text: str) -> None:
    try:
        DnsName.parse(text)
    except InvalidValueError as exc:
        raise usage_error(f"{origin}={sanitize(text)} is not a DNS name", f"allowed: {exc.allowed}") from exc


def find_warnings(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Return a warning for each of TLS, Kerberos and TSIG that is not in use although flags of it are set.

    A warning has two lines. It is not an error, because external-dns accepts such flags.
    """
    tls, kerberos, insecure = (
        _is_set(settings, name) for name in ("rfc2136-use-tls", "rfc2136-gss-tsig", "rfc2136-insecure")
    )
    other = "--rfc2136-gss-tsig" if kerberos else "--rfc2136-insecure"
    purposes = (
        (tls, _TLS_FLAGS, "messages are not encrypted", "give --rfc2136-use-tls"),
        (kerberos, _KERBEROS_FLAGS, "updates are not signed with Kerberos", "give --rfc2136-gss-tsig"),
        (
            not (kerberos or insecure),
            _KEY_FLAGS,
            "messages are not signed with TSIG",
            f"give either the key or {other}",
        ),
    )
    return tuple(
        f"{', '.join(found)} {'has' if len(found) == 1 else 'have'} no effect: {consequence}\n  {remedy}"
        for is_used, names, consequence, remedy in purposes
        if not is_used and (found := [settings[name].origin for name in names if _is_set(settings, name)])
    )


def _is_set(settings: Mapping[str, Setting], name: str) -> bool:
    return name in settings and bool(settings[name].value)
