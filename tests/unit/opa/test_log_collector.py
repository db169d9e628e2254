"""Lines that are posted to a collector as Open Policy Agent posts its decision log."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, cast

import pytest

from extdns.opa.connection import OpaConnection, OpaSettings
from extdns.opa.log_collector import LogCollector


class Collector(HTTPServer):
    """A collector that stores the requests, and answers with `status`."""

    status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        collector = cast("Collector", self.server)
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        collector.requests.append((self.path, self.headers["Content-Encoding"], json.loads(body)))
        self.send_response(collector.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so named in the base class
        """Print nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Run a collector on a thread."""
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def connect(collector: Collector, path: str = "") -> LogCollector:
    url = f"http://127.0.0.1:{collector.server_port}{path}"
    return LogCollector(OpaConnection(OpaSettings(url=url, timeout_s=10.0)))


@pytest.mark.parametrize(("path", "expected"), [("/logs/shop", "/logs/shop"), ("", "/")])
def test_decision_log_lines_are_posted_as_one_compressed_array_to_the_path_of_the_url(
    collector: Collector, path: str, expected: str
) -> None:
    target = connect(collector, path)
    target.open()
    target.write(b'{"a":1}\n{"b":2}\n')
    target.close()
    assert collector.requests == [(expected, "gzip", [{"a": 1}, {"b": 2}])]
    assert list(target.read_lines()) == []


def test_decision_log_lines_that_the_collector_does_not_accept_raise_an_error(collector: Collector) -> None:
    collector.status = 503
    with pytest.raises(OSError, match=r"POST http://127\.0\.0\.1:\d+/logs: status 503 Service Unavailable"):
        connect(collector, "/logs").write(b"{}\n")
