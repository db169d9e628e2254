"""The evidence for the delete of one record, or why it is kept (docs/design/delete-safety.md)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from extdns.model.change import Awaited, Blocked
from extdns.model.claim import NameClaim, UnresolvedClaim
from extdns.model.cluster import Phase
from extdns.model.dns_name import DnsName
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.evidence import EvidenceReader
from extdns.planner.proposal import Candidate
from tests.builders import INGRESS, SERVICE, update
from tests.unit.planner.name_plan import (
    API,
    KEYS,
    KNOWN,
    NAME,
    OLD,
    SETTINGS,
    UNKNOWN,
    WEB,
    build_candidate,
    build_current,
    build_facts,
    build_planner,
    claim,
)

GONE, EXISTS = replace(UNKNOWN, exists=False), replace(UNKNOWN, exists=True)
HOST = DnsName("web.example.org")
A, UNNAMED = build_current("A", "1.1.1.1", resource=WEB), build_current("A", "1.1.1.1")
PTR = build_current("PTR", HOST, resource=WEB)
DOWN = Blocked(reason=Reason.SOURCE_DOWN, detail="not served")
HIDDEN = Blocked(reason=Reason.INVALID_NAME, detail="a b")


def build_reader(**facts: Any) -> EvidenceReader:  # noqa: ANN401 - as for `build_facts`
    """Build a reader of facts in which nothing ended or fails, but for *facts*."""
    chosen: dict[str, Any] = {"hosts": {HOST: ()}}
    return EvidenceReader(planner=build_planner(), facts=build_facts(**chosen | facts))


def wait_for(resource: str, reason: Reason = Reason.NO_ADDRESS, *, rtype: str = "", identifier: str = "") -> NameClaim:
    """Build an unresolved claim of *resource*."""
    provenance = claim("A", "1.1.1.1", resource=resource).provenance
    return UnresolvedClaim(
        name=NAME, set_identifier=identifier, provenance=provenance, reason=reason, detail="", type=rtype
    )


def check(
    owned: OwnedRecord,
    expected: Evidence | Reason,
    *,
    claims: tuple[NameClaim, ...] = (),
    requested: tuple[Candidate, ...] = (),
    **facts: Any,  # noqa: ANN401 - any field of Facts
) -> None:
    """Check the evidence against *owned*, or why it is kept, and whether that is an unresolved claim."""
    found = build_reader(**facts).find(owned, claims, requested)
    outcome = found.outcome.reason if isinstance(found.outcome, Blocked) else found.outcome
    assert outcome is expected
    assert found.unresolved is (expected is Reason.NO_ADDRESS)


@pytest.mark.parametrize(
    ("owned", "end", "facts", "expected"),
    [
        (A, None, {}, Evidence.ORPHAN_UNCLAIMED),
        (A, None, {"web": GONE}, Evidence.ORPHAN_GONE),
        (A, None, {"web": EXISTS}, Reason.ABSENCE_UNCONFIRMED),
        (A, None, {"web": UNKNOWN}, Reason.ABSENCE_UNCONFIRMED),
        (A, None, {"web": GONE, "unreadable_manifest": "a.yaml"}, Reason.OBJECT_FAILED),
        (A, None, {"unreadable_manifest": "a.yaml"}, Evidence.ORPHAN_UNCLAIMED),
        (A, None, {"failing": {"shop": (KEYS[OLD], "error")}}, Reason.OBJECT_FAILED),
        (A, None, {"web": GONE, "failing": {"shop": (KEYS[OLD], "error")}}, Reason.OBJECT_FAILED),
        (A, None, {"web": GONE, "failing": {"": (KEYS[OLD], "error")}}, Evidence.ORPHAN_GONE),
        (UNNAMED, None, {"failing": {"": (KEYS[OLD], "error")}}, Reason.OBJECT_FAILED),
        (A, None, {"web": replace(KNOWN, failure="error")}, Reason.OBJECT_FAILED),
        (A, None, {"web": replace(KNOWN, hidden=HIDDEN)}, Reason.INVALID_NAME),
        (A, None, {"hidden": HIDDEN}, Evidence.ORPHAN_UNCLAIMED),
        (A, None, {"kinds_down": {SERVICE: Phase.FAILING}}, Reason.SOURCE_DOWN),
        (A, None, {"kinds_down": {INGRESS: Phase.FAILING}}, Reason.SOURCE_DOWN),
        (A, Evidence.HOSTNAME_REMOVED, {"kinds_down": {INGRESS: Phase.FAILING}}, Evidence.HOSTNAME_REMOVED),
        (A, Evidence.HOSTNAME_REMOVED, {"dependencies_down": (INGRESS,)}, Evidence.HOSTNAME_REMOVED),
        (A, Evidence.HOSTNAME_REMOVED, {"web": replace(KNOWN, missing=(KEYS[API],))}, Reason.ABSENCE_UNCONFIRMED),
        (
            A,
            Evidence.HOSTNAME_REMOVED,
            {"web": replace(KNOWN, missing=(KEYS[API],)), "api": GONE},
            Evidence.HOSTNAME_REMOVED,
        ),
        (A, Evidence.DEPENDENCY_CHANGED, {}, Evidence.DEPENDENCY_CHANGED),
        (A, Evidence.DEPENDENCY_CHANGED, {"dependencies_down": (INGRESS,)}, Reason.SOURCE_DOWN),
        (A, Evidence.ABSENT, {"web": GONE}, Evidence.ABSENT),
        (A, Evidence.ABSENT, {"web": UNKNOWN}, Reason.ABSENCE_UNCONFIRMED),
        (A, Evidence.ABSENT, {}, Evidence.HOSTNAME_REMOVED),
        (A, DOWN, {}, Reason.SOURCE_DOWN),
        (UNNAMED, None, {}, Evidence.ORPHAN_UNCLAIMED),
        (UNNAMED, None, {"hidden": HIDDEN}, Reason.INVALID_NAME),
        (UNNAMED, Evidence.HOSTNAME_REMOVED, {}, Evidence.HOSTNAME_REMOVED),
        (UNNAMED, Evidence.ABSENT, {}, Evidence.HOSTNAME_REMOVED),
        (UNNAMED, Evidence.ABSENT, {"web": GONE}, Evidence.ABSENT),
        (UNNAMED, Evidence.ABSENT, {"web": UNKNOWN}, Reason.ABSENCE_UNCONFIRMED),
        (build_current("A", "1.1.1.1", resource="crd/shop/web"), None, {}, Evidence.ORPHAN_UNCLAIMED),
    ],
)
def test_how_a_claim_ended_and_what_is_known_of_its_object_decide_about_a_delete(
    owned: OwnedRecord, end: Evidence | Blocked | None, facts: dict[str, Any], expected: Evidence | Reason
) -> None:
    check(owned, expected, ended={"": {WEB: end}} if end else {}, **facts)


def test_an_invalid_hostname_that_may_stand_for_the_name_keeps_a_record_as_an_unresolved_claim_does() -> None:
    reader = build_reader(web=replace(KNOWN, hidden=HIDDEN), ended={"": {WEB: Evidence.HOSTNAME_REMOVED}})
    found = reader.find(A, (), ())
    assert (found.outcome, found.unresolved) == (HIDDEN, True)


OF_API = build_candidate("A", "2.2.2.2", resource=API)


def test_only_evidence_and_unresolved_claims_wait_until_missing_objects_are_confirmed_gone() -> None:
    web = replace(KNOWN, missing=(KEYS[API],))
    waits = [wait.what for wait in build_reader(web=web).find(A, (wait_for(WEB),), ()).waits_for]
    assert Awaited.ANSWER in waits
    check(A, Reason.REQUESTED_BY_OTHER, requested=(OF_API,), web=web)


def test_with_compat_an_absent_object_is_evidence_at_once() -> None:
    planner = build_planner(settings=replace(SETTINGS, compat=True))
    reader = replace(build_reader(web=UNKNOWN, ended={"": {WEB: Evidence.ABSENT}}), planner=planner)
    assert reader.find(A, (), ()).outcome is Evidence.ABSENT


@pytest.mark.parametrize(
    ("owned", "claims", "requested", "expected"),
    [
        (A, (wait_for(WEB),), (), Reason.NO_ADDRESS),
        (A, (wait_for(API),), (), Reason.NO_ADDRESS),
        (A, (wait_for(WEB, identifier="one"),), (), Evidence.ORPHAN_UNCLAIMED),
        (A, (), (OF_API,), Reason.REQUESTED_BY_OTHER),
        (A, (wait_for(WEB),), (OF_API,), Reason.NO_ADDRESS),
        (A, (wait_for(OLD),), (OF_API,), Reason.REQUESTED_BY_OTHER),
        (A, (wait_for(WEB, Reason.NO_ENDPOINTS),), (OF_API,), Reason.REQUESTED_BY_OTHER),
        (A, (wait_for(WEB, Reason.NO_ENDPOINTS),), (), Evidence.NO_ENDPOINTS),
        (A, (wait_for(API, Reason.NO_ENDPOINTS),), (), Evidence.ORPHAN_UNCLAIMED),
        (UNNAMED, (wait_for(API, Reason.NO_ENDPOINTS),), (), Evidence.NO_ENDPOINTS),
        (A, (wait_for(WEB, rtype="AAAA"),), (), Reason.NO_ADDRESS),
        (A, (wait_for(WEB, rtype="TXT"),), (), Evidence.HOSTNAME_REMOVED),
        (A, (wait_for(API, rtype="TXT"),), (), Evidence.ORPHAN_UNCLAIMED),
        (A, (), (build_candidate("AAAA", "::1", resource=API),), Evidence.ORPHAN_UNCLAIMED),
        (A, (), (build_candidate("CNAME", "lb.test", resource=API),), Evidence.ORPHAN_UNCLAIMED),
        (A, (), (build_candidate("CNAME", "lb.test", resource=WEB),), Reason.REQUESTED_BY_OTHER),
        (UNNAMED, (), (build_candidate("CNAME", "lb.test", resource=API),), Reason.REQUESTED_BY_OTHER),
    ],
)
def test_claims_that_may_still_request_a_record_keep_it(
    owned: OwnedRecord, claims: tuple[NameClaim, ...], requested: tuple[Candidate, ...], expected: Evidence | Reason
) -> None:
    check(owned, expected, claims=claims, requested=requested)


@pytest.mark.parametrize(
    ("end", "of_host", "expected"),
    [
        (None, (wait_for(WEB),), Reason.NO_ADDRESS),
        (None, (wait_for(WEB, Reason.NO_ENDPOINTS),), Evidence.ORPHAN_UNCLAIMED),
        (None, (claim("A", "1.1.1.1"),), Evidence.ORPHAN_UNCLAIMED),
        (Evidence.HOSTNAME_REMOVED, (wait_for(WEB),), Evidence.HOSTNAME_REMOVED),
        (Evidence.HOSTNAME_REMOVED, (wait_for(API),), Reason.NO_ADDRESS),
        (Evidence.ABSENT, (wait_for(WEB),), Reason.NO_ADDRESS),
    ],
)
def test_a_ptr_record_is_kept_while_a_claim_to_its_host_is_unresolved_unless_its_object_lost_the_address(
    end: Evidence | None, of_host: tuple[NameClaim, ...], expected: Evidence | Reason
) -> None:
    check(PTR, expected, ended={"": {WEB: end}} if end else {}, hosts={HOST: of_host})


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, None),
        ({"web": replace(KNOWN, missing=(KEYS[API],))}, Reason.ABSENCE_UNCONFIRMED),
        ({"web": replace(KNOWN, missing=(KEYS[API],)), "api": GONE}, Evidence.ABSENT),
        ({"ended": {"": {API: Evidence.ABSENT}}}, Reason.ABSENCE_UNCONFIRMED),
        ({"ended": {"": {API: Evidence.ABSENT}}, "api": KNOWN}, None),
        ({"ended": {"": {API: Evidence.OBJECT_DELETED}}}, None),
        ({"ended": {"one": {API: Evidence.ABSENT}}}, None),
        ({"ended": {"": {"crd/shop/web": Evidence.ABSENT}}}, None),
    ],
)
def test_a_target_is_removed_once_every_missing_object_that_may_provide_it_is_confirmed_gone(
    facts: dict[str, Any], expected: Evidence | Reason | None
) -> None:
    candidate = build_candidate("A", "1.1.1.1")
    made = update(build_current("A", "1.1.1.1", "2.2.2.2", resource=WEB), candidate.desired)
    found = build_reader(**facts).find_target_removal(made, candidate)
    outcome = found and (found.outcome.reason if isinstance(found.outcome, Blocked) else found.outcome)
    assert outcome is expected
