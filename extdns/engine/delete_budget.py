"""Windows and scopes of the delete budget (docs/design/delete-safety.md, "Budgets").

A scope is a zone, a zone and a namespace, or all zones together. Each has a `DeleteBudget`, which counts the names with
deletes of the last ten minutes, deletes that wait and deletes that are held, and compares their number with the
`DeleteLimits`. Deletes by absence have a number of their own and half of the limits. `DeleteBudgets` holds the budgets
of all scopes.
"""

from __future__ import annotations

from collections import Counter, deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.model.evidence import ALL_ZONES, Scope
from extdns.model.kind import parse_namespace
from extdns.model.saved_state import SavedScope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from extdns.engine.delete_settings import DeleteLimits
    from extdns.model.record import RecordKey

WINDOW_S: Final = 600.0

_BUCKET_S: Final = 1.0
_MIN_BEFORE_DROP: Final = 64  # budgets, before idle ones are dropped without a save


CountedName = tuple[str, str, str]
"""What counts as one name: zone id, name and set identifier."""


def identify_name(zone_id: str, key: RecordKey) -> CountedName:
    """Return the name as which the record *key* counts."""
    return zone_id, key.name, key.set_identifier


class Count(NamedTuple):
    """How one delete counts: as which name, in which scopes, and whether among the deletes by absence."""

    scopes: tuple[Scope, ...]
    name: CountedName
    by_absence: bool


class DeleteCount(NamedTuple):
    """The number of names with deletes made within one second, the last of them at *at_s* (monotonic seconds)."""

    at_s: float
    by_absence: bool
    names: int = 1


class OwnedMaximum(NamedTuple):
    """A number of names with records of ours, and until when there were that many (monotonic seconds).

    The percentage of `--max-delete-percent` refers to the largest such number in the window.
    """

    until_s: float
    names: int


class DeleteBudget:
    """The names in one scope with a delete that was made in the window, waits, or is held. Each counts once.

    Attributes:
        owned: how many names have records of ours now.
    """

    __slots__ = ("_counted", "_expiries", "_limits", "_loaded", "_made", "_owned_maxima", "owned")

    def __init__(self, limits: DeleteLimits) -> None:
        self._limits = limits
        self._counted: tuple[Counter[CountedName], Counter[CountedName]] = (Counter(), Counter())
        self._made: tuple[dict[CountedName, float], dict[CountedName, float]] = ({}, {})  # when its last delete was
        self._expiries: list[tuple[float, bool, CountedName]] = []
        self._loaded = 0  # how many names an earlier process counted
        self._owned_maxima: deque[OwnedMaximum] = deque()  # from the largest to the smallest
        self.owned = 0

    @property
    def delete_counts(self) -> tuple[DeleteCount, ...]:
        """The names with deletes made in the window, counted by second, oldest first."""
        found: dict[tuple[float, bool], DeleteCount] = {}
        for at_s, by_absence in sorted((at_s, kind) for kind in (False, True) for at_s in self._made[kind].values()):
            second = at_s // _BUCKET_S, by_absence
            before = found[second].names if second in found else 0
            found[second] = DeleteCount(at_s, by_absence, before + 1)
        return tuple(sorted(found.values()))

    @property
    def owned_maxima(self) -> tuple[OwnedMaximum, ...]:
        """The numbers of owned names that can still be the maximum of the window, oldest first."""
        return tuple(self._owned_maxima)

    @property
    def deleted(self) -> int:
        """The number of names with deletes made in the window."""
        return sum(map(len, self._made))

    def load(self, counts: Iterable[DeleteCount], maxima: Iterable[OwnedMaximum]) -> None:
        """Add what an earlier process counted in the window. *maxima* are sorted, oldest first.

        The state does not say which names it counted, so they are counted beside those of this process.
        """
        for one in counts:
            for _ in range(one.names):
                self._loaded += 1
                self.spend(("", str(self._loaded), ""), one.at_s, by_absence=one.by_absence)
        own, self._owned_maxima = self._owned_maxima, deque()
        for maximum in (*maxima, *own):
            self._append(maximum)

    def add_owned(self, count: int, now_s: float) -> None:
        """Add *count* owned names. A negative number removes them."""
        self._expire(now_s)
        self._append(OwnedMaximum(now_s, self.owned))
        self.owned += count

    def spend(self, name: CountedName, at_s: float, *, by_absence: bool) -> None:
        """Count a delete that was made without approval, at *at_s* (monotonic seconds)."""
        made = self._made[by_absence]
        if name not in made:
            self.add(name, 1, by_absence=by_absence)
        made[name] = max(at_s, made.get(name, at_s))
        heappush(self._expiries, (at_s, by_absence, name))

    def refund(self, name: CountedName, *, by_absence: bool) -> None:
        """Remove what `spend` counted, because the delete was not made."""
        if self._made[by_absence].pop(name, None) is not None:
            self.add(name, -1, by_absence=by_absence)

    def forget_made(self) -> None:
        """Stop counting the deletes that were made."""
        for by_absence in (False, True):
            for name in tuple(self._made[by_absence]):
                self.refund(name, by_absence=by_absence)
        self._expiries.clear()

    def add(self, name: CountedName, count: int, *, by_absence: bool) -> None:
        """Count *name* for *count* more reasons. A negative number removes reasons; without any it does not count."""
        counted = self._counted[by_absence]
        counted[name] += count
        if not counted[name]:
            del counted[name]

    def is_exceeded(self, now_s: float, *, by_absence: bool) -> bool:
        """Return whether the number of names with deletes made, waiting and held exceeds the limits.

        With *by_absence*, only deletes by absence count; without it, only the others.
        """
        self._expire(now_s)
        of = max(self.owned, self._owned_maxima[0].names if self._owned_maxima else 0)
        return self._limits.are_exceeded(len(self._counted[by_absence]), of=of, by_absence=by_absence)

    def is_idle(self, now_s: float) -> bool:
        """Return whether the budget can be dropped.

        It can if no delete waits or is held, and within the window none was made and no record was owned.
        """
        self._expire(now_s)
        return not (self.owned or any(self._counted) or self._owned_maxima)

    def _expire(self, now_s: float) -> None:
        while self._expiries and self._expiries[0][0] + WINDOW_S <= now_s:
            at_s, by_absence, name = heappop(self._expiries)
            if self._made[by_absence].get(name) == at_s:  # else it was made again, or not made
                self.refund(name, by_absence=by_absence)
        while self._owned_maxima and self._owned_maxima[0].until_s + WINDOW_S <= now_s:
            self._owned_maxima.popleft()

    def _append(self, maximum: OwnedMaximum) -> None:
        while self._owned_maxima and self._owned_maxima[-1].names <= maximum.names:
            self._owned_maxima.pop()
        self._owned_maxima.append(maximum)


