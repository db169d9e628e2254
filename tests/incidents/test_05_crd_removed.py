"""The CRD of a source is deleted.

Somebody uninstalls a chart with its CRDs: the API server deletes every DNSEndpoint, reports each delete, and no longer
serves the kind.

What must hold: once the kind is gone, the DELETED events of the last minute do not count, and records stay. If the kind
comes back without its objects, they are missing rather than deleted, so that the smaller budget for absence applies.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.resources.externaldns import DNS_ENDPOINT
from extdns.resources.gateway_api import GATEWAY
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import dns_endpoint, gateway, http_route, namespace, numbered, service

NAMES = numbered(9)
ALL = [dns_endpoint(name) for name in NAMES]


def remove_crd(*flags: str) -> ClusterWorld:
    """Delete all DNSEndpoints, remove their kind five seconds later, and run for an hour."""
    world = start_cluster(*ALL, service("web"), flags=flags)
    world.delete(*ALL, for_s=5.0)
    world.set_phase(DNS_ENDPOINT, Phase.NOT_SERVED, for_s=HOUR_S)
    return world


def test_records_of_dnsendpoints_stay_while_dnsendpoints_are_not_served() -> None:
    world = remove_crd()
    assert world.published() == {*NAMES, "web"}
    assert world.list_decisions(NAMES[0]) == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    world.apply(service("new"), for_s=MINUTE_S)
    assert "new" in world.published()


def test_records_stay_when_the_crd_is_installed_again_with_its_objects() -> None:
    world = remove_crd()
    world.apply(*ALL)
    world.set_phase(DNS_ENDPOINT, Phase.SYNCED, for_s=HOUR_S)
    assert world.published() == {*NAMES, "web"}
    assert world.list_decisions(NAMES[0]) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_deletes_are_held_when_the_crd_is_installed_again_without_its_objects() -> None:
    world = remove_crd()
    world.set_phase(DNS_ENDPOINT, Phase.SYNCED, for_s=HOUR_S)
    assert world.published() == {*NAMES, "web"}
    assert world.held_names() == set(NAMES)


def test_records_of_routes_stay_after_the_gateway_crd_was_deleted() -> None:
    front = gateway()
    world = start_cluster(
        front, namespace(), http_route("r0"), service("web"), flags=("--source=gateway-httproute",), for_s=60.0
    )
    world.delete(front, for_s=5.0)
    world.set_phase(GATEWAY, Phase.NOT_SERVED, for_s=HOUR_S)
    world.set_phase(GATEWAY, Phase.SYNCED, for_s=HOUR_S)
    assert world.published() == {"r0", "web"}
    world.apply(front, for_s=HOUR_S)
    assert world.list_decisions("r0") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_a_restart_while_dnsendpoints_are_not_served_writes_nothing() -> None:
    after = remove_crd().restart(for_s=HOUR_S)
    assert after.published() == {*NAMES, "web"}
    assert not after.provider.submissions


def test_with_compat_records_of_dnsendpoints_are_deleted_with_their_crd() -> None:
    assert remove_crd(*COMPAT).published() == {"web"}


def test_the_program_keeps_records_after_the_crd_was_deleted(production: Production) -> None:
    production.apply(*ALL)
    with production.process() as running:
        production.until_published(*NAMES)
        production.server.unregister("dnsendpoints.externaldns.k8s.io")
        running.until_engine_knows(DNSEndpoint="not-served")
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.published() == set(NAMES)
