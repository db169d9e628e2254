"""The API server times out in the middle of a list.

A large cluster, a slow etcd: the second page of Services never comes, again and again. Half of the objects were seen.
What is missing in half a list is not gone.

What must hold: nothing that Services made is touched while they are not listed whole, whether the process has just
started or has run for long; other sources go on after half a minute. When the list comes, all is as before.
"""

from __future__ import annotations

from extdns.model.cluster import Phase
from extdns.model.objects import SERVICE
from tests.incidents.objects import ingress, numbered, services
from tests.incidents.scene import HOUR_S, scene

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
