"""The JSON API: what it answers, and that its description says the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from extdns.facts.names import State
from extdns.web import openapi
from tests.integration.stage import service
from tests.unit.web.living import Process, process

ROOT = Path(__file__).parents[3]
OPENAPI = ROOT / "docs" / "reference" / "openapi.json"
DOCUMENT: Any = json.loads(OPENAPI.read_text(encoding="utf-8"))


def aged(item: dict[str, Any], created: str) -> dict[str, Any]:
    """*item*, created then."""
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": created}}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Names in many states: published, foreign, without an address, outside every zone, held."""
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
    "held": "held",
    "plan": "plan",
}


def test_the_description_in_the_docs_is_that_of_the_code() -> None:
    assert OPENAPI.read_text(encoding="utf-8") == openapi.text(), (
        "run: python -m extdns.web.openapi > docs/reference/openapi.json"
    )


def test_the_description_is_one() -> None:
    validate(DOCUMENT)
    assert set(PATHS) == set(openapi.DOCUMENTS)


@pytest.mark.parametrize("path", PATHS)
def test_each_answer_is_as_described(shop: Process, path: str) -> None:
    response = shop.get(f"/api/v1/{PATHS[path]}")
    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json"
    assert_described(path, "200", response.json)


@pytest.mark.parametrize(
    ("path", "query", "status", "message"),
    [
        pytest.param("nothing", {}, 404, "there is no /api/v1/nothing; there are: ", id="no-such-document"),
        pytest.param("", {}, 404, "there is no /api/v1/; there are: ", id="nothing-named"),
        pytest.param("names", {"stat": "held"}, 400, "there is no parameter stat; allowed: q, state, ", id="typo"),
        pytest.param("zones", {"q": "x"}, 400, "there is no parameter q; none is allowed here", id="not-here"),
        pytest.param("names", {"state": "heldd"}, 400, "state=heldd is none; allowed: failing, held", id="no-state"),
        pytest.param("names", {"reason": "x"}, 400, "reason=x is none; allowed: programmed, ", id="no-reason"),
        pytest.param("names", {"limit": "0"}, 400, "limit=0 is not a number from 1 to 500", id="no-rows"),
        pytest.param("names", {"limit": "501"}, 400, "limit=501 is not a number from 1 to 500", id="too-many-rows"),
        pytest.param("names", {"limit": "-1"}, 400, "limit=-1 is not a number from 1 to 500", id="less-than-none"),
        pytest.param("names", {"limit": "٣"}, 400, "limit=٣ is not a number from 1 to 500", id="other-digits"),
        pytest.param("names", {"age": "soon"}, 400, "age=soon is not a duration; allowed: as 90s, ", id="no-age"),
        pytest.param("names", {"age": "-1h"}, 400, "age=-1h is not a duration; ", id="an-age-to-come"),
        pytest.param("names", {"age": "9999999999w"}, 400, "age=9999999999w is not a duration; ", id="an-eternity"),
        pytest.param("names", {"q": "x" * 301}, 400, "q has 301 characters; allowed: 300", id="too-long"),
        pytest.param("names/a..b", {}, 400, "a..b is not a name; allowed: a name without", id="no-name"),
        pytest.param("names/", {}, 400, " is not a name; allowed: ", id="empty-name"),
        pytest.param("objects/service/shop/webb", {}, 404, "no object service/shop/webb is read;", id="no-object"),
        pytest.param("objects/\x1b[31m/x", {}, 404, "no object \\x1b[31m/x is read;", id="hostile"),
    ],
)
def test_a_mistake_is_told_with_what_is_allowed(
    shop: Process, path: str, query: dict[str, str], status: int, message: str
) -> None:
    response = shop.get(f"/api/v1/{path}", **query)
    assert response.status == status
    assert_described("names", "default", response.json)
    assert message in response.json["message"]


def test_a_name_tells_since_when_it_is_asked_for(shop: Process) -> None:
    since = {one["name"]: one["since"] for one in shop.get("/api/v1/names").json["items"]}
    assert since["far.example.com"] == "2026-11-20T09:05:00Z"
    assert since["web1.example.org"] == "2026-01-01T00:00:00Z"
    assert since["old1.example.org"] is None


def test_a_parameter_counts_once(shop: Process) -> None:
    response = shop.get("/api/v1/names", q="a&q=b".replace("&", "%26"))
    assert response.status == 200
    twice = type(response)(shop.site, "/api/v1/names", "q=a&q=b")
    assert (twice.status, twice.json["message"]) == (400, "q is given twice")
    many = type(response)(shop.site, "/api/v1/names", "&".join(["q=a"] * 21))
    assert (many.status, many.json["message"]) == (400, "at most 20 parameters")


