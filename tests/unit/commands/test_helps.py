"""The help texts of the program and of its commands."""

from __future__ import annotations

import pytest

from extdns import cli

COMMANDS = sorted(cli.COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_prints_its_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"], {}) == 0
    output = capsys.readouterr().out
    assert output.split()[:3] == ["Usage:", "extdns", command]
    assert all(len(line) <= 120 for line in output.splitlines())


def test_the_main_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"], {}) == 0
    named = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert set(COMMANDS) <= named
