"""Objects of two namespaces request one hostname.

A team copies an Ingress of another team with its hostname. external-dns merges the targets: half of the visitors reach
the wrong pods, without a message. When one object is deleted, its targets disappear.

What must hold: the namespace that holds the name keeps it, and the other one gets a reason. When the first object is
deleted, the name is transferred after the grace period and never missing. A record that external-dns merged stays until
one object changes.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.builders import ZONE
from tests.cluster_world import COMPAT, HOUR_S, key_of, start_cluster
from tests.fakes.state_store import MemoryStateStore
from tests.incidents.production import Production
from tests.objects import numbered, service, services

OURS = service("web", namespace="blue")
THEIRS = service("web", namespace="green", address="192.0.2.2", created="2025-01-01T00:00:00Z")


def test_the_object_whose_record_exists_keeps_the_name_although_the_object_of_the_other_namespace_is_older() -> None:
    world = start_cluster(OURS)
    world.apply(THEIRS, for_s=HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert ("A", Action.NONE, Reason.REQUESTED_BY_OTHER) in world.list_decisions("web")
    assert world.restart(for_s=HOUR_S).list_records() == {"web A": ("192.0.2.1",)}


def test_the_name_of_a_deleted_object_passes_to_the_other_namespace_after_the_grace_period_without_a_delete() -> None:
    world = start_cluster(OURS)
    world.apply(THEIRS)
    world.delete(OURS, for_s=59.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.run(for_s=5.0)
    assert world.list_records() == {"web A": ("192.0.2.2",)}
    assert not world.deleted()


def test_a_name_passes_to_the_other_namespace_if_the_object_that_had_it_was_deleted_while_extdns_was_down() -> None:
    world = start_cluster(OURS)
    world.objects.clear()
    world.objects[key_of(THEIRS)] = THEIRS
    after = world.restart(for_s=120.0)
    assert after.list_records() == {"web A": ("192.0.2.2",)}
    assert not after.deleted()


def test_the_record_of_a_deleted_object_stays_until_the_object_of_the_other_namespace_has_an_address() -> None:
    world = start_cluster(OURS)
    world.objects.clear()
    blank = service("web", namespace="green", address=None)
    world.objects[key_of(blank)] = blank
    after = world.restart(for_s=HOUR_S)
    assert after.list_records() == {"web A": ("192.0.2.1",)}
    after.apply(THEIRS, for_s=120.0)
    assert after.list_records() == {"web A": ("192.0.2.2",)}


def test_20_names_are_transferred_although_20_deletes_would_be_held() -> None:
    names = numbered(40)
    world = start_cluster(*services(names[:20], namespace="blue"), *services(names[20:], namespace="rest"), for_s=60.0)
    world.apply(*services(names[:20], namespace="green", address="192.0.2.2"))
    world.delete(*services(names[:20], namespace="blue"), for_s=59.0)
    assert not world.code
    world.run(for_s=5.0)
    assert {world.list_records()[f"{name} A"] for name in names[:20]} == {("192.0.2.2",)}
    assert not world.deleted()


def test_a_name_does_not_pass_to_the_other_namespace_while_the_object_that_has_it_lacks_an_address() -> None:
    world = start_cluster(OURS)
    world.apply(THEIRS, service("web", namespace="blue", address=None), for_s=12 * HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_a_record_with_targets_merged_by_external_dns_is_kept_as_it_is() -> None:
    before = start_cluster(OURS, THEIRS, flags=COMPAT)
    assert before.list_records() == {"web A": ("192.0.2.1", "192.0.2.2")}, (
        "external-dns merges the targets of both namespaces"
    )
    before.state_store = MemoryStateStore()
    after = before.restart(for_s=HOUR_S)
    assert not after.provider.submissions
    later = after.restart(for_s=HOUR_S).restart(for_s=HOUR_S)
    assert not later.provider.submissions
    assert ("A", Action.KEEP, Reason.MERGED_BEFORE) in later.list_decisions("web")
    later.apply(service("web", namespace="green", address="192.0.2.3"), for_s=HOUR_S)
    assert later.list_records() == {"web A": ("192.0.2.1",)}
    assert later.state_store.saved.find_zone(ZONE.id).merged == ()


def test_the_program_passes_a_name_to_the_other_namespace_only_after_the_object_that_had_it_is_deleted(
    production: Production,
) -> None:
    production.apply(OURS)
    with production.process() as running:
        production.until_published("web")
        production.apply(THEIRS)
        production.wait_for_marker()
        assert production.dns.records()["web A"] == ("192.0.2.1",)
        production.delete(OURS)
        production.wait_for_marker()
        running.pass_time(61.0)
        production.until(lambda: production.dns.records()["web A"] == ("192.0.2.2",))
        production.dns.check_ownership()
