"""SIGTERM and SIGINT: the first is delivered, a second one is not taken any more."""

from __future__ import annotations

import os
import signal

import pytest

from extdns.controller.stopsignals import StopSignals

BOTH = (signal.SIGTERM, signal.SIGINT)


@pytest.mark.parametrize("number", BOTH, ids=["SIGTERM", "SIGINT"])
def test_a_signal_is_delivered_by_its_name(number: signal.Signals) -> None:
    names: list[str] = []
    with StopSignals() as signals:
        signals.deliver_to(names.append)
        os.kill(os.getpid(), number)
        assert names == [number.name]


def test_a_signal_that_comes_early_is_delivered_late() -> None:
    names: list[str] = []
    with StopSignals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        signals.deliver_to(names.append)
    assert names == ["SIGTERM"]


@pytest.mark.parametrize("number", BOTH, ids=["SIGTERM", "SIGINT"])
def test_after_the_first_one_each_ends_the_process_at_once(number: signal.Signals) -> None:
    with StopSignals():
        os.kill(os.getpid(), number)
        assert [signal.getsignal(other) for other in BOTH] == [signal.SIG_DFL, signal.SIG_DFL]


def test_what_took_them_before_takes_them_again() -> None:
    before = [signal.getsignal(number) for number in BOTH]
    with StopSignals():
        assert [signal.getsignal(number) for number in BOTH] != before
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(number) for number in BOTH] == before
