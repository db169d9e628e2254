"""The controller of load balancers writes empty statuses, for a night.

An ingress controller is rolled out with a wrong flag at six in the evening and blanks the status of all it serves.
The load balancers go on serving. The reference takes an empty status for a wish to be gone, and deletes every name.

What must hold: every record stays, without limit of time, and says why. In the morning the statuses are back; the
objects that got another load balancer meanwhile are updated, and nothing else is written.
"""

from __future__ import annotations

from tests.incidents.objects import ingress, numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, scene

NAMES = numbered(40)
BLANK = services(NAMES, address=None)
WEB = ingress("web", "web.example.org")


def test_records_stay_and_say_why() -> None:
    world = scene(*services(NAMES), WEB)
    world.show(*BLANK, ingress("web", "web.example.org", address=None), for_s=14 * HOUR_S)
    assert world.published() == {*NAMES, "web"}
    assert world.endings("web") == ["A keep no-address"]
    written = len(world.provider.submissions)
    world.show(WEB, service(NAMES[0], address="192.0.2.9"), *services(NAMES[1:]), for_s=MINUTE_S)
    assert len(world.provider.submissions) == written + 1
    assert world.holds()[f"{NAMES[0]} A"] == ("192.0.2.9",)
    assert not world.deleted()


def test_a_restart_in_the_night_changes_nothing() -> None:
    before = scene(*services(NAMES))
    before.show(*BLANK, for_s=HOUR_S)
    after = before.again(for_s=12 * HOUR_S)
    assert not after.provider.submissions
    assert after.published() == set(NAMES)


def test_a_person_may_set_a_limit_and_then_the_budget_holds_them() -> None:
    world = scene(*services(NAMES), flags=["--stale-hold=1h"])
    world.show(*BLANK, for_s=2 * HOUR_S)
    assert not world.deleted()
    assert world.shown_held() == set(NAMES)


def test_the_reference_loses_all() -> None:
    world = scene(*services(NAMES), WEB, flags=COMPAT)
    world.show(*BLANK, ingress("web", "web.example.org", address=None), for_s=MINUTE_S)
    assert world.published() == set()


def test_the_whole_program_keeps_them(production: Production) -> None:
    production.put(*services(NAMES[:14]))
    with production.process() as running:
        production.until_published(*NAMES[:14])
        production.put(*BLANK[:14])
        production.seen()
        running.pass_time(14 * HOUR_S)
        production.seen()
        assert production.published() == set(NAMES[:14])


def test_the_whole_program_loses_them_as_the_reference_does(production: Production) -> None:
    production.put(*services(NAMES[:14]))
    with production.process("--compat"):
        production.until_published(*NAMES[:14])
        production.put(*BLANK[:14])
        production.until_published()
