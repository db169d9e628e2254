"""When the status of an object is written, and its content (docs/spec/sources.md 6.3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from extdns.controller.status_updater import StatusUpdater
from extdns.controller.write_gate import WriteGate
from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.effects import Effect, ReportDecisions, SubmitBatch
from extdns.engine.inputs import BatchCompleted, Cause, Input, LeadershipChanged, Observed, TimePassed
from extdns.model.change import Decision
from extdns.model.claim import Claim, ClaimWarning, Derivation, ExcludedClaim, InvalidClaim, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey
from extdns.model.object_status import ObjectStatus, PolicyStatus, ReleasedObject
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from extdns.planner.settings import Policy
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    build_unresolved,
    change_phase,
    host,
    observe,
    observe_gone,
    origin,
    owned,
    record,
    ref,
    refuse_names,
)
from tests.fakes.clocks import MovedClock
from tests.unit.controller.test_write_gate import FakeLease
from tests.world import World, build_world

INSIDE = replace(PLAN, domains=DomainFilter(include=("in.example.org",)))


@dataclass
class FakeStatusWriter:
    """A status writer for Services that stores the statuses."""

    kind: Kind = SERVICE
    statuses: list[ObjectStatus] = field(default_factory=list)
    released: list[ObjectKey] = field(default_factory=list)
    forgotten: list[ObjectKey] = field(default_factory=list)
    closed: bool = False

    def write(self, object_status: ObjectStatus | PolicyStatus | ReleasedObject) -> None:
        assert not isinstance(object_status, PolicyStatus)
        if isinstance(object_status, ReleasedObject):
            self.released.append(object_status.key)
        else:
            self.statuses.append(object_status)

    def forget(self, key: ObjectKey) -> None:
        self.forgotten.append(key)

    def close(self, timeout_s: float) -> None:
        assert timeout_s > 0
        self.closed = True


class StatusScene:
    """An engine and its status updater, with one clock."""

    def __init__(self, *records: Record, finalizer_timeout_s: float = 0.0, **changes: object) -> None:
        self.world: World = build_world(*records, **changes)  # type: ignore[arg-type]
        self.writer = FakeStatusWriter()
        self.clock = MovedClock(self.world.now_s)
        self.lease = FakeLease() if changes.get("has_election") else None
        self.updater = StatusUpdater(
            self.world.engine, self.writer, self.clock, WriteGate(self.lease), finalizer_timeout_s=finalizer_timeout_s
        )

    def run(self, *items: Input, for_s: float = 1.0) -> list[ObjectStatus]:
        """Feed *items* to the engine, let time pass, and return the object statuses that were written."""
        for item in items:
            if self.lease and isinstance(item, LeadershipChanged):
                self.lease.left = 30.0 if item.is_leader else 0.0
            self.updater.before_step(item)
        self.world.run(*items, for_s=for_s)
        self.updater.after_step([ReportDecisions(decisions=tuple(self.world.reported))])
        self.world.reported.clear()
        self.clock.now_s = max(self.clock.now_s, self.world.now_s) + 10.0
        return self.read_statuses()

    def step(self, item: Input, now_s: float) -> tuple[Effect, ...]:
        """Step the engine and return its effects without carrying them out."""
        self.updater.before_step(item)
        effects = self.world.engine.step(item, now_s)
        self.updater.after_step(effects)
        return effects

    def read_statuses(self) -> list[ObjectStatus]:
        self.writer.statuses.clear()
        self.updater.update()
        return list(self.writer.statuses)


def version(number: int, *claims: Claim, name: str = "web") -> Observed:
    (one,) = observe(name, *claims).observations
    return Observed(observations=(replace(one, generation=number),))


def synced(*claims: Claim) -> Iterable[Input]:
    return (version(1, *claims), change_phase(SERVICE), change_phase(INGRESS))


def at(claim: ResolvedClaim, number: int, *notices: ClaimWarning) -> ResolvedClaim:
    provenance = replace(claim.provenance, field=f"spec.endpoints[{number}]")
    return replace(claim, provenance=provenance, warning_groups=(notices,))


def list_problems(status: ObjectStatus) -> list[tuple[str, Reason, bool, bool]]:
    return [(one.name, one.reason, one.valid, one.published) for one in status.problems]


def test_written_once_when_all_records_of_the_object_are_published() -> None:
    scene = StatusScene()
    (statuses,) = scene.run(*synced(at(build_claim("web", "web"), 0), at(build_claim("web", "api"), 1)))
    assert statuses == ObjectStatus(key=ref("web").key, generation=1, endpoints=2)
    assert scene.world.list_records() == {"api A": ("192.0.2.1",), "web A": ("192.0.2.1",)}
    assert scene.read_statuses() == []
    assert scene.run(TimePassed(), for_s=300.0) == []
    assert scene.updater.next_deadline_at == math.inf


def test_not_written_before_the_service_has_answered() -> None:
    scene = StatusScene()
    scene.run(change_phase(SERVICE), change_phase(INGRESS))
    now_s = scene.world.now_s
    effects = scene.step(version(1, build_claim("web", "web")), now_s) + scene.step(TimePassed(), now_s + 1.0)
    (submit,) = (effect for effect in effects if isinstance(effect, SubmitBatch))
    later = scene.step(version(1, build_claim("api", "api"), name="api"), now_s + 2.0) + scene.step(
        TimePassed(), now_s + 3.0
    )
    assert not any(isinstance(effect, SubmitBatch) for effect in later)
    scene.clock.now_s = now_s + 100.0
    assert scene.read_statuses() == []
    assert now_s < scene.updater.next_deadline_at < math.inf
    outcome = scene.world.provider.submit(ZONE, submit.batch)
    scene.step(BatchCompleted(number=submit.batch.number, zone=ZONE, outcome=outcome), now_s + 101.0)
    scene.step(TimePassed(), now_s + 101.0)
    scene.clock.now_s += 100.0
    assert scene.read_statuses() == [ObjectStatus(key=ref("web").key, generation=1, endpoints=1)]


def test_status_of_a_new_generation_waits_for_its_records() -> None:
    scene = StatusScene(*owned("web"))
    (statuses,) = scene.run(*synced(build_claim("web", "web")))
    assert statuses.generation == 1
    item = version(2, build_claim("web", "web", "192.0.2.7"))
    effects = scene.step(item, scene.world.now_s)
    scene.clock.now_s += 100.0
    assert scene.read_statuses() == []
    (batch,) = (effect.batch for effect in effects if isinstance(effect, SubmitBatch))
    outcome = scene.world.provider.submit(ZONE, batch)
    (statuses,) = scene.run(BatchCompleted(number=batch.number, zone=ZONE, outcome=outcome))
    assert (statuses.generation, statuses.problems) == (2, ())
    assert scene.world.list_records() == {"web A": ("192.0.2.7",)}


def test_shows_a_refused_change_until_it_succeeds() -> None:
    scene = StatusScene()
    scene.world.provider.rule = refuse_names("web")
    (statuses,) = scene.run(*synced(build_claim("web", "web")), for_s=3.0)
    assert list_problems(statuses) == [("web.example.org", Reason.REFUSED, True, False)]
    scene.world.provider.rule = lambda _: None
    (statuses,) = scene.run(TimePassed(), for_s=900.0)
    assert list_problems(statuses) == []


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param(
            InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name"),
            ("a..b", Reason.INVALID_NAME, False, False),
            id="no-name",
        ),
        pytest.param(
            InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_ENDPOINT, value="CAA", allowed="A"),
            ("", Reason.INVALID_ENDPOINT, False, False),
            id="no-type",
        ),
        pytest.param(
            build_unresolved("web", "web", Reason.INVALID_TARGET),
            ("web.example.org", Reason.INVALID_TARGET, False, False),
            id="no-target",
        ),
        pytest.param(
            build_unresolved("web", "web"), ("web.example.org", Reason.NO_ADDRESS, True, False), id="no-address-yet"
        ),
        pytest.param(
            at(
                build_claim("web", "web"),
                0,
                ClaimWarning(reason=Reason.INVALID_TTL, field="ttl", value="x", allowed="seconds"),
            ),
            ("web.example.org", Reason.INVALID_TTL, False, True),
            id="published-without-its-ttl",
        ),
        pytest.param(
            build_claim("web", "theirs"),
            ("theirs.example.org", Reason.FOREIGN_RECORD, True, False),
            id="foreign-record-exists",
        ),
        pytest.param(
            ExcludedClaim(ref=ref("web"), excluded_by="--target-net-filter", name=host("web")),
            ("web.example.org", Reason.TARGETS_FILTERED, True, False),
            id="targets-filtered",
        ),
    ],
)
def test_has_the_reason_of_each_endpoint_that_is_not_published(
    claim: Claim, expected: tuple[str, Reason, bool, bool]
) -> None:
    scene = StatusScene(record("theirs", "192.0.2.99"))
    (statuses,) = scene.run(*synced(claim))
    assert (statuses.endpoints, list_problems(statuses)) == (1, [expected])


def test_an_endpoint_that_is_published_without_a_property_is_valid() -> None:
    ignored = ClaimWarning(reason=Reason.PROPERTY_IGNORED, field="property aws/weight", value="7", allowed="none")
    (status,) = StatusScene().run(*synced(at(build_claim("web", "web"), 0, ignored)))
    assert (status.endpoints, list_problems(status)) == (1, [])


def test_says_that_the_object_lost_a_hostname_contest() -> None:
    scene = StatusScene()
    (web,) = version(1, build_claim("web", "web")).observations
    loser = build_claim("api", "web", "192.0.2.7")
    elsewhere = replace(loser.provenance.ref, key=ObjectKey(SERVICE, "zoo", "api"), created="2026-02-01T00:00:00Z")
    claim = replace(loser, provenance=replace(loser.provenance, ref=elsewhere))
    (api,) = version(1, claim, name="api").observations
    other = replace(api, key=elsewhere.key)
    statuses = scene.run(Observed(observations=(web, other)), change_phase(SERVICE), change_phase(INGRESS))
    assert {one.key.name: list_problems(one) for one in statuses} == {
        "web": [],
        "api": [("web.example.org", Reason.REQUESTED_BY_OTHER, True, False)],
    }


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param((ExcludedClaim(ref=ref("web"), excluded_by="--annotation-filter"),), id="the-object"),
        pytest.param((build_claim("web", "web"), build_claim("web", "api")), id="all-of-its-names"),
    ],
)
def test_not_written_for_an_object_that_the_filters_exclude(claims: tuple[Claim, ...]) -> None:
    scene = StatusScene(plan=INSIDE)
    assert scene.run(*synced(*claims)) == []
    assert scene.updater.next_deadline_at == math.inf


def test_lists_all_endpoints_of_a_partly_excluded_object() -> None:
    scene = StatusScene(plan=INSIDE)
    (statuses,) = scene.run(*synced(at(build_claim("web", "web"), 0), at(build_claim("web", "a.in"), 1)))
    assert list_problems(statuses) == [("web.example.org", Reason.DOMAIN_FILTERED, True, False)]


def test_derived_ptr_records_do_not_count_as_endpoints() -> None:
    scene = StatusScene()
    derived = build_claim("web", "derived")
    ptr = replace(derived, provenance=replace(derived.provenance, derivation=Derivation.PTR))
    (statuses,) = scene.run(*synced(build_claim("web", "web"), ptr))
    assert statuses.endpoints == 1


def test_object_without_endpoints_gets_a_status() -> None:
    (statuses,) = StatusScene().run(*synced())
    assert statuses == ObjectStatus(key=ref("web").key, generation=1, endpoints=0)


def test_not_written_for_a_deleted_object() -> None:
    scene = StatusScene(*owned("web"))
    scene.run(*synced(build_claim("web", "web")))
    assert scene.run(observe_gone("web"), for_s=100.0) == []
    assert scene.writer.forgotten == [ref("web").key] * 2


def test_not_written_while_the_claims_cannot_be_computed() -> None:
    scene = StatusScene(*owned("web"))
    scene.run(*synced(build_claim("web", "web")))
    assert scene.run(version(2, build_claim("web", "web")), observe("web", failure="no", cause=Cause.VERSION)) == []
    (statuses,) = scene.run(version(3, build_claim("web", "web")))
    assert statuses.generation == 3


def test_not_written_for_objects_of_other_kinds() -> None:
    scene = StatusScene()
    assert (
        scene.run(
            change_phase(SERVICE),
            change_phase(INGRESS),
            observe("web", build_claim("web", "web", kind=INGRESS), kind=INGRESS),
        )
        == []
    )


def test_closing_writes_the_last_statuses_and_closes_the_writer() -> None:
    scene = StatusScene()
    scene.run(*synced(build_claim("web", "web")), for_s=0.0)
    scene.world.run(TimePassed(), for_s=1.0)
    scene.updater.after_step([ReportDecisions(decisions=tuple(scene.world.reported))])
    scene.updater.close(2.0)
    assert scene.writer.closed
    assert scene.writer.statuses == [ObjectStatus(key=ref("web").key, generation=1, endpoints=1)]


def test_many_statuses_are_written_a_few_at_a_time_and_at_the_end_all(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = StatusScene()
    scene.run(change_phase(SERVICE), change_phase(INGRESS))

    def advance() -> float:
        scene.clock.now_s += 0.125
        return scene.clock.now_s

    monkeypatch.setattr(scene.clock, "monotonic_s", advance)
    scene.updater.before_step(version(1, build_claim("late", "late"), name="late"))
    names = ("api", "web", "www", "zoo")
    written = [scene.run(*(version(1, build_claim(name, name), name=name) for name in names))]
    written += [scene.run(), scene.run()]
    scene.updater.close(1.0)
    assert [[one.key.name for one in some] for some in (*written, scene.writer.statuses)] == [
        [],
        ["api"],
        ["web"],
        ["web", "www", "zoo"],
    ]


def test_a_defect_in_one_status_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = StatusScene()
    write = scene.writer.write

    def fail_for_web(status: ObjectStatus | PolicyStatus | ReleasedObject) -> None:
        if status.key.name == "web":
            raise RuntimeError("defect")
        write(status)

    monkeypatch.setattr(scene.writer, "write", fail_for_web)
    with pytest.raises(RuntimeError, match="defect"):
        scene.run(*synced(build_claim("web", "web")), version(1, build_claim("zoo", "zoo"), name="zoo"))
    assert [one.key.name for one in scene.writer.statuses] == ["zoo"]
    assert scene.updater.next_deadline_at > scene.clock.now_s
    monkeypatch.undo()
    assert [one.key.name for one in scene.run(for_s=60.0)] == ["web"]


def test_decisions_about_a_name_are_read_once_for_all_its_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = StatusScene()
    read: list[DnsName] = []
    find, update = scene.world.engine.decisions.decisions, scene.updater.update

    def find_decisions(name: DnsName) -> tuple[Decision, ...]:
        read.append(name)
        return find(name)

    def update_only() -> None:
        read.clear()
        update()

    monkeypatch.setattr(scene.world.engine.decisions, "decisions", find_decisions)
    monkeypatch.setattr(scene.updater, "update", update_only)
    claims = [at(build_claim("web", "web", f"192.0.2.{number}"), number) for number in range(3)]
    assert len(scene.run(*synced(*claims), version(1, build_claim("api", "web"), name="api"))) == 2
    assert read == [host("web")]


def test_standby_writes_no_status_and_a_new_leader_writes_all() -> None:
    scene = StatusScene(*owned("web"), has_election=True)
    assert scene.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS)) == []
    assert scene.updater.next_deadline_at == math.inf
    (statuses,) = scene.run(LeadershipChanged(is_leader=True))
    assert statuses.key == ref("web").key
    scene.writer.forgotten.clear()
    assert scene.run(LeadershipChanged(is_leader=False)) == []
    assert scene.writer.forgotten == [ref("web").key]
    assert len(scene.run(LeadershipChanged(is_leader=True))) == 1


def test_standby_writes_no_status_when_it_closes() -> None:
    scene = StatusScene(*owned("web"), has_election=True)
    assert scene.run(observe("web", build_claim("web", "web")), change_phase(SERVICE), change_phase(INGRESS)) == []
    scene.updater.close(1.0)
    assert scene.writer.statuses == []
    assert scene.writer.closed


def delete_kept(scene: StatusScene) -> Observed:
    """Return the observation that the object `web`, which has a finalizer, is deleted now."""
    (gone,) = observe_gone("web").observations
    return Observed(observations=(replace(gone, generation=2, deleted_at=scene.clock.now().isoformat()),))


def test_an_object_needs_the_finalizer_once_a_record_of_it_is_published() -> None:
    for claim, finalizer in ((build_claim("web", "web"), True), (build_unresolved("web", "web"), None)):
        (status,) = StatusScene(finalizer_timeout_s=600.0).run(*synced(claim))
        assert status.finalizer is finalizer
    (status,) = StatusScene().run(*synced(build_claim("web", "web")))
    assert status.finalizer is False


def test_a_deleted_object_is_released_once_its_records_are_gone() -> None:
    deletes = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(percent=100))
    scene = StatusScene(finalizer_timeout_s=600.0, deletes=deletes)
    scene.run(*synced(build_claim("web", "web")))
    scene.run(delete_kept(scene))
    assert (scene.writer.released, set(scene.world.list_records())) == ([], {"web A"})
    scene.run(TimePassed(), for_s=60.0)
    assert (scene.writer.released, set(scene.world.list_records())) == ([ref("web").key], set())


def test_a_deleted_object_is_released_if_another_one_requests_its_record() -> None:
    scene = StatusScene(finalizer_timeout_s=600.0, plan=replace(PLAN, policy=Policy.CREATE_ONLY))
    scene.run(*synced(build_claim("web", "web")))
    scene.run(version(1, build_claim("api", "web"), name="api"))
    scene.run(delete_kept(scene))
    assert (scene.writer.released, set(scene.world.list_records())) == ([ref("web").key], {"web A"})


def test_a_deleted_object_is_released_after_the_limit_although_its_record_stays() -> None:
    scene = StatusScene(finalizer_timeout_s=600.0, plan=replace(PLAN, policy=Policy.UPSERT_ONLY))
    scene.run(*synced(build_claim("web", "web")))
    scene.run(delete_kept(scene), for_s=500.0)
    assert scene.writer.released == []
    scene.run(TimePassed(), for_s=100.0)
    assert (scene.writer.released, set(scene.world.list_records())) == ([ref("web").key], {"web A"})
