"""Which objects were computed from which look-ups, so that a change there makes them due again (design 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from extdns.model.cluster import Kind, ObjectKey
from extdns.model.objects import KubernetesObject
from extdns.ports import View


class Asker(NamedTuple):
    """A source and the object it was asked about."""

    source: str
    key: ObjectKey


class Selection(NamedTuple):
    """Objects of a kind and namespace ("" for all) that carry certain labels, sorted."""

    kind: Kind
    namespace: str
    labels: tuple[tuple[str, str], ...]

    def covers(self, key: ObjectKey, labels: Mapping[str, str]) -> bool:
        """Tell whether an object at *key* with *labels* is among the selected."""
        place = self.namespace in {"", key.namespace}
        return place and all(labels.get(name) == value for name, value in self.labels)


Lookup = ObjectKey | Selection


@dataclass(slots=True)
class RecordingView:
    """A view that remembers what it was asked."""

    view: View
    lookups: set[Lookup] = field(default_factory=set)

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """As `View.get`; a key that is not found is remembered too."""
        self.lookups.add(ObjectKey(kind, namespace, name))
        return self.view.get(kind, namespace, name)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        """As `View.select`; later members count as well."""
        self.lookups.add(Selection(kind, namespace, tuple(sorted(labels.items()))))
        return self.view.select(kind, namespace, labels)


class Dependencies:
    """Look-ups by asker, and askers by look-up; selections are found by one of their labels."""

    def __init__(self) -> None:
        """Start with no look-ups."""
        self._lookups: dict[Asker, frozenset[Lookup]] = {}
        self._askers: dict[Lookup, set[Asker]] = {}
        self._selections: dict[tuple[Kind, tuple[str, str] | None], set[Selection]] = {}

    def replace(self, asker: Asker, lookups: Iterable[Lookup]) -> None:
        """*asker* now rests on *lookups* and nothing else."""
        new = frozenset(lookups)
        old = self._lookups.get(asker, frozenset())
        if new == old:
            return
        for lookup in old - new:
            self._drop(asker, lookup)
        for lookup in new - old:
            self._askers.setdefault(lookup, set()).add(asker)
            if isinstance(lookup, Selection):
                self._selections.setdefault(_handle(lookup), set()).add(lookup)
        if new:
            self._lookups[asker] = new
        else:
            self._lookups.pop(asker, None)

    def _drop(self, asker: Asker, lookup: Lookup) -> None:
        askers = self._askers[lookup]
        askers.discard(asker)
        if askers:
            return
        del self._askers[lookup]
        if isinstance(lookup, Selection):
            handle = _handle(lookup)
            self._selections[handle].discard(lookup)
            if not self._selections[handle]:
                del self._selections[handle]

    def on(self, key: ObjectKey, labels: Iterable[Mapping[str, str]]) -> set[Asker]:
        """Who asked for *key*, or for a selection that covers any of its *labels*, old or new."""
        found = set(self._askers.get(key, ()))
        for version in labels if self._selections else ():
            for handle in (None, *version.items()):
                for selection in self._selections.get((key.kind, handle), ()):
                    if selection.covers(key, version):
                        found |= self._askers[selection]
        return found


def _handle(selection: Selection) -> tuple[Kind, tuple[str, str] | None]:
    return (selection.kind, selection.labels[0] if selection.labels else None)
