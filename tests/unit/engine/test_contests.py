"""Hostname contests between namespaces (docs/design/differences.md, "Two namespaces, one hostname")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.engine.inputs import Cause, Observation, Observed
from extdns.model.change import Action
from extdns.model.claim import Claim, Provenance, ResolvedClaim, UnresolvedClaim
from extdns.model.cluster import Phase
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.planner.settings import PlanSettings
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
    ref,
)
from tests.world import World, build_world, start_world

DELETES = DeleteSettings(owner="me", grace_s=60.0)
OLD, NEW = "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"


def claim_in(namespace: str, target: str, created: str = OLD, *, rtype: str = "A", sid: str = "") -> ResolvedClaim:
    """Build the claim of the Service `web` in *namespace* to `web.example.org` with *target*."""
    return build_claim("web", "web", target, rtype=rtype, set_identifier=sid, namespace=namespace, created=created)


def unresolved_in(namespace: str, created: str = OLD, *, sid: str = "") -> UnresolvedClaim:
    """Build a claim of the Service `web` in *namespace* to `web.example.org` that has no address yet."""
    return build_unresolved("web", "web", set_identifier=sid, namespace=namespace, created=created)


def observe_in(namespace: str, *claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
    """Build the observation that the Service `web` in *namespace* has exactly *claims*."""
    return observe("web", *claims, cause=cause, namespace=namespace)


def owned_by(target: str, *, by: str = "") -> tuple[Record, ...]:
    """Build the record `web` and its ownership record; the resource is the Service in namespace *by*, if given."""
    return record("web", target), ownership_record("web", resource=f"service/{by}/web" if by else "")


def start_contest(*records: Record, first: list[Observed], **changes: object) -> World:
    """Start an engine with a grace period of a minute that observed *first*."""
    return start_world(*records, first=first, deletes=DELETES, **changes)


def test_a_new_name_is_given_to_the_older_of_two_objects_in_different_namespaces() -> None:
    scene = start_contest(
        first=[
            observe_in("blue", claim_in("blue", "192.0.2.1", NEW)),
            observe_in("green", claim_in("green", "192.0.2.2", OLD)),
        ]
    )
    assert scene.list_records() == {"web A": ("192.0.2.2",)}
    assert scene.list_decisions("web") == [
        ("A", Action.KEEP, Reason.PUBLISHED),
        ("A", Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]
    assert scene.engine.decisions.decisions(host("web"))[1].detail == "Service green/web has precedence"


def test_a_new_name_is_given_to_the_first_namespace_by_name_if_objects_are_equally_old() -> None:
    scene = start_contest(
        first=[observe_in("green", claim_in("green", "192.0.2.2")), observe_in("blue", claim_in("blue", "192.0.2.1"))]
    )
    assert scene.list_records() == {"web A": ("192.0.2.1",)}


def test_a_namespace_that_owns_a_name_keeps_it_if_another_namespace_has_an_older_object() -> None:
    scene = start_contest(
        *owned_by("192.0.2.1", by="blue"),
        first=[
            observe_in("blue", claim_in("blue", "192.0.2.1", NEW)),
            observe_in("green", claim_in("green", "192.0.2.2", OLD)),
        ],
    )
    assert scene.list_records() == {"web A": ("192.0.2.1",)}
    assert not scene.provider.submissions


def test_owner_of_contested_name_can_change_its_target() -> None:
    scene = start_contest(
        *owned_by("192.0.2.1", by="blue"),
        first=[
            observe_in("blue", claim_in("blue", "192.0.2.3", NEW)),
            observe_in("green", claim_in("green", "192.0.2.2", OLD)),
        ],
    )
    assert scene.list_records() == {"web A": ("192.0.2.3",)}


def test_no_contest_if_two_namespaces_request_the_same_target() -> None:
    scene = start_contest(
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.1"))]
    )
    assert scene.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_record_merged_by_external_dns_stays() -> None:
    merged = (record("web", "192.0.2.1", "192.0.2.2"), ownership_record("web", resource="service/blue/web"))
    scene = start_contest(
        *merged,
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.2"))],
    )
    assert not scene.provider.submissions
    assert scene.list_decisions("web") == [("A", Action.KEEP, Reason.MERGED_BEFORE)]


def test_merged_record_loses_targets_of_one_namespace_when_that_one_changes() -> None:
    merged = (record("web", "192.0.2.1", "192.0.2.2"), ownership_record("web", resource="service/blue/web"))
    scene = start_contest(
        *merged,
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.2"))],
    )
    scene.run(observe_in("green", claim_in("green", "192.0.2.9")))
    assert scene.list_records() == {"web A": ("192.0.2.1",)}


def test_not_merged_before_if_record_has_targets_of_one_namespace() -> None:
    alone = (
        record("web", "blue.example.net", rtype="CNAME"),
        ownership_record("web", rtype="CNAME", resource="service/blue/web"),
    )
    scene = start_contest(
        *alone,
        first=[
            observe_in("blue", claim_in("blue", "blue.example.net", rtype="CNAME")),
            observe_in("green", claim_in("green", "green.example.net", rtype="CNAME")),
        ],
    )
    assert not scene.provider.submissions
    assert scene.list_decisions("web") == [
        ("CNAME", Action.KEEP, Reason.PUBLISHED),
        ("CNAME", Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]


def test_contested_across_sources_and_not_merged() -> None:
    requester = ref("web", namespace="green", created=OLD)
    ingress = replace(
        claim_in("green", "192.0.2.2"), provenance=Provenance(source="ingress", ref=requester, field="annotation")
    )
    scene = start_contest(
        record("web", "192.0.2.1"),
        ownership_record("web", resource="service/blue/web"),
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", ingress)],
    )
    assert not scene.provider.submissions
    assert scene.list_decisions("web") == [
        ("A", Action.KEEP, Reason.PUBLISHED),
        ("A", Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(replace(PLAN, merges_namespaces=True), id="merge-across-namespaces"),
        pytest.param(replace(PLAN, compat=True, merges_namespaces=True), id="compat"),
    ],
)
def test_merged_with_merge_across_namespaces(plan: PlanSettings) -> None:
    scene = start_contest(
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.2"))],
        plan=plan,
    )
    assert scene.list_records() == {"web A": ("192.0.2.1", "192.0.2.2")}


def test_passes_to_the_other_namespace_after_the_grace_period() -> None:
    scene = start_contest(
        *owned_by("192.0.2.1", by="blue"),
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.2"))],
    )
    scene.run(observe_in("blue", cause=Cause.DELETED), for_s=59.0)
    assert scene.list_records() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in scene.engine.decisions.decisions(host("web"))} == {Reason.IN_GRACE}
    scene.run(for_s=2.0)
    assert scene.list_records() == {"web A": ("192.0.2.2",)}
    assert scene.evidence == [], "a name that goes on is no delete"
    assert not scene.engine.delete_guard.budget(scene.reader.list_zones().zones[0].id).deleted


def test_a_contested_name_stays_with_the_namespace_that_owns_it_while_its_claim_is_unresolved() -> None:
    scene = start_contest(
        *owned_by("192.0.2.1", by="blue"),
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.2"))],
    )
    scene.run(observe_in("blue", unresolved_in("blue")), for_s=3600.0)
    assert scene.list_records() == {"web A": ("192.0.2.1",)}


def test_a_contested_name_stays_with_the_namespace_of_a_deleted_object_while_its_source_cannot_be_read() -> None:
    scene = start_contest(
        *owned_by("192.0.2.1", by="blue"),
        first=[observe_in("blue", claim_in("blue", "192.0.2.1")), observe_in("green", claim_in("green", "192.0.2.2"))],
    )
    scene.run(observe_in("blue", cause=Cause.DELETED), change_phase(SERVICE, Phase.FORBIDDEN), for_s=3600.0)
    assert scene.list_records() == {"web A": ("192.0.2.1",)}


def test_no_contest_if_set_identifiers_differ() -> None:
    scene = start_contest(
        first=[
            observe_in("blue", claim_in("blue", "192.0.2.1", sid="stable")),
            observe_in("green", claim_in("green", "192.0.2.2", sid="canary")),
        ]
    )
    scene.run(observe_in("green", unresolved_in("green", sid="canary")), for_s=600.0)
    assert scene.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS), ("A", Action.KEEP, Reason.PUBLISHED)]


def test_goes_to_the_resolved_claim_even_if_it_is_newer() -> None:
    scene = start_contest(
        first=[observe_in("blue", unresolved_in("blue", OLD)), observe_in("green", claim_in("green", "192.0.2.2", NEW))]
    )
    assert scene.list_records() == {"web A": ("192.0.2.2",)}
    scene.run(observe_in("blue", claim_in("blue", "192.0.2.1", OLD)), for_s=600.0)
    assert scene.list_records() == {"web A": ("192.0.2.2",)}


def test_a_contested_record_without_resource_label_is_given_to_the_oldest_object() -> None:
    scene = start_contest(
        *owned_by("192.0.2.1"),
        first=[
            observe_in("blue", claim_in("blue", "192.0.2.1", NEW)),
            observe_in("green", claim_in("green", "192.0.2.2", OLD)),
        ],
    )
    assert scene.list_records() == {"web A": ("192.0.2.2",)}


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim_in("blue", "2001:db8::1", rtype="AAAA"), id="still-requested"),
        pytest.param(unresolved_in("blue"), id="unresolved"),
    ],
)
def test_no_cname_while_another_namespace_keeps_a_record_of_the_name(claim: Claim) -> None:
    """Test that a CNAME, which replaces all types of a name, waits until all of them can be replaced."""
    records = (*owned_by("192.0.2.1", by="green"), record("web", "2001:db8::1", rtype="AAAA"))
    records += (ownership_record("web", "AAAA", resource="service/blue/old"),)
    old = ref("web", namespace="blue").key._replace(name="old")

    def old_service(*claims: Claim, cause: Cause = Cause.VERSION) -> Observed:
        return Observed(observations=(Observation(source="service", key=old, cause=cause, claims=claims),))

    former = claim_in("blue", "2001:db8::1", rtype="AAAA")
    former = replace(former, provenance=replace(former.provenance, ref=ObjectRef(key=old, created=OLD)))
    scene = start_contest(*records, first=[old_service(former), observe_in("green", claim_in("green", "192.0.2.1"))])
    scene.exists = lambda key: key == ref("web", namespace="green").key
    cname = claim_in("blue", "lb.test", rtype="CNAME")
    scene.run(
        observe_in("blue", claim, cname),
        old_service(cause=Cause.DELETED),
        observe_in("green", cause=Cause.MISSING),
        for_s=300,
    )
    assert scene.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}
    assert scene.evidence == []


def test_cname_loses_if_another_namespace_owns_a_record_of_the_name() -> None:
    records = (*owned_by("192.0.2.1", by="green"), record("web", "2001:db8::1", rtype="AAAA"))
    records += (ownership_record("web", "AAAA", resource="service/blue/web"),)
    ipv6, ipv4 = claim_in("blue", "2001:db8::1", rtype="AAAA"), claim_in("green", "192.0.2.1", NEW)
    scene = start_contest(*records, first=[observe_in("blue", ipv6), observe_in("green", ipv4)])
    scene.run(observe_in("blue", ipv6, claim_in("blue", "lb.test", rtype="CNAME")), for_s=300)
    assert scene.list_records() == {"web A": ("192.0.2.1",), "web AAAA": ("2001:db8::1",)}
    assert scene.list_decisions("web") == [
        ("A", Action.KEEP, Reason.PUBLISHED),
        ("AAAA", Action.KEEP, Reason.PUBLISHED),
        ("CNAME", Action.NONE, Reason.REQUESTED_BY_OTHER),
    ]


GRACE = DeleteSettings(owner="me", grace_s=60.0)
WEB_KEY = ObjectKey(SERVICE, "shop", "web")
REQUESTED_IN_OTHER = observe("new", build_claim("new", "web", "192.0.2.9", namespace="other"), namespace="other")


# the object of the record is gone


def test_passes_if_its_object_was_deleted_before_the_start() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert world.decision("web").reason is Reason.PUBLISHED


def test_stays_until_a_get_confirms_that_its_object_is_gone() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: None
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert {one.reason for one in world.engine.decisions.decisions(host("web"))} == {Reason.ABSENCE_UNCONFIRMED}
    world.exists = lambda _: False
    world.run(for_s=180.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_a_name_stays_with_its_namespace_while_repeated_gets_find_its_object() -> None:
    world = build_world(*owned("web"), deletes=GRACE)
    world.exists = lambda _: True
    world.run(REQUESTED_IN_OTHER, change_phase(SERVICE), change_phase(INGRESS), for_s=200.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
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


def test_held_name_passes_to_another_namespace_that_requests_it() -> None:
    none_free = DeleteSettings(owner="me", grace_s=60.0, limits=DeleteLimits(count=0, percent=0))
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "web"))], deletes=none_free)
    world.run(observe_gone("web"), for_s=120.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD)]
    world.run(REQUESTED_IN_OTHER, for_s=120.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}
