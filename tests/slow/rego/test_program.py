"""The whole program with a real Open Policy Agent: what is published, and what follows if the server fails."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from extdns.controller.exit_codes import DONE, FAILED, VIOLATED
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, dns_endpoint, namespace, service
from tests.program.installation import USAGE, Installation
from tests.program.process import ROOT, once
from tests.program.running import Running
from tests.slow.rego.opa_process import OpaProcess

DENY_BAD: Final = (
    'package extdns\n\ndeny contains {"rule": "bad", "msg": "a bad name"} if startswith(input.record.name, "bad")\n'
)
DENY_ALL: Final = 'package extdns\n\ndeny contains "nothing is allowed"\n'
DENY_NOTHING: Final = "package extdns\n\ndeny contains msg if {\n\tmsg := input.nothing\n}\n"
POLICY: Final = "dns/rules/names.rego"
WEB: Final = "web.example.org A 192.0.2.1"
FLAGS: Final = ("--interval=1s", "--delete-grace-period=0s")


class Site:
    """An installation that asks a real OPA."""

    def __init__(self, folder: Path, server: ApiServer | None, opa: OpaProcess, *sources: str) -> None:
        self.installation = Installation(folder, server, sources=sources or ("service",), example_org="")
        self.opa = opa
        self.flags: tuple[str, ...] = (*FLAGS, f"--opa-url={opa.url}", "--opa-timeout=1s")

    @contextmanager
    def start(self, *flags: str) -> Iterator[Running]:
        with self.installation.start(*self.flags, *flags) as running:
            yield running

    def published(self) -> list[str]:
        return self.installation.zones.published()

    def until_published(self, *records: str) -> None:
        self.installation.until(lambda: self.published() == sorted(records))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Run OPA with a policy that denies names that begin with `bad`, and a cluster."""
    with ApiServer() as server, OpaProcess(tmp_path, policies={POLICY: DENY_BAD}) as opa:
        server.put(namespace())
        yield Site(tmp_path, server, opa)


def name(text: str) -> Json:
    return service(text, address="192.0.2.1")


def test_a_record_that_opa_denies_is_not_published(site: Site) -> None:
    site.installation.apply(name("web"), name("bad"))
    with site.start() as running:
        site.until_published(WEB)
        site.installation.until(lambda: b'reason="policy-denied"} 1' in running.metrics())
        assert b'extdns_policy_answers_total{result="deny"} 1.0' in running.metrics()


def test_one_changed_object_causes_at_most_one_query_to_opa(site: Site) -> None:
    with site.start() as running:
        for number in range(1, 6):
            site.installation.apply(service("web", address=f"192.0.2.{number}"))
            site.until_published(f"web.example.org A 192.0.2.{number}")
        found = re.search(rb'extdns_policy_queries_total\{result="answered"\} (\d+)', running.metrics())
    assert found is not None
    assert int(found[1]) <= 5


def test_a_changed_policy_takes_effect_on_new_names_and_published_records_stay(site: Site) -> None:
    site.installation.apply(name("web"), name("bad"))
    with site.start() as running:
        site.until_published(WEB)
        site.opa.put_policy(POLICY, DENY_NOTHING)
        site.until_published(WEB, "bad.example.org A 192.0.2.1")
        site.opa.put_policy(POLICY, DENY_ALL)
        site.installation.until(lambda: b'reason="policy-violation"} 2' in running.metrics())
        site.installation.apply(name("new"))
        site.installation.until(lambda: b'reason="policy-denied"} 1' in running.metrics())
    assert site.published() == ["bad.example.org A 192.0.2.1", WEB]


def test_an_object_of_the_largest_size_does_not_hold_up_other_names(tmp_path: Path) -> None:
    large = dns_endpoint("large")
    private = [f"10.10.{number >> 8}.{number & 255}" for number in range(4000)]
    large["spec"]["endpoints"] = [
        {"dnsName": f"large{number}.example.org", "recordType": "A", "targets": private} for number in range(24)
    ]
    assert 1_400_000 < len(json.dumps(large)) < 1_500_000
    policy = (ROOT / "examples/policy/rego/addresses.rego").read_text(encoding="utf-8")
    with ApiServer() as server, OpaProcess(tmp_path, policies={POLICY: policy}) as opa:
        server.put(namespace())
        site = Site(tmp_path, server, opa, "service", "crd")
        site.flags = (*FLAGS, f"--opa-url={opa.url}", "--opa-timeout=60s")
        with site.start() as running:
            site.installation.apply(service("web", address="11.0.0.1"))
            site.until_published("web.example.org A 11.0.0.1")
            site.installation.apply(large, service("api", address="11.0.0.1"))
            site.until_published("api.example.org A 11.0.0.1", "web.example.org A 11.0.0.1")
            running.until("A name is not published as requested")
            site.installation.apply(service("new", address="11.0.0.1"))
            site.until_published(*(f"{name}.example.org A 11.0.0.1" for name in ("api", "new", "web")))


