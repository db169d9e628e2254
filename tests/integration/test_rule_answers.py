"""What rules answer is shown by plan and explain, as an Event and in the metrics (docs/design/rules.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extdns import cli
from extdns.controller.exit_codes import DONE, FAILED, INCOMPLETE, VIOLATED
from extdns.controller.statistics import count_statistics
from extdns.model.change import RuleAction
from tests.builders import build_claim, observe
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, service
from tests.program.installation import USAGE, Installation
from tests.rules import FakeRule, change_rules
from tests.world import start_world

ADDRESSES = "variables.first != '169.254.0.1'"


def policy(action: str = "deny", expression: str = ADDRESSES) -> Json:
    return {
        "apiVersion": "extdns.io/v1alpha1",
        "kind": "DNSPolicy",
        "metadata": {"name": "addresses"},
        "spec": {
            "action": action,
            "variables": [{"name": "first", "expression": "record.targets[0]"}],
            "validations": [{"expression": expression, "message": "no link-local addresses"}],
        },
    }


class Shop:
    """An installation with one allowed and one violating Service, whose plan and explanations tests read."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.installation = Installation(folder, example_org="")
        self.rules = folder / "rules.yaml"
        self.capsys = capsys
        self.installation.replace_manifests(service("web", address="169.254.0.1"), service("api"))

    def call(self, *arguments: str) -> int:
        return cli.main([*arguments, *self.installation.flags(f"--policy-rules={self.rules}")], {})

    def read(self, *arguments: str) -> str:
        self.call(*arguments)
        return self.capsys.readouterr().out

    def set_rule(self, rule: Json) -> None:
        self.rules.write_text(json.dumps(rule), encoding="utf-8")


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    made = Shop(tmp_path, capsys)
    made.set_rule(policy())
    return made


def test_a_plan_shows_each_denied_record_with_the_rule_and_its_message(shop: Shop) -> None:
    text = shop.read("plan")
    assert "web.example.org  not published" in text
    assert "[policy-denied]" in text
    assert "addresses: no link-local addresses" in text
    assert "\nViolations of rules\n  deny web.example.org A (Service shop/web): rule addresses: no link" in text
    (violation,) = json.loads(shop.read("plan", "--output=json"))["violations"]
    assert (violation["rule"], violation["result"], violation["name"]) == ("addresses", "deny", "web.example.org")


def test_a_plan_as_markdown_lists_violations_below_their_heading(shop: Shop) -> None:
    lines = shop.read("plan", "--output=markdown").splitlines()
    violation = "  - `deny web.example.org A (Service shop/web): rule addresses: no link-local addresses`"
    assert lines[lines.index("- `Violations of rules`") + 1] == violation


def test_a_plan_shows_warnings_of_rules_about_records_that_are_published(shop: Shop) -> None:
    shop.set_rule(policy("warn"))
    shop.installation.run_once(f"--policy-rules={shop.rules}")
    assert "  warn web.example.org A (Service shop/web): rule addresses: no link-local" in shop.read("plan")


@pytest.mark.parametrize(
    ("action", "fail_on", "code"),
    [
        ("deny", [], INCOMPLETE),
        ("deny", ["--fail-on=deny"], VIOLATED),
        ("deny", ["--fail-on=warn"], VIOLATED),
        ("warn", ["--fail-on=deny"], INCOMPLETE),
        ("warn", ["--fail-on=warn"], VIOLATED),
        ("audit", ["--fail-on=warn"], INCOMPLETE),
        ("deny", ["--fail-on=audit"], USAGE),
    ],
)
def test_the_fail_on_flag_decides_whether_violations_of_rules_make_the_plan_fail(
    shop: Shop, action: str, fail_on: list[str], code: int
) -> None:
    shop.set_rule(policy(action))
    assert shop.call("plan", *fail_on) == code


