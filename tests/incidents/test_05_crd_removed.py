"""A source's CRD is removed.

Somebody uninstalls a chart, and its CRDs go with it: the API server deletes every DNSEndpoint, says so one by one,
and serves the kind no more.

What must hold: the DELETED events of the last minute count for nothing once the kind is gone; records stay as long as
it is. When it is back without its objects, they are missing, which is another thing than deleted: the small budget for
absence decides.
"""

from __future__ import annotations

from extdns.model.cluster import Phase
from extdns.model.dnsendpoint import DNS_ENDPOINT
from extdns.model.gatewayapi import GATEWAY
from tests.incidents.objects import dns_endpoint, gateway, http_route, namespace, numbered, service
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, Scene, scene

NAMES = numbered(9)
ALL = [dns_endpoint(name) for name in NAMES]


def uninstalled(*flags: str) -> Scene:
    """All was deleted with its CRD, within a few seconds."""
    world = scene(*ALL, service("web"), flags=flags)
    world.delete(*ALL, for_s=5.0)
    world.turn(DNS_ENDPOINT, Phase.NOT_SERVED, for_s=HOUR_S)
    return world


def test_records_stay_while_the_kind_is_not_served() -> None:
    world = uninstalled()
    assert world.published() == {*NAMES, "web"}
    assert world.endings(NAMES[0]) == ["A keep source-down"]
    world.show(service("new"), for_s=MINUTE_S)
    assert "new" in world.published()


def test_when_it_is_back_with_its_objects_nothing_was() -> None:
    world = uninstalled()
    world.show(*ALL)
    world.turn(DNS_ENDPOINT, Phase.SYNCED, for_s=HOUR_S)
    assert world.published() == {*NAMES, "web"}
    assert world.endings(NAMES[0]) == ["A keep programmed"]


def test_when_it_is_back_without_them_their_deletes_are_by_absence() -> None:
    world = uninstalled()
    world.turn(DNS_ENDPOINT, Phase.SYNCED, for_s=HOUR_S)
    assert world.published() == {*NAMES, "web"}
    assert world.shown_held() == set(NAMES)


def test_what_rested_on_its_objects_stays_too() -> None:
    front = gateway()
    world = scene(
        front, namespace(), http_route("r0"), service("web"), flags=("--source=gateway-httproute",), for_s=60.0
    )
    world.delete(front, for_s=5.0)
    world.turn(GATEWAY, Phase.NOT_SERVED, for_s=HOUR_S)
    world.turn(GATEWAY, Phase.SYNCED, for_s=HOUR_S)
    assert world.published() == {"r0", "web"}
    world.show(front, for_s=HOUR_S)
    assert world.endings("r0") == ["A keep programmed"]


def test_a_restart_while_the_kind_is_away_changes_nothing() -> None:
    after = uninstalled().again(for_s=HOUR_S)
    assert after.published() == {*NAMES, "web"}
    assert not after.provider.submissions


def test_the_reference_deletes_them() -> None:
    assert uninstalled(*COMPAT).published() == {"web"}


def test_the_whole_program_keeps_the_records(production: Production) -> None:
    production.put(*ALL)
    with production.process() as running:
        production.until_published(*NAMES)
        production.server.unregister("dnsendpoints.externaldns.k8s.io")
        running.until_engine_knows(DNSEndpoint="not-served")
        running.pass_time(HOUR_S)
        production.seen()
        assert production.published() == set(NAMES)
