"""Configurations of octoDNS that cannot be used give one message each, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns import masking
from extdns.errors import UsageError
from extdns.model.selection import DomainFilter
from providers.octodns.configuration import load_zones
from providers.octodns.secrets import SecretValues
from providers.octodns.settings import OctodnsSettings
from tests.fakes.octodns_package import CLASS, SERVICES, MemoryService

MODULE: Final = CLASS.rpartition(".")[0]
GOOD: Final = f"""\
providers:
  here:
    class: {CLASS}
    service: it
zones:
  example.org.:
    targets: [here]
"""


@pytest.fixture(autouse=True)
def service() -> Iterator[MemoryService]:
    SERVICES["it"] = found = MemoryService()
    yield found
    SERVICES.clear()
    masking.clear_secrets()


def load(folder: Path, text: str, **more: object) -> dict[str, str]:
    """Return the target of each zone in the configuration *text*."""
    path = folder / "octodns.yaml"
    path.write_text(text)
    zones, _ = load_zones(OctodnsSettings(path=path, **more))  # type: ignore[arg-type]  # each test gives the right ones
    return {name: zone.target.id for name, zone in zones.items()}


def change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("zones:\n\texample.org.: {}\n", "line 2: found character '\\t'", id="tab"),
        pytest.param("- a\n", "the file is not a mapping", id="list"),
        pytest.param("", "the file is not a mapping", id="empty"),
        pytest.param("zones: [a]\n", "section zones is not a mapping", id="zones-as-list"),
        pytest.param(
            "providers: &a\n  here: *a\nzones: *a\n",
            "line 1: found unconstructable recursive node",
            id="refers-to-itself",
        ),
        pytest.param("{[1]: 2}\n", "line 1: found unhashable key", id="list-as-key"),
        pytest.param("zones: !include gone.yaml\n", "gone.yaml: No such file", id="included-file-is-missing"),
        pytest.param("providers: {}\n", "no zone under `zones`", id="no-zones"),
        pytest.param(change("example.org.", "'*'"), "no zone under `zones`", id="only-dynamic-zones"),
        pytest.param(
            change("example.org.", "a..b"),
            "zone a..b is not a DNS name; allowed: a name without empty labels",
            id="invalid-zone",
        ),
        pytest.param(
            f"{GOOD}  example.org: {{targets: [here]}}\n", "zone example.org is listed twice", id="zone-twice"
        ),
        pytest.param(change("[here]", "[]"), "zone example.org has no provider", id="zone-without-provider"),
        pytest.param(change("targets: [here]", "{}"), "zone example.org has no provider", id="zone-without-targets"),
        pytest.param(
            change("[here]", "[here, there]"), "zone example.org has 2 targets: here, there; allowed: one", id="two"
        ),
        pytest.param(change("[here]", "[there]"), "is not under `providers`; allowed: here", id="unknown-provider"),
        pytest.param(
            f"{GOOD}    delete_pcent_threshold: many\n", "delete_pcent_threshold is not a number", id="threshold"
        ),
        pytest.param(change(f"class: {CLASS}", "a: b"), "provider here has no class", id="no-class"),
        pytest.param(
            change(CLASS, "octodns_nowhere.NowhereProvider"),
            "class octodns_nowhere.NowhereProvider is not installed; try: pip install octodns-nowhere",
            id="package-not-installed",
        ),
        pytest.param(
            change(CLASS, "octodns_bind.BindPrivider"),
            "there is no class octodns_bind.BindPrivider",
            id="unknown-class",
        ),
        pytest.param(change(CLASS, "MemoryProvider"), "there is no class MemoryProvider", id="class-without-module"),
        pytest.param(change(CLASS, f"{MODULE}.SERVICES"), "SERVICES is not a class", id="not-a-class"),
        pytest.param(
            change(f"{CLASS}\n    service: it", f"{MODULE}.OnlySource"), "class OnlySource cannot write", id="source"
        ),
        pytest.param(
            change(CLASS, "octodns_bind.ZoneFileProvider"), "ZoneFileProvider writes only the records", id="rewriting"
        ),
        pytest.param(change(CLASS, "builtins.dict"), "class dict cannot write", id="class-of-python"),
        pytest.param(change("service: it", "servce: it"), "the arguments do not fit MemoryProvider", id="argument"),
        pytest.param(change("service: it", "service: no"), "provider here cannot be created: KeyError", id="fails"),
        pytest.param(
            change("service: it", "service: env/GONE"),
            "provider here: service=env/…: environment variable GONE is not set",
            id="variable-not-set",
        ),
        pytest.param(
            change("service: it", "service: it\n    deep: {token: env/GONE}"),
            "provider here, deep: token=env/…: environment variable GONE is not set",
            id="variable-of-a-nested-argument-not-set",
        ),
        pytest.param(
            f"secret_handlers:\n  v: {{class: {MODULE}.Vault, fails: true}}\n" + change("it", "v/a"),
            "service=v/… cannot be read: ConnectionError: vault is sealed",
            id="secret-handler-fails",
        ),
        pytest.param(
            "secret_handlers: {v: {class: builtins.dict}}\n" + GOOD,
            "secret handler v cannot be created",
            id="no-handler",
        ),
        pytest.param("secret_handlers: {v: {}}\n" + GOOD, "secret handler v has no class", id="handler-without-class"),
    ],
)
def test_an_unusable_octodns_configuration_gives_one_message_that_names_the_file(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, text)
    assert str(error.value).startswith(f"--octodns-config={tmp_path}/octodns.yaml: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_configuration_file_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone.yaml: No such file or directory"):
        load_zones(OctodnsSettings(path=tmp_path / "gone.yaml"))


def test_excluded_zones_and_providers_that_no_zone_needs_are_not_examined(tmp_path: Path) -> None:
    more = "  example.com.: {targets: [gone, there]}\n  '*': {sources: [config]}\n"
    text = f"{GOOD}{more}".replace("zones:", "  config: {class: octodns_nowhere.Source}\nzones:")
    assert load(tmp_path, text, domains=DomainFilter(include=("example.org",))) == {"example.org": "here"}
    assert load(tmp_path, text, zone_ids=("example.org.",)) == {"example.org": "here"}
    settings = OctodnsSettings(path=tmp_path / "octodns.yaml", zone_ids=("example.net",))
    assert load_zones(settings) == ({}, ("example.com", "example.org"))


def test_values_from_secret_handlers_are_used_and_masked_in_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE", "it")
    monkeypatch.setenv("CODE", "0123456789")
    SERVICES["s3cr3t-name"] = SERVICES["it"]
    handler = f"secret_handlers:\n  v: {{class: {MODULE}.Vault, prefix: s3cr3t}}\n"
    assert load(tmp_path, handler + change("it", "v/-name")) == {"example.org": "here"}
    assert masking.mask("about s3cr3t-name") == "about ******"
    load(tmp_path, change("it", "env/SERVICE\n    token: env/CODE"))
    assert masking.mask("123456789 0123456789") == "****** ******"  # octoDNS reads digits as a number
    load(tmp_path, change("it", "env/OTHER/it\n    token: plain-token"))
    assert masking.mask("plain-token") == "******"
    with pytest.raises(UsageError):  # the class has no such argument
        load(tmp_path, change("it", "it\n    tokens: [first-token]\n    password: [second-token]"))
    assert masking.mask("first-token second-token") == "****** ******"


def test_secrets_in_nested_lists_are_masked_in_output() -> None:
    accounts = [{"token": "first-token", "inner": {"password": "the-password"}}, [{"keys": ["second-token"]}], "plain"]
    assert SecretValues().resolve({"accounts": accounts}, "provider p") == {"accounts": accounts}
    assert masking.mask("first-token the-password second-token plain") == "****** ****** ****** plain"


def test_errors_about_the_configuration_show_no_secrets(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, change("service: it", "service: it\n    token: s3cr3t-token\n\tindented: s3cr3t"))
    assert "s3cr3t" not in str(error.value)
    with pytest.raises(UsageError) as error:
        load(tmp_path, change("service: it", "service: s3cr3t-name\n    token: s3cr3t-name"))
    assert "s3cr3t" not in str(error.value)
    path = tmp_path / "octodns.yaml"
    path.write_text(change("service: it", "service: it\n    token: s3cr3t-token"))
    (zone,) = load_zones(OctodnsSettings(path=path))[0].values()
    assert "s3cr3t" not in repr(zone)


def test_when_planning_from_a_snapshot_a_missing_environment_variable_is_allowed(tmp_path: Path) -> None:
    assert load(tmp_path, change("it", "it\n    token: env/GONE"), offline=True) == {"example.org": "here"}


def test_an_octodns_provider_without_a_timeout_gets_one(tmp_path: Path) -> None:
    path = tmp_path / "octodns.yaml"
    path.write_text(GOOD)
    (zone,) = load_zones(OctodnsSettings(path=path))[0].values()
    assert zone.target.build().timeout == 30.0
    path.write_text(change("service: it", "service: it\n    timeout: 7"))
    (zone,) = load_zones(OctodnsSettings(path=path))[0].values()
    assert zone.target.build().timeout == 7


def test_the_octodns_configuration_in_the_docs_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERDNS_API_KEY", "key-of-a-page")
    text = (Path(__file__).parents[4] / "docs" / "reference" / "octodns.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"`production.yaml`:\n\n```yaml\n(.*?)```\n", text, re.DOTALL)
    assert load(tmp_path, block) == {"shop.example": "powerdns"}
