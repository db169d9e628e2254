"""What stops the start because this version lacks it, and what is merely noticed."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.errors import UsageError
from extdns.flags.flag import Absent, Flag
from extdns.flags.parser import read, with_defaults
from extdns.flags.support import AVAILABLE, least_audit_interval_s, notices, require
from extdns.flags.table import FLAGS

START: Final = ["--source=service", "--provider=inmemory", "--manifests=-"]


def start(argv: list[str], environ: dict[str, str] | None = None) -> tuple[str, ...]:
    given = read(argv, environ or {})
    values = with_defaults(given)
    require(given, values)
    return notices(given, values)


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        pytest.param(
            ["--source=service", "--source=connector", *START[1:]],
            f"--source=connector is not supported by this version\n  available: {', '.join(AVAILABLE['source'])}",
            id="source",
        ),
        pytest.param(
            ["--source=service", "--provider=azure"],
            f"--provider=azure is not supported by this version\n  available: {', '.join(AVAILABLE['provider'])}",
            id="provider",
        ),
        pytest.param(
            [*START, "--registry=dynamodb"],
            "--registry=dynamodb is not supported by this version\n  available: noop, txt",
            id="registry",
        ),
        pytest.param(
            [*START, "--webhook-server"],
            "--webhook-server is not supported by this version\n  what is: extdns --help",
            id="flag",
        ),
    ],
)
def test_what_this_version_lacks_stops_the_start(argv: list[str], text: str) -> None:
    with pytest.raises(UsageError) as error:
        start(argv)
    assert str(error.value) == text


def test_what_comes_from_the_environment_is_told_by_its_variable() -> None:
    with pytest.raises(UsageError, match=r"^EXTERNAL_DNS_SOURCE=connector is not supported"):
        start(["--provider=inmemory"], {"EXTERNAL_DNS_SOURCE": "connector"})
    with pytest.raises(UsageError, match=r"^EXTERNAL_DNS_WEBHOOK_SERVER is not supported"):
        start(START, {"EXTERNAL_DNS_WEBHOOK_SERVER": "true"})


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("--webhook-server", id="webhook-server"),
    ],
)
def test_a_safety_or_a_mechanism_that_is_not_there_is_never_pretended(argument: str) -> None:
    with pytest.raises(UsageError, match="is not supported by this version"):
        start([*START, argument])


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("--no-webhook-server", id="switch-off"),
        pytest.param("--fqdn-template=", id="no-template"),
    ],
)
def test_an_absent_flag_that_asks_for_nothing_is_accepted(argument: str) -> None:
    assert start([*START, argument]) == ()


def own_value(flag: Flag) -> object:
    """A value of *flag* that asks for something."""
    if flag.is_switch:
        return not flag.default
    text = next((choice for choice in flag.kind.choices if choice), "1s" if flag.kind.metavar == "DURATION" else "7")
    value = flag.kind.read("k=v" if "=" in flag.kind.metavar else text)
    return (value,) if flag.repeatable else value


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if isinstance(flag.state, Absent)])
def test_an_absent_flag_stops_the_start_only_where_it_belongs(flag: Flag) -> None:
    argv = [*START, *flag.arguments(own_value(flag))]
    given = read(argv, {})
    if flag.belongs(with_defaults(given)):
        with pytest.raises(UsageError, match=f"^--{flag.name} is not supported"):
            start(argv)
    else:
        assert start(argv) == ()


def test_moot_flags_are_noticed_once_each_in_the_order_of_the_table() -> None:
    said = start([*START, "--kube-api-qps=7", "--no-events", "--crd-source-kind=X", "--aws-zones-cache-duration=3h"])
    assert said == (
        "--events has no effect: changes of objects are always acted on at once",
        "--kube-api-qps has no effect: objects are listed once and watched from then on",
    )


def test_a_flag_under_its_old_name_is_noticed() -> None:
    assert start([*START, "--request-timeout=5s"]) == (
        "--request-timeout is the old name of --kube-api-request-timeout; write that",
    )


@pytest.mark.parametrize(
    ("argv", "seconds"),
    [
        pytest.param([], 0.0, id="none-given"),
        pytest.param(["--provider-cache-time=5m"], 300.0, id="design-5-provider-cache"),
        pytest.param(["--provider-cache-time=5m", "--txt-cache-interval=10m"], 600.0, id="the-longest-counts"),
        pytest.param(["--registry=noop", "--txt-cache-interval=10m"], 0.0, id="not-of-another-registry"),
        pytest.param(["--aws-zones-cache-duration=3h"], 0.0, id="not-of-another-provider"),
        pytest.param(["--provider-cache-time=-5m"], 0.0, id="a-negative-time-is-none"),
    ],
)
def test_cache_times_are_the_least_time_between_audits(argv: list[str], seconds: float) -> None:
    given = read([*START, *argv], {})
    assert least_audit_interval_s(given, with_defaults(given)) == seconds


def test_the_zone_cache_counts_where_route_53_is_chosen() -> None:
    given = read(["--source=service", "--provider=aws", "--aws-zones-cache-duration=3h"], {})
    assert least_audit_interval_s(given, with_defaults(given)) == 10800.0


def test_a_release_that_is_left_standing_is_noticed() -> None:
    assert start([*START, "--release=7f3a-91c2"]) == (
        "--release counts at every start; remove it once the deletes are made",
    )
