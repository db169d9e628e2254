"""`extdns demo`: one pass without a terminal; with one it goes on, shows what edits do, and leaves nothing behind."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

from tests.integration.program import HANGS_S, ROOT, environment, once

_ON_A_TERMINAL: Final = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "extdns", "demo"])
"""
_CTRL_C: Final = b"\x03"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


class Terminal:
    """What a person sees and types."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self.process = process
        self.seen = ""

    def until(self, part: str) -> str:
        """Read up to *part*; what came before it since the last time."""
        unread = ""
        while part not in unread:
            try:
                more = os.read(self._master, 65536)
            except OSError as exc:  # the other side has closed
                raise AssertionError(f"{part!r} never came:\n{self.seen}{unread}") from exc
            unread += more.decode(errors="replace").replace("\r\n", "\n")
        self.seen += unread
        return unread

    def type(self, text: bytes) -> None:
        os.write(self._master, text)


@contextmanager
def terminal(folder: Path) -> Iterator[Terminal]:
    """The demo on a terminal of 80 columns; killed at the end, or when it takes too long."""
    master, slave = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", _ON_A_TERMINAL],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env=environment(TERM="xterm", NO_COLOR="1"),
        cwd=folder,
    ) as process:
        os.close(slave)
        watchdog = threading.Timer(HANGS_S, process.kill)
        watchdog.start()
        try:
            yield Terminal(master, process)
        finally:
            watchdog.cancel()
            process.kill()
            with suppress(OSError):
                os.close(master)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def page(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS_S)
    try:
        connection.request("GET", "/")
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def test_without_a_terminal_it_prints_one_pass_and_ends_with_exit_code_0(checkout: Path) -> None:
    before = sorted(path.name for path in checkout.iterdir())
    ended = once("demo", cwd=checkout)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "  · A      www.shop.example" in ended.stdout
    assert "[foreign-record]" in ended.stdout
    assert "Mistakes on objects" in ended.stdout
    assert "BEGIN extdns" in ended.stdout
    assert sorted(path.name for path in checkout.iterdir()) == sorted([*before, ".demo"])


def test_every_name_stands_on_one_line_whatever_the_width(checkout: Path) -> None:
    shown = once("demo", cwd=checkout, env={"COLUMNS": "20"}).stdout
    assert "postgres-0.postgres.shop.example" in shown
    assert "shop-images.cdn.example" in shown


def test_with_a_terminal_an_edit_shows_and_ctrl_c_leaves_the_scratch_folder_alone(checkout: Path) -> None:
    with terminal(checkout) as screen:
        shown = screen.until("Ctrl-C ends.")
        assert "  · A      api.shop.example" in shown
        address = re.search(r"\n(?:The live page: http://127\.0\.0\.1:(\d+)/\n|No live page: --web-address=)", shown)
        assert address is not None
        if address[1]:  # another process of this machine may have the port
            while "api.shop.example" not in page(int(address[1])):
                pass  # the page may be a second behind; the watchdog ends what never comes
        edit(checkout / "examples" / "demo" / "shop.yaml", "203.0.113.7", "203.0.113.77")
        screen.until("target 203.0.113.7 → 203.0.113.77")
        screen.until("  · A  api.shop.example  203.0.113.77")
        edit(checkout / "examples" / "demo" / "shop.yaml", "www.shop.example", "shop-window.shop.example")
        screen.until("  + A  shop-window.shop.example")
        screen.until("  · A  shop-window.shop.example")
        screen.type(_CTRL_C)
        screen.until("Stopped; the zone files stay in .demo/zones.")
        assert screen.process.wait() == 0
    assert "Traceback" not in screen.seen
    assert {path.name for path in checkout.iterdir()} == {"examples", ".demo"}
    assert "203.0.113.77" in (checkout / ".demo" / "zones" / "shop.example.zone").read_text()


def test_a_manifest_that_breaks_while_it_runs_is_told_and_costs_no_name(checkout: Path) -> None:
    shop = checkout / "examples" / "demo" / "shop.yaml"
    with terminal(checkout) as screen:
        screen.until("Ctrl-C ends.")
        shop.write_text(shop.read_text() + "\n---\nkind: [\n")
        screen.until("examples/demo/shop.yaml:")
        screen.type(_CTRL_C)
        screen.until("Stopped")
        assert screen.process.wait() == 0
    assert "www.shop.example" in (checkout / ".demo" / "zones" / "shop.example.zone").read_text()
