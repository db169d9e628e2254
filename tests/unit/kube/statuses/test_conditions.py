"""The words of a status: conditions, and the endpoints that fall short."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from extdns.kube.statuses.conditions import Found, narrow, stands, status_of
from extdns.model.cluster import ObjectKey
from extdns.model.dnsendpoint import DNS_ENDPOINT
from extdns.model.reason import MEANINGS, Reason
from extdns.model.standing import Shortfall, Standing

NOW = "2026-11-21T16:00:00Z"
BEFORE = "2026-01-01T00:00:00Z"
NO_ZONE = Shortfall(field="spec.endpoints[1]", name="b.test", reason=Reason.NO_ZONE)
WRONG = Shortfall(field="spec.endpoints[0]", reason=Reason.INVALID_ENDPOINT, detail="'CAA' is not valid", valid=False)
NO_TTL = Shortfall(
    field="spec.endpoints[0]", name="a.test", reason=Reason.INVALID_TTL, detail="x", valid=False, published=True
)


def standing(*short: Shortfall, endpoints: int = 2) -> Standing:
    return Standing(key=ObjectKey(DNS_ENDPOINT, "dns", "web"), generation=4, endpoints=endpoints, short=short)


def found(status: object = None) -> Found:
    endpoints = [{"dnsName": "A.test", "recordType": "CAA"}, {"dnsName": "b.test", "setIdentifier": "one"}, None]
    metadata = {"name": "web", "generation": 4, "resourceVersion": "7", "uid": "u"}
    return msgspec.convert({"metadata": metadata, "spec": {"endpoints": endpoints}, "status": status}, Found)


def brief(status: dict[str, Any]) -> list[str]:
    return [f"{one['type']}={one['status']} {one['reason']}" for one in status["conditions"]]


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        pytest.param((), ["Accepted=True accepted", "Programmed=True programmed", "Ready=True programmed"], id="good"),
        pytest.param(
            (NO_ZONE,), ["Accepted=True accepted", "Programmed=False no-zone", "Ready=False no-zone"], id="unpublished"
        ),
        pytest.param(
            (WRONG, NO_ZONE),
            ["Accepted=False invalid-endpoint", "Programmed=False invalid-endpoint", "Ready=False invalid-endpoint"],
            id="wrong",
        ),
        pytest.param(
            (NO_TTL,),
            ["Accepted=False invalid-ttl", "Programmed=True programmed", "Ready=False invalid-ttl"],
            id="published-otherwise",
        ),
        pytest.param(
            (NO_TTL, NO_ZONE),
            ["Accepted=False invalid-ttl", "Programmed=False no-zone", "Ready=False no-zone"],
            id="what-is-not-published-goes-before",
        ),
    ],
)
def test_conditions_say_what_holds(short: tuple[Shortfall, ...], expected: list[str]) -> None:
    status = status_of(standing(*short), found(), NOW)
    assert brief(status) == expected
    assert {one["observedGeneration"] for one in status["conditions"]} == {status["observedGeneration"]} == {4}


def test_endpoints_that_fall_short_are_shown_as_they_are_written() -> None:
    status = status_of(standing(WRONG, NO_ZONE), found(), NOW)
    assert status["endpoints"] == [
        {
            "dnsName": "A.test",
            "recordType": "CAA",
            "reason": "invalid-endpoint",
            "message": f"{MEANINGS[Reason.INVALID_ENDPOINT]} 'CAA' is not valid",
        },
        {"dnsName": "b.test", "setIdentifier": "one", "reason": "no-zone", "message": "No zone holds the name."},
    ]
    assert status["conditions"][1]["message"].endswith("; spec.endpoints[1] b.test: No zone holds the name. [no-zone]")


@pytest.mark.parametrize("field", ["", "spec.endpoints[2]", "spec.endpoints[9]", "annotation"])
def test_an_endpoint_that_is_not_found_bears_the_name_that_was_decided_about(field: str) -> None:
    short = Shortfall(field=field, name="b.test", reason=Reason.NO_ZONE)
    (endpoint,) = status_of(standing(short), found(), NOW)["endpoints"]
    assert endpoint["dnsName"] == "b.test"


def test_a_status_is_bounded_however_much_falls_short() -> None:
    many = [Shortfall(field=f"spec.endpoints[{n}]", name=f"n{n}.test", reason=Reason.NO_ZONE) for n in range(5000)]
    status = status_of(standing(*many, endpoints=5000), found(), NOW)
    assert len(status["endpoints"]) == 100
    assert len(msgspec.json.encode(status)) < 20_000
    assert status["conditions"][1]["message"].startswith("5000 of 5000 endpoints: spec.endpoints[0] n0.test: ")
    assert status["conditions"][1]["message"].endswith("; and 4997 more")


def test_without_endpoints_there_is_nothing_to_wait_for() -> None:
    status = status_of(standing(endpoints=0), found(), NOW)
    assert {one["message"] for one in status["conditions"]} == {"There are no endpoints."}
    assert brief(status)[2] == "Ready=True programmed"


def test_a_condition_holds_since_it_changed() -> None:
    before = status_of(standing(NO_ZONE), found(), BEFORE)
    after = status_of(standing(), found(before), NOW)
    assert [one["lastTransitionTime"] for one in after["conditions"]] == [BEFORE, NOW, NOW]


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(None, id="none"),
        pytest.param({"conditions": "x"}, id="text"),
        pytest.param({"conditions": ["x", {}, {"type": "Ready"}]}, id="scraps"),
    ],
)
def test_any_old_status_can_be_replaced(old: object) -> None:
    status = status_of(standing(), found(old), NOW)
    assert not stands(status, found(old))
    assert stands(status, found(status))


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        pytest.param({}, True, id="equal"),
        pytest.param({"observedGeneration": 3}, False, id="other-generation"),
        pytest.param({"endpoints": [{"dnsName": "a", "reason": "no-zone"}]}, False, id="endpoints-left-over"),
        pytest.param({"conditions": []}, False, id="conditions-missing"),
        pytest.param({"theirs": 1}, True, id="fields-of-others"),
    ],
)
def test_a_status_stands_if_all_that_is_ours_is_equal(change: dict[str, object], *, is_same: bool) -> None:
    status = status_of(standing(), found(), NOW)
    assert stands(status, found({**status, **change})) is is_same


def test_a_narrow_status_stands_by_its_generation_alone() -> None:
    status = narrow(status_of(standing(NO_ZONE), found(), NOW))
    assert status == {"observedGeneration": 4}
    assert stands(status, found({"observedGeneration": 4}))
    assert not stands(status, found({"observedGeneration": 3}))
