"""One of two Services that share a name, or one of a weighted pair in two namespaces, loses its address.

Two load balancers share one name, and the status of one is empty while it is replaced. Or `stable` and `canary` are
published as a weighted pair, and the load balancer of the canary has no address after a restart.

What must hold: in one namespace the resolved claims decide, so the name points to the other load balancer. Of the
weighted pair each record is decided by itself: that of the canary stays unchanged.
"""

from __future__ import annotations

from tests.builders import ZONE
from tests.cluster_world import COMPAT, HOUR_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import service

ONE = service("one", host="web.example.org")
TWO = service("two", host="web.example.org", address="192.0.2.2")


def weighted_service(identifier: str, namespace: str, address: str | None) -> dict[str, object]:
    routed = {"set-identifier": identifier, "aws-weight": "50"}
    return service("web", namespace=namespace, address=address, annotations=routed)


def list_weighted(world: ClusterWorld) -> dict[str, tuple[str, ...]]:
    found = world.provider.contents(ZONE)
    return {key.set_identifier: one.targets for key, one in found.items() if key.type == "A"}


def test_the_name_points_to_the_kubernetes_service_that_still_has_an_address() -> None:
    world = start_cluster(ONE, TWO)
    assert world.list_records() == {"web A": ("192.0.2.1", "192.0.2.2")}
    world.apply(service("two", host="web.example.org", address=None), for_s=HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.apply(service("one", host="web.example.org", address=None), for_s=HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}, "no Service has an address: the record stays"
    world.apply(ONE, TWO, for_s=5.0)
    assert world.list_records() == {"web A": ("192.0.2.1", "192.0.2.2")}


def test_the_weighted_record_of_a_canary_without_address_stays() -> None:
    world = start_cluster(
        weighted_service("stable", "blue", "192.0.2.1"), weighted_service("canary", "green", "192.0.2.2")
    )
    world.apply(weighted_service("canary", "green", None), for_s=12 * HOUR_S)
    assert list_weighted(world) == {"stable": ("192.0.2.1",), "canary": ("192.0.2.2",)}
    after = world.restart(for_s=12 * HOUR_S)
    assert list_weighted(after) == {"stable": ("192.0.2.1",), "canary": ("192.0.2.2",)}


def test_with_compat_the_weighted_record_of_a_canary_without_address_is_deleted() -> None:
    world = start_cluster(
        weighted_service("stable", "blue", "192.0.2.1"), weighted_service("canary", "green", "192.0.2.2"), flags=COMPAT
    )
    world.apply(weighted_service("canary", "green", None), for_s=5.0)
    assert list_weighted(world) == {"stable": ("192.0.2.1",)}


def test_the_program_points_the_name_to_the_kubernetes_service_that_still_has_an_address(
    production: Production,
) -> None:
    production.apply(ONE, TWO)
    with production.process() as running:
        production.until(lambda: production.dns.records().get("web A") == ("192.0.2.1", "192.0.2.2"))
        production.apply(service("two", host="web.example.org", address=None))
        production.until(lambda: production.dns.records()["web A"] == ("192.0.2.1",))
        production.apply(service("one", host="web.example.org", address=None))
        production.wait_for_marker()
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.dns.records()["web A"] == ("192.0.2.1",)
        production.apply(ONE, TWO)
        production.until(lambda: production.dns.records()["web A"] == ("192.0.2.1", "192.0.2.2"))
