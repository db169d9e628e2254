"""What Google's guides and its discovery document say of Cloud DNS, and the fake Cloud DNS does.

The guides are "Error messages", "Records format (JSON)" and "Quotas and limits".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.fakes.clouddns.api import QUOTA
from tests.fakes.clouddns.document import document, method, undocumented_answer, undocumented_body, undocumented_query
from tests.fakes.clouddns.raw_client import RawClient, rrset, weighted
from tests.fakes.clouddns.requests import parse
from tests.fakes.clouddns.server import CloudDns
from tests.fakes.service.listener import Request

Row = Any  # of pytest
WWW: Final = "www.example.com."
HELD: Final = rrset("held.example.com.", "A", "192.0.2.1", "192.0.2.2")
NS: Final = rrset("example.com.", "NS", "ns-cloud-a1.googledomains.com.")
PRECONDITION: Final = "412 conditionNotMet: Precondition not met for 'entity.change.deletions[0]'"
INVALID: Final = "400 invalid: Invalid value for 'entity.change.additions[0]"


@pytest.fixture(scope="module")
def running() -> Iterator[CloudDns]:
    with CloudDns() as fake:
        yield fake


@pytest.fixture
def fake(running: CloudDns) -> CloudDns:
    running.reset()
    running.locked, running.api.page_items, running.api.quota = False, 1000, dict(QUOTA)
    running.add_zone("example.com", name="main")
    return running


@pytest.fixture
def client(fake: CloudDns) -> RawClient:
    return RawClient(fake, "main")


def change(label: str, answer: str, **body: Any) -> Row:  # noqa: ANN401 - as of the API
    """Build a row: a change of a zone with `HELD`, and the beginning of the error, or "" if it is applied."""
    return pytest.param(body, answer, id=label)


def add(label: str, answer: str, *additions: dict[str, Any]) -> Row:
    return change(label, answer, add=additions)


def value(kind: str, text: str, *, valid: bool = False) -> Row:
    answer = "" if valid else f"{INVALID}.rrdata[0]': '{text}'"
    return add(f"{kind}-{text[:30]}", answer, rrset(WWW, kind, text))


def policy(label: str, routing: object, **fields: object) -> Row:
    return add(label, "400 ", {"name": WWW, "type": "A", "ttl": 60, "routingPolicy": routing, **fields})


CHANGES: Final = [
    add("alreadyExists", "409 alreadyExists: The resource 'entity.change.additions[1]' named 'held.example.com. (A)' "
        "already exists", rrset(WWW), HELD),
    change("preconditionFailed-ttl", PRECONDITION, add=(rrset(WWW),), delete=(HELD | {"ttl": 60},)),
    change("preconditionFailed-data", PRECONDITION, delete=(rrset("held.example.com."),)),
    change("values-in-other-order", "", delete=(rrset("held.example.com.", "A", "192.0.2.2", "192.0.2.1"),)),
    change("notFound", "404 notFound: The 'entity.change.deletions[0]' resource named 'www.example.com. (A)' does not "
        "exist.", delete=(rrset(WWW),)),
    add("apex-NS", "409 alreadyExists", rrset("example.com.", "NS", "a.example.net.")),
    add("cnameResourceRecordSetConflict", "400 cnameResourceRecordSetConflict: The resource record set "
        "'entity.change.additions[0]' is invalid because the DNS name 'held.example.com.' may have either one CNAME "
        "resource record set or resource record sets of other types, but not both.",
        rrset("held.example.com.", "CNAME", "x.example.net.")),
    add("invalidRecordCount", "400 invalidRecordCount: The resource record set 'entity.change.additions[0]' is only "
        "permitted to have one record because it is of type CNAME.",
        rrset(WWW, "CNAME", "x.example.net.", "y.example.net.")),
    add("wildcardNotAllowed", "400 wildcardNotAllowed: The resource record set 'entity.change.additions[0]' is not "
        "allowed to have a wildcard DNS name because it is of type NS.",
        rrset("*.example.com.", "NS", "a.example.net.")),
    add("recordTypeDisallowedAtZoneApex", "400 recordTypeDisallowedAtZoneApex: The resource record set "
        "'entity.change.additions[0]' is invalid because records of type CNAME are not allowed at the zone apex.",
        rrset("example.com.", "CNAME", "x.example.net.")),
    add("outside-the-zone", f"{INVALID}.name': 'www.example.net.'", rrset("www.example.net.")),
    add("twice", "400 invalid: Invalid value for 'entity.change.additions[1]': 'www.example.com. (A)'",
        rrset(WWW), rrset(WWW)),
    change("nothing", "400 required: Required parameter is missing: 'entity.change'"),
    change("unknown-field", "400 invalid: Unknown field 'comment'", add=(rrset(WWW),), comment="x"),
    add("no-ttl", "400 required: Required parameter is missing: 'entity.change.additions[0].ttl'",
        {"name": WWW, "type": "A", "rrdatas": ["192.0.2.1"]}),
    add("empty-label", f"{INVALID}.name'", rrset("cymbal...group.")),
    add("no-dot-at-the-end", f"{INVALID}.name'", rrset("www.example.com")),
    add("type", f"{INVALID}.type'", rrset(WWW, "GROUP")),
    add("DNAME", f"{INVALID}.type'", rrset(WWW, "DNAME", "x.example.net.")),
    add("ttl", f"{INVALID}.ttl'", rrset(WWW, ttl=-1)),
    add("no-values", f"{INVALID}.rrdata': '<empty>'", {**rrset(WWW), "rrdatas": []}),
    policy("no-policy", {}),
    policy("two-policies", {"wrr": {}, "geo": {}}),
    policy("policy-with-rrdatas", {"wrr": {}}, rrdatas=["192.0.2.1"]),
    policy("wrong-data", {"wrr": {"items": [{"weight": 1, "rrdatas": ["x"]}]}}),
    *(value(kind, text) for kind, text in (
        ("A", "192.0.2.256"), ("A", "2001:db8::1"), ("AAAA", "192.0.2.1"), ("CNAME", "x.example.net"),
        ("NS", "ns-1752.awsdns-27.co.uk"), ("PTR", "192.0.2.1"), ("MX", "10 mail.example.net"),
        ("MX", "mail.example.net."), ("SRV", "0 5 70000 sip.example.net."), ("SRV", "0 5 5060 sip.example.net"),
        ("NAPTR", '100 10 "u" "x"'), ("TXT", f'"{"x" * 256}"'), ("TXT", '"a'), ("TXT", '"a""b"'),
    )),
    *(value(kind, text, valid=True) for kind, text in (
        ("A", "192.0.2.1"), ("AAAA", "2001:db8::1"), ("CNAME", "x.example.net."), ("MX", "10 mail.example.net."),
        ("SRV", "0 5 5060 sip.example.net."), ("TXT", '"in quotes"'), ("TXT", '"a \\"b\\" \\200"'),
        ("NAPTR", '100 10 "u" "sip+E2U" "!^.*$!sip:x@foo.se!i" .'), ("CAA", '0 issue "ca.example"'),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("body", "answer"), CHANGES)
def test_change(fake: CloudDns, client: RawClient, body: dict[str, Any], answer: str) -> None:
    """A refused change changes nothing; after an accepted one, the zone has its records as they were sent."""
    fake.put("main", HELD)
    if answer:
        status, ((reason, message), *_) = client.refusal(**body)
        assert f"{status} {reason}: {message}".startswith(answer)
    else:
        assert client.change(**body)[0] == 200
        held = () if "delete" in body else (HELD,)
        expected = sorted((*held, *body.get("add", ())), key=lambda one: str(one["name"]))
        assert [(one.name, one.type, list(one.rrdatas)) for one in fake.records("main")] == [
            (one["name"], one["type"], one["rrdatas"]) for one in expected
        ]


@pytest.mark.parametrize(
    ("kind", "text", "stored"),
    [("AAAA", "2001:DB8:0::1", "2001:db8::1"), ("TXT", "this is text", '"this" "is" "text"')],
)
def test_values_that_are_stored_in_another_form(
    fake: CloudDns, client: RawClient, kind: str, text: str, stored: str
) -> None:
    assert client.change(add=(rrset(WWW, kind, text),))[0] == 200
    assert fake.records("main")[0].rrdatas == (stored,)


def test_a_refused_change_lists_every_addition_that_exists(fake: CloudDns, client: RawClient) -> None:
    fake.put("main", HELD, rrset("b.example.com."))
    status, complaints = client.refusal(add=(HELD, rrset("c.example.com."), rrset("b.example.com.")))
    assert (status, [message.split("'")[1][-2] for _, message in complaints]) == (409, ["0", "2"])


def test_ns_records_of_the_apex_can_be_replaced_but_not_deleted(fake: CloudDns, client: RawClient) -> None:
    ns = next(one for one in fake.records("main", own=True) if one.type == "NS")
    deletion = rrset("example.com.", "NS", *ns.rrdatas, ttl=ns.ttl)
    assert client.refusal(delete=(deletion,))[1][0][0] == "invalidZoneApex"
    assert client.change(delete=(deletion,), add=(NS,))[0] == 200


def test_a_routing_policy_is_deleted_only_as_stored(fake: CloudDns, client: RawClient) -> None:
    routed = weighted(WWW, (1, "192.0.2.1"), (3.5, "192.0.2.2"))
    assert client.change(add=(routed,))[0] == 200
    assert client.refusal(delete=(weighted(WWW, (1, "192.0.2.1")),))[0] == 412
    assert client.change(delete=(routed,))[0] == 200
    assert fake.records("main") == ()


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        ({"rrsetAdditionsPerChange": 1}, "additions per change"),
        ({"rrsetDeletionsPerChange": 0}, "deletions per change"),
        ({"totalRrdataSizePerChange": 17}, "total rrdata size per change"),
        ({"rrsetsPerManagedZone": 3}, "rrsets per managed zone"),
        ({"resourceRecordsPerRrset": 0}, "resource records per rrset"),
    ],
)
def test_quota(fake: CloudDns, client: RawClient, quota: dict[str, int], words: str) -> None:
    fake.put("main", HELD)
    fake.api.quota |= quota
    refused = client.refusal(add=(rrset("a.example.com."), rrset("b.example.com.")), delete=(HELD,))
    assert refused == (403, [("quotaExceeded", f"The change would exceed quota for {words}.")])


# Reads and permissions


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/managedZones/gone/rrsets", 404, "The 'parameters.managedZone' resource named 'gone' does not exist."),
        ("/responsePolicies", 404, "Not Found"),
        ("/managedZones/main/rrsets?type=TXT", 400, "Required parameter is missing: 'parameters.name'"),
        ("/managedZones/main/rrsets?maxResults=0", 400, "Invalid value for 'parameters.maxResults': '0'"),
        ("/managedZones/main/rrsets?maxResults=x", 400, "Invalid value for 'parameters.maxResults': 'x'"),
        ("/managedZones/main/rrsets?pageToken=!", 400, "Invalid value for 'parameters.pageToken': '!'"),
    ],
)
def test_refused_reads(client: RawClient, path: str, status: int, message: str) -> None:
    code, detail = client.http("GET", path)
    assert (code, detail["error"]["message"]) == (status, message)


def test_permissions(fake: CloudDns, client: RawClient) -> None:
    fake.api.missing["main"] = {"dns.resourceRecordSets.update", "dns.resourceRecordSets.delete"}
    query = ["dns.changes.create", "dns.resourceRecordSets.update"]

    def ask(zone: str, *permissions: str) -> tuple[int, object]:
        return client.http("POST", f"/managedZones/{zone}:testIamPermissions", json.dumps({"permissions": permissions}))

    assert ask("main", *query) == (200, {"permissions": ["dns.changes.create"]})
    assert ask("main", query[1]) == ask("nowhere", *query) == (200, {})
    assert ask("main", "dns.*")[0] == 400
    assert client.change(add=(HELD,))[0] == 200
    for refused in ({"delete": (HELD,)}, {"delete": (HELD,), "add": (HELD | {"ttl": 60},)}):
        assert client.refusal(**refused) == (403, [("forbidden", "Forbidden")])
    fake.locked = True
    assert client.refusal(add=(rrset(WWW),))[1][0][0] == "authError"


def test_a_body_that_is_no_json(client: RawClient) -> None:
    status, detail = client.http("POST", "/managedZones/main/changes", "{")
    assert (status, detail["error"]["errors"][0]["reason"]) == (400, "parseError")


# The discovery document

METHODS: Final = (
    *("projects.get", "managedZones.list", "managedZones.get", "resourceRecordSets.list"),
    *("managedZones.testIamPermissions", "changes.create"),
)
GEO: Final = {"geo": {"enableFencing": True, "items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]}}
BALANCER: Final = {
    "loadBalancerType": "regionalL4ilb",
    "ipAddress": "10.1.0.2",
    "port": "80",
    "ipProtocol": "tcp",
    "networkUrl": "https://www.googleapis.com/compute/v1/projects/p/global/networks/n",
    "project": "p",
    "region": "us-east1",
}
BACKUP: Final = {
    "primaryBackup": {
        "primaryTargets": {"internalLoadBalancers": [BALANCER]},
        "trickleTraffic": 0.1,
        "backupGeoTargets": {"items": [{"location": "us-east1", "rrdatas": ["192.0.2.1"]}]},
    }
}


def test_requests_and_responses_match_the_discovery_document(fake: CloudDns, client: RawClient) -> None:
    fake.add_zone("example.net", name="inside", private=True, peeringConfig={"targetNetwork": {"networkUrl": "x"}})
    routed = [
        {"name": f"{label}.example.com.", "type": "A", "ttl": 60, "routingPolicy": policy}
        for label, policy in (("geo", GEO), ("backup", BACKUP))
    ]
    client.change(add=(HELD, weighted("wrr.example.com.", (1, "192.0.2.1")), *routed))
    client.change(delete=(HELD,))
    paths = ["", "/managedZones", "/managedZones/main", "/managedZones/main/rrsets?maxResults=2"]
    for path in [*paths, "/managedZones/main/rrsets"]:
        assert client.http("GET", path)[0] == 200
    sent = json.dumps({"permissions": ["dns.changes.create"]})
    assert client.http("POST", "/managedZones/main:testIamPermissions", sent)[0] == 200
    calls = fake.log.calls()
    assert {call.action for call in calls} == set(METHODS)
    for call in calls:
        assert undocumented_query(call.action, call.query) == set()
        assert undocumented_body(call.action, call.body) == []
        assert undocumented_answer(call.action, call.answer) == []
    assert QUOTA.keys() <= document()["schemas"]["Quota"]["properties"].keys()


@pytest.mark.parametrize("name", METHODS)
def test_path(name: str) -> None:
    found = method(name)
    target = "/" + re.sub(r"\{(\w+)\}", r"a-\1", found["flatPath"])
    assert parse(Request(method=found["httpMethod"], target=target, headers={}, body=b"")).method == name
