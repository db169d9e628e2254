"""Two processes with the same owner id and different wishes.

A cluster is copied with its Helm values, and two clusters now manage one zone as the same owner. Each sees the marks
of the other as its own. The reference deletes what the other one made, once a minute, for ever.

What must hold: what only the other one wants is absent here, and the budget for absence holds it. Where both want
a name, they are told apart by nothing; but neither deletes it, each write is made on what was read, and soon the name
is `fought-over` and left alone for longer and longer.
"""

from __future__ import annotations

from extdns.model.reason import Reason
from tests.incidents.objects import numbered, service, services
from tests.incidents.scene import COMPAT, MINUTE_S, scene
from tests.unit.engine.laws import check_submission
from tests.unit.engine.stage import REGISTRY

LEFT, RIGHT = numbered(20, "l"), numbered(20, "r")


def test_neither_deletes_what_the_other_made() -> None:
    first = scene(*services(LEFT), service("both"))
    copied = scene(*services(RIGHT), service("both", address="192.0.2.2"), provider=first.provider)
    for _ in range(6):
        for world in (first, copied):
            world.now_s = max(first.now_s, copied.now_s)
            world.run(for_s=10 * MINUTE_S)
    assert first.published() == {*LEFT, *RIGHT, "both"}
    assert copied.shown_held() == set(LEFT)
    for submission in first.provider.submissions:
        check_submission(submission, REGISTRY)


def test_what_both_want_is_always_there_and_soon_left_alone() -> None:
    first = scene(service("both"), flags=["--interval=1m"])
    copied = scene(service("both", address="192.0.2.2"), flags=["--interval=1m"], provider=first.provider)
    for _ in range(30):
        for world in (first, copied):
            world.now_s = max(first.now_s, copied.now_s)
            world.run(for_s=MINUTE_S)
            assert set(first.holds()) == {"both A"}
    assert [one.reason for one in (*first.told, *copied.told)].count(Reason.FOUGHT_OVER) >= 2
    assert len(first.provider.submissions) <= 15, "not a write a minute"


def test_the_reference_deletes_what_the_other_made() -> None:
    first = scene(*services(LEFT), flags=["--interval=1m", *COMPAT])
    scene(*services(RIGHT), flags=["--interval=1m", *COMPAT], provider=first.provider)
    assert first.published() == set(RIGHT)
    first.run(for_s=2 * MINUTE_S)
    assert first.published() == set(LEFT)
