"""`extdns demo`: a single run without a terminal; with a terminal it keeps running and shows the effect of edits."""

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

from tests.program.process import HANGS_S, ROOT, environment, once

_ON_A_TERMINAL: Final = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "extdns", "demo"])
"""
_CTRL_C: Final = b"\x03"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Copy the examples into a scratch folder and return it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


class Terminal:
    """A pseudo-terminal: what the demo printed on it, and what a person types."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self.process = process
        self.seen = ""
        self._unread = ""

    def until(self, part: str) -> str:
        """Read up to *part*, and return the text since the last call."""
        while part not in self._unread:
            try:
                more = os.read(self._master, 65536)
            except OSError as exc:  # the demo has closed the terminal
                raise AssertionError(f"{part!r} never came:\n{self.seen}{self._unread}") from exc
            self._unread += more.decode(errors="replace").replace("\r\n", "\n")
        before, found, self._unread = self._unread.partition(part)
        self.seen += before + found
        return before + found

    def type(self, text: bytes) -> None:
        os.write(self._master, text)


@contextmanager
def terminal(folder: Path) -> Iterator[Terminal]:
    """Run the demo on a terminal of 80 columns, and kill it at the end or after a time limit."""
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


def test_demo_without_a_terminal_prints_one_run_and_exits_with_0(checkout: Path) -> None:
    before = sorted(path.name for path in checkout.iterdir())
    ended = once("demo", cwd=checkout)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "  · A      www.shop.example" in ended.stdout
    assert "[foreign-record]" in ended.stdout
    assert re.search(r"! A +\*\.preview\.shop\.example +not published +.*\[policy-denied\]\n", ended.stdout)
    assert "wildcard-needs-label: a wildcard needs the label dns.example.com/wildcards=allowed" in ended.stdout
    assert "Invalid objects (other records unaffected)" in ended.stdout
    assert "BEGIN extdns" in ended.stdout
    assert "\nNext:\n" in ended.stdout
    assert " explain mail.shop.example " in ended.stdout
    assert sorted(path.name for path in checkout.iterdir()) == sorted([*before, ".demo"])


def test_demo_prints_no_dns_name_across_two_lines_on_a_narrow_terminal(checkout: Path) -> None:
    output = once("demo", cwd=checkout, env={"COLUMNS": "20"}).stdout
    assert "postgres-0.postgres.shop.example" in output
    assert "shop-images.cdn.example" in output


def test_demo_on_a_terminal_shows_edits_and_leaves_only_its_scratch_folder_after_ctrl_c(checkout: Path) -> None:
    with terminal(checkout) as screen:
        output = screen.until("Ctrl-C stops.")
        assert "  · A      api.shop.example" in output
        address = re.search(r"\nThe live page: http://127\.0\.0\.1:(\d+)/\n", output)
        assert address is not None
        while "api.shop.example" not in page(int(address[1])):
            pass  # the page is renewed every second; the watchdog ends an endless wait
        edit(checkout / "examples" / "demo" / "shop.yaml", "203.0.113.7", "203.0.113.77")
        screen.until("target 203.0.113.7 → 203.0.113.77")
        screen.until("  · A  api.shop.example  203.0.113.77")
        edit(checkout / "examples" / "demo" / "shop.yaml", "www.shop.example", "shop-window.shop.example")
        screen.until("  + A  shop-window.shop.example")
        screen.until("deleted in 60 s, unless an object requests it again")
        screen.until("  · A  shop-window.shop.example")
        screen.type(_CTRL_C)
        screen.until("Stopped. The zone files are in .demo/zones.")
        assert screen.process.wait() == 0
    assert "Traceback" not in screen.seen
    assert {path.name for path in checkout.iterdir()} == {"examples", ".demo"}
    assert "203.0.113.77" in (checkout / ".demo" / "zones" / "shop.example.zone").read_text()


def test_demo_reports_a_manifest_that_becomes_invalid_and_deletes_no_record(checkout: Path) -> None:
    shop = checkout / "examples" / "demo" / "shop.yaml"
    with terminal(checkout) as screen:
        screen.until("Ctrl-C stops.")
        valid = shop.read_text()
        shop.write_text(valid + "\n---\nkind: [\n")
        screen.until("  ! Cannot parse manifest; keeping the last valid version (examples/demo/shop.yaml:")
        shop.write_text(valid)
        screen.until("  · The manifest is valid again (examples/demo/shop.yaml:")
        screen.type(_CTRL_C)
        screen.until("Stopped")
        assert screen.process.wait() == 0
    assert "www.shop.example" in (checkout / ".demo" / "zones" / "shop.example.zone").read_text()
