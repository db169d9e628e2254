"""One source is forbidden at start.

The ClusterRole of the new chart lacks Ingresses. The reference ends, is started again, ends, and publishes nothing.

What must hold: after half a minute the other sources go on. What Ingresses made stays as it is, also where others ask
for the same name, and nothing that nobody asks for is concluded to be nobody's. Once the right is granted, all is well.
"""

from __future__ import annotations

from extdns.model.cluster import Phase
from extdns.model.objects import INGRESS
from tests.incidents.objects import ingress, service
from tests.incidents.production import Production
from tests.incidents.scene import HOUR_S, MINUTE_S, Scene, scene
from tests.unit.engine.stage import owned

WEB = ingress("web", "web.example.org", "api.example.org")


def forbidden() -> Scene:
    unlabelled = owned("old", resource="")
    before = scene(WEB, service("shop"), records=unlabelled)
    before.phases[INGRESS] = Phase.FORBIDDEN
    return before.again(for_s=29.0)


def test_others_go_on_and_its_records_stay() -> None:
    world = forbidden()
    world.show(service("new"), for_s=0.5)
    assert "new" not in world.published()
    world.show(service("takes", host="api.example.org", address="192.0.2.9"), for_s=HOUR_S)
    assert world.published() == {"web", "api", "shop", "new", "old"}
    assert world.endings("web") == ["A keep source-down"]
    assert world.holds()["api A"] == ("192.0.2.1",)
    assert not world.deleted()


def test_once_it_is_granted_nothing_was() -> None:
    world = forbidden()
    world.run(for_s=HOUR_S)
    world.turn(INGRESS, Phase.SYNCED, for_s=MINUTE_S)
    assert not world.provider.submissions
    assert world.endings("web") == ["A keep programmed"]


def test_in_the_whole_program_others_go_on(production: Production) -> None:
    production.put(WEB, service("shop"))
    with production.process():
        production.until_published("web", "api", "shop")
    for verb in ("list", "watch"):
        production.server.forbid(verb, "ingresses")
    with production.started() as running:
        running.until_engine_knows(Ingress="forbidden")
        running.pass_time(31.0)
        running.pass_time(HOUR_S)
        production.seen()
        assert production.published() == {"web", "api", "shop"}
