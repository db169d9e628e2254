"""The state that the parts of the delete guard use in common, and the check for another cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from extdns.engine.approvals import Approvals, HoldCodes, compute_digest, compute_record_id
from extdns.engine.delete_budget import DeleteBudgets
from extdns.model.cluster import ClusterIdentity
from extdns.model.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.delete_budget import DeleteSettings
    from extdns.model.record import OwnedRecord, RecordKey
    from extdns.model.saved_state import Approval, SavedZone
    from extdns.model.zone import Zone

_BY_ABSENCE: Final = frozenset(one for one in Evidence if one.is_by_absence)
_INSUFFICIENT: Final = frozenset(one for one in Evidence if not one.is_sufficient)
_NONE: Final[frozenset[Evidence]] = frozenset()


class GuardState:
    """The state that the parts of the delete guard use in common.

    Attributes:
        settings: the settings that decide when a record may be deleted.
        settings_digest: the digest of the settings that decide which names are requested.
        budgets: the delete budgets.
        codes, approvals: the codes of held deletes, and what a person approved.
        zones: by id, the zones in which names were planned.
        zone_names: by id, the names of zones in the saved state.
        accepted_digests: by zone id, the settings digest that was accepted last.
        accepted: the ids of the zones for which the present settings are accepted.
        revision: a number that rises with every change that has to be saved.
        saved_revision: the last revision that was saved; infinity if nothing is saved.
        is_restored: whether the state of an earlier process is known.
        can_save: whether the state of this process can be saved for the next one.
        awaited: what all deletes wait for before any is granted, as text; "" if nothing.
        started_at: when the process started (monotonic seconds).
    """

    def __init__(self, settings: DeleteSettings, settings_digest: str) -> None:
        self.settings = settings
        self.settings_digest = settings_digest
        self.budgets = DeleteBudgets(settings.limits)
        self.codes = HoldCodes()
        self.approvals = Approvals(settings.approved_codes)
        self.zones: dict[str, Zone] = {}
        self.zone_names: dict[str, str] = {}
        self.accepted_digests: dict[str, str] = {}
        self.accepted: set[str] = set()
        self.revision = 0
        self.saved_revision = math.inf
        self.is_restored = False
        self.can_save = True
        self.awaited = ""
        self.started_at = 0.0

    def compute_digest(self, zone: Zone, owned: OwnedRecord) -> str:
        """Return the digest of the record *owned* with its ownership records, by which approvals identify it."""
        return compute_digest(self.settings.owner, zone.id, owned)

    def compute_record_id(self, zone: Zone, key: RecordKey) -> str:
        """Return the id of a record, by which saved holds identify it: an edit of the record does not change it."""
        return compute_record_id(self.settings.owner, zone.id, key)

    def find_approval(self, zone: Zone, owned: OwnedRecord) -> Approval | None:
        """Return how a person approved the delete of *owned*, None if nobody did."""
        return self.approvals.find(self.compute_digest(zone, owned))

    def is_sufficient(self, zone_id: str, evidence: Evidence) -> bool:
        """Return whether *evidence* alone allows a delete within the budgets, without approval."""
        return evidence not in self.find_insufficient(zone_id)

    def find_insufficient(self, zone_id: str) -> frozenset[Evidence]:
        """Return the evidence that does not allow a delete without approval.

        Without an owner id there are no ownership records, so nothing proves that a record was ours after its object
        has disappeared.
        """
        if not self.settings.owner:
            return _BY_ABSENCE
        return _NONE if zone_id in self.accepted else _INSUFFICIENT

    def accept_settings(self, zone_id: str) -> None:
        """Accept the present settings for the zone: `orphan-unclaimed` becomes sufficient evidence there."""
        self.accepted.add(zone_id)
        self.accepted_digests[zone_id] = self.settings_digest
        self.revision += 1

    def restore_settings(self, zone_id: str, saved: SavedZone) -> None:
        """Load the settings that an earlier process accepted for the zone."""
        self.zone_names.setdefault(zone_id, saved.name)
        self.accepted_digests.setdefault(zone_id, saved.fingerprint)
        if saved.fingerprint and saved.fingerprint == self.settings_digest:
            self.accepted.add(zone_id)

    @property
    def is_stateless(self) -> bool:
        """Whether the state of an earlier process is unknown, or that of this one cannot be saved."""
        return not (self.is_restored and self.can_save)

    @property
    def absence_ready_at(self) -> float:
        """The time from which deletes by absence may be granted (monotonic seconds); -infinity if state is known.

        Without saved state a new process does not know how many records earlier ones deleted, so it first waits for
        `stateless_wait_s`.
        """
        return self.started_at + self.settings.stateless_wait_s if self.is_stateless else -math.inf


class ClusterGuard:
    """Holds updates and deletes while the objects come from another cluster than the saved state belongs to.

    Attributes:
        saved: the cluster that the saved state belongs to.
        observed: the cluster that the objects come from, as far as it is known.
        is_other: whether these differ and nobody has accepted that yet.
        identity_deadline_at: until when updates and deletes wait for the identity (monotonic seconds), -infinity
            if they do not.
    """

    def __init__(self, state: GuardState) -> None:
        self._state = state
        self._accepted = set(state.settings.accepted_clusters)
        self._is_identified = False
        self.saved = ClusterIdentity()
        self.observed = ClusterIdentity()
        self.is_other = False
        self.identity_deadline_at = -math.inf

    @property
    def other_id(self) -> str:
        """The id of the other cluster, which a person has to accept; "" if there is no other cluster."""
        return self.observed.id if self.is_other else ""

    def identify(self, cluster: ClusterIdentity) -> bool:
        """Store the identity of the cluster that objects come from. Return whether all names must be planned again."""
        other_id, self._is_identified = self.other_id, True
        self.observed = self.observed.update(cluster)
        self._compare()
        self.adopt()
        self._state.revision += self.other_id != other_id
        return self.other_id != other_id

    def restore(self, saved: ClusterIdentity) -> None:
        """Store the cluster that the saved state names, if it names one."""
        self.saved = saved if saved.is_known else self.saved
        self._compare()

    def approve(self, codes: Iterable[str]) -> None:
        """Accept the cluster if its id is among the *codes* that a person approved."""
        self._accepted.update({self.other_id}.intersection(codes) - {""})

    def adopt(self) -> bool:
        """Let the saved state belong to the observed cluster, if it is the same or a person accepted it.

        An acceptance counts once: if the objects come from a third cluster later and then from this one again, this
        one has to be accepted again.

        Returns:
            Whether all names must be planned again.
        """
        was_other, before = self.is_other, self.saved
        if not was_other:
            self.saved = before.update(self.observed)
        elif self.other_id in self._accepted:
            self._accepted.discard(self.other_id)
            self.saved = self.observed
        self._state.revision += self.saved != before
        self._compare()
        return self.is_other is not was_other

    def _compare(self) -> None:
        settings = self._state.settings
        self.is_other = not settings.immediate and self.observed.differs_from(self.saved)
        is_waiting = self.saved.is_known and not (self._is_identified or settings.immediate)
        self.identity_deadline_at = self._state.started_at + settings.identity_timeout_s if is_waiting else -math.inf
