r"""Long and short IPv6, trailing dots, escaped wildcards.

The service returns a record in another spelling than it was written in: `2001:0db8:0:0::1` for `2001:db8::1`,
`\052.example.org.` for `*.example.org`, targets with a dot at the end. external-dns has written such records once a
minute for months, or has deleted and created them again.

What must hold: the record is not written again, neither after a restart nor after a refresh.
"""

from __future__ import annotations

import pytest

from tests.cluster_world import HOUR_S, start_cluster
from tests.fakes.state_store import MemoryStateStore
from tests.incidents.production import Production
from tests.objects import OLD_PREFIX, Json, ingress, service

CASES: list[Json] = [
    service("long", address="2001:0db8:0000:0000:0000:0000:0000:0001"),
    service("mapped", annotations={"target": "2001:DB8::192.0.2.1"}),
    service("dotted", host="dotted.example.org.", annotations={"target": "lb.example.net."}),
    service("upper", host="UPPER.Example.ORG", address="LB.Example.Net"),
    service("wild", host="*.wild.example.org"),
    service("both", address="2001:db8::1", prefix=OLD_PREFIX),
    ingress("many", "a.many.example.org", "A.many.example.org."),
    service("idn", host="bücher.example.org"),
]


@pytest.mark.parametrize("one", CASES, ids=lambda one: one["metadata"]["name"])
def test_a_value_that_objects_and_dns_spell_differently_is_written_only_once(one: Json) -> None:
    world = start_cluster(one, flags=["--interval=1m"])
    assert len(world.provider.submissions) == 1
    world.run(for_s=600.0)
    assert len(world.provider.submissions) == 1
    world.state_store = MemoryStateStore()
    after = world.restart(for_s=HOUR_S)
    assert not after.provider.submissions
    assert not after.code


def test_the_program_writes_no_record_again_after_a_restart(production: Production) -> None:
    production.apply(*(one for one in CASES if one["metadata"]["name"] != "idn"))
    with production.process():
        production.until(lambda: len(production.published()) >= len(CASES) - 1)
    written = production.writes()
    with production.process() as running:
        running.pass_time(2 * HOUR_S)
        running.until("All records are already up to date")
    assert production.writes() == written
