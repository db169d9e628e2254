"""The process is killed between any two calls.

A node fails, or memory runs out: before a call, or after it and before its answer arrived, at each call that a start
and a few changes make.

What must hold: at no moment does a record lack its ownership record or a foreign record change. The next process
reaches the same zone as one that was not killed, and waits for evidence before it deletes.
"""

from __future__ import annotations

import signal

import pytest

from extdns.engine.inputs import Input
from extdns.model.record import Record, RecordKey
from tests.builders import REGISTRY, ZONE, owned, record
from tests.cluster_world import HOUR_S, ClusterWorld, key_of, start_cluster
from tests.fakes.service.faults import Fault, Stall
from tests.incidents.production import SERVICES, Production
from tests.objects import ingress, service
from tests.program.process import running
from tests.unit.engine.laws import is_own_ownership_record, is_ownership_record, ownership

FOREIGN = record("theirs", "192.0.2.66")
LEFT = owned("left", resource="service/shop/left")
BEGINNING = (
    service("web"),
    service("api", address="192.0.2.2"),
    service("blog", address="lb.example.net"),
    service("gone"),
)
CHANGES = (
    service("web", address="192.0.2.9"),
    service("api", address="lb.example.net"),
    ingress("new", "new.example.org"),
)
CALLS = 20


class Killed(Exception):
    """Raised in place of the call at which the process is killed."""


class KilledWorld(ClusterWorld):
    """A scene that is killed at one call: before the call, or with *after_call* after it and before its answer."""

    calls_left: int
    after_call: bool

    def answer(self) -> Input:
        if self.calls_left == 0 and self.after_call:
            super().answer()
        if self.calls_left == 0:
            raise Killed
        self.calls_left -= 1
        return super().answer()


def start_scene() -> ClusterWorld:
    return start_cluster(*BEGINNING, records=(FOREIGN, *LEFT), page_size=2)


def change_cluster(world: ClusterWorld) -> None:
    world.delete(service("gone"), for_s=0.0)
    world.apply(*CHANGES, for_s=150.0)


def contents(world: ClusterWorld) -> dict[RecordKey, Record]:
    return world.provider.contents(ZONE)


def check(records: dict[RecordKey, Record]) -> None:
    """Check that the foreign record is unchanged and that our records and ownership records match."""
    assert records[FOREIGN.key] == FOREIGN
    found = ownership(REGISTRY, records, ZONE)
    for key, one in records.items():
        assert key == FOREIGN.key or is_ownership_record(one) or found[key].is_ours, f"{key} has no ownership record"
    ownership_keys = {txt.key for one in found.values() if one.is_ours for txt in one.ownership_records}
    assert {key for key, one in records.items() if is_own_ownership_record(one)} <= ownership_keys, (
        "an ownership record was left behind"
    )


DEATHS = [
    pytest.param(call, after_call, id=f"{'after' if after_call else 'before'}-call-{call}")
    for call in range(CALLS)
    for after_call in (False, True)
]


@pytest.fixture(scope="module")
def expected() -> dict[RecordKey, Record]:
    """Return the zone's content after a process that was not killed."""
    world = start_scene()
    change_cluster(world)
    world = world.restart(for_s=HOUR_S)
    return contents(world)


def test_after_a_restart_the_cluster_change_causes_at_most_as_many_calls_as_the_kill_test_covers() -> None:
    world = start_scene()
    world.calls.clear()
    after = world.restart()
    change_cluster(after)
    assert len(after.calls) <= CALLS


@pytest.mark.parametrize(("call", "after_call"), DEATHS)
def test_the_next_process_completes_the_zone_after_a_kill_before_or_after_any_call(
    call: int,
    after_call: bool,
    expected: dict[RecordKey, Record],
) -> None:
    world = start_scene().restart(for_s=0.0)
    world.__class__ = KilledWorld
    assert isinstance(world, KilledWorld)
    world.calls_left, world.after_call = call, after_call
    try:
        change_cluster(world)
    except Killed:
        check(contents(world))
        world.objects.pop(key_of(service("gone")), None)
        world.objects |= {key_of(one): one for one in CHANGES}
    after = world.restart(for_s=1.0)
    check(contents(after))
    after.run(for_s=HOUR_S)
    check(contents(after))
    assert contents(after) == expected


@pytest.mark.parametrize(
    ("production", "number"),
    [(service, number) for service in SERVICES for number in range(1 if service == "cloudflare" else 2)],
    indirect=["production"],
)
@pytest.mark.parametrize("worked", [False, True])
def test_the_program_completes_the_zone_after_it_was_killed_during_a_write(
    *, production: Production, number: int, worked: bool
) -> None:
    production.apply(*BEGINNING[:2])
    with production.process():
        production.until_published("web", "api")
    production.apply(*CHANGES)
    for _ in range(number):
        production.dns.faults.arm(Fault(), action=production.dns.change)
    stall = Stall(worked=worked)
    production.dns.faults.arm(stall, action=production.dns.change)
    with running(*production.flags("--aws-batch-change-size=4", "--google-batch-change-size=4")) as program:
        reached = stall.reached.wait(20.0)
        ended = program.end(signal.SIGKILL)
        assert reached, program.lines
        assert ended == -signal.SIGKILL
    production.dns.faults.clear()
    production.dns.check_ownership()
    with production.process():
        production.until_published("web", "api", "new")
        assert production.dns.records()["web A"] == ("192.0.2.9",)
        production.dns.check_ownership()
