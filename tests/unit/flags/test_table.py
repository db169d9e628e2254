"""The flag table agrees with the flags of external-dns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from extdns.errors import UsageError
from extdns.flags.flag import Flag, Support
from extdns.flags.parser import apply_defaults, parse_settings
from extdns.flags.provider_ways import BY_PROVIDER
from extdns.flags.sources import SOURCES
from extdns.flags.table import BY_NAME, FLAGS
from extdns.flags.validation import AVAILABLE, check_support, find_notices, min_refresh_interval_s
from extdns.model.selection import EVERYTHING

# The help of external-dns does not show these as repeatable; docs/spec/plan.md 8.2, 8.3 do.
LISTS: Final = {
    "aws-profile",
    "aws-zone-tags",
    "domain-filter",
    "exclude-domains",
    "inmemory-zone",
    "rfc2136-host",
    "zone-id-filter",
    "zone-name-filter",
}
ACCEPTS_SEVERAL: Final = {"txt-encrypt-aes-key"}
"""Flags that external-dns accepts once; ours are repeatable."""
# The help shows a default that is not the real one; docs/spec/plan.md 8.2 and 8.3 have "".
OUTDATED_IN_HELP: Final = {"migrate-from-txt-owner": "default", "ns1-endpoint": "https://api.nsone.net/v1/"}
# How the help describes a default that is empty, off or zero.
NOTHING: Final = {
    *("-", "all", "all gateways", "all names", "all namespaces", "all resources", "any", "auto-detect", "disabled"),
    *("false", "none", "provider", "source", "the namespace ExternalDNS runs in"),
}
MORE_CHOICES: Final = {"log-level": {"trace"}} | {name: set(names) for name, names in AVAILABLE.items()}
MORE_CHOICES["provider"] |= BY_PROVIDER.keys()
"""Of docs/spec/plan.md 8.2, and ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    kind: str
    repeatable: bool
    default: str
    allowed: frozenset[str]


def rows() -> list[Row]:
    text = Path(__file__).with_name("reference_flags.tsv").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, _short, kind, repeat, default, allowed = line.split("\t")
        shortened = default.split(", ")[0].strip('"”')
        choices = frozenset() if allowed == "-" else frozenset(allowed.split(", "))
        found.append(Row(name=name, kind=kind, repeatable=repeat == "repeat", default=shortened, allowed=choices))
    return found


ROWS: Final = [pytest.param(row, id=row.name) for row in rows()]


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_is_boolean_if_and_only_if_it_is_boolean_in_external_dns(row: Row) -> None:
    assert BY_NAME[row.name].is_switch is (row.kind == "bool")


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_of_external_dns_is_repeatable_if_it_is_repeatable_there(row: Row) -> None:
    assert BY_NAME[row.name].repeatable is (row.repeatable or row.name in LISTS | ACCEPTS_SEVERAL)


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_of_external_dns_has_the_choices_that_it_has_there_and_those_that_only_extdns_has(row: Row) -> None:
    choices = {choice for choice in BY_NAME[row.name].kind.choices if choice}
    assert choices == row.allowed | MORE_CHOICES.get(row.name, set())


@pytest.mark.parametrize("row", ROWS)
def test_with_compat_each_flag_has_the_default_that_it_has_in_external_dns(row: Row) -> None:
    flag = BY_NAME[row.name]
    default = flag.get_default(compat=True)
    written = () if flag.is_switch else flag.format_values(default)
    if row.default == "enabled" or (flag.is_switch and row.default == "true"):
        assert default is True
    elif row.name in OUTDATED_IN_HELP:
        assert (default, row.default) == ("", OUTDATED_IN_HELP[row.name])
    elif row.default not in ("", ",".join(written)):
        assert row.default in NOTHING
        assert not default or default == EVERYTHING


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS])
def test_a_flag_refers_only_to_existing_sources_providers_and_registries(flag: Flag) -> None:
    assert set(flag.sources) <= set(SOURCES)
    assert set(flag.providers) <= set(BY_NAME["provider"].kind.choices)
    assert set(flag.registries) <= set(BY_NAME["registry"].kind.choices)


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if flag.providers])
def test_a_flag_used_only_by_unsupported_providers_is_unsupported_itself(flag: Flag) -> None:
    available = set(flag.providers) & set(AVAILABLE["provider"])
    assert flag.support is not (Support.ABSENT if available else Support.IMPLEMENTED)


