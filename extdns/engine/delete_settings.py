"""The settings that decide when a record may be deleted (docs/design/delete-safety.md)."""

from __future__ import annotations

from typing import Final

from extdns.model.value import Value

STATELESS_WAIT_S: Final = 600.0
"""Deletes by absence wait this long after the start without saved state, so that restarts in a row cannot add up."""

IDENTITY_TIMEOUT_S: Final = 30.0
"""Long enough to read the identity of the cluster several times."""

_ALL_PERCENT: Final = 100
_ABSENCE_WEIGHT: Final = 2


class DeleteLimits(Value, frozen=True, kw_only=True):
    """The values of `--max-delete-count` and `--max-delete-percent`. Deletes are held if they exceed both."""

    count: int = 10
    percent: int = 30

    @property
    def is_off(self) -> bool:
        """Whether nothing exceeds the limits."""
        return self.percent >= _ALL_PERCENT

    def are_exceeded(self, names: int, *, of: int, by_absence: bool) -> bool:
        """Return whether deletes of so many *names* exceed both limits, if *of* names have records of ours.

        With *by_absence*, each name counts twice. With a percentage of 100, nothing exceeds the limits.
        """
        if self.is_off:
            return False
        weight = names * (_ABSENCE_WEIGHT if by_absence else 1)
        return weight > self.count and weight * _ALL_PERCENT > self.percent * of


class DeleteSettings(Value, frozen=True, kw_only=True):
    """The settings that decide when a record may be deleted.

    Attributes:
        owner: our owner id. It is part of every code.
        grace_s: how long evidence must last.
        unresolved_timeout_s: how long a record with an unresolved claim is retained; None for ever.
        limits: the limits of every delete budget.
        stateless_wait_s: how long after the start deletes by absence wait if there is no saved state.
        identity_timeout_s: how long after the start updates and deletes wait for the identity of the cluster, if the
            saved state names a cluster; 0 if the objects do not come from a cluster.
        approved_codes: the values of `--approve`.
        accepted_clusters: the values of `--accept-cluster`.
        immediate: delete without grace period, budgets and holds, as external-dns does.
        merges_namespaces: whether claims of several namespaces are merged, so that merged records are not known.
        reads_manifests: whether objects are read from manifests. Then all deletes by absence are held while no object
            requests a name: the folder may have been emptied, or the path may be wrong.
    """

    owner: str = ""
    grace_s: float = 60.0
    unresolved_timeout_s: float | None = None
    limits: DeleteLimits = DeleteLimits()
    stateless_wait_s: float = 0.0
    identity_timeout_s: float = 0.0
    approved_codes: tuple[str, ...] = ()
    accepted_clusters: tuple[str, ...] = ()
    immediate: bool = False
    merges_namespaces: bool = False
    reads_manifests: bool = False
