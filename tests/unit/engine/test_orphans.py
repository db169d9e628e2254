"""Orphans, and records whose resource is not the object that requests the name.

See docs/design/architecture.md, "Step by step"; docs/design/delete-safety.md.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Observed
from extdns.model.change import Action
from extdns.model.cluster import Phase
from extdns.model.evidence import Evidence
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from tests.builders import (
    INGRESS,
    KINDS,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
)
from tests.world import build_world, start_world

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


def test_unread_source_delays_only_records_under_its_set_identifiers() -> None:
    theirs = record("web", set_identifier="green")
    world = build_world(theirs, replace(ownership_record("web", resource="ingress/shop/web"), set_identifier="green"))
    blue, green = (build_claim("web", "web", "192.0.2.9", set_identifier=colour) for colour in ("blue", "green"))
    world.run(change_phase(SERVICE), change_phase(INGRESS, Phase.FORBIDDEN), observe("web", blue, green), for_s=60.0)
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.PUBLISHED), ("A", Action.KEEP, Reason.SOURCE_DOWN)]
    assert world.provider.contents(ZONE)[theirs.key] == theirs


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
