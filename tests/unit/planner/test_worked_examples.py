"""The worked examples of docs/spec/plan.md 2.10; number 16, on domain filters, is in tests/unit/model."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Change, Update
from extdns.model.evidence import Evidence
from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate
from extdns.planner.settings import PlanSettings
from tests.builders import create, delete, update
from tests.unit.planner.name_plan import (
    API,
    SETTINGS,
    WEB,
    build_candidate,
    build_current,
    list_changes,
    plan,
    with_managed_types,
    with_policy,
)

NOOP = replace(SETTINGS, owner="")
MIGRATING = replace(SETTINGS, owner="bar", migrate_from="foo")
REPLACED = Evidence.REPLACED
PROXIED = {"alias": "false", "cloudflare-proxied": "true"}

V1 = build_candidate("CNAME", "v1", resource=API)
V2 = build_candidate("CNAME", "v2", resource=WEB)
A = build_candidate("A", "5.5.5.5")
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


@pytest.mark.parametrize(
    ("current", "candidates", "settings", "expected"),
    [
        pytest.param((), (V1, V2), SETTINGS, [create(V1.desired)], id="2.10-1"),
        pytest.param((V1_EXISTS,), (V1, V2), SETTINGS, [], id="2.10-2-incumbent-requests"),
        pytest.param((V2_EXISTS,), (V1, V2), SETTINGS, [], id="2.10-2-larger-incumbent-requests"),
        pytest.param((V1_EXISTS,), (V2,), SETTINGS, [update(V1_EXISTS, V2.desired)], id="2.10-2-incumbent-gone"),
        pytest.param((V2_WITHOUT_OWNER,), (V1, V2), NOOP, [update(V2_WITHOUT_OWNER, V1.desired)], id="2.10-3-noop"),
        pytest.param((build_current("CNAME", "v2", owner=None),), (V1, V2), SETTINGS, [], id="2.10-3-txt"),
        pytest.param((V1_EXISTS,), (A,), SETTINGS, [create(A.desired), delete(V1_EXISTS, REPLACED)], id="2.10-4"),
        pytest.param(
            (V1_EXISTS,),
            (V1, A, AAAA),
            SETTINGS,
            [create(A.desired), create(AAAA.desired), delete(V1_EXISTS, REPLACED)],
            id="2.10-5",
        ),
        pytest.param((A_EXISTS, AAAA_EXISTS), (A,), SETTINGS, [delete(AAAA_EXISTS)], id="2.10-6"),
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
        pytest.param((A_EXISTS, V1_EXISTS), (A,), SETTINGS, [delete(V1_EXISTS, REPLACED)], id="2.10-15"),
        # The reference sends an update that changes nothing in every run.
        pytest.param((build_current("A", "5.5.5.5", owner="bar", ours=True),), (A,), MIGRATING, [], id="2.10-17"),
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
def test_the_changes_of_the_worked_examples_in_the_specification_are_planned(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], settings: PlanSettings, expected: list[Change]
) -> None:
    assert list_changes(plan(current, candidates, settings=settings)) == expected


def test_an_object_that_takes_over_a_record_is_the_resource_of_the_update() -> None:
    (change,) = list_changes(plan((V1_EXISTS,), (V2,)))  # 2.10-2
    assert isinstance(change, Update)
    assert (change.current.resource, change.desired.resource) == (API, WEB)


def test_a_foreign_txt_record_blocks_a_cname_if_txt_is_managed() -> None:
    current = (build_current("TXT", '"x"', owner=None),)
    assert list_changes(plan(current, (V1,), settings=with_managed_types("CNAME", "TXT"))) == []  # reverse of 2.10-14
