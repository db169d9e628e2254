"""Booleans, numbers, choices and key-value pairs as values of flags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import pytest

from extdns.config import parse
from extdns.errors import UsageError
from extdns.flags.address import ADDRESS, ListenAddress, parse_address
from extdns.flags.duration import DURATION, POSITIVE_DURATION, format_duration, parse_duration
from extdns.flags.kind import (
    BOOLEAN,
    KEY_VALUE,
    NUMBER,
    ValueKind,
    make_choice_kind,
    make_number_kind,
    parse_boolean,
)
from providers.google.flags import GoogleFlags
from providers.google.spec import PROVIDER


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_every_spelling_of_true_in_go_is_read_as_true(text: str) -> None:
    assert parse_boolean(text) is True


@pytest.mark.parametrize("text", ["0", "f", "F", "FALSE", "false", "False"])
def test_every_spelling_of_false_in_go_is_read_as_false(text: str) -> None:
    assert parse_boolean(text) is False


@pytest.mark.parametrize("text", ["yes", "tRue", " true", "2", ""])
def test_other_spellings_of_booleans_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        BOOLEAN.parse(text)


@pytest.mark.parametrize(
    ("text", "value"), [("10", 10), ("-1", -1), ("+7", 7), ("007", 7), (str(2**63 - 1), 2**63 - 1)]
)
def test_a_whole_number_is_parsed(text: str, value: int) -> None:
    assert NUMBER.parse(text) == value


@pytest.mark.parametrize("text", ["", "1.5", "1e3", "0x10", "1_000", "+-1", "٣", " 1", str(2**63), "9" * 5000])
def test_a_text_that_is_not_a_64_bit_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        NUMBER.parse(text)


def test_a_number_below_the_minimum_of_its_flag_is_refused() -> None:
    kind = make_number_kind(least=1)
    assert kind.allowed == "1 and more"
    with pytest.raises(ValueError, match=r"^$"):
        kind.parse("0")


def test_a_choice_value_must_have_the_right_case_and_the_nearest_choice_is_suggested() -> None:
    kind = make_choice_kind("a scope", "", "GLOBAL", "PRIVATE")
    assert kind.parse("") == ""
    assert kind.allowed == "GLOBAL, PRIVATE"
    assert kind.suggest("privat") == "PRIVATE"
    assert kind.suggest("x") == ""
    with pytest.raises(ValueError, match=r"^$"):
        kind.parse("global")


@pytest.mark.parametrize(
    ("text", "expected"), [("a=b", ("a", "b")), ("a:b=c", ("a", "b=c")), ("a=b:c", ("a", "b:c")), ("a=", ("a", ""))]
)
def test_a_key_value_flag_is_split_at_the_first_equals_sign_or_colon(text: str, expected: tuple[str, str]) -> None:
    assert KEY_VALUE.parse(text) == expected


def test_a_key_value_flag_without_equals_sign_or_colon_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^$"):
        KEY_VALUE.parse("a")


@pytest.mark.parametrize(
    ("kind", "text", "matches"),
    [
        *((NUMBER, text, True) for text in ("10", "-1", "+7", "007", str(2**63 - 1))),
        *((NUMBER, text, False) for text in ("", "1.5", "1e3", "9" * 20)),
        *((DURATION, text, True) for text in ("0", "72s", "1h30m", "-1.5\u00b5s", "+.5ms", "2\u03bcs", "1w2d")),
        *((DURATION, text, False) for text in ("", "72", "10 minutes", "1y", "s")),
    ],
)
def test_the_pattern_of_numbers_and_durations_matches_valid_values_and_no_malformed_ones(
    kind: ValueKind[object], text: str, matches: bool
) -> None:
    assert bool(re.fullmatch(kind.pattern, text)) is matches


# Addresses to listen on


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        pytest.param(":7979", "", 7979, id="plan-8.2-default-is-every-interface"),
        pytest.param("127.0.0.1:0", "127.0.0.1", 0, id="any-free-port"),
        pytest.param("[::1]:7979", "::1", 7979, id="ipv6-in-brackets"),
        pytest.param("localhost:65535", "localhost", 65535, id="name-and-highest-port"),
    ],
)
def test_a_listen_address_is_parsed_and_formatted(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == ListenAddress(host=host, port=port)
    assert str(address) == text


@pytest.mark.parametrize("text", ["", "7979", "localhost", ":", ":http", ":65536", "::1:7979", "[a]:1", "a]:1", ":1٣"])
def test_an_invalid_listen_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        parse_address(text)


@pytest.mark.parametrize(("text", "meant"), [("7979", ":7979"), ("9" * 5000, ""), ("web", "")])
def test_the_error_about_a_port_without_a_colon_suggests_the_address_with_one(text: str, meant: str) -> None:
    assert ADDRESS.suggest(text) == meant


# Durations of flags (docs/spec/sources.md 9.1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("1m30s", 90.0, id="sources-9.1-groups-add-up"),
        pytest.param("500ms", 0.5, id="plan-8.1-milliseconds"),
        pytest.param("0", 0.0, id="sources-9.1-a-bare-zero-needs-no-unit"),
        pytest.param("-0", 0.0, id="a-bare-zero-may-have-a-sign"),
        pytest.param("1.5h", 5400.0, id="fractions"),
        pytest.param(".5s", 0.5, id="fraction-without-a-digit-before-the-point"),
        pytest.param("1.s", 1.0, id="fraction-without-a-digit-after-the-point"),
        pytest.param("2d", 172800.0, id="sources-9.1-days"),
        pytest.param("1w", 604800.0, id="sources-9.1-weeks"),
        pytest.param("1us", 1e-6, id="microseconds-in-ascii"),
        pytest.param("1µs", 1e-6, id="microseconds-with-the-micro-sign"),
        pytest.param("1\u03bcs", 1e-6, id="microseconds-with-the-greek-letter"),
        pytest.param("7ns", 7e-9, id="nanoseconds"),
        pytest.param("-5s", -5.0, id="negative"),
        pytest.param("+5s", 5.0, id="explicit-plus"),
        pytest.param("0.0000000001s", 0.0, id="less-than-a-nanosecond-is-cut-off"),
    ],
)
def test_a_duration_is_parsed_to_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["72", "", "-", "s", ".s", "1 m", "1M", "1m30", "1y", "m1", "٣s", "1e3s"])
def test_a_duration_that_go_does_not_accept_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["300000w", "9223372036854775808ns"])
def test_a_duration_beyond_64_bits_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="292 years"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(0.0, "0s", id="zero"),
        pytest.param(60.0, "1m", id="a-whole-minute"),
        pytest.param(5400.0, "1h30m", id="hours-and-minutes"),
        pytest.param(90.25, "1m30.25s", id="fractions-of-seconds"),
        pytest.param(-5.0, "-5s", id="negative"),
        pytest.param(3605.0, "1h5s", id="zero-minutes-are-omitted"),
    ],
)
def test_a_duration_is_formatted_in_hours_minutes_and_seconds(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize("text", ["0s", "-1m"])
def test_a_positive_duration_flag_refuses_zero_and_negative_values(text: str) -> None:
    with pytest.raises(ValueError, match="longer than 0s"):
        POSITIVE_DURATION.parse(text)


def test_the_error_about_a_duration_without_unit_suggests_one_with_a_unit() -> None:
    assert POSITIVE_DURATION.suggest("72") == "72s"
    assert POSITIVE_DURATION.suggest("soon") == ""
    assert POSITIVE_DURATION.suggest("0") == "", "0s is not longer than 0s"


# Values of the flags of Cloud DNS


START = ("--source=service", "--provider=google", "--policy=sync")


def parse_google(*arguments: str, environ: Mapping[str, str] = MappingProxyType({})) -> GoogleFlags:
    """Return the flags of Cloud DNS that *arguments* and *environ* give."""
    return PROVIDER.find_flags(parse([*START, *arguments], environ))


@pytest.mark.parametrize(
    "text", ["", "https://dns.googleapis.com", "http://127.0.0.1:8080", "https://dns-x.p.googleapis.com/"]
)
def test_the_google_api_endpoint_is_a_url_without_a_path(text: str) -> None:
    assert parse_google(f"--google-api-endpoint={text}").google_api_endpoint == text


@pytest.mark.parametrize(
    "text", ["dns.googleapis.com", "ftp://x", "https://x/dns/v1", "https://me:secret@x", "https://"]
)
def test_an_invalid_google_api_endpoint_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="is not an endpoint\n  allowed: https://HOST") as caught:
        parse([*START, f"--google-api-endpoint={text}"], {})
    assert "--google-api-endpoint=" in str(caught.value)


def test_google_flags_can_be_set_by_variables_and_the_batch_change_interval_is_1s_with_compat() -> None:
    environ = {"EXTERNAL_DNS_GOOGLE_PROJECT": "p", "EXTERNAL_DNS_GOOGLE_ZONE_VISIBILITY": "private"}
    chosen = parse_google(environ=environ)
    assert (chosen.google_project, chosen.google_zone_visibility) == ("p", "private")
    assert (chosen.google_batch_change_size, chosen.google_batch_change_interval_s) == (1000, 0.0)
    assert parse_google("--compat").google_batch_change_interval_s == 1.0
    assert parse_google("--google-batch-change-interval=3s").google_batch_change_interval_s == 3.0
