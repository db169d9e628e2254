"""The demo counts down each grace period."""

from __future__ import annotations

import pytest

from extdns.commands.demo import Countdown
from extdns.commands.screen import Screen
from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from tests.builders import build_claim, observe, observe_gone, owned
from tests.world import start_world

PATIENT = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))


def test_the_demo_counts_down_a_grace_period(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    requested = observe("web", build_claim("web", "web"))
    world = start_world(*owned("web"), first=[requested], deletes=PATIENT)
    monkeypatch.setattr("extdns.commands.demo.time.monotonic", lambda: world.now_s)
    countdown = Countdown(world.engine, Screen())

    def wait(seconds: float) -> bool:
        world.run(for_s=seconds)
        return not world.list_records()

    world.run(observe_gone("web"))
    assert countdown.describe_wait(world.decision("web")) == "deleted in 56 s, unless an object requests it again"
    countdown.run(wait)
    assert capsys.readouterr().out.splitlines() == [
        f"  … web.example.org A will be deleted in {seconds} s" for seconds in (41, 26, 11)
    ]


def test_the_demo_ends_the_countdown_when_the_record_is_requested_again(capsys: pytest.CaptureFixture[str]) -> None:
    requested = observe("web", build_claim("web", "web"))
    world = start_world(*owned("web"), first=[requested], deletes=PATIENT)
    countdown = Countdown(world.engine, Screen())
    world.run(observe_gone("web"))
    countdown.describe_wait(world.decision("web"))
    world.run(requested)
    assert not countdown.describe_wait(world.decision("web"))
    ended = iter([False, True])
    countdown.run(lambda _: next(ended))
    assert not capsys.readouterr().out
