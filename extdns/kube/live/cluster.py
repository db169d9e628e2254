"""A live cluster: an API server's objects, under the same port as manifests."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Final

from extdns.kube.api import Api
from extdns.kube.live.existence import Existence
from extdns.kube.live.pace import Rhythm
from extdns.kube.live.phases import joined
from extdns.kube.live.reflector import Reflector
from extdns.kube.live.report import Report
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
)
from extdns.model.objects import STRUCTS, KubernetesObject

_ENOUGH: Final = 1000
"""Changes that are worth acting on before more are fetched."""

_CLOSING_S: Final = 2.0


class LiveCluster:
    """Implements `Cluster`.

    A thread a kind and namespace lists and watches, from when the kind is first needed. `view`, `need`
    and `take` belong to one thread; `exists` and `close` may be called from any.
    """

    def __init__(
        self,
        api: Api,
        *,
        namespaces: Namespaces | None = None,
        whole: Collection[Kind] = (),
        rhythm: Rhythm | None = None,
        chance: Callable[[], float] = random.random,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask *api*; nothing is asked before a kind is needed.

        Args:
            api: is closed together with this.
            namespaces: where objects are watched, if not everywhere.
            whole: kinds whose objects are kept whole, for templates; those that have no struct are, too.
            rhythm: times of lists and watches, if not the usual ones.
            chance: gives numbers from 0 up to 1.
            monotonic: seconds that never go back.
        """
        self._api = api
        self._namespaces = namespaces or Namespaces()
        self._whole = frozenset(whole)
        self._rhythm = rhythm or Rhythm()
        self._chance = chance
        self._monotonic = monotonic
        self._store = Store(self._demand)
        self._existence = Existence(api, self._rhythm.page_size, monotonic=monotonic)
        self._reports: SimpleQueue[Report | None] = SimpleQueue()
        self._lock = Lock()
        self._reflectors: list[Reflector] = []
        self._closed = False
        self._states: dict[Kind, KindState] = {}
        self._demanded: list[KindChange] = []  # by look-ups, which nobody was told of yet
        self._parts: dict[Kind, dict[str, tuple[Phase, str]]] = {}
        self._first: dict[Kind, dict[ObjectKey, KubernetesObject]] = {}  # of kinds not yet synced

    @property
    def view(self) -> Store:
        """Look-ups in what `take` has returned so far."""
        return self._store

    @property
    def decoded(self) -> int:
        """How many versions of objects have been decoded; for tests and benchmarks."""
        return sum(reflector.roll.decoded for reflector in self._reflectors)

    def need(self, kind: Kind) -> KindState:
        """List and watch *kind* from now on, and tell how far `take` has shown it."""
        if kind not in self._states:
            self._enter(kind, Phase.LISTING)
            namespaces = self._namespaces.of(kind) or ("",)
            self._parts[kind] = dict.fromkeys(namespaces, (Phase.LISTING, ""))
            self._first[kind] = {}
            if kind in STRUCTS or kind in self._whole:
                for namespace in namespaces:
                    self._start(kind, namespace)
            else:
                detail = f"extdns does not read {kind.name} objects"
                self._reports.put(Report(kind=kind, namespace=namespaces[0], phase=Phase.NOT_SERVED, detail=detail))
        return self._states[kind]

    def exists(self, key: ObjectKey) -> bool | None:
        """Ask the API server; None if that cannot be known, as outside the namespaces."""
        return self._existence.ask(key) if self._namespaces.include(key) else None

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Changes since the last call, waiting up to *timeout_s*; may come back earlier with ().

        What came by one list and watch is in its order; a kind is shown whole or not at all: its
        objects by key, then that it is synced. A kind that a look-up was the first to need is listing.
        """
        changes: list[ClusterChange] = [*self._demanded]
        self._demanded.clear()
        waits = timeout_s > 0 and not changes
        try:
            report = self._reports.get(timeout=timeout_s) if waits else self._reports.get_nowait()
            while report is not None:
                changes.extend(self._digested(report))
                report = self._reports.get_nowait() if len(changes) < _ENOUGH else None
        except Empty:
            pass
        return tuple(changes)

    def close(self) -> None:
        """End all watches and any waiting; none begins, and `exists` knows nothing, from then on."""
        with self._lock:
            self._closed = True
            reflectors = tuple(self._reflectors)
        for reflector in reflectors:
            reflector.stop()
        self._api.close()
        until_s = time.monotonic() + _CLOSING_S
        for reflector in reflectors:
            reflector.join(max(0.0, until_s - time.monotonic()))
        self._reports.put(None)

    def _demand(self, kind: Kind) -> None:
        if kind not in self._states:
            self._demanded.append(KindChange(state=self.need(kind)))

    def _start(self, kind: Kind, namespace: str) -> None:
        reflector = Reflector(
            self._api,
            kind,
            namespace,
            self._reports.put,
            rhythm=self._rhythm,
            random=self._chance,
            monotonic=self._monotonic,
            whole=kind in self._whole,
        )
        with self._lock:
            if not self._closed:
                reflector.start()
                self._reflectors.append(reflector)

    def _digested(self, report: Report) -> Iterator[ClusterChange]:
        first = self._first.get(report.kind)
        for news in report.news:
            if isinstance(news, ObjectProblem):
                yield news
            elif first is None:
                self._store.apply((news,))
                if news.old is None or news.new is None or not unchanged(news.old, news.new):
                    yield news
            elif news.new is None:
                first.pop(news.key, None)
            else:
                first[news.key] = news.new
        if report.phase is not None:
            yield from self._entered(report.kind, report.namespace, report.phase, report.detail)

    def _entered(self, kind: Kind, namespace: str, phase: Phase, detail: str) -> Iterator[ClusterChange]:
        parts = self._parts[kind]
        parts[namespace] = phase, detail
        before = self._states[kind]
        phase, detail = joined(parts)
        if phase is before.phase and detail == before.detail:
            return
        self._enter(kind, phase, detail)
        if phase is before.phase:
            return
        change = KindChange(state=self._states[kind])
        if phase is Phase.SYNCED:
            first = self._first.pop(kind, {})
            shown = [ObjectChange(key=key, old=None, new=first[key]) for key in sorted(first)]
            self._store.apply((*shown, change))
            yield from shown
        yield change

    def _enter(self, kind: Kind, phase: Phase, detail: str = "") -> None:
        before = self._states.get(kind)
        since_s = before.since_s if before is not None and before.phase is phase else self._monotonic()
        self._states[kind] = KindState(kind=kind, phase=phase, since_s=since_s, detail=detail)
