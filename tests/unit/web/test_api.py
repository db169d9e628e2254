"""Responses of the JSON API, and their description in docs/reference/openapi.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from extdns.documents.names import NameState
from tests.objects import service
from tests.unit.web.page_process import Process, process
from tools import openapi

ROOT = Path(__file__).parents[3]
OPENAPI = ROOT / "docs" / "reference" / "openapi.json"
DOCUMENT: Any = json.loads(OPENAPI.read_text(encoding="utf-8"))


def aged(item: dict[str, Any], created: str) -> dict[str, Any]:
    """Return *item* with a creation time."""
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": created}}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Run a process whose names have many states: published, foreign, without address, outside every zone, held."""
    objects = [service(f"web{number}", f"web{number}.example.org") for number in range(7)]
    return process(
        tmp_path_factory.mktemp("shop"),
        *objects,
        service("www", "www.example.org"),
        {**service("gw", "pay.example.net"), "status": {}},
        aged(service("far", "far.example.com", namespace="lab"), "2026-11-20T09:05:00Z"),
        service("wrong", "a..example.org", annotations={"ttl": "soon"}),
        orphans=20,
    )


PATHS = {
    "status": "status",
    "names": "names",
    "names/{name}": "names/web1.example.org",
    "objects/{kind}/{namespace}/{name}": "objects/service/shop/web1",
    "zones": "zones",
    "sources": "sources",
    "changes": "changes",
    "policies": "policies",
    "held": "held",
    "plan": "plan",
}


def test_the_openapi_document_is_valid() -> None:
    validate(DOCUMENT)
    assert set(PATHS) == set(openapi.DOCUMENTS)


@pytest.mark.parametrize("path", PATHS)
def test_each_response_matches_the_openapi_document(shop: Process, path: str) -> None:
    response = shop.get(f"/api/v1/{PATHS[path]}")
    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json"
    assert_described(path, "200", response.json)


@pytest.mark.parametrize(
    ("path", "query", "status", "message"),
    [
        pytest.param("nothing", {}, 404, "/api/v1/nothing not found; available: ", id="no-such-document"),
        pytest.param("", {}, 404, "/api/v1/ not found; available: ", id="empty-path"),
        pytest.param("names", {"stat": "held"}, 400, "unknown parameter stat; allowed: q, state, ", id="typo"),
        ("zones", {"q": "x"}, 400, "unknown parameter q; this path has no parameters"),
        ("names", {"state": "heldd"}, 400, "state=heldd is not allowed; allowed: failing, held"),
        ("names", {"reason": "x"}, 400, "reason=x is not allowed; allowed: published, "),
        pytest.param("names", {"limit": "0"}, 400, "limit=0 is not a number from 1 to 500", id="limit-zero"),
        pytest.param("names", {"limit": "501"}, 400, "limit=501 is not a number from 1 to 500", id="too-many-rows"),
        pytest.param("names", {"limit": "-1"}, 400, "limit=-1 is not a number from 1 to 500", id="negative-limit"),
        pytest.param("names", {"limit": "٣"}, 400, "limit=٣ is not a number from 1 to 500", id="other-digits"),
        ("names", {"age": "soon"}, 400, "age=soon is not a duration; allowed: values such as 90s, "),
        pytest.param("names", {"age": "-1h"}, 400, "age=-1h is not a duration; ", id="negative-age"),
        ("names", {"age": "9999999999w"}, 400, "age=9999999999w is not a duration; "),
        pytest.param("names", {"q": "x" * 301}, 400, "q has 301 characters; allowed: 300", id="too-long"),
        pytest.param("names/a..b", {}, 400, "a..b is not a name; allowed: a name without", id="invalid-name"),
        pytest.param("names/", {}, 400, " is not a name; allowed: ", id="empty-name"),
        pytest.param("objects/service/shop/webb", {}, 404, "no object service/shop/webb is read;", id="unknown-object"),
        pytest.param("objects/\x1b[31m/x", {}, 404, "no object \\x1b[31m/x is read;", id="hostile"),
    ],
)
def test_an_invalid_api_request_gets_an_error_with_the_allowed_values(
    shop: Process, path: str, query: dict[str, str], status: int, message: str
) -> None:
    response = shop.get(f"/api/v1/{path}", **query)
    assert response.status == status
    assert_described("names", "default", response.json)
    assert message in response.json["message"]


