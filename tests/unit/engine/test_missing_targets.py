"""Targets of objects that are missing from a list stay until a GET confirms that the object is gone.

See docs/design/delete-safety.md, "Evidence".
"""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause
from extdns.model.change import Action
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.planner.settings import PlanSettings
from tests.builders import PODS, SERVICE, build_claim, build_unresolved, observe, observe_gone, owned
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import Json, service
from tests.world import World, start_world

POD = ObjectKey(PODS, "shop", "web-1")
GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
BOTH = ("192.0.2.1", "192.0.2.2")


def start_with_pods(**changes: object) -> World:
    """Start an engine in whose zone the Service `web` has a record with the addresses of two Pods."""
    return start_world(
        *owned("web", *BOTH), first=[observe("web", build_claim("web", "web", *BOTH))], deletes=GRACE, **changes
    )


def start_with_services() -> World:
    """Start an engine in whose zone two Services requested one address each of the record `web`."""
    first = [observe("api", build_claim("api", "web", BOTH[0])), observe("web", build_claim("web", "web", BOTH[1]))]
    return start_world(*owned("web", *BOTH, resource="service/shop/api"), first=first, deletes=GRACE)


def test_an_address_stays_until_a_get_confirms_that_its_pod_is_gone() -> None:
    world = start_with_pods()
    world.run(
        observe("web", build_claim("web", "web", BOTH[0]), cause=Cause.DEPENDENCY, missing_dependencies=(POD,)),
        for_s=59.0,
    )
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    assert world.list_records() == {"web A": BOTH}
    world.run(for_s=2.0)
    assert world.list_records() == {"web A": BOTH[:1]}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_an_address_stays_while_a_get_finds_its_pod() -> None:
    world = start_with_pods()
    world.exists = lambda key: key == POD
    world.run(
        observe("web", build_claim("web", "web", BOTH[0]), cause=Cause.DEPENDENCY, missing_dependencies=(POD,)),
        for_s=900.0,
    )
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    world.run(observe("web", build_claim("web", "web", *BOTH), cause=Cause.DEPENDENCY), for_s=5.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert not world.provider.submissions


def node(name: str, address: str) -> Json:
    """Return a Node with an external address."""
    status = {"addresses": [{"type": "ExternalIP", "address": address}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}, "spec": {}, "status": status}


def start_with_nodes() -> ClusterWorld:
    """Start a process that publishes the addresses of two Nodes for a Service of type NodePort."""
    nodes = [node(f"n{number}", address) for number, address in enumerate(BOTH)]
    world = start_cluster(service("web", type="NodePort", clusterIP="10.0.0.1"), *nodes)
    assert world.list_records() == {"web A": BOTH}
    return world


def test_the_address_of_a_node_that_a_list_lacks_stays_until_a_get_confirms_that_the_node_is_gone() -> None:
    world = start_with_nodes()
    world.drop_from_list(node("n1", BOTH[1]), exist=False, for_s=59.0)
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED
    assert world.list_records() == {"web A": BOTH}
    world.run(for_s=2.0)
    assert world.list_records() == {"web A": BOTH[:1]}


def test_the_address_of_a_node_that_a_list_lacks_stays_while_a_get_finds_the_node() -> None:
    world = start_with_nodes()
    world.drop_from_list(node("n1", BOTH[1]), for_s=900.0)
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED
    assert world.list_records() == {"web A": BOTH}


def test_the_address_of_a_node_is_removed_at_once_when_the_node_is_observed_as_deleted() -> None:
    world = start_with_nodes()
    world.delete(node("n1", BOTH[1]))
    assert world.list_records() == {"web A": BOTH[:1]}


def test_an_address_is_removed_at_once_when_its_pod_is_observed_as_deleted() -> None:
    world = start_with_pods()
    world.run(observe("web", build_claim("web", "web", BOTH[0]), cause=Cause.DEPENDENCY), for_s=1.0)
    assert world.list_records() == {"web A": BOTH[:1]}


def test_removed_at_once_when_an_unlisted_pod_turns_out_to_be_deleted() -> None:
    world = start_with_pods()
    world.run(
        observe("web", build_claim("web", "web", BOTH[0]), cause=Cause.DEPENDENCY, missing_dependencies=(POD,)),
        for_s=5.0,
    )
    world.run(observe("web", build_claim("web", "web", BOTH[0]), cause=Cause.DEPENDENCY), for_s=1.0)
    assert world.list_records() == {"web A": BOTH[:1]}


def test_new_address_is_published_at_once_while_a_pod_is_missing() -> None:
    world = start_with_pods()
    new = (BOTH[0], "192.0.2.3")
    world.run(
        observe("web", build_claim("web", "web", *new), cause=Cause.DEPENDENCY, missing_dependencies=(POD,)), for_s=1.0
    )
    assert world.list_records() == {"web A": new}


@pytest.mark.parametrize("missing", ["api", "web"])
def test_the_address_of_one_of_two_objects_stays_until_a_get_confirms_that_the_object_is_gone(missing: str) -> None:
    world = start_with_services()
    world.run(observe_gone(missing, Cause.MISSING), for_s=59.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    assert world.list_records() == {"web A": BOTH}
    world.run(for_s=2.0)
    assert world.list_records() == {"web A": (BOTH[missing == "api"],)}


def test_the_address_of_one_of_two_objects_stays_while_a_get_finds_the_object() -> None:
    world = start_with_services()
    world.exists = lambda key: key == ObjectKey(SERVICE, "shop", "web")
    world.run(observe_gone("web", Cause.MISSING), for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    world.run(observe("web", build_claim("web", "web", BOTH[1])), for_s=5.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert not world.provider.submissions


def test_the_address_of_one_of_two_objects_is_removed_at_once_when_the_object_is_deleted() -> None:
    world = start_with_services()
    world.run(observe_gone("web"), for_s=1.0)
    assert world.list_records() == {"web A": BOTH[:1]}


def test_address_of_missing_pod_is_removed_at_once_with_compat() -> None:
    plan = PlanSettings(owner="me", source_order=("service", "ingress"), compat=True)
    world = start_with_pods(plan=plan)
    world.run(
        observe("web", build_claim("web", "web", BOTH[0]), cause=Cause.DEPENDENCY, missing_dependencies=(POD,)),
        for_s=1.0,
    )
    assert world.list_records() == {"web A": BOTH[:1]}


def test_results_of_checks_are_dropped_when_no_decision_needs_them() -> None:
    world = start_with_services()
    world.run(observe_gone("web", Cause.MISSING), for_s=900.0)
    checks = world.engine._checks
    assert not checks._exists
    assert not checks.scheduled
    assert not checks.under_way
    assert not world.engine.claims._ended


def test_record_of_unlisted_object_stays_though_another_type_is_requested() -> None:
    ipv6 = build_claim("api", "web", "2001:db8::1", rtype="AAAA")
    records = (*owned("web"), *owned("web", "2001:db8::1", rtype="AAAA", resource="service/shop/api"))
    world = start_world(
        *records, first=[observe("web", build_claim("web", "web")), observe("api", ipv6)], deletes=GRACE
    )
    world.run(observe_gone("web", Cause.MISSING), for_s=59.0)
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED),
        ("AAAA", Action.KEEP, Reason.PUBLISHED),
    ]
    world.run(for_s=2.0)
    assert world.evidence == [Evidence.ABSENT]


def test_record_of_deleted_object_keeps_its_grace_though_another_type_is_wanted() -> None:
    ipv6 = build_claim("api", "web", "2001:db8::1", rtype="AAAA")
    records = (*owned("web"), *owned("web", "2001:db8::1", rtype="AAAA", resource="service/shop/api"))
    world = start_world(
        *records, first=[observe("web", build_claim("web", "web")), observe("api", ipv6)], deletes=GRACE
    )
    world.run(observe_gone("web"), for_s=59.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.IN_GRACE), ("AAAA", Action.KEEP, Reason.PUBLISHED)]
    world.run(for_s=2.0)
    assert world.evidence == [Evidence.OBJECT_DELETED]


def test_unresolved_claim_keeps_record_though_another_type_is_requested() -> None:
    ipv6 = build_claim("api", "web", "2001:db8::1", rtype="AAAA")
    records = (*owned("web"), *owned("web", "2001:db8::1", rtype="AAAA", resource="service/shop/api"))
    world = start_world(
        *records, first=[observe("web", build_claim("web", "web")), observe("api", ipv6)], deletes=GRACE
    )
    world.run(observe("new", build_unresolved("new", "web")), observe_gone("web"), for_s=600.0)
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.NO_ADDRESS),
        ("AAAA", Action.KEEP, Reason.PUBLISHED),
    ]
