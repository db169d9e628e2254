"""SIGTERM and SIGINT: the first one calls a callback, the second one ends the process."""

from __future__ import annotations

import os
import signal

import pytest

from extdns.controller.stop_signals import StopSignals

BOTH = (signal.SIGTERM, signal.SIGINT)


@pytest.mark.parametrize("number", BOTH, ids=["SIGTERM", "SIGINT"])
def test_a_stop_signal_calls_the_callback_with_the_name_of_the_signal(number: signal.Signals) -> None:
    names: list[str] = []
    with StopSignals() as signals:
        signals.deliver_to(names.append)
        os.kill(os.getpid(), number)
        assert names == [number.name]


def test_a_stop_signal_before_the_callback_is_set_calls_it_later() -> None:
    names: list[str] = []
    with StopSignals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        signals.deliver_to(names.append)
    assert names == ["SIGTERM"]


@pytest.mark.parametrize("number", BOTH, ids=["SIGTERM", "SIGINT"])
def test_a_second_stop_signal_ends_the_process_at_once(number: signal.Signals) -> None:
    with StopSignals():
        os.kill(os.getpid(), number)
        assert [signal.getsignal(other) for other in BOTH] == [signal.SIG_DFL, signal.SIG_DFL]


def test_the_previous_signal_handlers_are_restored_at_the_end() -> None:
    before = [signal.getsignal(number) for number in BOTH]
    with StopSignals():
        assert [signal.getsignal(number) for number in BOTH] != before
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(number) for number in BOTH] == before
