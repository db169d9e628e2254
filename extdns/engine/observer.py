"""Turn changes of objects into observations, by computing the claims of each object that a change concerns.

A view records which objects a source looks up for an object. If one of them changes, the claims of the object are
computed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from extdns.engine.inputs import PRESENT, Cause, Observation
from extdns.engine.namespace_turns import NamespaceTurns
from extdns.errors import ExtdnsError, describe_error
from extdns.model.cluster import IdentityRead, KindChange, ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, ObjectMeta
from extdns.model.origin import read_origin
from extdns.model.value import EMPTY_MAP, StringMap
from extdns.ports import ClusterView, NotSyncedError, OnDemandView

if TYPE_CHECKING:
    from extdns.model.claim import Claim
    from extdns.model.cluster import ClusterChange, KindState
    from extdns.ports import Source


_GONE = {Sighting.DELETED: Cause.DELETED, Sighting.MISSING: Cause.MISSING}
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""An annotation with the whole object, which no rule needs."""

_NO_METADATA: Final = ObjectMeta(name="")  # of an object that is gone
_MAX_ABSENT: Final = 1000  # objects that lists lack, and whose lookups are stored
_SPARE_MISSING: Final = 64  # missing objects that may be stored although no other depends on them


class Observer:
    """Computes the claims of objects, and records which other objects they depend on.

    Attributes:
        computed: how often claims were computed.
    """

    def __init__(self, sources: Sequence[Source], view: ClusterView, *, reads_rule_objects: bool = False) -> None:
        """Use *sources*, which look up other objects in *view*.

        With *reads_rule_objects*, observations have the labels and annotations of their objects.
        """
        self._reads_rule_objects = reads_rule_objects
        self._sources = {(source.name, source.kind): source for source in sources}
        self._names: dict[Kind, list[str]] = {}
        for name, kind in self._sources:
            self._names.setdefault(kind, []).append(name)
        self._view = view
        self._dependencies = Dependencies(view.forget) if isinstance(view, OnDemandView) else Dependencies()
        self._waiting: dict[Kind, set[Requester]] = {}
        # with their labels: objects that lists lack and that others may depend on
        self._missing: dict[ObjectKey, Labels] = {}
        self._due: dict[Requester, Cause] = {}
        # objects that changed, and whose dependents are not due yet, with the labels that lookups may have found
        self._touched: dict[ObjectKey, Labels] = {}
        self._turns: NamespaceTurns[ObjectKey | Requester] = NamespaceTurns()  # of both
        self._max_missing = _SPARE_MISSING  # before those that no other depends on are dropped
        # objects that lists lack: their lookups stay, because these objects may return before what they depend on does
        self._absent: dict[Requester, None] = {}
        # states of kinds, and the requesters that must be observed before them
        self._states: list[tuple[KindState, set[Requester]]] = []
        self.computed = 0

    def observe(
        self,
        changes: Iterable[ClusterChange],
        *,
        for_s: float = math.inf,
        read_s: Callable[[], float] = lambda: 0.0,
    ) -> tuple[Observation, ...]:
        """Compute the claims of the objects that *changes* concern, once for each source that reads it.

        This ends after *for_s*, but not before something was done; *read_s* returns the time (monotonic seconds).
        Later calls do the rest, so that many objects, or one on which thousands depend, do not delay changes of others.
        Namespaces take turns by the time they take. In each of them, what depends on changed objects is found first;
        then the changed objects take turns with those that depend on them.
        """
        if self.is_done:
            self._forget_missing()
        self._enqueue(changes)
        found: list[Observation] = []
        began_s = now_s = read_s()
        while item := self._turns.take():
            if isinstance(item, ObjectKey):
                self._enqueue_dependents(self._dependencies.find_dependents(item, self._touched.pop(item)))
            else:
                found.append(self._observe(item, self._due.pop(item)))
                for _, before in self._states:
                    before.discard(item)
            last_s, now_s = now_s, read_s()
            self._turns.spend(now_s - last_s)
            if now_s - began_s >= for_s:
                break
        return tuple(found)

    def _forget_missing(self) -> None:
        """If many objects are missing, forget those that no other depends on."""
        if len(self._missing) > self._max_missing:
            needed = (item for item in self._missing.items() if self._dependencies.find_dependents(*item))
            self._missing = dict(needed)
            self._max_missing = 2 * len(self._missing) + _SPARE_MISSING

    def take_states(self) -> tuple[KindState, ...]:
        """Return the new states of kinds, once the objects that changed before are observed; those of a kind in order.

        "Synced" then means that all objects of the kind were observed.
        """
        taken: list[KindState] = []
        waiting: list[tuple[KindState, set[Requester]]] = []
        for state, before in self._states:
            if before or any(earlier.kind == state.kind for earlier, _ in waiting):
                waiting.append((state, before))
            else:
                taken.append(state)
        self._states = waiting
        return tuple(taken)

    @property
    def is_done(self) -> bool:
        """Whether no claims are left to compute."""
        return not self._turns

    def _enqueue(self, changes: Iterable[ClusterChange]) -> None:
        """Make due the objects that changed, and what waited for a kind that is synced now."""
        for change in changes:
            match change:
                case ObjectChange():
                    self._enqueue_changed(change)
                case KindChange(state=state):
                    waited = self._waiting.pop(state.kind, set()) if state.phase is Phase.SYNCED else set()
                    self._enqueue_dependents(waited)
                    before = {one for one in self._due if one.key.kind == state.kind or one in waited}
                    self._states.append((state, before))
                case ObjectProblem() | IdentityRead():
                    pass

    def _enqueue_changed(self, change: ObjectChange) -> None:
        key = change.key
        cause = Cause.VERSION if change.new is not None else _GONE.get(change.seen, Cause.MISSING)
        _add_labels(self._touched.setdefault(key, {}), change.old, change.new)
        self._turns.add(key.namespace, key, _Line.TOUCHED)
        for name in self._names.get(key.kind, ()):
            requester = Requester(name, key)
            self._due[requester] = cause
            self._turns.add(key.namespace, requester, _Line.CHANGED)
        if cause is Cause.MISSING:
            self._missing[key] = _add_labels({}, change.old)
        else:
            self._missing.pop(key, None)

    def _enqueue_dependents(self, requesters: Iterable[Requester]) -> None:
        for requester in sorted(one for one in requesters if one not in self._absent):
            self._due.setdefault(requester, Cause.DEPENDENCY)
            self._turns.add(requester.key.namespace, requester, _Line.DEPENDENT)

    def _observe(self, requester: Requester, cause: Cause) -> Observation:
        try:
            return self._compute(requester, cause)
        except Exception as exc:  # noqa: BLE001 - law 3: others are due, some since an earlier call
            return Observation(source=requester.source, key=requester.key, cause=cause, failure=describe_error(exc))

    def _compute(self, requester: Requester, cause: Cause) -> Observation:
        claims: tuple[Claim, ...] = ()
        failure, awaited_kind, deleted_at = "", None, None
        recording = RecordingView(self._view)
        metadata = _NO_METADATA
        try:
            obj = self._view.get(*requester.key) if cause in PRESENT else None
            if obj is not None:
                self.computed += 1
                metadata = obj.metadata
                if metadata.is_waiting:
                    cause, deleted_at = Cause.DELETED, metadata.deletion_timestamp
                else:
                    claims = self._sources[requester.source, requester.key.kind].find_claims(obj, recording)
            elif cause in PRESENT:
                cause = Cause.MISSING
        except NotSyncedError as exc:
            self._waiting.setdefault(exc.kind, set()).add(requester)
            failure, awaited_kind = str(exc), exc.kind
        except ExtdnsError as exc:
            failure = str(exc)
        except Exception as exc:  # noqa: BLE001 - law 3: a failure of one object affects no other
            failure = describe_error(exc)
        self._store_lookups(requester, cause, recording.lookups)
        labels, annotations = _read_tags(metadata) if self._reads_rule_objects else (EMPTY_MAP, EMPTY_MAP)
        return Observation(
            source=requester.source,
            key=requester.key,
            cause=cause,
            claims=claims,
            failure=failure,
            awaited_kind=awaited_kind,
            missing_dependencies=self._find_missing(recording.lookups) if self._missing else (),
            generation=metadata.generation,
            uid=metadata.uid,
            resource_version=metadata.resource_version,
            labels=labels,
            annotations=annotations,
            origin=read_origin(metadata),
            deleted_at=deleted_at,
        )

    def _store_lookups(self, requester: Requester, cause: Cause, lookups: Iterable[Lookup]) -> None:
        self._absent.pop(requester, None)
        if cause not in PRESENT:
            for waiting in self._waiting.values():
                waiting.discard(requester)
        if cause is not Cause.MISSING:
            self._dependencies.replace(requester, lookups)
            return
        self._absent[requester] = None
        if len(self._absent) > _MAX_ABSENT:
            oldest = next(iter(self._absent))
            del self._absent[oldest]
            self._dependencies.replace(oldest, ())

    def _find_missing(self, lookups: AbstractSet[Lookup]) -> tuple[ObjectKey, ...]:
        """Return the objects that *lookups* by name or labels found before, but that a new list lacks; sorted."""
        found = self._missing.keys() & lookups
        for selection in lookups:
            if isinstance(selection, Selection):
                same_kind = (item for item in self._missing.items() if item[0].kind == selection.kind)
                found |= {key for key, labels in same_kind if selection.covers(key, labels)}
        return tuple(sorted(found))


