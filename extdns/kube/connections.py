"""Read responses of the API server within time and size limits, cut connections from any thread, explain failures."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit
from weakref import WeakSet

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager, disable_warnings
from urllib3 import exceptions as http
from urllib3.connection import HTTPConnection

from extdns import __version__, log
from extdns.errors import ApiError, DeniedError, TooLargeError, shorten
from extdns.log import Event

_log = log.get(__name__)

_CHUNK_BYTES: Final = 128 * 1024
_MAX_LINE_BYTES: Final = 64 * 1024 * 1024
REQUEST_ERRORS: Final = (http.HTTPError, HTTPException, OSError, ValueError)
"""Errors of urllib3, and errors that it does not wrap, such as a missing CA file or an invalid header."""


MAX_IDLE_CONNECTIONS: Final = 16


class ConfigError(Exception):
    """A kubeconfig, a service account or its credentials cannot be used; the message can quote secrets after a `{`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiEndpoint:
    """Where an API server is, and with which credentials it is called.

    Attributes:
        url: without a slash at the end.
        pool: connections with the certificates and the proxy of the configuration.
        read_authorization: returns the header `Authorization`, "" for none; renews expired credentials. Raises
            `ConfigError` or one of `REQUEST_ERRORS` if that fails.
        namespace: that of the current context of the kubeconfig, "" for none.
        ca_file: CA certificates in PEM, "" if there are none, or if the certificate of the server is not checked.
    """

    url: str
    pool: PoolManager
    read_authorization: Callable[[], str]
    credentials: str
    ca_file: str
    namespace: str = ""
    is_pod: bool = False

    @property
    def server(self) -> str:
        """The URL without credentials."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def build_headers(self) -> dict[str, str]:
        """Return the headers of a request. Raises `ConfigError` or one of `REQUEST_ERRORS` without credentials."""
        headers = {"accept": "application/json", "user-agent": f"extdns/{__version__}"}
        if authorization := self.read_authorization().strip():
            if not (authorization.isascii() and authorization.isprintable()):
                raise DeniedError(
                    "the credentials for the API server contain a character that is not allowed in a header"
                )
            headers["authorization"] = authorization
        return headers


@cache  # once for all clients
def warn_unchecked_certificate(server: str) -> None:
    """Log one warning in place of those that urllib3 prints for *server*."""
    disable_warnings(http.InsecureRequestWarning)
    advice = "remove insecure-skip-tls-verify from the kubeconfig"
    _log.warning(Event.CERTIFICATE_UNCHECKED, server=server, next=advice)


class ApiResponse:
    """A response, whose body is read once, as chunks or as lines. The caller must `close` it.

    Attributes:
        retry_after: the `Retry-After` header, "" if absent.
    """

    def __init__(
        self, call: str, server: str, response: BaseHTTPResponse, timeout_s: float, monotonic: Callable[[], float]
    ) -> None:
        """Wrap *response*, whose body has not been read yet. *call* and *server* are for messages.

        The body must be complete within *timeout_s* seconds from now; 0 is no limit.
        """
        self.status = response.status
        self.retry_after = response.headers.get("retry-after", "")
        self._call = call
        self._server = server
        self._response = response
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._deadline_s = monotonic() + timeout_s if timeout_s else math.inf

    def read_chunks(self, max_bytes: int | None = None) -> Iterator[bytes]:
        """Yield the body as it arrives.

        Raises:
            TooLargeError: it is larger than *max_bytes*.
            ApiError: the connection was cut or idle for too long, or the deadline has passed.
        """
        size = 0
        while True:
            with translate_errors(self._call, self._server):
                chunk = self._response.read1(_CHUNK_BYTES)
            if not chunk:
                return
            size += len(chunk)
            if max_bytes is not None and size > max_bytes:
                raise TooLargeError(f"{self._call}: the response is larger than {max_bytes >> 20} MiB")
            if self._monotonic() > self._deadline_s:
                raise ApiError(f"{self._call}: the response was not complete after {self._timeout_s:g} s")
            yield chunk

    def read_lines(self) -> Iterator[bytes]:
        """Yield lines without line ends as they arrive, until the server ends the response.

        Raises:
            ApiError: the connection was cut or idle for too long, a line is too long, or the deadline has passed.
        """
        parts: list[bytes] = []
        size = 0
        for chunk in self.read_chunks():
            first, *others = chunk.split(b"\n")
            parts.append(first)
            size += len(first)
            for begin in others:
                yield b"".join(parts)
                parts, size = [begin], len(begin)
            if size > _MAX_LINE_BYTES:
                raise ApiError(f"{self._call}: a line is larger than {_MAX_LINE_BYTES >> 20} MiB")
        if size:
            raise ApiError(f"{self._call}: the connection ended in the middle of a line")

    def set_idle_timeout(self, silence_s: float) -> None:
        """Remove the deadline, and fail only if no data arrives for *silence_s* seconds."""
        self._deadline_s = math.inf
        connection = self._response.connection
        if isinstance(connection, HTTPConnection) and connection.sock is not None:
            connection.sock.settimeout(silence_s)

    def abort(self) -> None:
        """Cut the connection, from any thread. Reading then ends or raises `ApiError`."""
        connection = self._response.connection
        if isinstance(connection, HTTPConnection):
            abort_connection(connection)

    def close(self) -> None:
        """Return the connection to the pool if the body was read to its end, else close it."""
        self._response.close()


@contextmanager
def translate_errors(call: str, server: str) -> Iterator[None]:
    """Translate `REQUEST_ERRORS` into `ApiError`; the original becomes the cause."""
    try:
        yield
    except REQUEST_ERRORS as exc:
        raise ApiError(f"{call}: {server}: {explain_failure(exc)}") from exc


class AbortableConnections:
    """Tracks open connections, so that they can be cut; safe from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connections: WeakSet[HTTPConnection] = WeakSet()
        self._is_aborted = False

    def register_pools(self, pools: PoolManager) -> None:
        """Track all connections that *pools* open from now on."""
        classes = pools.pool_classes_by_scheme
        pools.pool_classes_by_scheme = {scheme: self._track_connections(kind) for scheme, kind in classes.items()}

    def abort_all(self) -> None:
        """Cut all open connections, and all that are opened later. Threads that wait on one get an error."""
        with self._lock:
            self._is_aborted = True
            made = tuple(self._connections)
        for connection in made:
            abort_connection(connection)

    def _track_connections(self, kind: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        connections = self
        base: Any = kind.ConnectionCls

        class Connection(base):  # type: ignore[misc] # the base class depends on scheme and proxy
            def connect(self) -> None:
                super().connect()
                connections._register(self)

        return type(kind.__name__, (kind,), {"ConnectionCls": Connection})

    def _register(self, connection: Any) -> None:  # noqa: ANN401 - as above
        with self._lock:
            self._connections.add(connection)
            is_cut = self._is_aborted
        if is_cut:
            abort_connection(connection)


def abort_connection(connection: HTTPConnection) -> None:
    """Cut *connection*. A thread that waits on it gets an error."""
    opened = connection.sock
    with suppress(OSError):  # it is closed already
        if opened is not None:
            # not the method of TLS sockets, which breaks the thread that is reading
            socket.socket.shutdown(opened, socket.SHUT_RDWR)


def explain_failure(exc: BaseException | None) -> str:
    """Explain why there is no response, in words that do not change between attempts."""
    match exc:
        case http.NameResolutionError():
            return "its name cannot be resolved"
        case http.NewConnectionError():
            return f"no connection: {explain_failure(exc.__cause__)}"
        case http.ConnectTimeoutError():
            return "the connection timed out"
        case http.ReadTimeoutError():
            return "the response timed out"
        case http.ProxyError():
            return f"the proxy: {explain_failure(exc.original_error)}"
        case http.SSLError():
            return f"TLS: {shorten(str(exc))}"
        case http.ProtocolError() | HTTPException():
            return "the connection was cut"
        case OSError(strerror=str(text)):
            return text
        case _:
            return type(exc).__name__
