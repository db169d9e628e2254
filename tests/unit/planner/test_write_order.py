"""What is not written where ownership records cover records of several zones; tests/unit/engine/test_zone_names.py."""

from __future__ import annotations

import pytest

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.record import OwnedRecord, Record, restate_record
from extdns.planner.write_order import select_writes
from tests.builders import ZONE, create, host, owned

RECORD, OWNERSHIP = owned("web")


@pytest.mark.parametrize(("ownership", "is_blocked"), [(None, True), (OWNERSHIP, False)], ids=["new", "exists"])
def test_no_ownership_record_is_created_that_would_cover_a_foreign_record_of_another_zone(
    ownership: Record | None, is_blocked: bool
) -> None:
    desired = restate_record(RECORD)
    writes = (Write(old=None, new=desired), Write(old=ownership, new=restate_record(OWNERSHIP)))
    complete = ChangeSet(zone=ZONE, name=host("web"), changes=(create(desired),), writes=writes)
    assert isinstance(select_writes(complete, (OwnedRecord(record=RECORD),)), Blocked) is is_blocked
