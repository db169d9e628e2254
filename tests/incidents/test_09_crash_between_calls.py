"""The process is killed between any two calls.

A node dies, the kernel runs out of memory: before a call, or after it and before its answer arrived, at every call
that a start and a few changes make.

What must hold: at no moment does a record stand without its mark, or a foreign one change. The next process ends up
where the first would have, and a delete waits for its evidence in the new process, too.
"""

from __future__ import annotations

import signal

import pytest

from extdns.engine.inputs import Input
from extdns.model.record import Record, RecordKey
from tests.fakes.service.faults import Fault, Stall
from tests.incidents.objects import ingress, service
from tests.incidents.production import Production
from tests.incidents.scene import HOUR_S, Scene, key_of, scene
from tests.integration.program import running
from tests.unit.engine.laws import is_mark, is_our_mark, ownership
from tests.unit.engine.stage import REGISTRY, ZONE, owned, record

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
    """The process is no more."""


class Mortal(Scene):
    """Dies at one call: before it is made, or before its answer arrives."""

    calls_left: int
    hears: bool

    def answer(self) -> Input:
        if self.calls_left == 0 and self.hears:
            super().answer()
        if self.calls_left == 0:
            raise Killed
        self.calls_left -= 1
        return super().answer()


def begun() -> Scene:
    return scene(*BEGINNING, records=(FOREIGN, *LEFT), page_size=2)


def changed(world: Scene) -> None:
    """What happens while the process may die."""
    world.delete(service("gone"), for_s=0.0)
    world.show(*CHANGES, for_s=150.0)


def contents(world: Scene) -> dict[RecordKey, Record]:
    return world.provider.contents(ZONE)


def check(held: dict[RecordKey, Record]) -> None:
    """Foreign records are as they were, and records and marks stand together."""
    assert held[FOREIGN.key] == FOREIGN
    found = ownership(REGISTRY, held)
    for key, one in held.items():
        assert key == FOREIGN.key or is_mark(one) or found[key].ours, f"{key} has no mark"
    marks = {mark.key for one in found.values() if one.ours for mark in one.marks}
    assert {key for key, one in held.items() if is_our_mark(one)} <= marks, "a mark was left behind"


DEATHS = [
    pytest.param(call, hears, id=f"{'after' if hears else 'before'}-call-{call}")
    for call in range(CALLS)
    for hears in (False, True)
]


@pytest.fixture(scope="module")
def expected() -> dict[RecordKey, Record]:
    """Where a process ends up that is left in peace."""
    world = begun()
    changed(world)
    world = world.again(for_s=HOUR_S)
    return contents(world)


def test_every_call_is_one_at_which_it_may_die() -> None:
    world = begun()
    world.calls.clear()
    after = world.again()
    changed(after)
    assert len(after.calls) <= CALLS


@pytest.mark.parametrize(("call", "hears"), DEATHS)
def test_whenever_it_dies_the_next_one_finishes(
    call: int,
    hears: bool,
    expected: dict[RecordKey, Record],
) -> None:
    world = begun().again(for_s=0.0)
    world.__class__ = Mortal
    assert isinstance(world, Mortal)
    world.calls_left, world.hears = call, hears
    try:
        changed(world)
    except Killed:
        check(contents(world))
        world.objects.pop(key_of(service("gone")), None)
        world.objects |= {key_of(one): one for one in CHANGES}
    after = world.again(for_s=1.0)
    check(contents(after))
    after.run(for_s=HOUR_S)
    check(contents(after))
    assert contents(after) == expected


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("worked", [False, True])
def test_the_whole_program_killed_at_a_write_is_finished_by_the_next(
    *, production: Production, number: int, worked: bool
) -> None:
    production.put(*BEGINNING[:2])
    with production.process():
        production.until_published("web", "api")
    production.put(*CHANGES)
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
    production.dns.whole()
    with production.process():
        production.until_published("web", "api", "new")
        assert production.dns.holds()["web A"] == ("192.0.2.9",)
        production.dns.whole()
