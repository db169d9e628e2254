"""The worked examples of spec plan 2.10; number 16, a domain filter's, is in `tests/unit/model/test_domains.py`."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Update
from extdns.model.ownership import Owned
from extdns.planner.merge import Candidate
from extdns.planner.settings import PlanSettings
from tests.unit.planner.scene import API, SETTINGS, WEB, changes, held, managing, plan, wanted, with_policy, words

NOOP = replace(SETTINGS, owner="")
MIGRATING = replace(SETTINGS, owner="bar", migrate_from="foo")
V1 = wanted("CNAME", "v1", resource=API)
V2 = wanted("CNAME", "v2", resource=WEB)
PROXIED = {"alias": "false", "cloudflare-proxied": "true"}


@pytest.mark.parametrize(
    ("stands", "candidates", "settings", "expected"),
    [
        pytest.param((), (V1, V2), SETTINGS, ["create CNAME: v1"], id="2.10-1"),
        pytest.param((held("CNAME", "v1", resource=API),), (V1, V2), SETTINGS, [], id="2.10-2-incumbent-asks"),
        pytest.param((held("CNAME", "v2", resource=WEB),), (V1, V2), SETTINGS, [], id="2.10-2-larger-incumbent-asks"),
        pytest.param(
            (held("CNAME", "v1", resource=API),), (V2,), SETTINGS, ["update CNAME: v2"], id="2.10-2-incumbent-gone"
        ),
        pytest.param(
            (held("CNAME", "v2", owner=None, ours=True),), (V1, V2), NOOP, ["update CNAME: v1"], id="2.10-3-noop"
        ),
        pytest.param((held("CNAME", "v2", owner=None),), (V1, V2), SETTINGS, [], id="2.10-3-txt"),
        pytest.param(
            (held("CNAME", "v1"),),
            (wanted("A", "5.5.5.5"),),
            SETTINGS,
            ["create A: 5.5.5.5", "delete CNAME"],
            id="2.10-4",
        ),
        pytest.param(
            (held("CNAME", "v1", resource=API),),
            (V1, wanted("A", "5.5.5.5"), wanted("AAAA", "2001:db8::1")),
            SETTINGS,
            ["create A: 5.5.5.5", "create AAAA: 2001:db8::1", "delete CNAME"],
            id="2.10-5",
        ),
        pytest.param(
            (held("A", "5.5.5.5"), held("AAAA", "2001:db8::1")),
            (wanted("A", "5.5.5.5"),),
            SETTINGS,
            ["delete AAAA"],
            id="2.10-6",
        ),
        pytest.param((held("A", "5.5.5.5", owner="other"),), (V1,), SETTINGS, [], id="2.10-7"),
        pytest.param((held("A", "5.5.5.5", owner=None),), (wanted("A", "6.6.6.6"),), SETTINGS, [], id="2.10-8"),
        # The reference deletes the A and creates nothing; a change of type is made whole or not at all.
        pytest.param(
            (held("A", "5.5.5.5"), held("AAAA", "2001:db8::1", owner="other")), (V1,), SETTINGS, [], id="2.10-9"
        ),
        pytest.param(
            (held("A", "192.168.0.1", set_identifier="set-1"),),
            (
                wanted("A", "192.168.0.2", set_identifier="set-1"),
                wanted("A", "192.168.0.2", set_identifier="set-2"),
            ),
            SETTINGS,
            ["update A set-1: 192.168.0.2", "create A set-2: 192.168.0.2"],
            id="2.10-10",
        ),
        pytest.param(
            (held("A", "192.168.0.1", set_identifier="set-1"),),
            (wanted("A", "192.168.0.1", set_identifier="set-2"),),
            SETTINGS,
            ["delete A set-1", "create A set-2: 192.168.0.1"],
            id="2.10-10-renamed",
        ),
        pytest.param(
            (held("A", "127.0.0.1", ttl_s=0),),
            (wanted("A", "127.0.0.1", ttl_s=300),),
            SETTINGS,
            ["update A: 127.0.0.1"],
            id="2.10-11",
        ),
        pytest.param((held("A", "127.0.0.1"),), (wanted("A", "127.0.0.1"),), SETTINGS, [], id="2.10-11-unset"),
        pytest.param(
            (held("A", "1.1.1.1", properties=PROXIED),),
            (wanted("A", "1.1.1.1", properties=PROXIED | {"cloudflare-proxied": "false"}),),
            SETTINGS,
            ["update A: 1.1.1.1"],
            id="2.10-12-changed",
        ),
        pytest.param(
            (held("A", "1.1.1.1", properties=PROXIED),),
            (wanted("A", "1.1.1.1", properties=dict(reversed(PROXIED.items()))),),
            SETTINGS,
            [],
            id="2.10-12-order",
        ),
        pytest.param(
            (held("A", "1.1.1.1", properties=PROXIED),),
            (wanted("A", "1.1.1.1", properties={"alias": "false"}),),
            SETTINGS,
            ["update A: 1.1.1.1"],
            id="2.10-12-missing",
        ),
        pytest.param((held("CNAME", "V2"),), (V2,), SETTINGS, [], id="2.10-13-case"),
        pytest.param((held("AAAA", "::0001"),), (wanted("AAAA", "::1"),), SETTINGS, [], id="2.10-13-ipv6"),
        pytest.param((held("TXT", '"x"', owner=None),), (V1,), SETTINGS, ["create CNAME: v1"], id="2.10-14"),
        pytest.param(
            (held("A", "5.5.5.5"), held("CNAME", "v1")),
            (wanted("A", "5.5.5.5"),),
            SETTINGS,
            ["delete CNAME"],
            id="2.10-15",
        ),
        # The reference emits an update that changes nothing, on every pass.
        pytest.param(
            (held("A", "5.5.5.5", owner="bar", ours=True),), (wanted("A", "5.5.5.5"),), MIGRATING, [], id="2.10-17"
        ),
        pytest.param((held("A", "5.5.5.5"),), (), with_policy("upsert-only"), [], id="2.10-18"),
        pytest.param(
            (held("A", "5.5.5.5", ttl_s=60, resource=WEB),),
            (wanted("A", "1.1.1.1", resource=API), wanted("A", "5.5.5.5", ttl_s=90, resource=WEB)),
            SETTINGS,
            ["update A: 5.5.5.5"],
            id="10.2-only-the-ttl-of-the-incumbent-changed",
        ),
        pytest.param(
            (held("A", "5.5.5.5"),), (wanted("AAAA", "2001:db8::1"),), managing(), [], id="10.2-nothing-is-managed"
        ),
        pytest.param(
            (held("TXT", '"x"'),), (wanted("TXT", '"y"'),), managing("A", "CNAME"), [], id="10.2-txt-is-excluded"
        ),
    ],
)
def test_the_plan_is_the_worked_example(
    stands: tuple[Owned, ...], candidates: tuple[Candidate, ...], settings: PlanSettings, expected: list[str]
) -> None:
    assert words(plan(stands, candidates, settings=settings)) == expected


def test_who_takes_a_record_over_is_named_in_its_mark() -> None:
    before = held("CNAME", "v1", resource=API)
    (update,) = changes(plan((before,), (V2,)))  # 2.10-2
    assert update == Update(held=before, wanted=V2.endpoint, differences=("targets",))
    assert V2.endpoint.resource == WEB


def test_a_foreign_txt_is_in_the_way_once_txt_is_managed() -> None:
    stands = (held("TXT", '"x"', owner=None),)
    assert words(plan(stands, (V1,), settings=managing("CNAME", "TXT"))) == []  # 2.10-14, the other way round
