"""The way to the API server. The `kubernetes` package brings configuration, credentials and TLS, and nothing else.

Its typed classes for every kind would cost seconds and tens of megabytes; requests are made on its
connection pool instead, and an answer is bytes. A pod needs none of what reads a kubeconfig, and
imports none of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Final, cast
from urllib.parse import urlencode, urlsplit

import urllib3
from urllib3 import exceptions as http
from urllib3.connection import HTTPConnection

from extdns import __version__
from extdns.errors import ApiError, DeniedError, UsageError, shortened
from extdns.kube.connections import Connections
from extdns.kube.excerpts import excerpt
from extdns.model.request import UNANSWERED, Heard, sent, unheard

_PACKAGES: Final = ("kubernetes", "kubernetes.config", "kubernetes.utils")
"""They import the typed classes, pydantic, OAuth and WebSockets; what is needed of them does not."""

with excerpt(*_PACKAGES):
    from kubernetes.client.configuration import Configuration
    from kubernetes.client.rest import RESTClientObject
    from kubernetes.config.config_exception import ConfigException
    from kubernetes.config.incluster_config import load_incluster_config

_CHUNK_BYTES: Final = 128 * 1024
_MAX_IDLE_CONNECTIONS: Final = 16
_LEAST_RELOAD_S: Final = 10.0
"""Credentials that the server refuses are loaded anew, but not with every request that it refuses."""

_FAILURES: Final = (http.HTTPError, HTTPException, OSError, ValueError)
"""What urllib3 raises, and what escapes it: a CA file that is gone, a header that no header may be."""

_ADVICE: Final = "give --kubeconfig=PATH, or run in a pod with its service account, or give --manifests=PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How to reach the API server (spec sources 9.2).

    Attributes:
        server: URL in place of the kubeconfig's; counts for nothing without a kubeconfig.
        kubeconfig: path, or several with ":" between; "" means $KUBECONFIG, else ~/.kube/config if
            there is one, else the pod's own account.
        request_timeout_s: the longest that a request may take, in seconds; 0 is no limit. It does not
            end a stream.
        heard: is told of each request.
    """

    server: str = ""
    kubeconfig: str = ""
    request_timeout_s: float = 30.0
    heard: Heard = unheard


class Answer:
    """What came back; whoever asked must `close` it.

    Attributes:
        status: HTTP status code.
        retry_after: the header of that name, "" if there is none.
    """

    def __init__(self, call: str, server: str, response: urllib3.BaseHTTPResponse) -> None:
        """Wrap *response*, whose body has not been read."""
        self.status = response.status
        self.retry_after = response.headers.get("retry-after", "")
        self._call = call
        self._server = server
        self._response = response

    @property
    def is_success(self) -> bool:
        """Whether the server did what it was asked."""
        return self.status // 100 == 2  # noqa: PLR2004 - 2xx

    def chunks(self) -> Iterator[bytes]:
        """The body, as it comes; raises `ApiError` where it is cut, or silent for too long."""
        while True:
            with _translated(self._call, self._server):
                chunk = self._response.read1(_CHUNK_BYTES)
            if not chunk:
                return
            yield chunk

    def allow_silence(self, silence_s: float) -> None:
        """Wait up to *silence_s* seconds for each chunk from now on."""
        connection = self._response.connection
        if isinstance(connection, HTTPConnection) and connection.sock is not None:
            connection.sock.settimeout(silence_s)

    def close(self) -> None:
        """Give the connection back if all was read, else close it."""
        self._response.close()


