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
from tests.incidents.production import OFTEN, Production
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


def test_the_whole_program_deletes_nothing_of_its_twin_and_does_not_fight_for_ever(production: Production) -> None:
    with production.copied() as copy:
        production.put(*services(LEFT[:12]), service("both"))
        copy.put(*services(RIGHT[:12]), service("both", address="192.0.2.2"))
        with production.process(*OFTEN) as first:
            production.until_published(*LEFT[:12], "both")
            with copy.process(*OFTEN) as second:
                copy.until_published(*LEFT[:12], *RIGHT[:12], "both")
                second.pass_time(MINUTE_S + 1.0)
                second.until("Deletes are held", "count=12", "orphan-gone 12")
                for _ in range(2):
                    copy.until(lambda: copy.dns.holds()["both A"] == ("192.0.2.2",))
                    first.pass_time(MINUTE_S + 6.0)
                    production.until(lambda: production.dns.holds()["both A"] == ("192.0.2.1",))
                    second.pass_time(MINUTE_S + 6.0)
                copy.until(lambda: copy.dns.holds()["both A"] == ("192.0.2.2",))
                first.pass_time(MINUTE_S + 6.0)
                first.until("both.example.org", "fought-over")
                production.seen()
                assert production.dns.holds()["both A"] == ("192.0.2.2",)
                assert production.published() == {*LEFT[:12], *RIGHT[:12], "both"}
                production.until(lambda: "FoughtOver" in {one["reason"] for one in production.server.objects("Event")})


def test_the_whole_program_with_compat_deletes_what_its_twin_made(production: Production) -> None:
    with production.copied() as copy:
        production.put(*services(LEFT[:12]))
        copy.put(*services(RIGHT[:12]))
        with production.process():
            production.until_published(*LEFT[:12])
        with copy.process("--compat"):
            copy.until_published(*RIGHT[:12])
