"""How long changes take, from an object to its record (docs/design/metrics.md)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from extdns.controller.change_times import ChangeTimes
from extdns.engine.effects import Effect
from extdns.engine.inputs import Input, LeadershipChanged, Observed
from extdns.metrics.metrics import Metrics
from extdns.model.change import Refused, TryLater
from extdns.model.record import Record
from tests.builders import INGRESS, SERVICE, ZONE, build_claim, change_phase, observe, observe_gone, owned, record
from tests.fakes.clocks import MovedClock
from tests.world import build_world

PLAN, WRITE, CHANGE = (f"extdns_change_{part}duration_seconds" for part in ("plan_", "write_", ""))

REFRESH = "extdns_zone_refresh_duration_seconds"


class MeasuredEngine:
    """An engine whose inputs and effects are measured, as the controller does."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._engine = scene, scene.world.engine

    def step(self, item: Input, now_s: float) -> tuple[Effect, ...]:
        times, self._scene.clock.now_s = self._scene.times, now_s
        times.before_step(item)
        effects = self._engine.step(item, now_s)
        times.after_step(effects)
        return effects

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any attribute of the engine
        return getattr(self._engine, name)


class Scene:
    """A measured engine with the zone example.org, after its first full pass; records are requested by `web`."""

    def __init__(self, *records: Record) -> None:
        self.metrics = Metrics(provider="aws")
        self.clock = MovedClock()
        self.is_started = True
        self.world = build_world(*records)
        self.times = ChangeTimes(self.world.engine, self.metrics.changes, self.clock, lambda: self.is_started)
        self.world.engine = MeasuredEngine(self)  # type: ignore[assignment]
        first = [request_web()] if records else []
        self.world.run(*first, change_phase(SERVICE), change_phase(INGRESS), for_s=1.0)

    def receive(self, observed: Observed, *, ago_s: float = 0.0, for_s: float = 1.0) -> None:
        """Feed *observed*, which arrived *ago_s* seconds ago, and let *for_s* seconds pass."""
        self.world.run(replace(observed, received_at_s=self.world.now_s - ago_s), for_s=for_s)

    def read(self, name: str) -> tuple[int, float]:
        """Return count and sum of the durations of a histogram, in all zones."""
        lines = [line for line in self.metrics.render().decode().splitlines() if line.startswith(name)]
        values = {line.partition("{")[0].removeprefix(name): float(line.rpartition(" ")[2]) for line in lines}
        return int(values.get("_count", 0)), values.get("_sum", 0.0)


def request_web() -> Observed:
    return observe("web", build_claim("web", "web"))


def test_change_time_is_from_arrival_of_the_object_to_the_accepted_write() -> None:
    scene = Scene()
    scene.receive(request_web(), ago_s=0.5)
    assert scene.read(PLAN) == (1, 0.5)
    assert scene.read(WRITE) == (1, 0.0)
    assert scene.read(CHANGE) == (1, 0.5)


def test_repair_that_no_object_caused_is_not_measured() -> None:
    scene = Scene(*owned("web"))
    scene.receive(request_web(), ago_s=0.5)
    scene.world.provider.put_records(ZONE, record("web", "192.0.2.66"))
    scene.world.run(for_s=3600.0)
    assert scene.world.list_records() == {"web A": ("192.0.2.1",)}  # repaired, which no object caused
    assert scene.read(WRITE)[0] == 1
    assert scene.read(CHANGE) == (0, 0.0)


def test_time_includes_that_in_which_the_service_throttles() -> None:
    scene = Scene()
    scene.world.provider.answers.extend([TryLater(message="busy")] * 5)
    scene.receive(request_web(), for_s=120.0)
    count, total_s = scene.read(CHANGE)
    assert count == 1
    assert total_s > 1.0
    assert scene.read(WRITE) == (1, total_s)


def test_measured_only_up_to_its_plan_if_it_was_refused_once() -> None:
    scene = Scene()
    scene.world.provider.answers.append(Refused(message="invalid"))
    scene.receive(request_web(), for_s=600.0)
    assert scene.world.list_records() == {"web A": ("192.0.2.1",)}
    assert scene.read(PLAN) == (1, 0.0)
    assert scene.read(CHANGE) == (0, 0.0)


def test_delete_is_measured_only_from_its_plan_to_its_write() -> None:
    scene = Scene(*owned("web"))
    scene.receive(request_web())
    scene.receive(observe_gone("web"), for_s=600.0)
    assert scene.world.list_records() == {}
    assert scene.read(WRITE)[0] == 1
    assert scene.read(CHANGE) == (0, 0.0)


def test_changes_of_the_first_full_pass_are_not_measured() -> None:
    scene = Scene()
    scene.is_started = False
    scene.receive(request_web())
    assert scene.read(WRITE)[0] == 1
    assert scene.read(CHANGE) == (0, 0.0)


def test_not_measured_if_leadership_changed_before_the_write() -> None:
    scene = Scene()
    scene.world.provider.answers.append(TryLater(message="busy"))
    scene.receive(request_web(), for_s=0.0)
    scene.world.run(LeadershipChanged(is_leader=False), LeadershipChanged(is_leader=True), for_s=60.0)
    assert scene.world.list_records() == {"web A": ("192.0.2.1",)}
    assert scene.read(CHANGE) == (0, 0.0)


def test_each_complete_read_of_a_zone_is_measured() -> None:
    scene = Scene()
    assert scene.read(REFRESH)[0] == 1
    scene.world.run(for_s=7200.0)
    assert scene.read(REFRESH)[0] > 1
