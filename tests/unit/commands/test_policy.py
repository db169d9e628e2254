"""`extdns policy`: output, differences and exit codes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from extdns.command import run_command
from extdns.documents.check import PolicyCheckDocument, PolicyTestDocument
from extdns.errors import UsageError

EXAMPLES = Path(__file__).parents[3] / "examples" / "policy" / "cel"
RULE = """\
apiVersion: extdns.io/v1alpha1
kind: DNSPolicy
metadata: {name: low-ttl}
spec:
  validations:
    - expression: record.ttl >= 60
      message: too low
"""
TESTS = """\
policies: [rule.yaml]
tests:
  - name: a low TTL
    record: {name: web.example.com, ttl: 30}
    expect: [{rule: low-ttl, action: deny, message: too low}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rule.yaml").write_text(RULE)
    (tmp_path / "bad.yaml").write_text(RULE.replace("record.ttl", "record.ttk"))
    (tmp_path / "tests.yaml").write_text(TESTS)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run_command("policy", arguments, {})
    return code, capsys.readouterr().out


def test_policy_check_shows_each_mistake_below_its_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = RULE.replace("record.ttl >= 60", "record.ttk >= 60") + "  action: block\n"
    (folder / "rule.yaml").write_text(f"{RULE}---\n{text.replace('low-ttl', 'other')}---\nkind: DNSPolicy\n{{")
    code, shown = run(capsys, "check", "rule.yaml")
    assert code == 1
    assert shown.splitlines() == [
        "invalid  rule.yaml:20",
        "         not YAML: could not find expected ':'",
        "ok       rule.yaml:1  DNSPolicy low-ttl",
        "invalid  rule.yaml:9  DNSPolicy other",
        '         spec.action is "block"; allowed: deny, warn, audit',
        "1 valid policy, 2 invalid.",
    ]


def test_a_rule_with_a_warning_is_valid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rule.yaml").write_text(RULE.replace("record.ttl >= 60", "object.annotations['x'] == 'y'"))
    code, shown = run(capsys, "check", "rule.yaml")
    assert code == 0
    assert "warning: spec.validations[0].expression has no value for CREATE of A web.team-a.example.com: " in shown


def test_two_rules_with_the_same_name_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "again.yaml").write_text(RULE)
    code, shown = run(capsys, "check", "rule.yaml", "again.yaml")
    assert code == 1
    assert "metadata.name is low-ttl again, as in rule.yaml:1; allowed: each name once" in shown


def test_of_two_rules_with_the_same_name_the_tests_run_the_first_and_fail(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "same.yaml").write_text(RULE.replace("too low", "another message"))
    (folder / "tests.yaml").write_text(TESTS.replace("[rule.yaml]", "[rule.yaml, same.yaml]"))
    code, shown = run(capsys, "test", "tests.yaml")
    assert (code, shown.splitlines()) == (
        1,
        [
            "error: same.yaml:1: metadata.name is low-ttl again, as in rule.yaml:1; allowed: each name once",
            "1 test passed, 0 failed.",
        ],
    )


