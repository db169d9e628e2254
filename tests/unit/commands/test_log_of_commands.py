"""What commands that write nothing log."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns import cli
from tests.objects import service
from tests.program.installation import Installation


@pytest.mark.parametrize("command", ["plan", "check", "owners", "migrate", "explain web.example.org"])
def test_commands_that_write_nothing_log_no_change_at_the_level_debug_and_nothing_at_that_of_a_chart(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "web.example.org"))
    cli.main([*command.split(), *installation.flags("--log-level=info")], {})
    assert capsys.readouterr().err == ""
    cli.main([*command.split(), *installation.flags("--log-level=debug")], {})
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert [line for line in lines if "Desired change" in line] == []
