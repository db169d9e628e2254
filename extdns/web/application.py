"""What is answered to which path, as a WSGI application (PEP 3333)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extdns.web.answer import METHODS, Answer, give, not_allowed, text

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_JSON: Final = "application/json"
_PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"

Readiness = tuple[bool, Mapping[str, object]]


class Application:
    """Answers `/healthz`, `/readyz` and `/metrics`, to GET and HEAD."""

    def __init__(
        self, *, healthy: Callable[[], bool], readiness: Callable[[], Readiness], metrics: Callable[[], bytes]
    ) -> None:
        """Ask these at every request, from any thread.

        Args:
            healthy: whether the process does its work; if not, it had better be restarted.
            readiness: whether it has done its first pass, and what is to be told of that, as JSON.
            metrics: everything in Prometheus' text format 0.0.4.
        """
        self._healthy = healthy
        self._readiness = readiness
        self._metrics = metrics
        self._pages = {"/healthz": self._health, "/readyz": self._ready, "/metrics": self._measure}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        method = str(environ["REQUEST_METHOD"])
        return give(self._answer(method, str(environ["PATH_INFO"])), method, start_response)

    def _answer(self, method: str, path: str) -> Answer:
        page = self._pages.get(path)
        if page is None:
            return text(HTTPStatus.NOT_FOUND, f"here are: {', '.join(self._pages)}")
        return page() if method in METHODS else not_allowed()

    def _health(self) -> Answer:
        if self._healthy():
            return Answer(body=b"OK")  # to the letter (spec plan 1.7)
        return text(HTTPStatus.SERVICE_UNAVAILABLE, "the main loop has come to a halt")

    def _ready(self) -> Answer:
        ready, facts = self._readiness()
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Answer(status=status, body=f"{json.dumps(facts, sort_keys=True)}\n".encode(), content_type=_JSON)

    def _measure(self) -> Answer:
        return Answer(body=self._metrics(), content_type=_PROMETHEUS)