class Client:
    """Makes requests to one API server, each in one attempt; safe from any thread."""

    def __init__(
        self,
        access: Access,
        *,
        environ: Mapping[str, str] = os.environ,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Load the configuration; nothing is sent yet. Raises `UsageError` if there is none that can be used."""
        self._access = access
        self._environ = environ
        self._monotonic = monotonic
        self._lock = Lock()
        self._credentials = Lock()  # apart, since making them may take a program's time
        self._loaded_at_s = monotonic()
        self._connections = Connections()
        self._configuration, self._pool = self._load()

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "",
    ) -> Answer:
        """The answer, whatever its status; raises `ApiError` if there is none.

        Args:
            method: as HTTP has it.
            path: with its leading slash.
            query: not yet encoded.
            body: what to send.
            content_type: of *body*.
        """
        call, limit_s = f"{method} {path}", self._access.request_timeout_s or None
        with self._lock:
            configuration, pool = self._configuration, self._pool
        server = _server(configuration.host)
        url = f"{configuration.host}{path}"
        with _translated(call, server):
            headers = self._headers(configuration) | ({"content-type": content_type} if content_type else {})
            status, start_s = UNANSWERED, self._monotonic()
            try:
                response = pool.request(
                    method,
                    f"{url}?{urlencode(query)}" if query else url,
                    body=body,
                    headers=headers,
                    timeout=urllib3.Timeout(connect=limit_s, read=limit_s),
                    preload_content=False,
                    redirect=False,
                    retries=False,
                )
                status = response.status
            finally:
                self._access.heard(sent(method, url, status=status, seconds=self._monotonic() - start_s))
        return Answer(call, server, response)

    def reload(self) -> None:
        """Load everything again, since files may have been replaced; what is under way goes on."""
        with self._lock:
            if self._monotonic() - self._loaded_at_s >= _LEAST_RELOAD_S:
                self._loaded_at_s = self._monotonic()
                with suppress(UsageError):
                    self._configuration, self._pool = self._load()

    @property
    def namespace(self) -> str:
        """The namespace of the kubeconfig's current context, "" if there is none."""
        _, paths = self._kubeconfig()
        if not paths:
            return ""
        try:
            _, current = _kube_config(paths).list_kube_config_contexts(paths)
            return str(current["context"].get("namespace") or "")
        except Exception:  # noqa: BLE001 - as in `_load`, which has read the same and had nothing to object
            return ""

    def close(self) -> None:
        """Close all connections, also those on which an answer is waited for."""
        self._connections.cut()
        self._pool.clear()

    def _headers(self, configuration: Configuration) -> dict[str, str]:
        """With credentials, which are read or made anew once they are due (a token file, an exec plugin)."""
        with self._credentials:
            settings = cast("Mapping[str, Mapping[str, str]]", configuration.auth_settings())
        headers = {"accept": "application/json", "user-agent": f"extdns/{__version__}"}
        for setting in settings.values():
            value = (setting["value"] or "").strip()
            if not (value.isascii() and value.isprintable()):
                raise DeniedError("the credentials for the API server hold a character that no header may hold")
            headers[setting["key"]] = value
        return headers

    def _load(self) -> tuple[Configuration, urllib3.PoolManager]:
        configuration = Configuration(connection_pool_maxsize=_MAX_IDLE_CONNECTIONS)
        origin, paths = self._kubeconfig()
        try:
            if paths:
                _kube_config(paths).load_kube_config(paths, client_configuration=configuration, persist_config=False)
                configuration.host = (self._access.server or configuration.host).rstrip("/")
            else:
                load_incluster_config(client_configuration=configuration)
            pool: urllib3.PoolManager = RESTClientObject(configuration).pool_manager
            self._connections.adopt(pool)
        except Exception as exc:  # the package raises whatever a file with mistakes makes its code raise
            raise UsageError(f"{origin} cannot be used: {_said(exc)}\n  {_ADVICE}") from exc
        return configuration, pool

    def _kubeconfig(self) -> tuple[str, str]:
        """Where the configuration comes from, for people, and its paths; "" means the pod's own account."""
        given, variable = self._access.kubeconfig, self._environ.get("KUBECONFIG", "")
        if given or variable:
            origin = f"--kubeconfig={given}" if given else f"KUBECONFIG={variable}"
            paths = given or variable
            if not any(path.is_file() for path in _files(paths)):
                raise UsageError(f"{origin} cannot be read: no such file\n  {_ADVICE}")
            return origin, paths
        default = Path(self._environ.get("HOME") or "/") / ".kube" / "config"
        if default.is_file():
            return str(default), str(default)
        if not self._environ.get("KUBERNETES_SERVICE_HOST"):
            raise UsageError(f"there is no cluster to read: no kubeconfig was found, and this is no pod\n  {_ADVICE}")
        return "the pod's own account", ""


@cache
def _kube_config(paths: str) -> ModuleType:
    """What reads kubeconfigs; it imports Google's library where that is installed, which only old ones need."""
    is_old = any(b"auth-provider" in path.read_bytes() for path in _files(paths) if path.is_file())
    with excerpt(*_PACKAGES, without=() if is_old else ("google.auth",)):
        from kubernetes.config import kube_config  # noqa: PLC0415 - a pod has none, and it takes longest of all
    return kube_config


def _files(paths: str) -> Iterator[Path]:
    return (Path(path).expanduser() for path in paths.split(os.pathsep) if path)


@contextmanager
def _translated(call: str, server: str) -> Iterator[None]:
    """Raise as ours what the packages below raise; the original stays as the cause."""
    try:
        yield
    except ConfigException as exc:
        raise DeniedError(f"{call}: {server}: no credentials: {_said(exc)}") from exc
    except _FAILURES as exc:
        raise ApiError(f"{call}: {server}: {_reason(exc)}") from exc


def _said(exc: Exception) -> str:
    """What the package says is wrong, up to where it shows what the file holds, which may be secret."""
    text = shortened(str(exc).partition("{")[0].strip())
    return text if isinstance(exc, ConfigException | OSError) else f"{type(exc).__name__}: {text}"


def _server(host: str) -> str:
    """The server's address, without what else may be in its URL."""
    parts = urlsplit(host)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _reason(exc: BaseException | None) -> str:
    """Why there is no answer, in words that are the same at the next attempt."""
    match exc:
        case http.NameResolutionError():
            return "its name cannot be resolved"
        case http.NewConnectionError():
            return f"no connection: {_reason(exc.__cause__)}"
        case http.ConnectTimeoutError():
            return "no connection in time"
        case http.ReadTimeoutError():
            return "no answer in time"
        case http.ProxyError():
            return f"the proxy: {_reason(exc.original_error)}"
        case http.SSLError():
            return f"TLS: {shortened(str(exc))}"
        case http.ProtocolError() | HTTPException():
            return "the connection was cut"
        case OSError(strerror=str(text)):
            return text
        case _:
            return type(exc).__name__
