"""Standard output that is closed, full, or knows few characters."""

from __future__ import annotations

import io
import os
import sys

import pytest

from extdns.commands.output import show
from extdns.errors import UsageError


def to(monkeypatch: pytest.MonkeyPatch, descriptor: int, encoding: str = "utf-8") -> None:
    stream = os.fdopen(descriptor, "w", encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)


def test_text_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    to(monkeypatch, writer)
    show("a → b\n")
    assert os.read(reader, 100).decode() == "a → b\n"
    os.close(reader)
    sys.stdout.close()


def test_a_reader_that_has_gone_is_no_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    to(monkeypatch, writer)
    os.close(reader)
    show("lost\n")
    show("lost, too\n")
    sys.stdout.close()  # which would raise if anything were left to be written


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    to(monkeypatch, os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(UsageError, match="standard output cannot be written: No space left on device"):
        show("lost\n")
    sys.stdout.close()


def test_characters_that_the_encoding_lacks_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    show("a → b\n")
    assert raw.getvalue() == b"a \\u2192 b\n"


def test_without_standard_output_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    show("nowhere\n")
