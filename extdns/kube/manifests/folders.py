"""Reads what has changed below the paths of the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Final

from extdns.errors import UsageError, shown
from extdns.flags.cluster import STANDARD_INPUT
from extdns.kube.manifests.catalogue import Catalogue
from extdns.kube.manifests.contents import Contents, Flaw
from extdns.kube.manifests.files import (
    File,
    Stamp,
    is_gone_and_hidden,
    is_plain,
    list_files,
    read_file,
    reason,
    stamp_of,
)
from extdns.kube.manifests.reader import read
from extdns.model.cluster import Kind, ObjectKey

SETTLE_S: Final = 0.2
"""How long a file must stay as it is before it is believed to lack an object or to be broken: editors
empty a file, or move it away, before they write it, and write it piece by piece."""

_GONE: Final[Stamp] = ()


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A file known as good was worse when it had this stamp."""

    stamp: Stamp
    since_s: float


class Folders:
    """Keeps a catalogue in step with the files below some paths.

    One thread at a time may `look`. It holds `lock` only while the catalogue changes, so that
    others can go on using that while files are read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        stdin: BinaryIO | None,
        monotonic: Callable[[], float],
        whole: Collection[Kind] = (),
    ) -> None:
        """Read nothing yet, then kinds *whole* whole; raises `UsageError` for a path that does not exist."""
        self.roots = tuple(File.root(number, path) for number, path in enumerate(paths))
        self.catalogue = Catalogue()
        self.lock = Lock()
        self._stdin = stdin
        self._whole = whole
        self._monotonic = monotonic
        self._known: dict[File, Stamp] = {}
        self._by_path: dict[str, File] = {}
        self._doubts: dict[File, _Doubt] = {}
        for root in self.roots:
            _ensure_exists(root)

    def look(self, touched: Collection[str] | None = None) -> None:
        """Read what has changed: of the files *touched* (absolute paths), or of all if None. Never raises."""
        edited = self._edited(touched) if touched is not None else None
        if edited is not None:
            self._read(edited)
            return
        listing = list_files(self.roots)
        stamps = {file: stamp for file, stamp in listing.files.items() if stamp != self._known.get(file)}
        gone = [file for file in self._known if file not in listing.files and not listing.hides(file)]
        stamps |= dict.fromkeys(gone, _GONE)
        self._doubts = {file: doubt for file, doubt in self._doubts.items() if file in stamps}
        self._read(stamps)
        with self.lock:
            self.catalogue.set_troubles({file: f"cannot be read: {why}" for file, why in listing.troubles.items()})

    def is_due(self) -> bool:
        """Whether a second look is wanted now."""
        return any(self._is_settled(doubt) for doubt in self._doubts.values())

    def exists(self, key: ObjectKey) -> bool | None:
        """Whether some file describes *key*, as of the last look; None if that cannot be known."""
        with self.lock:
            return None if self._doubts else self.catalogue.exists(key)

    def _edited(self, touched: Collection[str]) -> dict[File, Stamp] | None:
        """The stamps of the files *touched*, None if more than those may have changed."""
        stamps: dict[File, Stamp] = {}
        for path in touched:
            file = self._by_path.get(path)
            if file is None and is_gone_and_hidden(path):
                continue  # what an editor wrote first, and then put in the place of another
            if file is None or not is_plain(path):
                return None
            try:
                stamps[file] = stamp_of(path)
            except OSError:
                return None
        return stamps or None

    def _read(self, stamps: Mapping[File, Stamp]) -> None:
        """Read the files, but those in doubt only once they have settled."""
        read_now = {
            file: Contents() if stamp == _GONE else self._contents(file)
            for file, stamp in stamps.items()
            if (doubt := self._doubts.get(file)) is None or doubt.stamp != stamp or self._is_settled(doubt)
        }
        with self.lock:
            for file, contents in read_now.items():
                self._accept(file, stamps[file], contents)

    def _accept(self, file: File, stamp: Stamp, contents: Contents) -> None:
        doubt = self._doubts.pop(file, None)
        suspect = file in self._known and (contents.flaws or self.catalogue.loses(file, contents))
        if suspect and (doubt is None or doubt.stamp != stamp):
            self._doubts[file] = _Doubt(stamp, self._monotonic())
        elif stamp == _GONE:
            self.catalogue.remove(file)
            del self._known[file]
            if self._by_path.get(file.path) == file:
                del self._by_path[file.path]
        else:
            self.catalogue.put(file, contents)
            readable = all(flaw.line for flaw in contents.flaws)
            self._known[file] = stamp if readable else _GONE  # so that it is tried again
            self._by_path[file.path] = file

    def _contents(self, file: File) -> Contents:
        try:
            data = read_file(file.path, self._stdin)
        except OSError as error:
            flaw = Flaw(line=0, key=None, message=f"cannot be read: {reason(error)}")
            return Contents(flaws=(flaw,))
        return read(data, file.name, self._whole, manifests_alone=file.path == STANDARD_INPUT)

    def _is_settled(self, doubt: _Doubt) -> bool:
        return self._monotonic() - doubt.since_s >= SETTLE_S


def _ensure_exists(root: File) -> None:
    if root.path == STANDARD_INPUT:
        return
    try:
        Path(root.path).stat()
    except OSError as error:
        allowed = 'a file, a folder, or "-" for standard input'
        raise UsageError(
            f"--manifests={shown(root.name)} cannot be read: {reason(error)}; allowed: {allowed}"
        ) from error
