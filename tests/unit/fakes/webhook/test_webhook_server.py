"""The fake webhook provider stores records, and changes nothing if it refuses a request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from tests.fakes.webhook.answers import MEDIA_TYPE
from tests.fakes.webhook.defects import PLANTED, Defect
from tests.fakes.webhook.server import WebhookServer
from tests.fakes.webhook.zone import Key
from tests.web_server import HANGS_S

WEB = {"dnsName": "web.example.org", "recordType": "A", "targets": ["192.0.2.1"], "recordTTL": 300}
WEB_KEY = Key("web.example.org", "A", "")


@pytest.fixture
def fake() -> Iterator[WebhookServer]:
    with WebhookServer("example.org") as server:
        yield server


def send(fake: WebhookServer, method: str, path: str, body: object = None) -> tuple[int, str, bytes]:
    """Send a request. Return status, media type and body of the answer."""
    connection = HTTPConnection(fake.url.removeprefix("http://"), timeout=HANGS_S)
    try:
        connection.request(method, path, None if body is None else json.dumps(body).encode())
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type", ""), answer.read()
    finally:
        connection.close()


def test_negotiation_with_the_webhook_server_returns_its_zones(fake: WebhookServer) -> None:
    status, media_type, body = send(fake, "GET", "/")
    assert (status, media_type, json.loads(body)) == (200, MEDIA_TYPE, {"include": ["example.org"]})


@pytest.mark.parametrize("key", ["create", "Create"])
def test_a_created_record_is_in_the_list_of_records(fake: WebhookServer, key: str) -> None:
    assert send(fake, "POST", "/records", {key: [WEB]})[0] == 204
    status, media_type, body = send(fake, "GET", "/records")
    assert (status, media_type, json.loads(body)) == (200, MEDIA_TYPE, [WEB])


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"create": [WEB | {"dnsName": "api.example.org"}, WEB]}, id="create-existing"),
        pytest.param({"delete": [WEB, WEB | {"recordType": "AAAA"}]}, id="delete-missing"),
        pytest.param({"delete": [WEB], "create": [WEB | {"targets": ["web"]}]}, id="invalid-target"),
        pytest.param({"create": [WEB | {"recordType": "CNAME", "targets": ["a.example.org"]}]}, id="cname"),
        pytest.param({"create": [WEB | {"dnsName": "web.example.com"}]}, id="foreign-zone"),
    ],
)
def test_a_change_that_the_webhook_server_refuses_changes_nothing(fake: WebhookServer, changes: dict[str, Any]) -> None:
    fake.put("web.example.org", "A", "192.0.2.1")
    before = fake.records()
    assert send(fake, "POST", "/records", changes)[0] == 500
    assert fake.records() == before


def test_an_update_and_a_delete_are_applied_to_the_stored_records(fake: WebhookServer) -> None:
    fake.put("web.example.org", "A", "192.0.2.1")
    fake.put("old.example.org", "A", "192.0.2.1")
    new = WEB | {"targets": ["192.0.2.2"]}
    changes = {"updateOld": [WEB], "updateNew": [new], "delete": [WEB | {"dnsName": "old.example.org"}]}
    assert send(fake, "POST", "/records", changes)[0] == 204
    assert fake.records() == {WEB_KEY: new}


def test_a_request_that_is_invalid_json_or_uses_a_wrong_method_gets_a_400(fake: WebhookServer) -> None:
    assert send(fake, "POST", "/records", "text")[0] == 400
    assert send(fake, "POST", "/adjustendpoints", {})[0] == 400
    assert send(fake, "PUT", "/records", {})[0] == 400


def test_each_defect_that_a_test_can_plant_has_a_check_that_must_find_it() -> None:
    assert PLANTED.keys() == set(Defect)
