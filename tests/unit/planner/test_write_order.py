"""What is written first where ownership records are in another zone, or cover records of several zones."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Blocked, ChangeSet, Write
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, restate_record
from extdns.model.zone import Zone
from extdns.planner.write_order import select_writes
from tests.builders import ZONE, create, delete, host, owned, record

PARENT = Zone(name=DnsName("org"), id="org")
RECORD, OWNERSHIP = owned("web")
APEX = replace(RECORD, name=ZONE.name)
OURS = OwnedRecord(record=RECORD, owner="me", is_ours=True, ownership_records=(OWNERSHIP,))
FOREIGN = OwnedRecord(record=RECORD)
CREATE_OWNERSHIP = Write(old=None, new=restate_record(OWNERSHIP))
KEEP_OWNERSHIP = Write(old=OWNERSHIP, new=restate_record(OWNERSHIP))
CREATE_RECORD = Write(old=None, new=restate_record(RECORD))
DELETE_RECORD, DELETE_OWNERSHIP = Write(old=RECORD, new=None), Write(old=OWNERSHIP, new=None)
CREATING = ChangeSet(zone=ZONE, name=host("web"), changes=(create(restate_record(RECORD)),))
DELETING = ChangeSet(zone=ZONE, name=host("web"), changes=(delete(OURS, Evidence.OBJECT_DELETED),))


@pytest.mark.parametrize(
    ("ownership", "elsewhere", "is_blocked"),
    [
        pytest.param(CREATE_OWNERSHIP, FOREIGN, True, id="new-ownership-record"),
        pytest.param(KEEP_OWNERSHIP, FOREIGN, False, id="ownership-record-that-exists"),
        pytest.param(CREATE_OWNERSHIP, OURS, False, id="record-of-ours"),
        pytest.param(CREATE_OWNERSHIP, OwnedRecord(record=record("web", rtype="AAAA")), False, id="another-type"),
    ],
)
def test_no_ownership_record_is_created_that_would_cover_a_foreign_record_of_another_zone(
    ownership: Write, elsewhere: OwnedRecord, is_blocked: bool
) -> None:
    complete = replace(CREATING, writes=(CREATE_RECORD, ownership))
    found = select_writes(complete, (elsewhere,))
    if is_blocked:
        assert isinstance(found, Blocked)
        assert found.reason is Reason.NO_OWNERSHIP_NAME
    else:
        assert found == complete


def test_an_ownership_record_that_a_record_of_another_zone_needs_is_not_deleted() -> None:
    complete = replace(DELETING, writes=(DELETE_RECORD, DELETE_OWNERSHIP))
    assert select_writes(complete, ()) == complete
    assert select_writes(complete, (OURS,)) == replace(DELETING, writes=(DELETE_RECORD,))


APEX_OWNERSHIP = replace(OWNERSHIP, name=DnsName("a-example.org"))


@pytest.mark.parametrize(
    ("ownership", "is_first"),
    [
        pytest.param(Write(old=None, new=restate_record(APEX_OWNERSHIP)), True, id="new"),
        pytest.param(
            Write(old=APEX_OWNERSHIP, new=replace(restate_record(APEX_OWNERSHIP), ttl_s=60)), True, id="changed"
        ),
        pytest.param(Write(old=APEX_OWNERSHIP, new=restate_record(APEX_OWNERSHIP)), False, id="unchanged"),
        pytest.param(Write(old=APEX_OWNERSHIP, new=None), False, id="deleted"),
    ],
)
def test_a_new_or_changed_ownership_record_in_the_parent_zone_is_written_before_the_record(
    ownership: Write, is_first: bool
) -> None:
    write = Write(old=None, new=restate_record(APEX))
    complete = ChangeSet(
        zone=ZONE, name=ZONE.name, changes=(create(restate_record(APEX)),), writes=(write, ownership), parent=PARENT
    )
    assert select_writes(complete, ()) == (
        ChangeSet(zone=PARENT, name=ZONE.name, changes=(), writes=(ownership,))
        if is_first
        else replace(complete, writes=(write,))
    )
