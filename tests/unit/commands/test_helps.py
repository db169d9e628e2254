"""The help texts of the program and of its commands, and that their examples work."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from extdns import cli
from extdns.command import list_commands, load_command
from tests.objects import service
from tests.program.installation import Installation

ROOT = Path(__file__).parents[3]
POLICIES = ROOT / "examples" / "policy" / "cel"
COMMANDS = sorted(list_commands())
SCREEN_LINES = 40
NOT_RUN_HERE = frozenset({"demo", "migrate-registry", "verify"})
"""Commands whose examples need more than files: their own tests run them (test_row_registries.py runs
`migrate-registry`, test_verify_servers.py runs `verify`)."""

UNKNOWN_CODE = ("approve", "accept-cluster")
"""Commands whose examples contain a code that does not exist here."""


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_prints_its_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"], {}) == 0
    output = capsys.readouterr().out
    assert output.split()[:3] == ["Usage:", "extdns", command]
    assert all(len(line) <= 100 for line in output.splitlines())
    examples = load_command(command).examples
    assert len(examples) == 2
    assert all(f"\n  {example}\n" in output for example in examples)
    assert cli.main(["help", command], {}) == 0
    assert capsys.readouterr().out == output


def test_the_help_of_a_command_imports_nothing_that_only_its_run_needs() -> None:
    code = "import sys; from extdns.command import list_commands, load_command\n"
    code += "for name in list_commands(): load_command(name).render_help()\n"
    code += "print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    slow = {
        "msgspec",
        "dns",
        "yaml",
        "rich",
        "logging",
        "extdns.config",
        "extdns.app",
        "extdns.documents",
        "providers.common",
    }
    assert slow.isdisjoint(ended.stdout.split())


def test_the_main_help_lists_every_command_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"], {}) == 0
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert len(lines) <= SCREEN_LINES
    assert all(len(line) <= 100 for line in lines)
    named = {line.split()[0] for line in lines if line.startswith("  ")}
    assert set(COMMANDS) <= named
    assert "extdns help flags [TOPIC]" in output
    assert cli.main(["help"], {}) == 0
    assert capsys.readouterr().out == output


@pytest.mark.parametrize(
    ("topic", "title", "flag"),
    [
        ("deletes", "Deletes:", "--max-delete-count=N"),
        ("aws", "Providers aws and aws-sd:", "--aws-zone-type=TYPE"),
        ("--txt-prefix", "Registry:", "--txt-prefix=PREFIX"),
    ],
)
def test_help_shows_the_flags_of_a_topic_or_those_whose_name_contains_a_text(
    topic: str, title: str, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["help", "flags", topic], {}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.endswith(":") and not line.startswith(" ")] == [title]
    assert f"  {flag}" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plann"], "error: there is no help about plann\n  did you mean: extdns help plan\n"),
        (["flags", "zzz"], "error: no flag and no topic contains zzz\n  topics: What runs, and when; Where "),
    ],
)
def test_help_about_an_unknown_command_or_topic_is_an_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["help", *arguments], {}) == 1
    assert capsys.readouterr().err.startswith(message)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with the files that examples use."""
    installation = Installation(tmp_path, example_org="")
    (tmp_path / "zones" / "example.org.zone").rename(tmp_path / "zones" / "shop.example.zone")
    zone = tmp_path / "zones" / "shop.example.zone"
    zone.write_text(zone.read_text().replace("example.org", "shop.example"))
    installation.replace_manifests(service("web", "web.shop.example"))
    (tmp_path / "extdns.flags").write_text(
        f"--source=service\n--provider=zonefile\n--zonefile-dir=zones\n--manifests={installation.manifests}\n"
        "--txt-owner-id=me\n--state-file=state.json\n--metrics-address=127.0.0.1:0\n"
    )
    shutil.copy(POLICIES / "ttl-floor.yaml", tmp_path / "rules.yaml")
    (tmp_path / "tests.yaml").write_text(
        "{policies: [rules.yaml], tests: [{record: {name: www.shop.example}, expect: []}]}"
    )
    monkeypatch.chdir(tmp_path)
    assert cli.main(["--once", "@extdns.flags", "--log-level=fatal"], {}) == 0
    return tmp_path


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - NOT_RUN_HERE))
def test_the_examples_of_each_command_work(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for example in load_command(command).examples:
        arguments, _, output = example.partition(" > ")
        printed = StringIO()
        with redirect_stdout(printed):
            code = cli.main(shlex.split(arguments)[1:], {})
        if output:
            (folder / output).write_text(printed.getvalue())
        errors = capsys.readouterr().err
        if command in UNKNOWN_CODE:
            assert re.match("error: (no held deletes have the code|there is no cluster|no extdns that saves)", errors)
        else:
            assert (code in {0, 2, 3}, errors) == (True, ""), f"{example}: {printed.getvalue()}"
    assert sys.stdout
