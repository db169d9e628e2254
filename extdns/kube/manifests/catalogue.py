"""What all files together say: which object stands where, what is wrong, and what has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from extdns.kube.manifests.contents import Contents, Flaw
from extdns.kube.manifests.files import File
from extdns.kube.manifests.reader import also_in
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.objects import KubernetesObject

Problems = dict[tuple[str, ObjectKey | None], str]
"""Messages by place and, if that can be told, object."""


class _Entry(NamedTuple):
    """An object in a file; not *live* if the file may describe it no more or otherwise, but that cannot be read."""

    obj: KubernetesObject
    line: int
    live: bool


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What one file says."""

    entries: Mapping[ObjectKey, _Entry]
    flaws: tuple[Flaw, ...]
    whole: bool


_BLANK: Final = _Sheet({}, (), whole=True)


class Catalogue:
    """Objects and problems of all files.

    Of an object in several files the first file counts, but one that can be read before one that
    cannot. Knows no I/O; calls must not overlap.
    """

    def __init__(self) -> None:
        """No files yet."""
        self._sheets: dict[File, _Sheet] = {}
        self._flawed: dict[File, _Sheet] = {}
        self._troubles: Mapping[File, str] = {}
        self._holders: dict[ObjectKey, tuple[File, ...]] = {}
        self._shared: set[ObjectKey] = set()
        self._changed: set[ObjectKey] = set()

    def loses(self, file: File, contents: Contents) -> bool:
        """Whether an object would be gone from *file* if that held *contents*."""
        if not contents.whole:
            return False
        stays = {found.key for found in contents.found} | {flaw.key for flaw in contents.flaws}
        return any(key not in stays for key in self._sheet(file).entries)

    def put(self, file: File, contents: Contents) -> None:
        """*file* holds *contents* now. What a flaw may stand for stays as it was."""
        old = self._sheet(file).entries
        new = {found.key: _entry(found.obj, found.line, old.get(found.key)) for found in contents.found}
        hidden = {flaw.key for flaw in contents.flaws}
        for key, entry in old.items():
            if key not in new and (key in hidden or not contents.whole):
                new[key] = entry._replace(live=False)
        self._note_changes(file, old, new)
        sheet = _Sheet(new, contents.flaws, contents.whole)
        self._sheets[file] = sheet
        self._flawed.pop(file, None)
        if sheet.flaws:
            self._flawed[file] = sheet

    def remove(self, file: File) -> None:
        """*file* is gone for certain."""
        self.put(file, Contents())
        del self._sheets[file]

    def set_troubles(self, troubles: Mapping[File, str]) -> None:
        """Nothing is known about these files and folders now, and why."""
        self._troubles = troubles

    def take_changed(self) -> set[ObjectKey]:
        """The keys whose object may have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def get(self, key: ObjectKey) -> KubernetesObject | None:
        """The object at *key* that counts."""
        files = self._in_order(key)
        return self._sheets[files[0]].entries[key].obj if files else None

    def keys(self, kind: Kind) -> Iterator[ObjectKey]:
        """Keys of all objects of *kind*, in no order."""
        return (key for key in self._holders if key.kind == kind)

    def exists(self, key: ObjectKey) -> bool | None:
        """Whether any file describes *key*, well or badly; None if it may be where nothing can be told."""
        if any(self._sheets[file].entries[key].live for file in self._holders.get(key, ())):
            return True
        if any(flaw.key == key for sheet in self._flawed.values() for flaw in sheet.flaws):
            return True
        return None if self._troubles or not all(sheet.whole for sheet in self._flawed.values()) else False

    def problems(self) -> Problems:
        """All that is wrong now, by file and line."""
        flaws = [(file, flaw) for file, sheet in self._flawed.items() for flaw in sheet.flaws]
        flaws += [(file, Flaw(line=0, key=None, message=message)) for file, message in self._troubles.items()]
        flaws += chain.from_iterable(map(self._duplicates, self._shared))
        problems: Problems = {}
        for file, flaw in sorted(flaws, key=lambda item: (item[0], item[1].line, item[1].message)):
            place = f"{file.name}:{flaw.line}" if flaw.line else file.name
            problems.setdefault((place, flaw.key), flaw.message)
        return problems

    def _sheet(self, file: File) -> _Sheet:
        return self._sheets.get(file, _BLANK)

    def _note_changes(self, file: File, old: Mapping[ObjectKey, _Entry], new: Mapping[ObjectKey, _Entry]) -> None:
        alone = (file,)
        for key, after in new.items():
            before = old.get(key)
            if before is None:
                self._changed.add(key)
                others = self._holders.get(key, ())
                self._holders[key] = (*others, file) if others else alone
                if others:
                    self._shared.add(key)
            elif before.obj is not after.obj or before.live is not after.live:
                self._changed.add(key)
        for key in old.keys() - new.keys():
            self._changed.add(key)
            others = tuple(other for other in self._holders.pop(key) if other != file)
            if others:
                self._holders[key] = others
            if len(others) == 1:
                self._shared.discard(key)

    def _in_order(self, key: ObjectKey) -> list[File]:
        """The files that describe *key*, the one that counts first."""
        return sorted(self._holders.get(key, ()), key=lambda file: (not self._sheets[file].entries[key].live, file))

    def _duplicates(self, key: ObjectKey) -> Iterator[tuple[File, Flaw]]:
        first, *others = self._in_order(key)
        message = also_in(key, f"{first.name}:{self._sheets[first].entries[key].line}")
        for file in others:
            entry = self._sheets[file].entries[key]
            if entry.live:
                yield file, Flaw(line=entry.line, key=key, message=message)


def _entry(obj: KubernetesObject, line: int, old: _Entry | None) -> _Entry:
    """Keeps the object it knows while that is equal, so that each is in memory once."""
    return _Entry(old.obj if old is not None and old.obj == obj else obj, line, live=True)
