"""Check what a watch cannot show: whether the same cluster still responds, and whether lists agree with GETs.

If a list lacks an object that a GET finds, the list is wrong. Its kind counts as failing and is listed again: at
once, then with back-off, until a list has the object or a GET no longer finds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Final

from extdns.errors import ApiError, describe_error
from extdns.kube.live.identity_reader import IDENTITY_INTERVAL_S, IdentityReader
from extdns.kube.live.reflector import Reflector
from extdns.kube.live.watch_timing import WatchTiming
from extdns.model.kind import ObjectKey
from extdns.model.value import compute_backoff_s

_IDENTITY_FIRST_RETRY_S: Final = 1.0
_IDENTITY_RETRY_S: Final = 10.0
_RETRY_AFTER_ERROR_S: Final = 30.0


@dataclass(slots=True)
class _Contradiction:
    """Objects that GETs found and the list of one reflector lacks.

    Attributes:
        lists: how often the kind was listed again.
        due_at_s: when to list again; infinity while a list is under way.
    """

    keys: dict[ObjectKey, None] = field(default_factory=dict)
    lists: int = 0
    due_at_s: float = 0.0


class ClusterMonitor:
    """Checks on a thread of its own whether the same cluster still responds, and whether lists agree with GETs.

    All methods but `start` are safe from any thread.
    """

    def __init__(
        self,
        identity: IdentityReader,
        exists: Callable[[ObjectKey], bool],
        *,
        timing: WatchTiming,
        monotonic: Callable[[], float],
    ) -> None:
        """Use *identity* and *exists*, which sends a GET and raises `ApiError` if the response is not conclusive."""
        self._identity = identity
        self._exists = exists
        self._timing = timing
        self._monotonic = monotonic
        self._changed = Condition()
        self._reflectors: list[Reflector] = []
        self._contradictions: dict[Reflector, _Contradiction] = {}
        self._identity_due_s = 0.0
        self._identity_failures = 0  # in a row
        self._is_awake = self._is_stopping = False
        self._thread = Thread(target=self._run, name="cluster-monitor", daemon=True)

    def start(self) -> None:
        """Start the thread, unless it was started before."""
        if not self._thread.is_alive() and not self._is_stopping:
            self._thread.start()

    def stop(self) -> None:
        """End the thread after its open request. To cut that request, close the API client."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, at most *timeout_s*."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def wake(self) -> None:
        """Make the thread check the objects of `report_missing` at once, and the cluster's identity if that is due."""
        with self._changed:
            self._is_awake = True
            self._changed.notify()

    def add_reflector(self, reflector: Reflector) -> None:
        """Make *reflector* list again each time another cluster responds."""
        with self._changed:
            self._reflectors.append(reflector)

    def report_missing(self, reflector: Reflector, key: ObjectKey) -> None:
        """Report that a GET found the object at *key*, whose kind *reflector* lists."""
        if reflector.tracker.contains(key):
            return
        with self._changed:
            self._contradictions.setdefault(reflector, _Contradiction()).keys[key] = None
        reflector.distrust(f"the list lacks {key.resource}, which a GET found")
        self.wake()

    def report_list(self, reflector: Reflector) -> None:
        """Report that *reflector* completed a list, or received an event while its list is distrusted."""
        with self._changed:
            if found := self._contradictions.get(reflector):
                if found.lists:
                    timing = self._timing
                    pause_s = compute_backoff_s(timing.initial_relist_s, found.lists - 1, timing.max_relist_s)
                    found.due_at_s = min(found.due_at_s, self._monotonic() + pause_s)
                self.wake()

    def _run(self) -> None:
        while self._wait():
            try:
                self._check_all()
            except Exception as exc:  # noqa: BLE001 - law 3: a defect here must not end the checks
                self._identity.failure = describe_error(exc)
                self._identity_due_s = self._monotonic() + _RETRY_AFTER_ERROR_S

    def _wait(self) -> bool:
        """Wait until a check is due or `wake` is called. Return False once `stop` was called."""
        with self._changed:
            while not (self._is_stopping or self._is_awake):
                due_s = min([self._identity_due_s, *(one.due_at_s for one in self._contradictions.values())])
                left_s = due_s - self._monotonic()
                if left_s <= 0:
                    break
                self._changed.wait(left_s)
            self._is_awake = False
            return not self._is_stopping

    def _check_all(self) -> None:
        now_s = self._monotonic()
        if now_s >= self._identity_due_s:
            with suppress(ApiError):  # the identity is read again soon
                self._identity.check(now_s)
            pause_s = IDENTITY_INTERVAL_S
            if self._identity.failure:
                pause_s = compute_backoff_s(_IDENTITY_FIRST_RETRY_S, self._identity_failures, _IDENTITY_RETRY_S)
            self._identity_failures = self._identity_failures + 1 if self._identity.failure else 0
            self._identity_due_s = self._monotonic() + pause_s
        with self._changed:
            reflectors, contradictions = tuple(self._reflectors), tuple(self._contradictions.items())
        for reflector in reflectors:
            reflector.follow_epoch(self._identity.epoch)
        for reflector, contradiction in contradictions:
            self._check_contradiction(reflector, contradiction, now_s)

    def _check_contradiction(self, reflector: Reflector, contradiction: _Contradiction, now_s: float) -> None:
        """Trust the list of *reflector* again if it has all objects, or request another list if one is due."""
        with self._changed:
            keys = [key for key in contradiction.keys if not reflector.tracker.contains(key)]
            is_due = now_s >= contradiction.due_at_s
        if keys and is_due and contradiction.lists:
            keys = self._skip_deleted(keys)
        with self._changed:
            contradiction.keys = {key: None for key in contradiction.keys if key in set(keys)}
            if not contradiction.keys:
                del self._contradictions[reflector]
                reflector.trust()
                return
            if is_due:
                contradiction.lists += 1
                contradiction.due_at_s = math.inf
        if is_due:
            reflector.list_again()

    def _skip_deleted(self, keys: list[ObjectKey]) -> list[ObjectKey]:
        """Return *keys* from the first object on that a GET still finds, or for which the GET failed."""
        for number, key in enumerate(keys):
            try:
                if self._exists(key):
                    return keys[number:]
            except ApiError:
                return keys[number:]
        return []
