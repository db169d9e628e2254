"""Hostname contests between namespaces (docs/design/differences.md, "Two namespaces, one hostname")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.inputs import Cause, Observed
from extdns.model.change import Action
from extdns.model.claim import Claim, ResolvedClaim
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.model.record import Record
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    build_claim,
    build_unresolved,
    change_phase,
    host,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
)
from tests.world import World, build_world, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0)
OLD, NEW = "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"


def claim_in(namespace: str, target: str, created: str = OLD, *, rtype: str = "A") -> ResolvedClaim:
    """Build the claim of the Service `web` in *namespace* to `web.example.org` with *target*."""
    return build_claim("web", "web", target, rtype=rtype, namespace=namespace, created=created)


def observe_in(namespace: str, *claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
    """Build the observation that the Service `web` in *namespace* has exactly *claims*."""
    return observe("web", *claims, cause=cause, namespace=namespace)


def owned_by(target: str, *, by: str = "") -> tuple[Record, ...]:
    """Build the record `web` and its ownership record; the resource is the Service in namespace *by*, if given."""
    return record("web", target), ownership_record("web", resource=f"service/{by}/web" if by else "")


def start_contest(*records: Record, first: list[Observed], **changes: object) -> World:
    """Start an engine with a grace period of a minute that observed *first*."""
    return start_world(*records, first=first, deletes=GRACE, **changes)


BLUE, GREEN = claim_in("blue", "192.0.2.1"), claim_in("green", "192.0.2.2")
NEW_BLUE = claim_in("blue", "192.0.2.1", NEW)


def start_both(*records: Record, blue: Claim = BLUE, green: Claim = GREEN, **changes: object) -> World:
    """Start an engine that observed a Service with the claim *blue* in one namespace, and *green* in another."""
    return start_contest(*records, first=[observe_in("blue", blue), observe_in("green", green)], **changes)


@pytest.mark.parametrize(
    ("records", "blue", "target"),
    [
        pytest.param((), NEW_BLUE, "192.0.2.2", id="older-object"),
        pytest.param((), BLUE, "192.0.2.1", id="first-namespace-by-name-if-equally-old"),
        pytest.param(owned_by("192.0.2.1", by="blue"), NEW_BLUE, "192.0.2.1", id="owner-though-newer"),
        pytest.param(
            owned_by("192.0.2.1", by="blue"),
            claim_in("blue", "192.0.2.3", NEW),
            "192.0.2.3",
            id="owner-with-new-one",
        ),
        pytest.param(owned_by("192.0.2.1"), NEW_BLUE, "192.0.2.2", id="older-object-without-resource-label"),
    ],
)
def test_contested_name_goes_to(records: tuple[Record, ...], blue: Claim, target: str) -> None:
    world = start_both(*records, blue=blue)
    assert world.list_records() == {"web A": (target,)}
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.PUBLISHED),
        ("A", Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]


def test_decision_names_the_object_that_has_precedence() -> None:
    decisions = start_both(blue=NEW_BLUE).engine.decisions.decisions(host("web"))
    assert decisions[1].detail == "Service green/web has precedence"


def test_no_contest_if_two_namespaces_request_the_same_target() -> None:
    world = start_both(green=claim_in("green", "192.0.2.1"))
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_record_is_not_merged_if_it_has_the_targets_of_one_namespace() -> None:
    world = start_both(
        record("web", "blue.example.net", rtype="CNAME"),
        ownership_record("web", rtype="CNAME", resource="service/blue/web"),
        blue=claim_in("blue", "blue.example.net", rtype="CNAME"),
        green=claim_in("green", "green.example.net", rtype="CNAME"),
    )
    assert not world.provider.submissions
    assert world.list_decisions("web") == [
        ("CNAME", Action.KEEP, Reason.PUBLISHED),
        ("CNAME", Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]


@pytest.mark.parametrize("compat", [False, True])
def test_claims_are_merged_with_merge_across_namespaces(*, compat: bool) -> None:
    world = start_both(plan=replace(PLAN, compat=compat, merges_namespaces=True))
    assert world.list_records() == {"web A": ("192.0.2.1", "192.0.2.2")}


def test_name_stays_with_its_owner_that_is_deleted_while_its_source_cannot_be_read() -> None:
    world = start_both(*owned_by("192.0.2.1", by="blue"))
    world.run(observe_in("blue", cause=Cause.DELETED), change_phase(SERVICE, Phase.FORBIDDEN), for_s=3600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}


def test_name_goes_to_the_resolved_claim_even_if_it_is_newer() -> None:
    unresolved = build_unresolved("web", "web", namespace="blue", created=OLD)
    world = start_both(blue=unresolved, green=claim_in("green", "192.0.2.2", NEW))
    assert world.list_records() == {"web A": ("192.0.2.2",)}
    world.run(observe_in("blue", BLUE), for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.2",)}


REQUESTED_IN_OTHER = observe("new", build_claim("new", "web", "192.0.2.9", namespace="other"), namespace="other")


# the object of the record is gone


@pytest.mark.parametrize("answer", [None, True], ids=["no-answer", "exists"])
def test_name_stays_until_a_get_confirms_that_its_object_is_gone(answer: bool | None) -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: answer
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=200.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in world.engine.decisions.decisions(host("web"))} == {Reason.ABSENCE_UNCONFIRMED}
    world.exists = lambda _: False
    world.run(for_s=400.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_a_and_aaaa_record_can_belong_to_different_namespaces() -> None:
    world = start_world(
        first=[
            observe("web", build_claim("web", "web", "192.0.2.1")),
            observe(
                "new", build_claim("new", "web", "2001:db8::9", rtype="AAAA", namespace="other"), namespace="other"
            ),
        ],
        deletes=GRACE,
    )
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::9",)}
    world.run(observe_gone("web"), for_s=59.0)
    assert world.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::9",)}, (
        "the grace period is not over"
    )
    world.run(for_s=10.0)
    assert world.list_records() == {"web AAAA": ("2001:db8::9",)}
