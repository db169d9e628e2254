"""`extdns demo` in this process; on a real terminal: tests/integration/test_demo.py."""

from __future__ import annotations

import io
import logging
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.app import assembly
from extdns.app.assembly import Assembly
from extdns.commands import demo
from extdns.commands.screen import Screen
from extdns.config import Config
from extdns.errors import UsageError

ROOT = Path(__file__).parents[3]


class Keyboard(io.StringIO):
    """Standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder holds the examples; the loggers are put back as they were."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    root, ours = logging.getLogger(), logging.getLogger("extdns")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield tmp_path
    root.handlers, root.level, ours.level = handlers, *levels


@pytest.mark.parametrize("stdin", [pytest.param(io.StringIO(), id="a pipe"), pytest.param(None, id="closed")])
def test_without_a_terminal_it_makes_one_pass(
    stdin: io.StringIO | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    assert demo.main([], {}) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("extdns --manifests=examples/demo ")
    assert "--once" in shown.out.splitlines()[0]
    assert shown.out.index("Published") < shown.out.index("Not published") < shown.out.index("; BEGIN extdns")


def test_with_a_terminal_it_goes_on_until_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr(Screen, "follow", lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert demo.main([], {}) == 0
    shown = capsys.readouterr().out
    assert "--once" not in shown.splitlines()[0]
    assert shown.endswith("Ctrl-C ends.\n\n\nStopped; the zone files stay in .demo/zones.\n")


def test_a_pass_that_is_stopped_before_its_end_is_1(monkeypatch: pytest.MonkeyPatch) -> None:
    assemble = assembly.assemble

    def stopped(config: Config, reporter: Screen) -> Assembly:
        os.kill(os.getpid(), signal.SIGTERM)
        return assemble(config, reporter)

    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(assembly, "assemble", stopped)
    assert demo.main([], {}) == 1


def test_only_the_copies_of_the_zones_are_replaced(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    zones = checkout / ".demo" / "zones"
    zones.mkdir(parents=True)
    (zones / "old.zone").write_text("")
    (checkout / ".demo" / "notes").write_text("mine")
    demo.main([], {})
    assert [path.name for path in zones.iterdir()] == ["shop.example.zone"]
    assert (checkout / ".demo" / "notes").read_text() == "mine"


@pytest.mark.parametrize("in_the_way", [".demo", ".demo/zones"])
def test_a_file_in_the_way_is_told(checkout: Path, in_the_way: str) -> None:
    path = checkout / in_the_way
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    with pytest.raises(UsageError, match=r"^extdns demo cannot write the folder \.demo/zones: .+\n  remove \.demo, or"):
        demo.main([], {})


@pytest.mark.parametrize("missing", ["examples/demo", "examples/zones"])
def test_the_examples_must_be_there(checkout: Path, missing: str) -> None:
    shutil.rmtree(checkout / missing)
    with pytest.raises(UsageError, match="start it in a checkout of extdns"):
        demo.main([], {})
    assert not (checkout / ".demo").exists()


def test_it_has_no_arguments() -> None:
    with pytest.raises(UsageError, match="extdns demo takes no arguments, and --fast was given"):
        demo.main(["--fast"], {})
