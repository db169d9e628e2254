"""Limits, windows and scopes of the delete budget (docs/design/delete-safety.md, "Budgets").

A scope is a zone, a zone and a namespace, or all zones together. Each has a `DeleteBudget`, which counts the deletes of
the last ten minutes, those that wait and those that are held, and compares the sum with the `DeleteLimits`. Deletes by
absence have a sum of their own and half of the limits. `DeleteBudgets` holds the budgets of all scopes.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.model.evidence import ALL_ZONES, Scope
from extdns.model.kind import find_namespace
from extdns.model.saved_state import SavedScope
from extdns.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


WINDOW_S: Final = 600.0

STATELESS_WAIT_S: Final = 600.0
"""Deletes by absence wait this long after the start without saved state, so that restarts in a row cannot add up."""

IDENTITY_TIMEOUT_S: Final = 30.0
"""Long enough to read the identity of the cluster several times."""

_ALL_PERCENT: Final = 100
_ABSENCE_WEIGHT: Final = 2
_BUCKET_S: Final = 1.0
_MIN_BEFORE_DROP: Final = 64  # budgets, before idle ones are dropped without a save


class DeleteLimits(Value, frozen=True, kw_only=True):
    """The values of `--max-delete-count` and `--max-delete-percent`. Deletes are held if they exceed both."""

    count: int = 10
    percent: int = 30

    def are_exceeded(self, deletes: int, *, of: int, by_absence: bool) -> bool:
        """Return whether the number of *deletes* exceeds both limits, if there are *of* records of ours.

        With *by_absence*, each delete counts twice. With a percentage of 100, nothing exceeds the limits.
        """
        if self.percent >= _ALL_PERCENT:
            return False
        weight = deletes * (_ABSENCE_WEIGHT if by_absence else 1)
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


class DeleteCount(NamedTuple):
    """The number of deletes made within one second, the last of them at *at_s* (monotonic seconds)."""

    at_s: float
    by_absence: bool
    deletes: int = 1


class OwnedMaximum(NamedTuple):
    """A number of records of ours, and until when there were that many (monotonic seconds).

    The percentage of `--max-delete-percent` refers to the largest such number in the window.
    """

    until_s: float
    records: int


class DeleteBudget:
    """The deletes of one scope: made in the window, waiting, and held.

    Attributes:
        owned: how many records of ours there are now.
        waiting: how many deletes with evidence wait or are granted, as two numbers: deletes not by absence, and deletes
            by absence.
        held: how many held deletes still count, also as these two numbers.
    """

    __slots__ = ("_delete_counts", "_limits", "_owned_maxima", "_sums", "held", "owned", "waiting")

    def __init__(self, limits: DeleteLimits) -> None:
        self._limits = limits
        self._delete_counts: tuple[list[DeleteCount], list[DeleteCount]] = ([], [])  # one a second
        self._sums = [0, 0]
        self._owned_maxima: deque[OwnedMaximum] = deque()  # from the largest to the smallest
        self.waiting = [0, 0]
        self.held = [0, 0]
        self.owned = 0

    @property
    def delete_counts(self) -> tuple[DeleteCount, ...]:
        """The deletes made in the window, counted by second, oldest first."""
        return tuple(sorted((*self._delete_counts[False], *self._delete_counts[True])))

    @property
    def owned_maxima(self) -> tuple[OwnedMaximum, ...]:
        """The numbers of owned records that can still be the maximum of the window, oldest first."""
        return tuple(self._owned_maxima)

    @property
    def deleted(self) -> int:
        """The number of deletes made in the window."""
        return sum(self._sums)

    def restore(self, counts: Iterable[DeleteCount], maxima: Iterable[OwnedMaximum]) -> None:
        """Add what an earlier process counted in the window. Both *counts* and *maxima* are sorted, oldest first."""
        earlier: tuple[list[DeleteCount], list[DeleteCount]] = ([], [])
        for one in counts:
            earlier[one.by_absence].append(one)
            self._sums[one.by_absence] += one.deletes
        for kind in (False, True):
            self._delete_counts[kind][:0] = earlier[kind]
        own, self._owned_maxima = self._owned_maxima, deque(maxima)
        for maximum in own:
            self._append(maximum)

    def add_owned(self, count: int, now_s: float) -> None:
        """Add *count* owned records. A negative number removes them."""
        self._expire(now_s)
        self._append(OwnedMaximum(now_s, self.owned))
        self.owned += count

    def spend(self, now_s: float, *, by_absence: bool) -> None:
        """Count one delete that was made without approval, at *now_s* (monotonic seconds)."""
        counts = self._delete_counts[by_absence]
        self._sums[by_absence] += 1
        if counts and counts[-1].at_s // _BUCKET_S == now_s // _BUCKET_S:
            counts[-1] = DeleteCount(now_s, by_absence, counts[-1].deletes + 1)
        else:
            counts.append(DeleteCount(now_s, by_absence))

    def refund(self, at_s: float, *, by_absence: bool) -> None:
        """Remove a delete that `spend` counted at *at_s*, but that was not made.

        Args:
            at_s: when it was counted (monotonic seconds).
            by_absence: whether its evidence is by absence; these deletes have a count of their own.
        """
        counts = self._delete_counts[by_absence]
        for index, one in enumerate(counts):
            if one.at_s // _BUCKET_S == at_s // _BUCKET_S:
                counts[index] = one._replace(deletes=one.deletes - 1)
                self._sums[by_absence] -= 1
                return

    def is_exceeded(self, now_s: float, *, by_absence: bool, without: int = 0) -> bool:
        """Return whether the number of deletes made, waiting and held, minus *without*, exceeds the limits.

        With *by_absence*, only deletes by absence count; without it, only the others.
        """
        self._expire(now_s)
        deletes = self._sums[by_absence] + self.waiting[by_absence] + self.held[by_absence] - without
        of = max(self.owned, self._owned_maxima[0].records if self._owned_maxima else 0)
        return self._limits.are_exceeded(deletes, of=of, by_absence=by_absence)

    def is_idle(self, now_s: float) -> bool:
        """Return whether the budget can be dropped.

        It can if no delete waits or is held, and within the window none was made and no record was owned.
        """
        self._expire(now_s)
        return not (self.owned or any(self.waiting) or any(self.held) or any(self._sums) or self._owned_maxima)

    def _expire(self, now_s: float) -> None:
        for kind in (False, True):
            counts = self._delete_counts[kind]
            while counts and counts[0].at_s + WINDOW_S <= now_s:
                self._sums[kind] -= counts.pop(0).deletes
        while self._owned_maxima and self._owned_maxima[0].until_s + WINDOW_S <= now_s:
            self._owned_maxima.popleft()

    def _append(self, maximum: OwnedMaximum) -> None:
        while self._owned_maxima and self._owned_maxima[-1].records <= maximum.records:
            self._owned_maxima.pop()
        self._owned_maxima.append(maximum)


def list_scopes(zone_id: str, resource: str, *, by_absence: bool) -> tuple[Scope, ...]:
    """Return the scopes in which a delete counts, the narrowest first. Only deletes by absence count over all zones."""
    zone = Scope(zone_id)
    namespace = find_namespace(resource)
    scopes = (Scope(zone_id, namespace), zone) if namespace else (zone,)
    return (*scopes, ALL_ZONES) if by_absence else scopes


def sort_narrow_first(scopes: Iterable[Scope]) -> list[Scope]:
    """Return *scopes* sorted: namespaces, then zones, then all zones."""
    return sorted(scopes, key=lambda scope: (not scope.namespace, scope == ALL_ZONES, scope))


class DeleteBudgets:
    """The delete budgets of all scopes, each built when it is first used.

    Attributes:
        unchecked: scopes in which the number of waiting deletes rose since it was last compared with the limits.
    """

    def __init__(self, limits: DeleteLimits) -> None:
        self._limits = limits
        self._budgets: dict[Scope, DeleteBudget] = {}
        self._exceeded: dict[str, set[Scope]] = {}  # namespaces over budget, by zone: see `is_exceeded`
        self._newly_exceeded: set[Scope] = set()
        self._max_before_drop = _MIN_BEFORE_DROP
        self.unchecked: set[Scope] = set()

    def budget(self, scope: Scope) -> DeleteBudget:
        """Return the budget of *scope*."""
        found = self._budgets.get(scope)
        if found is None:
            found = self._budgets[scope] = DeleteBudget(self._limits)
        return found

    def add_owned(self, counts: Mapping[tuple[str, str], int], now_s: float) -> None:
        """Add records of ours that appeared at the same time. A negative number removes records.

        The counts of a zone are summed before they are added: a record that passes from one namespace to another must
        not be in the maximum of its zone twice.

        Args:
            counts: the number of records, by zone id and the namespace of their resources.
            now_s: monotonic seconds.
        """
        if len(self._budgets) > self._max_before_drop:
            self._drop_idle(now_s)
        by_scope: Counter[Scope] = Counter()
        for (zone_id, namespace), count in counts.items():
            for scope in {Scope(zone_id, namespace), Scope(zone_id), ALL_ZONES}:
                by_scope[scope] += count
        for scope, count in by_scope.items():
            if count:
                self.budget(scope).add_owned(count, now_s)

    def spend(self, scopes: tuple[Scope, ...], now_s: float, *, by_absence: bool) -> None:
        """Count one delete that was made without approval in the budgets of *scopes*."""
        for scope in scopes:
            self.budget(scope).spend(now_s, by_absence=by_absence)

    def refund(self, scopes: tuple[Scope, ...], at_s: float, *, by_absence: bool) -> None:
        """Remove a delete from the budgets of *scopes*, as `DeleteBudget.refund` does."""
        for scope in scopes:
            self.budget(scope).refund(at_s, by_absence=by_absence)

    def add_waiting(self, scopes: tuple[Scope, ...], count: int, *, by_absence: bool) -> None:
        """Add *count* waiting deletes to the budgets of *scopes*. A negative number removes them."""
        for scope in scopes:
            self.budget(scope).waiting[by_absence] += count
        if count > 0:
            self.unchecked.update(scopes)

    def add_held(self, scopes: tuple[Scope, ...], count: int, *, by_absence: bool) -> None:
        """Add *count* held deletes to the budgets of *scopes*. A negative number removes them."""
        for scope in scopes:
            self.budget(scope).held[by_absence] += count

    def take_unchecked(self) -> set[Scope]:
        """Return `unchecked` and empty it."""
        unchecked, self.unchecked = self.unchecked, set()
        return unchecked

    def take_newly_exceeded(self) -> tuple[Scope, ...]:
        """Return the scopes of namespaces that went over budget since the last call, sorted."""
        newly, self._newly_exceeded = self._newly_exceeded, set()
        return tuple(sorted(newly))

    def is_exceeded(self, scope: Scope, now_s: float, *, by_absence: bool) -> bool:
        """Return whether *scope* is over budget. Call this for the namespaces of a zone before the zone.

        If a namespace is over its own budget, its deletes do not count in the budget of the zone, so that the loss of
        one tenant does not hold the deletes of others. Deletes by absence always count in both.
        """
        budget, without = self.budget(scope), 0
        namespaces = self._exceeded.setdefault(scope.zone_id, set())
        if not (scope.namespace or by_absence):
            without = sum(self.budget(one).waiting[False] for one in namespaces)
        exceeded = budget.is_exceeded(now_s, by_absence=by_absence, without=without)
        if scope.namespace and not by_absence:
            if exceeded and scope not in namespaces:
                self._newly_exceeded.add(scope)
            (namespaces.add if exceeded else namespaces.discard)(scope)
        return exceeded

    def restore(self, scope: Scope, saved: SavedScope) -> None:
        """Add to the budget of *scope* what an earlier process counted in the window and saved."""
        if saved.made or saved.most:
            counts = (DeleteCount(*one) for one in saved.made)
            self.budget(scope).restore(counts, (OwnedMaximum(*one) for one in saved.most))

    def save(self, now_s: float) -> dict[Scope, SavedScope]:
        """Return, by scope, the counts of the window to save. Idle budgets of namespaces are dropped first."""
        self._drop_idle(now_s)
        return {
            scope: SavedScope(made=budget.delete_counts, most=(*budget.owned_maxima[:1], (now_s, budget.owned)))
            for scope, budget in self._budgets.items()
        }

    def _drop_idle(self, now_s: float) -> None:
        """Drop the idle budgets of namespaces (`DeleteBudget.is_idle`)."""
        for scope in [one for one, budget in self._budgets.items() if one.namespace and budget.is_idle(now_s)]:
            del self._budgets[scope]
            self._exceeded.get(scope.zone_id, set()).discard(scope)
        self._max_before_drop = max(_MIN_BEFORE_DROP, 2 * len(self._budgets))
