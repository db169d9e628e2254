"""Responses of the paths /healthz, /readyz and /metrics."""

from __future__ import annotations

import json

import pytest
from prometheus_client.parser import text_string_to_metric_families

from extdns.metrics.metrics import Metrics
from extdns.web.health import Readiness, build_health_application
from tests.unit.web.page_process import WsgiResponse


def request_page(
    path: str, method: str = "GET", *, healthy: bool = True, readiness: Readiness = (True, {}), metrics: bytes = b""
) -> WsgiResponse:
    """Return the response of a health application to one request."""
    application = build_health_application(
        is_healthy=lambda: healthy, read_readiness=lambda: readiness, render_metrics=lambda: metrics
    )
    return WsgiResponse(application, path, method=method)


def test_the_health_response_is_exactly_ok() -> None:
    response = request_page("/healthz")
    assert response.status == 200
    assert response.body == b"OK"


def test_the_health_response_is_an_error_if_a_thread_makes_no_progress() -> None:
    response = request_page("/healthz", healthy=False)
    assert response.status == 503
    assert response.body == b"the thread of the engine or of the cluster makes no progress\n"


@pytest.mark.parametrize(
    ("ready", "status"),
    [pytest.param(True, 200, id="ready"), pytest.param(False, 503, id="not-ready")],
)
def test_the_readiness_response_shows_details_as_json(status: int, *, ready: bool) -> None:
    response = request_page("/readyz", readiness=(ready, {"zones": 2, "failing": ["zone example.org: timed out"]}))
    assert response.status == status
    assert response.headers["Content-Type"] == "application/json"
    assert response.body.endswith(b"\n")
    assert json.loads(response.body) == {"failing": ["zone example.org: timed out"], "zones": 2}


def test_the_metrics_response_has_the_content_type_of_prometheus() -> None:
    response = request_page("/metrics", metrics=Metrics().render())
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    names = [family.name for family in text_string_to_metric_families(response.body.decode())]
    assert "external_dns_registry_endpoints_total" in names


@pytest.mark.parametrize("path", ["/", "", "/health", "/healthz/", "/metrics/..", "/\x00", "/HEALTHZ"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_for_an_unknown_path_gets_a_404_that_lists_the_known_paths(path: str, method: str) -> None:
    response = request_page(path, method)
    assert response.status == 404
    assert response.body == b"not found; available: /healthz, /readyz, /metrics\n"


@pytest.mark.parametrize("method", ["POST", "get"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_health_readiness_and_metrics_paths_allow_only_get_and_head(path: str, method: str) -> None:
    response = request_page(path, method)
    assert response.status == 405
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/nowhere"])
def test_a_head_request_gets_the_headers_of_a_get_request_and_no_body(path: str) -> None:
    got, head = request_page(path, metrics=b"m 1\n"), request_page(path, "HEAD", metrics=b"m 1\n")
    assert (head.status, head.headers, head.body) == (got.status, got.headers, b"")
    assert head.headers["Content-Length"] == str(len(got.body))
