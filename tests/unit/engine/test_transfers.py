"""A name passes to another namespace once its object is gone (docs/design/delete-safety.md)."""

from __future__ import annotations

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.model.change import Action
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, host, observe, observe_gone, owned
from tests.world import build_world, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0)
WEB_KEY = ObjectKey(SERVICE, "shop", "web")
REQUESTED_IN_OTHER = observe("new", build_claim("new", "web", "192.0.2.9", namespace="other"), namespace="other")


def test_a_name_passes_to_another_namespace_if_its_object_was_deleted_before_the_start() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert world.decision("web").reason is Reason.PUBLISHED


def test_a_name_stays_with_its_namespace_until_a_get_confirms_that_its_object_is_gone() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: None
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in world.engine.decisions.decisions(host("web"))} == {Reason.ABSENCE_UNCONFIRMED}
    world.exists = lambda _: False
    world.run(for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_a_name_stays_with_its_namespace_while_repeated_gets_find_its_object() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: True
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=200.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.exists = lambda _: False
    world.run(for_s=400.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_the_a_and_the_aaaa_record_of_one_name_can_belong_to_different_namespaces() -> None:
    world = start_world(
        first=[
            observe("web", build_claim("web", "web", "192.0.2.1")),
            observe(
                "new", build_claim("new", "web", "2001:db8::9", rtype="AAAA", namespace="other"), namespace="other"
            ),
        ],
        deletes=GRACE,
    )
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::9",)}
    world.run(observe_gone("web"), for_s=59.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::9",)}, (
        "the grace period is not over"
    )
    world.run(for_s=10.0)
    assert world.list_records() == {"web AAAA": ("2001:db8::9",)}


def test_a_name_with_a_held_delete_passes_to_another_namespace_that_requests_it() -> None:
    none_free = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(count=0, percent=0))
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))], deletes=none_free)
    world.run(observe_gone("web"), for_s=120.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD)]
    world.run(REQUESTED_IN_OTHER, for_s=120.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