def _read_tags(metadata: ObjectMeta) -> tuple[StringMap, StringMap]:
    """Return the labels and annotations that rules may read."""
    annotations = StringMap.from_items(metadata.annotations or {})
    return StringMap.from_items(metadata.labels or {}), annotations.without(_LAST_APPLIED)


class _Line(IntEnum):
    """The lines of each namespace: what depends on changed objects is found first, to be computed once."""

    TOUCHED = 0
    CHANGED = 1
    DEPENDENT = 2


class Requester(NamedTuple):
    """A source, and an object whose claims it computes."""

    source: str
    key: ObjectKey


Labels = dict[str, set[str]]
"""The values that each label had in one or more versions of an object."""


def _add_labels(labels: Labels, *versions: KubernetesObject | None) -> Labels:
    for version in versions:
        for name, value in version.selectable.items() if version is not None else ():
            labels.setdefault(name, set()).add(value)
    return labels


class Selection(NamedTuple):
    """A lookup of the objects of a kind in a namespace ("" for all) by labels: pairs of name and value, sorted."""

    kind: Kind
    namespace: str
    labels: tuple[tuple[str, str], ...]

    def covers(self, key: ObjectKey, labels: Labels) -> bool:
        """Return whether this lookup may find an object at *key* that has, or had, *labels*."""
        is_here = self.namespace in {"", key.namespace}
        return is_here and all(value in labels.get(name, ()) for name, value in self.labels)


