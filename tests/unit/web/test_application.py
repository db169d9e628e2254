"""What is answered to which path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from wsgiref.types import StartResponse

import pytest
from prometheus_client.parser import text_string_to_metric_families

from extdns.metrics.metrics import Metrics
from extdns.web.application import Application, Readiness


class Response:
    """What a WSGI application said."""

    def __init__(self, application: Application, method: str, path: str) -> None:
        self.status = ""
        self.headers: Mapping[str, str] = {}
        self.body = b"".join(application({"REQUEST_METHOD": method, "PATH_INFO": path}, self._starter()))

    def _starter(self) -> StartResponse:
        def start(status: str, headers: list[tuple[str, str]], _exc_info: object = None, /) -> object:
            self.status, self.headers = status, dict(headers)
            return lambda _: None

        return start  # type: ignore[return-value] # the protocol's last parameter has a type that typeshed keeps private


def get(
    path: str, method: str = "GET", *, healthy: bool = True, readiness: Readiness = (True, {}), metrics: bytes = b""
) -> Response:
    application = Application(healthy=lambda: healthy, readiness=lambda: readiness, metrics=lambda: metrics)
    return Response(application, method, path)


def test_health_is_ok_to_the_letter() -> None:
    response = get("/healthz")
    assert response.status == "200 OK"
    assert response.body == b"OK"


def test_health_says_so_when_the_work_has_stopped() -> None:
    response = get("/healthz", healthy=False)
    assert response.status == "503 Service Unavailable"
    assert response.body == b"the main loop has come to a halt\n"


@pytest.mark.parametrize(
    ("ready", "status"),
    [pytest.param(True, "200 OK", id="ready"), pytest.param(False, "503 Service Unavailable", id="not")],
)
def test_readiness_tells_its_facts_as_json(status: str, *, ready: bool) -> None:
    response = get("/readyz", readiness=(ready, {"zones": 2, "failing": ["zone example.org: timed out"]}))
    assert response.status == status
    assert response.headers["Content-Type"] == "application/json"
    assert response.body.endswith(b"\n")
    assert json.loads(response.body) == {"failing": ["zone example.org: timed out"], "zones": 2}


def test_metrics_are_what_a_scraper_reads() -> None:
    response = get("/metrics", metrics=Metrics().text())
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    names = [family.name for family in text_string_to_metric_families(response.body.decode())]
    assert "external_dns_registry_endpoints_total" in names


@pytest.mark.parametrize("path", ["/", "", "/health", "/healthz/", "/metrics/..", "/\x00", "/HEALTHZ"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_any_other_path_is_not_found_and_learns_what_is_here(path: str, method: str) -> None:
    response = get(path, method)
    assert response.status == "404 Not Found"
    assert response.body == b"here are: /healthz, /readyz, /metrics\n"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_nothing_can_be_done_here_but_reading(path: str, method: str) -> None:
    response = get(path, method)
    assert response.status == "405 Method Not Allowed"
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/nowhere"])
def test_head_is_get_without_the_body(path: str) -> None:
    got, head = get(path, metrics=b"m 1\n"), get(path, "HEAD", metrics=b"m 1\n")
    assert (head.status, head.headers, head.body) == (got.status, got.headers, b"")
    assert head.headers["Content-Length"] == str(len(got.body))
