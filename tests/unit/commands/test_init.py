"""`extdns init`: the folder that it makes works as it is."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from extdns import cli
from extdns.command import run_command
from extdns.commands.output import find_command
from extdns.errors import UsageError


def test_the_commands_that_extdns_init_prints_publish_the_name_in_its_example_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["init", "my dns"], {}) == 0
    output = capsys.readouterr().out
    printed = [shlex.split(line, comments=True) for line in output.partition("Next:\n")[2].splitlines()]
    assert printed[0][:2] == [*shlex.split(find_command()), "plan"]
    monkeypatch.chdir("/")
    assert cli.main(printed[0][1:], {}) == 2
    assert "  + A  www.shop.example  203.0.113.10  Service default/web: annotation hostname" in capsys.readouterr().out
    assert cli.main([*printed[1][1:], "--metrics-address=127.0.0.1:0"], {}) == 0
    assert capsys.readouterr() == ("", ""), "nothing went wrong, so nothing is logged"
    assert "\nwww.shop.example. 300 IN A 203.0.113.10\n" in Path(printed[2][1]).read_text()


def test_extdns_init_writes_nothing_into_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(UsageError, match=r" is not empty\n  name a new folder; nothing was written"):
        run_command("init", [str(tmp_path)], {})
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_extdns_init_reports_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file/new cannot be written: .+\n  name a folder that you can write"):
        run_command("init", [str(tmp_path / "file" / "new")], {})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'DIR'"),
        ([""], "extdns init needs the name of a folder"),
        (["a", "b"], "Got unexpected extra argument"),
        (["--force"], "--force is not a flag"),
    ],
)
def test_extdns_init_requires_the_name_of_exactly_one_folder(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run_command("init", arguments, {})
