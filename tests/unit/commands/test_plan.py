"""`extdns plan` over manifests and zone files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from extdns import cli
from extdns.commands.planfacts import PlanFacts
from extdns.facts.document import schema_text
from tests.integration.stage import Stage, service

ROOT = Path(__file__).parents[3]
HOSTILE = "\x1b[31m`|</td>@all\u202e\x9b2J"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """One name to create, one to update, one to delete, and one that waits for an address."""
    found = Stage(tmp_path, example_org="www IN A 192.0.2.99\n")
    found.apply(service("api", "api.example.org"), service("old", "old.example.org"))
    assert found.once() == 0
    found.apply(
        service("shop", "shop.example.org"),
        service("api", "api.example.org", address="192.0.2.7"),
        service("www", "www.example.org"),
        {**service("gw", "pay.example.org"), "status": {}},
    )
    return found


def plan(stage: Stage, *more: str) -> int:
    flags = [
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        "--txt-owner-id=me",
    ]
    manifests = [] if any(flag.startswith("--manifests") for flag in more) else [f"--manifests={stage.manifests}"]
    return cli.main(["plan", *flags, *manifests, *more], {})


def test_a_plan_is_a_table_with_the_summary_last(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage) == 2
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out == (
        "Zone example.org (example.org.zone, zonefile)  4 records, 2 ours\n"
        "\n"
        "  ~ A  api.example.org   192.0.2.7      Service shop/api: annotation hostname\n"
        "       target 192.0.2.1 → 192.0.2.7\n"
        "  - A  old.example.org   192.0.2.1      made for service/shop/old               [orphan-gone]\n"
        "  !    pay.example.org   not published  Service shop/gw: annotation hostname    [no-address]\n"
        "       status.loadBalancer has no address yet\n"
        "  + A  shop.example.org  192.0.2.1      Service shop/shop: annotation hostname\n"
        "  ! A  www.example.org   kept           Service shop/www: annotation hostname   [foreign-record]\n"
        "       A without an ownership record\n"
        "\n"
        "What a code in brackets means: extdns explain CODE\n"
        "\n"
        "1 to create, 1 to update, 1 to delete, 1 kept, 1 not published.\n"
    )


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_nothing_is_written_and_the_same_input_gives_the_same_bytes(
    stage: Stage, tmp_path: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = stage.state()
    flags = (f"--output={output}", f"--state-file={tmp_path / 'state'}")
    assert plan(stage, *flags) == 2
    first = capsys.readouterr().out
    assert plan(stage, *flags) == 2
    assert capsys.readouterr().out == first
    assert stage.state() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifests", "zones"]


def test_nothing_to_do_is_0(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(service("api", "api.example.org"), service("old", "old.example.org"))
    assert plan(stage) == 0
    assert capsys.readouterr().out == "All records are already up to date.\n"


@pytest.mark.parametrize("output", ["text", "markdown"])
def test_changes_are_not_denied_where_nothing_is_held(
    stage: Stage, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(stage, "--held", f"--output={output}") == 2
    assert capsys.readouterr().out.strip() == "Nothing is held."


def test_what_could_not_be_read_is_not_called_up_to_date(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(service("api", "api.example.org"), service("old", "old.example.org"))
    (stage.manifests / "broken.yaml").write_text("kind: [")
    assert plan(stage) == 1
    said = capsys.readouterr().out
    assert said.endswith("\n\nAll records are already up to date, as far as could be read.\n")
    assert plan(stage, "--held") == 1
    assert capsys.readouterr().out.endswith("\n\nNothing is held, as far as could be read.\n")


def test_what_a_filter_hides_is_held_and_that_is_3(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, "--namespace=other") == 3
    said = capsys.readouterr().out
    assert "  ! A  old.example.org  kept  made for service/shop/old  [orphan-unclaimed]\n" in said
    (held,) = (line for line in said.splitlines() if "HELD" in line)
    assert re.search(
        r"^2 deletes are HELD in example\.org, where 2 records are ours\. .*: extdns --release=\S{4}-\S{4} \[flags\]$",
        held,
    )
    assert said.endswith("0 to create, 0 to update, 0 to delete, 2 kept.\n")


def test_a_delete_over_the_budget_is_held(stage: Stage, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    flags = ("--max-delete-count=0", "--max-delete-percent=0", f"--state-file={tmp_path / 'state'}")
    assert plan(stage, *flags) == 3
    said = capsys.readouterr().out
    assert re.search(r"! A  old\.example\.org .*\[held\]\n", said)
    assert re.search(r"1 delete is HELD .*: extdns release \S{4}-\S{4} --state-file=\S+\n", said)
    assert plan(stage, *flags, "--output=json") == 3
    facts = json.loads(capsys.readouterr().out)
    (held,) = facts["held"]
    assert facts["summary"]["held"] == len(held["records"]) == 1
    assert held["records"][0]["name"] == "old.example.org"
    assert held["command"] == f"extdns release {held['releaseCode']} {flags[-1]}"


def test_the_grace_hides_no_delete(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, "--delete-grace-period=1h") == 2
    assert "1 to delete" in capsys.readouterr().out


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_what_could_not_be_read_is_told_and_is_1(stage: Stage, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    (stage.manifests / "broken.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: [")
    assert plan(stage, f"--output={output}") == 1
    said = capsys.readouterr().out
    if output == "json":
        assert "broken.yaml" in json.loads(said)["missing"][0]
    else:
        assert re.search(r"INCOMPLETE: \S*broken\.yaml:", said)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(["--output=yaml"], "--output=yaml is not a form of output\n  allowed: text, json", id="output"),
        pytest.param(["--polic=sync"], "--polic is not a flag\n  did you mean: --policy", id="flag"),
        pytest.param(["x"], "'x' is not a flag", id="positional"),
        pytest.param(["--base="], "--base needs a value\n  allowed: a file, a folder, or a rev", id="base-is-empty"),
        pytest.param(["--zone-snapshot", ""], "--zone-snapshot needs a value\n", id="snapshot-is-empty"),
    ],
)
def test_wrong_usage_is_1(stage: Stage, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, *flags) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_the_cluster_can_come_from_standard_input(stage: Stage) -> None:
    flags = ["--source=service", "--provider=zonefile", f"--zonefile-dir={stage.zones}", "--txt-owner-id=me"]
    ended = subprocess.run(
        [sys.executable, "-m", "extdns", "plan", "--manifests=-", *flags],
        input=(stage.manifests / "all.json").read_text(encoding="utf-8"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "1 to create, 1 to update, 1 to delete" in ended.stdout


def test_programs_get_every_fact(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, "-o", "json") == 2
    text = capsys.readouterr().out
    facts = msgspec.json.decode(text, type=PlanFacts)
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    assert [(one.action, one.name, one.reason) for one in facts.changes] == [
        ("update", "api.example.org", "changed"),
        ("delete", "old.example.org", "orphan-gone"),
        ("create", "shop.example.org", "wanted"),
    ]
    assert facts.changes[0].evidence == ("target 192.0.2.1 → 192.0.2.7",)
    assert facts.changes[0].objects[0].field == "annotation external-dns.kubernetes.io/hostname"
    assert facts.changes[1].made_for == "service/shop/old"
    assert [one.reason for one in facts.kept] == ["no-address", "foreign-record"]
    assert json.loads(text)["apiVersion"] == "extdns.io/v1"


def test_the_schema_in_the_docs_is_that_of_the_document() -> None:
    kept = (ROOT / "docs" / "reference" / "plan.schema.json").read_text(encoding="utf-8")
    made = schema_text(PlanFacts, "extdns plan --output=json")
    assert kept == made, "run: python -m extdns.commands.planfacts > docs/reference/plan.schema.json"


def test_a_comment_is_a_table_too(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(stage, "--output=markdown") == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "**`Zone example.org (example.org.zone, zonefile)  4 records, 2 ours`**",
        "",
        "| | Name | Type | Change | Object | Reason |",
        "|---|---|---|---|---|---|",
    ]
    assert (
        "| `~` | `api.example.org` | `A` | `192.0.2.7`<br>`target 192.0.2.1 → 192.0.2.7` "
        "| `Service shop/api: annotation hostname` |  |"
    ) in lines
    assert lines[-1] == "1 to create, 1 to update, 1 to delete, 1 kept, 1 not published."


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_what_objects_say_is_escaped(stage: Stage, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    stage.apply(
        service("evil", f"a.example.org, {HOSTILE}.example.org", annotations={"set-identifier": HOSTILE}),
        service("long", "x" * 60_000 + ".example.org", annotations={"ttl": HOSTILE}),
    )
    assert plan(stage, f"--output={output}") == 2
    said = capsys.readouterr().out
    assert all(line.isprintable() for line in said.splitlines())
    assert len(said) < 100_000
    if output == "markdown":
        assert all(line.count("|") == 7 for line in said.splitlines() if line.startswith("|"))
        assert "`@all" not in said
        assert "</td>" not in re.sub("`[^`]*`", "", said)


def test_on_a_terminal_colour_only_adds(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    plan(stage)
    plain = capsys.readouterr().out
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    plan(stage)
    coloured = capsys.readouterr().out
    assert "\x1b[31m  - A  old.example.org" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_it_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--help"], {}) == 0
    assert capsys.readouterr().out.startswith("Usage: extdns plan ")


@pytest.mark.parametrize("command", ["plan", "explain"])
def test_its_help_brings_no_sdk_along(command: str) -> None:
    heavy = {"boto3", "botocore", "kubernetes", "google", "dns", "rich"}
    code = f"import sys; from extdns.cli import main; main([{command!r}, '--help'])"
    code += f"; sys.exit(str({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == "set()"
