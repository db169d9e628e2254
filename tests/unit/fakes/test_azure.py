"""The fake of Azure refuses what Azure refuses, with its codes."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from tests.fakes.azure.server import GROUP, SUBSCRIPTION, TOKEN, Azure
from tests.fakes.azure.values import Json

NETWORK: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/Microsoft.Network"
VERSION: Final = "?api-version=2018-05-01"
GOOD: Final[Json] = {"properties": {"TTL": 300, "ARecords": [{"ipv4Address": "192.0.2.1"}]}}


@pytest.fixture
def fake() -> Iterator[Azure]:
    with Azure() as found:
        zone = found.add_zone("example.org")
        found.put(zone, "here", "A", [{"ipv4Address": "192.0.2.1"}])
        found.put(zone, "alias", "CNAME", {"cname": "lb.example.net"})
        yield found


def call(
    fake: Azure, method: str, path: str, body: object = None, *, token: str = TOKEN, **headers: str
) -> tuple[int, Any]:
    """Return the status and the decoded body of a response. *path* is below the zone unless it begins with a slash."""
    url = urlsplit(fake.url)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=20.0)
    sent = {"Authorization": f"Bearer {token}", **{key.replace("_", "-"): one for key, one in headers.items()}}
    try:
        target = path if path.startswith("/") else f"{NETWORK}/dnsZones/example.org/{path}{VERSION}"
        connection.request(method, target, json.dumps(body) if body else None, sent)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None
    finally:
        connection.close()


def put(fake: Azure, path: str, **properties: object) -> tuple[int, Any]:
    return call(fake, "PUT", path, {"properties": {"TTL": 300, **properties}})


A: Final = [{"ipv4Address": "192.0.2.1"}]


@pytest.mark.parametrize(
    ("path", "properties", "status"),
    [
        pytest.param("A/w", {"ARecords": [{"ipv4Address": "::1"}]}, 400, id="value"),
        pytest.param("A/w", {"aRecords": A}, 400, id="the-field-of-private-zones"),
        pytest.param("A/w", {"ARecords": []}, 400, id="no-records"),
        pytest.param("A/w", {"ARecords": A * 21}, 400, id="21-records"),
        pytest.param("A/w", {"ARecords": A, "TTL": 0}, 400, id="ttl"),
        pytest.param("A/w!", {"ARecords": A}, 400, id="name"),
        pytest.param("A/w.*", {"ARecords": A}, 400, id="wildcard-in-the-middle"),
        pytest.param("NS/*", {"NSRecords": [{"nsdname": "ns.example.net"}]}, 400, id="ns-at-a-wildcard"),
        pytest.param("CNAME/@", {"CNAMERecord": {"cname": "a.example.net"}}, 400, id="cname-at-the-apex"),
        pytest.param("TXT/w", {"TXTRecords": [{"value": ["x" * 256]}]}, 400, id="string-of-256"),
        pytest.param("TXT/w", {"TXTRecords": [{"value": ["x" * 255] * 17}]}, 400, id="text-of-4335"),
        pytest.param("MX/w", {"MXRecords": [{"exchange": "mail.example.net"}]}, 400, id="mx-without-preference"),
        pytest.param("NAPTR/w", {}, 400, id="type"),
        pytest.param("A/w", {"ARecords": A, "targetResource": {"id": "/x"}}, 400, id="alias-with-records"),
        pytest.param("CNAME/here", {"CNAMERecord": {"cname": "a.example.net"}}, 409, id="cname-beside-another"),
        pytest.param("A/alias", {"ARecords": A}, 409, id="beside-a-cname"),
        pytest.param("A/w", {"ARecords": A}, 201, id="good"),
        pytest.param("A/here", {"ARecords": A}, 200, id="good-update"),
    ],
)
def test_a_record_set_that_azure_would_refuse_is_refused(fake: Azure, path: str, properties: Json, status: int) -> None:
    assert put(fake, path, **properties)[0] == status


def test_conditions_are_checked_and_every_write_gives_a_new_etag(fake: Azure) -> None:
    etag = call(fake, "GET", "A/here")[1]["etag"]
    assert call(fake, "PUT", "A/here", GOOD, If_None_Match="*")[0] == 412
    status, made = call(fake, "PUT", "A/here", GOOD, If_Match=etag)
    assert (status, made["etag"] != etag) == (200, True)
    assert call(fake, "PUT", "A/here", GOOD, If_Match=etag)[0] == 412
    assert call(fake, "DELETE", "A/here", If_Match=etag)[0] == 412
    assert call(fake, "PUT", "A/gone", GOOD, If_Match=etag)[0] == 412
    assert call(fake, "DELETE", "A/here", If_Match=made["etag"])[0] == 200
    assert call(fake, "DELETE", "A/here", If_Match=made["etag"])[0] == 204
    assert call(fake, "DELETE", "NS/@")[0] == 400


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"{NETWORK}/dnsZones/example.org/all{VERSION}&$top=1001", 400, "BadRequest"),
        (f"{NETWORK}/dnsZones/example.org/all?api-version=2024-06-01", 400, "InvalidApiVersionParameter"),
        (f"{NETWORK}/dnsZones/example.net/all{VERSION}", 404, "ResourceNotFound"),
        (f"{NETWORK}/privateDnsZones/example.org/ALL?api-version=2024-06-01", 404, "ResourceNotFound"),
        (f"{NETWORK.replace(GROUP, 'other')}/dnsZones{VERSION}", 404, "ResourceGroupNotFound"),
        ("A/none", 404, "NotFound"),
    ],
)
def test_a_wrong_address_is_refused_with_the_code_of_azure(fake: Azure, path: str, status: int, code: str) -> None:
    found, body = call(fake, "GET", path)
    assert (found, body.get("error", body)["code"]) == (status, code)
