"""SIGTERM and SIGINT end the process, the second one at once; SIGUSR1 prints its state."""

from __future__ import annotations

import errno
import os
import signal

import pytest

from extdns.controller.state_dump import print_on_signal
from extdns.controller.stop_signals import StopSignals

BOTH = (signal.SIGTERM, signal.SIGINT)


def test_previous_signal_handlers_are_restored_at_the_end() -> None:
    before = [signal.getsignal(number) for number in BOTH]
    with StopSignals():
        assert [signal.getsignal(number) for number in BOTH] != before
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(number) for number in BOTH] == before


# SIGUSR1


def test_all_of_the_state_is_printed_if_each_write_takes_only_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[bytes] = []

    def write(_descriptor: int, data: memoryview) -> int:
        printed.append(bytes(data[:3]))
        return len(printed[-1])

    monkeypatch.setattr("extdns.controller.state_dump.os.write", write)
    with print_on_signal(lambda: "state of extdns\n"):
        os.kill(os.getpid(), signal.SIGUSR1)
    assert b"".join(printed) == b"state of extdns\n"


def test_sigusr1_does_not_end_a_process_if_standard_error_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_descriptor: int, _data: memoryview) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("extdns.controller.state_dump.os.write", write)
    with print_on_signal(lambda: "state of extdns\n"):
        os.kill(os.getpid(), signal.SIGUSR1)
