"""The API server times out in the middle of a list.

In a large cluster with a slow etcd, the second page of Services never arrives. Objects that are missing from an
incomplete list are not deleted objects.

What must hold: while Services are not listed completely, their records do not change, neither at start nor later. After
half a minute other sources go on. Once the list is complete, nothing has changed.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.resources.core import SERVICE
from tests.cluster_world import HOUR_S, MINUTE_S, start_cluster
from tests.fakes.apiserver.faults import Drop
from tests.incidents.production import Production
from tests.objects import ingress, numbered, services

NAMES = numbered(40)
ALL = services(NAMES)


def test_at_start_records_stay_while_services_cannot_be_listed_and_ingresses_are_published() -> None:
    before = start_cluster(*ALL)
    before.phases[SERVICE] = Phase.FAILING
    after = before.restart(for_s=20.0)
    after.apply(ingress("new", "new.example.org"), for_s=2.0)
    assert "new" not in after.published(), "planning waits half a minute for a source that fails"
    after.run(for_s=HOUR_S)
    assert after.published() == {*NAMES, "new"}
    assert after.list_decisions(NAMES[0]) == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    after.set_phase(SERVICE, Phase.SYNCED, for_s=HOUR_S)
    assert not after.deleted()
    assert after.list_decisions(NAMES[0]) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_a_running_process_deletes_no_record_while_services_cannot_be_listed() -> None:
    world = start_cluster(*ALL)
    world.set_phase(SERVICE, Phase.FAILING, for_s=HOUR_S)
    world.set_phase(SERVICE, Phase.SYNCED, for_s=HOUR_S)
    assert not world.deleted()
    assert world.published() == set(NAMES)


def test_the_program_deletes_no_record_after_connections_were_dropped_during_the_list(production: Production) -> None:
    production.apply(*ALL[:14])
    with production.process():
        production.until_published(*NAMES[:14])
    for verb in ("list", "watch"):
        production.server.faults.arm(Drop(), verb=verb, resource="services", times=3)
    with production.process() as running:
        running.pass_time(10 * MINUTE_S)
        production.wait_for_marker()
        assert production.published() == set(NAMES[:14])
