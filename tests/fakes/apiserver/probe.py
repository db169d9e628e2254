"""A plain HTTP client for what the server says on the wire, and small objects to say it of."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any, Final, Protocol
from urllib.parse import urlencode, urlsplit

PATIENCE_S: Final = 30.0
SERVICES: Final = "/api/v1/services"
IN_SHOP: Final = "/api/v1/namespaces/shop/services"
MERGE: Final = "application/merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"


def service(name: str, namespace: str = "shop", **labels: str) -> dict[str, Any]:
    """Make a Service."""
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if labels:
        metadata["labels"] = labels
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def route(name: str, namespace: str = "shop", **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Make an HTTPRoute."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; the body is decoded if it is JSON, else text."""

    code: int
    headers: Mapping[str, str]
    body: Any

    @property
    def version(self) -> str:
        """The resourceVersion of the object or list."""
        return str(self.body["metadata"]["resourceVersion"])

    @property
    def names(self) -> list[str]:
        """The names in a list."""
        return [item["metadata"]["name"] for item in self.body["items"]]


class Stream:
    """An open watch."""

    def __init__(self, response: HTTPResponse) -> None:
        self.code = response.status
        self._response = response

    def frame(self) -> dict[str, Any] | None:
        """Read a frame, None at a clean end."""
        line = self._response.readline()
        return dict(json.loads(line)) if line else None

    def brief(self, count: int) -> list[tuple[str, str]]:
        """Read so many frames: type, and name or version."""
        return [_brief(self.frame()) for _ in range(count)]

    def rest(self) -> bytes:
        """Read what there is until the end."""
        return self._response.read()


def _brief(frame: Mapping[str, Any] | None) -> tuple[str, str]:
    if frame is None:
        return "END", ""
    metadata = frame["object"]["metadata"]
    return frame["type"], metadata.get("name") or metadata.get("resourceVersion", "")


class Server(Protocol):
    """What has an address, which may change."""

    @property
    def url(self) -> str: ...


class Probe:
    """A client of *server*; every request has a connection of its own, over TLS if there is a *context*."""

    def __init__(self, server: Server, context: ssl.SSLContext | None = None) -> None:
        self._server = server
        self._context = context

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Ask, and read the whole answer."""
        with self._asked(method, path, body, {"Content-Type": content_type} | dict(headers or {})) as response:
            said = response.read()
            return Reply(response.status, dict(response.getheaders()), _decoded(said))

    def get(self, path: str = SERVICES, /, **query: object) -> Reply:
        """Get an object or list."""
        return self.ask("GET", f"{path}?{urlencode(query)}")

    @contextmanager
    def watch(self, path: str = SERVICES, /, **query: object) -> Iterator[Stream]:
        """Open a watch."""
        with self._asked("GET", f"{path}?{urlencode({'watch': 'true'} | query)}", None, {}) as response:
            yield Stream(response)

    @contextmanager
    def _asked(self, method: str, path: str, body: object, headers: Mapping[str, str]) -> Iterator[HTTPResponse]:
        connection = self._connection(urlsplit(self._server.url).netloc)
        try:
            sent = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"User-Agent": "probe/1"} | dict(headers))
            with connection.getresponse() as response:
                yield response
        finally:
            connection.close()

    def _connection(self, netloc: str) -> HTTPConnection:
        if self._context is None:
            return HTTPConnection(netloc, timeout=PATIENCE_S)
        return HTTPSConnection(netloc, timeout=PATIENCE_S, context=self._context)


def _decoded(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(body)
    except ValueError:
        return body.decode()