def test_with_opa_failure_allow_even_a_denied_name_is_published_while_opa_does_not_answer(site: Site) -> None:
    site.opa.kill()
    site.installation.apply(name("bad"))
    with site.start("--opa-failure=allow"):
        site.until_published("bad.example.org A 192.0.2.1")


def test_no_record_is_deleted_while_opa_is_killed_and_policies_and_objects_keep_changing(site: Site) -> None:
    services = [name(f"web{number:03}") for number in range(200)]
    site.installation.apply(*services[:50])
    with site.start("--max-delete-percent=100") as running:
        site.installation.until(lambda: len(site.published()) == 50)
        for turn in range(3):
            site.opa.kill()
            site.installation.apply(*services[50 * (turn + 1) : 50 * (turn + 2)])
            running.until("The policy server does not answer")
            site.opa.start()
            site.opa.put_policy(POLICY, DENY_ALL)
            running.until("The policy server answers again")
            site.opa.put_policy(POLICY, DENY_NOTHING)
        site.installation.until(lambda: len(site.published()) == 200)
        assert b"extdns_defects_total 0.0" in running.metrics()
    assert not [line for line in running.lines if "Desired change: DELETE" in line]


def test_a_single_pass_fails_and_publishes_nothing_while_opa_is_gone(tmp_path: Path) -> None:
    with OpaProcess(tmp_path) as opa:
        site = Site(tmp_path, None, opa)
        site.installation.replace_manifests(name("web"))
        opa.kill()
        assert site.installation.run_once(*site.flags) == FAILED
        assert site.published() == []
        opa.start()
        opa.put_policy(POLICY, DENY_BAD)
        assert site.installation.run_once(*site.flags) == DONE
        assert site.published() == [WEB]


def test_a_plan_shows_denied_records_and_is_incomplete_if_opa_is_gone(tmp_path: Path) -> None:
    with OpaProcess(tmp_path, policies={POLICY: DENY_BAD}) as opa:
        site = Site(tmp_path, None, opa)
        site.installation.replace_manifests(name("web"), name("bad"))
        flags = site.installation.flags(*site.flags)
        planned = once("plan", *flags, "--fail-on=deny")
        assert planned.returncode == VIOLATED
        assert "deny bad.example.org A (Service shop/bad): rule extdns.bad: a bad name" in planned.stdout
        opa.kill()
        planned = once("plan", *flags)
        assert planned.returncode == FAILED
        assert "INCOMPLETE: 2 records left alone: the rules gave no answer" in planned.stdout


@pytest.mark.parametrize(
    "flag",
    [
        "--opa-url=127.0.0.1",
        "--opa-url=http://:password@127.0.0.1",
        "--opa-path=deny",
        "--opa-tls-client-cert=cert.pem",
    ],
)
def test_an_invalid_flag_of_opa_is_a_usage_error(flag: str, tmp_path: Path) -> None:
    installation = Installation(tmp_path, sources=("service",), example_org="")
    installation.replace_manifests()
    url = () if flag.startswith("--opa-url=") else ("--opa-url=http://127.0.0.1:1",)
    assert installation.run_once(*url, flag) == USAGE


def test_the_error_about_a_refused_url_does_not_show_its_password(tmp_path: Path) -> None:
    installation = Installation(tmp_path, sources=("service",), example_org="")
    installation.replace_manifests()
    refused = once("--once", *installation.flags("--opa-url=http://user:secret-word@127.0.0.1/?token=secret-word"))
    assert refused.returncode == USAGE
    assert "--opa-url" in refused.stderr
    assert "secret-word" not in refused.stderr + refused.stdout
