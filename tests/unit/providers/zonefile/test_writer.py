"""Apply batches to zone files, completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from extdns.model.change import Applied, Forbidden, Outcome, Refused, TryLater, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.master import FileChange, MasterFile
from providers.zonefile.parse import parse_master_file
from providers.zonefile.reader import ZoneFileReader
from providers.zonefile.writer import ZoneFileWriter, plan_file_change
from tests.conformance.provider import build_batch, create, delete, restate, update
from tests.fakes.clocks import MovedClock

SOA = "@ 60 SOA n h 7 1 1 1 1\n"
TEXT = SOA + "web 60 A 192.0.2.1 ; by hand\n"
WEB = create("web.example.org", "A", "192.0.2.9")
NEW = create("new.example.org", "A", "192.0.2.9")


class WritableFolder:
    """A folder with one zone file, and the reader and the writer under test."""

    def __init__(self, path: Path) -> None:
        self.path = path / "example.org.zone"
        self.path.write_text(TEXT)
        self.folder = ZoneFolder(path)
        self.reader = ZoneFileReader(self.folder)
        self.writer = ZoneFileWriter(self.folder, MovedClock())
        self.zone: Zone = self.reader.list_zones().zones[0]

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, build_batch(self.zone, writes))

    def web(self) -> Record:
        return self.reader.read_page(self.zone, None).records[0]


@pytest.fixture
def writable(tmp_path: Path) -> WritableFolder:
    return WritableFolder(tmp_path)


@pytest.mark.parametrize("writes", ["none", "restated", "conflict"])
def test_a_batch_without_changes_does_not_write_the_zone_file(writable: WritableFolder, writes: str) -> None:
    before = writable.path.stat()
    writable.submit(*{"none": [], "restated": [restate(writable.web())], "conflict": [WEB, NEW]}[writes])
    after = writable.path.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )
    assert writable.path.read_text() == TEXT


def test_an_edit_by_hand_since_the_last_read_is_a_write_conflict_and_survives(writable: WritableFolder) -> None:
    web = writable.web()
    edited = TEXT.replace("192.0.2.1", "192.0.2.2")
    writable.path.write_text(edited)
    assert writable.submit(delete(web), NEW) == WriteConflict(
        message="web.example.org A has changed since it was read", offending_names=(web.name,)
    )
    assert writable.path.read_text() == edited


def test_an_edit_by_hand_of_another_record_survives_a_write(writable: WritableFolder) -> None:
    web = writable.web()
    writable.path.write_text(TEXT + "; a note\nb 60 A 192.0.2.3\n")
    assert writable.submit(delete(web)) == Applied(records=())
    assert writable.path.read_text() == SOA.replace(" 7 ", " 8 ") + "; a note\nb 60 A 192.0.2.3\n"


@pytest.mark.parametrize(
    ("code", "kind"),
    [pytest.param(errno.EIO, TryLater, id="later"), pytest.param(errno.EROFS, Forbidden, id="forbidden")],
)
def test_a_failed_write_changes_nothing_and_can_be_repeated(
    writable: WritableFolder, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Outcome]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "replace", fail)
    outcome = writable.submit(NEW)
    assert isinstance(outcome, kind)
    assert os.strerror(code) in str(outcome)
    assert writable.path.read_text() == TEXT
    monkeypatch.undo()
    assert isinstance(writable.submit(NEW), Applied)


def test_a_write_succeeds_even_if_the_folder_cannot_be_flushed_to_disk(
    writable: WritableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = os.fsync

    def fail_for_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no")
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", fail_for_folders)
    assert isinstance(writable.submit(NEW), Applied)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(TEXT + "$TTTL x\n", "example.org.zone:3: '$TTTL x' is not valid", id="wrong"),
        pytest.param(
            TEXT + "b 60 NSEC c.example.org. A\n", "example.org.zone:3: the file contains a signed zone", id="signed"
        ),
    ],
)
def test_a_write_to_a_zone_file_that_cannot_be_edited_can_be_tried_later(
    writable: WritableFolder, text: str, message: str
) -> None:
    writable.path.write_text(text)
    outcome = writable.submit(NEW)
    assert isinstance(outcome, TryLater)
    assert outcome.message.startswith(message)
    assert writable.path.read_text() == text


def test_after_an_edit_an_invalid_line_is_reported_with_its_new_line_number(writable: WritableFolder) -> None:
    writable.path.write_text(f"{TEXT}wrong 60 WEB x\n")
    assert isinstance(writable.submit(delete(writable.web())), Applied)
    (invalid,) = writable.reader.read_page(writable.zone, None).records
    assert invalid.targets[0].startswith("example.org.zone:2: 'WEB' is not valid")


def test_a_write_to_a_locked_folder_can_be_tried_later(writable: WritableFolder) -> None:
    with ZoneFolder(writable.path.parent).lock():
        outcome = writable.submit(NEW)
    assert isinstance(outcome, TryLater)
    assert writable.path.read_text() == TEXT


def test_batches_written_by_several_threads_are_all_applied(writable: WritableFolder) -> None:
    def submit(index: int) -> None:
        outcomes.append(writable.submit(create(f"n{index}.example.org", "A", "192.0.2.1")))

    outcomes: list[Outcome] = []
    threads = [threading.Thread(target=submit, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(outcome, Applied) for outcome in outcomes)
    assert len(writable.reader.read_page(writable.zone, None).records) == 9
    assert " 15 " in writable.path.read_text()


# Plan the changes that a batch makes to a zone file, or refuse them


ZONE = Zone(name=DnsName("example.org"), id="example.org.zone")
ZONE_TEXT = """\
$TTL 300
@ SOA ns1 hostmaster 1 7200 900 1209600 300
@ NS ns1
ns1 A 192.0.2.53
web A 192.0.2.1
alias CNAME lb.example.net.
sub NS ns.sub
sub NS ns.example.net.
old DNAME new.example.net.
_odd A 192.0.2.1
$GENERATE 1-2 h$ A 192.0.2.$
"""
OWNERSHIP = '"heritage=external-dns,external-dns/owner=me"'


@pytest.fixture
def master() -> MasterFile:
    found = parse_master_file(ZONE_TEXT, ZONE.id, str)
    assert found.problem == ""
    return found


def held(master: MasterFile, label: str) -> Record:
    return master.records.by_name[DnsName(f"{label}.example.org")][0]


@pytest.mark.parametrize(
    ("write", "word"),
    [
        pytest.param(create("web.example.org", "A", "192.0.2.1"), "already exists", id="create"),
        pytest.param(
            delete(Record(name=DnsName("no.example.org"), type="A", targets=(), ttl_s=1)), "is gone", id="gone"
        ),
        pytest.param(
            delete(Record(name=DnsName("web.example.org"), type="A", targets=("192.0.2.2",), ttl_s=300)),
            "has changed since it was read",
            id="other-target",
        ),
    ],
)
def test_a_record_in_the_file_that_differs_from_the_batch_is_a_write_conflict(
    master: MasterFile, write: Write, word: str
) -> None:
    key = write.key
    assert plan_file_change(master, ZONE, [write]) == WriteConflict(
        message=f"{key.name} A {word}", offending_names=(key.name,)
    )


@pytest.mark.parametrize(
    ("write", "detail"),
    [
        pytest.param(create("alias.example.org", "A", "192.0.2.1"), "a CNAME cannot coexist with A", id="beside-cname"),
        pytest.param(create("web.example.org", "CNAME", "x.test"), "a CNAME cannot coexist with A", id="cname-beside"),
        pytest.param(
            create("x.sub.example.org", "A", "192.0.2.1"),
            "it would be below the delegation NS sub.example.org and never be served",
            id="below-delegation",
        ),
        pytest.param(
            create("x.old.example.org", "TXT", OWNERSHIP),
            "no record is allowed below the DNAME old.example.org",
            id="below-dname",
        ),
        pytest.param(
            create("example.org", "DNAME", "x.test"), "a DNAME is not allowed above _odd.example.org", id="dname-above"
        ),
        pytest.param(
            create("s.example.org", "A", "192.0.2.1", set_identifier="v1"),
            "zone files have no routing policies; 'v1' is a set identifier",
            id="set-identifier",
        ),
        pytest.param(
            create("s.example.org", "SRV", "nonsense"),
            "'nonsense' is not valid; allowed: priority, weight, port and host, such as 0 5 443 web.example.org.",
            id="data",
        ),
        pytest.param(
            create("s.example.org", "TXT", '"heritage="x""'),
            '\'"heritage="x""\' is not valid; allowed: text, or strings that are each in double quotes, '
            'with \\" and \\\\ for those two characters',
            id="ownership-record-with-quotes-inside",
        ),
    ],
)
def test_a_batch_with_a_record_that_the_zone_file_cannot_hold_is_refused_with_its_name(
    master: MasterFile, write: Write, detail: str
) -> None:
    found = plan_file_change(master, ZONE, [create("fine.example.org", "A", "192.0.2.1"), write])
    assert found == Refused(message=f"{write.key.name}: {detail}", offending_names=(write.key.name,))


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(create("ns.sub.example.org", "A", "192.0.2.1"), id="glue"),
        pytest.param(create("ns.sub.example.org", "AAAA", "2001:db8::1"), id="glue-v6"),
        pytest.param(create("a-ns.sub.example.org", "TXT", OWNERSHIP), id="ownership-record-of-glue"),
        pytest.param(create("sub.example.org", "TXT", OWNERSHIP), id="at-the-delegation"),
        pytest.param(create("x.web.example.org", "A", "192.0.2.1"), id="below-an-address"),
        pytest.param(create("web.example.org", "DNAME", "x.test"), id="dname-above-nothing"),
    ],
)
def test_records_that_are_allowed_at_or_below_a_delegation_or_below_an_address_are_accepted(
    master: MasterFile, write: Write
) -> None:
    assert isinstance(plan_file_change(master, ZONE, [write]), FileChange)


def test_a_change_to_a_record_from_a_generate_line_is_refused_with_its_location(master: MasterFile) -> None:
    found = plan_file_change(master, ZONE, [delete(held(master, "h2"))])
    assert isinstance(found, Refused)
    assert found.message == (
        "h2.example.org: A is at example.org.zone:11 ($GENERATE), which extdns does not edit; "
        "move it into example.org.zone itself"
    )
    assert isinstance(plan_file_change(master, ZONE, [restate(held(master, "h2"))]), FileChange)


def test_an_existing_record_that_extdns_would_refuse_can_be_kept_and_deleted(master: MasterFile) -> None:
    odd = held(master, "_odd")
    assert isinstance(plan_file_change(master, ZONE, [update(odd, "192.0.2.9")]), Refused)
    assert isinstance(plan_file_change(master, ZONE, [delete(odd)]), FileChange)
    found = plan_file_change(master, ZONE, [restate(odd)])
    assert isinstance(found, FileChange)
    assert (found.removed, found.added, found.written) == (frozenset(), (), (odd,))


def test_each_offending_name_is_reported_once(master: MasterFile) -> None:
    writes = [
        create("b.sub.example.org", "A", "192.0.2.1"),
        create("a.sub.example.org", "A", "192.0.2.1"),
        create("a.sub.example.org", "MX", "10 mail.example.net"),
    ]
    found = plan_file_change(master, ZONE, writes)
    assert isinstance(found, Refused)
    assert found.offending_names == ("a.sub.example.org", "b.sub.example.org")


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(create("web.example.org", "AAAA", "2001:db8::1"), id="create"),
        pytest.param(
            delete(Record(name=DnsName("web.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)), id="delete"
        ),
        pytest.param(
            restate(Record(name=DnsName("web.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)), id="restate"
        ),
    ],
)
def test_a_write_at_a_name_with_an_unreadable_line_is_a_write_conflict(write: Write) -> None:
    master = parse_master_file(f"{ZONE_TEXT}web 60 WEB x\n", ZONE.id, str)
    found = plan_file_change(master, ZONE, [create("new.example.org", "A", "192.0.2.1"), write])
    assert isinstance(found, WriteConflict)
    assert found.offending_names == ("web.example.org",)
    assert "is not changed: a line at its name cannot be read: example.org.zone:12: 'WEB' is not valid" in found.message
