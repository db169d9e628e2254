"""A complete controller with an in-memory zone and a scripted cluster."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from extdns.controller.clock import SystemClock
from extdns.controller.controller import Controller, ControllerParts
from extdns.controller.reporter import ActivityReporter
from extdns.engine.engine import Engine
from extdns.engine.observer import Observer
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.change import Batch, Outcome
from extdns.model.claim import Claim
from extdns.model.cluster import ClusterChange, KindChange, KindState, ObjectChange, Phase, Sighting
from extdns.model.kind import Kind, ObjectKey
from extdns.model.record import Record
from extdns.model.resources.core import Service
from extdns.model.resources.kinds import KubernetesObject
from extdns.model.resources.meta import ObjectMeta
from extdns.model.zone import Zone, ZoneList
from extdns.ports import Clock, Cluster, ZoneReader, ZoneWriter
from providers.inmemory.provider import InMemoryProvider
from tests.builders import SERVICE, ZONE, build_claim
from tests.fakes.faulty import FaultyProvider
from tests.fakes.view import FakeView
from tests.world import engine_settings

SYNCED = KindChange(state=KindState(kind=SERVICE, phase=Phase.SYNCED))
BEGINNING = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
HANGS_S = 20.0  # the timeout of all waits; a test that reaches it fails


class ShiftedClock(SystemClock):
    """The system's clock, plus an offset that the test sets."""

    shift_s = 0.0

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.shift_s


@dataclass
class MovedClock:
    """A clock that advances only when the test sets it."""

    now_s: float = 1000.0

    def now(self) -> datetime:
        return BEGINNING + timedelta(seconds=self.now_s - 1000.0)

    def monotonic_s(self) -> float:
        return self.now_s


def service(name: str) -> Service:
    return Service(metadata=ObjectMeta(name=name, namespace="shop"))


def add_services(*names: str) -> tuple[ObjectChange, ...]:
    """Return the changes that a cluster reports for new Services."""
    return tuple(
        ObjectChange(key=ObjectKey(SERVICE, "shop", name), old=None, new=service(name), seen=Sighting.PRESENT)
        for name in names
    )


class ScriptedCluster:
    """A cluster whose `take` returns or raises one of *steps* at each call, and then blocks."""

    def __init__(self, *steps: tuple[ClusterChange, ...] | Exception, refusals: Iterable[Exception] = ()) -> None:
        self._steps = deque(steps)
        self._refusals = deque(refusals)
        self._closed = threading.Event()
        self.view = FakeView(*map(service, ("web", "api", "bad")), listed=(SERVICE,))
        self.answer: Callable[[ObjectKey], bool | None] = lambda _: True
        self.taken = threading.Event()
        self.closings = 0

    def require(self, kind: Kind) -> KindState:
        if self._refusals:
            raise self._refusals.popleft()
        return KindState(kind=kind, phase=Phase.LISTING)

    def exists(self, key: ObjectKey) -> bool | None:
        return self.answer(key)

    def take(self, timeout_s: float) -> tuple[ClusterChange, ...]:
        if not self._steps:
            self.taken.set()
            self._closed.wait(timeout_s)
            return ()
        step = self._steps.popleft()
        if isinstance(step, Exception):
            raise step
        return step

    def close(self) -> None:
        self.closings += 1
        self._closed.set()


class Barrier:
    """A barrier at which a thread waits until the test calls `open`."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        self._open.wait(HANGS_S)

    def open(self) -> None:
        self._open.set()


class SlowWriter:
    """A writer that waits at *gate* before it writes with *inner*."""

    def __init__(self, inner: FaultyProvider, gate: Barrier) -> None:
        self._inner = inner
        self._gate = gate

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._gate.pass_through()
        return self._inner.submit(zone, batch)


@dataclass(kw_only=True)
class SlowReader(FaultyProvider):
    """A reader that waits at *gate* before it lists zones."""

    gate: Barrier

    def list_zones(self) -> ZoneList:
        self.gate.pass_through()
        return self.inner.list_zones()


class NamedServices:
    """A source in which each Service requests its own name below example.org."""

    name = "service"
    kind = SERVICE

    def find_claims(self, obj: KubernetesObject, view: object) -> tuple[Claim, ...]:  # noqa: ARG002 - the signature of the port
        return (build_claim(obj.metadata.name, obj.metadata.name),)


@dataclass(kw_only=True)
class Scene:
    """A controller, and its parts for assertions."""

    controller: Controller
    provider: FaultyProvider
    reporter: ActivityReporter
    metrics: Metrics
    engine: Engine
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self, *, once: bool = False) -> None:
        """Run the controller on a new thread until `stop` is called."""
        thread = threading.Thread(target=self.controller.run, kwargs={"once": once}, daemon=True)
        self.threads.append(thread)
        thread.start()

    def make_a_pass(self) -> None:
        """Run the controller for a single full pass."""
        self.start(once=True)
        self.join()

    def stop(self, signal: str = "") -> None:
        self.controller.stop(signal)
        self.join()

    def join(self) -> None:
        for thread in self.threads:
            thread.join(HANGS_S)
            assert not thread.is_alive(), "the controller does not end"

    def list_records(self) -> list[str]:
        """Return names and types of the records in the zone, without ownership records."""
        return [
            f"{key.name} {key.type}"
            for key, record in sorted(self.provider.contents(ZONE).items())
            if not record.targets[0].startswith('"heritage=')
        ]

    def sample(self, name: str) -> float:
        """Return the value of a metric without labels."""
        (line,) = (line for line in self.metrics.render().decode().splitlines() if line.startswith(f"{name} "))
        return float(line.rpartition(" ")[2])


def build_scene(
    *records: Record,
    cluster: Cluster | None = None,
    clock: Clock | None = None,
    source: Any = None,  # noqa: ANN401 - tests pass invalid sources, too
    reader: ZoneReader | None = None,
    writer: ZoneWriter | None = None,
    writes: bool = True,
    needs_approval: bool = False,
    once: bool = True,
    interval_s: float = 60.0,
    close_timeout_s: float = HANGS_S,
    source_timeout_s: float = 30.0,
    provider: FaultyProvider | None = None,
) -> Scene:
    """Build a controller without starting it. By default, the Service `web` requests `web.example.org`."""
    provider = provider or FaultyProvider(inner=InMemoryProvider(seed={ZONE: records}))
    metrics = Metrics()
    reporter = ActivityReporter(metrics, "me")
    settings = engine_settings(
        provider,
        kinds={"service": SERVICE},
        once=once,
        has_writer=writes,
        needs_approval=needs_approval,
        source_timeout_s=source_timeout_s,
    )
    engine = Engine(settings)
    seen = cluster or ScriptedCluster((*add_services("web"), SYNCED))
    parts = ControllerParts(
        engine=engine,
        observer=Observer((source or NamedServices(),), seen.view),
        cluster=seen,
        reader=reader or provider,
        writer=(writer or provider) if writes else None,
        reporter=reporter,
        clock=clock or SystemClock(),
        kinds=(SERVICE,),
        interval_s=interval_s,
        close_timeout_s=close_timeout_s,
    )
    return Scene(controller=Controller(parts), provider=provider, reporter=reporter, metrics=metrics, engine=engine)


def find_logged_events(caplog: pytest.LogCaptureFixture) -> list[Event]:
    """Return the messages of all log lines in order."""
    return [Event(record.msg) for record in caplog.records]


def find_logged_fields(caplog: pytest.LogCaptureFixture, event: Event) -> list[dict[str, object]]:
    """Return the fields of each log line with the message *event*."""
    return [record.__dict__["extdns_fields"] for record in caplog.records if record.msg == event]
