"""Changes are applied completely or not at all (Cloud DNS guide "Error messages"; discovery document, Change)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.clocks import MovedClock
from tests.fakes.clouddns.raw_client import RawClient, rrset, weighted
from tests.fakes.clouddns.server import CloudDns

WWW = "www.example.com."


def test_a_change_is_applied_at_once_and_pending_until_the_propagation_time(
    fake: CloudDns, raw_client: RawClient, clock: MovedClock
) -> None:
    fake.api.propagation_s = 30
    fake.put("main", rrset(WWW))
    status, detail = raw_client.change(add=(rrset(WWW, "A", "192.0.2.2"),), delete=(rrset(WWW),))
    assert (status, detail["status"], detail["kind"]) == (200, "pending", "dns#change")
    assert [one.rrdatas for one in fake.records("main")] == [("192.0.2.2",)]
    path = f"/managedZones/main/changes/{detail['id']}"
    assert raw_client.http("GET", path)[1]["status"] == "pending"
    clock.now_s += 30
    assert raw_client.http("GET", path)[1]["status"] == "done"


def test_a_deletion_may_list_the_values_in_another_order(fake: CloudDns, raw_client: RawClient) -> None:
    fake.put("main", rrset(WWW, "A", "192.0.2.1", "192.0.2.2"))
    assert raw_client.change(delete=(rrset(WWW, "A", "192.0.2.2", "192.0.2.1"),))[0] == 200


@pytest.mark.parametrize(
    ("change", "status", "reason", "message"),
    [
        pytest.param(
            {"add": (rrset("held.example.com."),)},
            409,
            "alreadyExists",
            "The resource 'entity.change.additions[0]' named 'held.example.com. (A)' already exists",
            id="alreadyExists",
        ),
        pytest.param(
            {"add": (rrset(WWW),), "delete": (rrset("held.example.com.", ttl=60),)},
            412,
            "conditionNotMet",
            "Precondition not met for 'entity.change.deletions[0]'",
            id="preconditionFailed-ttl",
        ),
        pytest.param(
            {"delete": (rrset("held.example.com.", "A", "192.0.2.1", "192.0.2.2"),)},
            412,
            "conditionNotMet",
            "Precondition not met for 'entity.change.deletions[0]'",
            id="preconditionFailed-data",
        ),
        pytest.param(
            {"delete": (rrset(WWW),)},
            404,
            "notFound",
            "The 'entity.change.deletions[0]' resource named 'www.example.com. (A)' does not exist.",
            id="notFound",
        ),
        pytest.param(
            {"add": (rrset("example.com.", "NS", "a.example.net."),)},
            409,
            "alreadyExists",
            "The resource 'entity.change.additions[0]' named 'example.com. (NS)' already exists",
            id="apex-NS",
        ),
        pytest.param(
            {"add": (rrset("held.example.com.", "CNAME", "x.example.net."),)},
            400,
            "cnameResourceRecordSetConflict",
            "The resource record set 'entity.change.additions[0]' is invalid because the DNS name 'held.example.com.' "
            "may have either one CNAME resource record set or resource record sets of other types, but not both.",
            id="cnameResourceRecordSetConflict",
        ),
        pytest.param(
            {"add": (rrset(WWW, "CNAME", "x.example.net.", "y.example.net."),)},
            400,
            "invalidRecordCount",
            "The resource record set 'entity.change.additions[0]' is only permitted to have one record because it is "
            "of type CNAME.",
            id="invalidRecordCount",
        ),
        pytest.param(
            {"add": (rrset("*.example.com.", "NS", "a.example.net."),)},
            400,
            "wildcardNotAllowed",
            "The resource record set 'entity.change.additions[0]' is not allowed to have a wildcard DNS name because "
            "it is of type NS.",
            id="wildcardNotAllowed",
        ),
        pytest.param(
            {"add": (rrset("example.com.", "CNAME", "x.example.net."),)},
            400,
            "recordTypeDisallowedAtZoneApex",
            "The resource record set 'entity.change.additions[0]' is invalid because records of type CNAME are not "
            "allowed at the zone apex.",
            id="recordTypeDisallowedAtZoneApex",
        ),
        pytest.param(
            {"add": (rrset("www.example.net."),)},
            400,
            "invalid",
            "Invalid value for 'entity.change.additions[0].name': 'www.example.net.'",
            id="outside-the-zone",
        ),
        pytest.param(
            {"add": (rrset(WWW), rrset(WWW))},
            400,
            "invalid",
            "Invalid value for 'entity.change.additions[1]': 'www.example.com. (A)'",
            id="twice",
        ),
        pytest.param({}, 400, "required", "Required parameter is missing: 'entity.change'", id="nothing"),
        pytest.param(
            {"add": (rrset(WWW),), "comment": "x"}, 400, "invalid", "Unknown field 'comment'", id="unknown-field"
        ),
        pytest.param(
            {"add": ({"name": WWW, "type": "A", "rrdatas": ["192.0.2.1"]},)},
            400,
            "required",
            "Required parameter is missing: 'entity.change.additions[0].ttl'",
            id="required",
        ),
    ],
)
def test_an_invalid_change_is_refused_with_reason_and_message(
    fake: CloudDns, raw_client: RawClient, change: dict[str, Any], status: int, reason: str, message: str
) -> None:
    fake.put("main", rrset("held.example.com."))
    assert raw_client.refusal(**change) == (status, [(reason, message)])


def test_a_body_that_is_not_json_is_refused(raw_client: RawClient) -> None:
    status, detail = raw_client.http("POST", "/managedZones/main/changes", "{")
    assert (status, detail["error"]["errors"][0]["reason"]) == (400, "parseError")


def test_the_ns_records_of_the_apex_can_be_replaced_but_not_deleted(fake: CloudDns, raw_client: RawClient) -> None:
    ns = next(one for one in fake.records("main", own=True) if one.type == "NS")
    deletion = rrset("example.com.", "NS", *ns.rrdatas, ttl=ns.ttl)
    status, ((reason, _),) = raw_client.refusal(delete=(deletion,))
    assert (status, reason) == (400, "invalidZoneApex")
    assert raw_client.change(delete=(deletion,), add=(rrset("example.com.", "NS", "a.example.net."),))[0] == 200


def test_a_refused_change_lists_every_addition_that_already_exists(fake: CloudDns, raw_client: RawClient) -> None:
    fake.put("main", rrset("a.example.com."), rrset("b.example.com."))
    status, complaints = raw_client.refusal(
        add=(rrset("a.example.com."), rrset("c.example.com."), rrset("b.example.com."))
    )
    assert status == 409
    assert [message.split("'")[1] for _, message in complaints] == [
        "entity.change.additions[0]",
        "entity.change.additions[2]",
    ]


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        pytest.param({"rrsetAdditionsPerChange": 1}, "additions per change", id="additions"),
        pytest.param({"totalRrdataSizePerChange": 17}, "total rrdata size per change", id="size"),
        pytest.param({"rrsetsPerManagedZone": 3}, "rrsets per managed zone", id="zone"),
        pytest.param({"resourceRecordsPerRrset": 0}, "resource records per rrset", id="set"),
    ],
)
def test_a_change_over_a_quota_is_refused(
    fake: CloudDns, raw_client: RawClient, quota: dict[str, int], words: str
) -> None:
    fake.api.quota |= quota
    refused = raw_client.refusal(add=(rrset("a.example.com."), rrset("b.example.com.")))
    assert refused == (403, [("quotaExceeded", f"The change would exceed quota for {words}.")])


def test_the_number_of_deletions_in_a_change_has_its_own_quota(fake: CloudDns, raw_client: RawClient) -> None:
    fake.put("main", rrset("a.example.com."), rrset("b.example.com."))
    fake.api.quota["rrsetDeletionsPerChange"] = 1
    status, ((_, message),) = raw_client.refusal(delete=(rrset("a.example.com."), rrset("b.example.com.")))
    assert (status, message) == (403, "The change would exceed quota for deletions per change.")


def test_a_routing_policy_is_stored_and_deleted_only_by_an_exact_deletion(
    fake: CloudDns, raw_client: RawClient
) -> None:
    routed = weighted(WWW, (1, "192.0.2.1"), (3.5, "192.0.2.2"))
    assert raw_client.change(add=(routed,))[0] == 200
    assert raw_client.refusal(delete=(weighted(WWW, (1, "192.0.2.1")),))[0] == 412
    assert raw_client.change(delete=(routed,))[0] == 200
    assert fake.records("main") == ()


@pytest.mark.parametrize(
    "original",
    [
        pytest.param({"routingPolicy": {}}, id="no-policy"),
        pytest.param({"routingPolicy": {"wrr": {}, "geo": {}}}, id="two-policies"),
        pytest.param({"routingPolicy": {"wrr": {}}, "rrdatas": ["192.0.2.1"]}, id="policy-with-rrdatas"),
        pytest.param({"routingPolicy": {"wrr": {"items": [{"weight": 1, "rrdatas": ["x"]}]}}}, id="wrong-data"),
    ],
)
def test_an_invalid_routing_policy_is_refused(raw_client: RawClient, original: dict[str, Any]) -> None:
    assert raw_client.refusal(add=({"name": WWW, "type": "A", "ttl": 60, **original},))[0] == 400