def test_the_api_list_of_names_shows_since_when_each_name_is_requested(shop: Process) -> None:
    since = {one["name"]: one["since"] for one in shop.get("/api/v1/names").json["items"]}
    assert since["far.example.com"] == "2026-11-20T09:05:00Z"
    assert since["web1.example.org"] == "2026-01-01T00:00:00Z"
    assert since["old1.example.org"] is None


def test_a_repeated_query_parameter_and_more_than_20_parameters_are_rejected(shop: Process) -> None:
    response = shop.get("/api/v1/names", q="a&q=b".replace("&", "%26"))
    assert response.status == 200
    twice = type(response)(shop.site, "/api/v1/names", "q=a&q=b")
    assert (twice.status, twice.json["message"]) == (400, "q is repeated")
    many = type(response)(shop.site, "/api/v1/names", "&".join(["q=a"] * 21))
    assert (many.status, many.json["message"]) == (400, "too many parameters; allowed: 20")


def test_all_pages_of_the_list_of_names_together_contain_each_name_once(shop: Process) -> None:
    whole = shop.get("/api/v1/names", limit="500").json
    names = [one["name"] for one in whole["items"]]
    assert names == sorted(names)
    assert whole["total"] == len(names) == 30
    pages: list[str] = []
    after = ""
    while True:
        page = shop.get("/api/v1/names", limit="7", after=after).json
        pages += [one["name"] for one in page["items"]]
        after = page["after"]
        if after is None:
            break
    assert pages == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        pytest.param({"q": "WEB3"}, ["web3.example.org"], id="part-of-a-name"),
        pytest.param({"q": "lab/far"}, ["far.example.com"], id="an-object"),
        pytest.param({"q": "192.0.2.99"}, ["www.example.org"], id="a-target"),
        pytest.param({"state": "out-of-sync"}, ["www.example.org"], id="a-state"),
        pytest.param({"reason": "no-address"}, ["pay.example.net"], id="a-reason"),
        pytest.param({"zone": "example.net.zone"}, ["pay.example.net"], id="a-zone-by-id"),
        pytest.param({"zone": "example.net"}, ["pay.example.net"], id="a-zone-by-name"),
        pytest.param({"source": "ingress"}, [], id="a-source"),
        pytest.param({"age": "10m"}, ["far.example.com"], id="an-age"),
        pytest.param({"age": "9m30s"}, [], id="a-lesser-age"),
        pytest.param({"after": "zzz"}, [], id="after-the-last-name"),
    ],
)
def test_the_api_list_of_names_can_be_searched_and_filtered(
    shop: Process, query: dict[str, str], names: list[str]
) -> None:
    found = [one["name"] for one in shop.get("/api/v1/names", **query).json["items"]]
    assert [name for name in found if not name.startswith("old")] == names


def test_the_api_document_of_held_deletes_contains_the_command_that_approves_them(shop: Process) -> None:
    (held,) = shop.get("/api/v1/held").json["items"]
    assert held["command"] == f"extdns --approve={held['approvalCode']} [flags]"
    assert len(held["records"]) == 20
    assert held["records"][0]["resource"] == "service/shop/old0"
    assert held["records"][0]["evidence"] == "orphan-gone"


def test_the_api_documents_of_zones_and_sources_count_records_queued_changes_and_objects(shop: Process) -> None:
    zones = {zone["name"]: zone for zone in shop.get("/api/v1/zones").json["items"]}
    assert zones["example.org"] | {"readAt": None} == {
        "state": "held",
        "name": "example.org",
        "id": "example.org.zone",
        "account": zones["example.org"]["account"],
        "private": False,
        "provider": "zonefile",
        "records": 22,
        "ours": 20,
        "readAt": None,
        "failure": "",
        "queued": 7,
        "deleted": 0,
        "held": 20,
    }
    assert zones["example.org"]["readAt"] is not None
    (budget,) = shop.get("/api/v1/zones").json["apiRateLimits"]
    assert budget == {
        "account": "",
        "action": "ChangeResourceRecordSets",
        "left": 48.0,
        "perSecond": 10.0,
        "throttled": 2,
    }
    (source,) = shop.get("/api/v1/sources").json["items"]
    assert (source["resource"], source["objects"], source["since"]) == ("services", 11, "2026-11-20T08:14:31Z")


def test_the_api_document_of_a_name_has_its_reason_and_its_last_changes(shop: Process) -> None:
    document = shop.get("/api/v1/names/WEB1.Example.ORG.").json
    assert (document["name"], document["reason"], document["lastChanges"]) == ("web1.example.org", "requested", [])
    assert document["notKnown"][0].startswith("the last write: not among the last changes")
    changed = shop.get("/api/v1/names/web.example.org").json
    assert [one["outcome"] for one in changed["lastChanges"]] == ["applied"]


