"""The table knows every flag of the reference as the reference does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from extdns.flags.control import PROVIDERS
from extdns.flags.flag import Absent, Flag, Implemented
from extdns.flags.help import default_text
from extdns.flags.kind import BOOLEAN
from extdns.flags.registry import REGISTRIES
from extdns.flags.sources import SOURCES
from extdns.flags.support import AVAILABLE
from extdns.flags.table import BY_NAME, FLAGS
from extdns.model.selector import EVERYTHING

OURS: Final = {
    "api-burst",
    "api-calls-per-second",
    "audit-calls-per-minute",
    "aws-conditional-writes",
    "compat",
    "delete-grace-period",
    "google-api-endpoint",
    "leader-elect",
    "leader-elect-lease-duration",
    "leader-elect-renew-deadline",
    "leader-elect-resource-name",
    "leader-elect-resource-namespace",
    "leader-elect-retry-period",
    "manifests",
    "max-delete-count",
    "max-delete-percent",
    "merge-across-namespaces",
    "release",
    "stale-hold",
    "state-configmap",
    "state-file",
    "web-address",
    "zonefile-dir",
}
# The reference's own help does not show these as repeatable; spec plan 8.2 and 8.3 and sources 9.2 do.
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
# The help shows a default that does not hold; spec plan 8.2 and 8.3 say "".
WRONG_IN_HELP: Final = {"migrate-from-txt-owner": "default", "ns1-endpoint": "https://api.nsone.net/v1/"}
# What the help says in words where the default is empty, off or zero.
NOTHING: Final = {
    *("-", "all", "all gateways", "all names", "all namespaces", "all resources", "any", "auto-detect", "disabled"),
    *("false", "none", "provider", "source", "the namespace ExternalDNS runs in"),
}
MORE_CHOICES: Final = {"log-level": {"trace"}, "provider": {"zonefile"}}  # spec plan 8.2 and ours


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
        shown = default.split(", ")[0].strip('"”')
        choices = frozenset() if allowed == "-" else frozenset(allowed.split(", "))
        found.append(Row(name=name, kind=kind, repeatable=repeat == "repeat", default=shown, allowed=choices))
    return found


def reference_default(flag: Flag) -> object:
    return flag.default_value(compat=True)


ROWS: Final = [pytest.param(row, id=row.name) for row in rows()]


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_of_the_reference_is_of_the_same_kind(row: Row) -> None:
    assert BY_NAME[row.name].is_switch is (row.kind == "bool")


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_of_the_reference_repeats_as_there(row: Row) -> None:
    assert BY_NAME[row.name].repeatable is (row.repeatable or row.name in LISTS)


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_of_the_reference_has_the_same_choices(row: Row) -> None:
    choices = {choice for choice in BY_NAME[row.name].kind.choices if choice}
    assert choices == row.allowed | MORE_CHOICES.get(row.name, set())


@pytest.mark.parametrize("row", ROWS)
def test_a_flag_of_the_reference_has_the_same_default_under_compat(row: Row) -> None:
    flag = BY_NAME[row.name]
    default = reference_default(flag)
    written = tuple(argument.partition("=")[2] for argument in flag.arguments(default))
    if row.default == "enabled" or (flag.is_switch and row.default == "true"):
        assert default is True
    elif row.name in WRONG_IN_HELP:
        assert (default, row.default) == ("", WRONG_IN_HELP[row.name])
    elif row.default not in ("", ",".join(written)):
        assert row.default in NOTHING
        assert not default or default == EVERYTHING


def test_the_table_holds_the_flags_of_the_reference_and_ours_and_no_others() -> None:
    assert set(BY_NAME) == {row.name for row in rows()} | OURS
    assert [name for name, count in Counter(flag.name for flag in FLAGS).items() if count > 1] == []


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS])
def test_a_default_is_of_its_flags_kind(flag: Flag) -> None:
    for default in (flag.default, reference_default(flag)):
        if default is None or (isinstance(default, str) and not default):
            continue
        assert isinstance(default, tuple) is flag.repeatable
        for one in default if isinstance(default, tuple) else (default,):
            assert flag.kind.read(flag.kind.write(one)) == one


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS])
def test_a_flag_belongs_to_sources_providers_and_registries_that_exist(flag: Flag) -> None:
    assert set(flag.sources) <= set(SOURCES)
    assert set(flag.providers) <= set(PROVIDERS)
    assert set(flag.registries) <= set(REGISTRIES)


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if flag.providers])
def test_a_flag_of_providers_that_are_all_absent_is_not_implemented(flag: Flag) -> None:
    available = set(flag.providers) & set(AVAILABLE["provider"])
    assert not isinstance(flag.state, Absent if available else Implemented)


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if isinstance(flag.state, Absent)])
def test_an_absent_flag_is_idle_only_at_a_default_that_is_nothing(flag: Flag) -> None:
    assert flag.is_idle(flag.default) is not bool(flag.default)


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS if flag.secret])
def test_a_secret_takes_any_text_so_that_no_message_quotes_it(flag: Flag) -> None:
    assert flag.kind.read("\x00 any = text") == "\x00 any = text"
    assert not flag.repeatable


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("aws-assume-role-external-id", id="external-id"),
        *(pytest.param(name, id=name) for name in BY_NAME if name.endswith(("-secret", "-password", "-key", "key"))),
    ],
)
def test_keys_secrets_and_passwords_are_secret(name: str) -> None:
    # Spec plan 1.1; the path of a key and the name of a region are none.
    assert BY_NAME[name].secret is (name not in ("tls-client-cert-key", "cloudflare-region-key"))


def test_every_flag_but_help_and_version_has_its_variable() -> None:
    assert {flag.name for flag in FLAGS if not flag.variable} == {"help", "version"}
    assert BY_NAME["aws-zone-type"].variable == "EXTERNAL_DNS_AWS_ZONE_TYPE"
    assert BY_NAME["rfc2136-host"].variable == "EXTERNAL_DNS_RFC2136_HOST"


def test_switches_are_off_unless_the_table_says_on() -> None:
    on = {flag.name for flag in FLAGS if flag.kind is BOOLEAN and default_text(flag)}
    assert on == {"exclude-unschedulable", "aws-evaluate-target-health", "aws-conditional-writes"}
