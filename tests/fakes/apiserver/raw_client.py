"""A plain HTTP client for tests of API servers."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any, Final, Protocol
from urllib.parse import urlencode, urlsplit

TIMEOUT_S: Final = 120.0
MERGE: Final = "application/merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class Reply:
    """A response. The body is decoded if it is JSON, else it is text."""

    code: int
    headers: Mapping[str, str]
    body: Any

    @property
    def version(self) -> str:
        return str(self.body["metadata"]["resourceVersion"])

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.body["items"]]


class Stream:
    """The client side of an open watch."""

    def __init__(self, response: HTTPResponse) -> None:
        self.code = response.status
        self._response = response

    def read_event(self) -> dict[str, Any] | None:
        """Return the next event, or None if the watch ended without an error."""
        line = self._response.readline()
        return dict(json.loads(line)) if line else None

    def read_events(self, count: int) -> list[tuple[str, str]]:
        """Read *count* events, and return type and object name (of a bookmark, the version) of each."""
        return [_shorten(self.read_event()) for _ in range(count)]

    def read_rest(self) -> bytes:
        return self._response.read()


def _shorten(frame: Mapping[str, Any] | None) -> tuple[str, str]:
    if frame is None:
        return "END", ""
    metadata = frame["object"]["metadata"]
    return frame["type"], metadata.get("name") or metadata.get("resourceVersion", "")


class Server(Protocol):
    """An object with the URL of a server, which may change."""

    @property
    def url(self) -> str: ...


class RawClient:
    """An HTTP client of *server*. It opens a new connection for each request, with TLS if *context* is given."""

    def __init__(self, server: Server, context: ssl.SSLContext | None = None) -> None:
        self._server = server
        self._context = context

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        with self._open_response(method, path, body, {"Content-Type": content_type} | dict(headers or {})) as response:
            content = response.read()
            return Reply(response.status, dict(response.getheaders()), _decode(content))

    def get(self, path: str, /, **query: object) -> Reply:
        return self.send("GET", f"{path}?{urlencode(query)}")

    @contextmanager
    def watch(self, path: str, /, **query: object) -> Iterator[Stream]:
        with self._open_response("GET", f"{path}?{urlencode({'watch': 'true'} | query)}", None, {}) as response:
            yield Stream(response)

    @contextmanager
    def _open_response(
        self, method: str, path: str, body: object, headers: Mapping[str, str]
    ) -> Iterator[HTTPResponse]:
        connection = self._connection(urlsplit(self._server.url).netloc)
        try:
            sent = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"User-Agent": "raw_client/1"} | dict(headers))
            with connection.getresponse() as response:
                yield response
        finally:
            connection.close()

    def _connection(self, netloc: str) -> HTTPConnection:
        if self._context is None:
            return HTTPConnection(netloc, timeout=TIMEOUT_S)
        return HTTPSConnection(netloc, timeout=TIMEOUT_S, context=self._context)


def _decode(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(body)
    except ValueError:
        return body.decode()
