"""Every command tells how it is used, and the program names every command."""

from __future__ import annotations

import pytest

from extdns import cli

COMMANDS = sorted(cli.COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_tells_how_it_is_used(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"], {}) == 0
    said = capsys.readouterr().out
    assert said.split()[:3] == ["Usage:", "extdns", command]
    assert all(len(line) <= 120 for line in said.splitlines())


def test_the_program_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"], {}) == 0
    named = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert set(COMMANDS) <= named
