"""A whole controller around a zone in memory and a cluster that follows a script."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from extdns.controller.clock import SystemClock
from extdns.controller.controller import Controller, Parts
from extdns.controller.teller import Teller
from extdns.engine.engine import Engine
from extdns.engine.observer import Observer
from extdns.log import Event
from extdns.metrics.metrics import Metrics
from extdns.model.change import Batch
from extdns.model.claim import Claim
from extdns.model.cluster import ClusterChange, Kind, KindChange, KindState, ObjectChange, ObjectKey, Phase, Sight
from extdns.model.lean import ObjectMeta
from extdns.model.objects import KubernetesObject, Service
from extdns.model.outcome import Outcome
from extdns.model.record import Record
from extdns.model.zone import Zone, ZoneList
from extdns.ports import Clock, Cluster, ZoneReader, ZoneWriter
from providers.inmemory.provider import InMemoryProvider
from tests.fakes.faulty import FaultyProvider
from tests.fakes.view import FakeView
from tests.unit.engine.stage import SERVICE, ZONE, engine_settings, wants

SYNCED = KindChange(state=KindState(kind=SERVICE, phase=Phase.SYNCED))
BEGINNING = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
HANGS_S = 20.0  # a test that waits so long has failed; nothing takes so long otherwise


class ShiftedClock(SystemClock):
    """The system's clock, set forward when a test says so."""

    shift_s = 0.0

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.shift_s


@dataclass
class MovedClock:
    """Time that passes when a test says so."""

    now_s: float = 1000.0

    def now(self) -> datetime:
        return BEGINNING + timedelta(seconds=self.now_s - 1000.0)

    def monotonic_s(self) -> float:
        return self.now_s


def service(name: str) -> Service:
    return Service(metadata=ObjectMeta(name=name, namespace="shop"))


def added(*names: str) -> tuple[ObjectChange, ...]:
    """Services that were not there before."""
    return tuple(
        ObjectChange(key=ObjectKey(SERVICE, "shop", name), old=None, new=service(name), seen=Sight.PRESENT)
        for name in names
    )


class ScriptedCluster:
    """Each call of `take` delivers one step, or raises it; after the last one nothing comes any more."""

    def __init__(self, *steps: tuple[ClusterChange, ...] | Exception, refusals: Iterable[Exception] = ()) -> None:
        self._steps = deque(steps)
        self._refusals = deque(refusals)
        self._closed = threading.Event()
        self.view = FakeView(*map(service, ("web", "api", "bad")), listed=(SERVICE,))
        self.answer: Callable[[ObjectKey], bool | None] = lambda _: True
        self.taken = threading.Event()
        self.closings = 0

    def need(self, kind: Kind) -> KindState:
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


class Gate:
    """Somewhere in a call a thread waits until the test lets it on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        self._open.wait(HANGS_S)

    def open(self) -> None:
        self._open.set()


class SlowWriter:
    """Lets *inner* write once *gate* is open."""

    def __init__(self, inner: FaultyProvider, gate: Gate) -> None:
        self._inner = inner
        self._gate = gate

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        self._gate.pass_through()
        return self._inner.submit(zone, batch)


@dataclass(kw_only=True)
class SlowReader(FaultyProvider):
    """Lists zones once *gate* is open."""

    gate: Gate

    def zones(self) -> ZoneList:
        self.gate.pass_through()
        return self.inner.zones()


class NamedServices:
    """A source: each Service wants the name it bears."""

    name = "service"
    kind = SERVICE

    def claims(self, obj: KubernetesObject, view: object) -> tuple[Claim, ...]:  # noqa: ARG002 - as the port has it
        return (wants(obj.metadata.name, obj.metadata.name),)


@dataclass(kw_only=True)
class Scene:
    """What a test looks at."""

    controller: Controller
    provider: FaultyProvider
    teller: Teller
    metrics: Metrics
    engine: Engine
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self, *, once: bool = False) -> None:
        """Run on a thread of its own, which a test ends with `stop`."""
        thread = threading.Thread(target=self.controller.run, kwargs={"once": once}, daemon=True)
        self.threads.append(thread)
        thread.start()

    def make_a_pass(self) -> None:
        """Run with `--once`, to the end."""
        self.start(once=True)
        self.join()

    def stop(self, why: str = "") -> None:
        self.controller.stop(why)
        self.join()

    def join(self) -> None:
        for thread in self.threads:
            thread.join(HANGS_S)
            assert not thread.is_alive(), "the controller does not end"

    def held(self) -> list[str]:
        """Names and types of what stands in the zone, marks aside."""
        return [
            f"{key.name} {key.type}"
            for key, record in sorted(self.provider.contents(ZONE).items())
            if not record.targets[0].startswith('"heritage=')
        ]

    def sample(self, name: str) -> float:
        """The value of a metric without labels."""
        (line,) = (line for line in self.metrics.text().decode().splitlines() if line.startswith(f"{name} "))
        return float(line.rpartition(" ")[2])


def scene(
    *records: Record,
    cluster: Cluster | None = None,
    clock: Clock | None = None,
    source: Any = None,  # noqa: ANN401 - tests bring sources that break the rules
    reader: ZoneReader | None = None,
    writer: ZoneWriter | None = None,
    writes: bool = True,
    asks: bool = False,
    once: bool = True,
    interval_s: float = 60.0,
    patience_s: float = HANGS_S,
    source_patience_s: float = 30.0,
    provider: FaultyProvider | None = None,
) -> Scene:
    """A controller that has not begun; by default the Service `web` wants `web.example.org`."""
    provider = provider or FaultyProvider(inner=InMemoryProvider(seed={ZONE: records}))
    metrics = Metrics()
    teller = Teller(metrics, "me")
    settings = engine_settings(
        provider,
        kinds={"service": SERVICE},
        once=once,
        writes=writes,
        asks=asks,
        source_patience_s=source_patience_s,
    )
    engine = Engine(settings)
    seen = cluster or ScriptedCluster((*added("web"), SYNCED))
    parts = Parts(
        engine=engine,
        observer=Observer((source or NamedServices(),), seen.view),
        cluster=seen,
        reader=reader or provider,
        writer=(writer or provider) if writes else None,
        teller=teller,
        clock=clock or SystemClock(),
        kinds=(SERVICE,),
        interval_s=interval_s,
        patience_s=patience_s,
    )
    return Scene(controller=Controller(parts), provider=provider, teller=teller, metrics=metrics, engine=engine)


def told(caplog: pytest.LogCaptureFixture) -> list[Event]:
    """The events that were logged, in order."""
    return [Event(record.msg) for record in caplog.records]


def fields(caplog: pytest.LogCaptureFixture, event: Event) -> list[dict[str, object]]:
    """The fields of each time that *event* was logged."""
    return [record.__dict__["extdns_fields"] for record in caplog.records if record.msg == event]
