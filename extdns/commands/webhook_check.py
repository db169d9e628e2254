"""`extdns webhook-check`: check a webhook provider against the protocol of external-dns, in a scratch zone."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from extdns.commands.options import TEXT, take_output, take_value, take_values
from extdns.commands.output import show, show_lines
from extdns.errors import InvalidValueError, sanitize
from extdns.flags.duration import parse_duration
from extdns.flags.usage_errors import usage_error
from extdns.model.dns_name import DnsName
from extdns.webhook_check.catalog import run_checks
from extdns.webhook_check.check import CheckEnd, CheckOutcome
from extdns.webhook_check.exchange import CheckedServer
from extdns.webhook_check.report import format_outcome, format_summary, render_junit
from extdns.webhook_check.scratch import Scratch
from providers.webhook.wire import MAX_BODY_BYTES, Property

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JUNIT: Final = "junit"
_URL: Final = "the address of a webhook provider, such as http://localhost:8888"
_ZONE: Final = "--zone"
_TIMEOUT: Final = "--timeout"
_RECORDS: Final = "--records"
_PROPERTY: Final = "--property"
_DEFAULT_TIMEOUT: Final = "15s"  # --webhook-provider-read-timeout and -write-timeout together
_DEFAULT_RECORDS: Final = "5000"
_MAX_TIMEOUT_S: Final = 3600.0
_MAX_RECORDS: Final = 50_000
_DEFAULT_PROPERTIES: Final = (Property(name="webhook/extdns-check", value="1"),)
_LABEL_BYTES: Final = 4


def main(arguments: Sequence[str], _: Mapping[str, str]) -> int:
    """Check the provider. Return 0 if no check failed and nothing is left in the zone, otherwise 1.

    Raises:
        UsageError: an argument is wrong.
    """
    output, rest = take_output(arguments, (TEXT, JUNIT))
    scratch = _parse_scratch(rest)
    outcomes: list[CheckOutcome] = []
    if output == TEXT:
        show(f"Checking {scratch.server.url} with records below {scratch.domain}\n")
    try:
        for outcome in run_checks(scratch):
            outcomes.append(outcome)
            if output == TEXT:
                show_lines(format_outcome(outcome))
    finally:  # also after Ctrl-C
        left = scratch.clean_up()
        if output == TEXT:
            show_lines(format_summary(outcomes, left))
        else:
            show(render_junit(outcomes, left))
    return int(bool(left) or any(one.end is CheckEnd.FAILED for one in outcomes))


def _parse_scratch(arguments: Sequence[str]) -> Scratch:
    zone, rest = take_value(arguments, _ZONE, allowed="a zone for tests, such as scratch.example.org")
    timeout, rest = take_value(rest, _TIMEOUT, allowed="a duration, such as 15s or 2m")
    records, rest = take_value(rest, _RECORDS, allowed=f"a number from 1 to {_MAX_RECORDS}")
    properties, rest = take_values(rest, _PROPERTY, allowed="NAME=VALUE, such as webhook/proxied=true")
    if zone is None:
        raise usage_error("--zone is missing", "allowed: a zone for tests, such as scratch.example.org")
    if len(rest) != 1 or rest[0].startswith("-"):
        unknown = next((text for text in rest if text.startswith("-")), rest[1] if rest else "")
        raise usage_error(
            f"{sanitize(unknown)} is not an argument of extdns webhook-check" if unknown else "the URL is missing",
            f"allowed: {_URL}",
        )
    return Scratch(
        CheckedServer(
            url=_parse_url(rest[0]),
            timeout_s=_parse_timeout(timeout or _DEFAULT_TIMEOUT),
            max_bytes=MAX_BODY_BYTES,
        ),
        _parse_zone(zone),
        f"extdns-check-{secrets.token_hex(_LABEL_BYTES)}",
        large_count=_parse_count(records or _DEFAULT_RECORDS),
        properties=tuple(_parse_property(text) for text in properties) or _DEFAULT_PROPERTIES,
    )


def _parse_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
        parts = urlsplit("")
    if "@" in parts.netloc:
        raise usage_error("the URL has a user name or password", "webhook providers have neither", f"allowed: {_URL}")
    if not usable or parts.query or parts.fragment or not text.isprintable() or " " in text:
        raise usage_error(f"{sanitize(text)} is not a URL of a webhook provider", f"allowed: {_URL}")
    return text


def _parse_zone(text: str) -> DnsName:
    try:
        return DnsName.parse(text)
    except InvalidValueError as exc:
        raise usage_error(f"{_ZONE}={sanitize(text)} is not a DNS name", f"allowed: {exc.allowed}") from exc


def _parse_timeout(text: str) -> float:
    try:
        timeout_s = parse_duration(text)
    except ValueError:
        timeout_s = 0.0
    if not 0 < timeout_s <= _MAX_TIMEOUT_S:
        raise usage_error(
            f"{_TIMEOUT}={sanitize(text)} is not a time limit", "allowed: more than 0 and up to 1h, such as 15s"
        )
    return timeout_s


def _parse_count(text: str) -> int:
    if not (
        text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_RECORDS)) and 1 <= int(text) <= _MAX_RECORDS
    ):
        raise usage_error(f"{_RECORDS}={sanitize(text)} is not a number of records", f"allowed: 1 to {_MAX_RECORDS}")
    return int(text)


def _parse_property(text: str) -> Property:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise usage_error(
            f"{_PROPERTY}={sanitize(text)} is not a property", "allowed: NAME=VALUE, as webhook/proxied=true"
        )
    return Property(name=name, value=value)
