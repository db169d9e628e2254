"""The files behind the paths of the command line: which there are, whether they changed, what they hold."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from extdns.flags.cluster import STANDARD_INPUT

MAX_BYTES: Final = 256 * 1024**2

_SUFFIXES: Final = (".yaml", ".yml", ".json")

Stamp = tuple[int, ...]
"""Equal as long as a file's bytes are. What can be read only once keeps its stamp for ever."""


@dataclass(frozen=True, slots=True, order=True)
class File:
    """A file or folder; sorts in the order in which files count.

    Attributes:
        rank: which path of the command line leads to it, and by which names from there.
        path: absolute, to open it by.
        name: as the user would write it.
    """

    rank: tuple[int, tuple[str, ...]]
    path: str
    name: str

    @classmethod
    def root(cls, number: int, name: str) -> File:
        """Path *number* of the command line; "-" is standard input."""
        if name == STANDARD_INPUT:
            return cls((number, ()), STANDARD_INPUT, "standard input")
        return cls((number, ()), str(Path(name).absolute()), name)

    def entry(self, name: str) -> File:
        """What stands as *name* in this folder."""
        number, names = self.rank
        # names need not be text for the file system, but messages must be
        shown = str(Path(self.name, name)).encode(errors="replace").decode()
        return File((number, (*names, name)), str(Path(self.path, name)), shown)


@dataclass(slots=True)
class Listing:
    """All files under some paths.

    Attributes:
        files: each once, though several paths may lead to it, with its stamp.
        troubles: what could not be looked at and why; nothing is known about it and all below it.
    """

    files: dict[File, Stamp] = field(default_factory=dict)
    troubles: dict[File, str] = field(default_factory=dict)

    def hides(self, file: File) -> bool:
        """Whether *file* lies at or below trouble, so that its absence means nothing."""
        return any(file.path == place.path or file.path.startswith(place.path + os.sep) for place in self.troubles)


def list_files(roots: tuple[File, ...]) -> Listing:
    """The files at and below *roots*. Never raises.

    Folders are read whole, sorted by name, without hidden files. Links are followed, as mounted
    ConfigMaps consist of them.
    """
    listing = Listing()
    seen: set[Stamp] = set()
    for root in roots:
        left = [root]
        while left:
            file = left.pop()
            try:
                stamp, is_folder = _look_at(file.path, root=file is root)
                if stamp and stamp[:2] not in seen:
                    seen.add(stamp[:2])
                    if is_folder:
                        left += reversed(_entries(file))
                    else:
                        listing.files[file] = stamp
            except OSError as error:
                listing.troubles[file] = reason(error)
    return listing


def is_plain(path: str) -> bool:
    """Whether *path* is a file in its own right, so that an edit of it changes no other file."""
    try:
        return stat.S_ISREG(Path(path).lstat().st_mode)
    except OSError:
        return False


def is_gone_and_hidden(path: str) -> bool:
    """Whether nothing stands at *path*, and nothing that does would be looked at as an entry of a folder."""
    place = Path(path)
    return place.name.startswith(".") and not os.path.lexists(place)


def stamp_of(path: str) -> Stamp:
    """The stamp of the file at *path*; raises `OSError`."""
    return _stamp(Path(path).stat())


def read_file(path: str, stdin: BinaryIO | None = None) -> bytes:
    """All bytes of the file at *path*; raises `OSError`, also if there are more than `MAX_BYTES`."""
    if path == STANDARD_INPUT:
        if stdin is not None:
            return _read(stdin, MAX_BYTES)
        # not sys.stdin, whose lock a reading without end would hold until after the end of the process
        with open(0, "rb", closefd=False) as own:
            return _read(own, MAX_BYTES)
    with Path(path).open("rb") as file:
        status = os.fstat(file.fileno())
        return _read(file, min(status.st_size, MAX_BYTES) if stat.S_ISREG(status.st_mode) else MAX_BYTES)


def _read(file: BinaryIO, expected: int) -> bytes:
    data = file.read(expected + 1)
    if len(data) > MAX_BYTES:
        raise OSError(f"larger than {MAX_BYTES // 1024**2} MiB")
    return data


def reason(error: OSError) -> str:
    """Why a file cannot be read, for people."""
    return error.strerror or str(error)


def _look_at(path: str, *, root: bool) -> tuple[Stamp, bool]:
    """The stamp of *path*, () if it is to be passed over, and whether it is a folder."""
    if root and path == STANDARD_INPUT:
        return (0, 0), False
    status = Path(path).stat()
    if stat.S_ISDIR(status.st_mode):
        return _stamp(status), True
    return _stamp(status) if root or stat.S_ISREG(status.st_mode) else (), False


def _stamp(status: os.stat_result) -> Stamp:
    identity = status.st_dev, status.st_ino
    if not stat.S_ISREG(status.st_mode):
        return identity
    return *identity, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _entries(folder: File) -> list[File]:
    """The manifests and folders in *folder*, by name."""
    with os.scandir(folder.path) as entries:
        names = [entry.name for entry in entries if _is_wanted(entry)]
    return [folder.entry(name) for name in sorted(names)]


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return False
    try:
        return entry.name.lower().endswith(_SUFFIXES) or entry.is_dir()
    except OSError:
        return True  # a link that leads nowhere we may look; it is told by its own name
