"""Targets of objects that are missing from a list stay until a GET confirms that the object is gone.

See docs/design/delete-safety.md, "Evidence".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observed
from extdns.model.change import Action
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from tests.builders import PLAN, PODS, build_claim, observe, observe_gone, owned
from tests.cluster_world import start_cluster
from tests.objects import node, service
from tests.world import World, start_world

POD = ObjectKey(PODS, "shop", "web-1")
GRACE = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
BOTH = ("192.0.2.1", "192.0.2.2")


def start_with_pods(**changes: object) -> World:
    """Start an engine in whose zone the Service `web` has a record with the addresses of two Pods."""
    return start_world(*owned("web", *BOTH), first=[observe_pods(*BOTH)], deletes=GRACE, **changes)


def observe_pods(*targets: str, missing: tuple[ObjectKey, ...] = ()) -> Observed:
    """Build the observation that `web` has *targets* after a change of its Pods, of which lists lack *missing*."""
    return observe("web", build_claim("web", "web", *targets), cause=Cause.DEPENDENCY, missing_dependencies=missing)


def start_with_services() -> World:
    """Start an engine in whose zone two Services requested one address each of the record `web`."""
    first = [observe("api", build_claim("api", "web", BOTH[0])), observe("web", build_claim("web", "web", BOTH[1]))]
    return start_world(*owned("web", *BOTH, resource="service/shop/api"), first=first, deletes=GRACE)


class Loss(NamedTuple):
    """How a world starts that publishes two addresses, and what is observed about an object that has one of them."""

    start: Callable[[], World]
    missing: Observed
    returned: Observed
    deleted: Observed
    left: str = BOTH[0]


API, WEB = build_claim("api", "web", BOTH[0]), build_claim("web", "web", BOTH[1])
LOSSES = pytest.mark.parametrize(
    "loss",
    [
        Loss(start_with_pods, observe_pods(BOTH[0], missing=(POD,)), observe_pods(*BOTH), observe_pods(BOTH[0])),
        Loss(start_with_services, observe_gone("web", Cause.MISSING), observe("web", WEB), observe_gone("web")),
        Loss(
            start_with_services, observe_gone("api", Cause.MISSING), observe("api", API), observe_gone("api"), BOTH[1]
        ),
    ],
    ids=["pod", "object", "object-that-the-ownership-record-names"],
)


@LOSSES
def test_address_stays_until_a_get_confirms_that_its_object_is_gone(loss: Loss) -> None:
    world = loss.start()
    world.run(loss.missing, for_s=59.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    assert world.list_records() == {"web A": BOTH}
    world.run(for_s=2.0)
    assert world.list_records() == {"web A": (loss.left,)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


@LOSSES
def test_address_stays_while_a_get_finds_its_object(loss: Loss) -> None:
    world = loss.start()
    world.exists = lambda _: True
    world.run(loss.missing, for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    world.run(loss.returned, for_s=5.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]
    assert not world.provider.submissions


@LOSSES
def test_address_is_removed_at_once_when_its_object_is_observed_as_deleted(loss: Loss) -> None:
    world = loss.start()
    world.run(loss.deleted, for_s=1.0)
    assert world.list_records() == {"web A": (loss.left,)}


def test_address_of_an_unlisted_node_stays_until_a_get_confirms_that_it_is_gone() -> None:
    nodes = [node(f"n{number}", address) for number, address in enumerate(BOTH)]
    world = start_cluster(service("web", type="NodePort", clusterIP="10.0.0.1"), *nodes)
    world.drop_from_list(nodes[1], exist=False, for_s=59.0)
    assert world.decision("web").reason is Reason.ABSENCE_UNCONFIRMED
    assert world.list_records() == {"web A": BOTH}
    world.run(for_s=2.0)
    assert world.list_records() == {"web A": BOTH[:1]}
    world.apply(nodes[1])
    assert world.list_records() == {"web A": BOTH}
    world.delete(nodes[1])
    assert world.list_records() == {"web A": BOTH[:1]}


def test_address_is_removed_at_once_when_an_unlisted_pod_proves_deleted() -> None:
    world = start_with_pods()
    world.run(observe_pods(BOTH[0], missing=(POD,)), for_s=5.0)
    world.run(observe_pods(BOTH[0]), for_s=1.0)
    assert world.list_records() == {"web A": BOTH[:1]}


def test_new_address_is_published_at_once_while_a_pod_is_missing() -> None:
    world, new = start_with_pods(), (BOTH[0], "192.0.2.3")
    world.run(observe_pods(*new, missing=(POD,)), for_s=1.0)
    assert world.list_records() == {"web A": new}


def test_address_of_missing_pod_is_removed_at_once_with_compat() -> None:
    world = start_with_pods(plan=replace(PLAN, compat=True))
    world.run(observe_pods(BOTH[0], missing=(POD,)), for_s=1.0)
    assert world.list_records() == {"web A": BOTH[:1]}
