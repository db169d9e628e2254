"""Load manifests that changed, and index the objects and problems of all files."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Final, NamedTuple

from extdns.errors import UsageError, describe_cause, escape_unprintable
from extdns.flags.process import STANDARD_INPUT
from extdns.kube.manifests.manifest_files import (
    FileStamp,
    ManifestFile,
    list_files,
    read_file,
    was_removed,
)
from extdns.kube.manifests.reader import describe_duplicate, read_manifests
from extdns.kube.manifests.rendering import HELM, KUSTOMIZE, find_folder, summarize_by_folder
from extdns.kube.object_decoder import DecodedObject, DocumentProblem, FileContents
from extdns.model.kind import Kind, KubernetesObject, ObjectKey

_REMOVED: Final[FileStamp] = ()
_TICK_NS: Final = 100_000_000
"""Longer than a tick of the clock of file systems. Writes within one tick may give a file the same stamp."""

_WITHOUT_KIND: Final = ("/kustomization.yaml", "/kustomization.yml")
"""Files that are often in a folder of manifests, and in which `kind` is optional."""

_ALLOWED: Final = {
    "manifests": 'a file, a folder, or "-" for standard input',
    "policy-rules": "a file, a folder, or cluster",
    "cluster-snapshot": "a file with the output of `extdns snapshot`",
}
"""By flag: the values that are allowed."""


class ManifestLoader:
    """Keeps a `ManifestIndex` up to date with the files below some paths.

    A file that lost objects or became invalid is suspect: it counts only once it is the same in two readings, since
    editors may truncate or move a file before they write it, and write it in parts.

    Only one thread at a time may call `refresh`. It holds `lock` only while it changes the index, so that
    other threads can use the index while files are read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        stdin: BinaryIO | None,
        full_kinds: Collection[Kind] = (),
        flag: str = "manifests",
        requires_files: bool = False,
    ) -> None:
        """Prepare to read *paths*. Raises `UsageError`, which names *flag*, for a path that does not exist.

        With *requires_files*, a folder without any file counts as unreadable, so objects that it had stay.
        """
        self.roots = tuple(ManifestFile.root(number, path) for number, path in enumerate(paths))
        self.index = ManifestIndex()
        self.lock = Lock()
        self._stdin = stdin
        self._requires_files = requires_files
        self._full_kinds = full_kinds
        self._known: dict[ManifestFile, FileStamp] = {}
        self._suspect: dict[ManifestFile, FileStamp] = {}
        for root in self.roots:
            _ensure_exists(root, flag)

    def refresh(self) -> bool:
        """Read the files that changed. Return whether there may be other objects or problems. Never raises."""
        settled_ns = time.time_ns() - _TICK_NS
        listing = list_files(self.roots, requires_files=self._requires_files)
        stamps = {file: stamp for file, stamp in listing.files.items() if stamp != self._known.get(file)}
        gone = [file for file in self._known if file not in listing.files and not listing.may_contain(file)]
        stamps |= dict.fromkeys(gone, _REMOVED)
        contents = {file: self._read_contents(file) if stamp else FileContents() for file, stamp in stamps.items()}
        unreadable = {file: f"cannot be read: {error}" for file, error in listing.unreadable.items()}
        with self.lock:
            previous, self._suspect = self._suspect, {}
            for file, stamp in stamps.items():
                self._accept(file, stamp, contents[file], settled_ns, is_same=previous.get(file) == stamp)
            return self.index.set_unreadable(unreadable) or bool(stamps)

    def exists(self, key: ObjectKey) -> bool | None:
        """Return whether a file described the object at the last refresh; None if that is uncertain."""
        with self.lock:
            return None if self._suspect else self.index.exists(key)

    def _accept(
        self, file: ManifestFile, stamp: FileStamp, contents: FileContents, settled_ns: int, *, is_same: bool
    ) -> None:
        """Use the *contents* of *file*, unless it is suspect. *is_same*: it was, and has not changed since then."""
        became_invalid = self._known.get(file) and any(not problem.is_ignored for problem in contents.problems)
        if not is_same and (became_invalid or self.index.would_remove(file, contents)):
            self._suspect[file] = stamp
        elif stamp == _REMOVED:
            self.index.remove(file)
            del self._known[file]
        else:
            self.index.put(file, contents)
            readable = all(problem.line for problem in contents.problems)
            known = stamp if stamp[-1] <= settled_ns else stamp[:-1]
            self._known[file] = known if readable else _REMOVED  # another stamp: the next refresh reads it again

    def _read_contents(self, file: ManifestFile) -> FileContents:
        try:
            data = read_file(file.path, self._stdin)
        except OSError as error:
            if was_removed(file):
                return FileContents()  # removed since it was listed
            problem = DocumentProblem(line=0, message=f"cannot be read: {describe_cause(error)}")
            return FileContents(problems=(problem,))
        return read_manifests(data, file.name, self._full_kinds, manifests_only=file.path == STANDARD_INPUT)


