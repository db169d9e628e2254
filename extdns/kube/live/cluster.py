"""Implement the port `Cluster` with an API server."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from threading import Condition, Lock
from typing import Final, assert_never

from msgspec.structs import replace

from extdns.errors import describe_error
from extdns.kube.api import ApiClient
from extdns.kube.live.existence import ExistenceChecker
from extdns.kube.live.identity_reader import IdentityReader
from extdns.kube.live.monitor import ClusterMonitor
from extdns.kube.live.reflector import Reflector
from extdns.kube.live.watch_timing import WatchTiming
from extdns.kube.local_store import Delta, LocalStore, ReflectorReport, WatchedNamespaces, is_unchanged
from extdns.model.cluster import ClusterChange, IdentityRead, KindChange, KindState, ObjectChange, ObjectProblem, Phase
from extdns.model.kind import Kind, KubernetesObject, ObjectKey
from extdns.resources.kinds import STRUCTS

_CLOSING_S: Final = 2.0


class LiveCluster:
    """Implements `Cluster` with an API server.

    One thread for each kind and namespace lists and watches, once the kind is required. Only one thread may
    use `view`, `require` and `take`; any thread may call `exists` and `close`.
    """

    def __init__(  # noqa: PLR0913 - most by name
        self,
        api: ApiClient,
        *,
        namespaces: WatchedNamespaces | None = None,
        full_kinds: Collection[Kind] = (),
        keep_managers: bool = False,
        cluster_id: str = "",
        timing: WatchTiming | None = None,
        random_fraction: Callable[[], float] = random.random,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the cluster at *api*, from the first required kind on. `close` closes *api*, too.

        *namespaces* None watches all. Objects of *full_kinds* keep all fields, for templates; *keep_managers* keeps the
        managers of fields. *random_fraction* returns numbers from 0 up to 1.
        """
        self._api = api
        self._namespaces = namespaces or WatchedNamespaces()
        self._full_kinds = frozenset(full_kinds)
        self._keep_managers = keep_managers
        self._timing = timing or WatchTiming()
        self._random_fraction = random_fraction
        self._monotonic = monotonic
        self.view = LocalStore(self._require_from_view)
        self._reports = ReportQueue()
        self._identity = IdentityReader(
            api,
            lambda identity: self._reports.put(IdentityRead(identity=identity)),
            cluster_id=cluster_id,
            monotonic=monotonic,
        )
        self._existence = ExistenceChecker(
            api,
            self._timing.page_size,
            scope=self._find_scope,
            check_identity=self._identity.check,
            monotonic=monotonic,
        )
        self._monitor = ClusterMonitor(self._identity, self._existence.exists, timing=self._timing, monotonic=monotonic)
        self._lock = Lock()
        self._reflectors: dict[tuple[Kind, str], Reflector] = {}
        self._closed = False
        self._states: dict[Kind, KindState] = {}
        self._unreported: list[KindChange] = []  # required by lookups, not yet returned by `take`
        self._phases: dict[Kind, dict[str, tuple[Phase, str]]] = {}
        self._initial_objects: dict[Kind, dict[ObjectKey, KubernetesObject]] = {}  # for kinds that are not synced yet

    @property
    def decoded(self) -> int:
        """Number of object versions decoded so far; for tests and benchmarks."""
        return sum(reflector.tracker.decoded for reflector in self._reflectors.values())

    def require(self, kind: Kind) -> KindState:
        """Start to list and watch *kind* if needed. Return its state as of the last `take`."""
        if kind not in self._states:
            self._set_state(kind, Phase.LISTING)
            namespaces = self._namespaces.list_for_kind(kind) or ("",)
            self._phases[kind] = dict.fromkeys(namespaces, (Phase.LISTING, ""))
            self._initial_objects[kind] = {}
            if kind in STRUCTS or kind in self._full_kinds:
                for namespace in namespaces:
                    self._start(kind, namespace)
            else:
                detail = f"extdns does not read {kind.name} objects"
                self._reports.put(
                    ReflectorReport(kind=kind, namespace=namespaces[0], phase=Phase.NOT_SERVED, detail=detail)
                )
        return self._states[kind]

    def exists(self, key: ObjectKey) -> bool | None:
        """Ask the API server whether the object at *key* exists; None outside the watched namespaces.

        Raises:
            ApiError: the API server gives no reliable response.
        """
        if not self._namespaces.contains(key):
            return None
        exists = self._existence.exists(key)
        if exists:
            with self._lock:
                reflector = self._reflectors.get((key.kind, self._find_scope(key)))
            if reflector is not None and reflector.has_listed:
                self._monitor.report_missing(reflector, key)
        return exists

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        """Return the changes since the last call. Wait up to *timeout_s*; may return () earlier.

        Changes of one list and watch keep their order. The first changes of a kind are all of its objects,
        sorted by key, and then the change to synced. For a kind that a lookup requires first, a change to listing is
        returned.
        """
        changes: list[ClusterChange] = [*self._unreported]
        self._unreported.clear()
        for item in self._reports.take(0.0 if changes else timeout_s):
            match item:
                case IdentityRead() | ObjectProblem():
                    changes.append(item)
                case ObjectChange():
                    changes.extend(self._apply_change(item))
                case ReflectorReport(phase=phase):
                    if phase is not None:
                        changes.extend(self._combine_phase(item.kind, item.namespace, phase, item.detail))
                case _:
                    assert_never(item)
        return tuple(changes)

    def close(self) -> None:
        """End all watches and waiting calls. Afterwards `exists` fails, and no watch starts."""
        with self._lock:
            self._closed = True
            reflectors = tuple(self._reflectors.values())
        threads: tuple[ClusterMonitor | Reflector, ...] = (self._monitor, *reflectors)
        for thread in threads:
            thread.stop()
        self._api.close()
        until_s = time.monotonic() + _CLOSING_S
        for thread in threads:
            thread.join(max(0.0, until_s - time.monotonic()))
        self._reports.close()

    def _find_scope(self, key: ObjectKey) -> str:
        """Return the namespace in which objects such as *key* are listed, "" for all."""
        return key.namespace if self._namespaces.list_for_kind(key.kind) else ""

    def _require_from_view(self, kind: Kind) -> None:
        if kind not in self._states:
            self._unreported.append(KindChange(state=self.require(kind)))

    def _start(self, kind: Kind, namespace: str) -> None:
        """Start to list and watch *kind* in *namespace*. If that fails, report it: a single pass waits for the list."""
        try:
            reflector = Reflector(
                self._api,
                kind,
                namespace,
                self._reports.put,
                timing=self._timing,
                random_fraction=self._random_fraction,
                monotonic=self._monotonic,
                check_identity=self._identity.check,
                on_listed=self._monitor.report_list,
                keep_full=kind in self._full_kinds,
                keep_managers=self._keep_managers,
            )
            with self._lock:
                if not self._closed:
                    self._monitor.start()
                    self._monitor.add_reflector(reflector)
                    reflector.start()
                    self._reflectors[kind, namespace] = reflector
        except Exception as exc:  # noqa: BLE001 - law 3: other kinds do not depend on this one
            self._reports.put(
                ReflectorReport(kind=kind, namespace=namespace, phase=Phase.FAILING, detail=describe_error(exc))
            )

    def _apply_change(self, change: ObjectChange) -> Iterator[ClusterChange]:
        initial = self._initial_objects.get(change.key.kind)
        if initial is None:
            self.view.apply((change,))
            if change.old is None or change.new is None or not is_unchanged(change.old, change.new):
                yield change
        elif change.new is None:
            initial.pop(change.key, None)
        else:
            initial[change.key] = change.new

    def _combine_phase(self, kind: Kind, namespace: str, phase: Phase, detail: str) -> Iterator[ClusterChange]:
        parts = self._phases[kind]
        parts[namespace] = phase, detail
        before = self._states[kind]
        phase, detail = combine_phases(parts)
        if phase is before.phase and detail == before.detail:
            return
        self._set_state(kind, phase, detail)
        if phase is before.phase:
            return
        change = KindChange(state=self._states[kind])
        if phase is Phase.SYNCED:
            initial = self._initial_objects.pop(kind, {})
            changes = [ObjectChange(key=key, old=None, new=initial[key]) for key in sorted(initial)]
            self.view.apply((*changes, change))
            yield from changes
        yield change

    def _set_state(self, kind: Kind, phase: Phase, detail: str = "") -> None:
        before = self._states.get(kind)
        since_s = before.since_s if before is not None and before.phase is phase else self._monotonic()
        self._states[kind] = KindState(kind=kind, phase=phase, since_s=since_s, detail=detail)


