"""List and watch one kind, in one namespace or in all, and retry after every failure."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from threading import Event, Lock, RLock, Thread
from typing import Final, assert_never

from extdns import log
from extdns.errors import ApiError, DeniedError, ExpiredError, NotFoundError, describe_error
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import build_collection_path
from extdns.kube.connections import ApiResponse
from extdns.kube.live import responses
from extdns.kube.live.pages import read_pages
from extdns.kube.live.watch_timing import WatchBackoff, WatchTiming
from extdns.kube.local_store import Delta, DeltaTracker, ReflectorReport
from extdns.log import Event as LogEvent
from extdns.model.cluster import Phase
from extdns.model.kind import Kind

_log = log.get(__name__)

_UNSUPPORTED_PARAMETER_CODES: Final = frozenset({400, 422})


class _NoInitialListError(Exception):
    """The watch did not begin with a complete list. The reflector lists page by page instead."""


class Reflector:
    """Lists and watches on a thread of its own, and retries after every failure.

    After a watch ends, the next one continues at the same resource version. If the connection was cut, the
    reflector first checks that the API server still knows this version, since it may have been restored
    from a backup. If the version is unknown, it lists all objects again.

    Attributes:
        tracker: the objects seen so far. Other threads may read its `decoded` and call its `contains`.
    """

    def __init__(  # noqa: PLR0913 - most by name
        self,
        api: ApiClient,
        kind: Kind,
        namespace: str,
        report: Callable[[ReflectorReport], None],
        *,
        timing: WatchTiming,
        check_identity: Callable[[float], int] = lambda _: 0,
        on_listed: Callable[[Reflector], None] = lambda _: None,
        random_fraction: Callable[[], float],
        monotonic: Callable[[], float] = time.monotonic,
        keep_full: bool = False,
        keep_managers: bool = False,
    ) -> None:
        """Prepare to list and watch *kind* in *namespace*, "" for all. *report* is called on the reflector's thread.

        *check_identity* is `IdentityReader.check`; what it returns changes when another cluster responds. *on_listed*
        is called after each complete list, and after each event while the list is distrusted. *random_fraction* returns
        numbers from 0 up to 1.
        """
        self.tracker = DeltaTracker(kind, keep_full=keep_full, keep_managers=keep_managers)
        self._api = api
        self._kind = kind
        self._kind_versions = kind.versions
        self._not_served_count = 0  # consecutive versions that are not served
        self._namespace = namespace
        self._report = report
        self._timing = timing
        self._backoff = WatchBackoff(timing, random_fraction)
        self._monotonic = monotonic
        self._use_version(self._kind_versions[0])
        self._version = ""  # everything up to this version was received; "" if a list is needed
        self._is_resuming = False  # whether the current run began with that version
        self._is_version_doubtful = False  # whether the server may have lost that version
        self._streams_lists = True
        self._failing_since_s = math.inf  # first of the consecutive failed requests and broken watches
        self._check_identity = check_identity
        self._on_listed = on_listed
        self._epoch: int | None = None  # the cluster that was listed
        self._reporting = RLock()
        self._reported_phase = self._actual_phase = Phase.LISTING
        self._actual_detail = ""
        self._distrust_reason = ""  # why the list is known to be wrong
        self._lock = Lock()
        self._stream: ApiResponse | None = None
        self._list_requested = False  # another thread requested a list
        self._lists_pages = False
        self._stop = Event()
        self._thread = Thread(target=self._run, name=f"{kind.plural} {namespace}".rstrip(), daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after its open request. To cut that request, close the API client."""
        self._stop.set()

    @property
    def has_listed(self) -> bool:
        """Whether a list of the kind was read completely and its watch runs now; safe from any thread."""
        return self._actual_phase is Phase.SYNCED and math.isinf(self._failing_since_s)

    def list_again(self) -> None:
        """Request a new list of all objects; safe from any thread."""
        with self._lock:
            self._list_requested = True
            if self._stream is not None:
                self._stream.abort()

    def follow_epoch(self, epoch: int) -> None:
        """Request a new list if *epoch* (`IdentityReader.epoch`) is not that of the last list; safe from any thread."""
        if self._epoch not in {None, epoch}:
            self.list_again()

    def distrust(self, reason: str) -> None:
        """Report the kind as failing although it was listed; safe from any thread."""
        with self._reporting:
            self._distrust_reason = self._distrust_reason or reason
            self._report_changes()

    def trust(self) -> None:
        """Undo `distrust`: report the real state of the kind again; safe from any thread."""
        with self._reporting:
            self._distrust_reason = ""
            self._report_changes()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, at most *timeout_s*."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(self._run_once())

    def _run_once(self) -> float:
        """List if needed, then watch until the watch ends. Return the pause before the next run, in seconds."""
        try:
            return self._list_and_watch()
        except NotFoundError as exc:
            self._version = ""
            if self._try_next_version():
                return 0.0
            self._backoff.reset_if_healthy(self._monotonic())
            self._report_changes(phase=Phase.NOT_SERVED, detail=str(exc))
            return self._backoff.count_failure(exc.retry_after_s)
        except DeniedError as exc:
            self._backoff.reset_if_healthy(self._monotonic())
            phase = Phase.FORBIDDEN if exc.code == HTTPStatus.FORBIDDEN else Phase.UNAUTHORIZED
            self._report_changes(phase=phase, detail=str(exc))
            return self._backoff.count_failure(exc.retry_after_s)
        except ExpiredError as exc:
            self._version = ""
            pause_s = self._handle_failure(str(exc), None)
            return 0.0 if self._is_resuming else pause_s
        except ApiError as exc:
            return self._handle_failure(str(exc), exc.retry_after_s)
        except Exception as exc:  # noqa: BLE001 - law 3: a defect must not end the watch of a kind
            self._version = ""
            return self._handle_failure(describe_error(exc), None)

    def _use_version(self, kind_version: Kind) -> None:
        self._kind_version = kind_version
        self._path = build_collection_path(kind_version, self._namespace)
        self._call = f"GET {self._path}"

    def _try_next_version(self) -> bool:
        """Switch to the next version of the kind. Return False if no version is served."""
        self._not_served_count += 1
        self._use_version(
            self._kind_versions[(self._kind_versions.index(self._kind_version) + 1) % len(self._kind_versions)]
        )
        return self._not_served_count % len(self._kind_versions) != 0

    def _handle_failure(self, message: str, retry_after_s: float | None) -> float:
        """Return the pause after a failure. Report the kind as failing if it fails again, and not for a moment only."""
        now_s = self._monotonic()
        if self._backoff.reset_if_healthy(now_s):
            self._failing_since_s = math.inf
        pause_s = self._backoff.count_failure(retry_after_s)
        if self._stop.is_set():
            return pause_s
        if math.isinf(self._failing_since_s):
            self._failing_since_s = now_s
            _log.info(LogEvent.WATCH_ENDED, kind=self._kind.name, message=message)
        elif self._actual_phase is not Phase.SYNCED or now_s - self._failing_since_s >= self._timing.failing_after_s:
            self._report_changes(phase=Phase.FAILING, detail=message)
        return pause_s

    def _list_and_watch(self) -> float:
        self._accept_list_request()
        self._is_resuming = bool(self._version)
        if self._version and self._is_version_doubtful and self._is_history_replaced():
            self._version = ""
        if not self._version and self._streams_lists and not self._lists_pages:
            try:
                return self._watch(is_list=True)
            except _NoInitialListError:
                if self._list_requested:
                    return 0.0
            except ApiError as exc:
                if exc.code not in _UNSUPPORTED_PARAMETER_CODES:
                    raise
            self._streams_lists = False
        if not self._version:
            self._list()
        return self._watch(is_list=False)

    def _accept_list_request(self) -> None:
        """If another thread requested a list, drop the resource version, so that the next run lists all objects."""
        with self._lock:
            list_requested, self._list_requested = self._list_requested, False
        if list_requested:
            # page by page, so that the answer comes from etcd: the watch cache of the API server may be wrong
            self._version, self._lists_pages = "", True

    def _is_another_cluster(self) -> bool:
        """Return whether another cluster responds than the one that was listed. If so, forget all resource versions.

        Called after the server has responded, and before its response is processed.
        """
        epoch = self._check_identity(self._monotonic())
        is_another = self._epoch not in {None, epoch}
        self._epoch = epoch
        if is_another:
            self._version = ""
            self.tracker.forget_versions()
        return is_another

    def _list(self) -> None:
        """List page by page. If the list is empty but objects were known, list again before removing them."""
        version = self._list_pages()
        if self.tracker.is_list_empty:
            version = self._list_pages()
        self._complete_list(version)

    def _list_pages(self) -> str:
        """Process a complete list. Return its resource version."""
        self.tracker.begin_list()
        version = ""
        for page in read_pages(self._api, self._kind_version, self._path, page_size=self._timing.page_size):
            if not version:
                self._is_another_cluster()
                version = page.resource_version
            with self._collect_deltas() as deltas:
                for item in page.items:
                    deltas.extend(self.tracker.receive_listed(item))
        return version

    def _complete_list(self, version: str) -> None:
        self._not_served_count = 0
        self._report_changes(self.tracker.complete_list(), phase=Phase.SYNCED)
        self._version = version
        self._failing_since_s = math.inf
        self._lists_pages = False
        self._on_listed(self)

    def _is_history_replaced(self) -> bool:
        """Return whether the API server's history has changed, so that our resource version is not valid.

        It has changed if the server does not know our version yet, or if the first object of a list is not one that we
        know. A watch from such a version would miss events. If that first object is only new, the result is one
        unnecessary list.
        """
        query = {"limit": "1", "resourceVersion": self._version, "resourceVersionMatch": "NotOlderThan"}
        try:
            page = responses.decode_list(self._kind_version, self._call, self._api.get(self._path, query))
        except ExpiredError:
            self.tracker.forget_versions()
            return True
        return not self.tracker.recognizes(page.items[0] if page.items else None)

    def _watch(self, *, is_list: bool) -> float:
        """Watch from our resource version, or with *is_list* from an initial list. Return the pause after the watch."""
        query = {"watch": "1", "allowWatchBookmarks": "true", "timeoutSeconds": str(self._backoff.choose_watch_s())}
        if is_list:
            query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        else:
            query["resourceVersion"] = self._version
        self._is_version_doubtful, has_events = True, False
        with self._api.stream(self._path, query) as stream, self._abortable(stream):
            self._backoff.start_watch(self._monotonic())
            lines = stream.read_lines()
            if self._is_another_cluster() and not is_list:
                return 0.0
            if is_list:
                self._receive_initial_list(lines)
            else:
                self._report_changes(phase=Phase.SYNCED)
            stream.set_idle_timeout(self._timing.idle_timeout_s)
            for line in lines:
                self._receive_event(responses.decode_watch_event(self._kind_version, self._call, line))
                has_events = True
        self._is_version_doubtful, self._failing_since_s = False, math.inf
        is_healthy = self._backoff.reset_if_healthy(self._monotonic())
        return 0.0 if is_healthy or has_events else self._backoff.count_failure(None)

    @contextmanager
    def _abortable(self, stream: ApiResponse) -> Iterator[None]:
        """Let `list_again` abort *stream* inside the `with` block; such an abort is not a failure."""
        with self._lock:
            self._stream = stream
            if self._list_requested:
                stream.abort()
        try:
            yield
        except ApiError:
            if not self._list_requested:
                raise
        finally:
            with self._lock:
                self._stream = None

    def _receive_initial_list(self, lines: Iterable[bytes]) -> None:
        self.tracker.begin_list()
        try:
            version = self._receive_initial_events(lines)
        except ApiError as exc:
            raise _NoInitialListError(str(exc)) from exc
        if not version or self.tracker.is_list_empty:
            raise _NoInitialListError
        self._complete_list(version)

    def _receive_initial_events(self, lines: Iterable[bytes]) -> str:
        """Process objects up to the bookmark that ends the initial list. Return its version, "" without one."""
        with self._collect_deltas() as deltas:
            for line in lines:
                match responses.decode_watch_event(self._kind_version, self._call, line):
                    case responses.ChangedEvent(item):
                        deltas.extend(self.tracker.receive_listed(item))
                    case responses.DeletedEvent(item):
                        deltas.extend(self.tracker.receive_delete(item))
                    case responses.BookmarkEvent(version, is_initial_end):
                        if is_initial_end:
                            return version
                    case other:
                        assert_never(other)
        return ""

    def _receive_event(self, frame: responses.WatchEvent) -> None:
        self._backoff.failures, self._failing_since_s = 0, math.inf
        match frame:
            case responses.ChangedEvent(item):
                self._report_changes(self.tracker.receive_change(item))
                self._version = (item.header and item.header.resource_version) or self._version
            case responses.DeletedEvent(item):
                self._report_changes(self.tracker.receive_delete(item))
                self._version = (item.header and item.header.resource_version) or self._version
            case responses.BookmarkEvent(version, _):
                self._version = version or self._version
            case _:
                assert_never(frame)
        if self._distrust_reason:
            self._on_listed(self)

    @contextmanager
    def _collect_deltas(self) -> Iterator[list[Delta]]:
        """Collect the changes of a list and report them together, since each report wakes another thread."""
        deltas: list[Delta] = []
        try:
            yield deltas
        finally:
            self._report_changes(deltas)

    def _report_changes(self, deltas: Iterable[Delta] = (), *, phase: Phase | None = None, detail: str = "") -> None:
        reported = tuple(deltas)
        with self._reporting:
            if phase is not None:
                self._actual_phase, self._actual_detail = phase, detail
            phase, detail = self._actual_phase, self._actual_detail
            if phase is Phase.SYNCED and self._distrust_reason:
                phase, detail = Phase.FAILING, self._distrust_reason
            entered = phase if phase is not self._reported_phase else None
            if entered is not None:
                self._reported_phase = entered
            if reported or entered is not None:
                report = ReflectorReport(
                    kind=self._kind, namespace=self._namespace, deltas=reported, phase=entered, detail=detail
                )
                self._report(report)
