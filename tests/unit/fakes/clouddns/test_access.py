"""Tokens, permissions, faults and the call log of the fake Cloud DNS."""

from __future__ import annotations

import json
from http.client import RemoteDisconnected

import pytest

from tests.fakes.clouddns.raw_client import RawClient, rrset
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.service.faults import Drop, Meanwhile, Refuse


def test_if_a_token_is_required_a_request_without_it_gets_a_401(fake: CloudDns, raw_client: RawClient) -> None:
    fake.locked = True
    status, detail = raw_client.http("GET", "")
    assert (status, detail["error"]["errors"][0]["reason"]) == (401, "authError")


def test_a_denied_method_gets_a_403(fake: CloudDns, raw_client: RawClient) -> None:
    fake.denied.add("changes.create")
    assert raw_client.refusal(add=(rrset("www.example.com."),)) == (403, [("forbidden", "Forbidden")])
    assert raw_client.listed()[0]


def test_missing_permissions_of_a_zone_are_reported_and_forbid_its_changes(
    fake: CloudDns, raw_client: RawClient
) -> None:
    fake.add_zone("example.net", name="other")
    fake.api.missing["main"] = {"dns.resourceRecordSets.update", "dns.resourceRecordSets.delete"}
    query = ["dns.changes.create", "dns.resourceRecordSets.update"]

    def detail(zone: str, *permissions: str) -> tuple[int, object]:
        return raw_client.http(
            "POST", f"/managedZones/{zone}:testIamPermissions", json.dumps({"permissions": permissions})
        )

    assert detail("main", *query) == (200, {"permissions": ["dns.changes.create"]})
    assert detail("main", query[1]) == detail("nowhere", *query) == (200, {})
    assert detail("other", *query) == (200, {"permissions": query})
    assert detail("main", "dns.*")[0] == 400
    assert raw_client.change(add=(rrset("www.example.com."),))[0] == 200
    new = rrset("www.example.com.", "A", "192.0.2.2")
    for change in ({"delete": (rrset("www.example.com."),)}, {"delete": (rrset("www.example.com."),), "add": (new,)}):
        assert raw_client.refusal(**change) == (403, [("forbidden", "Forbidden")])


def test_a_test_can_let_a_call_be_refused_lose_its_response_or_change_records_before_it(
    fake: CloudDns, raw_client: RawClient
) -> None:
    fake.faults.arm(Refuse(503, "backendError", "Backend Error"), action="changes.create")
    assert raw_client.refusal(add=(rrset("www.example.com."),)) == (503, [("backendError", "Backend Error")])
    fake.faults.arm(Drop(worked=True), action="changes.create")
    with pytest.raises(RemoteDisconnected):
        raw_client.change(add=(rrset("www.example.com."),))
    assert len(fake.records("main")) == 1
    fake.faults.arm(Meanwhile(lambda: fake.delete("main", "www.example.com.", "A")), zone_id="main")
    assert raw_client.listed()[0] == ["example.com. NS", "example.com. SOA"]


def test_the_call_log_contains_zone_status_reason_and_bodies(fake: CloudDns, raw_client: RawClient) -> None:
    raw_client.change(add=(rrset("www.example.com."),))
    raw_client.change(add=(rrset("www.example.com."),))
    first, second = fake.log.calls("changes.create")
    assert (first.zone_id, first.status, first.answer["id"]) == ("main", 200, "1")
    assert (second.status, second.reason, second.body["additions"][0]["name"]) == (
        409,
        "alreadyExists",
        "www.example.com.",
    )
    assert fake.log.count_calls() == {"changes.create": 2}
    fake.log.clear()
    assert fake.log.calls() == ()
