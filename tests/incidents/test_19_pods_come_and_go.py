"""A headless Service is scaled to zero, or its pods come and go every second.

A StatefulSet crashes in a loop, or a job controller replaces its pods all the time, and in the evening somebody scales
it to zero.

What must hold: a complete list without pods is evidence, so the record is deleted after the grace period. While pods
come and go the record stays, and the zone is not written every second.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from tests.cluster_world import COMPAT, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import CREATED, Json, service

HEADLESS = service("db", address=None, type="ClusterIP", clusterIP="None", selector={"app": "db"})


def pod(name: str, address: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": name,
            "creationTimestamp": CREATED,
            "labels": {"app": "db"},
        },
        "spec": {"containers": [{"name": "c", "image": "c"}], "hostname": ""},
        "status": {
            "phase": "Running",
            "podIP": address,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def endpoints(*addresses: str) -> Json:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": "db-1",
            "namespace": "shop",
            "uid": "db-1",
            "labels": {"kubernetes.io/service-name": "db"},
        },
        "addressType": "IPv4",
        "endpoints": [
            {
                "addresses": [address],
                "conditions": {"ready": True},
                "targetRef": {"kind": "Pod", "namespace": "shop", "name": f"db-{number}"},
            }
            for number, address in enumerate(addresses)
        ],
    }


def scale(world: ClusterWorld, *addresses: str, for_s: float = 1.0) -> None:
    """Replace all pods of the Service by pods at *addresses*."""
    now = [pod(f"db-{number}", address) for number, address in enumerate(addresses)]
    names = {one["metadata"]["name"] for one in now}
    world.delete(
        *(one for key, one in list(world.objects.items()) if key.kind.name == "Pod" and key.name not in names),
        for_s=0.0,
    )
    world.apply(*now, endpoints(*addresses), for_s=for_s)


def start_scene() -> ClusterWorld:
    return start_cluster(HEADLESS, pod("db-0", "10.0.0.7"), endpoints("10.0.0.7"))


def test_the_record_of_a_service_scaled_to_zero_is_deleted_after_the_grace_period() -> None:
    world = start_scene()
    assert world.list_records() == {"db A": ("10.0.0.7",)}
    scale(world, for_s=58.0)
    assert ("A", Action.KEEP, Reason.IN_GRACE) in world.list_decisions("db")
    world.run(for_s=5.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.NO_ENDPOINTS]
    scale(world, "10.0.0.8", for_s=5.0)
    assert world.list_records() == {"db A": ("10.0.0.8",)}


def test_pods_that_change_every_second_cause_few_writes_and_no_delete() -> None:
    world = start_scene()
    before = len(world.provider.submissions)
    for second in range(300):
        scale(world, *([f"10.0.1.{second % 200}"] if second % 3 else []))
    assert not world.deleted()
    assert len(world.provider.submissions) - before <= 65, (
        "after three writes within a minute, at most one every five seconds"
    )
    scale(world, "10.0.2.1", for_s=10.0)
    assert world.list_records() == {"db A": ("10.0.2.1",)}


def test_with_compat_the_record_is_deleted_after_one_second_without_a_pod() -> None:
    world = start_cluster(HEADLESS, pod("db-0", "10.0.0.7"), endpoints("10.0.0.7"), flags=COMPAT)
    scale(world)
    assert world.list_records() == {}


def test_the_program_keeps_the_record_during_the_grace_period_without_pods_and_then_deletes_it(
    production: Production,
) -> None:
    production.apply(HEADLESS, pod("db-0", "10.0.0.7"), endpoints("10.0.0.7"))
    with production.process() as running:
        production.until(lambda: production.dns.records().get("db A") == ("10.0.0.7",))
        production.apply(endpoints())
        production.wait_for_marker()
        running.pass_time(MINUTE_S - 10.0)
        production.wait_for_marker()
        assert production.dns.records()["db A"] == ("10.0.0.7",)
        production.apply(pod("db-0", "10.0.0.8"), endpoints("10.0.0.8"))
        production.until(lambda: production.dns.records()["db A"] == ("10.0.0.8",))
        production.apply(endpoints())
        production.wait_for_marker()

        def is_deleted() -> bool:
            running.pass_time(5.0)  # again and again, since the marker may be seen before the endpoints are
            return "db A" not in production.dns.records()

        production.until(is_deleted)
        production.dns.check_ownership()
