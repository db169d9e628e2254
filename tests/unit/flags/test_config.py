"""The configuration has one field for each flag of the flag table."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from extdns.config import Config, list_settings, parse
from extdns.errors import UsageError
from extdns.flags.address import ListenAddress
from extdns.flags.flag import Support
from extdns.flags.table import FLAGS, PROVIDER_SECTIONS, SECTIONS
from extdns.masking import MASK, mask
from extdns.model.selection import EVERYTHING

START: Final = ["--source=service", "--provider=inmemory", "--manifests=-"]
TEXT_FLAGS: Final = {
    "help",
    "version",
}  # answered by extdns.flags.parser.find_requested_text before there is a configuration
ALL_SECTIONS: Final = (*SECTIONS.values(), *PROVIDER_SECTIONS)


def test_each_implemented_flag_except_help_and_version_has_exactly_one_config_field() -> None:
    found = Counter(flag.name for section in ALL_SECTIONS for flag in section.rows.values())
    implemented = {flag.name for flag in FLAGS if flag.support is Support.IMPLEMENTED} - TEXT_FLAGS
    assert set(found) == implemented
    assert set(found.values()) == {1}


def test_secrets_are_masked_in_the_repr_of_the_configuration() -> None:
    secrets = [flag for section in ALL_SECTIONS for flag in section.rows.values() if flag.secret]
    assert secrets
    config = parse([*START, *(f"{flag.spelling}=0123456789abcdef0123456789abcdef" for flag in secrets)], {})
    assert "0123456789abcdef" not in repr(config)
    assert all(f"{flag.spelling}={MASK}" in repr(config) for flag in secrets)


def test_if_only_required_flags_are_given_all_others_have_the_defaults_of_the_flag_table() -> None:
    config = parse(START, {})
    for flag, value in list_settings(config):
        stated = {"source": ("service",), "provider": "inmemory", "manifests": ("-",)}
        assert value == stated.get(flag.name, flag.default)
    assert config.control.policy == "sync"
    assert config.sources.annotation_prefix is None
    assert config.sources.label_filter == EVERYTHING
    assert config.web.metrics_address == ListenAddress(host="", port=7979)
    assert (config.min_refresh_interval_s, config.notices) == (0.0, ())


@pytest.mark.parametrize(
    ("argv", "registry", "notices"),
    [
        pytest.param([], "aws-sd", (), id="plan-3.6-by-default"),
        pytest.param(["--registry=noop"], "noop", (), id="plan-3.6-noop"),
        pytest.param(["--registry=txt"], "aws-sd", (), id="plan-3.6-default"),
        pytest.param(
            ["--registry=crd"],
            "aws-sd",
            ("--registry has no effect with --provider=aws-sd: its registry is aws-sd, or noop for none",),
            id="plan-3.6-another",
        ),
        pytest.param(
            ["--migrate-from-txt-owner=old"],
            "aws-sd",
            ("--migrate-from-txt-owner has no effect with --registry=aws-sd: it is a flag of txt",),
            id="flag-of-another",
        ),
    ],
)
def test_a_provider_with_a_registry_of_its_name_has_that_one_or_none(
    argv: list[str], registry: str, notices: tuple[str, ...]
) -> None:
    config = parse(["--source=service", "--provider=aws-sd", *argv], {})
    assert (config.registry.name, config.notices) == (registry, notices)


@pytest.mark.parametrize(
    ("argv", "seconds"),
    [
        pytest.param([], 30.0, id="the-reference's-default"),
        pytest.param(["--kube-api-request-timeout=5s"], 5.0, id="new-name"),
        pytest.param(["--request-timeout=7s"], 7.0, id="spec-sources-9.2-old-name"),
        pytest.param(
            ["--kube-api-request-timeout=5s", "--request-timeout=7s"], 7.0, id="old-flag-name-takes-precedence"
        ),
        pytest.param(
            ["--kube-api-request-timeout=5s", "--request-timeout=30s"], 5.0, id="unless-the-old-flag-has-its-default"
        ),
        pytest.param(["--kube-api-request-timeout=0s"], 0.0, id="zero-is-no-limit"),
        pytest.param(["--request-timeout=0s"], 0.0, id="zero-by-the-old-name"),
        pytest.param(["--request-timeout=-1s"], 0.0, id="negative-is-no-limit"),
    ],
)
def test_the_old_flag_for_the_request_timeout_takes_precedence_unless_it_has_its_default(
    argv: list[str], seconds: float
) -> None:
    assert parse([*START, *argv], {}).cluster.time_limit_s == seconds


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        pytest.param(["--nonsense"], "is not a flag", id="parsing-comes-first"),
        pytest.param([*START, "--provider=aws"], "--provider is given twice", id="then-repeats"),
        pytest.param(
            ["--source=connector", "--provider=aws", "--txt-prefix=a", "--txt-suffix=b"], "mutual", id="then-fitting"
        ),
        pytest.param(
            ["--source=connector", "--provider=aws"], "--source=connector is not supported", id="then-support"
        ),
    ],
)
def test_of_several_errors_on_a_command_line_the_first_in_order_of_checking_is_reported(
    argv: list[str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        parse(argv, {})


def format_arguments(config: Config) -> list[str]:
    return [text for flag, value in list_settings(config) for text in flag.format_arguments(value, masked=True)]


def test_a_secret_in_formatted_arguments_is_masked_unless_it_is_empty() -> None:
    assert f"--rfc2136-tsig-secret={MASK}" in format_arguments(parse([*START, "--rfc2136-tsig-secret=hidden"], {}))
    assert "--rfc2136-tsig-secret=" in format_arguments(parse(START, {}))


def test_each_of_several_secrets_in_a_variable_is_masked() -> None:
    variable = "EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY"
    found = parse(START, {variable: "first-key\nsecond-key\n"})
    assert found.registry.txt_encrypt_aes_key == ("first-key", "second-key")
    assert format_arguments(found).count(f"--txt-encrypt-aes-key={MASK}") == 2
    assert mask("second-key is no key") == f"{MASK} is no key"