# The URL may contain a password; --opa-url refuses one, and that of --server is not used.
SECRETS: Final = [
    *(flag for flag in FLAGS if flag.secret and flag.support is Support.IMPLEMENTED),
    BY_NAME["webhook-provider-url"],
]


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in SECRETS])
def test_each_secret_flag_has_an_environment_variable_and_a_flag_for_a_file(flag: Flag) -> None:
    assert flag.variable
    file = BY_NAME[f"{flag.name}-file"]
    assert not file.secret
    assert (file.providers, file.registries, file.kind.metavar) == (flag.providers, flag.registries, "PATH")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("aws-assume-role-external-id", id="external-id"),
        *(pytest.param(name, id=name) for name in BY_NAME if name.endswith(("-secret", "-password", "-key", "key"))),
    ],
)
def test_flags_named_key_secret_or_password_are_secret_unless_the_value_is_a_path_or_a_region(name: str) -> None:
    # docs/spec/plan.md 1.1; the path of a key and the name of a region are not secret.
    assert BY_NAME[name].secret is (
        name not in ("tls-client-cert-key", "opa-tls-client-cert-key", "cloudflare-region-key")
    )


def test_every_flag_except_help_and_version_has_an_environment_variable() -> None:
    assert {flag.name for flag in FLAGS if not flag.variable} == {"help", "version"}
    assert BY_NAME["aws-zone-type"].variable == "EXTERNAL_DNS_AWS_ZONE_TYPE"
    assert BY_NAME["rfc2136-host"].variable == "EXTERNAL_DNS_RFC2136_HOST"


# Errors about unsupported flags, and notices about flags without effect


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
            ["--source=service", "--provider=scaleway"],
            "--provider=scaleway is not built in. Ways to it:\n"
            "  chart: provider.name: scaleway, domainFilters: [ZONE], credentials in provider.webhook.env\n"
            "  external-dns v0.22.0 in the same pod: --webhook-server --provider=scaleway --source=fake --policy=sync "
            "--domain-filter=ZONE --metrics-address=:8080\n"
            "  extdns beside it: --provider=webhook --domain-filter=ZONE --webhook-provider-properties=scw/\n"
            "  octoDNS: pip install 'octodns<2' octodns-scaleway; --provider=octodns --octodns-config=FILE\n"
            "  more: docs/reference/provider-ways.md",
            id="provider",
        ),
        pytest.param(
            ["--source=service", "--provider=hetzner", "--domain-filter=shop.example", "--domain-filter=b.example"],
            "--provider=hetzner is not built in. Ways to it:\n"
            "  octoDNS: pip install 'octodns<2' octodns-hetzner; --provider=octodns --octodns-config=FILE\n"
            "  webhook: --provider=webhook --domain-filter=shop.example --domain-filter=b.example, with "
            "mconfalonieri/external-dns-hetzner-webhook\n"
            "  note: for the new API, choose the backend hcloud of the package\n"
            "  more: docs/reference/provider-ways.md",
            id="provider that external-dns had",
        ),
        pytest.param(
            [*START, "--webhook-server"],
            "--webhook-server is not supported by this version\n  supported flags: extdns help flags",
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


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if flag.support is Support.ABSENT])
def test_an_unsupported_flag_is_refused_only_if_other_settings_make_it_take_effect(flag: Flag) -> None:
    argv = [*START, *flag.format_arguments(own_value(flag))]
    settings = parse_settings(argv, {})
    if flag.is_relevant(apply_defaults(settings)):
        with pytest.raises(UsageError, match=f"^--{flag.name} is not supported"):
            start(argv)
    else:
        assert [notice for notice in start(argv) if "it is a flag of" not in notice] == []


def test_each_flag_without_effect_gives_one_notice_in_table_order_unless_its_source_or_provider_is_not_chosen() -> None:
    notices = start([*START, "--kube-api-qps=7", "--no-events", "--crd-source-kind=X", "--traefik-enable-legacy"])
    assert notices == (
        "--events has no effect: changes of objects are always handled at once",
        "--kube-api-qps has no effect: objects are listed once and watched from then on",
    )


def test_a_flag_of_another_provider_gives_a_notice_unless_it_has_its_default() -> None:
    octodns = ["--source=service", "--provider=octodns", "--octodns-config=x"]
    assert start([*octodns, "--cloudflare-proxied", "--aws-zone-type=public", "--no-aws-prefer-cname"]) == (
        "--aws-zone-type has no effect with --provider=octodns: it is a flag of aws, aws-sd",
        "--cloudflare-proxied has no effect with --provider=octodns: it is a flag of cloudflare",
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
