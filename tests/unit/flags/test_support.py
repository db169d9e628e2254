"""Errors about unsupported flags, and notices about flags without effect."""

from __future__ import annotations

from typing import Final

import pytest

from extdns.errors import UsageError
from extdns.flags.flag import Absent, Flag
from extdns.flags.parser import apply_defaults, parse_settings
from extdns.flags.table import FLAGS
from extdns.flags.validation import AVAILABLE, check_support, find_notices, min_refresh_interval_s

START: Final = ["--source=service", "--provider=inmemory", "--manifests=-"]


def start(argv: list[str], environ: dict[str, str] | None = None) -> tuple[str, ...]:
    settings = parse_settings(argv, environ or {})
    values = apply_defaults(settings)
    check_support(settings, values)
    return find_notices(settings, values)


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
            f"--provider=azure is not supported by this version\n  available: {', '.join(AVAILABLE['provider'])}\n"
            "  other services: octodns writes those that octoDNS has a provider for, "
            "webhook uses external-dns's webhooks",
            id="provider",
        ),
        pytest.param(
            [*START, "--registry=dynamodb"],
            "--registry=dynamodb is not supported by this version\n  available: noop, txt",
            id="registry",
        ),
        pytest.param(
            [*START, "--webhook-server"],
            "--webhook-server is not supported by this version\n"
            "  use the command extdns webhook with the other flags; it serves the same protocol",
            id="webhook-server",
        ),
    ],
)
def test_setting_a_flag_or_value_that_extdns_does_not_support_is_a_usage_error(argv: list[str], text: str) -> None:
    with pytest.raises(UsageError) as error:
        start(argv)
    assert str(error.value) == text


def test_an_error_about_an_unsupported_value_names_its_environment_variable() -> None:
    with pytest.raises(UsageError, match=r"^EXTERNAL_DNS_SOURCE=connector is not supported"):
        start(["--provider=inmemory"], {"EXTERNAL_DNS_SOURCE": "connector"})
    with pytest.raises(UsageError, match=r"^EXTERNAL_DNS_WEBHOOK_SERVER is not supported"):
        start(START, {"EXTERNAL_DNS_WEBHOOK_SERVER": "true"})


def test_an_unsupported_flag_is_accepted_with_a_value_that_has_no_effect() -> None:
    assert start([*START, "--no-webhook-server"]) == ()


def own_value(flag: Flag) -> object:
    """Return a value of *flag* that has an effect."""
    if flag.is_switch:
        return not flag.default
    text = next((choice for choice in flag.kind.choices if choice), "1s" if flag.kind.metavar == "DURATION" else "7")
    value = flag.kind.parse("k=v" if "=" in flag.kind.metavar else text)
    return (value,) if flag.repeatable else value


@pytest.mark.parametrize(
    "flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if isinstance(flag.support, Absent)]
)
def test_an_unsupported_flag_is_refused_only_if_other_settings_make_it_take_effect(flag: Flag) -> None:
    argv = [*START, *flag.format_arguments(own_value(flag))]
    settings = parse_settings(argv, {})
    if flag.is_relevant(apply_defaults(settings)):
        with pytest.raises(UsageError, match=f"^--{flag.name} is not supported"):
            start(argv)
    else:
        assert start(argv) == ()


def test_each_flag_without_effect_gives_one_notice_in_table_order_unless_its_source_or_provider_is_not_chosen() -> None:
    notices = start([*START, "--kube-api-qps=7", "--no-events", "--crd-source-kind=X", "--aws-zones-cache-duration=3h"])
    assert notices == (
        "--events has no effect: changes of objects are always handled at once",
        "--kube-api-qps has no effect: objects are listed once and watched from then on",
    )


def test_the_old_name_of_a_flag_works_and_gives_a_notice() -> None:
    assert start([*START, "--request-timeout=5s"]) == (
        "--request-timeout is the old name of --kube-api-request-timeout; use the new name",
    )


@pytest.mark.parametrize(
    ("argv", "seconds"),
    [
        pytest.param([], 0.0, id="none-given"),
        pytest.param(["--provider-cache-time=5m"], 300.0, id="design-5-provider-cache"),
        pytest.param(["--provider-cache-time=5m", "--txt-cache-interval=10m"], 600.0, id="the-longest-counts"),
        pytest.param(["--registry=noop", "--txt-cache-interval=10m"], 0.0, id="not-of-another-registry"),
        pytest.param(["--aws-zones-cache-duration=3h"], 0.0, id="not-of-another-provider"),
        pytest.param(["--provider-cache-time=-5m"], 0.0, id="negative-time-is-ignored"),
    ],
)
def test_flags_about_cache_times_set_the_minimum_interval_between_refreshes(argv: list[str], seconds: float) -> None:
    settings = parse_settings([*START, *argv], {})
    assert min_refresh_interval_s(settings, apply_defaults(settings)) == seconds


def test_with_the_aws_provider_the_aws_zones_cache_duration_sets_the_minimum_interval_between_refreshes() -> None:
    settings = parse_settings(["--source=service", "--provider=aws", "--aws-zones-cache-duration=3h"], {})
    assert min_refresh_interval_s(settings, apply_defaults(settings)) == 10800.0


def test_the_approve_flag_gives_a_notice_to_remove_it_once_the_deletes_are_made() -> None:
    assert start([*START, "--approve=7f3a-91c2"]) == (
        "--approve applies at every start; remove it once the deletes are made",
    )
