"""One invalid name, one CNAME beside an A and one weighted beside a simple record, among 1,000 good changes.

The reference puts all changes of a zone into one batch; the service refuses it as a whole for the sake of one, and
nothing is published until somebody finds out which.

What must hold: the good ones are published, within seconds; each bad one says what is wrong with it. The zone holds
what other people put there as before.
"""

from __future__ import annotations

from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import MINUTE_S, scene
from tests.unit.engine.stage import ZONE, record

NAMES = numbered(1000)
THEIRS = (
    record("cname", '"v=spf1 -all"', rtype="TXT"),
    record("weighted", "192.0.2.66"),
)
WEIGHTED = {"set-identifier": "blue", "aws-weight": "10"}
BAD = (
    service("invalid", host="in..valid.example.org"),
    service("cname", address="lb.example.net"),
    service("weighted", annotations=WEIGHTED),
)


def test_the_good_ones_are_published_and_each_bad_one_says_what_is_wrong() -> None:
    world = scene(records=THEIRS, for_s=1.0)
    world.show(*services(NAMES), *BAD, for_s=10.0)
    assert set(NAMES) <= world.published()
    assert world.endings("cname") == ["CNAME none refused"]
    assert [ending.partition(" ")[2] for ending in world.endings("weighted")] == [
        "keep foreign-record",
        "none routing-conflict",
    ]
    assert [str(wrong.reason) for wrong in world.engine.claims.misnamed()] == ["invalid-name"]
    assert {one.key: one for one in THEIRS}.items() <= world.provider.contents(ZONE).items()


def test_a_bad_one_is_published_once_its_object_is_mended() -> None:
    world = scene(records=THEIRS, for_s=1.0)
    world.show(*services(NAMES[:20]), *BAD, for_s=10.0)
    world.show(service("cname"), for_s=2.0)
    assert "cname A" in world.holds()


def test_the_whole_program_publishes_the_good_ones(production: Production) -> None:
    production.dns.put("cname.example.org", "TXT", 60, '"v=spf1 -all"')
    production.dns.put("weighted.example.org", "A", 60, "192.0.2.66")
    with production.process() as running:
        production.put(*services(NAMES[:30]), *BAD)
        production.until(lambda: set(NAMES[:30]) <= production.published())
        running.pass_time(MINUTE_S)
        production.seen()
        assert production.published() == {*NAMES[:30], "cname", "weighted"}
        assert production.dns.holds()["cname TXT"] == ('"v=spf1 -all"',)
        assert production.dns.holds()["weighted A"] == ("192.0.2.66",)
