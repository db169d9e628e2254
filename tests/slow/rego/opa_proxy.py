"""A proxy in front of a real Open Policy Agent, which can answer something else instead."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.nameservers import HOST
from tests.slow.rego.opa_process import OpaProcess


class OpaProxy(ThreadingHTTPServer):
    """Passes requests on to an OPA.

    Attributes:
        fault: status and body that every request gets instead, None if the OPA answers.
        polls: how often the revision of the policies was read since the last fault ended.
    """

    daemon_threads = True

    def __init__(self, opa: OpaProcess) -> None:
        super().__init__((HOST, 0), _Handler)
        self.opa = opa
        self.url = f"http://{HOST}:{self.server_port}"
        self.polls = 0
        self.fault: tuple[HTTPStatus, bytes] | None = None

    @contextmanager
    def fail_with(self, status: HTTPStatus, body: bytes) -> Iterator[None]:
        """Answer every request with *status* and *body* until the block ends."""
        self.fault = status, body
        yield
        self.fault, self.polls = None, 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _proxy(self) -> OpaProxy:
        assert isinstance(self.server, OpaProxy)
        return self.server

    def do_GET(self) -> None:
        self._proxy.polls += 1
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Log nothing."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        status, content = self._proxy.fault or self._proxy.opa.request(self.command, self.path, body or None)
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def start_proxy(opa: OpaProcess) -> Iterator[OpaProxy]:
    with OpaProxy(opa) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
