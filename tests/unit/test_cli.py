"""The command line of extdns: usage errors, exit codes and subcommands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from extdns import __version__, cli, config

ROOT = Path(__file__).parents[2]


def test_help_and_version_are_shown_although_other_arguments_are_invalid(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--nonsense", "--help"], {}) == 0
    assert "Usage: extdns" in capsys.readouterr().out
    assert cli.main(["--version"], {}) == 0
    assert capsys.readouterr().out == f"extdns {__version__}\n"


def test_without_parameters_main_reads_arguments_and_environment_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["extdns", "--source=service"])
    monkeypatch.setenv("EXTERNAL_DNS_PROVIDER", "sinc")
    assert cli.main() == 1
    assert "EXTERNAL_DNS_PROVIDER" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        pytest.param("plann", "did you mean: plan", id="typo"),
        pytest.param("version", "did you mean: --version", id="flag"),
        pytest.param("my.flags", "did you mean: @my.flags, for the flags in a file", id="at-sign-forgotten"),
        pytest.param("sync", "allowed: accept-cluster, adopt, apply, ", id="unknown"),
    ],
)
def test_an_unknown_command_is_an_error_with_a_suggestion_or_the_known_commands(
    word: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([word, "--source=service"], {}) == 1
    assert capsys.readouterr().err.startswith(f"error: {word} is not a command\n  {hint}")
    assert cli.main([word, "--help"], {}) == 0


def test_control_characters_in_a_usage_error_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--\x1b[31m"], {}) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: --\\x1b[31m is not a flag\n")


def test_a_usage_error_has_its_exit_code_although_standard_error_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.main(["--nonsense"], {}) == 1


def test_ctrl_c_during_the_start_exits_with_130_without_stack_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(config, "parse", interrupted)
    assert cli.main([], {}) == 130


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_no_large_library(argument: str) -> None:
    heavy = {
        "boto3",
        "botocore",
        "kubernetes",
        "google",
        "dns",
        "re2",
        "rich",
        "yaml",
        "prometheus_client",
        "difflib",
    }
    code = f"import sys; from extdns.cli import main; main([{argument!r}]); sys.exit(str({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == "set()"


def test_an_unexpected_error_is_shown_with_its_stack_trace_and_without_secrets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> NoReturn:
        raise RuntimeError("no way to http://me:pw@127.0.0.1 with hunter-two")

    monkeypatch.setattr(config, "parse", fail)
    assert cli.main(["--source=service"], {"PDNS_API_KEY": "hunter-two"}) == 1
    shown = capsys.readouterr().err
    assert "RuntimeError: no way to http://******@127.0.0.1 with ******" in shown
    assert "Traceback" in shown


def test_a_command_after_flags_is_an_error_that_says_where_to_put_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--source=service", "plan"], {}) == 1
    assert "  a command comes before all flags, as in: extdns plan " in capsys.readouterr().err


def test_the_error_without_any_flag_shows_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([], {}) == 1
    assert capsys.readouterr().err.endswith(
        "  to begin: extdns --help; for a folder with an example: extdns init my-dns\n"
    )
