"""What an announcer is told, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from extdns.controller.teller import Teller
from extdns.engine.effects import TellHeld
from extdns.metrics.metrics import Metrics
from extdns.model.change import Batch
from extdns.model.claim import Claim
from extdns.model.cluster import ObjectKey
from extdns.model.decision import Decision, Verdict
from extdns.model.held import Held
from extdns.model.objects import POD
from extdns.model.outcome import Applied, TryLater
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from tests.unit.controller.scene import BEGINNING
from tests.unit.engine.stage import ZONE, host, running, seen, wants

DECISION = Decision(
    zone=ZONE, name=host("web"), set_identifier="", type="A", verdict=Verdict.CREATE, reason=Reason.WANTED
)
BATCH = Batch(number=1, zone=ZONE, sets=())


class Listener:
    """An announcer that only notes what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def decided(self, decisions: Sequence[Decision]) -> None:
        self.heard += [f"decided {len(decisions)}"]

    def mistaken(self, claims: Sequence[Claim]) -> None:
        self.heard += [f"mistaken {len(claims)}"]

    def failed(self, key: ObjectKey, message: str) -> None:
        self.heard += [f"failed {key.resource} {message}"]

    def applied(self, batch: Batch) -> None:
        self.heard += [f"applied {batch.number}"]

    def held(self, zone: Zone, code: str, held: Sequence[Held]) -> None:
        self.heard += [f"held {zone.name} {code} {len(held)}"]

    def close(self, patience_s: float) -> None:
        self.heard += [f"close {patience_s > 0}"]


def test_an_announcer_hears_of_everything_that_objects_may_be_told() -> None:
    listener = Listener()
    said = Teller(Metrics(), "me", announcer=listener)
    said.decided([DECISION])
    said.observed(seen("web", wants("web", "web")).observations)
    said.ended(BATCH, Applied(records=()))
    said.ended(BATCH, TryLater(message="busy"))
    said.held(TellHeld(zone=ZONE, code="7f3a-91c2", held=()))
    said.close()
    assert listener.heard == ["decided 1", "mistaken 1", "applied 1", "held example.org 7f3a-91c2 0", "close True"]


def test_a_failure_is_announced_as_long_as_it_lasts() -> None:
    listener = Listener()
    said = Teller(Metrics(), "me", announcer=listener)
    world = running()
    parked = seen("api", failure="Pod objects are not listed yet", parked_on=POD)
    for news in (seen("web", failure="broken"), parked, seen("db", failure="broken"), seen("db")):
        said.observed(news.observations)
        world.feed(news)
    said.run_ended(world.engine, (), BEGINNING)
    said.run_ended(world.engine, (), BEGINNING + timedelta(minutes=30))
    assert [heard for heard in listener.heard if heard.startswith("failed")] == [
        "failed service/shop/web broken",
        "failed service/shop/db broken",
        "failed service/shop/web broken",
    ]


def test_what_lasts_is_announced_again_after_half_an_hour() -> None:
    listener = Listener()
    said = Teller(Metrics(), "me", announcer=listener)
    engine = running(first=[seen("web", wants("web", "web"))]).engine
    for minutes in (0, 29, 30, 59, 60):
        said.run_ended(engine, (), BEGINNING + timedelta(minutes=minutes))
    assert listener.heard == ["decided 1", "mistaken 1"] * 2
