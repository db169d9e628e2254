"""The exit code of a single pass."""

from __future__ import annotations

import pytest

from extdns.controller.ending import DONE, FAILED, HELD, exit_code
from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.settings import EngineSettings
from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict
from extdns.model.record import Record
from extdns.model.zone import Zone
from extdns.planner.settings import PlanSettings
from providers.inmemory.provider import InMemoryProvider
from registry.noop import NoopRegistry
from tests.fakes.world import World
from tests.unit.engine.stage import INGRESS, SERVICE, host, phase, seen, stage, wants

ZONE = Zone(name=DnsName("example.org"), id="Z1")
ORPHAN = Record(name=DnsName("old.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)


def a_pass(*records: Record, compat: bool = False, writes: bool = True, scope: str = "example.org") -> Engine:
    """One pass over a zone that holds *records*, of which nobody asks for any."""
    memory = InMemoryProvider(seed={ZONE: records})
    plan = PlanSettings(owner="", compat=compat, domains=DomainFilter(include=(scope,)))
    engine = an_engine(memory, plan, writes=writes)
    World(engine=engine, reader=memory, writer=memory).run()
    return engine


def an_engine(memory: InMemoryProvider, plan: PlanSettings, *, writes: bool = True) -> Engine:
    """An engine for one pass without any source."""
    return Engine(
        EngineSettings(
            plan=plan,
            registry=NoopRegistry(),
            adjust=memory.adjust,
            traits=memory.traits,
            kinds={},
            writes=writes,
            once=True,
            deletes=DeleteSettings(grace_s=0.0, at_once=plan.compat),
        )
    )


def test_a_pass_with_nothing_to_do_is_done() -> None:
    assert exit_code(a_pass()) == DONE


def test_a_pass_that_never_saw_its_zones_failed() -> None:
    assert exit_code(an_engine(InMemoryProvider(), PlanSettings(owner=""))) == FAILED


@pytest.mark.parametrize("writes", [pytest.param(True, id="for real"), pytest.param(False, id="dry run")])
def test_a_delete_without_evidence_is_held(writes: bool) -> None:
    assert exit_code(a_pass(ORPHAN, writes=writes)) == HELD


@pytest.mark.parametrize("writes", [pytest.param(True, id="for real"), pytest.param(False, id="dry run")])
def test_a_delete_that_compat_makes_for_the_same_reason_is_no_hold(writes: bool) -> None:
    assert exit_code(a_pass(ORPHAN, compat=True, writes=writes)) == DONE


def test_what_lies_out_of_scope_is_no_hold() -> None:
    assert exit_code(a_pass(ORPHAN, scope="elsewhere.org")) == DONE


def test_a_pass_that_leaves_a_contested_name_alone_failed() -> None:
    world = stage(once=True)
    world.provider.rule = lambda _: Conflict(message="changed", culprits=(host("web"),))
    world.run(phase(SERVICE), phase(INGRESS), seen("web", wants("web", "web")), for_s=40.0)
    assert world.engine.settled
    assert exit_code(world.engine) == FAILED