def list_scopes(zone_id: str, resource: str, *, by_absence: bool) -> tuple[Scope, ...]:
    """Return the scopes in which a delete counts, the narrowest first. Only deletes by absence count over all zones."""
    zone = Scope(zone_id)
    namespace = parse_namespace(resource)
    scopes = (Scope(zone_id, namespace), zone) if namespace else (zone,)
    return (*scopes, ALL_ZONES) if by_absence else scopes


def sort_narrow_first(scopes: Iterable[Scope]) -> list[Scope]:
    """Return *scopes* sorted: namespaces, then zones, then all zones."""
    return sorted(scopes, key=lambda scope: (not scope.namespace, scope == ALL_ZONES, scope))


class DeleteBudgets:
    """The delete budgets of all scopes, each built when it is first used."""

    def __init__(self, limits: DeleteLimits) -> None:
        self._limits = limits
        self._budgets: dict[Scope, DeleteBudget] = {}
        self._max_before_drop = _MIN_BEFORE_DROP

    def budget(self, scope: Scope) -> DeleteBudget:
        """Return the budget of *scope*."""
        found = self._budgets.get(scope)
        if found is None:
            found = self._budgets[scope] = DeleteBudget(self._limits)
        return found

    def add_owned(self, counts: Mapping[Scope, int], now_s: float) -> None:
        """Add, by scope, names with records of ours that appeared at the same time. A negative number removes names."""
        if len(self._budgets) > self._max_before_drop:
            self._drop_idle(now_s)
        for scope, count in counts.items():
            if count:
                self.budget(scope).add_owned(count, now_s)

    def add(self, count: Count, times: int) -> None:
        """Count a name in the budgets of its scopes for *times* more reasons. A negative number removes reasons."""
        for scope in count.scopes:
            self.budget(scope).add(count.name, times, by_absence=count.by_absence)

    def spend(self, count: Count, at_s: float) -> None:
        """Count a delete that was made without approval."""
        for scope in count.scopes:
            self.budget(scope).spend(count.name, at_s, by_absence=count.by_absence)

    def refund(self, count: Count) -> None:
        """Remove what `spend` counted, because the delete was not made."""
        for scope in count.scopes:
            self.budget(scope).refund(count.name, by_absence=count.by_absence)

    def forget_made(self) -> None:
        """Stop counting the deletes that were made, in all scopes."""
        for budget in self._budgets.values():
            budget.forget_made()

    def load(self, scope: Scope, saved: SavedScope) -> None:
        """Add to the budget of *scope* what an earlier process counted in the window and saved."""
        if saved.made or saved.most:
            counts = (DeleteCount(*one) for one in saved.made)
            self.budget(scope).load(counts, (OwnedMaximum(*one) for one in saved.most))

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
        self._max_before_drop = max(_MIN_BEFORE_DROP, 2 * len(self._budgets))
