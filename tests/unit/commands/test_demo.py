"""`extdns demo` in the process of the test. On a real terminal: tests/integration/test_demo.py."""

from __future__ import annotations

import io
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extdns import cli
from extdns.app import assembly
from extdns.app.assembly import Assembly
from extdns.command import run_command
from extdns.commands.screen import Screen
from extdns.config import Config
from extdns.errors import UsageError

ROOT = Path(__file__).parents[3]


class Keyboard(io.StringIO):
    """A standard input that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Change to a folder with the examples, and restore the loggers at the end."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    root, ours = logging.getLogger(), logging.getLogger("extdns")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield tmp_path
    root.handlers, root.level, ours.level = handlers, *levels


@pytest.mark.parametrize("is_flag", [pytest.param(True, id="flag"), pytest.param(False, id="variable")])
def test_the_live_page_of_the_demo_uses_a_free_port_if_the_given_one_is_in_use(
    is_flag: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr(Screen, "follow", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        address = f"127.0.0.1:{port}"
        arguments, variables = (
            ([f"--web-address={address}"], {}) if is_flag else ([], {"EXTERNAL_DNS_WEB_ADDRESS": address})
        )
        assert run_command("demo", arguments, variables) == 0
    found = re.search(r"\nThe live page: http://127\.0\.0\.1:(\d+)/\n", capsys.readouterr().out)
    assert found
    assert found[1] != str(port)


def test_the_demo_prints_commands_that_work_in_every_folder(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr(Screen, "follow", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    assert run_command("demo", ["--web-address=127.0.0.1:0"], {}) == 0
    lines = capsys.readouterr().out.partition("Next, in another terminal:\n")[2].splitlines()[:3]
    explain, plan, init = (shlex.split(line) for line in lines)
    assert explain[1:3] == ["explain", "mail.shop.example"]
    assert plan[1:] == ["plan", f"@{checkout / '.demo' / 'demo.flags'}"]
    assert init[1] == "init"
    monkeypatch.chdir("/")
    assert cli.main(plan[1:], {}) == 1  # a name of the example is not valid


def test_extdns_demo_exits_with_1_if_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    assemble = assembly.assemble

    def assemble_interrupted(config: Config, **others: Any) -> Assembly:  # noqa: ANN401
        os.kill(os.getpid(), signal.SIGTERM)
        return assemble(config, **others)

    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(assembly, "assemble", assemble_interrupted)
    assert run_command("demo", [], {}) == 1


def test_extdns_demo_replaces_only_its_copies_of_the_zone_files(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    zones = checkout / ".demo" / "zones"
    zones.mkdir(parents=True)
    (zones / "old.zone").write_text("")
    (checkout / ".demo" / "notes").write_text("mine")
    run_command("demo", [], {})
    assert [path.name for path in zones.iterdir()] == ["shop.example.zone"]
    assert (checkout / ".demo" / "notes").read_text() == "mine"


@pytest.mark.parametrize("in_the_way", [".demo", ".demo/zones"])
def test_the_demo_reports_a_file_that_stands_where_it_needs_its_folder(checkout: Path, in_the_way: str) -> None:
    path = checkout / in_the_way
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    with pytest.raises(UsageError, match=r"^extdns demo cannot write the folder \.demo/zones: .+\n  remove \.demo, or"):
        run_command("demo", [], {})


@pytest.mark.parametrize("missing", ["examples/demo", "examples/zones"])
def test_extdns_demo_needs_the_example_folders(checkout: Path, missing: str) -> None:
    shutil.rmtree(checkout / missing)
    with pytest.raises(UsageError, match="start it in a checkout of the extdns repository"):
        run_command("demo", [], {})
    assert not (checkout / ".demo").exists()
