"""The permission to read and write the state ConfigMap is granted late.

The Role was forgotten, and is added at noon.

What must hold: everything that does not depend on saved state continues from the start. Orphans are held, because
it is unknown whether the settings are the same. Existing saved state is not overwritten. Once the permission is
granted, the settings digest in the saved state counts as at a start.
"""

from __future__ import annotations

from extdns.model.evidence import Evidence
from extdns.model.saved_state import Saved
from tests.cluster_world import HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production
from tests.objects import numbered, service, services

NAMES = numbered(60)


def restart_without_state(unannotated: tuple[str, ...] = ()) -> ClusterWorld:
    """Restart without permission to read saved state, after the Services *unannotated* lost their annotations."""
    before = start_cluster(*services(NAMES))
    assert before.state_store.saved.find_zone("example.org").fingerprint
    before.state_store.forbidden = True
    for name in unannotated:
        one = service(name)
        one["metadata"]["annotations"] = {}
        before.apply(one, for_s=0.0)
    return before.restart(for_s=5.0)


def test_while_the_saved_state_may_not_be_read_names_are_created_updated_and_deleted() -> None:
    world = restart_without_state()
    world.apply(service("new"), service(NAMES[0], address="192.0.2.9"), for_s=2.0)
    world.delete(service(NAMES[1]), for_s=2 * MINUTE_S)
    assert world.published() == {*NAMES, "new"} - {NAMES[1]}


def test_the_delete_of_an_orphan_is_held_until_the_saved_state_can_be_read() -> None:
    world = restart_without_state(unannotated=(NAMES[0],))
    saved = world.state_store.saved
    world.run(for_s=HOUR_S)
    assert world.held_names() == {NAMES[0]}
    assert world.state_store.saved == saved
    world.state_store.forbidden = False
    world.run(for_s=10 * MINUTE_S)
    assert world.published() == set(NAMES[1:])
    assert world.evidence == [Evidence.ORPHAN_UNCLAIMED]


def test_the_delete_of_an_orphan_stays_held_if_the_saved_state_has_no_settings_digest() -> None:
    world = restart_without_state(unannotated=(NAMES[0],))
    world.state_store.saved = Saved()
    world.state_store.forbidden = False
    world.run(for_s=HOUR_S)
    assert world.held_names() == {NAMES[0]}


def test_deletes_of_the_previous_process_count_in_the_budget_once_the_saved_state_can_be_read() -> None:
    before = start_cluster(*services(NAMES))
    before.delete(*services(NAMES[:17]), for_s=70.0)
    assert before.published() == set(NAMES[17:])
    before.state_store.forbidden = True
    after = before.restart(for_s=5.0)
    after.state_store.forbidden = False
    after.run(for_s=5 * MINUTE_S)
    after.delete(*services(NAMES[17:22]), for_s=2 * MINUTE_S)
    assert after.held_names() == set(NAMES[17:22])


def test_the_program_holds_the_delete_of_an_orphan_until_the_state_configmap_can_be_read(
    production: Production,
) -> None:
    names = NAMES[:20]
    production.apply(*services(names))
    with production.process():
        production.until_published(*names)
        production.until(lambda: "fingerprint" in production.state())
    unannotated = service(names[0])
    unannotated["metadata"]["annotations"] = {}
    production.apply(unannotated)
    production.server.forbid("*", "configmaps")
    with production.process() as running:
        running.until("Deletes are held", "count=1")
        running.pass_time(2 * MINUTE_S)
        production.wait_for_marker()
        assert production.published() == set(names)
        production.server.permit("*", "configmaps")
        running.pass_time(5 * MINUTE_S)
        running.until("This scope holds no deletes any more")
        running.pass_time(MINUTE_S)
        production.until_published(*names[1:])
