"""Tokens, rights and faults."""

from __future__ import annotations

import json
from http.client import RemoteDisconnected

import pytest

from tests.fakes.clouddns.probe import Probe, rrset
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.service.faults import Drop, Meanwhile, Refuse


def test_without_its_token_nothing_is_answered_when_locked(fake: CloudDns, probe: Probe) -> None:
    fake.locked = True
    status, said = probe.http("GET", "")
    assert (status, said["error"]["errors"][0]["reason"]) == (401, "authError")


def test_what_iam_denies_is_forbidden(fake: CloudDns, probe: Probe) -> None:
    fake.denied.add("changes.create")
    assert probe.refusal(add=(rrset("www.example.com."),)) == (403, [("forbidden", "Forbidden")])
    assert probe.listed()[0]


def test_permissions_are_told_zone_by_zone_and_bind_changes(fake: CloudDns, probe: Probe) -> None:
    fake.add_zone("example.net", name="other")
    fake.api.lacking["main"] = {"dns.resourceRecordSets.update", "dns.resourceRecordSets.delete"}
    asked = ["dns.changes.create", "dns.resourceRecordSets.update"]

    def said(zone: str, *permissions: str) -> tuple[int, object]:
        return probe.http("POST", f"/managedZones/{zone}:testIamPermissions", json.dumps({"permissions": permissions}))

    assert said("main", *asked) == (200, {"permissions": ["dns.changes.create"]})
    assert said("main", asked[1]) == said("nowhere", *asked) == (200, {})
    assert said("other", *asked) == (200, {"permissions": asked})
    assert said("main", "dns.*")[0] == 400
    assert probe.change(add=(rrset("www.example.com."),))[0] == 200
    new = rrset("www.example.com.", "A", "192.0.2.2")
    for change in ({"delete": (rrset("www.example.com."),)}, {"delete": (rrset("www.example.com."),), "add": (new,)}):
        assert probe.refusal(**change) == (403, [("forbidden", "Forbidden")])


def test_faults_stand_for_the_work_or_come_after_it(fake: CloudDns, probe: Probe) -> None:
    fake.faults.arm(Refuse(503, "backendError", "Backend Error"), action="changes.create")
    assert probe.refusal(add=(rrset("www.example.com."),)) == (503, [("backendError", "Backend Error")])
    fake.faults.arm(Drop(worked=True), action="changes.create")
    with pytest.raises(RemoteDisconnected):
        probe.change(add=(rrset("www.example.com."),))
    assert len(fake.records("main")) == 1
    fake.faults.arm(Meanwhile(lambda: fake.delete("main", "www.example.com.", "A")), zone_id="main")
    assert probe.listed()[0] == ["example.com. NS", "example.com. SOA"]


def test_calls_are_logged_with_what_was_said(fake: CloudDns, probe: Probe) -> None:
    probe.change(add=(rrset("www.example.com."),))
    probe.change(add=(rrset("www.example.com."),))
    first, second = fake.log.calls("changes.create")
    assert (first.zone_id, first.status, first.answer["id"]) == ("main", 200, "1")
    assert (second.status, second.reason, second.body["additions"][0]["name"]) == (
        409,
        "alreadyExists",
        "www.example.com.",
    )
    assert fake.log.counts() == {"changes.create": 2}
    fake.log.clear()
    assert fake.log.calls() == ()
