"""From the command line to an exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from extdns import __version__, cli, config

ROOT = Path(__file__).parents[2]


def test_help_and_version_are_shown_whatever_else_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--nonsense", "--help"], {}) == 0
    assert "Usage: extdns" in capsys.readouterr().out
    assert cli.main(["--version"], {}) == 0
    assert capsys.readouterr().out == f"extdns {__version__}\n"


def test_arguments_and_variables_are_those_of_the_process_if_none_are_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["extdns", "--source=service"])
    monkeypatch.setenv("EXTERNAL_DNS_PROVIDER", "sinc")
    assert cli.main() == 1
    assert "EXTERNAL_DNS_PROVIDER" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        pytest.param("plann", "did you mean: plan", id="nearly-one"),
        pytest.param("sync", "allowed: adopt, apply, ", id="none"),
    ],
)
def test_what_is_no_command_is_told_with_those_that_are(
    word: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([word, "--source=service"], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {word} is not a command\n  {hint}")
    assert cli.main([word, "--help"], {}) == 0


def test_a_mistake_is_told_without_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--\x1b[31m"], {}) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: --\\x1b[31m is not a flag\n")


def test_a_mistake_is_an_exit_code_even_if_nobody_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.main(["--nonsense"], {}) == 1


def test_ctrl_c_while_it_starts_shows_no_stack_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(config, "parse", interrupted)
    assert cli.main([], {}) == 130


def test_the_demo_gets_the_arguments_that_follow_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--fast"], {}) == 1
    assert "extdns demo takes no arguments, and --fast was given" in capsys.readouterr().err


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_brings_no_sdk_along(argument: str) -> None:
    heavy = {"boto3", "botocore", "kubernetes", "google", "dns", "rich", "yaml", "prometheus_client", "watchfiles"}
    code = f"import sys; from extdns.cli import main; main([{argument!r}]); sys.exit(str({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == "set()"
