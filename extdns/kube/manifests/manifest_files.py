"""List, read and watch the files and folders of `--manifests`."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import BinaryIO, Final

from extdns.flags.process import STANDARD_INPUT
from extdns.model.value import Value

MAX_FILE_BYTES: Final = 256 * 1024**2

_SUFFIXES: Final = (".yaml", ".yml", ".json")

FileStamp = tuple[int, ...]
"""A value that changes when the content of a file changes. Streams such as standard input keep one stamp."""


class ManifestFile(Value, frozen=True, order=True):
    """A file or folder. The sort order decides which file wins if several describe one object.

    Attributes:
        rank: position of its path on the command line, and the names below that path.
        path: absolute path.
        name: path as the user wrote it.
    """

    rank: tuple[int, tuple[str, ...]]
    path: str
    name: str

    @classmethod
    def root(cls, number: int, name: str) -> ManifestFile:
        """Return the file at position *number* of the command line; *name* "-" is standard input."""
        if name == STANDARD_INPUT:
            return cls((number, ()), STANDARD_INPUT, "standard input")
        return cls((number, ()), str(Path(name).absolute()), name)

    def child(self, name: str) -> ManifestFile:
        """Return the entry *name* of this folder."""
        number, names = self.rank
        # file names may contain bytes that are not valid text
        printable = str(Path(self.name, name)).encode(errors="replace").decode()
        return ManifestFile((number, (*names, name)), str(Path(self.path, name)), printable)


@dataclass(slots=True)
class FileListing:
    """The files below some paths.

    Attributes:
        files: each file once with its stamp, even if several paths lead to it.
        unreadable: files and folders that could not be inspected, with the error. Their content is unknown.
    """

    files: dict[ManifestFile, FileStamp] = field(default_factory=dict)
    unreadable: dict[ManifestFile, str] = field(default_factory=dict)

    def may_contain(self, file: ManifestFile) -> bool:
        """Return whether *file* is at or below an unreadable path, so that it may still exist."""
        return any(
            file.path == location.path or file.path.startswith(location.path + os.sep) for location in self.unreadable
        )


_EMPTY: Final = "the folder has no file with policies yet; if there are to be none, put an empty file there"


def list_files(roots: tuple[ManifestFile, ...], *, requires_files: bool = False) -> FileListing:
    """List the files at *roots*, and YAML and JSON files below. Never raises.

    With *requires_files*, a root folder in which no such file is found counts as unreadable: it may be a volume that is
    not filled yet.

    Folders are read recursively and sorted by name. Hidden files are skipped. Symbolic links are followed,
    since mounted ConfigMaps consist of them.
    """
    listing = FileListing()
    seen: set[FileStamp] = set()
    for root in roots:
        left = [root]
        count, folders = len(listing.files) + len(listing.unreadable), 0
        while left:
            file = left.pop()
            try:
                stamp, is_folder = _inspect(file.path, root=file is root)
                if stamp and stamp[:2] not in seen:
                    seen.add(stamp[:2])
                    folders += is_folder
                    if is_folder:
                        left += reversed(_list_children(file))
                    else:
                        listing.files[file] = stamp
            except OSError as error:
                if not was_removed(file):
                    listing.unreadable[file] = describe_os_error(error)
        if requires_files and folders and len(listing.files) + len(listing.unreadable) == count:
            listing.unreadable[root] = _EMPTY
    return listing


def was_removed(file: ManifestFile) -> bool:
    """Return whether a folder no longer has the entry *file*.

    A missing path of the command line or a broken link does not count as removed: it is an error to report.
    """
    _, names = file.rank
    return bool(names) and not os.path.lexists(file.path)


def is_regular_file(path: str) -> bool:
    """Return whether *path* is a regular file and not a symbolic link."""
    try:
        return stat.S_ISREG(Path(path).lstat().st_mode)
    except OSError:
        return False


def is_gone_and_hidden(path: str) -> bool:
    """Return whether *path* is the name of a hidden file that does not exist."""
    location = Path(path)
    return location.name.startswith(".") and not os.path.lexists(location)


def read_stamp(path: str) -> FileStamp:
    """Return the stamp of the file at *path*, a value that changes with its content; raises `OSError`."""
    return _build_stamp(Path(path).stat())


def read_file(path: str, stdin: BinaryIO | None = None) -> bytes:
    """Read the file at *path*, or for "-" *stdin* (None is that of the process).

    Raises:
        OSError: the file cannot be read, or is larger than `MAX_FILE_BYTES`.
    """
    if path == STANDARD_INPUT:
        if stdin is not None:
            return _read(stdin, MAX_FILE_BYTES)
        # not sys.stdin: a blocked read would hold its lock, which the interpreter needs to exit
        with open(0, "rb", closefd=False) as own:
            return _read(own, MAX_FILE_BYTES)
    with Path(path).open("rb") as file:
        status = os.fstat(file.fileno())
        return _read(file, min(status.st_size, MAX_FILE_BYTES) if stat.S_ISREG(status.st_mode) else MAX_FILE_BYTES)


def _read(file: BinaryIO, expected: int) -> bytes:
    data = file.read(expected + 1)
    if len(data) > MAX_FILE_BYTES:
        raise OSError(f"larger than {MAX_FILE_BYTES // 1024**2} MiB")
    return data


def describe_os_error(error: OSError) -> str:
    """Describe why a file cannot be read."""
    return error.strerror or str(error)


def _inspect(path: str, *, root: bool) -> tuple[FileStamp, bool]:
    """Return the stamp of *path*, and whether it is a folder. The stamp is () for what is neither folder nor file.

    With *root*, *path* is a path of the command line, and is read whatever it is.
    """
    if root and path == STANDARD_INPUT:
        return (0, 0), False
    status = Path(path).stat()
    if stat.S_ISDIR(status.st_mode):
        return _build_stamp(status), True
    return _build_stamp(status) if root or stat.S_ISREG(status.st_mode) else (), False


def _build_stamp(status: os.stat_result) -> FileStamp:
    identity = status.st_dev, status.st_ino
    if not stat.S_ISREG(status.st_mode):
        return identity
    return *identity, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _list_children(folder: ManifestFile) -> list[ManifestFile]:
    """List the manifests and folders in *folder*, sorted by name."""
    with os.scandir(folder.path) as entries:
        names = [entry.name for entry in entries if _is_manifest_or_folder(entry)]
    return [folder.child(name) for name in sorted(names)]


def _is_manifest_or_folder(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return False
    try:
        return entry.name.lower().endswith(_SUFFIXES) or entry.is_dir()
    except OSError:
        return True  # a broken link, which is then reported as unreadable


_POLL_MS: Final = 500
_GATHER_MS: Final = 100
"""How often watchfiles checks for changes and for the stop event. CPU use is inversely proportional to it."""

_MAX_GATHER_MS: Final = 200
_POLLS_UNTIL_FULL_CHECK: Final = 60
"""Every 30 s all files are checked: network file systems and the targets of links send no events."""

_RETRY_WATCH_S: Final = 1.0

_Inodes = dict[str, tuple[int, int] | None]
"""Device and inode of each path, None if it does not exist."""


def watch_files(paths: Sequence[str], stop: Event) -> Iterator[Collection[str] | None]:
    """Yield the paths that changed at and below *paths*, until *stop* is set. Never raises.

    Paths are absolute. None, the first value, means that any path may have changed. An empty collection means
    that time has passed without changes. If one of *paths* is replaced, for example by an editor or by a
    changed link, the new file is watched.
    """
    yield None
    while paths and not stop.is_set():
        inodes = _find_inodes(paths)
        existing = [path for path, inode in inodes.items() if inode]
        try:
            yield from _watch_changes(existing, inodes, stop)
        except (OSError, RuntimeError):  # removed meanwhile, or the system has no inotify watches left
            stop.wait(_RETRY_WATCH_S)
        if not existing:
            stop.wait(_POLL_MS / 1000)
        yield None


def _watch_changes(existing: Sequence[str], inodes: _Inodes, stop: Event) -> Iterator[Collection[str] | None]:
    """Yield changes of *existing* until one of *inodes* changes; raises `OSError` or `RuntimeError`."""
    if not existing:
        return
    import watchfiles  # noqa: PLC0415 - not needed by commands and with --once

    rounds = watchfiles.watch(
        *existing,
        watch_filter=None,
        debounce=_MAX_GATHER_MS,
        step=_GATHER_MS,
        stop_event=stop,
        rust_timeout=_POLL_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    for tick, changes in enumerate(rounds):
        if _find_inodes(inodes) != inodes:
            return
        # also in the first round, since changes before the start of the watch are not reported
        yield {path for _, path in changes} if tick % _POLLS_UNTIL_FULL_CHECK else None


def _find_inodes(paths: Iterable[str]) -> _Inodes:
    inodes: _Inodes = {}
    for path in paths:
        try:
            status = Path(path).stat()
            inodes[path] = status.st_dev, status.st_ino
        except OSError:
            inodes[path] = None
    return inodes
