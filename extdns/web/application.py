"""What is answered to which path, as a WSGI application (PEP 3333)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_TEXT: Final = "text/plain; charset=utf-8"
_JSON: Final = "application/json"
_PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"
_METHODS: Final = ("GET", "HEAD")

Readiness = tuple[bool, Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole response; `Content-Length` follows from the body."""

    status: HTTPStatus
    body: bytes
    content_type: str = _TEXT
    headers: tuple[tuple[str, str], ...] = ()


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
        answer = self._answer(method, str(environ["PATH_INFO"]))
        length = ("Content-Length", str(len(answer.body)))
        headers = [("Content-Type", answer.content_type), length, *answer.headers]
        start_response(f"{answer.status.value} {answer.status.phrase}", headers)
        return () if method == "HEAD" else (answer.body,)

    def _answer(self, method: str, path: str) -> Answer:
        page = self._pages.get(path)
        if page is None:
            return Answer(status=HTTPStatus.NOT_FOUND, body=f"here are: {', '.join(self._pages)}\n".encode())
        if method not in _METHODS:
            allowed = ", ".join(_METHODS)
            body = f"allowed: {allowed}\n".encode()
            return Answer(status=HTTPStatus.METHOD_NOT_ALLOWED, body=body, headers=(("Allow", allowed),))
        return page()

    def _health(self) -> Answer:
        if self._healthy():
            return Answer(status=HTTPStatus.OK, body=b"OK")  # to the letter (spec plan 1.7)
        return Answer(status=HTTPStatus.SERVICE_UNAVAILABLE, body=b"the main loop has come to a halt\n")

    def _ready(self) -> Answer:
        ready, facts = self._readiness()
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Answer(status=status, body=f"{json.dumps(facts, sort_keys=True)}\n".encode(), content_type=_JSON)

    def _measure(self) -> Answer:
        return Answer(status=HTTPStatus.OK, body=self._metrics(), content_type=_PROMETHEUS)
