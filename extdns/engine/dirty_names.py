"""The names to plan again, and which of them the next step plans (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from extdns.engine.namespace_turns import NamespaceTurns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from extdns.model.dns_name import DnsName


_FEW, _MANY = 1, 2  # the lines of each namespace
_NO_NAMESPACE = ""


class DirtyNames:
    """The names to plan again, of which each step plans a slice.

    Namespaces take turns by what their names count. In each of them, names that became dirty together with few others
    take turns with all others. So the names of a large object, of many objects, or of a full pass do not delay others.
    """

    def __init__(
        self,
        most: int,
        weigh: Callable[[DnsName], int],
        find_namespaces: Callable[[DnsName], Iterable[str]],
    ) -> None:
        """Start without names.

        Args:
            most: how many names a step plans, and how many are few.
            weigh: returns as how many names a name counts; at least 1.
            find_namespaces: returns all namespaces that request a name or have its records.
        """
        self._most, self._weigh, self._find_namespaces = most, weigh, find_namespaces
        self._now: set[DnsName] = set()
        self._turns: NamespaceTurns[DnsName] = NamespaceTurns()
        self._postponed: set[DnsName] = set()  # until they are planned

    def __bool__(self) -> bool:
        """Return whether any name has to be planned again."""
        return bool(self._now or self._turns)

    def __contains__(self, name: object) -> bool:
        """Return whether *name* has to be planned again."""
        return name in self._now or name in self._turns

    def __iter__(self) -> Iterator[DnsName]:
        """Return the names to plan again, each at least once."""
        return chain(self._now, self._turns)

    def add(self, names: Iterable[DnsName], namespace: str | None = None, *, at_once: bool = False) -> None:
        """Add *names*, which became dirty together. With *at_once* the next step plans all of them.

        They wait in the line of *namespace*, in which an object changed. Without it, few wait in the lines of all
        namespaces of each, and are planned in the first of their turns; many wait in a line of their own, as if it were
        that of another namespace.
        """
        if at_once:
            self._now.update(names)
            return
        added = sorted(set(names))
        are_few = len(added) <= self._most
        for name in added:
            if namespace is None:
                namespaces = sorted(self._find_namespaces(name)) if are_few else (_NO_NAMESPACE,)
            else:
                namespaces = (namespace,)
            for one in namespaces:
                self._turns.add(one, name, _FEW if are_few else _MANY)

    def is_dirty_for(self, name: DnsName, namespaces: AbstractSet[str]) -> bool:
        """Return whether *name* has to be planned again before a change is sent that concerns records of *namespaces*.

        That is not so if the name waits only because an object of another namespace changed: whoever requests it again
        and again would else keep the change from being sent. A record of no namespace may be of any.
        """
        if name in self._now:
            return True
        if _NO_NAMESPACE in namespaces:
            return name in self._turns
        return any(self._turns.waits_in(one, name) for one in (*namespaces, _NO_NAMESPACE))

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
        if not self._turns:
            self._postponed.clear()
        return taken

    def postpone(self, after: Mapping[DnsName, AbstractSet[str]]) -> set[DnsName]:
        """Let each key of *after* wait if one of its values waits, but not twice. Return all that wait now.

        Each waits in the lines of all its namespaces, and is planned in the first of their turns.
        """
        late = {name for name, others in after.items() if name in self._turns or self._should_wait(name, others)}
        self._postponed = self._postponed.difference(after) | late
        for name in sorted(late):
            for namespace in sorted(self._find_namespaces(name)):
                self._turns.add(namespace, name, _MANY)
        return late

    def _should_wait(self, name: DnsName, others: AbstractSet[str]) -> bool:
        return name not in self._postponed and any(other in self._turns for other in others)