def test_policy_check_fails_on_a_file_without_a_rule(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rule.yaml").write_text("")
    assert run(capsys, "check", "rule.yaml") == (1, "There is no DNSPolicy in these files.\n")


@pytest.mark.usefixtures("folder")
def test_policy_check_and_policy_test_print_the_documented_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, checked = run(capsys, "check", "rule.yaml", "--output=json")
    assert [one.name for one in msgspec.json.decode(checked, type=PolicyCheckDocument).policies] == ["low-ttl"]
    _, tested = run(capsys, "test", "tests.yaml", "--output=json")
    (test,) = msgspec.json.decode(tested, type=PolicyTestDocument).tests
    assert (test.name, test.location, test.passed) == ("a low TTL", "tests.yaml:3", True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rule.yaml", "[", "tests.yaml:2: not YAML"),
        ("name: a low TTL", "nam: a low TTL", "tests.yaml: tests[0].nam does not exist; allowed: name, operation"),
        ("ttl: 30", "ttl: -1", "tests.yaml: tests[0].record.ttl is the number -1; allowed: seconds, from 0"),
        ("name: web.example.com", "name: a..b", "tests.yaml: tests[0].record.name is"),
        ("rule: low-ttl", "rule: ''", "tests.yaml: tests[0].expect[0].rule is empty; allowed: the name of a DNSPolicy"),
        ("[rule.yaml]", "[]", "tests.yaml: policies is empty; allowed: at least one item"),
    ],
)
def test_an_invalid_file_of_policy_tests_is_reported_with_the_line_or_the_field(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    (folder / "tests.yaml").write_text(TESTS.replace(old, new))
    code, shown = run(capsys, "test", "tests.yaml")
    assert code == 1
    assert f"error: {message}" in shown


def test_policy_test_fails_if_a_rule_of_the_tests_is_invalid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rule.yaml").write_text(RULE.replace("record.ttl", "record.ttk"))
    code, shown = run(capsys, "test", "tests.yaml")
    assert code == 1
    assert "error: rule.yaml:1: spec.validations[0].expression refers to record.ttk" in shown


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'check|test|export'."),
        (("lint", "rule.yaml"), "action=lint is not an action\n  allowed: check, test, export"),
        (("check",), "extdns policy check needs a file\n  allowed: extdns policy check FILE..."),
        (("check", "--fix", "rule.yaml"), "--fix is not a flag\n  all flags: extdns help flags"),
        (("check", "--source=service", "rule.yaml"), "extdns policy check takes no flag of a run: --source=service"),
        (("check", "missing.yaml"), "missing.yaml cannot be read: No such file or directory"),
        (("test", "missing.yaml"), "missing.yaml cannot be read: No such file or directory"),
        (("test", "."), ". is a folder\n  allowed: files with tests, such as rules/tests.yaml"),
        (("export", "rule.yaml"), "extdns policy export takes no file: rule.yaml\n  allowed: flags, as --source="),
        (("export", "--source=crd"), "extdns policy export has no kind of object to check\n  give --source"),
        (
            ("export", "--source=service", "--policy-rules=cluster"),
            "extdns policy export reads no rule from the cluste",
        ),
        (("export", "--source=service", "--policy-rules=tests.yaml"), "no DNSPolicy in tests.yaml\n"),
        (("export", "--source=service", "--policy-rules=bad.yaml"), "bad.yaml:1: spec.validations[0].expression"),
    ],
)
def test_an_incomplete_or_invalid_policy_command_is_a_usage_error(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        run_command("policy", arguments, {})
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("flags", "kinds", "checked"),
    [
        ("--source=service --source=crd", "services", "hostname internal-hostname target ttl"),
        ("--source=ingress --source=node", "nodes ingresses", "hostname target ttl"),
        pytest.param("--source=node", "nodes", "target ttl", id="no-hostnames"),
        pytest.param("--source=service --compat --policy=sync", "services", "ttl", id="external-dns-decides"),
        ("--source=ingress --force-default-targets", "ingresses", "hostname ttl"),
        pytest.param(
            "--source=unstructured --unstructured-resource=virtualmachines.v1.kubevirt.io",
            "virtualmachines",
            "hostname target ttl",
            id="any-kind",
        ),
    ],
)
def test_the_flags_decide_what_the_exported_policy_checks(
    flags: str, kinds: str, checked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown = run(capsys, "export", *flags.split(), "--output=json")
    policy, binding = msgspec.json.decode(shown)["items"]
    rules = policy["spec"]["matchConstraints"]["resourceRules"]
    assert (code, binding["spec"]["policyName"]) == (0, policy["metadata"]["name"])
    assert " ".join(rule["resources"][0] for rule in rules) == kinds
    messages = [one["message"].split()[1] for one in policy["spec"]["validations"]]
    assert " ".join(messages) == f"{checked} access alias endpoints-type"
