"""What a delete with evidence waits for (docs/design/delete-safety.md)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Blocked
from extdns.model.evidence import Evidence, PendingDelete
from extdns.model.reason import Reason
from extdns.planner.deletes import find_delete_block
from extdns.planner.view import UNGUARDED, DeleteFacts
from tests.builders import build_owned, ownership_record

DELETE = PendingDelete(owned=build_owned("web"), evidence=Evidence.OBJECT_DELETED)
TRANSFER = replace(DELETE, is_transfer=True)
REMOVED = replace(DELETE, evidence=Evidence.HOSTNAME_REMOVED)
ABSENT = replace(DELETE, evidence=Evidence.ABSENT)
EXPIRED = replace(DELETE, evidence=Evidence.UNRESOLVED_EXPIRED)
EDITED = replace(DELETE, owned=replace(DELETE.owned, ownership_records=(ownership_record("web"),)))
GRANTED = DeleteFacts(granted=DELETE, is_saved=True)
HELD = replace(GRANTED, hold=Blocked(reason=Reason.HELD, detail="over budget"))
INSUFFICIENT = replace(GRANTED, insufficient=frozenset({DELETE.evidence}))


@pytest.mark.parametrize(
    ("delete", "known", "reason"),
    [
        pytest.param(DELETE, UNGUARDED, None, id="unguarded"),
        pytest.param(DELETE, DeleteFacts(), Reason.IN_GRACE, id="not-granted"),
        pytest.param(DELETE, GRANTED, None, id="granted"),
        pytest.param(DELETE, replace(GRANTED, is_saved=False), Reason.IN_GRACE, id="granted-but-not-saved"),
        pytest.param(DELETE, HELD, Reason.HELD, id="held"),
        pytest.param(DELETE, replace(HELD, is_approved=True), None, id="held-and-approved"),
        pytest.param(TRANSFER, replace(HELD, granted=TRANSFER), None, id="transfer-of-a-held-record"),
        pytest.param(DELETE, INSUFFICIENT, Reason.ORPHAN_UNCLAIMED, id="insufficient-evidence"),
        pytest.param(DELETE, replace(INSUFFICIENT, is_approved=True), None, id="insufficient-evidence-approved"),
        pytest.param(REMOVED, GRANTED, None, id="granted-for-other-evidence"),
        pytest.param(ABSENT, GRANTED, Reason.IN_GRACE, id="now-by-absence"),
        pytest.param(EXPIRED, GRANTED, Reason.IN_GRACE, id="now-by-the-unresolved-timeout"),
        pytest.param(REMOVED, replace(GRANTED, granted=EXPIRED), Reason.IN_GRACE, id="no-longer-by-that-timeout"),
        pytest.param(TRANSFER, GRANTED, Reason.IN_GRACE, id="now-a-transfer"),
        pytest.param(EDITED, GRANTED, Reason.IN_GRACE, id="edited-since"),
    ],
)
def test_a_delete_is_made_once_it_is_granted_and_saved_and_not_held(
    delete: PendingDelete, known: DeleteFacts, reason: Reason | None
) -> None:
    block = find_delete_block(delete, known)
    assert (block and block.reason) is reason


def test_a_delete_by_absence_states_what_only_such_deletes_wait_for() -> None:
    known = DeleteFacts(waiting="settings", waiting_by_absence="saved state")
    found = [find_delete_block(one, known) for one in (DELETE, ABSENT)]
    assert [block and block.detail for block in found] == ["settings", "saved state"]
