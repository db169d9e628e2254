"""What is not written where ownership records cover records of several zones; tests/unit/engine/test_zone_names.py."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.record import OwnedRecord, Record, restate_record
from extdns.model.rrtype import ROW
from extdns.planner.write_order import select_writes
from tests.builders import ZONE, create, delete, host, owned

RECORD, OWNERSHIP = owned("web")


@pytest.mark.parametrize(("ownership", "is_blocked"), [(None, True), (OWNERSHIP, False)], ids=["new", "exists"])
def test_no_ownership_record_is_created_that_would_cover_a_foreign_record_of_another_zone(
    ownership: Record | None, is_blocked: bool
) -> None:
    desired = restate_record(RECORD)
    writes = (Write(old=None, new=desired), Write(old=ownership, new=restate_record(OWNERSHIP)))
    complete = ChangeSet(zone=ZONE, name=host("web"), changes=(create(desired),), writes=writes)
    assert isinstance(select_writes(complete, (OwnedRecord(record=RECORD),)), Blocked) is is_blocked


def test_a_row_that_a_record_of_another_zone_needs_is_checked_when_its_record_is_deleted() -> None:
    row = replace(RECORD, type=f"{ROW}A", targets=("owner=me",))
    ours = OwnedRecord(record=RECORD, is_ours=True, ownership_records=(row,))
    writes = (Write(old=RECORD, new=None), Write(old=row, new=None))
    complete = ChangeSet(zone=ZONE, name=host("web"), changes=(delete(ours),), writes=writes)
    checked = select_writes(complete, (ours,))
    assert isinstance(checked, ChangeSet)
    assert checked.writes == (writes[0], Write(old=row, new=restate_record(row)))
    assert select_writes(complete, (replace(ours, is_ours=False),)) == complete
