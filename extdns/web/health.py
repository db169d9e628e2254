"""The WSGI application (PEP 3333) that serves `/healthz`, `/readyz` and `/metrics`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extdns.web.response import METHODS, Response, build_method_not_allowed, build_text_response, send_response

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


_JSON: Final = "application/json"
_PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"

Readiness = tuple[bool, Mapping[str, object]]


def build_health_application(
    *,
    is_healthy: Callable[[], bool],
    read_readiness: Callable[[], Readiness],
    render_metrics: Callable[[], bytes],
) -> WSGIApplication:
    """Build the application, which responds to GET and HEAD, and calls these functions for each request, on any thread.

    If *is_healthy* returns False, Kubernetes should restart the process. *read_readiness* returns whether the first
    pass is done, and details as JSON values.
    """

    def respond_health() -> Response:
        if is_healthy():
            return Response(body=b"OK")  # exactly this text (docs/spec/plan.md 1.7)
        return build_text_response(
            HTTPStatus.SERVICE_UNAVAILABLE, "the thread of the engine or of the cluster makes no progress"
        )

    def respond_readiness() -> Response:
        is_ready, details = read_readiness()
        status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Response(status=status, body=f"{json.dumps(details, sort_keys=True)}\n".encode(), content_type=_JSON)

    def respond_metrics() -> Response:
        return Response(body=render_metrics(), content_type=_PROMETHEUS)

    pages = {"/healthz": respond_health, "/readyz": respond_readiness, "/metrics": respond_metrics}

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method, page = str(environ["REQUEST_METHOD"]), pages.get(str(environ["PATH_INFO"]))
        if page is None:
            response = build_text_response(HTTPStatus.NOT_FOUND, f"not found; available: {', '.join(pages)}")
        else:
            response = page() if method in METHODS else build_method_not_allowed()
        return send_response(response, method, start_response)

    return respond