Lookup = ObjectKey | Selection

_Handle = tuple[Kind, str, tuple[str, str] | None]
"""The kind and namespace of a selection, and one of its labels, if it has any."""


@dataclass(slots=True)
class RecordingView:
    """A view of the cluster that records what is looked up."""

    view: ClusterView
    lookups: set[Lookup] = field(default_factory=set)

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:
        """Return one object as `ClusterView.get` does, and record the lookup, even if there is no such object."""
        self.lookups.add(ObjectKey(kind, namespace, name))
        return self.view.get(kind, namespace, name)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:
        """Return objects as `ClusterView.select` does. Record the lookup, to notice objects that match it later."""
        self.lookups.add(Selection(kind, namespace, tuple(sorted(labels.items()))))
        return self.view.select(kind, namespace, labels)


class Dependencies:
    """The lookups that the claims of each object depend on, indexed in both directions."""

    def __init__(self, forget: Callable[[ObjectKey], None] = lambda _: None) -> None:
        """Start without lookups. *forget* is called with an object that was looked up once no claim depends on it."""
        self._forget = forget
        self._lookups: dict[Requester, frozenset[Lookup]] = {}
        self._requesters: dict[Lookup, set[Requester]] = {}
        self._selections: dict[_Handle, set[Selection]] = {}
        self._handles: dict[Selection, _Handle] = {}

    def replace(self, requester: Requester, lookups: Iterable[Lookup]) -> None:
        """Replace the lookups that the claims of *requester* depend on."""
        new = frozenset(lookups)
        old = self._lookups.get(requester, frozenset())
        if new == old:
            return
        for lookup in old - new:
            self._drop(requester, lookup)
        for lookup in new - old:
            if isinstance(lookup, Selection) and lookup not in self._handles:
                handle = self._handles[lookup] = self._choose_handle(lookup)
                self._selections.setdefault(handle, set()).add(lookup)
            self._requesters.setdefault(lookup, set()).add(requester)
        if new:
            self._lookups[requester] = new
        else:
            self._lookups.pop(requester, None)

    def _drop(self, requester: Requester, lookup: Lookup) -> None:
        requesters = self._requesters[lookup]
        requesters.discard(requester)
        if requesters:
            return
        del self._requesters[lookup]
        if isinstance(lookup, Selection):
            handle = self._handles.pop(lookup)
            self._selections[handle].discard(lookup)
            if not self._selections[handle]:
                del self._selections[handle]
        else:
            self._forget(lookup)

    def _choose_handle(self, selection: Selection) -> _Handle:
        """Return the handle that the fewest selections have: thousands may have one label in common."""
        handles = [(selection.kind, selection.namespace, label) for label in selection.labels or (None,)]
        return min(handles, key=lambda handle: len(self._selections.get(handle, ())))

    def find_dependents(self, key: ObjectKey, labels: Labels) -> set[Requester]:
        """Return the requesters whose claims may depend on the object at *key*, looked up by name or by labels.

        *labels* are those of the object before and after its changes.
        """
        found = set(self._requesters.get(key, ()))
        pairs = [(name, value) for name, values in labels.items() for value in values] if self._selections else ()
        for handle in product((key.kind,), {key.namespace, ""}, (None, *pairs)):
            for selection in self._selections.get(handle, ()):
                if selection.covers(key, labels):
                    found |= self._requesters[selection]
        return found
