"""A cluster of objects, the program's own sources and settings, and a zone, in virtual time.

What a test says of the cluster goes through the sources of `--source` into the engine, as in the program; there are no
threads and no sockets. `Scene.again` starts another process over the same cluster, zone and state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast

import msgspec

from extdns.app.assembly import engine_settings
from extdns.app.fingerprint import fingerprint
from extdns.app.sources import sources
from extdns.config import Config, parse
from extdns.controller.keeper import Keeper
from extdns.engine.effects import LoadState, LookForReleases, SaveState
from extdns.engine.engine import Engine
from extdns.engine.inputs import Input, KindReported, Observed, StateFailed
from extdns.engine.observer import Observer
from extdns.errors import ForbiddenError
from extdns.kube.store import Store
from extdns.model.cluster import ClusterChange, Kind, KindChange, KindState, ObjectChange, ObjectKey, Phase, Sight
from extdns.model.objects import STRUCTS, KubernetesObject
from extdns.model.record import Record
from extdns.model.zone import Zone
from extdns.ports import Source
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.incidents.objects import Json
from tests.incidents.shelf import Shelf
from tests.unit.engine.stage import ZONE, Stage

FLAGS: Final = (
    "--source=service",
    "--source=ingress",
    "--source=crd",
    "--provider=inmemory",
    "--inmemory-zone=example.org",
    "--txt-owner-id=me",
)
_SELDOM: Final = "--interval=30m"
"""Zones are audited so seldom if a test does not say how often, because it costs time and shows nothing."""
MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
COMPAT: Final = ("--compat", "--policy=sync")
"""The reference's behaviour."""
_EPOCH_S: Final = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
_KINDS: Final = {(version, kind.name): kind for kind in STRUCTS for version in kind.api_versions}


@dataclass(kw_only=True)
class Scene(Stage):
    """One process, and what outlives it.

    Attributes:
        flags: of this process.
        objects: everything that exists in the cluster, whatever is shown of it.
        phases: of kinds that are not synced.
        shelf: where state is kept.
        fast_s: how far the clock on the wall is ahead of the true time.
    """

    flags: tuple[str, ...]
    config: Config
    observer: Observer
    store: Store
    needed: list[Kind]
    objects: dict[ObjectKey, Json]
    phases: dict[Kind, Phase] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=Shelf)
    fast_s: float = 0.0
    synced: set[Kind] = field(default_factory=set)

    # time of the day, as `Clock` has it

    def now(self) -> datetime:
        return datetime.fromtimestamp(_EPOCH_S + self.now_s + self.fast_s, UTC)

    def monotonic_s(self) -> float:
        return self.now_s

    # the cluster

    def show(self, *objects: Json, for_s: float = 1.0) -> None:
        """Objects are new, or others than before."""
        changes = []
        for one in objects:
            key = key_of(one)
            self.objects[key] = one
            if key.kind in self.synced and self._reads(key):
                changes.append(_change(key, self.store.peek(key), one))
        self.tell(changes, for_s=for_s)

    def delete(self, *objects: Json, for_s: float = 1.0) -> None:
        """Objects are deleted, and the watch says so."""
        self._remove(objects, Sight.DELETED, exists=False, for_s=for_s)

    def lose(self, *objects: Json, exist: bool = True, for_s: float = 1.0) -> None:
        """A complete list lacks objects, which *exist* or do not."""
        self._remove(objects, Sight.MISSING, exists=exist, for_s=for_s)

    def turn(self, kind: Kind, phase: Phase, for_s: float = 1.0) -> None:
        """The list and watch of *kind* comes to *phase*."""
        self.phases[kind] = phase
        if phase is Phase.SYNCED:
            del self.phases[kind]
            self.synced.discard(kind)
            self.tell((), for_s=for_s)
        else:
            self.tell((KindChange(state=KindState(kind=kind, phase=phase)),), for_s=for_s)

    def tell(self, changes: Sequence[ClusterChange], for_s: float) -> None:
        """The cluster tells of *changes*; kinds that sources come to need are listed."""
        self._pass_on(changes)
        while due := [kind for kind in self.needed if kind not in self.synced and kind not in self.phases]:
            for kind in due:
                self._sync(kind)
        self.run(for_s=for_s)

    def again(self, *flags: str, for_s: float = 5.0, dark_s: float = 0.0) -> Scene:
        """This process dies; another starts with *flags* in place of the former, after *dark_s*."""
        after = _started(
            FLAGS + flags,
            provider=self.provider,
            objects=self.objects,
            phases=self.phases,
            shelf=self.shelf,
            now_s=self.now_s + dark_s,
            fast_s=self.fast_s,
        )
        after.exists = self.exists
        after.tell([_state(kind, phase) for kind, phase in self.phases.items()], for_s=for_s)
        return after

    def answer(self) -> Input:
        effect = self.waiting[0]
        if not isinstance(effect, LoadState | SaveState | LookForReleases):
            return super().answer()
        self.waiting.popleft()
        self.calls.append(type(effect).__name__)
        try:
            return Keeper(self.shelf, self).carry_out(effect)
        except ForbiddenError as exc:
            return StateFailed(message=str(exc))

    # words for what tests look at

    @property
    def code(self) -> str:
        """The code of the deletes that are held, "" if none are."""
        return self.held[-1].code if self.held else ""

    def release(self) -> None:
        """A person releases what is held."""
        assert self.code
        self.shelf.codes = (self.code,)
        self.run(for_s=30.0)

    def shown_held(self) -> set[str]:
        """The first labels of the names that are held."""
        return {str(one.owned.record.name).partition(".")[0] for one in self.held[-1].held} if self.held else set()

    def published(self) -> set[str]:
        """The first labels of the names of all records but marks."""
        return {name.partition(" ")[0] for name in self.holds()}

    def deleted(self) -> int:
        """How many records, marks included, were deleted for good since this process started."""
        return len(self.evidence)

    # parts

    def _remove(self, objects: Iterable[Json], sight: Sight, *, exists: bool, for_s: float) -> None:
        changes = []
        for one in objects:
            key = key_of(one)
            if not exists:
                self.objects.pop(key, None)
            old = self.store.peek(key)
            if old is not None:
                changes.append(ObjectChange(key=key, old=old, new=None, seen=sight))
        self.tell(changes, for_s=for_s)

    def _sync(self, kind: Kind) -> None:
        self.synced.add(kind)
        objects = [
            _change(key, self.store.peek(key), one)
            for key, one in sorted(self.objects.items())
            if key.kind == kind and self._reads(key)
        ]
        here = {change.key for change in objects}
        gone = [
            ObjectChange(key=key, old=self.store.peek(key), new=None, seen=Sight.MISSING)
            for key in sorted(self.store.keys(kind))
            if key not in here
        ]
        self._pass_on((*objects, *gone, _state(kind, Phase.SYNCED)))

    def _pass_on(self, changes: Sequence[ClusterChange]) -> None:
        self.store.apply(changes)
        observations = self.observer.observe(changes)
        if observations:
            self.feed(Observed(observations=observations))
        for change in changes:
            if isinstance(change, KindChange):
                self.feed(KindReported(state=change.state))

    def _reads(self, key: ObjectKey) -> bool:
        return key.namespace in {"", self.config.cluster.namespace} or not self.config.cluster.namespace


