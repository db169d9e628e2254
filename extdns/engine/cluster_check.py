"""Whether the objects come from the cluster that the saved state belongs to (docs/design/delete-safety.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from extdns.model.cluster import ClusterIdentity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extdns.engine.delete_settings import DeleteSettings


class ClusterCheck:
    """Compares the cluster that objects come from with the one that the saved state names.

    Attributes:
        saved: the cluster that the saved state belongs to.
        observed: the cluster that the objects come from, as far as it is known.
        is_other: whether these differ and nobody has accepted that yet. Then updates and deletes are held.
        started_at: when the process started (monotonic seconds).
        revision: a number that rises with every change that has to be saved.
    """

    def __init__(self, settings: DeleteSettings) -> None:
        self._settings = settings
        self._accepted = set(settings.accepted_clusters)
        self._is_identified = False
        self.saved = ClusterIdentity()
        self.observed = ClusterIdentity()
        self.is_other = False
        self.started_at = 0.0
        self.revision = 0

    @property
    def other_id(self) -> str:
        """The id of the other cluster, which a person has to accept; "" if there is no other cluster."""
        return self.observed.id if self.is_other else ""

    @property
    def identity_deadline_at(self) -> float:
        """Until when updates and deletes wait for the identity (monotonic seconds), -infinity if they do not."""
        is_waiting = self.saved.is_known and not (self._is_identified or self._settings.immediate)
        return self.started_at + self._settings.identity_timeout_s if is_waiting else -math.inf

    def identify(self, cluster: ClusterIdentity) -> bool:
        """Store the identity of the cluster that objects come from. Return whether all names must be planned again."""
        other_id, self._is_identified = self.other_id, True
        self.observed = self.observed.update(cluster)
        self._compare()
        self.adopt()
        self.revision += self.other_id != other_id
        return self.other_id != other_id

    def load(self, saved: ClusterIdentity) -> None:
        """Store the cluster that the saved state names, if it names one."""
        self.saved = saved if saved.is_known else self.saved
        self._compare()

    def approve(self, codes: Iterable[str]) -> None:
        """Accept the cluster if its id is among the *codes* that a person approved."""
        self._accepted.update({self.other_id}.intersection(codes) - {""})

    def adopt(self) -> bool:
        """Let the saved state belong to the observed cluster, if it is the same or a person accepted it.

        An acceptance counts once: if the objects come from a third cluster later and then from this one again, this
        one has to be accepted again. Return whether all names must be planned again.
        """
        was_other, before = self.is_other, self.saved
        if not was_other:
            self.saved = before.update(self.observed)
        elif self.other_id in self._accepted:
            self._accepted.discard(self.other_id)
            self.saved = self.observed
        self.revision += self.saved != before
        self._compare()
        return self.is_other is not was_other

    def _compare(self) -> None:
        self.is_other = not self._settings.immediate and self.observed.differs_from(self.saved)
