"""Standard output that is closed, full, or has a limited encoding."""

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


def test_standard_output_is_flushed_after_each_write(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    to(monkeypatch, writer)
    show("a → b\n")
    assert os.read(reader, 100).decode() == "a → b\n"
    os.close(reader)
    sys.stdout.close()


def test_standard_output_to_a_closed_pipe_is_dropped_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    to(monkeypatch, writer)
    os.close(reader)
    show("lost\n")
    show("lost, too\n")
    sys.stdout.close()  # raises if the buffer is not empty


def test_standard_output_to_a_full_disk_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    to(monkeypatch, os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(UsageError, match="standard output cannot be written: No space left on device"):
        show("lost\n")
    sys.stdout.close()


def test_characters_that_the_output_encoding_lacks_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    show("a → b\n")
    assert raw.getvalue() == b"a \\u2192 b\n"


def test_without_standard_output_no_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    show("nowhere\n")
