"""From changes of objects to observations: each object is asked again when it, or what it rests on, changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from extdns.engine.dependencies import Asker, Dependencies, RecordingView
from extdns.engine.inputs import Cause, Observation
from extdns.errors import ExtdnsError, described
from extdns.model.cluster import KindChange, ObjectChange, ObjectProblem, Phase, Sight
from extdns.ports import NotReadyError

if TYPE_CHECKING:
    from extdns.model.claim import Claim
    from extdns.model.cluster import ClusterChange, Kind, ObjectKey
    from extdns.ports import Source, View

_GONE = {Sight.DELETED: Cause.DELETED, Sight.MISSING: Cause.MISSING}
_ENDS = frozenset(_GONE.values())


class Observer:
    """Asks sources for the claims of objects, and remembers what the answers rest on."""

    def __init__(self, sources: Sequence[Source], view: View) -> None:
        """Ask *sources*, which look things up in *view*."""
        self._sources = {(source.name, source.kind): source for source in sources}
        self._names: dict[Kind, list[str]] = {}
        for name, kind in self._sources:
            self._names.setdefault(kind, []).append(name)
        self._view = view
        self._dependencies = Dependencies()
        self._parked: dict[Kind, set[Asker]] = {}
        self._missing: set[ObjectKey] = set()  # what others look up by its name and a list lacks
        self.asked = 0

    def observe(self, changes: Iterable[ClusterChange]) -> tuple[Observation, ...]:
        """What the sources say of every object that *changes* touch, each asked once, in a stable order."""
        due: dict[Asker, Cause] = {}
        for change in changes:
            match change:
                case ObjectChange():
                    self._touch(change, due)
                case KindChange(state=state) if state.phase is Phase.SYNCED:
                    for asker in sorted(self._parked.pop(state.kind, ())):
                        due.setdefault(asker, Cause.DEPENDENCY)
                case KindChange() | ObjectProblem():
                    pass
        found = tuple(self._ask(asker, cause) for asker, cause in due.items())
        if self._missing:
            self._missing = {key for key in self._missing if self._dependencies.on(key, ())}
        return found

    def _touch(self, change: ObjectChange, due: dict[Asker, Cause]) -> None:
        cause = Cause.VERSION if change.new is not None else _GONE.get(change.seen, Cause.MISSING)
        for name in self._names.get(change.key.kind, ()):
            asker = Asker(name, change.key)
            due.pop(asker, None)
            due[asker] = cause
        versions = (version.metadata.labels or {} for version in (change.old, change.new) if version is not None)
        for asker in sorted(self._dependencies.on(change.key, versions)):
            due.setdefault(asker, Cause.DEPENDENCY)
        if cause is Cause.MISSING:
            self._missing.add(change.key)
        else:
            self._missing.discard(change.key)

    def _ask(self, asker: Asker, cause: Cause) -> Observation:
        claims: tuple[Claim, ...] = ()
        failure, parked_on = "", None
        generation = 0
        recording = RecordingView(self._view)
        try:
            obj = None if cause in _ENDS else self._view.get(asker.key.kind, asker.key.namespace, asker.key.name)
            if obj is not None:
                self.asked += 1
                generation = obj.metadata.generation
                claims = self._sources[asker.source, asker.key.kind].claims(obj, recording)
            elif cause not in _ENDS:
                cause = Cause.MISSING
        except NotReadyError as exc:
            self._parked.setdefault(exc.kind, set()).add(asker)
            failure, parked_on = str(exc), exc.kind
        except ExtdnsError as exc:
            failure = str(exc)
        except Exception as exc:  # noqa: BLE001 - law 3: whatever one object does to a source stays with that object
            failure = described(exc)
        self._dependencies.replace(asker, recording.lookups)
        return Observation(
            source=asker.source,
            key=asker.key,
            cause=cause,
            claims=claims,
            failure=failure,
            parked_on=parked_on,
            lacking=tuple(sorted(self._missing.intersection(recording.lookups))) if self._missing else (),
            generation=generation,
        )
