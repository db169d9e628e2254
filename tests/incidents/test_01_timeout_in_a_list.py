"""The API server times out in the middle of a list.

A large cluster, a slow etcd: the second page of Services never comes, again and again. Half of the objects were seen.
What is missing in half a list is not gone.

What must hold: nothing that Services made is touched while they are not listed whole, whether the process has just
started or has run for long; other sources go on after half a minute. When the list comes, all is as before.
"""

from __future__ import annotations

from extdns.model.cluster import Phase
from extdns.model.objects import SERVICE
from tests.fakes.apiserver.faults import Drop
from tests.incidents.objects import ingress, numbered, services
from tests.incidents.production import Production
from tests.incidents.scene import HOUR_S, MINUTE_S, scene

NAMES = numbered(40)
ALL = services(NAMES)


def test_at_start_what_was_not_seen_stays() -> None:
    before = scene(*ALL)
    before.phases[SERVICE] = Phase.FAILING
    after = before.again(for_s=20.0)
    after.show(ingress("new", "new.example.org"), for_s=2.0)
    assert "new" not in after.published(), "planning waits half a minute for a source that fails"
    after.run(for_s=HOUR_S)
    assert after.published() == {*NAMES, "new"}
    assert after.endings(NAMES[0]) == ["A keep source-down"]
    after.turn(SERVICE, Phase.SYNCED, for_s=HOUR_S)
    assert not after.deleted()
    assert after.endings(NAMES[0]) == ["A keep programmed"]


def test_while_running_nothing_is_touched() -> None:
    world = scene(*ALL)
    world.turn(SERVICE, Phase.FAILING, for_s=HOUR_S)
    world.turn(SERVICE, Phase.SYNCED, for_s=HOUR_S)
    assert not world.deleted()
    assert world.published() == set(NAMES)


def test_the_whole_program_loses_nothing(production: Production) -> None:
    production.put(*ALL[:14])
    with production.process():
        production.until_published(*NAMES[:14])
    for verb in ("list", "watch"):
        production.server.faults.arm(Drop(), verb=verb, resource="services", times=3)
    with production.process() as running:
        running.pass_time(10 * MINUTE_S)
        production.seen()
        assert production.published() == set(NAMES[:14])