def test_the_api_document_of_the_status_has_a_summary_in_one_sentence(shop: Process) -> None:
    status = shop.get("/api/v1/status").json
    assert status["level"] == "failing"
    assert status["counts"] == {state.value: status["counts"][state.value] for state in NameState}
    assert status["message"].startswith("0 of 30 names are published, 20 held, 7 changing, ")
    assert shop.get("/api/v1/names").json["total"] == 30
    assert "20 deletes are held." in status["message"]


def test_a_zone_is_shown_as_published_only_if_all_its_names_are(tmp_path: Path) -> None:
    quiet = process(tmp_path, {**service("gw", "pay.example.net"), "status": {}})
    conditions = {zone["name"]: zone["state"] for zone in quiet.get("/api/v1/zones").json["items"]}
    assert conditions == {"example.net": "not-published", "example.org": "published"}
    page = quiet.get("/zones").text
    assert '<span class="state waiting">not published</span>' in page
    assert '<span class="state good">published</span>' in page


def test_the_api_list_of_names_shows_current_and_requested_targets(shop: Process) -> None:
    (foreign,) = shop.get("/api/v1/names", q="www").json["items"]
    (record,) = foreign["records"]
    assert (record["targets"], record["requested"]) == (["192.0.2.99"], ["192.0.2.1"])
    page = shop.get("/", q="www").text
    assert "A 192.0.2.99" in page
    assert "requested: 192.0.2.1" in page
    assert "A 192.0.2.1" not in page.partition("<main")[2]


@pytest.mark.parametrize(
    ("zone", "blocked_by", "text"),
    [
        pytest.param(
            "www IN CNAME other.example.net.\n",
            {"type": "CNAME", "targets": ["other.example.net"], "owner": None},
            "the zone holds: CNAME other.example.net, not ours",
            id="no-owner",
        ),
        pytest.param(
            "www IN CNAME other.example.net.\n"
            'cname-www IN TXT "heritage=external-dns,external-dns/owner=blue,external-dns/resource=service/x/y"\n',
            {"type": "CNAME", "targets": ["other.example.net"], "owner": "blue"},
            "the zone holds: CNAME other.example.net, owner blue",
            id="another-owner",
        ),
    ],
)
def test_a_name_blocked_by_a_record_of_another_type_shows_what_the_zone_holds(
    tmp_path: Path, zone: str, blocked_by: dict[str, object], text: str
) -> None:
    shop = process(tmp_path, service("www", "www.example.org"), zone=zone)
    (name,) = shop.get("/api/v1/names").json["items"]
    (record,) = name["records"]
    assert (record["type"], record["targets"], record["requested"]) == ("A", [], ["192.0.2.1"])
    assert record["blockedBy"] == [{"setIdentifier": "", "ours": False, **blocked_by}]
    page = shop.get("/").text
    assert text in page
    assert "requested: 192.0.2.1" in page


def test_a_name_that_can_have_no_ownership_record_shows_no_other_record_as_blocking_it(
    tmp_path: Path,
) -> None:
    long = f"{'a' * 63}.example.org"
    shop = process(tmp_path, service("long", long), zone=f"{long}. IN MX 10 mail.example.org.\n")
    (name,) = shop.get("/api/v1/names").json["items"]
    assert (name["reason"], [record["blockedBy"] for record in name["records"]]) == ("no-ownership-name", [[]])


def test_a_name_that_no_object_requests_shows_the_resource_label_of_its_record(shop: Process) -> None:
    (name,) = shop.get("/api/v1/names", q="old1.").json["items"]
    assert [record["resource"] for record in name["records"]] == ["service/shop/old1"]
    assert "<div>made for service/shop/old1</div>" in shop.get("/", q="old1.").text
    assert "no object; made for service/shop/old1" in shop.get("/name", of="old1.example.org").text


def assert_described(path: str, status: str, answer: object) -> None:
    """Assert that *answer* matches the schema of the response *status* of *path* in the OpenAPI document."""
    responses = DOCUMENT["paths"][f"/api/v1/{path}"]["get"]["responses"]
    schema = responses[status]["content"]["application/json"]["schema"]
    OAS31Validator({**schema, "components": DOCUMENT["components"]}).validate(answer)
