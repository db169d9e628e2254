"""Elect the process that may write, with a Lease (coordination.k8s.io/v1).

`LeaseStateMachine` is a pure state machine::

            ReadLease ◀──────────── every retry period
               │ free, or ours already
               ▼
           WriteLease ── confirmed ──▶ leader ── every retry period ──▶ WriteLease …
               ▲                        │ not confirmed within the renew deadline: not leader, retry
               └────────────────────────┘ held by another process: ReadLease

`LeaderElector` runs it on a thread, and `LeaseStore` (lease_store.py) reads and writes the Lease. Each write names the
version that was read, so only one of two processes succeeds.

A Lease is free if it was released, or if it was not renewed for its duration. A Lease that was deleted still belongs to
its last holder for the same duration, because a person may have deleted it while the holder is writing.

Each process measures time with its own steady clock. The holder measures from when it sent the renewal that was
confirmed, other processes from when they saw it. So the holder stops before another process can take over, even if
their clocks differ.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from extdns import log
from extdns.errors import ApiError, ConflictError, DeniedError, describe_error
from extdns.kube.lease_store import LeaderElectionRecord, LeaseStore
from extdns.log import Event
from extdns.model.value import Value
from extdns.ports import Clock


class ReadLease(Value, frozen=True, kw_only=True):
    """The request to read the Lease."""


class WriteLease(Value, frozen=True, kw_only=True):
    """The request to set the holder of the Lease if its version is *expected_version*; "" creates the Lease."""

    holder: str
    expected_version: str


LeaseRequest = ReadLease | WriteLease


class LeaderElectionConfig(Value, frozen=True, kw_only=True):
    """The durations of the election. All processes that share a Lease should use the same ones.

    Attributes:
        renew_deadline_s: how long a holder stays leader without a renewal; shorter than *lease_duration_s*.
    """

    lease_duration_s: float = 30.0
    renew_deadline_s: float = 15.0
    retry_period_s: float = 2.0


class LeaseStateMachine:
    """The state machine of one process, with at most one open request.

    Attributes:
        term: see `extdns.ports.Lease`.
        next_at_s: when to call `take_request` again, unless a request is open.
    """

    def __init__(self, identity: str, rules: LeaderElectionConfig) -> None:
        """Take part as *identity*, which must be unique to this run of this process."""
        self.term = 0
        self._identity = identity
        self._config = rules
        self._record: LeaderElectionRecord | None = None
        self._seen_at_s = 0.0
        self._is_missing = True
        self._is_current = False
        self._open_request: LeaseRequest | None = None
        self._requested_at_s = 0.0
        self._renewed_at_s: float | None = None
        self._is_releasing = False
        self.next_at_s = 0.0

    def take_request(self, now_s: float) -> LeaseRequest | None:
        """Return the request to send at *now_s*; None if none is due, or the last one has no result yet.

        Its result is for `record_answer` or `record_failure`.
        """
        if self._open_request is not None:
            return None
        self._open_request, self._requested_at_s = self._choose_request(now_s), now_s
        return self._open_request

    def record_answer(self, record: LeaderElectionRecord | None, now_s: float) -> None:
        """Record the Lease as the open request read or wrote it. *record* is None if the Lease does not exist."""
        is_write, is_new = isinstance(self._open_request, WriteLease), record != self._record
        self._observe(record, now_s)
        if is_write and self._is_ours and is_new:  # other processes notice a renewal only by a new version
            self._renewed_at_s = self._requested_at_s
        if is_write:
            self.next_at_s = now_s + self._config.retry_period_s
        elif self._is_ours or self._is_free(now_s):
            self.next_at_s = now_s
        else:
            self.next_at_s = min(now_s + self._config.retry_period_s, self._free_at_s)

    def record_failure(self, now_s: float) -> None:
        """Record that the open request failed. If no response arrived, it may have taken effect."""
        self._open_request, self._is_current = None, False
        self.next_at_s = now_s + self._config.retry_period_s

    def release(self) -> None:
        """Release the Lease, if this process holds it, and do not acquire it again."""
        self._is_releasing = True

    def left_s(self, now_s: float) -> float:
        """Return for how many seconds no other process can hold the Lease.

        0 if this process does not hold it, is releasing it, or has not renewed it within the deadline.
        """
        renewed_at_s = self._renewed_at_s
        if renewed_at_s is None or self._is_releasing or now_s - renewed_at_s >= self._config.renew_deadline_s:
            return 0.0
        return self._config.lease_duration_s - (now_s - renewed_at_s)

    @property
    def holder(self) -> str:
        """The holder in the Lease as last read or written, "" if it had none."""
        return self._record.holder if self._record else ""

    def _observe(self, record: LeaderElectionRecord | None, now_s: float) -> None:
        self._open_request, self._is_current, self._is_missing = None, True, record is None
        if record is not None and record != self._record:
            self._record, self._seen_at_s = record, now_s
        if not self._is_ours:
            self._renewed_at_s = None
            self.term += 1

    @property
    def _is_ours(self) -> bool:
        return self._record is not None and self._record.holder == self._identity and not self._is_missing

    def _is_free(self, now_s: float) -> bool:
        if self._record is None or self._record.holder in {"", self._identity}:
            return True
        return now_s >= self._free_at_s

    @property
    def _free_at_s(self) -> float:
        """When the Lease of another process expires, if it is not renewed."""
        return self._seen_at_s + ((self._record and self._record.duration_s) or self._config.lease_duration_s)

    def _choose_request(self, now_s: float) -> LeaseRequest | None:
        if self._is_releasing:
            return self._build_write("") if self._is_ours and self._is_current else None
        if now_s < self.next_at_s:
            return None
        return (
            self._build_write(self._identity)
            if self._is_current and (self._is_ours or self._is_free(now_s))
            else ReadLease()
        )

    def _build_write(self, holder: str) -> WriteLease:
        self._is_current = False
        return WriteLease(
            holder=holder, expected_version=self._record.version if self._record and not self._is_missing else ""
        )


_log = log.get(__name__)

_RELEASE_TIMEOUT_S: Final = 3.0
_PERMISSIONS: Final = "get, create and update on leases"


class LeaderElector:
    """Implements `extdns.ports.Lease` by a Lease of the API server."""

    def __init__(self, store: LeaseStore, identity: str, rules: LeaderElectionConfig, clock: Clock) -> None:
        """Take part in the election for the Lease at *store* as *identity*, once `start` is called."""
        self._store = store
        self._identity = identity
        self._config = rules
        self._clock = clock
        self._election = LeaseStateMachine(identity, rules)
        self._stop = threading.Event()
        self._releases = False
        self._on_renewal: Callable[[], None] = lambda: None
        self._failures: dict[type[LeaseRequest], str] = {}
        self._holder = ""
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)

    def start(self, on_renewal: Callable[[], None]) -> None:
        """Start the election on a thread, which calls *on_renewal* after each successful write of the Lease."""
        self._on_renewal = on_renewal
        self._thread.start()

    def left_s(self) -> float:
        """Return for how many seconds no other process can hold the Lease; 0 if not leader. Safe from any thread."""
        return self._election.left_s(self._clock.monotonic_s())

    @property
    def term(self) -> int:
        """A number that changes if another process may have held the Lease. Safe from any thread."""
        return self._election.term

    def describe(self) -> Mapping[str, str]:
        """Return `lease`, `holder` ("nobody" if none), and, if requests fail, their errors as `message`."""
        description = {"lease": str(self._store), "holder": self._holder or "nobody"}
        message_text = "; ".join(tuple(self._failures.values()))
        return description | ({"message": message_text} if message_text else {})

    def close(self, *, release: bool) -> None:
        """End the election. With *release*, another process may take the Lease at once, else after it expires."""
        self._releases = release
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_RELEASE_TIMEOUT_S)
        self._store.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._advance()
            self._stop.wait(max(0.0, self._election.next_at_s - self._clock.monotonic_s()))
        if self._releases:
            self._election.release()
            self._advance()

    def _advance(self) -> None:
        """Send what is due now."""
        while (request := self._election.take_request(self._clock.monotonic_s())) is not None:
            try:
                record = self._send(request)
            except ApiError as exc:
                self._election.record_failure(self._clock.monotonic_s())
                if not isinstance(exc, ConflictError):  # another process wrote first
                    self._log_failure(request, str(exc), _PERMISSIONS if isinstance(exc, DeniedError) else None)
            except Exception as exc:  # noqa: BLE001 - law 3: after an unexpected error the election goes on without a renewal
                self._election.record_failure(self._clock.monotonic_s())
                self._log_failure(request, describe_error(exc), None)
            else:
                self._failures.pop(type(request), None)
                self._election.record_answer(record, self._clock.monotonic_s())
                self._log_holder()
                if isinstance(request, WriteLease):
                    self._on_renewal()

    def _send(self, request: LeaseRequest) -> LeaderElectionRecord | None:
        if isinstance(request, ReadLease):
            return self._store.read()
        return self._store.write(
            holder=request.holder,
            expected_version=request.expected_version,
            duration_s=self._config.lease_duration_s,
            now=self._clock.now(),
        )

    def _log_failure(self, request: LeaseRequest, message: str, needs: str | None) -> None:
        """Log that *request* failed, unless it failed with the same message since it last succeeded."""
        if message != self._failures.get(type(request)):
            self._failures[type(request)] = message
            _log.warning(Event.LEASE_FAILED, lease=str(self._store), message=message, needs=needs)

    def _log_holder(self) -> None:
        if self._election.holder != self._holder:
            self._holder = self._election.holder
            if self._holder not in {"", self._identity}:
                _log.info(Event.STANDBY, lease=str(self._store), holder=self._holder)
