"""The names to plan again, and which of them the next step plans (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.engine.namespace_turns import NamespaceTurns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from extdns.model.dns_name import DnsName


_FEW, _MANY = 1, 2  # the lines of each namespace


class DirtyNames:
    """The names to plan again, of which each step plans a slice.

    Namespaces take turns by what their names count. In each of them, names that became dirty together with few others
    take turns with all others. So the names of a large object, of many objects, or of a full pass do not delay others.
    """

    def __init__(
        self, most: int, weigh: Callable[[DnsName], int], find_namespaces: Callable[[DnsName], Iterable[str]]
    ) -> None:
        """Start without names.

        Args:
            most: how many names a step plans, and how many are few.
            weigh: returns as how many names a name counts; at least 1.
            find_namespaces: returns the namespaces that request a name or have its records. It is planned with the
                first of them that has its turn.
        """
        self._most, self._weigh, self._find_namespaces = most, weigh, find_namespaces
        self._now: set[DnsName] = set()
        self._turns: NamespaceTurns[DnsName] = NamespaceTurns()
        self._last: dict[DnsName, None] = {}  # those that were postponed

    def __bool__(self) -> bool:
        """Return whether any name has to be planned again."""
        return bool(self._now or self._turns or self._last)

    def __contains__(self, name: object) -> bool:
        """Return whether *name* has to be planned again."""
        return name in self._now or name in self._turns or name in self._last

    def add(self, names: Iterable[DnsName], *, at_once: bool = False) -> None:
        """Add *names*, which became dirty together. With *at_once* the next step plans all of them."""
        if at_once:
            self._now.update(names)
            return
        added = sorted(set(names))
        line = _FEW if len(added) <= self._most else _MANY
        for name in added:
            for namespace in self._find_namespaces(name):
                self._turns.add(namespace, name, line)

    def take(self) -> set[DnsName]:
        """Remove and return the names that this step plans: a slice, but at least one, and those to plan at once."""
        taken, self._now = self._now, set()
        for one in taken:
            self._turns.discard(one)
        left = self._most
        while left > 0 and (name := self._turns.take()):
            weight = self._weigh(name)
            self._turns.spend(weight)
            left -= weight
            taken.add(name)
        while left > 0 and self._last and not self._turns:
            reverse = next(iter(self._last))
            left -= self._weigh(reverse)
            taken.add(reverse)
            del self._last[reverse]
        for one in taken & self._last.keys():
            del self._last[one]
        return taken

    def postpone(self, after: Mapping[DnsName, AbstractSet[str]]) -> set[DnsName]:
        """Plan each key of *after* after all others, if one of its values waits; return these keys."""
        found = {name for name, others in after.items() if any(other in self._turns for other in others)}
        self._last |= dict.fromkeys(sorted(found))
        return found
