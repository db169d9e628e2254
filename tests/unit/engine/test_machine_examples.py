"""Sequences of steps that the state machine once found, each with the law that it broke."""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause
from extdns.model.change import Action
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.planner.settings import Policy
from providers.inmemory.provider import InMemoryProvider
from tests.builders import INGRESS, SERVICE, build_claim, build_unresolved
from tests.unit.engine.delete_accounts import DeleteAccounts
from tests.unit.engine.machine_strategies import KEYS
from tests.unit.engine.test_machine import EngineMachine


def start_machine(*, forgets: bool = False, unresolved_timeout_s: float | None = None) -> EngineMachine:
    """Start a machine with empty zones and no claims, without grace period and budgets."""
    settings = DeleteSettings(
        owner="me", grace_s=0.0, unresolved_timeout_s=unresolved_timeout_s, limits=DeleteLimits(percent=100)
    )
    machine = EngineMachine()
    machine.start(
        seeds=[],
        page_size=300,
        capabilities=InMemoryProvider().capabilities,
        policy=Policy.SYNC,
        claims=[()] * len(KEYS),
        synced=True,
        accounts=DeleteAccounts(settings=settings, forgets=forgets),
        names_per_step=500,
    )
    return machine


def test_hold_for_insufficient_evidence_ends_when_accepted_settings_are_loaded() -> None:
    machine, key = start_machine(forgets=True), KEYS[0]
    machine.see((key, (build_claim("a", "web"),)), Cause.VERSION, soon=True)
    machine.wait(8.0)
    machine.cluster.requests[key] = ()
    machine.arm_state(1000)
    machine.restart(None, None)
    machine.wait(8.0)
    assert machine.world.list_decisions("web") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    machine.drop(key, Cause.DELETED, exists=False, soon=True)
    assert machine.world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD)]
    machine.arm_state(0)
    machine.wait(400.0)
    assert machine.world.list_records() == {}
    machine.teardown()


@pytest.mark.parametrize("is_valid", [True, False], ids=["denied", "unanswered"])
def test_unresolved_timeout_deletes_no_record_a_denied_request_would_update(is_valid: bool) -> None:
    machine = start_machine(unresolved_timeout_s=100.0)
    gone, new, other = ObjectKey(INGRESS, "lab", "a"), ObjectKey(SERVICE, "lab", "a"), KEYS[0]
    before = build_claim("a", "api", "lb.test", rtype="CNAME", kind=INGRESS, namespace="lab")
    machine.see((gone, (before,)), Cause.VERSION, soon=True)
    machine.see((other, (build_unresolved("a", "api"),)), Cause.VERSION, soon=True)
    machine.change_rules(("2001:db8::1", "b.test") if is_valid else ("192.0.2.1",), is_valid)
    machine.restart(gone, (new, (build_claim("a", "api", "b.test", rtype="CNAME", namespace="lab"),)))
    machine.wait(400.0)
    assert machine.world.list_records() == {"api CNAME": ("lb.test",)}
    machine.teardown()
    assert machine.world.list_records() == {"api CNAME": ("b.test",)}
