"""`--namespace` is narrowed.

Somebody adds `--namespace=shop` to an installation that served all namespaces. external-dns deletes the records of all
other namespaces.

What must hold: a namespace that is not read is no evidence, so the deletes of its records are held until a person
approves them. If the flag is removed again, nothing has changed.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import numbered, services

SHOP, BLOG = numbered(20, "s"), numbered(20, "b")
ALL = [*services(SHOP), *services(BLOG, namespace="blog")]


def restart_with_namespace(*flags: str) -> ClusterWorld:
    before = start_cluster(*ALL, flags=flags)
    before.run(for_s=MINUTE_S)
    return before.restart("--namespace=shop", *flags, for_s=HOUR_S)


def test_deletes_are_held_when_the_namespace_flag_is_narrowed() -> None:
    world = restart_with_namespace()
    assert world.held_names() == set(BLOG)
    assert world.list_decisions(BLOG[0]) == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    assert not world.provider.submissions


def test_no_record_changed_after_the_namespace_flag_is_removed_again() -> None:
    world = restart_with_namespace().restart(for_s=HOUR_S)
    assert not world.provider.submissions
    assert world.held_names() == set()


def test_approved_deletes_are_made_and_the_new_settings_digest_is_saved() -> None:
    world = restart_with_namespace()
    accepted = world.state_store.saved.find_zone("example.org").fingerprint
    world.approve()
    world.run(for_s=MINUTE_S)
    assert world.published() == set(SHOP)
    assert world.state_store.saved.find_zone("example.org").fingerprint not in {"", accepted}


def test_with_compat_records_of_other_namespaces_are_deleted() -> None:
    assert restart_with_namespace(*COMPAT).published() == set(SHOP)


def test_the_program_holds_deletes_when_the_namespace_flag_is_narrowed(production: Production) -> None:
    production.apply(*services(SHOP[:9]), *services(BLOG[:9], namespace="blog"))
    with production.process():
        production.until_published(*SHOP[:9], *BLOG[:9])
    with production.process("--namespace=shop") as running:
        running.until("Deletes are held", "count=9")
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.published() == {*SHOP[:9], *BLOG[:9]}
