"""Check that the flags of the provider `rfc2136` fit together (docs/spec/plan.md 6.1, 8.4)."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, Final

from extdns.errors import InvalidValueError, sanitize
from extdns.flags.parser import Setting
from extdns.flags.rfc2136 import ALGORITHMS
from extdns.flags.usage_errors import usage_error
from extdns.model.dns_name import DnsName
from extdns.model.record import parse_address

_MAX_PORT: Final = 65535
_MAX_TTL_S: Final = 2**31 - 1  # RFC 2181 section 8
_NOT_IN_PRINCIPALS: Final = "@\\ "
_TLS_FLAGS: Final = ("tls-ca", "tls-client-cert", "tls-client-cert-key", "rfc2136-skip-tls-verify")
_KERBEROS_FLAGS: Final = tuple(
    f"rfc2136-kerberos-{part}" for part in ("realm", "username", "password", "password-file")
)
_KEY_FLAGS: Final = tuple(f"rfc2136-tsig-{part}" for part in ("keyname", "secret", "secret-file", "secret-alg"))
_HOST_NAME: Final = re.compile(r"(?=.{1,254}\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?", re.IGNORECASE | re.ASCII)


def check_reference_rules(values: Mapping[str, Any]) -> None:
    """Check the flags by the rules of external-dns.

    Raises:
        UsageError: the first rule that is violated.
    """
    if values["rfc2136-min-ttl"] < 0:
        raise usage_error("TTL specified for rfc2136 is negative", "allowed for --rfc2136-min-ttl: 0s and more")
    if values["rfc2136-insecure"] and values["rfc2136-gss-tsig"]:
        raise usage_error("--rfc2136-insecure and --rfc2136-gss-tsig are mutually exclusive arguments")
    kerberos = tuple(f"rfc2136-kerberos-{part}" for part in ("realm", "username", "password"))
    has_login = all(values[name] or values.get(f"{name}-file") for name in kerberos)
    if values["rfc2136-gss-tsig"] and not has_login:
        raise usage_error(f"--rfc2136-gss-tsig requires {', '.join(f'--{name}' for name in kerberos)}")
    if values["rfc2136-batch-change-size"] < 1:
        raise usage_error(
            "batch size specified for rfc2136 cannot be less than 1",
            "allowed for --rfc2136-batch-change-size: 1 and more",
        )


def check_our_rules(values: Mapping[str, Any]) -> None:
    """Check the flags by the rules of extdns, such as that servers and zones are given, and a key to sign with.

    Raises:
        UsageError: the first rule that is violated.
    """
    _check_servers(values)
    _check_zones(values)
    if not values["rfc2136-axfr"] and not values["rfc2136-tsig-axfr"]:
        raise usage_error(
            "--provider=rfc2136 needs --rfc2136-axfr: if a zone is not read, the owners of its records are unknown",
            "give --rfc2136-axfr, and let the server transfer the zone to the key",
        )
    if bool(values["tls-client-cert"]) != bool(values["tls-client-cert-key"]):
        raise usage_error("--tls-client-cert and --tls-client-cert-key belong together", "give both or none")
    if values["rfc2136-gss-tsig"]:
        _check_kerberos(values)
    elif not values["rfc2136-insecure"]:
        _check_key(values)


def find_warnings(settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Return a warning for each of TLS, Kerberos and TSIG that is not in use although flags of it are set.

    A warning has two lines. It is no error because external-dns accepts such flags.

    Args:
        settings: the flags that are set, by name.
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


def _check_servers(values: Mapping[str, Any]) -> None:
    if not values["rfc2136-host"] or not all(host.strip() for host in values["rfc2136-host"]):
        raise usage_error("--provider=rfc2136 has no DNS server", "give --rfc2136-host=HOST, once for each server")
    for host in values["rfc2136-host"]:
        if not _HOST_NAME.fullmatch(host) and not parse_address(host):
            raise usage_error(
                f"--rfc2136-host={sanitize(host)} is not a host",
                "allowed: a host name, or an IP address without brackets; the port is in --rfc2136-port",
            )
    if not 0 <= values["rfc2136-port"] <= _MAX_PORT:
        raise usage_error(f"--rfc2136-port={values['rfc2136-port']} is not a port", f"allowed: 0 to {_MAX_PORT}")


def _check_zones(values: Mapping[str, Any]) -> None:
    if not values["rfc2136-zone"]:
        raise usage_error("--provider=rfc2136 has no zone", "give --rfc2136-zone=DOMAIN, once for each zone")
    for zone in values["rfc2136-zone"]:
        if "," in zone or "*" in zone:
            raise usage_error(
                f"--rfc2136-zone={sanitize(zone)} is not a zone", "give --rfc2136-zone once for each zone"
            )
        _check_name("--rfc2136-zone", zone)
    if values["rfc2136-min-ttl"] > _MAX_TTL_S:
        raise usage_error("--rfc2136-min-ttl is longer than a TTL can be", f"allowed: 0s to {_MAX_TTL_S}s")


def _check_kerberos(values: Mapping[str, Any]) -> None:
    for name, allowed in (
        ("rfc2136-kerberos-username", "the name of the user without domain and realm"),
        ("rfc2136-kerberos-realm", "a realm, as EXAMPLE.ORG"),
    ):
        if not values[name].isprintable() or set(values[name]) & set(_NOT_IN_PRINCIPALS):
            raise usage_error(f"--{name}={sanitize(values[name])} is invalid", f"allowed: {allowed}")
    if any("\ud800" <= character <= "\udfff" for character in values["rfc2136-kerberos-password"]):
        raise usage_error("--rfc2136-kerberos-password is not text", "allowed: UTF-8")


def _check_key(values: Mapping[str, Any]) -> None:
    if not values["rfc2136-tsig-keyname"]:
        raise usage_error("--provider=rfc2136 has no key", "give --rfc2136-tsig-keyname, or --rfc2136-insecure")
    _check_name("--rfc2136-tsig-keyname", values["rfc2136-tsig-keyname"])
    if not values["rfc2136-tsig-secret-alg"]:
        raise usage_error(
            "--provider=rfc2136 needs the algorithm of its TSIG key",
            f"give --rfc2136-tsig-secret-alg; allowed: {', '.join(ALGORITHMS)}",
        )
    if values["rfc2136-tsig-secret-alg"] not in ALGORITHMS:
        raise usage_error(
            f"{sanitize(values['rfc2136-tsig-secret-alg'])} is not supported TSIG algorithm",
            f"allowed for --rfc2136-tsig-secret-alg: {', '.join(ALGORITHMS)}",
        )
    if not values["rfc2136-tsig-secret"] and not values["rfc2136-tsig-secret-file"]:
        raise usage_error(
            "--provider=rfc2136 needs the secret of its TSIG key",
            "give --rfc2136-tsig-secret or --rfc2136-tsig-secret-file",
        )
    if values["rfc2136-tsig-secret"]:
        check_secret(values["rfc2136-tsig-secret"], "--rfc2136-tsig-secret")


def check_secret(secret: str, origin: str) -> None:
    """Check that *secret* is base64 and not empty. *origin* is the flag or file that it comes from, for the message.

    Raises:
        UsageError: *secret* is not base64, or is empty. The message does not contain the secret.
    """
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
