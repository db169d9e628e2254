"""Checks that updates and deletes change exactly the records that they name."""

from __future__ import annotations

from msgspec.structs import replace

from extdns.webhook_check.record_checks import build_sets
from extdns.webhook_check.scratch import MEDIA_TYPE_HEADERS, Scratch, ViolationError, describe, has_same_targets
from providers.webhook.wire import RECORDS_PATH, Changes, Endpoint, encode_changes


def check_update(scratch: Scratch) -> None:
    """Check that an update replaces the targets."""
    record = scratch.build("update", "A", "192.0.2.1")
    scratch.create(record)
    _update(scratch, replace(record, targets=("192.0.2.2",)))


def check_several_updates(scratch: Scratch) -> None:
    """Check that one request makes several updates."""
    records = [scratch.build(f"update-{number}", "A", f"192.0.2.{number}") for number in range(1, 4)]
    scratch.create(*records)
    _update(scratch, *(replace(one, targets=(f"198.51.100.{at}",)) for at, one in enumerate(records, 1)))


def _update(scratch: Scratch, *desired: Endpoint) -> None:
    new = scratch.adjust(*desired)
    scratch.apply(Changes(update_old=scratch.read(*new), update_new=new))
    scratch.expect(*new)


def check_delete(scratch: Scratch) -> None:
    """Check that a deleted record is not listed any more."""
    _check_delete(scratch, scratch.build("delete", "A", "192.0.2.1"))


def check_delete_of_type(scratch: Scratch) -> None:
    """Check that a delete leaves the other types at the name."""
    record = scratch.build("delete-type", "A", "192.0.2.1")
    _check_delete(scratch, record, scratch.build("delete-type", "TXT", '"heritage=external-dns"'))


def check_delete_of_name(scratch: Scratch) -> None:
    """Check that a delete leaves records below the name and at names with the same beginning or end."""
    names = ("www.delete-name", "a-delete-name", "delete-name-a")
    _check_delete(
        scratch,
        scratch.build("delete-name", "A", "192.0.2.1"),
        *(scratch.build(name, "A", "192.0.2.1") for name in names),
    )


def check_delete_of_set_identifier(scratch: Scratch) -> None:
    """Check that a delete leaves the records with other set identifiers."""
    _check_delete(scratch, *build_sets(scratch, "delete-sets"))


def _check_delete(scratch: Scratch, deleted: Endpoint, *others: Endpoint) -> None:
    """Create the records *deleted* and *others*, delete *deleted*, and check that *others* are listed unchanged."""
    created = scratch.create(deleted, *others)
    scratch.delete(deleted)
    own = scratch.list_own()
    if deleted.identity in own:
        raise ViolationError(f"{describe(deleted)} was deleted, but GET {RECORDS_PATH} still lists it")
    for one in created[1:]:
        found = own.get(one.identity)
        if found is None or not has_same_targets(one, found):
            raise ViolationError(f"the delete of {describe(deleted)} has changed or deleted {describe(one)}, too")


def check_type_change(scratch: Scratch) -> None:
    """Check that one request replaces a record by one of another type."""
    before = scratch.build("type-change", "A", "192.0.2.1")
    scratch.create(before)
    after = scratch.adjust(scratch.build("type-change", "CNAME", "target.example.com"))
    scratch.apply(Changes(create=after, delete=scratch.read(before)))
    scratch.expect(*after)
    scratch.expect_absent(before)


def check_mixed_changes(scratch: Scratch) -> None:
    """Check that one request creates, updates and deletes records."""
    updated, deleted, created = (scratch.build(f"mixed-{verb}", "A", "192.0.2.1") for verb in ("new", "old", "more"))
    scratch.create(updated, deleted)
    new = scratch.adjust(replace(updated, targets=("192.0.2.2",)))
    added = scratch.adjust(created)
    scratch.apply(Changes(create=added, update_old=scratch.read(updated), update_new=new, delete=scratch.read(deleted)))
    scratch.expect(*new, *added)
    scratch.expect_absent(deleted)


def check_key_case(scratch: Scratch) -> None:
    """Check that the keys of changes may begin with a capital letter, as external-dns wrote them up to v0.15."""
    record = scratch.build("key-case", "A", "192.0.2.1")
    body = encode_changes(Changes(create=(record,))).replace(b'"create"', b'"Create"', 1)
    answer = scratch.server.send("POST", RECORDS_PATH, body, MEDIA_TYPE_HEADERS)
    if not answer.is_success or record.identity not in scratch.list_own():
        raise ViolationError(
            f'{answer.describe()} to {{"Create": […]}}; expected: 2xx, and {describe(record)} in the next GET '
            f"{RECORDS_PATH}"
        )
