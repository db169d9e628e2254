"""A cluster, extdns's own sources and engine, and an in-memory zone, in virtual time.

Changes of the cluster reach the engine through the sources of `--source`, as in the program, but without threads and
sockets. `ClusterWorld.restart` starts another process with the same cluster, zone and saved state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from extdns.app.engine_settings import build_engine_settings, compute_settings_digest
from extdns.app.sources import build_sources
from extdns.config import Config, parse
from extdns.controller.inputs import StateCalls
from extdns.engine.effects import LoadState, ReadApprovals, SaveState
from extdns.engine.engine import Engine
from extdns.engine.inputs import Input, KindStateChanged, Observed, RulesChanged, StateFailed
from extdns.engine.observer import Observer
from extdns.errors import ForbiddenError
from extdns.kube.local_store import LocalStore
from extdns.kube.unstructured_resources import guess_kind, parse_resource
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase, Sighting
from extdns.model.kind import Kind, KubernetesObject, ObjectKey
from extdns.model.record import Record
from extdns.model.saved_state import Saved
from extdns.model.zone import Zone
from extdns.ports import Source
from extdns.resources.ingress_controllers import ROUTE_GROUP
from extdns.resources.kinds import STRUCTS, find_struct
from extdns.rules.evaluation import RuleSet
from extdns.sources.common.namespace import NamespaceSource
from providers.inmemory.provider import InMemoryProvider
from tests.builders import ZONE
from tests.fakes.faulty import FaultyProvider
from tests.fakes.state_store import MemoryStateStore
from tests.objects import Json
from tests.world import World

FLAGS: Final = (
    "--source=service",
    "--source=ingress",
    "--source=crd",
    "--provider=inmemory",
    "--inmemory-zone=example.org",
    "--txt-owner-id=me",
)
_LONG_INTERVAL: Final = "--interval=30m"
"""The interval unless a test sets one: frequent refreshes of zones would only slow the tests down."""
MINUTE_S: Final = 60.0
HOUR_S: Final = 3600.0
COMPAT: Final = ("--compat", "--policy=sync")
"""Flags with which extdns behaves as external-dns."""
STARTED: Final[list[ClusterWorld]] = []
"""The processes of the current test; at its end their plan, page, API, Events and metrics are compared."""
_EPOCH_S: Final = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
_WITHOUT_STRUCT: Final = (ROUTE_GROUP, guess_kind(parse_resource("configmaps.v1")))
_KINDS: Final = {(version, kind.name): kind for kind in (*STRUCTS, *_WITHOUT_STRUCT) for version in kind.api_versions}


@dataclass(kw_only=True)
class ClusterWorld(World):
    """One extdns process, and what outlives it: cluster, zone and saved state.

    Attributes:
        objects: the objects that exist in the cluster, whether or not a list contains them.
        phases: the phases of kinds that are not synced.
        fast_s: how many seconds the wall clock is ahead of the true time.
    """

    flags: tuple[str, ...]
    config: Config
    observer: Observer
    store: LocalStore
    needed: list[Kind]
    objects: dict[ObjectKey, Json]
    phases: dict[Kind, Phase] = field(default_factory=dict)
    state_store: MemoryStateStore = field(default_factory=MemoryStateStore)
    fast_s: float = 0.0
    synced: set[Kind] = field(default_factory=set)
    rules: RuleSet | None = None

    # the interface of `Clock`

    def now(self) -> datetime:
        return datetime.fromtimestamp(_EPOCH_S + self.now_s + self.fast_s, UTC)

    def monotonic_s(self) -> float:
        return self.now_s

    # the cluster

    def apply(self, *objects: Json, for_s: float = 1.0) -> None:
        """Create or update *objects*; the watch reports them."""
        changes = []
        for one in objects:
            key = key_of(one)
            self.objects[key] = one
            if key.kind in self.synced and self._reads(key):
                changes.append(_change(key, self.store.peek(key), one))
        self.report_changes(changes, for_s=for_s)

    def delete(self, *objects: Json, for_s: float = 1.0) -> None:
        """Delete *objects*; the watch reports it."""
        self._remove(objects, Sighting.DELETED, exists=False, for_s=for_s)

    def drop_from_list(self, *objects: Json, exist: bool = True, for_s: float = 1.0) -> None:
        """Simulate a complete list without *objects*, which still exist unless *exist* is false."""
        self._remove(objects, Sighting.MISSING, exists=exist, for_s=for_s)

    def set_phase(self, kind: Kind, phase: Phase, for_s: float = 1.0) -> None:
        """Set the phase of *kind* to *phase*."""
        self.phases[kind] = phase
        if phase is Phase.SYNCED:
            del self.phases[kind]
            self.synced.discard(kind)
            self.report_changes((), for_s=for_s)
        else:
            self.report_changes((KindChange(state=KindState(kind=kind, phase=phase)),), for_s=for_s)

    def report_changes(self, changes: Sequence[ClusterChange], for_s: float) -> None:
        """Pass *changes* to the engine, list the kinds that sources then need, and run for *for_s*."""
        self._pass_on(changes)
        while due := [kind for kind in self.needed if kind not in self.synced and kind not in self.phases]:
            for kind in due:
                self._sync(kind)
        self.run(for_s=for_s)

    def restart(self, *flags: str, for_s: float = 5.0, down_s: float = 0.0) -> ClusterWorld:
        """Start another process with *flags*, *down_s* seconds after this one was killed."""
        after = _start(
            FLAGS + flags,
            provider=self.provider,
            objects=self.objects,
            phases=self.phases,
            state_store=self.state_store,
            now_s=self.now_s + down_s,
            fast_s=self.fast_s,
            rules=self.rules,
        )
        after.exists = self.exists
        after.report_changes([_state(kind, phase) for kind, phase in self.phases.items()], for_s=for_s)
        return after

    def answer(self) -> Input:
        effect = self.waiting[0]
        if not isinstance(effect, LoadState | SaveState | ReadApprovals):
            return super().answer()
        self.waiting.popleft()
        self.calls.append(type(effect).__name__)
        try:
            return StateCalls(self.state_store, self).execute(effect)
        except ForbiddenError as exc:
            return StateFailed(message=str(exc), forbidden=True)

    # results that tests compare

    @property
    def code(self) -> str:
        """The code that approves the held deletes; "" if none is held."""
        return self.held[-1].code if self.held else ""

    def approve(self) -> None:
        """Approve the held deletes, as a person does, and run for half a minute."""
        assert self.code
        self.state_store.codes = (self.code,)
        self.run(for_s=30.0)

    def held_names(self) -> set[str]:
        """Return the first labels of the names whose deletes are held."""
        return {str(one.owned.record.name).partition(".")[0] for one in self.held[-1].held} if self.held else set()

    def published(self) -> set[str]:
        """Return the first labels of the names of all records that are not ownership records."""
        return {name.partition(" ")[0] for name in self.list_records()}

    def deleted(self) -> int:
        """Return how many records, ownership records included, were deleted since this process started."""
        return len(self.evidence)

    # helpers

    def _remove(self, objects: Iterable[Json], sighting: Sighting, *, exists: bool, for_s: float) -> None:
        changes = []
        for one in objects:
            key = key_of(one)
            if not exists:
                self.objects.pop(key, None)
            old = self.store.peek(key)
            if old is not None:
                changes.append(ObjectChange(key=key, old=old, new=None, seen=sighting))
        self.report_changes(changes, for_s=for_s)

    def _sync(self, kind: Kind) -> None:
        self.synced.add(kind)
        objects = [
            _change(key, self.store.peek(key), one)
            for key, one in sorted(self.objects.items())
            if key.kind == kind and self._reads(key)
        ]
        listed = {change.key for change in objects}
        gone = [
            ObjectChange(key=key, old=self.store.peek(key), new=None, seen=Sighting.MISSING)
            for key in sorted(self.store.list_keys(kind))
            if key not in listed
        ]
        self._pass_on((*objects, *gone, _state(kind, Phase.SYNCED)))

    def _pass_on(self, changes: Sequence[ClusterChange]) -> None:
        self.store.apply(changes)
        observations = self.observer.observe(changes)
        if observations:
            self.feed(Observed(observations=observations))
        for change in changes:
            if isinstance(change, KindChange):
                self.feed(KindStateChanged(state=change.state))

    def _reads(self, key: ObjectKey) -> bool:
        return key.namespace in {"", self.config.cluster.namespace} or not self.config.cluster.namespace


def start_cluster(
    *objects: Json,
    flags: Sequence[str] = (),
    records: Iterable[Record] = (),
    zones: Mapping[Zone, Iterable[Record]] | None = None,
    page_size: int = 300,
    provider: FaultyProvider | None = None,
    rules: RuleSet | None = None,
    is_first: bool = False,
    for_s: float = 5.0,
) -> ClusterWorld:
    """Start a process with *objects* and a zone that holds *records*, and run it for *for_s* seconds.

    With *provider*, use its zones instead of *records*. With *is_first*, no state was ever saved.
    """
    seed = {ZONE: tuple(records)} if zones is None else zones
    world = _start(
        (*FLAGS, *flags),
        provider=provider or FaultyProvider(inner=InMemoryProvider(seed=seed, page_size=page_size)),
        objects={key_of(one): one for one in objects},
        rules=rules,
        state_store=MemoryStateStore(saved=Saved(is_new=is_first)),
    )
    world.report_changes((), for_s=for_s)
    return world


def _start(
    flags: tuple[str, ...],
    *,
    provider: FaultyProvider,
    objects: dict[ObjectKey, Json],
    rules: RuleSet | None = None,
    **more: Any,  # noqa: ANN401 - fields of ClusterWorld
) -> ClusterWorld:
    interval = [] if any(flag.startswith("--interval=") for flag in flags) else [_LONG_INTERVAL]
    config = parse([*flags, *interval], {})
    found: Sequence[Source] = build_sources(config)
    if rules:
        found = [*found, NamespaceSource()]
    needed = [source.kind for source in found]
    store = LocalStore(lambda kind: needed.append(kind) if kind not in needed else None)
    provider.submissions.clear()
    settings = build_engine_settings(config, found, provider, writes=True, has_state_store=True)
    settings = replace(settings, has_rules=rules is not None)
    assert settings.settings_digest == compute_settings_digest(config)
    made = ClusterWorld(
        engine=Engine(settings),
        reader=provider,
        writer=provider,
        flags=flags,
        config=config,
        observer=Observer(found, store, reads_rule_objects=rules is not None),
        store=store,
        needed=needed,
        objects=objects,
        rules=rules,
        **more,
    )
    if rules:
        made.feed(RulesChanged(rules=rules))
    made.exists = made.objects.__contains__
    STARTED.append(made)
    return made


def key_of(one: Json) -> ObjectKey:
    """Return the key of an object."""
    kind = _KINDS[one["apiVersion"], one["kind"]]
    return ObjectKey(kind, one["metadata"].get("namespace", "") if kind.namespaced else "", one["metadata"]["name"])


def _change(key: ObjectKey, old: KubernetesObject | None, new: Json) -> ObjectChange:
    text = json.dumps(new).encode()
    obj = msgspec.json.decode(text, type=find_struct(key.kind))
    if key.kind in _WITHOUT_STRUCT:
        msgspec.structs.force_setattr(obj.metadata, "full_object", text)
    return ObjectChange(key=key, old=old, new=obj)


def _state(kind: Kind, phase: Phase) -> KindChange:
    return KindChange(state=KindState(kind=kind, phase=phase))
