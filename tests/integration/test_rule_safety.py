"""Nothing is deleted or written by a process that must not write, whatever rules say, nor if all rules go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.apiserver.kinds import DNS_POLICY
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, service
from tests.program.installation import Installation

WEB = "web.example.org A 192.0.2.1"
API = "api.example.org A 192.0.2.1"
RULES = ("--policy-rules=cluster", "--delete-grace-period=0s", "--interval=1s")
ELECT = (*RULES, "--leader-elect", "--leader-elect-retry-period=100ms")


def deny(name: str, **spec: object) -> Json:
    """Build a rule that denies the host *name*."""
    validations = [{"expression": f"!record.name.startsWith('{name}')", "message": "not this name"}]
    return {
        "apiVersion": "extdns.io/v1alpha1",
        "kind": "DNSPolicy",
        "metadata": {"name": f"no-{name}"},
        "spec": {"validations": validations, **spec},
    }


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Installation]:
    """Publish two names, of which a rule would delete one."""
    with ApiServer() as server:
        found = Installation(tmp_path, server, sources=("service",), example_org="")
        found.apply(service("web"), service("api"))
        assert found.run_once() == 0
        assert found.zones.published() == [API, WEB]
        found.apply(deny("api", onViolation="delete"))
        yield found


def test_a_dry_run_logs_the_delete_of_a_record_that_a_rule_denies_and_deletes_nothing(live: Installation) -> None:
    with live.start("--dry-run", *RULES) as running:
        running.until("Desired change: DELETE api.example.org")
        live.until(lambda: b'extdns_rule_records{result="deny",rule="no-api"} 1' in running.metrics())
    assert live.zones.published() == [API, WEB]


def test_a_standby_deletes_nothing_and_writes_no_policy_status_until_it_becomes_the_leader(live: Installation) -> None:
    live.server.put(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "extdns", "namespace": "default"},
            "spec": {
                "holderIdentity": "another",
                "leaseDurationSeconds": 30,
                "acquireTime": "2026-01-01T00:00:00.000000Z",
                "renewTime": "2026-01-01T00:00:00.000000Z",
            },
        }
    )
    with live.start(*ELECT) as standby:
        standby.until("Another process is the leader; this one is a standby")
        live.until(lambda: b"extdns_rule_records{" in standby.metrics())
        assert live.zones.published() == [API, WEB]
        assert not live.server.log.requests("patch", "dnspolicies")
        live.server.delete("Lease", "default", "extdns")
        standby.pass_time(31.0)
        standby.until("Became leader")
        live.until(lambda: live.zones.published() == [WEB])
        live.until(lambda: (live.server.get("DNSPolicy", "", "no-api") or {}).get("status"))


def test_a_plan_with_a_record_that_a_rule_now_denies_is_not_applied(
    live: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live.apply(service("new"), service("shop"))
    flags = live.flags("--policy-rules=cluster")
    cli.main(["plan", "--output=json", *flags], {})
    plan = tmp_path / "plan.json"
    plan.write_text(capsys.readouterr().out, encoding="utf-8")
    assert json.loads(plan.read_text(encoding="utf-8"))["summary"]["create"] == 2
    live.apply(deny("new"))
    assert cli.main(["apply", f"--plan={plan}", *flags], {}) == 1
    assert "new.example.org" in capsys.readouterr().err
    assert live.zones.published() == [API, WEB]


def test_no_record_is_deleted_after_the_crd_of_policies_is_deleted_and_the_log_says_that_no_rules_are_left(
    live: Installation,
) -> None:
    live.apply(deny("api"), deny("new"), service("new"))
    with live.start(*RULES) as running:
        running.until("new.example.org", "policy-denied")
        live.server.unregister(DNS_POLICY)
        running.until("There are no DNSPolicies, so none denies anything")
        running.until("Cannot use a rule", "DNSPolicies")
        live.until(lambda: live.zones.published() == [API, "new.example.org A 192.0.2.1", WEB])
        assert b"extdns_defects_total 0.0" in running.metrics()
    assert not [line for line in running.lines if "Desired change: DELETE" in line]
