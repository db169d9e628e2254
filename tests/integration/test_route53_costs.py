"""How many Route 53 calls failures cost: rejected names, throttling, server errors, lost answers."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest

from extdns.engine.engine import Engine
from extdns.engine.inputs import TimePassed
from providers.aws.provider import Route53Reader, Route53Writer
from providers.aws.settings import AwsSettings, Route53ZoneFilter
from tests.builders import INGRESS, SERVICE, change_phase, observe_new
from tests.fakes.route53.errors import build_throttling_fault, build_zone_busy
from tests.fakes.route53.log import CHANGE
from tests.fakes.service.faults import Drop, Fault, Refuse
from tests.route53 import client, service
from tests.world import World, engine_settings

SIZE = 1000
BAD = ("n7", "n500", "n993")
BUSY = Refuse(build_zone_busy().status, build_zone_busy().code)


class Scene:
    """An empty zone of the strict fake, and a cluster that requests a thousand names in it."""

    def __init__(self) -> None:
        self.fake, _ = service()
        self.fake.reset()
        self.zone_id = self.fake.add_zone("example.org")
        single_attempt = {"": client(self.fake, attempts=1)}  # no SDK retries, so that the engine sees every fault
        reader = Route53Reader(AwsSettings(zone_filter=Route53ZoneFilter(ids=(self.zone_id,))), single_attempt)
        self.engine = Engine(engine_settings(reader))
        self.world = World(engine=self.engine, reader=reader, writer=Route53Writer(single_attempt))
        self.fake.log.clear()

    def start(self) -> float:
        """Start the engine and run it until all writes are done. Return how long that took, in seconds."""
        began_s = self.world.now_s
        self.world.run(
            observe_new(*(f"n{number}" for number in range(SIZE))),
            change_phase(SERVICE),
            change_phase(INGRESS),
            for_s=0.1,
        )
        while not self.engine.is_idle:
            assert self.world.now_s < began_s + 60.0
            self.world.run(TimePassed(), for_s=0.1)
        return self.world.now_s - began_s

    @property
    def published(self) -> int:
        return sum(record.type == "A" for record in self.fake.records(self.zone_id))

    def writes(self) -> int:
        return len(self.fake.log.calls(CHANGE))


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.fake.reset()


@pytest.fixture(scope="module")
def undisturbed() -> tuple[int, int]:
    """Return the number of writes and of calls of a start without faults."""
    made = Scene()
    made.start()
    assert made.published == SIZE
    elements = sum(len(call.changes) for call in made.fake.log.calls(CHANGE))
    assert elements == 2 * SIZE
    found = made.writes(), len(made.fake.log.calls())
    made.fake.reset()
    return found


def test_rejected_names_cost_at_most_one_call_each_at_start_and_together_one_call_a_minute_later(
    scene: Scene, undisturbed: tuple[int, int]
) -> None:
    for name in BAD:
        scene.fake.protect(scene.zone_id, f"{name}.example.org", "A")
    assert scene.start() < 2.0
    assert scene.published == SIZE - len(BAD)
    refused = [call for call in scene.fake.log.calls(CHANGE) if not call.worked]
    assert 1 <= len(refused) <= len(BAD)
    assert scene.writes() <= undisturbed[0] + len(refused)
    last_s = -inf
    for _ in range(20 * 60):
        scene.fake.log.clear()
        scene.world.run(TimePassed(), for_s=1.0)
        if scene.writes():
            assert scene.writes() == 1, "all rejected names are retried in one call"
            assert scene.world.now_s - last_s >= 59.0
            last_s = scene.world.now_s
    assert last_s > 0, "rejected names are retried"
    assert scene.published == SIZE - len(BAD)


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        pytest.param(build_throttling_fault(), 5, id="throttled"),
        pytest.param(Refuse(503, "ServiceUnavailable"), 5, id="unavailable"),
        pytest.param(BUSY, 5, id="still-busy"),
        pytest.param(Drop(worked=True), 1, id="answer-lost"),
        pytest.param(Drop(), 1, id="request-lost"),
    ],
)
def test_a_fault_at_start_costs_fewer_than_ten_more_calls_and_less_than_ten_seconds(
    scene: Scene, undisturbed: tuple[int, int], fault: Fault, times: int
) -> None:
    scene.fake.faults.arm(fault, action=CHANGE, times=times)
    assert scene.start() < 10.0
    assert scene.published == SIZE
    assert len(scene.fake.log.calls()) - undisturbed[1] < 10
    scene.fake.log.clear()
    scene.world.run(TimePassed(), for_s=55.0)
    assert scene.writes() == 0
