"""Objects from another cluster than the saved state belongs to (docs/design/delete-safety.md, "Which cluster?")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.inputs import Cause, ClusterIdentified, Input
from extdns.model.change import Action
from extdns.model.cluster import ClusterIdentity
from extdns.model.reason import Reason
from tests.builders import INGRESS, SERVICE, change_phase, observe_gone, observe_new, owned
from tests.world import World, build_world

DELETES = DeleteSettings(owner="me", grace_s=60.0)
NAMES = ["api", "web"]
RECORDS = [one for name in NAMES for one in owned(name, resource=f"service/shop/{name}")]
BLUE = ClusterIdentity(uid="blue")
GREEN = ClusterIdentity(uid="green")


def start_in(cluster: ClusterIdentity, *names: str, before: World | None = None) -> World:
    """Return a process that reads the Services *names* from *cluster*, with the state that *before* saved."""
    world = build_world(*RECORDS, deletes=DELETES, has_state_store=True)
    if before:
        world.state, world.now_s = before.state, before.now_s
    world.run(
        ClusterIdentified(identity=cluster),
        observe_new(*names),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=1.0,
    )
    return world


def start_and_save(cluster: ClusterIdentity = BLUE) -> World:
    world = start_in(cluster, *NAMES)
    world.run(for_s=30.0)
    return world


def start_in_other_cluster() -> World:
    """Return a process in another cluster, in which `web` has another address and `api` is missing."""
    world = start_in(GREEN, before=start_and_save())
    world.run(observe_new("web", "fresh", target="192.0.2.9"), observe_gone("api", Cause.MISSING), for_s=3600.0)
    return world


def test_updates_and_deletes_are_held_while_objects_come_from_another_cluster() -> None:
    world = start_in_other_cluster()
    assert world.list_records() == {
        "api A": ("192.0.2.1",),
        "fresh A": ("192.0.2.9",),
        "web A": ("192.0.2.1",),
    }
    assert {*world.list_decisions("web"), *world.list_decisions("api")} == {("A", Action.KEEP, Reason.OTHER_CLUSTER)}
    assert world.state.other_cluster == world.engine.delete_guard.cluster.other_id == GREEN.id
    assert world.state.cluster == BLUE


def test_id_is_saved_even_if_nothing_else_changes() -> None:
    world = start_in(GREEN, *NAMES, before=start_and_save())
    world.run(for_s=30.0)
    assert world.state.other_cluster == GREEN.id
    world.run(ClusterIdentified(identity=BLUE), for_s=30.0)
    assert world.state.other_cluster == ""


def test_updates_and_deletes_are_made_after_a_person_accepted_the_cluster() -> None:
    world = start_in_other_cluster()
    world.approvals = (GREEN.id,)
    world.run(for_s=120.0)
    assert world.list_records() == {"fresh A": ("192.0.2.9",), "web A": ("192.0.2.9",)}
    seen = world.engine.delete_guard.cluster.other_id
    assert (world.state.cluster, world.state.other_cluster, seen) == (GREEN, "", "")


def test_accepted_by_a_flag() -> None:
    before = start_and_save()
    world = start_in(GREEN, *NAMES, before=before)
    assert world.engine.delete_guard.cluster.other_id == GREEN.id
    settings = DeleteSettings(owner="me", grace_s=60.0, accepted_clusters=(GREEN.id,))
    world = build_world(deletes=settings, has_state_store=True)
    world.state, world.now_s = before.state, before.now_s
    world.run(ClusterIdentified(identity=GREEN), change_phase(SERVICE), change_phase(INGRESS), for_s=30.0)
    assert world.state.cluster == GREEN


def test_newly_known_part_is_added_to_the_saved_identity() -> None:
    after = start_in(ClusterIdentity(authority="ca"), *NAMES, before=start_and_save())
    after.run(for_s=30.0)
    assert after.state.cluster == ClusterIdentity(uid="blue", authority="ca")


WITH_TIMEOUT = replace(DELETES, identity_timeout_s=30.0)


def start_unidentified(before: World, *, once: bool = False) -> World:
    """Return a process after *before* that has not identified its cluster; `web` has another address."""
    world = build_world(*RECORDS, deletes=WITH_TIMEOUT, has_state_store=True, once=once)
    world.state, world.now_s = before.state, before.now_s
    world.run(
        observe_new("web", "fresh", target="192.0.2.9"),
        observe_new("api"),
        change_phase(SERVICE),
        change_phase(INGRESS),
        for_s=10.0,
    )
    return world


MOVED = {"api A": ("192.0.2.1",), "fresh A": ("192.0.2.9",), "web A": ("192.0.2.9",)}


@pytest.mark.parametrize("once", [False, True], ids=["live", "once"])
def test_only_creates_are_made_before_the_cluster_is_identified(*, once: bool) -> None:
    world = start_unidentified(start_and_save(), once=once)
    assert world.list_records() == {**MOVED, "web A": ("192.0.2.1",)}, "only creates"
    assert not world.engine.is_planned
    world.run(ClusterIdentified(identity=GREEN))
    assert world.list_records() == {**MOVED, "web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OTHER_CLUSTER)]


@pytest.mark.parametrize("inputs", [[ClusterIdentified(identity=BLUE)], []], ids=["identified", "timeout"])
def test_updates_wait_until_the_saved_cluster_is_identified_or_20_seconds(inputs: list[Input]) -> None:
    world = start_unidentified(start_and_save())
    assert world.list_records() == {**MOVED, "web A": ("192.0.2.1",)}
    world.run(*inputs, for_s=5.0 if inputs else 20.0)
    assert world.engine.is_planned
    assert world.list_records() == MOVED


def test_detail_of_delete_says_that_it_waits_for_the_identity() -> None:
    world = start_unidentified(start_and_save())
    world.run(observe_gone("web"))
    assert world.decision("web").reason is Reason.IN_GRACE
    assert world.decision("web").detail == "no delete is made before it is known which cluster the objects come from"
    world.run(ClusterIdentified(identity=BLUE))
    assert world.decision("web").reason is Reason.IN_GRACE
    assert world.decision("web").detail == ""


def test_updates_do_not_wait_if_the_saved_state_names_no_cluster() -> None:
    assert start_unidentified(start_and_save(ClusterIdentity())).list_records() == MOVED


def test_updates_wait_until_the_saved_state_is_loaded() -> None:
    before = start_and_save()
    world = build_world(*RECORDS, deletes=DELETES, has_state_store=True)
    world.state, world.now_s = before.state, before.now_s
    world.state_fails, world.state_forbidden = 2, False
    world.run(
        ClusterIdentified(identity=GREEN),
        observe_new("web", target="192.0.2.9"),
        change_phase(SERVICE),
        change_phase(INGRESS),
    )
    assert world.list_records() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OTHER_CLUSTER)]
