"""Whether this process is the leader, and when to load and save the state of the delete guard.

See docs/design/replicas.md, "Who writes", and docs/design/state.md.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from extdns.engine.delete_settings import STATELESS_WAIT_S
from extdns.engine.effects import Effect, LoadState, ReadApprovals, SaveState
from extdns.model.reason import Reason
from extdns.model.value import compute_backoff_s

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Container, Iterable
    from collections.abc import Set as AbstractSet

    from extdns.engine.decisions import Decisions
    from extdns.engine.delete_guard import DeleteGuard
    from extdns.engine.inputs import StateFailed
    from extdns.engine.settings import EngineSettings
    from extdns.engine.zones import Zones
    from extdns.model.change import Decision
    from extdns.model.dns_name import DnsName
    from extdns.model.saved_state import Approval, Saved

_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0
_MAX_AWAITED_FAILURES: Final = 5  # consecutive, within about 15 s; then deletes no longer wait for the state
_APPROVAL_INTERVAL_S: Final = 10.0
_SAVE_INTERVAL_S: Final = 1.0


_NOT_LEADER: Final = "only the leader makes deletes, and this process is not the leader"
_NOT_LOADED: Final = "no delete is made before the saved state was read"
_NOT_IDENTIFIED: Final = "no delete is made before it is known which cluster the objects come from"


NO_SAVED_STATE: Final = (
    "no saved state was found, although records of ours exist: what was deleted or held before, and for which cluster,"
    " is not known"
)


class StateSync:
    """Loads the state of the delete guard from the state store, and saves it there.

    Attributes:
        is_approved: whether the plan was approved, or needs no approval.
        is_ready: whether deletes may be decided: this process is the leader, and the state was loaded or cannot be.
        loss_until_at: until when a loss of the saved state is reported (monotonic seconds), infinity if there is none.
    """

    def __init__(self, settings: EngineSettings, zones: Zones, guard: DeleteGuard, leadership: Leadership) -> None:
        self._has_store = settings.has_state_store
        self._is_store_missing = settings.is_state_store_missing
        self._has_writer = settings.has_writer
        self._is_single_pass = settings.once
        self.is_approved = not settings.needs_approval
        self._zones = zones
        self._guard = guard
        self._leadership = leadership
        self._is_loaded = False
        self._sent_revision: int | None = None  # the last revision that was sent to the state store
        self._is_waiting = False  # for an answer of the state store
        self._ignores_answer = False  # because the request was sent before the leader changed
        self._failures = 0  # in a row
        self._failure = ""  # why the last request failed
        self._awaits_retry = False  # whether deletes wait for the retry of a failed request
        self._loss, self.loss_until_at = "", math.inf  # why the saved state could not be used, while that matters
        self._is_new = False
        self._has_former_records: bool | None = None  # whether records of ours existed at the end of the first pass
        self._next_request_at = self._next_approvals_at = 0.0
        self._next_save_at = -math.inf  # at most one save a second, so that a burst of events is one
        self.is_ready = leadership.is_leader and not self._has_store

    @property
    def may_write(self) -> bool:
        """Whether this process may write records and state: it is the leader, no dry run, and has its approval."""
        return self._leadership.is_leader and self._has_writer and self.is_approved

    def change_leadership(self, now_s: float) -> None:
        """Load the state again after this process became the leader. A standby neither loads nor saves."""
        self.is_ready = self._leadership.is_leader and not self._has_store
        self._is_loaded, self._sent_revision = False, None
        self._ignores_answer, self._next_request_at = self._is_waiting, now_s
        self._failures, self._failure, self._awaits_retry = 0, "", False

    def describe_awaited(self, now_s: float) -> str:
        """Describe what all deletes wait for: leadership, saved state or the identity of the cluster; "" if nothing."""
        if not self.is_ready:
            return _NOT_LOADED if self._leadership.is_leader else _NOT_LEADER
        return _NOT_IDENTIFIED if now_s < self._guard.cluster.identity_deadline_at else ""

    def update_awaited(self, now_s: float) -> AbstractSet[DnsName]:
        """Store in the delete guard what all deletes wait for. If that changed, return the names to plan again."""
        awaited = self.describe_awaited(now_s)
        return set() if awaited == self._guard.awaited else self._guard.set_awaited(awaited)

    # answers of the state store

    def handle_loaded(self, saved: Saved, now_s: float) -> set[DnsName]:
        """Load the state of an earlier process into the delete guard. Return the names to plan again."""
        if self._is_outdated():
            return set()
        names = self._guard.load(saved, now_s)  # first: if it raises, the state does not count as loaded
        self._is_loaded, self._next_request_at, self.is_ready = True, now_s, True
        self._loss, self._is_new, self.loss_until_at = saved.load_error, saved.is_new, now_s + STATELESS_WAIT_S
        self._succeed()
        return names | self._guard.confirm_saved(self._guard.revision if self.may_write else math.inf, now_s)

    def handle_answer(self, approved: Iterable[Approval], now_s: float) -> set[DnsName]:
        """Process the answer to saving the state or reading approvals. Return the names to plan again."""
        if self._is_outdated():
            return set()
        self._is_waiting = False
        names = self._guard.approve(approved, now_s)
        if self._sent_revision is None and self.may_write:
            return names  # approvals were read, and saving may still fail
        self._succeed()
        return names if self._sent_revision is None else names | self._guard.confirm_saved(self._sent_revision, now_s)

    def handle_failure(self, failed: StateFailed, now_s: float) -> set[DnsName]:
        """Schedule a retry of a failed load or save; return the names whose deletes need not wait any longer.

        Deletes wait for the first five attempts only. They do not wait for a person: to grant a permission, or in a
        single pass to renew the credentials. An API server that has just started answers that a permission is missing,
        too, until it has read the roles.
        """
        if self._is_outdated():
            return set()
        backoff_s = compute_backoff_s(_FIRST_PAUSE_S, self._failures, _LONGEST_PAUSE_S)
        self._failures, self._failure = self._failures + 1, failed.message
        awaits_person = failed.forbidden or (failed.unauthorized and self._is_single_pass)
        self._awaits_retry = not awaits_person and self._failures < _MAX_AWAITED_FAILURES
        self._is_waiting, self._sent_revision = False, None
        self._next_request_at = now_s + backoff_s
        if self._awaits_retry:
            return set()
        self.is_ready = True
        return self._guard.set_state_unavailable(now_s)

    def _succeed(self) -> None:
        self._is_waiting, self._failures, self._failure, self._awaits_retry = False, 0, "", False

    def _is_outdated(self) -> bool:
        """Return whether to ignore the answer that arrived, because leadership changed after the request was sent."""
        is_outdated, self._ignores_answer = self._ignores_answer, False
        if is_outdated:
            self._is_waiting = False
        return is_outdated

    # requests to the state store

    def take_due(self, now_s: float) -> tuple[Effect, ...]:
        """Return the effect that loads or saves the state or reads approvals, if one is due; at most one at a time."""
        if now_s >= self.loss_until_at:
            self._loss, self._is_new, self.loss_until_at = "", False, math.inf
        if not (self._has_store and self._leadership.is_leader) or self._is_waiting or now_s < self._next_request_at:
            return ()
        if not self._is_loaded:
            self._is_waiting = True
            return (LoadState(),)
        if now_s >= self._next_approvals_at and self._guard.needs_approval:
            self._is_waiting, self._next_approvals_at = True, now_s + _APPROVAL_INTERVAL_S
            return (ReadApprovals(),)
        if self._is_unsaved and now_s >= self._next_save_at:
            self._is_waiting, self._sent_revision = True, self._guard.revision
            self._next_save_at = now_s + _SAVE_INTERVAL_S
            return (SaveState(saved=self._guard.save(now_s)),)
        return ()

    @property
    def _is_unsaved(self) -> bool:
        """Whether the state has changed since the last save."""
        return self.may_write and self._guard.revision != self._sent_revision

    @property
    def next_deadline_at(self) -> float:
        """When `take_due` has to be called without an input (monotonic seconds), infinity if never."""
        if not (self._has_store and self._leadership.is_leader) or self._is_waiting:
            return math.inf
        save_at = max(self._next_request_at, self._next_save_at) if self._is_loaded and self._is_unsaved else math.inf
        if self._guard.needs_approval:
            return min(save_at, max(self._next_request_at, self._next_approvals_at))
        return save_at if save_at < math.inf else self._next_request_at

    def is_busy(self, now_s: float) -> bool:
        """Return whether a load or save is under way or due, so that the process should not end yet."""
        is_due = now_s >= self._next_request_at or self._awaits_retry
        return self._has_store and (self._is_waiting or (is_due and (not self._is_loaded or self._is_unsaved)))

    @property
    def problem(self) -> str:
        """Why the state of an earlier process is not known, or that of this one cannot be saved; "" if neither."""
        if self._is_store_missing and self._leadership.is_leader:
            return "no state is saved: neither --state-configmap nor --state-file is set"
        if not (self._has_store and self._leadership.is_leader):
            return ""
        if not self._is_loaded:
            cause = self._failure or "no answer yet"
            return f"earlier holds are unknown: the saved state was not read: {cause}"
        if self._failure:
            return f"the state cannot be saved: {self._failure}"
        if self._loss:
            return f"earlier holds are unknown: the saved state was lost: {self._loss}"
        return NO_SAVED_STATE if self._is_new and self._has_former_records else ""

    # end of a full pass

    def end_pass(self, unjudged: Counter[str], now_s: float, *, is_complete: bool) -> None:
        """Conclude after a full pass what holds for the zones in which every record that is or may be ours was judged.

        Loaded holds and grants whose records are gone are dropped, no further record becomes merged, and the present
        settings are accepted unless a record is held for insufficient evidence. What can be of any zone stays while a
        zone of the saved state is not listed. *unjudged* says by zone id how many names were not judged, *is_complete*
        whether every source was read.
        """
        guard = self._guard
        if self._has_former_records is None:
            self._has_former_records = any(guard.budget(zone_state.zone.id).owned for zone_state in self._zones)
        if not (self._is_loaded and is_complete) or guard.cluster.is_other:
            return
        listed = {zone_state.zone.id: zone_state.cache for zone_state in self._zones}
        judged = [zone_id for zone_id, cache in listed.items() if cache.is_complete and not unjudged[zone_id]]
        for zone_id in judged:
            guard.drop_unread(zone_id, now_s)
            guard.merged.complete(zone_id)
            if zone_id not in guard.accepted and not guard.has_insufficient_evidence(zone_id):
                guard.accept_settings(zone_id)
        if 0 < len(judged) == len(listed) and guard.zone_names.keys() <= listed.keys():
            guard.drop_unread("", now_s)


class Leadership:
    """Whether this process is the leader (docs/design/replicas.md, "Who writes").

    A standby plans as the leader does, from the same objects and records, but writes nothing, grants no delete and
    reports no decisions. A new leader reports all decisions, and reads the names again that it would write: the former
    leader may have written them.

    Attributes:
        is_leader: always true without an election.
        unreported: names whose decisions the new leader has not reported yet.
    """

    def __init__(self, settings: EngineSettings, zones: Zones, decisions: Decisions, guard: DeleteGuard) -> None:
        """Start as a standby if there is an election, else as the leader."""
        self._guard = guard
        self._zones = zones
        self._decisions = decisions
        self.unreported: set[DnsName] = set()
        self.is_leader = not settings.has_election
        self._is_single_pass = settings.once

    def change(self, *, is_leader: bool, now_s: float) -> set[DnsName]:
        """Become the leader or a standby; return the names to plan again."""
        self.is_leader = is_leader
        if not is_leader:
            self.unreported = set()
            return self._guard.demote(now_s)
        self.unreported = {decision.name for decision in self._decisions}
        for zone_state in self._zones:
            zone_state.queue.read_again()
        return set()

    def select_reportable(self, new: tuple[Decision, ...], dirty: Container[DnsName]) -> tuple[Decision, ...]:
        """Return the decisions to report: none on a standby, else *new* ones; after an election also earlier ones.

        Earlier decisions about *dirty* names, and about names that are being read again, are reported later. In a
        single pass, `in-grace` is left out: such a delete is made in that pass, as soon as the saved state contains it.
        """
        if not self.is_leader:
            return ()
        if self._is_single_pass:
            new = tuple([decision for decision in new if decision.reason is not Reason.IN_GRACE])
        if not self.unreported:
            return new
        ready = {name for name in self.unreported if not (name in dirty or self._is_read_again(name))}
        if not ready:
            return new
        self.unreported -= ready
        former = [decision for name in ready for decision in self._decisions.decisions(name)]
        others = [decision for decision in new if decision.name not in ready]
        return tuple(sorted(former + others, key=lambda decision: decision.sort_key))

    def _is_read_again(self, name: DnsName) -> bool:
        return any(name in zone_state.queue.reads.names for zone_state in self._zones.containing(name))
