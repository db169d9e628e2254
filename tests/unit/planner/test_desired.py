"""Desired records as the DNS service would hold them, and those that are refused (docs/design/forgery.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from extdns.model.change import AdjustedRecords
from extdns.model.claim import Derivation, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from extdns.planner.desired import AdjustmentUnknownError, adjust, find_invalid_hosts, refuse_invalid
from extdns.planner.proposal import Candidate
from extdns.planner.view import NameView
from tests.builders import REGISTRY, accept_only, build_unresolved
from tests.unit.planner.name_plan import NAME, SETTINGS, ZONE, build_candidate, build_current, build_planner, claim

VIEW = NameView(zone=ZONE, name=NAME)
A, TXT = build_candidate("A", "1.1.1.1"), build_candidate("TXT", "x")
CNAME, ROUTED_CNAME = build_candidate("CNAME", "lb.test"), build_candidate("CNAME", "lb.test", set_identifier="one")
OWNERSHIP_TEXT = '"heritage=external-dns,external-dns/owner=me"'


def accept_everything(desired: Sequence[DesiredRecord], _: Zone) -> AdjustedRecords:
    return AdjustedRecords(accepted=tuple(desired))


@pytest.mark.parametrize(
    ("refused", "reason", "expected"),
    [
        pytest.param(CNAME, Reason.UNSUPPORTED, Reason.INCOMPATIBLE_TYPE, id="unsupported-cname-beside-an-address"),
        pytest.param(ROUTED_CNAME, Reason.UNSUPPORTED, Reason.UNSUPPORTED, id="of-another-set-identifier"),
        pytest.param(CNAME, Reason.TOO_LARGE, Reason.TOO_LARGE, id="refused-for-another-reason"),
        pytest.param(TXT, Reason.UNSUPPORTED, Reason.TYPE_UNMANAGED, id="of-an-unmanaged-type"),
    ],
)
def test_what_the_service_cannot_hold_is_refused_with_the_reason(
    refused: Candidate, reason: Reason, expected: Reason
) -> None:
    planner = build_planner(adjust=accept_only(lambda one: one.type == "A", reason, detail="why"))
    found = adjust((A, refused), VIEW, planner)
    assert found.taken == (A,)
    assert [(one.desired, one.block.reason, one.block.detail) for one in found.refused] == [
        (refused.desired, expected, "why")
    ]
    assert found.of_managed_types == ((A,) if refused is TXT else (A, refused))


def test_a_record_whose_adjustment_raises_is_refused_alone() -> None:
    def fail_for_cname(desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        if desired[0].type == "CNAME":
            raise ZeroDivisionError
        return accept_everything(desired, zone)

    found = adjust((CNAME, A), VIEW, build_planner(adjust=fail_for_cname))
    assert found.taken == (A,)
    assert [(one.desired, one.block.reason) for one in found.refused] == [(CNAME.desired, Reason.OBJECT_FAILED)]


def test_a_record_with_huge_properties_is_refused_before_it_is_adjusted() -> None:
    shown: list[DesiredRecord] = []

    def note(desired: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        shown.extend(desired)
        return accept_everything(desired, zone)

    huge = replace(
        A, desired=replace(A.desired, properties=StringMap.from_items({"google/routing-policy": "[" * 40_000}))
    )
    (refused,) = adjust((huge,), VIEW, build_planner(adjust=note)).refused
    assert refused.block.detail == "'properties of 40021 characters' is not valid; allowed: at most 32768 characters"
    assert not shown


UNDERSCORE = replace(A, desired=replace(A.desired, name=DnsName("_x.example.org")))


@pytest.mark.parametrize(
    ("candidate", "changes", "reason"),
    [
        pytest.param(UNDERSCORE, {}, Reason.INVALID_OBJECT, id="new-name-that-is-not-a-host-name"),
        pytest.param(UNDERSCORE, {"current": (build_current("AAAA", "::1"),)}, None, id="name-with-a-record-of-ours"),
        pytest.param(
            UNDERSCORE, {"current": (build_current("AAAA", "::1", owner=None),)}, Reason.INVALID_OBJECT, id="foreign"
        ),
        pytest.param(
            replace(A, desired=replace(A.desired, targets=tuple(map(str, range(4001))))),
            {},
            Reason.INVALID_ENDPOINT,
            id="too-many-targets",
        ),
    ],
)
def test_a_merged_record_that_is_invalid_is_refused(
    candidate: Candidate, changes: dict[str, Any], reason: Reason | None
) -> None:
    found = adjust((candidate,), replace(VIEW, **changes), build_planner(complete=REGISTRY.complete))
    assert [one.block.reason for one in found.refused] == ([reason] if reason else [])
    compat = build_planner(complete=REGISTRY.complete, settings=replace(SETTINGS, compat=True))
    assert bool(adjust((candidate,), replace(VIEW, **changes), compat).refused) is (reason is Reason.INVALID_ENDPOINT)


def test_records_of_unmanaged_types_are_taken_but_not_managed() -> None:
    found = adjust((A, TXT), VIEW, build_planner())
    assert (found.taken, found.refused, found.of_managed_types) == ((A, TXT), (), (A,))


def test_a_record_that_the_service_was_not_shown_yet_is_unknown() -> None:
    planner = build_planner(adjust=lambda desired, _: AdjustedRecords(accepted=(), unknown=tuple(desired)))
    with pytest.raises(AdjustmentUnknownError) as caught:
        adjust((A,), VIEW, planner)
    assert caught.value.records == (A.desired,)


def test_a_ptr_claim_of_a_name_that_is_not_a_host_name_does_not_count_unless_its_record_of_ours_has_the_name() -> None:
    stated, host_name = claim("PTR", "web.test"), "_x.test"
    provenance = replace(stated.provenance, derivation=Derivation.PTR)
    desired = replace(stated.desired, name=DnsName("1.2.0.192.in-addr.arpa"))
    valid = ResolvedClaim(desired=desired, provenance=provenance)
    invalid = replace(valid, desired=replace(desired, targets=(host_name,)))
    unresolved = replace(build_unresolved("web", "web"), provenance=provenance)
    claims, planner = (valid, invalid, unresolved), build_planner(complete=REGISTRY.complete)
    assert [*find_invalid_hosts(claims, VIEW, planner)] == [invalid]
    ours = replace(VIEW, current=(build_current("PTR", host_name, "web.test"),))
    assert find_invalid_hosts(claims, ours, planner) == {}
    foreign = replace(VIEW, current=(build_current("PTR", host_name, owner="other"),))
    assert [*find_invalid_hosts(claims, foreign, planner)] == [invalid]


@pytest.mark.parametrize(
    ("rtype", "name", "target", "reason"),
    [
        ("TXT", "a-foo.example.org", OWNERSHIP_TEXT, Reason.FORGED_OWNERSHIP),
        ("TXT", "a-foo.example.org", '"v=spf1 -all"', None),
        ("CNAME", "a-foo.example.org", OWNERSHIP_TEXT, None),
        ("A", "_extdns-a.example.org", "1.1.1.1", Reason.FORGED_OWNERSHIP),
        ("TXT", "_extdns.example.org", '"x"', Reason.FORGED_OWNERSHIP),
    ],
)
def test_what_could_pass_for_an_ownership_record_is_refused(
    rtype: str, name: str, target: str, reason: Reason | None
) -> None:
    desired = DesiredRecord(name=DnsName(name), type=rtype, targets=(target,))
    found = refuse_invalid(accept_everything, REGISTRY)((A.desired, desired), ZONE)
    assert [(one.desired, one.reason) for one in found.refused] == ([(desired, reason)] if reason else [])
    assert found.accepted == ((A.desired,) if reason else (A.desired, desired))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (replace(CNAME.desired, targets=("no name",)), Reason.INVALID_TARGET),
        (replace(CNAME.desired, set_identifier="x"), Reason.UNSUPPORTED),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_the_service_makes_of_a_record_must_be_valid_and_keep_its_set_identifier(
    *, changed: DesiredRecord, reason: Reason, lenient: bool
) -> None:
    def change(_: Sequence[DesiredRecord], zone: Zone) -> AdjustedRecords:
        return accept_everything((changed,), zone)

    found = refuse_invalid(change, REGISTRY, lenient=lenient)((CNAME.desired,), ZONE)
    assert [one.reason for one in found.refused] == ([] if lenient else [reason])
    assert found.accepted == ((changed,) if lenient else ())
