"""When settings are accepted, and what that means for orphans (docs/design/state.md)."""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from tests.builders import INGRESS, SERVICE, change_phase, observe, observe_new
from tests.unit.engine.forty_services import DELETES, NAMES, build_records, run_forty, start_with_orphan
from tests.world import build_world


def test_settings_are_not_accepted_while_the_delete_of_an_orphan_is_held() -> None:
    world = start_with_orphan(*NAMES, settings_digest="today")
    world.run(for_s=3600.0)
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    assert [str(one.owned.record.name) for one in world.held[-1].held] == ["old.example.org"]
    assert world.state.find_zone("example.org").fingerprint == ""


def test_an_orphan_is_deleted_after_the_grace_period_if_the_settings_were_accepted_before() -> None:
    before = run_forty(has_state_store=True, settings_digest="today")
    after = start_with_orphan(*NAMES, before=before, settings_digest="today")
    after.run(for_s=58.0)
    assert "old A" in after.list_records()
    after.run(for_s=5.0)
    assert "old A" not in after.list_records()
    assert after.evidence == [Evidence.ORPHAN_UNCLAIMED]


def test_the_delete_of_an_orphan_is_held_if_other_settings_were_accepted_before() -> None:
    before = run_forty(has_state_store=True, settings_digest="today")
    after = start_with_orphan(*NAMES, before=before, settings_digest="tomorrow")
    after.run(for_s=3600.0)
    assert "old A" in after.list_records()
    assert after.state.find_zone("example.org").fingerprint == "today"


def test_settings_are_not_accepted_while_a_source_cannot_be_read() -> None:
    world = build_world(
        *build_records(*NAMES, "old"), deletes=DELETES, has_state_store=True, settings_digest="tomorrow"
    )
    world.run(
        observe_new(*NAMES), observe("old"), change_phase(SERVICE), change_phase(INGRESS, Phase.FORBIDDEN), for_s=600.0
    )
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    assert world.state.find_zone("example.org").fingerprint == ""
    world.run(change_phase(INGRESS), for_s=600.0)
    assert world.list_decisions("old") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]


def test_settings_are_accepted_after_the_delete_of_the_orphan_was_approved() -> None:
    world = start_with_orphan(*NAMES, settings_digest="tomorrow")
    world.approvals = (world.held[-1].code,)
    world.run(for_s=61.0)
    assert "old A" not in world.list_records()
    assert world.state.find_zone("example.org").fingerprint == "tomorrow"
