"""A record stays while a list lacks an object that requested it and exists, whichever object it was made for.

See docs/design/delete-safety.md, "Evidence".
"""

from __future__ import annotations

from typing import Final

import pytest

from extdns.model.change import Action
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from tests.builders import owned
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import service

HOST: Final = "web.example.org"
FIRST: Final = service("api", HOST, created="2025-01-01T00:00:00Z")
SECOND: Final = service("web", HOST)
FLAGS: Final = ("--max-delete-percent=100",)


def assert_that_it_stays(world: ClusterWorld) -> None:
    """Assert that the record `web` stays for a quarter of an hour, until a GET finds that its requester is gone."""
    world.run(for_s=900.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ABSENCE_UNCONFIRMED)]
    world.objects.clear()
    world.run(for_s=900.0)
    assert "web" not in world.published()


@pytest.mark.parametrize("is_missing_first", [pytest.param(True, id="missing-first"), pytest.param(False, id="last")])
@pytest.mark.parametrize("is_deleted", [pytest.param(True, id="deleted"), pytest.param(False, id="another-hostname")])
def test_a_record_stays_after_its_object_ended_while_a_list_lacks_another_object_that_requested_it(
    *, is_missing_first: bool, is_deleted: bool
) -> None:
    world = start_cluster(FIRST, SECOND, flags=FLAGS)
    assert world.decision("web").current.resource == "service/shop/api"  # type: ignore[union-attr]
    if is_missing_first:
        world.drop_from_list(SECOND)
    if is_deleted:
        world.delete(FIRST)
    else:
        world.apply(service("api"))
    if not is_missing_first:
        world.drop_from_list(SECOND)
    assert_that_it_stays(world)


@pytest.mark.parametrize(
    "others", [pytest.param((), id="gone"), pytest.param((service("old"),), id="requests-another")]
)
def test_a_record_that_was_made_for_a_former_object_stays_while_a_list_lacks_the_object_that_requested_it_since(
    others: tuple[dict[str, object], ...],
) -> None:
    world = start_cluster(SECOND, *others, flags=FLAGS, records=owned("web", resource="service/shop/old"))
    world.run(for_s=700.0)
    world.drop_from_list(SECOND)
    assert_that_it_stays(world)


def test_the_absence_of_a_former_requester_is_confirmed_before_the_grace_period_of_a_delete_begins() -> None:
    world = start_cluster(FIRST, SECOND, flags=FLAGS)
    world.drop_from_list(SECOND, exist=False)
    world.delete(FIRST, for_s=119.0)
    assert world.published() == {"web"}
    world.run(for_s=5.0)
    assert world.evidence == [Evidence.OBJECT_DELETED]
