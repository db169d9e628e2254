"""Plans of one name: ownership, evidence, zones and decisions.

See docs/spec/plan.md 2.5, 2.9, 2.10, 11; docs/design/laws.md; docs/design/differences.md; docs/design/delete-safety.md.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from extdns.model.change import Action, Blocked, Change
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord
from extdns.planner.comparison import compare_name, find_target_removals, find_uncertain_updates, is_as_requested
from extdns.planner.decide import decide
from extdns.planner.proposal import Candidate, Proposal, is_published
from extdns.planner.settings import PlanSettings
from tests.builders import build_unresolved, create, delete, origin, update
from tests.unit.planner.name_plan import (
    ALIAS,
    API,
    NAME,
    OLD,
    SETTINGS,
    WEB,
    ZONE,
    build_candidate,
    build_current,
    find_decision,
    list_changes,
    list_decisions,
    plan,
    with_managed_types,
    with_policy,
)

A = build_candidate("A", "1.1.1.1")
MIGRATING = replace(SETTINGS, migrate_from="past")


def build_migrating(rtype: str, target: str, *, resource: str = "", set_identifier: str = "") -> OwnedRecord:
    """Build a record of the previous owner, which `--migrate-from-txt-owner` lets us change."""
    return build_current(rtype, target, owner="past", ours=True, resource=resource, set_identifier=set_identifier)


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param(
            (build_current("A", "1.1.1.1", has_current_format=False),),
            (A,),
            [("A", Action.UPDATE, Reason.OWNERSHIP_RECORD_MISSING)],
            id="3.2.5-ownership-record",
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", owner=None),),
            (),
            [("A", Action.KEEP, Reason.FOREIGN_RECORD)],
            id="2.9-foreign",
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", owner="other"),),
            (A,),
            [("A", Action.KEEP, Reason.OWNED_BY_OTHER)],
            id="2.9-other",
        ),
        pytest.param(
            (build_current("AAAA", "::1", owner="other"),),
            (A,),
            [("A", Action.NONE, Reason.OWNED_BY_OTHER), ("AAAA", Action.KEEP, Reason.OWNED_BY_OTHER)],
            id="2.5-aaaa-record-of-another-owner",
        ),
        pytest.param(
            (),
            (build_candidate("CNAME", "lb.test"), A),
            [("A", Action.CREATE, Reason.REQUESTED), ("CNAME", Action.NONE, Reason.INCOMPATIBLE_TYPE)],
            id="2.3-cname-lost",
        ),
        pytest.param(
            (),
            (build_candidate("A", "0.0.0.1", resource=API), A),
            [("A", Action.CREATE, Reason.REQUESTED), ("A", Action.NONE, Reason.REQUESTED_BY_OTHER)],
            id="2.4-requested-by-other",
        ),
        pytest.param(
            (), (build_candidate("TXT", "x"),), [("TXT", Action.NONE, Reason.TYPE_UNMANAGED)], id="2.1-unmanaged"
        ),
    ],
)
def test_each_candidate_and_record_has_a_decision_with_a_reason(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[tuple[str, Action, Reason]]
) -> None:
    assert list_decisions(plan(current, candidates)) == expected


def test_decision_contains_desired_and_current_record_and_requesters() -> None:
    current, candidate = build_current("A", "2.2.2.2", ttl_s=60), build_candidate("A", "1.1.1.1", ttl_s=30)
    (decision,) = plan((current,), (candidate,)).decisions
    assert (decision.zone, decision.name, decision.set_identifier) == (ZONE, NAME, "")
    assert (decision.desired, decision.current, decision.requested_by) == (
        candidate.desired,
        current,
        candidate.requested_by,
    )
    assert decision.detail == "targets, ttl"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, Reason.DRIFT_REPAIRED, id="as-requested-before"),
        pytest.param({"reason": Reason.DRIFT_REPAIRED}, Reason.DRIFT_REPAIRED, id="repaired-before"),
        pytest.param({"reason": Reason.REFUSED}, Reason.CHANGED, id="not-as-requested-before"),
        pytest.param({"zone": replace(ZONE, id="z2")}, Reason.CHANGED, id="another-zone"),
        pytest.param({"desired": build_candidate("A", "3.3.3.3").desired}, Reason.CHANGED, id="another-request"),
    ],
)
def test_an_update_repairs_drift_if_the_record_was_as_requested_before(
    changes: dict[str, Any], expected: Reason
) -> None:
    (former,) = plan((build_current("A", "1.1.1.1"),), (A,)).decisions
    made = update(build_current("A", "2.2.2.2"), A.desired)
    proposal = Proposal(key=made.key, outcome=made, current=made.current, candidate=A)
    (decision,) = decide(ZONE, NAME, (proposal,), former=(replace(former, **changes),))
    assert decision.reason is expected


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        pytest.param(build_current("A", "1.1.1.1"), True, id="ours"),
        pytest.param(build_current("A", "1.1.1.1", owner="past", ours=True, has_current_format=False), True, id="old"),
        pytest.param(build_current("A", "1.1.1.1", owner="other"), False, id="foreign"),
        pytest.param(build_current("A", "1.1.1.1", set_identifier="one"), False, id="another-set-identifier"),
        pytest.param(build_current("A", "2.2.2.2"), False, id="other-targets"),
    ],
)
def test_a_request_is_published_by_a_record_of_ours_that_equals_it(current: OwnedRecord, expected: bool) -> None:
    assert is_published(current, A.desired) is expected


def test_decision_about_a_candidate_that_lost_names_the_winner() -> None:
    decision = next(
        one
        for one in plan((), (A, build_candidate("A", "9.9.9.9", resource=API))).decisions
        if one.action is Action.NONE
    )
    assert (decision.reason, decision.detail) == (Reason.REQUESTED_BY_OTHER, "Service shop/web has precedence")
    assert [one.ref.key.resource for one in decision.requested_by] == [API]


def test_decision_about_a_foreign_record_names_its_owner() -> None:
    assert find_decision(plan((build_current("A", "1.1.1.1", owner="blue"),), ()), "A").detail == 'A owned by "blue"'
    assert (
        find_decision(plan((build_current("A", "1.1.1.1", owner=None),), ()), "A").detail
        == "A without an ownership record"
    )


def test_record_is_foreign_if_its_ownership_record_has_other_values() -> None:
    mixed = replace(build_current("A", "1.1.1.1", owner=None), mixed_name="a-foo.example.org")
    decision = find_decision(plan((mixed,), (build_candidate("A", "2.2.2.2"),)), "A")
    assert (decision.action, decision.reason) == (Action.KEEP, Reason.FOREIGN_RECORD)
    assert decision.detail == "a-foo.example.org does not count as its ownership record: it also holds other values"


def test_managed_record_types_are_case_sensitive() -> None:
    assert list_changes(plan((), (A,), settings=with_managed_types("a"))) == []  # 2.1


@pytest.mark.parametrize("evidence", [one for one in Evidence if one is not Evidence.REPLACED])
def test_delete_contains_its_evidence(evidence: Evidence) -> None:
    current = build_current("A", "1.1.1.1")
    made = plan((current,), (), find=lambda _: evidence)
    assert list_changes(made) == [delete(current, evidence)]
    assert find_decision(made, "A").reason == evidence.value


def test_evidence_is_looked_up_only_for_unrequested_records_of_ours() -> None:
    def find(owned: OwnedRecord) -> Blocked:
        raise AssertionError(owned)

    current = (
        build_current("A", "1.1.1.1"),
        build_current("AAAA", "::1", owner="other"),
        build_current("TXT", "x", owner=None),
        build_migrating("AAAA", "::2", set_identifier="one"),
    )
    assert plan(current, (A,), settings=with_managed_types("A", "AAAA", "TXT"), find=find).sets == ()


@pytest.mark.parametrize(
    ("targets", "ttl_s", "expected"),
    [
        pytest.param(("1.1.1.1",), 0, True, id="fewer-targets"),
        pytest.param(("1.1.1.1", "2.2.2.2"), 60, False, id="ttl-only"),
        pytest.param(("1.1.1.1", "3.3.3.3"), 0, False, id="other-targets"),
        pytest.param(("1.1.1.1", "2.2.2.2", "3.3.3.3"), 0, False, id="more-targets"),
    ],
)
def test_only_an_update_that_removes_targets_and_adds_none_needs_evidence(
    targets: tuple[str, ...], ttl_s: int, expected: bool
) -> None:
    current, candidate = build_current("A", "1.1.1.1", "2.2.2.2"), build_candidate("A", *targets, ttl_s=ttl_s)
    found = find_target_removals(compare_name((current,), (candidate,), SETTINGS))
    assert [one for _, one in found] == ([candidate] if expected else [])


@pytest.mark.parametrize(
    ("targets", "changes", "waits"),
    [
        pytest.param(("1.1.1.1",), {}, True, id="target-removed"),
        pytest.param(("1.1.1.1", "3.3.3.3"), {}, True, id="target-replaced"),
        pytest.param(("1.1.1.1", "2.2.2.2", "3.3.3.3"), {}, False, id="target-added"),
        pytest.param(("1.1.1.1",), {"reason": Reason.NO_ADDRESS}, False, id="another-reason"),
        pytest.param(("1.1.1.1",), {"type": "AAAA"}, False, id="another-type"),
        pytest.param(("1.1.1.1",), {"set_identifier": "one"}, False, id="another-set-identifier"),
        pytest.param(("1.1.1.1",), {"provenance": origin("api")}, False, id="another-object"),
    ],
)
def test_no_target_is_removed_while_its_object_also_states_an_invalid_one(
    targets: tuple[str, ...], changes: dict[str, Any], waits: bool
) -> None:
    current, candidate = build_current("A", "1.1.1.1", "2.2.2.2"), build_candidate("A", *targets)
    claim = replace(build_unresolved("web", "foo", Reason.INVALID_TARGET), **changes)
    found = find_uncertain_updates(compare_name((current,), (candidate,), SETTINGS), (claim,))
    assert {key: block.reason for key, block in found.items()} == (
        {current.key: Reason.INVALID_TARGET} if waits else {}
    )


def test_a_name_is_as_requested_if_nothing_differs_and_no_request_is_rejected_or_unresolved() -> None:
    current, other = build_current("A", "1.1.1.1", resource=WEB), build_candidate("A", "9.9.9.9", resource=API)
    same = compare_name((current,), (A,), SETTINGS)
    assert is_as_requested(same, ())
    assert not is_as_requested(same, (build_unresolved("web", "foo"),))
    assert not is_as_requested(compare_name((current,), (A, other), SETTINGS), ())
    assert not is_as_requested(compare_name((current,), (), SETTINGS), ())


@pytest.mark.parametrize(
    ("current", "candidates", "expected"),
    [
        pytest.param(
            (build_migrating("A", "1.1.1.1"),), (A,), [("A", Action.UPDATE, Reason.OWNER_MIGRATED)], id="taken-over"
        ),
        pytest.param(
            (build_migrating("A", "2.2.2.2"),),
            (A,),
            [("A", Action.UPDATE, Reason.CHANGED)],
            id="taken-over-and-changed",
        ),
        pytest.param(
            (build_migrating("A", "1.1.1.1"),), (), [("A", Action.KEEP, Reason.OWNED_BY_OTHER)], id="unclaimed"
        ),
        pytest.param(
            (build_migrating("A", "1.1.1.1"), build_migrating("AAAA", "::1")),
            (A,),
            [("A", Action.UPDATE, Reason.OWNER_MIGRATED), ("AAAA", Action.KEEP, Reason.OWNED_BY_OTHER)],
            id="another-type-unclaimed",
        ),
        pytest.param(
            (build_migrating("CNAME", "lb.test"),),
            (A,),
            [("A", Action.CREATE, Reason.REQUESTED), ("CNAME", Action.DELETE, Reason.REPLACED)],
            id="type-incompatible-with-the-claim",
        ),
        pytest.param(
            (build_migrating("A", "1.1.1.1", resource=OLD),),
            (build_candidate("A", "1.1.1.1", set_identifier="v1"),),
            [("A", Action.KEEP, Reason.OWNED_BY_OTHER), ("A", Action.NONE, Reason.INCOMPATIBLE_RECORD)],
            id="unclaimed-simple-record-blocks-routed-one",
        ),
    ],
)
def test_record_of_the_previous_owner_is_taken_over_only_if_requested(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], expected: list[tuple[str, Action, Reason]]
) -> None:
    assert list_decisions(plan(current, candidates, settings=MIGRATING)) == expected  # docs/design/differences.md


def test_switch_from_alias_to_address_is_one_update() -> None:
    current = build_current("A", "lb.test", resource=WEB, properties=ALIAS)
    (change,) = list_changes(plan((current,), (A,)))
    assert change == update(current, A.desired, "targets", "properties")


NOOP = replace(SETTINGS, owner="")
TO_BAR = replace(SETTINGS, owner="bar", migrate_from="foo")
REPLACED = Evidence.REPLACED
PROXIED = {"alias": "false", "cloudflare-proxied": "true"}

V1 = build_candidate("CNAME", "v1", resource=API)
V2 = build_candidate("CNAME", "v2", resource=WEB)
ADDRESS = build_candidate("A", "5.5.5.5")
AAAA = build_candidate("AAAA", "2001:db8::1")
LOCAL = build_candidate("A", "127.0.0.1", ttl_s=300)
SET_1, SET_2 = (build_candidate("A", "192.168.0.2", set_identifier=one) for one in ("set-1", "set-2"))
MOVED = build_candidate("A", "192.168.0.1", set_identifier="set-2")
OFF = build_candidate("A", "1.1.1.1", properties=PROXIED | {"cloudflare-proxied": "false"})
LESS = build_candidate("A", "1.1.1.1", properties={"alias": "false"})
SLOWER = build_candidate("A", "5.5.5.5", ttl_s=90, resource=WEB)

V1_EXISTS = build_current("CNAME", "v1", resource=API)
V2_EXISTS = build_current("CNAME", "v2", resource=WEB)
V2_WITHOUT_OWNER = build_current("CNAME", "v2", owner=None, ours=True)
A_EXISTS = build_current("A", "5.5.5.5")
AAAA_EXISTS = build_current("AAAA", "2001:db8::1")
SET_1_EXISTS = build_current("A", "192.168.0.1", set_identifier="set-1")
LOCAL_EXISTS = build_current("A", "127.0.0.1", ttl_s=0)
PROXIED_EXISTS = build_current("A", "1.1.1.1", properties=PROXIED)
FAST_EXISTS = build_current("A", "5.5.5.5", ttl_s=60, resource=WEB)


# worked examples (docs/spec/plan.md 2.10; number 16, on domain filters, is in tests/unit/model)


@pytest.mark.parametrize(
    ("current", "candidates", "settings", "expected"),
    [
        pytest.param((), (V1, V2), SETTINGS, [create(V1.desired)], id="2.10-1"),
        pytest.param((V1_EXISTS,), (V1, V2), SETTINGS, [], id="2.10-2-incumbent-requests"),
        pytest.param((V2_EXISTS,), (V1, V2), SETTINGS, [], id="2.10-2-larger-incumbent-requests"),
        pytest.param((V1_EXISTS,), (V2,), SETTINGS, [update(V1_EXISTS, V2.desired)], id="2.10-2-incumbent-gone"),
        pytest.param((V2_WITHOUT_OWNER,), (V1, V2), NOOP, [update(V2_WITHOUT_OWNER, V1.desired)], id="2.10-3-noop"),
        pytest.param((build_current("CNAME", "v2", owner=None),), (V1, V2), SETTINGS, [], id="2.10-3-txt"),
        pytest.param(
            (V1_EXISTS,), (ADDRESS,), SETTINGS, [create(ADDRESS.desired), delete(V1_EXISTS, REPLACED)], id="2.10-4"
        ),
        pytest.param(
            (V1_EXISTS,),
            (V1, ADDRESS, AAAA),
            SETTINGS,
            [create(ADDRESS.desired), create(AAAA.desired), delete(V1_EXISTS, REPLACED)],
            id="2.10-5",
        ),
        pytest.param((A_EXISTS, AAAA_EXISTS), (ADDRESS,), SETTINGS, [delete(AAAA_EXISTS)], id="2.10-6"),
        pytest.param((build_current("A", "5.5.5.5", owner="other"),), (V1,), SETTINGS, [], id="2.10-7"),
        pytest.param(
            (build_current("A", "5.5.5.5", owner=None),), (build_candidate("A", "6.6.6.6"),), SETTINGS, [], id="2.10-8"
        ),
        # The reference deletes the A and creates nothing; extdns makes a change of type completely or not at all.
        pytest.param((A_EXISTS, build_current("AAAA", "2001:db8::1", owner="other")), (V1,), SETTINGS, [], id="2.10-9"),
        pytest.param(
            (SET_1_EXISTS,),
            (SET_1, SET_2),
            SETTINGS,
            [update(SET_1_EXISTS, SET_1.desired), create(SET_2.desired)],
            id="2.10-10",
        ),
        pytest.param(
            (SET_1_EXISTS,), (MOVED,), SETTINGS, [delete(SET_1_EXISTS), create(MOVED.desired)], id="2.10-10-renamed"
        ),
        pytest.param((LOCAL_EXISTS,), (LOCAL,), SETTINGS, [update(LOCAL_EXISTS, LOCAL.desired, "ttl")], id="2.10-11"),
        pytest.param(
            (build_current("A", "127.0.0.1"),), (build_candidate("A", "127.0.0.1"),), SETTINGS, [], id="2.10-11-unset"
        ),
        pytest.param(
            (PROXIED_EXISTS,),
            (OFF,),
            SETTINGS,
            [update(PROXIED_EXISTS, OFF.desired, "properties")],
            id="2.10-12-changed",
        ),
        pytest.param(
            (PROXIED_EXISTS,),
            (build_candidate("A", "1.1.1.1", properties=dict(reversed(PROXIED.items()))),),
            SETTINGS,
            [],
            id="2.10-12-order",
        ),
        pytest.param(
            (PROXIED_EXISTS,),
            (LESS,),
            SETTINGS,
            [update(PROXIED_EXISTS, LESS.desired, "properties")],
            id="2.10-12-missing",
        ),
        pytest.param((build_current("CNAME", "V2"),), (V2,), SETTINGS, [], id="2.10-13-case"),
        pytest.param(
            (build_current("AAAA", "::0001"),), (build_candidate("AAAA", "::1"),), SETTINGS, [], id="2.10-13-ipv6"
        ),
        # The reference sends the change, which the service refuses, in every run.
        pytest.param((build_current("TXT", '"x"', owner=None),), (V1,), SETTINGS, [], id="2.10-14"),
        pytest.param((A_EXISTS, V1_EXISTS), (ADDRESS,), SETTINGS, [delete(V1_EXISTS, REPLACED)], id="2.10-15"),
        # The reference sends an update that changes nothing in every run.
        pytest.param((build_current("A", "5.5.5.5", owner="bar", ours=True),), (ADDRESS,), TO_BAR, [], id="2.10-17"),
        pytest.param((A_EXISTS,), (), with_policy("upsert-only"), [], id="2.10-18"),
        pytest.param(
            (FAST_EXISTS,),
            (build_candidate("A", "1.1.1.1", resource=API), SLOWER),
            SETTINGS,
            [update(FAST_EXISTS, SLOWER.desired, "ttl")],
            id="10.2-only-the-ttl-of-the-incumbent-changed",
        ),
        pytest.param((A_EXISTS,), (AAAA,), with_managed_types(), [], id="10.2-nothing-is-managed"),
        pytest.param(
            (build_current("TXT", '"x"'),),
            (build_candidate("TXT", '"y"'),),
            with_managed_types("A", "CNAME"),
            [],
            id="10.2-txt-is-excluded",
        ),
    ],
)
def test_changes_of_the_worked_examples(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], settings: PlanSettings, expected: list[Change]
) -> None:
    assert list_changes(plan(current, candidates, settings=settings)) == expected
