"""The worked examples of docs/spec/plan.md 2.10; number 16, on domain filters, is in tests/unit/model."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Update
from extdns.model.record import OwnedRecord
from extdns.planner.proposal import Candidate
from extdns.planner.settings import PlanSettings
from tests.unit.planner.scene import (
    API,
    SETTINGS,
    WEB,
    build_candidate,
    build_current,
    describe_changes,
    list_changes,
    plan,
    with_managed_types,
    with_policy,
)

NOOP = replace(SETTINGS, owner="")
MIGRATING = replace(SETTINGS, owner="bar", migrate_from="foo")
V1 = build_candidate("CNAME", "v1", resource=API)
V2 = build_candidate("CNAME", "v2", resource=WEB)
PROXIED = {"alias": "false", "cloudflare-proxied": "true"}


@pytest.mark.parametrize(
    ("current", "candidates", "settings", "expected"),
    [
        pytest.param((), (V1, V2), SETTINGS, ["create CNAME: v1"], id="2.10-1"),
        pytest.param(
            (build_current("CNAME", "v1", resource=API),), (V1, V2), SETTINGS, [], id="2.10-2-incumbent-requests"
        ),
        pytest.param(
            (build_current("CNAME", "v2", resource=WEB),), (V1, V2), SETTINGS, [], id="2.10-2-larger-incumbent-requests"
        ),
        pytest.param(
            (build_current("CNAME", "v1", resource=API),),
            (V2,),
            SETTINGS,
            ["update CNAME: v2"],
            id="2.10-2-incumbent-gone",
        ),
        pytest.param(
            (build_current("CNAME", "v2", owner=None, ours=True),),
            (V1, V2),
            NOOP,
            ["update CNAME: v1"],
            id="2.10-3-noop",
        ),
        pytest.param((build_current("CNAME", "v2", owner=None),), (V1, V2), SETTINGS, [], id="2.10-3-txt"),
        pytest.param(
            (build_current("CNAME", "v1"),),
            (build_candidate("A", "5.5.5.5"),),
            SETTINGS,
            ["create A: 5.5.5.5", "delete CNAME"],
            id="2.10-4",
        ),
        pytest.param(
            (build_current("CNAME", "v1", resource=API),),
            (V1, build_candidate("A", "5.5.5.5"), build_candidate("AAAA", "2001:db8::1")),
            SETTINGS,
            ["create A: 5.5.5.5", "create AAAA: 2001:db8::1", "delete CNAME"],
            id="2.10-5",
        ),
        pytest.param(
            (build_current("A", "5.5.5.5"), build_current("AAAA", "2001:db8::1")),
            (build_candidate("A", "5.5.5.5"),),
            SETTINGS,
            ["delete AAAA"],
            id="2.10-6",
        ),
        pytest.param((build_current("A", "5.5.5.5", owner="other"),), (V1,), SETTINGS, [], id="2.10-7"),
        pytest.param(
            (build_current("A", "5.5.5.5", owner=None),), (build_candidate("A", "6.6.6.6"),), SETTINGS, [], id="2.10-8"
        ),
        # The reference deletes the A and creates nothing; extdns makes a change of type completely or not at all.
        pytest.param(
            (build_current("A", "5.5.5.5"), build_current("AAAA", "2001:db8::1", owner="other")),
            (V1,),
            SETTINGS,
            [],
            id="2.10-9",
        ),
        pytest.param(
            (build_current("A", "192.168.0.1", set_identifier="set-1"),),
            (
                build_candidate("A", "192.168.0.2", set_identifier="set-1"),
                build_candidate("A", "192.168.0.2", set_identifier="set-2"),
            ),
            SETTINGS,
            ["update A set-1: 192.168.0.2", "create A set-2: 192.168.0.2"],
            id="2.10-10",
        ),
        pytest.param(
            (build_current("A", "192.168.0.1", set_identifier="set-1"),),
            (build_candidate("A", "192.168.0.1", set_identifier="set-2"),),
            SETTINGS,
            ["delete A set-1", "create A set-2: 192.168.0.1"],
            id="2.10-10-renamed",
        ),
        pytest.param(
            (build_current("A", "127.0.0.1", ttl_s=0),),
            (build_candidate("A", "127.0.0.1", ttl_s=300),),
            SETTINGS,
            ["update A: 127.0.0.1"],
            id="2.10-11",
        ),
        pytest.param(
            (build_current("A", "127.0.0.1"),), (build_candidate("A", "127.0.0.1"),), SETTINGS, [], id="2.10-11-unset"
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", properties=PROXIED),),
            (build_candidate("A", "1.1.1.1", properties=PROXIED | {"cloudflare-proxied": "false"}),),
            SETTINGS,
            ["update A: 1.1.1.1"],
            id="2.10-12-changed",
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", properties=PROXIED),),
            (build_candidate("A", "1.1.1.1", properties=dict(reversed(PROXIED.items()))),),
            SETTINGS,
            [],
            id="2.10-12-order",
        ),
        pytest.param(
            (build_current("A", "1.1.1.1", properties=PROXIED),),
            (build_candidate("A", "1.1.1.1", properties={"alias": "false"}),),
            SETTINGS,
            ["update A: 1.1.1.1"],
            id="2.10-12-missing",
        ),
        pytest.param((build_current("CNAME", "V2"),), (V2,), SETTINGS, [], id="2.10-13-case"),
        pytest.param(
            (build_current("AAAA", "::0001"),), (build_candidate("AAAA", "::1"),), SETTINGS, [], id="2.10-13-ipv6"
        ),
        # The reference sends the change, which the service refuses, in every run.
        pytest.param((build_current("TXT", '"x"', owner=None),), (V1,), SETTINGS, [], id="2.10-14"),
        pytest.param(
            (build_current("A", "5.5.5.5"), build_current("CNAME", "v1")),
            (build_candidate("A", "5.5.5.5"),),
            SETTINGS,
            ["delete CNAME"],
            id="2.10-15",
        ),
        # The reference sends an update that changes nothing in every run.
        pytest.param(
            (build_current("A", "5.5.5.5", owner="bar", ours=True),),
            (build_candidate("A", "5.5.5.5"),),
            MIGRATING,
            [],
            id="2.10-17",
        ),
        pytest.param((build_current("A", "5.5.5.5"),), (), with_policy("upsert-only"), [], id="2.10-18"),
        pytest.param(
            (build_current("A", "5.5.5.5", ttl_s=60, resource=WEB),),
            (build_candidate("A", "1.1.1.1", resource=API), build_candidate("A", "5.5.5.5", ttl_s=90, resource=WEB)),
            SETTINGS,
            ["update A: 5.5.5.5"],
            id="10.2-only-the-ttl-of-the-incumbent-changed",
        ),
        pytest.param(
            (build_current("A", "5.5.5.5"),),
            (build_candidate("AAAA", "2001:db8::1"),),
            with_managed_types(),
            [],
            id="10.2-nothing-is-managed",
        ),
        pytest.param(
            (build_current("TXT", '"x"'),),
            (build_candidate("TXT", '"y"'),),
            with_managed_types("A", "CNAME"),
            [],
            id="10.2-txt-is-excluded",
        ),
    ],
)
def test_the_changes_of_a_worked_example_are_planned(
    current: tuple[OwnedRecord, ...], candidates: tuple[Candidate, ...], settings: PlanSettings, expected: list[str]
) -> None:
    assert describe_changes(plan(current, candidates, settings=settings)) == expected


def test_an_object_that_takes_over_a_record_is_the_resource_of_the_update() -> None:
    before = build_current("CNAME", "v1", resource=API)
    (update,) = list_changes(plan((before,), (V2,)))  # 2.10-2
    assert update == Update(current=before, desired=V2.desired, differences=("targets",))
    assert V2.desired.resource == WEB


def test_a_foreign_txt_record_blocks_a_cname_if_txt_is_managed() -> None:
    current = (build_current("TXT", '"x"', owner=None),)
    assert (
        describe_changes(plan(current, (V1,), settings=with_managed_types("CNAME", "TXT"))) == []
    )  # reverse of 2.10-14
