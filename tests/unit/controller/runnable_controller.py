"""A complete controller with an in-memory zone and a scripted cluster."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from extdns.controller.clock import SystemClock
from extdns.controller.controller import Controller, ControllerParts
from extdns.controller.participant import Participant
from extdns.controller.reporter import ActivityReporter
from extdns.engine.engine import Engine
from extdns.engine.observer import Observer
from extdns.metrics.metrics import Metrics
from extdns.model.record import Record
from extdns.ports import Clock, Cluster, ZoneWriter
from providers.inmemory.provider import InMemoryProvider
from tests.builders import SERVICE, ZONE
from tests.fakes.faulty import FaultyProvider
from tests.unit.controller.barriers import HANGS_S
from tests.unit.controller.scripted_cluster import SYNCED, NamedServices, ScriptedCluster, add_services
from tests.world import engine_settings


@dataclass(kw_only=True)
class RunnableController:
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


def build_controller(
    *records: Record,
    cluster: Cluster | None = None,
    clock: Clock | None = None,
    writer: ZoneWriter | None = None,
    needs_approval: bool = False,
    once: bool = True,
    close_timeout_s: float = HANGS_S,
    source_timeout_s: float = 30.0,
    provider: FaultyProvider | None = None,
    participants: tuple[Participant, ...] = (),
) -> RunnableController:
    """Build a controller without starting it. By default, the Service `web` requests `web.example.org`."""
    provider = provider or FaultyProvider(inner=InMemoryProvider(seed={ZONE: records}))
    metrics = Metrics()
    reporter = ActivityReporter(metrics, "me")
    settings = engine_settings(
        provider,
        kinds={"service": SERVICE},
        once=once,
        needs_approval=needs_approval,
        source_timeout_s=source_timeout_s,
    )
    engine = Engine(settings)
    seen = cluster or ScriptedCluster((*add_services("web"), SYNCED))
    parts = ControllerParts(
        engine=engine,
        observer=Observer((NamedServices(),), seen.view),
        cluster=seen,
        reader=provider,
        writer=writer or provider,
        reporter=reporter,
        clock=clock or SystemClock(),
        kinds=(SERVICE,),
        interval_s=60.0,
        close_timeout_s=close_timeout_s,
        participants=participants,
    )
    return RunnableController(
        controller=Controller(parts), provider=provider, reporter=reporter, metrics=metrics, engine=engine
    )