_Item = ObjectChange | ObjectProblem | IdentityRead | ReflectorReport


class ReportQueue:
    """What reflectors reported and `take` has not returned yet; safe from any thread.

    Of an object, only one change waits, from the version that was taken last to the latest one, and one problem.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._items: dict[object, _Item] = {}  # changes by the key of the object, problems also by location
        self._changed = Condition()
        self._is_closed = False

    def put(self, report: ReflectorReport | IdentityRead) -> None:
        """Add what *report* has."""
        with self._changed:
            if isinstance(report, ReflectorReport):
                for delta in report.deltas:
                    self._add_delta(delta)
            if isinstance(report, IdentityRead) or report.phase is not None:
                self._items[object()] = report
            self._changed.notify()

    def _add_delta(self, delta: Delta) -> None:
        if isinstance(delta, ObjectProblem):
            self._items[delta.location, delta.key] = delta
            return
        earlier = self._items.get(delta.key)
        self._items[delta.key] = replace(delta, old=earlier.old) if isinstance(earlier, ObjectChange) else delta

    def take(self, timeout_s: float) -> tuple[_Item, ...]:
        """Return what waits, in the order in which it came; wait up to *timeout_s* if nothing does."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._is_closed, timeout_s)
            taken, self._items = self._items, {}
        return tuple(taken.values())

    def close(self) -> None:
        """Let `take` return at once from now on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()


_WORST_FIRST: Final = (
    *(Phase.UNAUTHORIZED, Phase.FORBIDDEN, Phase.NOT_SERVED, Phase.FAILING),
    *(Phase.LISTING, Phase.SYNCED),
)


def combine_phases(parts: Mapping[str, tuple[Phase, str]]) -> tuple[Phase, str]:
    """Return the worst phase in *parts* (phase and detail by namespace), and the detail of its first namespace."""
    worst = min((phase for phase, _ in parts.values()), key=_WORST_FIRST.index)
    return worst, next(detail for _, (phase, detail) in sorted(parts.items()) if phase is worst)