@pytest.mark.parametrize("flags", [(), ("--fail-on=deny",)])
def test_a_plan_fails_with_exit_code_1_if_a_rule_cannot_be_evaluated(shop: Shop, flags: tuple[str, ...]) -> None:
    shop.set_rule(policy(expression="record.nmae == 'x'"))
    assert shop.call("plan", *flags) == FAILED


def test_a_plan_without_violations_exits_with_the_usual_code_although_fail_on_is_set(shop: Shop) -> None:
    shop.installation.replace_manifests(service("api"))
    shop.installation.run_once()
    assert shop.call("plan", "--fail-on=warn") == DONE


def test_with_fail_on_a_plan_without_any_rule_fails(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.rules.write_text(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "no-rule"}}))
    assert shop.call("plan") == INCOMPLETE
    assert shop.call("plan", "--fail-on=deny") == USAGE
    assert "error: --fail-on=deny: no DNSPolicy was read, so no rule denies anything\n" in capsys.readouterr().err


def test_with_fail_on_a_plan_without_a_flag_for_rules_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--source=service", "--provider=inmemory", "--fail-on=warn"], {}) == USAGE
    assert capsys.readouterr().err == (
        "error: --fail-on=warn has no rules to evaluate\n  give --policy-rules or --opa-url\n"
    )


@pytest.mark.parametrize("failure", ["keep", "allow"])
def test_with_fail_on_a_plan_fails_if_the_policy_server_does_not_answer(
    shop: Shop, failure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    opa = ("--opa-url=unix:///missing/opa.sock", f"--opa-failure={failure}")
    assert shop.call("plan", "--fail-on=deny", *opa) == USAGE
    assert "error: --fail-on=deny: the policy server does not answer: " in capsys.readouterr().err


def test_explain_shows_each_rule_about_a_name_with_its_result_and_values(shop: Shop) -> None:
    text = shop.read("explain", "web.example.org")
    assert "rule addresses DENIES it: no link-local addresses" in text
    assert "first = 169.254.0.1" in text
    assert "rule addresses allows it" in shop.read("explain", "api.example.org")


def test_objects_get_an_event_about_a_denial_or_warning_of_a_rule(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    warning = policy("warn", "record.name != 'api.example.org'")
    warning["metadata"]["name"] = "names"
    rules.write_text(f"{json.dumps(policy())}\n---\n{json.dumps(warning)}", encoding="utf-8")
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("web", address="169.254.0.1"), service("api"))
        with installation.start(f"--policy-rules={rules}"):
            installation.until(
                lambda: {"PolicyDenied", "PolicyWarning"} <= {one["reason"] for one in list_events(server)}
            )
        messages = {one["reason"]: one["note"] for one in list_events(server)}
    assert "addresses: no link-local addresses" in messages["PolicyDenied"]
    assert "rule names warns: no link-local addresses" in messages["PolicyWarning"]


def list_events(server: ApiServer) -> list[Json]:
    return server.objects("Event")


def test_statistics_count_records_by_rule_and_result() -> None:
    rules = [
        FakeRule(name="good", allows=lambda _: True),
        FakeRule(name="bad", allows=lambda _: False, action=RuleAction.WARN),
    ]
    world = start_world(first=[change_rules(*rules), observe("web", build_claim("web", "web"))])
    found = count_statistics(world.engine, "me", 0)
    assert found.rule_results == {("bad", "warn"): 1, ("good", "allowed"): 1}


def test_rules_decide_about_names_from_the_fqdn_template_as_about_others(shop: Shop) -> None:
    shop.set_rule(policy(expression="record.name.endsWith('.a.example.org')"))
    shop.installation.replace_manifests(service("web", "ok.a.example.org"))
    flags = ["--fqdn-template={{.Name}}.example.org", "--combine-fqdn-annotation", f"--policy-rules={shop.rules}"]
    shop.installation.run_once(*flags)
    assert shop.installation.zones.published() == ["ok.a.example.org A 192.0.2.1"]
    shop.installation.run_once(*flags[:2])
    assert "web.example.org A 192.0.2.1" in shop.installation.zones.published()
