"""The exit code of a single pass."""

from __future__ import annotations

import pytest

from extdns.controller.exit_codes import DONE, FAILED, HELD, compute_exit_code
from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.engine import Engine
from extdns.engine.settings import EngineSettings
from extdns.model.change import WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from extdns.model.zone import Zone
from extdns.planner.settings import PlanSettings
from providers.inmemory.provider import InMemoryProvider
from registry.noop.registry import NoopRegistry
from tests.builders import INGRESS, SERVICE, build_claim, change_phase, host, observe
from tests.world import World, build_world

ZONE = Zone(name=DnsName("example.org"), id="Z1")
ORPHAN = Record(name=DnsName("old.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)


def run_single_pass(*records: Record, compat: bool = False, writes: bool = True, scope: str = "example.org") -> Engine:
    """Run a single pass with a zone whose *records* no object requests, and return the engine."""
    memory = InMemoryProvider(seed={ZONE: records})
    plan = PlanSettings(owner="", compat=compat, domains=DomainFilter(include=(scope,)))
    engine = build_engine(memory, plan, writes=writes)
    World(engine=engine, reader=memory, writer=memory).run()
    return engine


def build_engine(memory: InMemoryProvider, plan: PlanSettings, *, writes: bool = True) -> Engine:
    """Build an engine for a single pass without sources."""
    return Engine(
        EngineSettings(
            plan=plan,
            registry=NoopRegistry(),
            adjust=memory.adjust,
            capabilities=memory.capabilities,
            kinds={},
            has_writer=writes,
            once=True,
            deletes=DeleteSettings(grace_s=0.0, immediate=plan.compat),
        )
    )


def test_a_single_pass_without_changes_exits_with_0() -> None:
    assert compute_exit_code(run_single_pass()) == DONE


def test_a_single_pass_in_which_zones_were_never_listed_exits_with_1() -> None:
    assert compute_exit_code(build_engine(InMemoryProvider(), PlanSettings(owner=""))) == FAILED


@pytest.mark.parametrize("writes", [pytest.param(True, id="for real"), pytest.param(False, id="dry run")])
def test_a_single_pass_with_a_held_delete_exits_with_3(writes: bool) -> None:
    assert compute_exit_code(run_single_pass(ORPHAN, writes=writes)) == HELD


@pytest.mark.parametrize("writes", [pytest.param(True, id="for real"), pytest.param(False, id="dry run")])
def test_with_compat_the_delete_of_an_orphan_is_not_held(writes: bool) -> None:
    assert compute_exit_code(run_single_pass(ORPHAN, compat=True, writes=writes)) == DONE


def test_a_single_pass_with_an_orphan_outside_the_domain_filter_exits_with_0() -> None:
    assert compute_exit_code(run_single_pass(ORPHAN, scope="elsewhere.org")) == DONE


def test_a_single_pass_that_ends_in_a_write_conflict_exits_with_1() -> None:
    world = build_world(once=True)
    world.provider.rule = lambda _: WriteConflict(message="changed", offending_names=(host("web"),))
    world.run(change_phase(SERVICE), change_phase(INGRESS), observe("web", build_claim("web", "web")), for_s=40.0)
    assert world.engine.is_idle
    assert compute_exit_code(world.engine) == FAILED
