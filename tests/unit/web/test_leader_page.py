"""A standby shows the pages of the leader (docs/design/replicas.md)."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from extdns.flags.address import ListenAddress
from extdns.web import leader_page
from extdns.web.health import HealthApplication
from extdns.web.leader_page import LeaderPageApplication, build_leader_url, fetch_leader_page
from extdns.web.response import Response
from extdns.web.server import WebServer
from extdns.web.site import Site
from tests.fakes.service.raw import drip, serve_bytes
from tests.objects import service
from tests.unit.web.page_process import Process, process
from tests.web_server import HANGS_S

LOCAL = ListenAddress(host="127.0.0.1", port=0)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Run a process with one name."""
    return process(tmp_path_factory.mktemp("shop"), service("web", "web.example.org"))


@pytest.fixture
def leader(shop: Process) -> Iterator[str]:
    """Serve the pages of a leader; return their URL."""
    health = HealthApplication(is_healthy=lambda: True, read_readiness=lambda: (True, {}), render_metrics=lambda: b"")
    with WebServer(LOCAL, LeaderPageApplication(shop.site, health, secret="secret", replica="pod-1")) as server:
        yield build_leader_url(LOCAL, server.port, "secret")


def request(url: str, path: str) -> tuple[int, bytes]:
    """Request *path* from the server at *url*, whatever the path of *url* is."""
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=HANGS_S)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()


def build_standby(shop: Process, find_leader: Callable[[], str]) -> Site:
    """Build the site of a process that is a standby to the one at the URL that *find_leader* returns."""
    return Site(
        read_snapshot=lambda: shop.live,
        api=shop.api,
        load_pages=lambda: shop.pages,
        address=LOCAL,
        find_leader=find_leader,
    )


def fetch(url: str, path: str = "/api/v1/held", query: str = "") -> Response | None:
    return fetch_leader_page(url, path, query, "localhost:7980")


def test_a_standby_returns_the_response_of_the_leader_unchanged(leader: str) -> None:
    found = fetch(leader)
    assert found is not None
    assert json.loads(found.body)["kind"] == "Held"
    assert found.content_type == "application/json"


def test_the_response_of_the_leader_contains_the_address_that_the_client_used(leader: str) -> None:
    found = fetch(leader)
    assert found is not None
    assert json.loads(found.body)["process"]["address"] == "http://localhost:7980"


def test_a_standby_passes_on_an_error_response_of_the_leader(leader: str) -> None:
    found = fetch(leader, query="limit=nothing")
    assert found is not None
    assert found.status == 400


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda url: url.replace("secret", "guess"), id="another secret"),
        pytest.param(lambda url: url.replace("/leader/", "/metrics/"), id="another path"),
        pytest.param(lambda url: url.replace("http:", "file:"), id="another scheme"),
        pytest.param(lambda url: url.partition("//")[0] + "//127.0.0.1:1/leader/secret", id="nobody listens"),
        pytest.param(lambda _: "http://[", id="no URL"),
    ],
)
def test_a_standby_gets_no_response_from_a_url_that_is_not_that_of_the_leader(
    leader: str, change: Callable[[str], str]
) -> None:
    assert fetch(change(leader)) is None


def test_a_standby_gets_no_response_if_the_headers_of_the_leader_never_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader_page, "_TIMEOUT_S", 0.2)
    with serve_bytes(drip(b"HTTP/1.1 200 OK\r\nX-Extdns-Replica: ")) as url:
        assert fetch(f"{url}/leader/secret") is None


def test_health_is_served_at_its_usual_path_and_pages_of_the_leader_only_below_a_secret_path(leader: str) -> None:
    assert request(leader, "/healthz")[0] == 200
    assert request(leader, "/api/v1/held")[0] == 404


def test_two_processes_that_take_each_other_for_the_leader_do_not_forward_in_a_circle(shop: Process) -> None:
    urls: list[str] = []
    site = build_standby(shop, lambda: urls[0])
    health = HealthApplication(is_healthy=lambda: True, read_readiness=lambda: (True, {}), render_metrics=lambda: b"")
    with WebServer(LOCAL, LeaderPageApplication(site, health, secret="secret", replica="pod-1")) as server:
        urls.append(build_leader_url(LOCAL, server.port, "secret"))
        assert fetch(urls[0]) is not None


def test_a_standby_answers_by_itself_if_the_leader_does_not_answer(shop: Process) -> None:
    with WebServer(LOCAL, build_standby(shop, lambda: "http://127.0.0.1:1/leader/secret")) as server:
        status, body = request(f"http://127.0.0.1:{server.port}", "/api/v1/held")
    assert (status, json.loads(body)["kind"]) == (200, "Held")


def test_a_standby_shows_the_pages_of_the_leader_and_its_own_status(leader: str, shop: Process) -> None:
    found_urls: list[str] = []

    def find_leader() -> str:
        found_urls.append(leader)
        return leader

    site = build_standby(shop, find_leader)
    with WebServer(LOCAL, site) as server:
        url = f"http://127.0.0.1:{server.port}"
        assert request(url, "/api/v1/status")[0] == 200
        assert found_urls == []
        assert request(url, "/")[0] == 200
        assert found_urls == [leader]


def test_a_closed_server_publishes_no_url_for_other_replicas() -> None:
    assert build_leader_url(LOCAL, 0, "secret") == ""


def test_the_url_that_a_replica_publishes_has_brackets_around_an_ipv6_address() -> None:
    address = ListenAddress(host="2001:db8::7", port=7979)
    assert build_leader_url(address, 7979, "secret") == "http://[2001:db8::7]:7979/leader/secret"
