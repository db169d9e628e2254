"""A new version reads annotations with another prefix.

The objects have annotations with `external-dns.alpha.kubernetes.io/`, the new image reads only
`external-dns.kubernetes.io/`. All objects exist, but none requests a name. external-dns deletes all its records.

What must hold: without `--annotation-prefix` both prefixes are read and nothing is written. With the new prefix forced,
all deletes are held, at the first start and at each further one, and the settings digest is not accepted meanwhile.
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.builders import owned
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import OLD_PREFIX, PREFIX, numbered, services

FORCED = f"--annotation-prefix={PREFIX}"


def start_after_swap(count: int, *flags: str) -> ClusterWorld:
    """Start extdns without saved state on a zone that external-dns left, with *count* records."""
    names = numbered(count)
    left = [one for name in names for one in owned(name, resource=f"service/shop/{name}")]
    return start_cluster(
        *services(names, prefix=OLD_PREFIX), flags=flags, records=left, page_size=1000, for_s=2 * MINUTE_S
    )


def test_without_a_prefix_flag_annotations_with_the_old_prefix_are_read_and_nothing_is_written() -> None:
    world = start_after_swap(40)
    assert not world.provider.submissions
    assert world.list_decisions("h0000") == [("A", Action.KEEP, Reason.PUBLISHED)]


@pytest.mark.parametrize("count", [8, 2000])
def test_all_deletes_are_held_if_only_annotations_with_the_new_prefix_are_read(count: int) -> None:
    world = start_after_swap(count, FORCED)
    assert len(world.held_names()) == count
    assert world.list_decisions("h0000") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    assert not world.provider.submissions


def test_restarts_delete_no_record_if_only_annotations_with_the_new_prefix_are_read() -> None:
    world = start_after_swap(8, FORCED)
    for down_s in (0.0, 1.0, HOUR_S):
        world = world.restart(FORCED, down_s=down_s, for_s=30.0)
    world.run(for_s=3 * HOUR_S)
    assert len(world.published()) == 8
    assert not world.state_store.saved.find_zone("example.org").fingerprint


def test_accepted_settings_of_the_old_prefix_do_not_allow_deletes_under_the_new_prefix() -> None:
    before = start_cluster(*services(numbered(8), prefix=OLD_PREFIX))
    before.run(for_s=HOUR_S)
    assert before.state_store.saved.find_zone("example.org").fingerprint
    after = before.restart(FORCED, for_s=3 * HOUR_S)
    assert len(after.published()) == 8


def test_with_compat_the_new_prefix_deletes_all_records() -> None:
    assert start_after_swap(8, *COMPAT).published() == set()


def test_the_program_holds_all_deletes_if_only_annotations_with_the_new_prefix_are_read(production: Production) -> None:
    names = numbered(8)
    production.apply(*services(names, prefix=OLD_PREFIX))
    with production.process():
        production.until_published(*names)
    with production.process(FORCED) as running:
        running.until("Deletes are held", "count=8")
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.published() == set(names)
    with production.process():
        production.wait_for_marker()
        assert production.published() == set(names)
