"""The names to plan again, and which of them the next step plans (docs/design/architecture.md, "Slices")."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from extdns.model.dns_name import DnsName


class DirtyNames:
    """The names to plan again.

    Names that became dirty together with few others are planned by the next step. All others wait in a line, of which
    each step plans the first ones. So the names of a large object, of many objects, or of a full pass do not delay
    other names.
    """

    def __init__(self, most: int, weigh: Callable[[DnsName], int]) -> None:
        """Start without names.

        Args:
            most: how many names are few, and how many of the line a step plans.
            weigh: returns as how many names a name counts; at least 1.
        """
        self._most, self._weigh = most, weigh
        self._now: set[DnsName] = set()
        self._new: dict[DnsName, int] = {}  # as how many names each counts, as in the line
        self._line: dict[DnsName, int] = {}
        self._last: dict[DnsName, int] = {}

    def __bool__(self) -> bool:
        """Return whether any name has to be planned again."""
        return bool(self._now or self._new or self._line or self._last)

    def __contains__(self, name: object) -> bool:
        """Return whether *name* has to be planned again."""
        return name in self._now or name in self._new or name in self._line or name in self._last

    def add(self, names: Iterable[DnsName], *, at_once: bool = False) -> None:
        """Add *names*, which became dirty together. With *at_once* the next step plans all of them."""
        if at_once:
            self._now.update(names)
            return
        added = {name: self._weigh(name) for name in set(names)}
        if sum(added.values()) > self._most:
            self._line |= {name: added[name] for name in sorted(added)}
        else:
            self._new |= added

    def take(self) -> set[DnsName]:
        """Remove and return the names that this step plans."""
        light = self._select(self._new, sorted(self._new, key=lambda name: (self._new[name], name)))
        self._line |= {name: self._new[name] for name in sorted(self._new.keys() - light)}
        line = self._line or self._last
        taken = self._now.union(light, self._select(line, line))
        self._now, self._new = set(), {}
        for name in taken:
            self._line.pop(name, None)
            self._last.pop(name, None)
        return taken

    def _select(self, weights: Mapping[DnsName, int], names: Iterable[DnsName]) -> list[DnsName]:
        """Return the first of *names*, which count as *weights* says: as many as are few, but at least one."""
        found: list[DnsName] = []
        left = self._most
        for name in names:
            left -= weights[name]
            if found and left < 0:
                break
            found.append(name)
        return found

    def postpone(self, after: Mapping[DnsName, AbstractSet[str]]) -> set[DnsName]:
        """Plan each key of *after* after the line, if one of its values is in the line; return these keys."""
        found = {name for name, others in after.items() if not self._line.keys().isdisjoint(others)}
        self._last |= {name: self._weigh(name) for name in sorted(found)}
        return found
