"""The ownership TXT is removed by hand; a foreign TXT stands on our name.

Somebody cleans up "those strange TXT records", or gives a name to another team by replacing its mark. Somebody else
needs a verification TXT at a name that we publish.

What must hold: a record without our mark is not ours any more: it is neither changed nor deleted, nor is the mark put
back. A TXT of somebody else stays when our record beside it changes and goes.
"""

from __future__ import annotations

import pytest

from extdns.model.record import Record
from tests.incidents.objects import service
from tests.incidents.production import OFTEN, Production
from tests.incidents.scene import HOUR_S, MINUTE_S, scene
from tests.unit.engine.stage import ZONE, mark, record

VERIFICATION = record("web", '"google-site-verification=abc"', rtype="TXT")
AT_THE_MARK = record("a-web", '"v=spf1 -all"', rtype="TXT")


@pytest.mark.parametrize(
    "instead",
    [
        pytest.param(None, id="removed"),
        pytest.param(AT_THE_MARK, id="replaced-by-another-text"),
        pytest.param(mark("web", owner="other"), id="replaced-by-the-mark-of-another"),
    ],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_without_our_mark_a_record_is_left_alone(*, instead: Record | None, restarts: bool) -> None:
    world = scene(service("web"))
    world.provider.remove(ZONE, mark("web").key)
    if instead:
        world.provider.put(ZONE, instead)
    if restarts:
        world = world.again()
    world.run(for_s=2 * HOUR_S)
    before = world.provider.contents(ZONE)
    world.show(service("web", address="192.0.2.9"), for_s=HOUR_S)
    world.delete(service("web"), for_s=HOUR_S)
    assert world.provider.contents(ZONE) == before
    assert world.holds()["web A"] == ("192.0.2.1",)


def test_a_write_that_has_not_seen_the_loss_of_the_mark_is_not_made() -> None:
    world = scene(service("web"))
    world.provider.remove(ZONE, mark("web").key)
    world.show(service("web", address="192.0.2.9"), for_s=HOUR_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.marks() == set()


def test_a_text_of_somebody_else_at_our_name_stays() -> None:
    world = scene(service("web"), records=[VERIFICATION])
    world.show(service("web", address="192.0.2.9"), for_s=5.0)
    assert world.holds()["web A"] == ("192.0.2.9",)
    world.delete(service("web"), for_s=HOUR_S)
    assert list(world.provider.contents(ZONE).values()) == [VERIFICATION]


@pytest.mark.parametrize("sees_it_first", [False, True])
def test_the_whole_program_leaves_a_record_alone_without_our_mark(
    *, production: Production, sees_it_first: bool
) -> None:
    production.put(service("web"))
    with production.process(*OFTEN) as running:
        production.until_published("web")
        production.dns.put("a-web.example.org", "TXT", 300, '"v=spf1 -all"')
        if sees_it_first:
            running.pass_time(2 * MINUTE_S)
            running.until("web.example.org", "foreign-record")
        production.put(service("web", address="192.0.2.9"))
        production.seen()
        running.until("web.example.org", "foreign-record")
        production.delete(service("web"))
        production.seen()
        running.pass_time(HOUR_S)
        production.seen()
        assert production.dns.holds()["web A"] == ("192.0.2.1",)
        assert production.dns.holds()["a-web TXT"] == ('"v=spf1 -all"',)


def test_the_whole_program_keeps_a_text_of_somebody_else_at_our_name(production: Production) -> None:
    production.dns.put("web.example.org", "TXT", 300, '"google-site-verification=abc"')
    production.put(service("web"))
    with production.process() as running:
        production.until(lambda: "web A" in production.dns.holds())
        production.delete(service("web"))
        production.seen()
        running.pass_time(HOUR_S)
        production.until(lambda: "web A" not in production.dns.holds())
        assert production.dns.holds()["web TXT"] == ('"google-site-verification=abc"',)
