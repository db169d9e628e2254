"""List and read the files and folders of `--manifests`."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from extdns.errors import describe_cause
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
                    listing.unreadable[file] = describe_cause(error)
        if requires_files and folders and len(listing.files) + len(listing.unreadable) == count:
            listing.unreadable[root] = _EMPTY
    return listing


def was_removed(file: ManifestFile) -> bool:
    """Return whether a folder no longer has the entry *file*.

    A missing path of the command line or a broken link does not count as removed: it is an error to report.
    """
    _, names = file.rank
    return bool(names) and not os.path.lexists(file.path)


def read_file(path: str, stdin: BinaryIO | None = None) -> bytes:
    """Read the file at *path*, or for "-" *stdin* (None is that of the process).

    Raises:
        OSError: the file cannot be read, or is larger than `MAX_FILE_BYTES`.
    """
    if path == STANDARD_INPUT:
        if stdin is not None:
            return _read(stdin)
        # not sys.stdin: a blocked read would hold its lock, which the interpreter needs to exit
        with open(0, "rb", closefd=False) as own:
            return _read(own)
    with Path(path).open("rb") as file:
        if os.fstat(file.fileno()).st_size > MAX_FILE_BYTES:  # of a pipe it is 0
            raise _build_size_error()
        return _read(file)


def _read(file: BinaryIO) -> bytes:
    data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise _build_size_error()
    return data


def _build_size_error() -> OSError:
    return OSError(f"larger than {MAX_FILE_BYTES // 1024**2} MiB")


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
