"""Apply batches to zone files, completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from extdns.errors import UsageError
from extdns.model.change import Applied, Forbidden, Outcome, TryLater, Write, WriteConflict
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.reader import ZoneFileReader
from providers.zonefile.writer import ZoneFileWriter
from tests.conformance.provider import build_batch, create, delete, restate
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


def test_a_read_only_folder_is_a_usage_error_with_the_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ZoneFolder(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (tmp_path, os.W_OK | os.X_OK))
    with pytest.raises(UsageError, match=f"--zonefile-dir={tmp_path}: no write permission"):
        ZoneFileWriter(folder, MovedClock())


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