def scene(
    *objects: Json,
    flags: Sequence[str] = (),
    records: Iterable[Record] = (),
    zones: Mapping[Zone, Iterable[Record]] | None = None,
    page_size: int = 300,
    provider: FaultyProvider | None = None,
    for_s: float = 5.0,
) -> Scene:
    """A process that has started over *objects* and a zone that holds *records*, and done its work.

    With *provider* its zones are the zones.
    """
    seed = {ZONE: tuple(records)} if zones is None else zones
    world = _started(
        (*FLAGS, *flags),
        provider=provider or FaultyProvider(inner=InMemoryProvider(seed=seed, page_size=page_size)),
        objects={key_of(one): one for one in objects},
    )
    world.tell((), for_s=for_s)
    return world


def _started(flags: tuple[str, ...], *, provider: FaultyProvider, objects: dict[ObjectKey, Json], **more: Any) -> Scene:  # noqa: ANN401 - fields of Scene
    seldom = [] if any(flag.startswith("--interval=") for flag in flags) else [_SELDOM]
    config = parse([*flags, *seldom], {})
    found = sources(config)
    needed = [source.kind for source in found]
    store = Store(lambda kind: needed.append(kind) if kind not in needed else None)
    provider.submissions.clear()
    settings = engine_settings(config, found, provider, writes=True, keeps_state=True)
    assert settings.fingerprint == fingerprint(config)
    made = Scene(
        engine=Engine(settings),
        reader=provider,
        writer=provider,
        provider=provider,
        flags=flags,
        config=config,
        observer=Observer(cast("Sequence[Source]", found), store),
        store=store,
        needed=needed,
        objects=objects,
        **more,
    )
    made.exists = made.objects.__contains__
    return made


def key_of(one: Json) -> ObjectKey:
    """Where an object lives."""
    kind = _KINDS[one["apiVersion"], one["kind"]]
    return ObjectKey(kind, one["metadata"].get("namespace", "") if kind.namespaced else "", one["metadata"]["name"])


def _change(key: ObjectKey, old: KubernetesObject | None, new: Json) -> ObjectChange:
    return ObjectChange(key=key, old=old, new=msgspec.json.decode(json.dumps(new), type=STRUCTS[key.kind]))


def _state(kind: Kind, phase: Phase) -> KindChange:
    return KindChange(state=KindState(kind=kind, phase=phase))
