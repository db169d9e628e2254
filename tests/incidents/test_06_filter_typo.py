"""A label filter has a typo.

With `--label-filter=team=shpo` instead of `team=shop`, no object is selected. external-dns lists only matching objects,
gets an empty list, and deletes everything.

What must hold: objects that a filter excludes when first seen are no evidence. The deletes of their records are held
until the typo is corrected, after which nothing has changed, or until a person approves them.
"""

from __future__ import annotations

from extdns.model.evidence import Evidence
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import numbered, service, services

NAMES = numbered(40)
SHOP = {"team": "shop"}
RIGHT, MISTYPED = "--label-filter=team=shop", "--label-filter=team=shpo"


def restart_with_typo(*flags: str) -> ClusterWorld:
    before = start_cluster(*services(NAMES, labels=SHOP), flags=[RIGHT, *flags])
    before.run(for_s=MINUTE_S)
    return before.restart(MISTYPED, *flags, for_s=HOUR_S)


def test_all_deletes_are_held_after_a_start_with_a_mistyped_label_filter() -> None:
    world = restart_with_typo()
    assert world.held_names() == set(NAMES)
    assert not world.provider.submissions


def test_no_record_changed_and_no_delete_is_held_after_the_typo_is_corrected() -> None:
    world = restart_with_typo().restart(RIGHT, for_s=HOUR_S)
    assert not world.provider.submissions
    assert world.held_names() == set()


def test_all_records_are_deleted_after_a_person_approved_the_held_deletes() -> None:
    world = restart_with_typo()
    world.approve()
    assert world.published() == set()


def test_the_record_of_one_object_that_loses_its_label_is_deleted() -> None:
    world = start_cluster(*services(NAMES, labels=SHOP), flags=[RIGHT])
    world.apply(service(NAMES[0], labels={"team": "blog"}), for_s=2 * MINUTE_S)
    assert world.published() == set(NAMES[1:])
    assert world.evidence == [Evidence.FILTERED_OUT]


def test_with_compat_a_mistyped_label_filter_deletes_all_records() -> None:
    assert restart_with_typo(*COMPAT).published() == set()


def test_the_program_holds_all_deletes_with_a_mistyped_label_filter(production: Production) -> None:
    production.apply(*services(NAMES[:14], labels=SHOP))
    with production.process(RIGHT):
        production.until_published(*NAMES[:14])
    with production.process(MISTYPED) as running:
        running.until("Deletes are held", "count=14")
        running.pass_time(HOUR_S)
        production.wait_for_marker(labels={"team": "shpo"})
        assert production.published() == set(NAMES[:14])
