"""Requests and responses of the fake Cloud DNS match Google's discovery document."""

from __future__ import annotations

import json
import re
from typing import Final

import pytest

from tests.fakes.clouddns.api import QUOTA
from tests.fakes.clouddns.raw_client import RawClient, rrset, weighted
from tests.fakes.clouddns.records import TYPES
from tests.fakes.clouddns.requests import parse
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.service.listener import Request
from tests.unit.fakes.clouddns.document import (
    document,
    method,
    undocumented_answer,
    undocumented_body,
    undocumented_query,
)

METHODS: Final = (
    "projects.get",
    "managedZones.list",
    "managedZones.get",
    "resourceRecordSets.list",
    "managedZones.testIamPermissions",
    "changes.create",
    "changes.get",
)
GEO = {"geo": {"enableFencing": True, "items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]}}
BACKUP = {
    "primaryBackup": {
        "primaryTargets": {
            "internalLoadBalancers": [
                {
                    "loadBalancerType": "regionalL4ilb",
                    "ipAddress": "10.1.0.2",
                    "port": "80",
                    "ipProtocol": "tcp",
                    "networkUrl": "https://www.googleapis.com/compute/v1/projects/p/global/networks/n",
                    "project": "p",
                    "region": "us-east1",
                }
            ]
        },
        "trickleTraffic": 0.1,
        "backupGeoTargets": {"items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]},
    }
}


def test_requests_and_responses_of_every_method_match_the_discovery_document_of_google(
    fake: CloudDns, raw_client: RawClient
) -> None:
    fake.add_zone("example.net", name="inside", private=True, peeringConfig={"targetNetwork": {"networkUrl": "x"}})
    routed = [
        {"name": f"{label}.example.com.", "type": "A", "ttl": 60, "routingPolicy": policy}
        for label, policy in (("geo", GEO), ("backup", BACKUP))
    ]
    _, made = raw_client.change(
        add=(rrset("www.example.com."), weighted("wrr.example.com.", (1, "192.0.2.1")), *routed)
    )
    raw_client.change(delete=(rrset("www.example.com."),))
    paths = ["", "/managedZones", "/managedZones/main", "/managedZones/main/rrsets?maxResults=2"]
    for path in [*paths, "/managedZones/main/rrsets", f"/managedZones/main/changes/{made['id']}"]:
        assert raw_client.http("GET", path)[0] == 200
    sent = json.dumps({"permissions": ["dns.changes.create"]})
    assert raw_client.http("POST", "/managedZones/main:testIamPermissions", sent)[0] == 200
    calls = fake.log.calls()
    assert {call.action for call in calls} == set(METHODS)
    for call in calls:
        assert undocumented_query(call.action, call.query) == set()
        assert undocumented_body(call.action, call.body) == []
        assert undocumented_answer(call.action, call.answer) == []


@pytest.mark.parametrize("name", QUOTA)
def test_the_discovery_document_has_every_quota_that_the_fake_states(name: str) -> None:
    assert name in document()["schemas"]["Quota"]["properties"]


def test_the_check_against_the_discovery_document_finds_undocumented_fields_and_values() -> None:
    fault = {"additions": [{"name": 1, "weight": 2, "ttl": "x", "rrdatas": "x"}], "status": "INSYNC"}
    assert undocumented_body("changes.create", fault) == [
        ".additions[0].name: 1 is no string",
        ".additions[0].weight is not documented",
        ".additions[0].ttl: 'x' is no integer",
        ".additions[0].rrdatas: 'x' is no array",
        ".status: 'INSYNC' is none of pending, done",
    ]
    assert undocumented_query("resourceRecordSets.list", {"limit": "3", "prettyPrint": "false"}) == {"limit"}
    assert undocumented_answer("projects.get", [])
    assert "DNAME" not in TYPES


@pytest.mark.parametrize("name", METHODS)
def test_each_method_has_the_path_of_the_discovery_document(name: str) -> None:
    found = method(name)
    target = "/" + re.sub(r"\{(\w+)\}", r"a-\1", found["flatPath"])
    called = parse(Request(method=found["httpMethod"], target=target, headers={}, body=b""))
    assert called.method == name
