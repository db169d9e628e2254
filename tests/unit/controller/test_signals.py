"""SIGTERM and SIGINT end the process, the second one at once; SIGUSR1 prints its state."""

from __future__ import annotations

import errno
import os
import signal

import pytest

from extdns.controller.state_dump import StateSignal
from extdns.controller.stop_signals import StopSignals

BOTH = (signal.SIGTERM, signal.SIGINT)


@pytest.mark.parametrize("number", BOTH, ids=["SIGTERM", "SIGINT"])
def test_stop_signal_calls_the_callback_with_its_name(number: signal.Signals) -> None:
    names: list[str] = []
    with StopSignals() as signals:
        signals.deliver_to(names.append)
        os.kill(os.getpid(), number)
        assert names == [number.name]


def test_stop_signal_before_the_callback_is_set_calls_it_later() -> None:
    names: list[str] = []
    with StopSignals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        signals.deliver_to(names.append)
    assert names == ["SIGTERM"]


@pytest.mark.parametrize("number", BOTH, ids=["SIGTERM", "SIGINT"])
def test_second_stop_signal_ends_the_process_at_once(number: signal.Signals) -> None:
    with StopSignals():
        os.kill(os.getpid(), number)
        assert [signal.getsignal(other) for other in BOTH] == [signal.SIG_DFL, signal.SIG_DFL]


def test_previous_signal_handlers_are_restored_at_the_end() -> None:
    before = [signal.getsignal(number) for number in BOTH]
    with StopSignals():
        assert [signal.getsignal(number) for number in BOTH] != before
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(number) for number in BOTH] == before


# SIGUSR1


def test_all_of_the_state_is_printed_if_each_write_takes_only_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed: list[bytes] = []

    def write(_descriptor: int, data: memoryview) -> int:
        printed.append(bytes(data[:3]))
        return len(printed[-1])

    monkeypatch.setattr("extdns.controller.state_dump.os.write", write)
    with StateSignal(lambda: "state of extdns\n"):
        os.kill(os.getpid(), signal.SIGUSR1)
    assert b"".join(printed) == b"state of extdns\n"


def test_sigusr1_does_not_end_a_process_if_standard_error_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_descriptor: int, _data: memoryview) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("extdns.controller.state_dump.os.write", write)
    with StateSignal(lambda: "state of extdns\n"):
        os.kill(os.getpid(), signal.SIGUSR1)
