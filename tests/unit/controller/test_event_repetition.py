"""Which calls the Event recorder gets, and how often calls about a lasting state are repeated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from extdns.controller.reporter import ActivityReporter
from extdns.metrics.metrics import Metrics
from extdns.model.change import Action, Applied, Batch, Decision, TryLater
from extdns.model.claim import Claim
from extdns.model.evidence import HeldSet, Scope
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from extdns.resources.core import POD
from tests.builders import ZONE, build_claim, host, observe
from tests.fakes.clocks import BEGINNING
from tests.world import start_world

DECISION = Decision(
    zone=ZONE, name=host("web"), set_identifier="", type="A", action=Action.CREATE, reason=Reason.REQUESTED
)
BATCH = Batch(number=1, zone=ZONE, change_sets=())


class Listener:
    """A fake Event recorder that stores each call as a line of text."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def record_decisions(self, decisions: Sequence[Decision]) -> None:
        self.calls += [f"decided {len(decisions)}"]

    def record_invalid_claims(self, claims: Sequence[Claim]) -> None:
        self.calls += [f"mistaken {len(claims)}"]

    def record_failure(self, key: ObjectKey, message: str) -> None:
        self.calls += [f"failed {key.resource} {message}"]

    def record_batch(self, batch: Batch) -> None:
        self.calls += [f"applied {batch.number}"]

    def record_held_deletes(self, held: HeldSet) -> None:
        self.calls += [f"held {held} {held.code} {len(held.held)}"]

    def close(self, timeout_s: float) -> None:
        self.calls += [f"close {timeout_s > 0}"]


def test_the_event_recorder_gets_decisions_observations_applied_batches_and_held_deletes() -> None:
    listener = Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener)
    reporter.report_decisions([DECISION])
    reporter.report_observations(observe("web", build_claim("web", "web")).observations)
    reporter.report_outcome(BATCH, Applied(records=()))
    reporter.report_outcome(BATCH, TryLater(message="busy"))
    reporter.report_held_deletes(HeldSet(scope=Scope(ZONE.id), zone=ZONE, code="7f3a-91c2", held=()))
    reporter.close()
    assert listener.calls == ["decided 1", "mistaken 1", "applied 1", "held zone example.org 7f3a-91c2 0", "close True"]


def test_an_event_about_a_failing_object_is_repeated_while_it_fails() -> None:
    listener = Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener)
    world = start_world()
    waiting = observe("api", failure="Pod objects are not listed yet", awaited_kind=POD)
    for observed in (observe("web", failure="broken"), waiting, observe("db", failure="broken"), observe("db")):
        reporter.report_observations(observed.observations)
        world.feed(observed)
    reporter.report_run(world.engine, (), BEGINNING)
    reporter.report_run(world.engine, (), BEGINNING + timedelta(minutes=30))
    assert [calls for calls in listener.calls if calls.startswith("failed")] == [
        "failed service/shop/web broken",
        "failed service/shop/db broken",
        "failed service/shop/web broken",
    ]


def test_events_about_lasting_states_are_repeated_every_half_hour() -> None:
    listener = Listener()
    reporter = ActivityReporter(Metrics(), "me", recorder=listener)
    engine = start_world(first=[observe("web", build_claim("web", "web"))]).engine
    for minutes in (0, 29, 30, 59, 60):
        reporter.report_run(engine, (), BEGINNING + timedelta(minutes=minutes))
    assert listener.calls == ["decided 1", "mistaken 1"] * 2