def _ensure_exists(root: ManifestFile, flag: str) -> None:
    if root.path == STANDARD_INPUT:
        return
    try:
        Path(root.path).stat()
    except OSError as error:
        problem = f"--{flag}={escape_unprintable(root.name)} cannot be read: {describe_cause(error)}"
        raise UsageError(f"{problem}; allowed: {_ALLOWED[flag]}") from error


ProblemMessages = dict[tuple[str, ObjectKey | None], str]
"""Messages by location and, if known, object."""


class _Entry(NamedTuple):
    """An object in a file. *is_valid* is false if a problem in a newer version of the file may hide the object."""

    obj: KubernetesObject
    line: int
    is_valid: bool


class ManifestIndex:
    """Indexes the objects and problems of all files.

    If several files describe one object, valid entries come before others, then the first file wins. It does
    no I/O. Calls must not overlap.
    """

    def __init__(self) -> None:
        """Start without files."""
        self._entries_by_file: dict[ManifestFile, Mapping[ObjectKey, _Entry]] = {}
        self._problems_by_file: dict[ManifestFile, FileContents] = {}  # without objects
        self._unreadable: Mapping[ManifestFile, str] = {}
        self._files_by_key: dict[ObjectKey, tuple[ManifestFile, ...]] = {}
        self._duplicated: set[ObjectKey] = set()
        self._changed: set[ObjectKey] = set()

    def would_remove(self, file: ManifestFile, contents: FileContents) -> bool:
        """Return whether *contents* certainly lacks an object that *file* had before."""
        if not contents.is_complete:
            return False
        stays = {found.key for found in contents.found} | {problem.key for problem in contents.problems}
        return any(key not in stays for key in self._entries_by_file.get(file, ()))

    def put(self, file: ManifestFile, contents: FileContents) -> None:
        """Replace the contents of *file*. Objects that a problem in the new contents may hide stay as they were."""
        old = self._entries_by_file.get(file, {})
        new = {one.key: _build_entry(one, old.get(one.key)) for one in contents.found}
        hidden = {problem.key for problem in contents.problems}
        for key, entry in old.items():
            if key not in new and (key in hidden or not contents.is_complete):
                new[key] = entry._replace(is_valid=False)
        self._record_changes(file, old, new)
        self._entries_by_file[file] = new
        self._problems_by_file.pop(file, None)
        if contents.problems:
            self._problems_by_file[file] = FileContents(problems=contents.problems)

    def remove(self, file: ManifestFile) -> None:
        """Remove the objects and problems of *file*."""
        self.put(file, FileContents())
        del self._entries_by_file[file]

    def set_unreadable(self, errors: Mapping[ManifestFile, str]) -> bool:
        """Replace the errors of the files and folders that cannot be read. Return whether they are others."""
        before, self._unreadable = self._unreadable, errors
        return errors != before

    def take_changed(self) -> set[ObjectKey]:
        """Return the keys of objects that may have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def get(self, key: ObjectKey) -> KubernetesObject | None:
        """Return the object at *key* from the file that wins, or None."""
        files: Sequence[ManifestFile] = self._files_by_key.get(key, ())
        if len(files) > 1:
            files = self._list_files_in_order(key)
        return self._entries_by_file[files[0]][key].obj if files else None

    def find_file(self, key: ObjectKey) -> str:
        """Return the name of the file that wins for the object at *key*; "" if no file describes it."""
        files = self._list_files_in_order(key)
        return files[0].name if files else ""

    def list_all_keys(self) -> Iterable[ObjectKey]:
        """Return the keys of all objects, in no particular order."""
        return self._files_by_key.keys()

    def list_keys(self, kind: Kind) -> Iterator[ObjectKey]:
        """Yield the keys of all objects of *kind* in no particular order."""
        return (key for key in self._files_by_key if key.kind == kind)

    def exists(self, key: ObjectKey) -> bool | None:
        """Return whether any file describes *key*, even with problems; None if an incompletely read one might."""
        if any(self._entries_by_file[file][key].is_valid for file in self._files_by_key.get(key, ())):
            return True
        incomplete = self._problems_by_file.values()
        if any(problem.key == key for contents in incomplete for problem in contents.problems):
            return True
        return None if self._unreadable or not all(contents.is_complete for contents in incomplete) else False

    def find_problems(
        self, is_relevant: Callable[[ObjectKey | None], bool] = lambda _: True, *, is_ignored: bool = False
    ) -> ProblemMessages:
        """Return the messages of all problems with relevant objects, sorted by file and line, folders last.

        With *is_ignored*, return those about documents that cannot be Kubernetes objects instead, without those in
        kustomization files and Helm charts.
        """
        names = {file.name for file in self._entries_by_file}
        found = [
            (file, problem)
            for file, contents in self._problems_by_file.items()
            for problem in contents.problems
            if problem.is_ignored is is_ignored and not (is_ignored and not problem.tool and _is_for_tool(file, names))
        ]
        if not is_ignored:
            unreadable = self._unreadable.items()
            found += [(file, DocumentProblem(line=0, message=message)) for file, message in unreadable]
            found += [one for key in self._duplicated for one in self._find_duplicates(key, names)]
        found.sort(key=lambda item: (item[0], item[1].line, item[1].message))
        relevant = [(file.name, problem) for file, problem in found if is_relevant(problem.key)]
        problems: ProblemMessages = {}
        for location, problem in summarize_by_folder(relevant, names):
            problems.setdefault((location, problem.key), problem.message)
        return problems

    def _record_changes(
        self, file: ManifestFile, old: Mapping[ObjectKey, _Entry], new: Mapping[ObjectKey, _Entry]
    ) -> None:
        alone = (file,)
        for key, after in new.items():
            before = old.get(key)
            if before is None:
                self._changed.add(key)
                others = self._files_by_key.get(key, ())
                self._files_by_key[key] = (*others, file) if others else alone
                if others:
                    self._duplicated.add(key)
            elif before.obj is not after.obj or before.is_valid is not after.is_valid:
                self._changed.add(key)
        for key in old.keys() - new.keys():
            self._changed.add(key)
            others = tuple(other for other in self._files_by_key.pop(key) if other != file)
            if others:
                self._files_by_key[key] = others
            if len(others) == 1:
                self._duplicated.discard(key)

    def _list_files_in_order(self, key: ObjectKey) -> list[ManifestFile]:
        """List the files that describe *key*, starting with the one that wins."""
        return sorted(
            self._files_by_key.get(key, ()),
            key=lambda file: (not self._entries_by_file[file][key].is_valid, file),
        )

    def _find_duplicates(
        self, key: ObjectKey, names: Collection[str]
    ) -> Iterator[tuple[ManifestFile, DocumentProblem]]:
        first, *others = self._list_files_in_order(key)
        message = describe_duplicate(key, f"{first.name}:{self._entries_by_file[first][key].line}")
        for file in others:
            entry = self._entries_by_file[file][key]
            if entry.is_valid:
                tool = KUSTOMIZE if find_folder(file.name, KUSTOMIZE, names) else ""
                yield file, DocumentProblem(line=entry.line, key=key, message=message, tool=tool)


def _is_for_tool(file: ManifestFile, names: Collection[str]) -> bool:
    return file.path.endswith(_WITHOUT_KIND) or bool(find_folder(file.name, HELM, names))


def _build_entry(found: DecodedObject, old: _Entry | None) -> _Entry:
    """Build an entry. Reuse the old object if it is equal, so that it is in memory only once."""
    return _Entry(old.obj if old is not None and old.obj == found.obj else found.obj, found.line, is_valid=True)
