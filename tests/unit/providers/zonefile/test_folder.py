"""Find, read, lock and replace zone files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from extdns.errors import ForbiddenError, RetryableError, UsageError
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.zonefile.folder import ZoneFolder
from providers.zonefile.master import MasterFile

SOA = "@ 60 SOA n h 1 1 1 1 1\n"
NAME = "example.org.zone"
ZONE = Zone(name=DnsName("example.org"), id=NAME)


@pytest.fixture
def folder(tmp_path: Path) -> ZoneFolder:
    (tmp_path / NAME).write_text(SOA)
    return ZoneFolder(tmp_path)


def listed(folder: ZoneFolder) -> list[str]:
    return sorted(path.name for path in folder.path.iterdir())


def build_changed_file(folder: ZoneFolder) -> MasterFile:
    """Return a parsed zone file that differs from the one in *folder*."""
    other = folder.path / "other.zone"
    other.write_text(SOA + "$ORIGIN example.org.\n")
    master = folder.load("other.zone")
    other.unlink()
    return master


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_a_missing_folder_is_a_usage_error_with_the_flag(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "file":
        path.write_text("")
    with pytest.raises(UsageError, match=f"--zonefile-dir={path}: (No such file|Not a directory)"):
        ZoneFolder(path).check()


def test_a_read_only_folder_is_a_usage_error_with_the_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (tmp_path, os.W_OK | os.X_OK))
    with pytest.raises(UsageError, match=f"--zonefile-dir={tmp_path}: no write permission"):
        ZoneFolder(tmp_path).check()


def test_zone_files_are_recognized_by_their_file_names(tmp_path: Path) -> None:
    zones = ["a.zone", "db.b", "db.c.zone"]
    others = [
        ".hidden.zone",
        "db.b.jnl",
        "db.b.jbk",
        "db.b~",
        "db.b.signed",
        "db.b.bak",
        "README",
        "b.zone.jnl",
        "b.db",
    ]
    for name in zones + others:
        (tmp_path / name).write_text(SOA)
    (tmp_path / "folder.zone").mkdir()
    os.mkfifo(tmp_path / "pipe.zone")
    (tmp_path / "nowhere.zone").symlink_to("gone")
    (tmp_path / "link.zone").symlink_to("README")
    assert ZoneFolder(tmp_path).list_files() == ("a.zone", "db.b", "db.c.zone", "link.zone")


def test_listing_a_deleted_folder_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "zones"
    path.mkdir()
    folder = ZoneFolder(path)
    path.rmdir()
    with pytest.raises(RetryableError, match=r"listing .*zones: No such file"):
        folder.list_files()
    with pytest.raises(RetryableError, match=r"locking .*zones: No such file"), folder.lock():
        raise AssertionError


def test_a_zone_file_is_parsed_again_only_if_its_bytes_changed(folder: ZoneFolder) -> None:
    path = folder.path / NAME
    first = folder.load(NAME)
    os.utime(path, ns=(0, 0))
    assert folder.load(NAME) is first
    before = path.stat()
    path.write_text(SOA.replace("60", "61"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert folder.load(NAME).text == SOA.replace("60", "61")


def test_a_changed_included_file_is_parsed_again(folder: ZoneFolder) -> None:
    (folder.path / NAME).write_text(SOA + "$INCLUDE more.inc\n")
    assert folder.load(NAME).problem.startswith(f"{NAME}:2: reading {folder.path}/more.inc: No such file")
    included = folder.path / "more.inc"
    included.write_text("a 60 A 192.0.2.1\n")
    first = folder.load(NAME)
    assert set(first.records.names) == {"a.example.org"}
    assert folder.load(NAME) is first
    included.write_text("b 60 A 192.0.2.1\n")
    assert set(folder.load(NAME).records.names) == {"b.example.org"}
    included.unlink()
    assert "No such file" in folder.load(NAME).problem


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        pytest.param("/dev/zero", "not a regular file", id="device"),
        pytest.param(".", "not a regular file", id="folder"),
        pytest.param("x\x00y", "a file name cannot contain NUL", id="null"),
        pytest.param("x" * 300, "File name too long", id="long"),
    ],
)
def test_a_file_that_cannot_be_included_is_reported(folder: ZoneFolder, name: str, fault: str) -> None:
    (folder.path / NAME).write_text(SOA + f"$INCLUDE {name}\n")
    assert fault in folder.load(NAME).problem


def test_a_file_included_by_a_zone_file_may_have_any_name(folder: ZoneFolder) -> None:
    (folder.path / "grün.inc").write_text("a 60 A 192.0.2.1\n")
    (folder.path / NAME).write_text(SOA + '$INCLUDE "grün.inc"\n')
    assert folder.load(NAME).problem == ""


def test_a_zone_file_that_cannot_be_used_is_reported_with_the_reason(folder: ZoneFolder) -> None:
    path = folder.path / NAME
    path.write_text(SOA + "a..b 60 A 192.0.2.1\n")
    with pytest.raises(RetryableError, match=f"{NAME}:2: 'a..b' is not valid; allowed: a name"):
        folder.load_zone(ZONE)
    path.write_text("$ORIGIN example.net.\n" + SOA)
    with pytest.raises(RetryableError, match=f"{NAME} holds the zone example.net now, no longer example.org"):
        folder.load_zone(ZONE)
    path.unlink()
    with pytest.raises(RetryableError, match=f"reading .*{NAME}: No such file"):
        folder.load_zone(ZONE)


def test_replacing_a_file_keeps_its_mode_and_leaves_no_temporary_file(folder: ZoneFolder) -> None:
    path = folder.path / NAME
    path.chmod(0o640)
    master = build_changed_file(folder)
    folder.load(NAME)
    before = path.stat()
    folder.replace(NAME, master)
    after = path.stat()
    assert path.read_text() == master.text
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino
    assert listed(folder) == [NAME]
    assert folder.load(NAME) is master


def test_replacing_a_symlinked_file_keeps_the_link(folder: ZoneFolder, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (folder.path / NAME).rename(real / "file")
    (folder.path / NAME).symlink_to("real/file")
    folder.load(NAME)
    master = build_changed_file(folder)
    folder.replace(NAME, master)
    assert (folder.path / NAME).is_symlink()
    assert (real / "file").read_text() == master.text


def test_a_temporary_file_left_by_a_crash_is_overwritten(folder: ZoneFolder) -> None:
    (folder.path / ".extdns.tmp").write_text("half a file")
    folder.load(NAME)
    folder.replace(NAME, build_changed_file(folder))
    assert listed(folder) == [NAME]


@pytest.mark.parametrize("call", ["replace", "fsync", "fchmod"])
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        pytest.param(errno.ENOSPC, RetryableError, id="no-space"),
        pytest.param(errno.EACCES, ForbiddenError, id="no-right"),
        pytest.param(errno.EROFS, ForbiddenError, id="read-only"),
    ],
)
def test_a_failed_replacement_leaves_the_file_unchanged(
    folder: ZoneFolder, monkeypatch: pytest.MonkeyPatch, call: str, code: int, kind: type[Exception]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    master = build_changed_file(folder)
    first = folder.load(NAME)
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(kind, match=f"writing .*{NAME}: {os.strerror(code)}"):
        folder.replace(NAME, master)
    monkeypatch.undo()
    assert (folder.path / NAME).read_text() == SOA
    assert listed(folder) == [NAME]
    assert folder.load(NAME) is first


def test_a_zone_file_is_not_replaced_if_the_new_file_cannot_get_the_same_owner(
    folder: ZoneFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int, owner: int, group: int) -> None:
        assert (owner, group) == (before.st_uid, before.st_gid)
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    def somebody(descriptor: int) -> os.stat_result:
        found = list(stats(descriptor))
        found[stat.ST_UID] += 1
        return os.stat_result(found)

    before = (folder.path / NAME).stat()
    stats = os.fstat
    master = build_changed_file(folder)
    folder.load(NAME)
    monkeypatch.setattr(os, "fstat", somebody)
    monkeypatch.setattr(os, "fchown", refuse)
    with pytest.raises(ForbiddenError, match=r"writing .*Operation not permitted"):
        folder.replace(NAME, master)
    monkeypatch.undo()
    assert listed(folder) == [NAME]


def test_a_folder_locked_for_writing_cannot_be_locked_by_another_process(folder: ZoneFolder) -> None:
    busy = pytest.raises(RetryableError, match="another process is writing")
    with folder.lock(), busy, ZoneFolder(folder.path).lock():
        raise AssertionError
    with ZoneFolder(folder.path).lock():
        pass
