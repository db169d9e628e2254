"""What trouble costs at Route 53 in calls: names that are refused, throttling, failures, lost answers."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest

from extdns.engine.engine import Engine
from extdns.engine.inputs import Tick
from extdns.engine.settings import EngineSettings
from providers.aws.reader import Route53Reader
from providers.aws.selection import Selection
from providers.aws.settings import AwsSettings
from providers.aws.writer import Route53Writer
from tests.fakes.route53.errors import still_busy, throttle
from tests.fakes.route53.log import CHANGE
from tests.fakes.service.faults import Drop, Fault, Refuse
from tests.fakes.world import World
from tests.route53 import client, service
from tests.unit.engine.stage import INGRESS, KINDS, PLAN, REGISTRY, SERVICE, new, phase

SIZE = 1000
BAD = ("n7", "n500", "n993")
BUSY = Refuse(still_busy().status, still_busy().code)


class Scene:
    """An empty zone of the strict fake, and a cluster that wants a thousand names in it."""

    def __init__(self) -> None:
        self.fake, _ = service()
        self.fake.reset()
        self.zone_id = self.fake.add_zone("example.org")
        impatient = {"": client(self.fake, attempts=1)}  # so that the engine meets every fault
        reader = Route53Reader(AwsSettings(selection=Selection(ids=(self.zone_id,))), impatient)
        self.engine = Engine(
            EngineSettings(plan=PLAN, registry=REGISTRY, adjust=reader.adjust, traits=reader.traits, kinds=KINDS)
        )
        self.world = World(engine=self.engine, reader=reader, writer=Route53Writer(impatient))
        self.fake.log.clear()

    def start(self) -> float:
        """Start, and go on until everything is written; returns the seconds from first to last."""
        began_s = self.world.now_s
        self.world.run(new(*(f"n{number}" for number in range(SIZE))), phase(SERVICE), phase(INGRESS), for_s=0.1)
        while not self.engine.settled:
            assert self.world.now_s < began_s + 60.0
            self.world.run(Tick(), for_s=0.1)
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
    """How many writes and calls a start costs in which nothing goes wrong."""
    made = Scene()
    made.start()
    assert made.published == SIZE
    elements = sum(len(call.changes) for call in made.fake.log.calls(CHANGE))
    assert elements == 2 * SIZE
    found = made.writes(), len(made.fake.log.calls())
    made.fake.reset()
    return found


def test_names_that_are_refused_cost_a_call_a_batch_and_one_a_minute(
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
        scene.world.run(Tick(), for_s=1.0)
        if scene.writes():
            assert scene.writes() == 1, "all of them are tried together"
            assert scene.world.now_s - last_s >= 59.0
            last_s = scene.world.now_s
    assert last_s > 0, "they are tried again"
    assert scene.published == SIZE - len(BAD)


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        pytest.param(throttle(), 5, id="throttled"),
        pytest.param(Refuse(503, "ServiceUnavailable"), 5, id="unavailable"),
        pytest.param(BUSY, 5, id="still-busy"),
        pytest.param(Drop(worked=True), 1, id="answer-lost"),
        pytest.param(Drop(), 1, id="request-lost"),
    ],
)
def test_trouble_at_the_beginning_costs_fewer_than_ten_calls_and_ten_seconds(
    scene: Scene, undisturbed: tuple[int, int], fault: Fault, times: int
) -> None:
    scene.fake.faults.arm(fault, action=CHANGE, times=times)
    assert scene.start() < 10.0
    assert scene.published == SIZE
    assert len(scene.fake.log.calls()) - undisturbed[1] < 10
    scene.fake.log.clear()
    scene.world.run(Tick(), for_s=55.0)
    assert scene.writes() == 0
