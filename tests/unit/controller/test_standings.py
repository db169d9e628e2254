"""How objects stand: what is told of them, and when (spec sources 6.3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from extdns.controller.standings import Standings
from extdns.engine.effects import Effect, Submit, TellDecisions
from extdns.engine.inputs import Cause, Input, Observed, Submitted, Tick
from extdns.model.claim import Claim, Derivation, Filtered, Invalid, Notice, Wanted
from extdns.model.cluster import Kind, ObjectKey
from extdns.model.domains import DomainFilter
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.standing import Standing
from tests.unit.controller.scene import MovedClock
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    Stage,
    gone,
    host,
    origin,
    owned,
    phase,
    record,
    ref,
    refusing,
    seen,
    stage,
    wants,
    withholds,
)

INSIDE = replace(PLAN, domains=DomainFilter(include=("in.example.org",)))


@dataclass
class Shelf:
    """Keeps what is put; of Services."""

    kind: Kind = SERVICE
    told: list[Standing] = field(default_factory=list)
    forgotten: list[ObjectKey] = field(default_factory=list)
    closed: bool = False

    def put(self, standing: Standing) -> None:
        self.told.append(standing)

    def forget(self, key: ObjectKey) -> None:
        self.forgotten.append(key)

    def close(self, patience_s: float) -> None:
        assert patience_s > 0
        self.closed = True


class Desk:
    """Standings of an engine whose time is theirs."""

    def __init__(self, *records: Record, **changes: object) -> None:
        self.stage: Stage = stage(*records, **changes)  # type: ignore[arg-type]
        self.shelf = Shelf()
        self.clock = MovedClock(self.stage.now_s)
        self.standings = Standings(self.stage.engine, self.shelf, self.clock)

    def run(self, *items: Input, for_s: float = 1.0) -> list[Standing]:
        """Let the world go on; what is told of it in the end."""
        for item in items:
            self.standings.heard(item)
        self.stage.run(*items, for_s=for_s)
        self.standings.decided(self.stage.told)
        self.stage.told.clear()
        self.clock.now_s = max(self.clock.now_s, self.stage.now_s) + 10.0
        return self.look()

    def step(self, item: Input, now_s: float) -> tuple[Effect, ...]:
        """One step, whose effects wait for the test."""
        self.standings.heard(item)
        effects = self.stage.engine.step(item, now_s)
        for effect in effects:
            if isinstance(effect, TellDecisions):
                self.standings.decided(effect.decisions)
        return effects

    def look(self) -> list[Standing]:
        self.shelf.told.clear()
        self.standings.look()
        return list(self.shelf.told)


def version(number: int, *claims: Claim, name: str = "web") -> Observed:
    (one,) = seen(name, *claims).observations
    return Observed(observations=(replace(one, generation=number),))


def synced(*claims: Claim) -> Iterable[Input]:
    return (version(1, *claims), phase(SERVICE), phase(INGRESS))


def at(claim: Wanted, number: int, *notices: Notice) -> Wanted:
    provenance = replace(claim.provenance, field=f"spec.endpoints[{number}]")
    return replace(claim, provenance=provenance, notices=notices)


def short(standing: Standing) -> list[tuple[str, Reason, bool, bool]]:
    return [(one.name, one.reason, one.valid, one.published) for one in standing.short]


def test_an_object_is_told_of_once_all_its_records_stand() -> None:
    desk = Desk()
    (told,) = desk.run(*synced(at(wants("web", "web"), 0), at(wants("web", "api"), 1)))
    assert told == Standing(key=ref("web").key, generation=1, endpoints=2)
    assert desk.stage.holds() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.1",)}
    assert desk.look() == []
    assert desk.run(Tick(), for_s=300.0) == []
    assert desk.standings.wake_s == math.inf


def test_nothing_is_told_before_the_service_has_answered() -> None:
    desk = Desk()
    desk.run(phase(SERVICE), phase(INGRESS))
    now_s = desk.stage.now_s
    effects = desk.step(version(1, wants("web", "web")), now_s) + desk.step(Tick(), now_s + 1.0)
    (submit,) = (effect for effect in effects if isinstance(effect, Submit))
    later = desk.step(version(1, wants("api", "api"), name="api"), now_s + 2.0) + desk.step(Tick(), now_s + 3.0)
    assert not any(isinstance(effect, Submit) for effect in later)
    desk.clock.now_s = now_s + 100.0
    assert desk.look() == []
    assert now_s < desk.standings.wake_s < math.inf
    outcome = desk.stage.provider.submit(ZONE, submit.batch)
    desk.step(Submitted(number=submit.batch.number, zone=ZONE, outcome=outcome), now_s + 101.0)
    desk.step(Tick(), now_s + 101.0)
    desk.clock.now_s += 100.0
    assert desk.look() == [Standing(key=ref("web").key, generation=1, endpoints=1)]


def test_a_newer_version_is_told_of_only_once_it_is_published_even_if_the_name_was() -> None:
    desk = Desk(*owned("web"))
    (told,) = desk.run(*synced(wants("web", "web")))
    assert told.generation == 1
    item = version(2, wants("web", "web", "192.0.2.7"))
    desk.standings.heard(item)
    desk.stage.engine.step(item, desk.stage.now_s)
    desk.clock.now_s += 100.0
    assert desk.look() == []
    (told,) = desk.run(Tick())
    assert (told.generation, told.short) == (2, ())
    assert desk.stage.holds() == {"web A": ("192.0.2.7",)}


def test_what_the_service_refuses_is_told_and_so_is_its_end() -> None:
    desk = Desk()
    desk.stage.provider.rule = refusing("web")
    (told,) = desk.run(*synced(wants("web", "web")), for_s=3.0)
    assert short(told) == [("web.example.org", Reason.REFUSED, True, False)]
    desk.stage.provider.rule = lambda _: None
    (told,) = desk.run(Tick(), for_s=900.0)
    assert short(told) == []


def test_a_version_that_asks_for_the_same_is_told_of_too() -> None:
    desk = Desk(*owned("web"))
    desk.run(*synced(wants("web", "web")))
    (told,) = desk.run(version(2, wants("web", "web")))
    assert told.generation == 2


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param(
            Invalid(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name"),
            ("a..b", Reason.INVALID_NAME, False, False),
            id="no-name",
        ),
        pytest.param(
            Invalid(provenance=origin("web"), reason=Reason.INVALID_ENDPOINT, value="CAA", allowed="A"),
            ("", Reason.INVALID_ENDPOINT, False, False),
            id="no-type",
        ),
        pytest.param(
            withholds("web", "web", Reason.INVALID_TARGET),
            ("web.example.org", Reason.INVALID_TARGET, False, False),
            id="no-target",
        ),
        pytest.param(withholds("web", "web"), ("web.example.org", Reason.NO_ADDRESS, True, False), id="no-address-yet"),
        pytest.param(
            at(wants("web", "web"), 0, Notice(reason=Reason.INVALID_TTL, field="ttl", value="x", allowed="seconds")),
            ("web.example.org", Reason.INVALID_TTL, False, True),
            id="published-without-its-ttl",
        ),
        pytest.param(
            wants("web", "theirs"), ("theirs.example.org", Reason.FOREIGN_RECORD, True, False), id="somebody-has-it"
        ),
        pytest.param(
            Filtered(ref=ref("web"), by="--target-net-filter", name=host("web")),
            ("web.example.org", Reason.TARGETS_FILTERED, True, False),
            id="targets-filtered",
        ),
    ],
)
def test_what_falls_short_is_told_with_its_reason(claim: Claim, expected: tuple[str, Reason, bool, bool]) -> None:
    desk = Desk(record("theirs", "192.0.2.99"))
    (told,) = desk.run(*synced(claim))
    assert (told.endpoints, short(told)) == (1, [expected])


def test_of_two_objects_the_one_that_lost_is_told_so() -> None:
    desk = Desk()
    (web,) = version(1, wants("web", "web")).observations
    lost = wants("api", "web", "192.0.2.7")
    elsewhere = replace(lost.provenance.ref, key=ObjectKey(SERVICE, "zoo", "api"), created="2026-02-01T00:00:00Z")
    claim = replace(lost, provenance=replace(lost.provenance, ref=elsewhere))
    (api,) = version(1, claim, name="api").observations
    other = replace(api, key=elsewhere.key)
    told = desk.run(Observed(observations=(web, other)), phase(SERVICE), phase(INGRESS))
    assert {one.key.name: short(one) for one in told} == {
        "web": [],
        "api": [("web.example.org", Reason.CONFLICT_LOST, True, False)],
    }


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param((Filtered(ref=ref("web"), by="--annotation-filter"),), id="the-object"),
        pytest.param((wants("web", "web"), wants("web", "api")), id="all-of-its-names"),
    ],
)
def test_nothing_is_told_of_what_is_left_to_another_extdns(claims: tuple[Claim, ...]) -> None:
    desk = Desk(plan=INSIDE)
    assert desk.run(*synced(*claims)) == []
    assert desk.standings.wake_s == math.inf


def test_an_object_of_which_some_is_ours_is_told_of_whole() -> None:
    desk = Desk(plan=INSIDE)
    (told,) = desk.run(*synced(at(wants("web", "web"), 0), at(wants("web", "a.in"), 1)))
    assert short(told) == [("web.example.org", Reason.DOMAIN_FILTERED, True, False)]


def test_what_is_derived_is_no_endpoint_of_the_object() -> None:
    desk = Desk()
    derived = wants("web", "derived")
    pointer = replace(derived, provenance=replace(derived.provenance, derived=Derivation.POINTER))
    (told,) = desk.run(*synced(wants("web", "web"), pointer))
    assert told.endpoints == 1


def test_an_object_without_endpoints_stands() -> None:
    (told,) = Desk().run(*synced())
    assert told == Standing(key=ref("web").key, generation=1, endpoints=0)


def test_of_an_object_that_is_gone_nothing_is_told_any_more() -> None:
    desk = Desk(*owned("web"))
    desk.run(*synced(wants("web", "web")))
    assert desk.run(gone("web"), for_s=100.0) == []
    assert desk.shelf.forgotten == [ref("web").key] * 2


def test_an_object_that_cannot_be_computed_keeps_what_is_told_of_it() -> None:
    desk = Desk(*owned("web"))
    desk.run(*synced(wants("web", "web")))
    assert desk.run(version(2, wants("web", "web")), seen("web", failure="no", cause=Cause.VERSION)) == []
    (told,) = desk.run(version(3, wants("web", "web")))
    assert told.generation == 3


def test_other_kinds_are_none_of_its_business() -> None:
    desk = Desk()
    assert desk.run(phase(SERVICE), phase(INGRESS), seen("web", wants("web", "web", kind=INGRESS), kind=INGRESS)) == []


def test_the_end_is_a_last_look_and_closes_the_writer() -> None:
    desk = Desk()
    desk.run(*synced(wants("web", "web")), for_s=0.0)
    desk.stage.run(Tick(), for_s=1.0)
    desk.standings.decided(desk.stage.told)
    desk.standings.close(2.0)
    assert desk.shelf.closed
    assert desk.shelf.told == [Standing(key=ref("web").key, generation=1, endpoints=1)]
