"""What the fake webhook provider refuses. `tests/conformance` shows what it accepts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any, Final

import pytest

from tests.fakes.webhook.defects import PLANTED, Defect
from tests.fakes.webhook.server import WebhookServer
from tests.web_server import HANGS_S

WEB: Final = {"dnsName": "web.example.org", "recordType": "A", "targets": ["192.0.2.1"], "recordTTL": 300}


@pytest.fixture
def fake() -> Iterator[WebhookServer]:
    with WebhookServer("example.org") as server:
        yield server


def send(fake: WebhookServer, method: str, path: str, body: object) -> int:
    with closing(HTTPConnection(fake.url.removeprefix("http://"), timeout=HANGS_S)) as connection:
        connection.request(method, path, json.dumps(body).encode())
        return connection.getresponse().status


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
def test_a_refused_change_changes_nothing(fake: WebhookServer, changes: dict[str, Any]) -> None:
    fake.put("web.example.org", "A", "192.0.2.1")
    before = fake.records()
    assert send(fake, "POST", "/records", changes) == 500
    assert fake.records() == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("POST", "/records", "text"), ("POST", "/adjustendpoints", {}), ("PUT", "/records", {})],
)
def test_invalid_requests(fake: WebhookServer, method: str, path: str, body: object) -> None:
    assert send(fake, method, path, body) == 400


def test_each_defect_has_a_check_that_must_find_it() -> None:
    assert PLANTED.keys() == set(Defect)
