"""A hold stays with its record, although the record was edited or cannot be planned when the hold is restored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from extdns.model import rrtype
from extdns.model.change import Action
from extdns.model.reason import Reason
from extdns.model.zone import ZoneList
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, observe, observe_new, owned, record
from tests.unit.engine.forty_services import DELETES, NAMES, run_forty
from tests.world import World, build_world

HELD: Final = NAMES[0]
UNREADABLE: Final = record(f"a-{HELD}", "line 12 is not valid", rtype=rrtype.UNREADABLE, ttl_s=0)


def hold_one() -> World:
    """Start a process in which the delete of `HELD` is held: it was one of too many, but the others returned."""
    world = run_forty(has_state_store=True, settings_digest="today")
    world.run(*[observe(name) for name in NAMES[:13]], for_s=120.0)
    world.run(observe_new(*NAMES[1:13]), for_s=700.0)
    assert world.list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]
    return world


def build_next(before: World) -> World:
    """Build the next process."""
    world = build_world(deletes=DELETES, has_state_store=True, settings_digest="today")
    world.provider.inner = before.provider.inner
    world.state, world.now_s = before.state, before.now_s
    return world


def start(world: World, for_s: float = 120.0) -> World:
    """Start a process: the object of `HELD` is gone, the others exist."""
    world.run(observe_new(*NAMES[1:]), change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)
    return world


def edit_ownership_record(world: World) -> None:
    world.provider.put_records(ZONE, *owned(HELD, resource="service/shop/other"))


def edit_targets(world: World) -> None:
    world.provider.put_records(ZONE, *owned(HELD, "192.0.2.99", resource=f"service/shop/{HELD}"))


@pytest.mark.parametrize("edit", [edit_ownership_record, edit_targets])
def test_a_delete_stays_held_if_the_record_was_edited_before_the_next_process_read_it(
    edit: Callable[[World], None],
) -> None:
    world = build_next(hold_one())
    edit(world)
    assert start(world).list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]


def test_a_delete_stays_held_if_the_record_was_edited_while_its_zone_was_not_listed() -> None:
    world = hold_one()
    world.provider.zone_list = ZoneList(zones=())
    world.run(for_s=700.0)
    assert not tuple(world.engine.zones)
    edit_ownership_record(world)
    world.provider.zone_list = None
    world.run(for_s=700.0)
    assert world.list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_delete_stays_held_if_its_ownership_record_temporarily_cannot_be_parsed(*, is_restarted: bool) -> None:
    world = hold_one()
    ownership = owned(HELD, resource=f"service/shop/{HELD}")[1]
    world.provider.remove_records(ZONE, ownership.key)
    world.provider.put_records(ZONE, UNREADABLE)
    if is_restarted:
        world = start(build_next(world))
    else:
        world.run(for_s=700.0)
    assert world.list_decisions(f"a-{HELD}") == [("?", Action.KEEP, Reason.RECORD_UNREADABLE)]
    world.provider.remove_records(ZONE, UNREADABLE.key)
    world.provider.put_records(ZONE, ownership)
    world.run(for_s=1400.0)
    assert world.list_decisions(HELD) == [("A", Action.KEEP, Reason.HELD)]


def test_a_name_with_a_held_delete_passes_to_another_namespace_even_if_the_saved_state_is_loaded_late() -> None:
    world = build_next(hold_one())
    world.state_fails = 2
    other = build_claim("other", HELD, "lb.test", rtype=rrtype.CNAME, namespace="lab")
    world.run(observe("other", other, namespace="lab"), observe(HELD))
    start(world, for_s=1400.0)
    assert world.list_decisions(HELD) == [("CNAME", Action.KEEP, Reason.PUBLISHED)]
