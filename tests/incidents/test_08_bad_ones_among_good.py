"""One invalid name, one CNAME beside an A and one weighted beside a simple record, among 1,000 good changes.

The reference puts all changes of a zone into one batch; the service refuses it as a whole for the sake of one, and
nothing is published until somebody finds out which.

What must hold: the good ones are published, within seconds; each bad one says what is wrong with it. The zone holds
what other people put there as before.
"""

from __future__ import annotations

from extdns.model.decision import Decision
from tests.incidents.objects import numbered, service, services
from tests.incidents.scene import Scene, scene
from tests.unit.engine.stage import record

NAMES = numbered(1000)
THEIRS = (
    record("cname", '"v=spf1 -all"', rtype="TXT"),
    record("weighted", '"v=spf1 -all"', rtype="TXT"),
    record("weighted", "mail.example.net", rtype="CNAME", set_identifier="theirs"),
)
BAD = (
    service("invalid", host="in valid.example.org"),
    service("cname", address="lb.example.net"),
    service("mixed", host="weighted.example.org"),
)


def bad(world: Scene, at: str) -> Decision:
    (found,) = [one for one in world.engine.decisions if str(one.name).startswith(f"{at}.") and not one.held]
    return found


def test_the_good_ones_are_published_and_the_bad_ones_are_told() -> None:
    world = scene(records=THEIRS[:2], for_s=1.0)
    world.show(*services(NAMES), *BAD, for_s=30.0)
    assert set(NAMES) <= world.published()
    assert bad(world, "cname").reason in {"refused", "foreign-record"}
    assert (
        world.provider.contents(world.reader.zones().zones[0]).items() >= {one.key: one for one in THEIRS[:2]}.items()
    )