def test_pages_put_together_are_the_whole_list(shop: Process) -> None:
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
        pytest.param({"state": "kept"}, ["www.example.org"], id="a-state"),
        pytest.param({"reason": "no-address"}, ["pay.example.net"], id="a-reason"),
        pytest.param({"zone": "example.net.zone"}, ["pay.example.net"], id="a-zone-by-id"),
        pytest.param({"zone": "example.net"}, ["pay.example.net"], id="a-zone-by-name"),
        pytest.param({"source": "ingress"}, [], id="a-source"),
        pytest.param({"age": "10m"}, ["far.example.com"], id="an-age"),
        pytest.param({"age": "9m30s"}, [], id="a-lesser-age"),
        pytest.param({"after": "zzz"}, [], id="behind-the-last"),
    ],
)
def test_names_are_searched_and_filtered(shop: Process, query: dict[str, str], names: list[str]) -> None:
    found = [one["name"] for one in shop.get("/api/v1/names", **query).json["items"]]
    assert [name for name in found if not name.startswith("old")] == names


def test_the_state_of_each_name_says_what_is_the_matter(shop: Process) -> None:
    items = shop.get("/api/v1/names").json["items"]
    states = {one["name"]: (one["state"], one["reason"]) for one in items}
    assert states["web1.example.org"] == ("changing", "wanted")
    assert states["www.example.org"] == ("kept", "foreign-record")
    assert states["pay.example.net"] == ("not-published", "no-address")
    assert states["far.example.com"] == ("not-published", "no-zone")
    assert states["old1.example.org"] == ("held", "held")


def test_the_list_of_names_and_the_way_of_each_say_the_same(shop: Process) -> None:
    for one in shop.get("/api/v1/names").json["items"]:
        facts = shop.get(f"/api/v1/names/{one['name']}").json
        assert (facts["state"], facts["reason"]) == (one["state"], one["reason"])
        assert f"{one['name']} " in shop.get("/name", of=one["name"]).text
        stands = {(record["type"], record["ours"]) for record in facts["records"]}
        assert stands >= {(record["type"], record["ours"]) for record in one["records"] if record["owner"] is not None}


def test_what_is_in_no_list_may_stand_all_the_same(shop: Process) -> None:
    facts = shop.get("/api/v1/names/a-old1.example.org").json
    assert (facts["state"], facts["reason"]) == (None, None)
    assert [one["marks"] for one in facts["records"]] == [["A old1.example.org"]]
    assert facts["answer"] in shop.get("/name", of="a-old1.example.org").text


def test_held_deletes_come_with_the_command_that_releases_them(shop: Process) -> None:
    (held,) = shop.get("/api/v1/held").json["items"]
    assert held["command"] == f"extdns --release={held['releaseCode']} [flags]"
    assert len(held["records"]) == held["owned"] == 20
    assert held["records"][0]["madeFor"] == "service/shop/old0"
    assert held["records"][0]["evidence"] == "orphan-gone"


def test_zones_and_sources_say_how_far_they_are(shop: Process) -> None:
    zones = {zone["name"]: zone for zone in shop.get("/api/v1/zones").json["items"]}
    assert zones["example.org"] | {"readAt": None} == {
        "name": "example.org",
        "id": "example.org.zone",
        "account": zones["example.org"]["account"],
        "private": False,
        "provider": "zonefile",
        "records": 22,
        "ours": 20,
        "readAt": None,
        "failure": "",
        "waiting": 7,
        "deleted": 0,
        "held": 20,
    }
    assert zones["example.org"]["readAt"] is not None
    (budget,) = shop.get("/api/v1/zones").json["apiBudget"]
    assert budget == {
        "account": "",
        "action": "ChangeResourceRecordSets",
        "left": 48.0,
        "perSecond": 10.0,
        "throttled": 2,
    }
    (source,) = shop.get("/api/v1/sources").json["items"]
    assert (source["resource"], source["objects"], source["since"]) == ("services", 11, "2026-11-20T08:14:31Z")


def test_a_name_has_the_facts_of_explain_and_its_last_changes(shop: Process) -> None:
    facts = shop.get("/api/v1/names/WEB1.Example.ORG.").json
    assert (facts["name"], facts["reason"], facts["lastChanges"]) == ("web1.example.org", "wanted", [])
    assert facts["notKnown"][0].startswith("the last write: there is none among the last changes")
    changed = shop.get("/api/v1/names/web.example.org").json
    assert [one["outcome"] for one in changed["lastChanges"]] == ["applied"]


def test_the_whole_is_one_sentence(shop: Process) -> None:
    status = shop.get("/api/v1/status").json
    assert status["level"] == "failing"
    assert status["counts"] == {state.value: status["counts"][state.value] for state in State}
    assert status["sentence"].startswith("0 of 10 names are published, 7 are changing, ")
    assert "20 deletes are held." in status["sentence"]


def assert_described(path: str, status: str, answer: object) -> None:
    """*answer* is as the description in the docs says."""
    responses = DOCUMENT["paths"][f"/api/v1/{path}"]["get"]["responses"]
    schema = responses[status]["content"]["application/json"]["schema"]
    OAS31Validator({**schema, "components": DOCUMENT["components"]}).validate(answer)
