"""The WSGI application (PEP 3333) that serves `/healthz`, `/readyz` and `/metrics`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extdns.web.response import METHODS, Response, build_method_not_allowed, build_text_response, send_response

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


_JSON: Final = "application/json"
_PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"

Readiness = tuple[bool, Mapping[str, object]]


class HealthApplication:
    """Respond to GET and HEAD of `/healthz`, `/readyz` and `/metrics`."""

    def __init__(
        self,
        *,
        is_healthy: Callable[[], bool],
        read_readiness: Callable[[], Readiness],
        render_metrics: Callable[[], bytes],
    ) -> None:
        """Store the functions that are called for each request, from any thread.

        If *is_healthy* returns False, Kubernetes should restart the process. *read_readiness* returns whether the first
        pass is done, and details as JSON values.
        """
        self._healthy = is_healthy
        self._readiness = read_readiness
        self._metrics = render_metrics
        self._pages = {
            "/healthz": self._respond_health,
            "/readyz": self._respond_readiness,
            "/metrics": self._respond_metrics,
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to one request."""
        method = str(environ["REQUEST_METHOD"])
        return send_response(self._respond(method, str(environ["PATH_INFO"])), method, start_response)

    def _respond(self, method: str, path: str) -> Response:
        page = self._pages.get(path)
        if page is None:
            return build_text_response(HTTPStatus.NOT_FOUND, f"not found; available: {', '.join(self._pages)}")
        return page() if method in METHODS else build_method_not_allowed()

    def _respond_health(self) -> Response:
        if self._healthy():
            return Response(body=b"OK")  # exactly this text (docs/spec/plan.md 1.7)
        return build_text_response(
            HTTPStatus.SERVICE_UNAVAILABLE, "the thread of the engine or of the cluster makes no progress"
        )

    def _respond_readiness(self) -> Response:
        is_ready, details = self._readiness()
        status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Response(status=status, body=f"{json.dumps(details, sort_keys=True)}\n".encode(), content_type=_JSON)

    def _respond_metrics(self) -> Response:
        return Response(body=self._metrics(), content_type=_PROMETHEUS)
