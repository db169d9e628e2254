"""The fake of Cloudflare refuses what Cloudflare refuses, with its numbers."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from tests.fakes.cloudflare.server import TOKEN, Cloudflare

GOOD: Final = {"name": "www.example.org", "type": "A", "content": "192.0.2.1", "ttl": 300}


@pytest.fixture
def fake() -> Iterator[Cloudflare]:
    with Cloudflare() as found:
        yield found


def call(fake: Cloudflare, method: str, path: str, body: object = None, *, token: str = TOKEN) -> tuple[int, Any]:
    url = urlsplit(fake.url)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=20.0)
    try:
        headers = {"Authorization": f"Bearer {token}"}
        connection.request(method, url.path + path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param({"content": "no address"}, 9005, id="content"),
        pytest.param({"name": "www.example.net"}, 9000, id="name-outside-the-zone"),
        pytest.param({"ttl": 59}, 9021, id="ttl"),
        pytest.param({"type": "TXT", "content": "no quotes"}, 9005, id="text-without-quotes"),
        pytest.param({"type": "TXT", "content": f'"{"x" * 256}"'}, 9005, id="string-of-256-bytes"),
        pytest.param({"type": "TXT", "content": '"a"', "proxied": True}, 9004, id="proxied-text"),
        pytest.param({"content": "10.0.0.1", "proxied": True}, 9003, id="proxied-private-address"),
        pytest.param({"name": "child.example.org"}, 81056, id="beside-a-delegation"),
        pytest.param({"type": "MX", "content": "mail.example.net"}, 9101, id="mx-without-priority"),
        pytest.param({"type": "SRV", "data": {"target": "a.example.net"}}, 9102, id="srv-without-port"),
        pytest.param({"type": "LUA"}, 9034, id="type"),
        pytest.param({"owner": "me"}, 9207, id="unknown-field"),
        pytest.param({"name": "here.example.org"}, 81058, id="same-record"),
        pytest.param({"name": "here.example.org", "type": "CNAME", "content": "a.example.net"}, 81053, id="cname"),
        pytest.param({"name": "alias.example.org"}, 81054, id="beside-a-cname"),
    ],
)
def test_a_record_that_cloudflare_would_refuse_is_refused_with_the_error_number_of_cloudflare(
    fake: Cloudflare, change: dict[str, object], code: int
) -> None:
    zone = fake.add_zone("example.org")
    fake.put(zone, "here.example.org", "A", "192.0.2.1")
    fake.put(zone, "alias.example.org", "CNAME", "lb.example.net")
    fake.put(zone, "child.example.org", "NS", "ns1.example.net")
    status, found = call(fake, "POST", f"/zones/{zone}/dns_records", GOOD | change)
    assert (status, found["success"], found["errors"][0]["code"]) == (400, False, code)
    assert len(fake.list_records(zone)) == 3


@pytest.mark.parametrize(
    ("plan", "method", "path", "body", "status"),
    [
        pytest.param("enterprise", "POST", "", {"hostname": "www.example.org", "region_key": "eu"}, 400, id="twice"),
        pytest.param("enterprise", "POST", "", {"hostname": "www.example.net", "region_key": "eu"}, 400, id="outside"),
        pytest.param("enterprise", "POST", "", {"hostname": "new.example.org", "region_key": "xx"}, 400, id="region"),
        pytest.param("enterprise", "PATCH", "/new.example.org", {"region_key": "eu"}, 404, id="unknown"),
        pytest.param("enterprise", "DELETE", "/new.example.org", None, 404, id="unknown-delete"),
        pytest.param("pro", "PATCH", "/www.example.org", {"region_key": "us"}, 403, id="plan"),
    ],
)
def test_the_fake_refuses_a_regional_hostname_that_cloudflare_would_refuse(
    fake: Cloudflare, plan: str, method: str, path: str, body: object, status: int
) -> None:
    zone = fake.add_zone("example.org", plan)
    fake.regions(zone)["www.example.org"] = "eu"
    found, answer = call(fake, method, f"/zones/{zone}/addressing/regional_hostnames{path}", body)
    assert (found, answer["success"]) == (status, False)
    assert fake.regions(zone) == {"www.example.org": "eu"}


CUSTOM: Final[dict[str, Any]] = {
    "hostname": "shop.customer.example",
    "custom_origin_server": "www.example.org",
    "ssl": {"type": "dv", "method": "http", "bundle_method": "ubiquitous", "settings": {"min_tls_version": "1.0"}},
}


@pytest.mark.parametrize(
    ("method", "path", "change", "status"),
    [
        pytest.param("POST", "", {}, 409, id="twice"),
        pytest.param("POST", "", {"hostname": "nodot"}, 400, id="name"),
        pytest.param("POST", "", {"hostname": "a.example", "owner": "me"}, 400, id="field"),
        pytest.param("POST", "", {"hostname": "a.example", "ssl": {"type": "dv"}}, 400, id="ssl"),
        pytest.param(
            "POST",
            "",
            {"hostname": "a.example", "ssl": {**CUSTOM["ssl"], "certificate_authority": "google"}},
            403,
            id="plan",
        ),
        pytest.param("DELETE", "/1", {}, 404, id="unknown"),
    ],
)
def test_the_fake_refuses_a_custom_hostname_that_cloudflare_would_refuse(
    fake: Cloudflare, method: str, path: str, change: dict[str, object], status: int
) -> None:
    zone = fake.add_zone("example.org")
    assert call(fake, "POST", f"/zones/{zone}/custom_hostnames", CUSTOM)[0] == 200
    found, answer = call(fake, method, f"/zones/{zone}/custom_hostnames{path}", CUSTOM | change)
    assert (found, answer["success"]) == (status, False)
    assert call(fake, "GET", f"/zones/{zone}/custom_hostnames?per_page=50")[1]["result_info"]["count"] == 1
