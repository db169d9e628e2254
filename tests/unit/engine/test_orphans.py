"""Orphans, and records whose resource is not the object that requests the name.

See docs/design/architecture.md, "Step by step"; docs/design/delete-safety.md.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.delete_settings import DeleteSettings
from extdns.engine.inputs import Observed
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from tests.builders import (
    INGRESS,
    KINDS,
    PLAN,
    SERVICE,
    ZONE,
    build_claim,
    build_unresolved,
    change_phase,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
)
from tests.world import build_world, start_published, start_world

# orphans


@pytest.mark.parametrize(
    ("resource", "namespaces"),
    [
        pytest.param("service/shop/api", (), id="object-requests-another-name"),
        pytest.param("", (), id="no-resource-label"),
        pytest.param("gateway/shop/web", (), id="kind-without-a-source"),
        pytest.param("service", (), id="invalid-resource-label"),
        pytest.param("service/shop/web", ("lab",), id="namespace-that-is-not-watched"),
    ],
)
def test_held_if_its_object_is_not_known_to_be_gone(resource: str, namespaces: tuple[str, ...]) -> None:
    first = [observe("api", build_claim("api", "api"))]
    world = start_world(*owned("web", resource=resource), first=first, namespaces=namespaces)
    world.run(for_s=600.0)
    assert world.evidence == []
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    assert "CheckExistence" not in world.calls


def test_stays_held_after_its_object_was_deleted() -> None:
    world = start_world(*owned("web"), first=[observe("web", build_claim("web", "api"))], has_state_store=True)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]
    world.run(observe_gone("web"))
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.HELD)]
    assert world.evidence == [Evidence.OBJECT_DELETED]
    world.approvals = (world.held[-1].code,)
    world.run(for_s=30.0)
    assert sorted(world.evidence) == [Evidence.OBJECT_DELETED, Evidence.ORPHAN_GONE]
    assert world.list_records() == {}


def test_kept_when_its_object_requests_it() -> None:
    world = start_world(*owned("web"), first=[observe("web")])
    world.run(observe("web", build_claim("web", "web")))
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED)]


@pytest.mark.parametrize("source", ["service", "other"])
def test_kept_while_one_source_cannot_compute_the_claims_of_its_object(source: str) -> None:
    broken = observe("web", failure="broken").observations[0]
    first = [Observed(observations=(replace(broken, source=source),))]
    if source == "other":
        first.append(observe("web", build_claim("web", "api")))
    world = start_world(*owned("web"), first=first)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]
    mended = observe("web", build_claim("web", "api")).observations[0]
    world.run(Observed(observations=(replace(mended, source=source),)))
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.ORPHAN_UNCLAIMED)]


def test_evidence_counts_for_every_spelling_of_the_kind() -> None:
    records = owned("web", resource="application/shop/web")
    world = start_world(
        *records, first=[observe("web", build_claim("web", "web"))], kinds={**KINDS, "application": SERVICE}
    )
    world.run(observe("web"))
    assert world.evidence == [Evidence.HOSTNAME_REMOVED]
    assert world.list_records() == {}


# through other objects


def test_does_not_pass_to_another_source_while_its_own_is_down() -> None:
    world = build_world(*owned("web", resource="ingress/shop/web"))
    world.run(
        change_phase(SERVICE),
        change_phase(INGRESS, Phase.FORBIDDEN),
        observe("web", build_claim("web", "web", "192.0.2.9")),
        for_s=60.0,
    )
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.SOURCE_DOWN)]
    world.run(change_phase(INGRESS))
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_unread_source_delays_only_records_under_its_set_identifiers() -> None:
    theirs = record("web", set_identifier="green")
    world = build_world(theirs, replace(ownership_record("web", resource="ingress/shop/web"), set_identifier="green"))
    blue, green = (build_claim("web", "web", "192.0.2.9", set_identifier=colour) for colour in ("blue", "green"))
    world.run(change_phase(SERVICE), change_phase(INGRESS, Phase.FORBIDDEN), observe("web", blue, green), for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED), ("A", Action.KEEP, Reason.SOURCE_DOWN)]
    assert world.provider.contents(ZONE)[theirs.key] == theirs


def test_unresolved_claim_keeps_record_while_source_of_another_is_unread() -> None:
    records = [
        replace(one, set_identifier=colour)
        for colour, resource in (("blue", "service/shop/web"), ("green", "ingress/shop/web"))
        for one in owned("web", resource=resource)
    ]
    world = build_world(*records)
    unresolved = build_unresolved("web", "web", set_identifier="blue")
    world.run(change_phase(SERVICE), change_phase(INGRESS, Phase.FORBIDDEN), observe("web", unresolved), for_s=60.0)
    assert world.list_decisions("web") == [
        ("A", Action.KEEP, Reason.NO_ADDRESS),
        ("A", Action.KEEP, Reason.SOURCE_DOWN),
    ]


def test_missing_endpoints_are_no_evidence_if_made_for_another_object() -> None:
    world = start_world(
        *owned("web", resource="service/shop/api"),
        first=[observe("api"), observe("web", build_unresolved("web", "web", Reason.NO_ENDPOINTS))],
    )
    assert world.evidence == []


def test_missing_endpoints_are_no_evidence_while_the_kind_cannot_be_read() -> None:
    world = start_published()
    world.run(change_phase(SERVICE, Phase.FAILING), observe("web", build_unresolved("web", "web", Reason.NO_ENDPOINTS)))
    assert world.evidence == []
    assert world.list_decisions("web") == [
        ("", Action.NONE, Reason.NO_ENDPOINTS),
        ("A", Action.KEEP, Reason.SOURCE_DOWN),
    ]


def test_passes_to_another_object_by_an_update_without_a_delete() -> None:
    world = start_published()
    world.run(observe("new", build_claim("new", "web", "192.0.2.9")))
    world.run(observe_gone("web"))
    assert world.list_records() == {"web A": ("192.0.2.9",)}
    assert world.evidence == []


def test_retained_for_an_unresolved_claim_of_another_object() -> None:
    world = start_published()
    world.run(observe("new", build_unresolved("new", "web")), observe_gone("web"))
    assert world.evidence == []
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS)]


@pytest.mark.parametrize(
    ("kind", "once"),
    [
        pytest.param(SERVICE, False, id="its-kind"),
        pytest.param(SERVICE, True, id="its-kind-in-a-single-pass"),
        pytest.param(INGRESS, False, id="another-kind"),
    ],
)
def test_stays_while_claims_of_any_object_cannot_be_computed(kind: Kind, *, once: bool) -> None:
    world = build_world(*owned("web"), once=once)
    failed = observe("renamed", failure="template: no such field", kind=kind)
    world.run(failed, change_phase(SERVICE), change_phase(INGRESS), for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]
    assert "renamed" in world.decision("web").detail
    world.run(observe("renamed", kind=kind), for_s=600.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.ORPHAN_GONE]


def test_grace_period_restarts_after_claims_could_not_be_computed() -> None:
    world = build_world(*owned("web"), deletes=DeleteSettings(owner="me", grace_s=60.0))
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=30.0)
    world.run(observe("renamed", failure="no such Ingress"), for_s=600.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]
    world.run(observe_gone("renamed"), for_s=100.0)
    assert world.list_records() == {}


def test_stays_with_compat_while_claims_of_an_object_cannot_be_computed() -> None:
    world = build_world(*owned("web"), plan=replace(PLAN, compat=True), deletes=DeleteSettings(immediate=True))
    world.run(
        observe("web"), observe("new", failure="broken"), change_phase(SERVICE), change_phase(INGRESS), for_s=10.0
    )
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.OBJECT_FAILED)]


def test_deleted_without_grace_in_a_single_pass() -> None:
    world = build_world(*owned("web"), once=True, has_state_store=True)
    world.run(change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert world.list_records() == {}
    assert [one.reason for one in world.reported] == [Reason.ABSENCE_UNCONFIRMED, Reason.ORPHAN_GONE]
