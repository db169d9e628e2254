"""A cluster made of manifests: what `--manifests` names, under the same port as a live one."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from threading import Event, Lock, Thread
from typing import BinaryIO, Final, Protocol

from extdns.flags.cluster import STANDARD_INPUT
from extdns.kube.manifests.catalogue import Problems
from extdns.kube.manifests.folders import Folders
from extdns.kube.manifests.watcher import follow
from extdns.kube.namespaces import Namespaces
from extdns.kube.store import Store, unchanged
from extdns.model.cluster import (
    ClusterChange,
    Kind,
    KindChange,
    KindState,
    ObjectChange,
    ObjectKey,
    ObjectProblem,
    Phase,
    Sight,
)
from extdns.model.objects import STRUCTS

_FRESH_S: Final = 1.0
"""A complete reading answers questions for so long, because many may be asked in a row."""

_CLOSING_S: Final = 2.0


class Follow(Protocol):
    """Tells of changes below absolute paths until the event is set; see `watcher.follow`."""

    def __call__(self, paths: Sequence[str], stop: Event, /) -> Iterator[Collection[str] | None]:
        """Yield touched paths; None for any."""
        ...


class ManifestCluster:
    """Implements `Cluster`.

    With `watch` a thread of its own reads the files, at first and whenever they change; without, they
    are read by the first `take`, and again only by `exists`. `view`, `need` and `take` belong to one
    thread; `exists` and `close` may be called from any.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        stdin: BinaryIO | None = None,
        watch: bool = True,
        namespaces: Namespaces | None = None,
        whole: Collection[Kind] = (),
        monotonic: Callable[[], float] = time.monotonic,
        follow: Follow = follow,
    ) -> None:
        """Name the files; raises `UsageError` for a path that does not exist.

        Args:
            paths: files, folders, or "-" for *stdin*; earlier ones count first.
            stdin: read once, to its end; the process's own if None.
            watch: whether to follow changes of the files.
            namespaces: where objects are taken from, if not everywhere.
            whole: kinds whose objects are kept whole, for templates; those that have no struct are, too.
            monotonic: seconds that never go back.
            follow: tells of changes; tests bring their own.
        """
        self._folders = Folders(paths, stdin=stdin, monotonic=monotonic, whole=frozenset(whole))
        self._whole = frozenset(whole)
        self._namespaces = namespaces or Namespaces()
        self._monotonic = monotonic
        self._follow = follow
        self._store = Store(self.need)
        self._states: dict[Kind, KindState] = {}
        self._asked: list[Kind] = []
        self._told: Problems = {}
        self._reading = Lock()
        self._read_at_s: float | None = None
        self._news = Event()
        self._stop = Event()
        self._thread: Thread | None = None
        if watch:
            self._thread = Thread(target=self._watch, name="manifests", daemon=True)
            self._thread.start()

    @property
    def view(self) -> Store:
        """Look-ups in what `take` has returned so far."""
        return self._store

    def need(self, kind: Kind) -> KindState:
        """Deliver *kind* from the next `take` on, and tell how far it is."""
        state = self._states.get(kind)
        if state is None:
            phase = Phase.LISTING if self._is_read(kind) else Phase.NOT_SERVED
            detail = "" if self._is_read(kind) else f"manifests are not read for {kind.name} objects"
            state = KindState(kind=kind, phase=phase, since_s=self._monotonic(), detail=detail)
            self._states[kind] = state
            self._asked.append(kind)
            self._news.set()
        return state

    def exists(self, key: ObjectKey) -> bool | None:
        """Read again and tell whether *key* is described; None if that cannot be known.

        It cannot for kinds that are not read, outside the namespaces, while a file cannot be read
        or holds what could be any object, and while a file that lacks an object has yet to settle.
        """
        if not self._is_read(key.kind) or not self._namespaces.include(key):
            return None
        with self._reading:
            if self._read_at_s is None or self._monotonic() - self._read_at_s >= _FRESH_S:
                self._look()
        return self._folders.exists(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Changes since the last call, waiting up to *timeout_s*; may come back earlier with ().

        First problems, then changed objects, then the objects of each kind first needed and that it is
        synced; each by place or key.
        """
        if self._thread is None:
            self._read_once()
        return self._collect() or (self._collect() if self._news.wait(timeout_s) else ())

    def close(self) -> None:
        """End the watching and any waiting; `take` and `exists` still answer from what was read."""
        self._stop.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join(_CLOSING_S)

    def _watch(self) -> None:
        paths = [root.path for root in self._folders.roots if root.path != STANDARD_INPUT]
        for touched in self._follow(paths, self._stop):
            with self._reading:
                if touched is None or touched:
                    self._look(touched)
                elif self._folders.is_due():
                    self._look()

    def _read_once(self) -> None:
        with self._reading:
            if self._read_at_s is None:
                self._look()

    def _look(self, touched: Collection[str] | None = None) -> None:
        self._folders.look(touched)
        if touched is None:
            self._read_at_s = self._monotonic()
        self._news.set()

    def _collect(self) -> tuple[ClusterChange, ...]:
        if not self._news.is_set():
            return ()
        self._news.clear()
        with self._folders.lock:
            if self._read_at_s is None:
                return ()
            asked, self._asked = self._asked, []
            synced = {kind for kind, state in self._states.items() if state.phase is Phase.SYNCED}
            changes = (*self._problems(), *self._changed(synced), *self._first(asked))
        self._store.apply(changes)
        return changes

    def _problems(self) -> Iterator[ObjectProblem]:
        """What is in order again, then what is newly wrong, of the kinds needed."""
        now = {at: text for at, text in self._folders.catalogue.problems().items() if self._concerns(at[1])}
        for place, key in self._told:
            if (place, key) not in now:
                yield ObjectProblem(place=place, key=key, message="")
        for (place, key), message in now.items():
            if self._told.get((place, key)) != message:
                yield ObjectProblem(place=place, key=key, message=message)
        self._told = now

    def _changed(self, kinds: Collection[Kind]) -> Iterator[ObjectChange]:
        """Changed objects of *kinds*, whose objects have been delivered before."""
        catalogue = self._folders.catalogue
        concerned = (key for key in catalogue.take_changed() if key.kind in kinds and self._namespaces.include(key))
        for key in sorted(concerned):
            old, new = self._store.peek(key), catalogue.get(key)
            if new is None and old is not None:
                yield ObjectChange(key=key, old=old, new=None, seen=Sight.DELETED)
            elif new is not None and (old is None or not unchanged(old, new)):
                yield ObjectChange(key=key, old=old, new=new)

    def _first(self, kinds: Iterable[Kind]) -> Iterator[ObjectChange | KindChange]:
        """All objects of *kinds*, each kind's followed by the news that it is synced."""
        catalogue = self._folders.catalogue
        for kind in kinds:
            for key in sorted(filter(self._namespaces.include, catalogue.keys(kind))):
                yield ObjectChange(key=key, old=None, new=catalogue.get(key))
            if self._is_read(kind):
                self._states[kind] = KindState(kind=kind, phase=Phase.SYNCED, since_s=self._monotonic())
            yield KindChange(state=self._states[kind])

    def _is_read(self, kind: Kind) -> bool:
        return kind in STRUCTS or kind in self._whole

    def _concerns(self, key: ObjectKey | None) -> bool:
        return key is None or (key.kind in self._states and self._namespaces.include(key))
