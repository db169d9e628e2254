"""A plan that a person is to see before anything is written."""

from __future__ import annotations

from extdns.engine.inputs import Approved
from tests.unit.engine.stage import running, seen, wants


def test_nothing_is_written_or_kept_before_the_plan_is_approved_of() -> None:
    world = running(first=[seen("web", wants("web", "web"))], asks=True, keeps_state=True, fingerprint="f")
    world.run(for_s=100.0)
    assert world.engine.planned
    assert not world.engine.settled
    assert world.endings("web") == ["A create wanted"]
    assert world.holds() == {}
    assert world.state.zones == ()


def test_what_is_approved_of_is_written_and_kept() -> None:
    world = running(first=[seen("web", wants("web", "web"))], asks=True, keeps_state=True, fingerprint="f")
    world.run(Approved(), for_s=1.0)
    assert world.engine.settled
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert [zone.fingerprint for _, zone in world.state.zones] == ["f"]


def test_without_a_writer_approval_changes_nothing() -> None:
    world = running(first=[seen("web", wants("web", "web"))], writes=False, keeps_state=True)
    world.run(Approved(), for_s=1.0)
    assert world.calls == []
    assert world.holds() == {}
