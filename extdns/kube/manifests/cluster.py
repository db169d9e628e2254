"""Implement the port `Cluster` with manifests."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from threading import Event, Lock, Thread
from typing import BinaryIO, Final

from extdns.kube.local_store import LocalStore, WatchedNamespaces, is_unchanged
from extdns.kube.manifests.loader import ManifestLoader, ProblemMessages
from extdns.model.cluster import (
    ClusterChange,
    ClusterIdentity,
    IdentityRead,
    KindChange,
    KindState,
    ObjectChange,
    ObjectProblem,
    Phase,
    Sighting,
)
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectRef
from extdns.model.value import format_count
from extdns.resources.kinds import STRUCTS

_CHECK_S: Final = 1.0
"""How often the watch compares files. After a check that takes long, the pause is 50 times as long."""

_PAUSE_FACTOR: Final = 50
_MIN_INTERVAL_S: Final = 0.5
"""The shortest time between two readings. It is long enough that a file which is the same in both is complete."""

_CLOSING_S: Final = 2.0
_MANIFEST: Final = "manifest"


class ManifestCluster:
    """Implements `Cluster` with manifests.

    With *watch*, a thread compares the files every second, and reads those that changed. Without it, the first `take`
    reads them, and only `exists` and `refresh` read them again. Only one thread may use `view`, `require` and `take`;
    any thread may call the others.
    """

    def __init__(  # noqa: PLR0913 - most by name
        self,
        paths: Sequence[str],
        *,
        stdin: BinaryIO | None = None,
        watch: bool = True,
        namespaces: WatchedNamespaces | None = None,
        full_kinds: Collection[Kind] = (),
        cluster_id: str = "",
        map_sources: Callable[[], Mapping[Kind, str]] = dict,
        monotonic: Callable[[], float] = time.monotonic,
        flag: str = "manifests",
        requires_files: bool = False,
    ) -> None:
        """Prepare to read *paths*: files, folders, or "-" for *stdin*, None for that of the process.

        A path that does not exist raises `UsageError`, which names *flag*. If several paths describe one object, the
        first one wins. *namespaces* None reads all. Objects of *full_kinds* keep all fields, for templates; those of
        `--unstructured-resource` are among them. The first `take` reports *cluster_id* before all other changes.
        *map_sources* returns the kinds that sources read, each with the name of a source; it is called at most once,
        and only if there are objects of kinds that nobody required. With *requires_files*, a folder without any file
        counts as unreadable.
        """
        self._full_kinds = frozenset(full_kinds)
        self._loader = ManifestLoader(
            paths, stdin=stdin, full_kinds=self._full_kinds, flag=flag, requires_files=requires_files
        )
        self._namespaces = namespaces or WatchedNamespaces()
        self._monotonic = monotonic
        self._identities = [IdentityRead(identity=ClusterIdentity(configured_id=cluster_id))] if cluster_id else []
        self.view = LocalStore(self.require)
        self._states: dict[Kind, KindState] = {}
        self._new_kinds: list[Kind] = []
        self._reported: ProblemMessages = {}
        self._reported_ignored: ProblemMessages = {}
        self._map_sources = map_sources
        self._unread: ProblemMessages | None = None
        self._refresh_lock = Lock()
        self._read_at_s: float | None = None
        self._has_changes = Event()
        self._stop = Event()
        self._thread: Thread | None = None
        if watch:
            self._thread = Thread(target=self._watch, name="manifests", daemon=True)
            self._thread.start()

    def require(self, kind: Kind) -> KindState:
        """Make `take` report objects of *kind* from its next call on. Return the current state of *kind*."""
        state = self._states.get(kind)
        if state is None:
            phase = Phase.LISTING if self._is_read(kind) else Phase.NOT_SERVED
            detail = "" if self._is_read(kind) else f"manifests are not read for {kind.name} objects"
            state = KindState(kind=kind, phase=phase, since_s=self._monotonic(), detail=detail)
            self._states[kind] = state
            self._new_kinds.append(kind)
            self._has_changes.set()
        return state

    def exists(self, key: ObjectKey) -> bool | None:
        """Read the files again, and return whether they describe the object at *key*; None if that is uncertain.

        It is uncertain for kinds and namespaces that are not read, while a file cannot be read or contains an
        unidentified object, and shortly after a change of a file by which it lost an object or became invalid.
        """
        if not self._is_read(key.kind) or not self._namespaces.contains(key):
            return None
        self.refresh()
        return self._loader.exists(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Return the changes since the last call. Wait up to *timeout_s*; may return () earlier.

        The order is: `--cluster-id` in the first call, problems that were solved, new problems, changed objects, then
        for each newly required kind its objects and its change to synced. New problems are sorted by location, objects
        by key.
        """
        if self._thread is None and self._read_at_s is None:
            self.refresh()
        return self._collect() or (self._collect() if self._has_changes.wait(timeout_s) else ())

    def close(self) -> None:
        """End the watch and waiting calls. `take` and `exists` can still be called."""
        self._stop.set()
        self._has_changes.set()
        if self._thread is not None:
            self._thread.join(_CLOSING_S)

    def refresh(self) -> None:
        """Read the files that changed since the last reading, unless that was just now."""
        with self._refresh_lock:
            if self._read_at_s is not None and self._monotonic() - self._read_at_s < _MIN_INTERVAL_S:
                return
            is_first = self._read_at_s is None
            has_changed = self._loader.refresh()
            self._read_at_s = self._monotonic()
            if is_first or has_changed:
                self._has_changes.set()

    def _watch(self) -> None:
        while not self._stop.is_set():
            began_at_s = time.monotonic()
            self.refresh()
            self._stop.wait(max(_CHECK_S, _PAUSE_FACTOR * (time.monotonic() - began_at_s)))

    def _collect(self) -> tuple[ClusterChange, ...]:
        if not self._has_changes.is_set():
            return ()
        self._has_changes.clear()
        with self._loader.lock:
            if self._read_at_s is None:
                return ()
            new_kinds, self._new_kinds = self._new_kinds, []
            synced = {kind for kind, state in self._states.items() if state.phase is Phase.SYNCED}
            changes = (*self._list_problems(), *self._list_changed(synced), *self._list_initial(new_kinds))
        self.view.apply(changes)
        identities, self._identities = self._identities, []
        return (*identities, *changes)

    def _list_problems(self) -> Iterator[ObjectProblem]:
        """List the problems that were solved, then the new ones, of required kinds."""
        problems = self._loader.index.find_problems(self._is_relevant)
        if self._unread is None:
            self._unread = dict(self._find_unread())
        ignored = self._loader.index.find_problems(is_ignored=True) | self._unread
        yield from _compare_problems(self._reported, problems, is_ignored=False)
        yield from _compare_problems(self._reported_ignored, ignored, is_ignored=True)
        self._reported, self._reported_ignored = problems, ignored

    def _find_unread(self) -> Iterator[tuple[tuple[str, ObjectKey | None], str]]:
        """Yield for each kind that no source reads a message about its objects that may request names.

        Objects of the core group request names only by an annotation.
        """
        index, found = self._loader.index, dict[Kind, list[ObjectKey]]()
        for key in index.list_all_keys():
            if key.kind not in self._states and self._namespaces.contains(key):
                found.setdefault(key.kind, []).append(key)
        sources = self._map_sources() if found else {}
        for kind in sorted(found.keys() & sources.keys(), key=lambda one: one.name):
            keys = sorted(key for key in found[kind] if kind.group or _has_hostname(index.get(key)))
            if keys:
                others = f" and {format_count(len(keys) - 1, 'other object')}" if len(keys) > 1 else ""
                text = f"{ObjectRef(key=keys[0])}{others} may request names, but no --source reads kind {kind.name}"
                yield (index.find_file(keys[0]), keys[0]), f"{text}\nadd --source={sources[kind]}"

    def _list_changed(self, kinds: Collection[Kind]) -> Iterator[ObjectChange]:
        """List the objects of *kinds* that have changed. `take` has returned the objects of these kinds before."""
        index = self._loader.index
        changed = (key for key in index.take_changed() if key.kind in kinds and self._namespaces.contains(key))
        for key in sorted(changed):
            old, new = self.view.peek(key), index.get(key)
            if new is None and old is not None:
                yield ObjectChange(key=key, old=old, new=None, seen=Sighting.DELETED)
            elif new is not None and (old is None or not is_unchanged(old, new)):
                yield ObjectChange(key=key, old=old, new=new, file=index.find_file(key))

    def _list_initial(self, kinds: Iterable[Kind]) -> Iterator[ObjectChange | KindChange]:
        """List the objects of each of *kinds*, all newly required, followed by the kind's change to synced."""
        index = self._loader.index
        for kind in kinds:
            for key in sorted(filter(self._namespaces.contains, index.list_keys(kind))):
                yield ObjectChange(key=key, old=None, new=index.get(key), file=index.find_file(key))
            if self._is_read(kind):
                self._states[kind] = KindState(kind=kind, phase=Phase.SYNCED, since_s=self._monotonic())
            yield KindChange(state=self._states[kind])

    def _is_read(self, kind: Kind) -> bool:
        return kind in STRUCTS or kind in self._full_kinds

    def _is_relevant(self, key: ObjectKey | None) -> bool:
        return key is None or (key.kind in self._states and self._namespaces.contains(key))


def _has_hostname(obj: KubernetesObject | None) -> bool:
    annotations = obj.metadata.annotations if obj else None
    return any(key.startswith("external-dns.") and key.endswith("hostname") for key in annotations or ())


def _compare_problems(before: ProblemMessages, after: ProblemMessages, *, is_ignored: bool) -> Iterator[ObjectProblem]:
    """Yield the problems of *before* that were solved, then those of *after* that are new or changed."""
    for location, key in before:
        if (location, key) not in after:
            yield ObjectProblem(location=location, key=key, message="", what=_MANIFEST, is_ignored=is_ignored)
    for (location, key), message in after.items():
        if before.get((location, key)) != message:
            yield ObjectProblem(location=location, key=key, message=message, what=_MANIFEST, is_ignored=is_ignored)
