"""The configuration comes from the table, whole."""

from __future__ import annotations

from collections import Counter
from typing import Final, get_type_hints

import pytest
from msgspec.structs import replace

from extdns import config as module
from extdns.config import Config, Section, parse, settings, shown
from extdns.errors import UsageError
from extdns.flags.address import ListenAddress
from extdns.flags.duration import DURATION, PERIOD
from extdns.flags.flag import MASK, Flag, Implemented
from extdns.flags.kind import text
from extdns.flags.table import FLAGS
from extdns.model.selector import EVERYTHING

START: Final = ["--source=service", "--provider=inmemory", "--manifests=-"]
ANSWERED: Final = {"help", "version"}  # by extdns.flags.parser.asked_for, before there is a configuration


def sections() -> list[type[Section]]:
    hints = get_type_hints(Config)
    return [hint for hint in hints.values() if isinstance(hint, type) and issubclass(hint, Section)]


def test_each_implemented_flag_is_one_field_and_each_field_one_implemented_flag() -> None:
    found = Counter(flag.name for section in sections() for flag in section.flags().values())
    implemented = {flag.name for flag in FLAGS if isinstance(flag.state, Implemented)} - ANSWERED
    assert set(found) == implemented
    assert set(found.values()) == {1}


def test_the_only_fields_beside_the_sections_are_the_audit_interval_and_the_notices() -> None:
    hints = get_type_hints(Config)
    others = {name for name, hint in hints.items() if hint not in sections()}
    assert others == {"least_audit_interval_s", "notices"}


def test_a_duration_has_its_unit_in_its_name_and_nothing_else_has() -> None:
    for section in sections():
        for name, flag in section.flags().items():
            assert name.endswith("_s") is (flag.kind in (DURATION, PERIOD))


def test_a_field_is_of_the_type_that_its_flag_gives() -> None:
    for section in sections():
        hints = get_type_hints(section)
        for name, flag in section.flags().items():
            default = flag.default
            assert isinstance(default, tuple) is (getattr(hints[name], "__origin__", None) is tuple)
            assert default is None or isinstance(default, (tuple, hints[name]))


def test_no_secret_shows_in_a_repr() -> None:
    secrets = [flag for section in sections() for flag in section.flags().values() if flag.secret]
    assert secrets
    config = parse([*START, *(f"{flag.spelling}=0123456789abcdef0123456789abcdef" for flag in secrets)], {})
    assert "0123456789abcdef" not in repr(config)
    assert all(f"{flag.spelling}={MASK}" in repr(config) for flag in secrets)


def test_the_smallest_start_has_the_defaults_of_the_table() -> None:
    config = parse(START, {})
    for flag, value in settings(config):
        given = {"source": ("service",), "provider": "inmemory", "manifests": ("-",)}
        assert value == given.get(flag.name, flag.default)
    assert config.control.policy == "sync"
    assert config.sources.annotation_prefix is None
    assert config.sources.label_filter == EVERYTHING
    assert config.web.metrics_address == ListenAddress(host="", port=7979)
    assert (config.least_audit_interval_s, config.notices) == (0.0, ())


def test_every_section_takes_what_is_given() -> None:
    config = parse(
        [
            *("--source=ingress", "--provider=zonefile", "--zonefile-dir=/zones", "--manifests=a", "--manifests=b"),
            *("--policy=upsert-only", "--interval=5m", "--once", "--domain-filter=a.test", "--log-format=json"),
            *("--label-filter=dns=yes", "--min-ttl=90s", "--regex-domain-filter=^a", "--txt-owner-id=me"),
            *("--registry=noop", "--inmemory-zone=b.test", "--provider-cache-time=2m"),
        ],
        {"EXTERNAL_DNS_DRY_RUN": "1"},
    )
    assert (config.control.policy, config.control.interval_s) == ("upsert-only", 300.0)
    assert (config.control.once, config.control.dry_run, config.control.compat) == (True, True, False)
    assert config.cluster.manifests == ("a", "b")
    assert config.sources.names == ("ingress",)
    assert config.sources.label_filter.matches({"dns": "yes"})
    assert config.sources.min_ttl_s == 90.0
    assert config.plan.domain_filter == ("a.test",)
    assert config.plan.regex_domain_filter is not None
    assert config.plan.regex_domain_filter.pattern.search("abc")
    assert (config.registry.name, config.registry.txt_owner_id) == ("noop", "me")
    assert config.log.format == "json"
    assert config.inmemory.inmemory_zone == ("b.test",)
    assert config.zonefile.zonefile_dir == "/zones"
    assert config.least_audit_interval_s == 120.0
    assert config.notices == (
        "--provider-cache-time sets the least time between two audits of a zone; there is no cache",
    )


@pytest.mark.parametrize(
    ("argv", "seconds"),
    [
        pytest.param([], 30.0, id="the-reference's-default"),
        pytest.param(["--kube-api-request-timeout=5s"], 5.0, id="new-name"),
        pytest.param(["--request-timeout=7s"], 7.0, id="spec-sources-9.2-old-name"),
        pytest.param(["--kube-api-request-timeout=5s", "--request-timeout=7s"], 7.0, id="the-old-name-wins"),
        pytest.param(["--kube-api-request-timeout=5s", "--request-timeout=30s"], 5.0, id="unless-it-is-as-by-default"),
        pytest.param(["--kube-api-request-timeout=0s"], 0.0, id="zero-is-no-limit"),
        pytest.param(["--request-timeout=0s"], 0.0, id="zero-by-the-old-name"),
        pytest.param(["--request-timeout=-1s"], 0.0, id="nor-is-less-than-zero-one"),
    ],
)
def test_a_request_to_the_api_server_may_take_as_long_as_either_flag_says(argv: list[str], seconds: float) -> None:
    assert parse([*START, *argv], {}).cluster.time_limit_s == seconds


def test_without_manifests_there_is_a_live_cluster_to_read() -> None:
    cluster = parse([*START[:2], "--server=https://192.0.2.1", "--kubeconfig=/k"], {}).cluster
    assert (cluster.manifests, cluster.server, cluster.kubeconfig) == ((), "https://192.0.2.1", "/k")


def test_compat_reads_one_prefix_and_wants_a_policy() -> None:
    config = parse([*START, "--compat", "--policy=sync"], {})
    assert config.sources.annotation_prefix == "external-dns.kubernetes.io/"
    with pytest.raises(UsageError, match=r"^--policy must be set explicitly"):
        parse([*START, "--compat"], {})


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
def test_the_first_mistake_is_told(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(argv, {})


def test_the_whole_configuration_is_shown_as_arguments() -> None:
    lines = shown(parse([*START, "--txt-owner-id=me"], {}))
    assert "--txt-owner-id=me" in lines
    assert "--interval=1m" in lines
    assert "--no-once" in lines
    assert "--source=service" in lines


def test_a_secret_is_masked_unless_it_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = Flag(name="api-key", kind=text(), secret=True, help="a key")
    monkeypatch.setattr(module, "settings", lambda _config: iter([(secret, "hidden"), (secret, "")]))
    assert shown(parse(START, {})) == (f"--api-key={MASK}", "--api-key=")


def test_a_configuration_is_a_value() -> None:
    config = parse(START, {})
    assert config == parse(START, {})
    assert hash(config) == hash(parse(START, {}))
    assert replace(config, notices=("x",)) != config
