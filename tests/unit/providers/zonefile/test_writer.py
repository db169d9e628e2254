"""Batches made in zone files, whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from extdns.errors import UsageError
from extdns.model.change import Write
from extdns.model.outcome import Applied, Conflict, Forbidden, Outcome, TryLater
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.reader import ZoneFileReader
from providers.zonefile.writer import ZoneFileWriter
from tests.conformance.provider import FixedClock, batch_of, create, delete, restate

SOA = "@ 60 SOA n h 7 1 1 1 1\n"
TEXT = SOA + "web 60 A 192.0.2.1 ; by hand\n"
WEB = create("web.example.org", "A", "192.0.2.9")
NEW = create("new.example.org", "A", "192.0.2.9")


class Desk:
    """A folder with one zone, open for reading and writing."""

    def __init__(self, path: Path) -> None:
        self.path = path / "example.org.zone"
        self.path.write_text(TEXT)
        self.folder = ZoneFolder(path)
        self.reader = ZoneFileReader(self.folder)
        self.writer = ZoneFileWriter(self.folder, FixedClock())
        self.zone: Zone = self.reader.zones().zones[0]

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, batch_of(self.zone, writes))

    def web(self) -> Record:
        return self.reader.page(self.zone, None).records[0]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_folder_without_the_right_to_write_names_the_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ZoneFolder(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (tmp_path, os.W_OK | os.X_OK))
    with pytest.raises(UsageError, match=f"--zonefile-dir={tmp_path}: no right to write"):
        ZoneFileWriter(folder, FixedClock())


@pytest.mark.parametrize("writes", ["none", "restated", "conflict"])
def test_a_file_in_which_nothing_changes_is_not_touched(desk: Desk, writes: str) -> None:
    before = desk.path.stat()
    desk.submit(*{"none": [], "restated": [restate(desk.web())], "conflict": [WEB, NEW]}[writes])
    after = desk.path.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )
    assert desk.path.read_text() == TEXT


def test_an_edit_between_reading_and_writing_is_a_conflict_and_survives(desk: Desk) -> None:
    web = desk.web()
    edited = TEXT.replace("192.0.2.1", "192.0.2.2")
    desk.path.write_text(edited)
    assert desk.submit(delete(web), NEW) == Conflict(
        message="web.example.org A is not what it was", culprits=(web.name,)
    )
    assert desk.path.read_text() == edited


def test_an_edit_of_another_record_is_kept(desk: Desk) -> None:
    web = desk.web()
    desk.path.write_text(TEXT + "; a note\nb 60 A 192.0.2.3\n")
    assert desk.submit(delete(web)) == Applied(records=())
    assert desk.path.read_text() == SOA.replace(" 7 ", " 8 ") + "; a note\nb 60 A 192.0.2.3\n"


@pytest.mark.parametrize(
    ("code", "kind"),
    [pytest.param(errno.EIO, TryLater, id="later"), pytest.param(errno.EROFS, Forbidden, id="forbidden")],
)
def test_a_write_that_fails_midway_changes_nothing_and_can_be_sent_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Outcome]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "replace", fail)
    outcome = desk.submit(NEW)
    assert isinstance(outcome, kind)
    assert os.strerror(code) in str(outcome)
    assert desk.path.read_text() == TEXT
    monkeypatch.undo()
    assert isinstance(desk.submit(NEW), Applied)


def test_a_folder_that_cannot_be_settled_is_written_all_the_same(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = os.fsync

    def fail_for_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no")
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", fail_for_folders)
    assert isinstance(desk.submit(NEW), Applied)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(TEXT + "$TTTL x\n", "example.org.zone:3: '$TTTL x' is not valid", id="wrong"),
        pytest.param(TEXT + "b 60 NSEC c.example.org. A\n", "example.org.zone:3: the zone is signed", id="signed"),
    ],
)
def test_a_file_that_cannot_be_changed_waits_for_a_person(desk: Desk, text: str, message: str) -> None:
    desk.path.write_text(text)
    outcome = desk.submit(NEW)
    assert isinstance(outcome, TryLater)
    assert outcome.message.startswith(message)
    assert desk.path.read_text() == text


def test_a_wrong_line_is_told_with_the_place_it_has_after_an_edit(desk: Desk) -> None:
    desk.path.write_text(f"{TEXT}wrong 60 WEB x\n")
    assert isinstance(desk.submit(delete(desk.web())), Applied)
    (wrong,) = desk.reader.page(desk.zone, None).records
    assert wrong.targets[0].startswith("example.org.zone:2: 'WEB' is not valid")


def test_a_folder_in_use_is_tried_later(desk: Desk) -> None:
    with ZoneFolder(desk.path.parent).locked():
        outcome = desk.submit(NEW)
    assert isinstance(outcome, TryLater)
    assert desk.path.read_text() == TEXT


def test_batches_of_several_threads_are_all_made(desk: Desk) -> None:
    def submit(index: int) -> None:
        outcomes.append(desk.submit(create(f"n{index}.example.org", "A", "192.0.2.1")))

    outcomes: list[Outcome] = []
    threads = [threading.Thread(target=submit, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(outcome, Applied) for outcome in outcomes)
    assert len(desk.reader.page(desk.zone, None).records) == 9
    assert " 15 " in desk.path.read_text()
