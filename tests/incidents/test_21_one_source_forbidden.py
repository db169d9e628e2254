"""One source is forbidden at start.

The ClusterRole of the new chart lacks Ingresses. external-dns exits, is started again, exits, and publishes nothing.

What must hold: after half a minute the other sources go on. Records of Ingresses stay, also where other objects request
the same name, and no record becomes an orphan. Once the permission is granted, nothing has changed.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.resources.networking import INGRESS
from tests.builders import owned
from tests.cluster_world import HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import ingress, service

WEB = ingress("web", "web.example.org", "api.example.org")


def restart_with_forbidden_ingresses() -> ClusterWorld:
    unlabelled = owned("old", resource="")
    before = start_cluster(WEB, service("shop"), records=unlabelled)
    before.phases[INGRESS] = Phase.FORBIDDEN
    return before.restart(for_s=29.0)


def test_services_are_published_and_records_of_forbidden_ingresses_stay() -> None:
    world = restart_with_forbidden_ingresses()
    world.apply(service("new"), for_s=0.5)
    assert "new" not in world.published()
    world.apply(service("takes", host="api.example.org", address="192.0.2.9"), for_s=HOUR_S)
    assert world.published() == {"web", "api", "shop", "new", "old"}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    assert world.list_records()["api A"] == ("192.0.2.1",)
    assert not world.deleted()


def test_no_record_changes_once_the_permission_on_ingresses_is_granted() -> None:
    world = restart_with_forbidden_ingresses()
    world.run(for_s=HOUR_S)
    world.set_phase(INGRESS, Phase.SYNCED, for_s=MINUTE_S)
    assert not world.provider.submissions
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_the_program_publishes_services_and_keeps_records_of_forbidden_ingresses(production: Production) -> None:
    production.apply(WEB, service("shop"))
    with production.process():
        production.until_published("web", "api", "shop")
    for verb in ("list", "watch"):
        production.server.forbid(verb, "ingresses")
    with production.start() as running:
        running.until_engine_knows(Ingress="forbidden")
        running.pass_time(31.0)
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.published() == {"web", "api", "shop"}
