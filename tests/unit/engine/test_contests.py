"""Two namespaces, one host (design 4, "Where claims meet")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.deletesettings import DeleteSettings
from extdns.engine.inputs import Cause, Observation, Observed
from extdns.model.claim import Claim, Provenance, Wanted, Withheld
from extdns.model.cluster import ObjectKey, ObjectRef, Phase
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, Endpoint, Record, canonical_targets
from extdns.planner.settings import PlanSettings
from tests.unit.engine.stage import PLAN, SERVICE, Stage, host, mark, phase, record, running

DELETES = DeleteSettings(owner="me", grace_s=60.0)
OLD, NEW = "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"


def ref(namespace: str, created: str) -> ObjectRef:
    return ObjectRef(key=ObjectKey(SERVICE, namespace, "web"), created=created)


def wants(namespace: str, target: str, created: str = OLD, *, rtype: str = "A", sid: str = "") -> Wanted:
    """The Service `web` of *namespace* wants *target* at `web.example.org`."""
    asked = ref(namespace, created)
    return Wanted(
        endpoint=Endpoint(
            name=host("web"),
            type=rtype,
            targets=canonical_targets(rtype, (target,)),
            set_identifier=sid,
            labels=Pairs.of({RESOURCE: asked.key.resource}),
        ),
        provenance=Provenance(source="service", ref=asked, field="annotation"),
    )


def blank(namespace: str, created: str = OLD, *, sid: str = "") -> Withheld:
    """That Service has no address."""
    at = Provenance(source="service", ref=ref(namespace, created), field="annotation")
    return Withheld(name=host("web"), set_identifier=sid, provenance=at, reason=Reason.NO_ADDRESS, detail="none yet")


def seen(namespace: str, *claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
    asked = ref(namespace, OLD)
    return Observed(observations=(Observation(source="service", key=asked.key, cause=cause, claims=claims),))


def gone(namespace: str) -> Observed:
    return seen(namespace, cause=Cause.DELETED)


def published(target: str, *, by: str = "") -> tuple[Record, ...]:
    """The record at `web` with its mark, which names the Service of namespace *by*, if any."""
    return record("web", target), mark("web", resource=f"service/{by}/web" if by else "")


def world(*records: Record, first: list[Observed], **changes: object) -> Stage:
    return running(*records, first=first, deletes=DELETES, **changes)


def test_of_two_that_are_new_the_older_object_wins_and_the_other_is_told() -> None:
    told = world(first=[seen("blue", wants("blue", "192.0.2.1", NEW)), seen("green", wants("green", "192.0.2.2", OLD))])
    assert told.holds() == {"web A": ("192.0.2.2",)}
    assert told.endings("web") == ["A none conflict-lost", "A keep programmed"]
    assert told.engine.decisions.of(host("web"))[0].detail == "Service green/web has it"


def test_of_two_equally_old_the_first_by_name_wins() -> None:
    told = world(first=[seen("green", wants("green", "192.0.2.2")), seen("blue", wants("blue", "192.0.2.1"))])
    assert told.holds() == {"web A": ("192.0.2.1",)}


def test_the_namespace_that_has_it_keeps_it_from_an_older_object() -> None:
    told = world(
        *published("192.0.2.1", by="blue"),
        first=[seen("blue", wants("blue", "192.0.2.1", NEW)), seen("green", wants("green", "192.0.2.2", OLD))],
    )
    assert told.holds() == {"web A": ("192.0.2.1",)}
    assert not told.provider.submissions


def test_the_holder_may_change_its_target() -> None:
    told = world(
        *published("192.0.2.1", by="blue"),
        first=[seen("blue", wants("blue", "192.0.2.3", NEW)), seen("green", wants("green", "192.0.2.2", OLD))],
    )
    assert told.holds() == {"web A": ("192.0.2.3",)}


def test_who_asks_for_the_same_target_is_no_rival() -> None:
    told = world(first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.1"))])
    assert told.endings("web") == ["A keep programmed"]


def test_a_record_that_holds_the_targets_of_both_stays() -> None:
    merged = (record("web", "192.0.2.1", "192.0.2.2"), mark("web", resource="service/blue/web"))
    told = world(*merged, first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.2"))])
    assert not told.provider.submissions
    assert told.endings("web") == ["A keep merged-before"]


def test_the_next_change_of_either_ends_that() -> None:
    merged = (record("web", "192.0.2.1", "192.0.2.2"), mark("web", resource="service/blue/web"))
    told = world(*merged, first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.2"))])
    told.run(seen("green", wants("green", "192.0.2.9")))
    assert told.holds() == {"web A": ("192.0.2.1",)}


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(replace(PLAN, merges_namespaces=True), id="merge-across-namespaces"),
        pytest.param(replace(PLAN, compat=True, merges_namespaces=True), id="compat"),
    ],
)
def test_all_are_merged_where_a_person_wants_that(plan: PlanSettings) -> None:
    told = world(
        first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.2"))],
        plan=plan,
    )
    assert told.holds() == {"web A": ("192.0.2.1", "192.0.2.2")}


def test_another_namespace_takes_over_when_the_evidence_has_lasted_for_the_grace() -> None:
    told = world(
        *published("192.0.2.1", by="blue"),
        first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.2"))],
    )
    told.run(gone("blue"), for_s=59.0)
    assert told.holds() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in told.engine.decisions.of(host("web"))} == {Reason.IN_GRACE}
    told.run(for_s=2.0)
    assert told.holds() == {"web A": ("192.0.2.2",)}
    assert told.evidence == [], "a name that goes on is no delete"
    assert not told.engine.zones.state(told.reader.zones().zones[0]).deletes.budget.made  # type: ignore[union-attr]


def test_while_the_holder_is_blank_nobody_takes_over() -> None:
    told = world(
        *published("192.0.2.1", by="blue"),
        first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.2"))],
    )
    told.run(seen("blue", blank("blue")), for_s=3600.0)
    assert told.holds() == {"web A": ("192.0.2.1",)}


def test_while_the_source_of_the_holder_is_down_nobody_takes_over() -> None:
    told = world(
        *published("192.0.2.1", by="blue"),
        first=[seen("blue", wants("blue", "192.0.2.1")), seen("green", wants("green", "192.0.2.2"))],
    )
    told.run(gone("blue"), phase(SERVICE, Phase.FORBIDDEN), for_s=3600.0)
    assert told.holds() == {"web A": ("192.0.2.1",)}


def test_set_identifiers_are_decided_each_for_itself() -> None:
    told = world(
        first=[
            seen("blue", wants("blue", "192.0.2.1", sid="stable")),
            seen("green", wants("green", "192.0.2.2", sid="canary")),
        ]
    )
    told.run(seen("green", blank("green", sid="canary")), for_s=600.0)
    assert told.endings("web") == ["A keep no-address", "A keep programmed"]


def test_a_new_name_goes_to_who_can_say_a_target() -> None:
    told = world(first=[seen("blue", blank("blue", OLD)), seen("green", wants("green", "192.0.2.2", NEW))])
    assert told.holds() == {"web A": ("192.0.2.2",)}
    told.run(seen("blue", wants("blue", "192.0.2.1", OLD)), for_s=600.0)
    assert told.holds() == {"web A": ("192.0.2.2",)}


def test_a_record_whose_mark_names_nobody_goes_to_the_oldest() -> None:
    told = world(
        *published("192.0.2.1"),
        first=[seen("blue", wants("blue", "192.0.2.1", NEW)), seen("green", wants("green", "192.0.2.2", OLD))],
    )
    assert told.holds() == {"web A": ("192.0.2.2",)}
