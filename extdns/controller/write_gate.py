"""The write gate: the one place that decides whether this process may write now."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from extdns.engine.inputs import LeadershipChanged
from extdns.flags.process import MAX_WRITE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from extdns.ports import Lease


class WriteGate:
    """Decide whether a write may begin now.

    The gate is open unless this is a dry run, a required approval is missing, or another process may lead. With
    `--leader-elect`, the lease must last longer than any write (`MAX_WRITE_S`), so that the write ends first.

    Whatever writes calls `is_open` immediately before its I/O: each batch, each request of a provider that waited for
    the API rate limit, each save of the state, each Event, and each status of an object or policy.

    Attributes:
        lease: the lease of the leader election; None if this is the only process.
        is_dry_run: whether nothing may ever be written; then no writer is built either.
    """

    def __init__(self, lease: Lease | None = None, *, is_dry_run: bool = False, needs_approval: bool = False) -> None:
        """Start as a standby if there is a *lease*, and closed until `approve` is called if *needs_approval*."""
        self.lease = lease
        self.is_dry_run = is_dry_run
        self._is_approved = not needs_approval
        self._was_leader = lease is None
        self._is_election_started = False

    def is_open(self) -> bool:
        """Return whether a write may begin now; safe from any thread."""
        return self._is_approved and not self.is_dry_run and self._is_leader()

    def approve(self) -> None:
        """Allow writes: a person approved the plan."""
        self._is_approved = True

    def start_election(self, on_renewal: Callable[[], None]) -> None:
        """Start the leader election, if there is one. Calling it again has no effect.

        *on_renewal* is called from any thread when the lease was acquired or renewed.
        """
        if self.lease and not self._is_election_started:
            self._is_election_started = True
            self.lease.start(on_renewal)

    def take_leadership_change(self) -> LeadershipChanged | None:
        """Return whether this process leads now if that changed since the last call, else None."""
        is_leader = self._is_leader()
        if is_leader is self._was_leader:
            return None
        self._was_leader = is_leader
        return LeadershipChanged(is_leader=is_leader)

    def find_deadline(self, now_s: float) -> float:
        """Return the monotonic time at which leadership ends without a renewal; infinity if not an elected leader."""
        return now_s + self.lease.left_s() - MAX_WRITE_S if self.lease and self._was_leader else math.inf

    def read_term(self) -> int:
        """Return the term of the lease, 0 without one; safe from any thread."""
        return self.lease.term if self.lease else 0

    def describe(self) -> dict[str, dict[str, str]]:
        """Describe the leader election for the readiness endpoint; {} without one."""
        if self.lease is None:
            return {}
        return {"election": {"role": "leader" if self._was_leader else "standby", **self.lease.describe()}}

    def close(self, *, release: bool) -> None:
        """End the election. With *release*, another process may lead at once, else when the lease expires."""
        if self.lease:
            self.lease.close(release=release)

    def _is_leader(self) -> bool:
        return self.lease is None or self.lease.left_s() >= MAX_WRITE_S
