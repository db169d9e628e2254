"""HTTP requests to the API server, with a kubeconfig or the service account of the pod.

Requests use urllib3, and responses are bytes. Only a kubeconfig needs the `kubernetes` package.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

from extdns import __version__
from extdns.errors import ApiError, DeniedError, UsageError, escape_unprintable, shorten
from extdns.kube.connections import (
    MAX_IDLE_CONNECTIONS,
    REQUEST_ERRORS,
    AbortableConnections,
    ApiEndpoint,
    ConfigError,
    HttpResponse,
    translate_errors,
)
from extdns.model.api_request import UNANSWERED, ApiRequest, RequestObserver, ignore_request
from extdns.paths import find_files, is_file

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_MIN_RELOAD_INTERVAL_S: Final = 10.0
"""Credentials are loaded again after a 401 response, at most this often."""

_ADVICE: Final = "give --kubeconfig=PATH, or run in a pod with its service account, or give --manifests=PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """How to reach the API server (docs/spec/sources.md 9.2).

    Attributes:
        server: URL that replaces the kubeconfig's; ignored without a kubeconfig.
        kubeconfig: path, or several paths separated by ":". "" means $KUBECONFIG, else ~/.kube/config if it
            exists, else the service account of the pod.
        request_timeout_s: time limit for a request; 0 is no limit. In a watch, it limits only the initial list.
    """

    server: str = ""
    kubeconfig: str = ""
    request_timeout_s: float = 30.0
    observe_request: RequestObserver = ignore_request


class HttpClient:
    """Sends requests to one API server without retries; safe from any thread."""

    def __init__(
        self,
        access: ClusterAccess,
        *,
        environ: Mapping[str, str] = os.environ,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Load the kubeconfig, or the configuration of the pod, without sending a request."""
        self._access = access
        self._environ = environ
        self._monotonic = monotonic
        self._lock = Lock()
        self._loaded_at_s = monotonic()
        self._connections = AbortableConnections()
        self._endpoint = self._load()

    @property
    def server(self) -> str:
        """The URL of the API server, without credentials."""
        return _strip_credentials(self._endpoint.url)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "",
    ) -> HttpResponse:
        """Send a request and return the response, whatever its status. Raises `ApiError` if there is none.

        *path* has a leading slash, and *query* is not encoded.
        """
        call, limit_s = f"{method} {path}", self._access.request_timeout_s or None
        with self._lock:
            endpoint = self._endpoint
        server = _strip_credentials(endpoint.url)
        url = f"{endpoint.url}{path}"
        with translate_errors(call, server):
            try:
                headers = _build_headers(endpoint) | ({"content-type": content_type} if content_type else {})
            except ConfigError as exc:
                raise DeniedError(f"{call}: {server}: no credentials: {_describe_error(exc)}") from exc
            status, start_s = UNANSWERED, self._monotonic()
            try:
                response = endpoint.pool.request(
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
                self._access.observe_request(
                    ApiRequest(method=method, url=url, status=status, seconds=self._monotonic() - start_s)
                )
        return HttpResponse(call, server, response)

    @property
    def credentials(self) -> str:
        """Whose credentials are sent, for messages: a user of the kubeconfig, or the service account token."""
        with self._lock:
            return self._endpoint.credentials

    def reload(self) -> None:
        """Load the configuration and the credentials again, since their files may have changed.

        Do nothing if they were loaded less than 10 s ago. If loading fails, keep those in use. Open requests continue.
        """
        with self._lock:
            if self._monotonic() - self._loaded_at_s >= _MIN_RELOAD_INTERVAL_S:
                self._loaded_at_s = self._monotonic()
                with suppress(UsageError):
                    self._endpoint = self._load()

    @property
    def namespace(self) -> str:
        """The namespace of the kubeconfig's current context, or ""."""
        return self._endpoint.namespace

    @property
    def ca_certificates(self) -> bytes:
        """The configured CA certificates for the API server in PEM.

        b"" if none are configured or readable, or if the certificate of the server is not checked.
        """
        with self._lock:
            ca_file = self._endpoint.ca_file
        try:
            return Path(ca_file).read_bytes() if ca_file else b""
        except OSError:
            return b""

    @property
    def service_account_token(self) -> str:
        """The token of the pod's service account; "" if a kubeconfig is used, or if the token cannot be read."""
        with self._lock:
            endpoint = self._endpoint
        try:
            headers = _build_headers(endpoint) if endpoint.is_pod else {}
        except (ApiError, ConfigError, *REQUEST_ERRORS):
            return ""
        return headers.get("authorization", "").partition(" ")[2]

    def close(self) -> None:
        """Close all connections, even those with open requests."""
        self._connections.abort_all()
        self._endpoint.pool.clear()

    def _load(self) -> ApiEndpoint:
        origin, paths = self._find_kubeconfig()
        try:
            if paths:
                from extdns.kube import kubeconfig  # noqa: PLC0415 - slow to import, and not needed in a pod

                endpoint = kubeconfig.load_kubeconfig(paths, self._access.server)
            else:
                endpoint = _load_service_account(self._environ)
        except Exception as exc:  # for invalid files the `kubernetes` package raises exceptions of many types
            raise UsageError(f"{origin} cannot be used: {_describe_error(exc)}\n  {_ADVICE}") from exc
        self._connections.register_pools(endpoint.pool)
        return endpoint

    def _find_kubeconfig(self) -> tuple[str, str]:
        """Return how messages name the kubeconfig, and its paths, as in `KUBECONFIG`.

        The paths are "" if there is no kubeconfig and the pod's service account is used.
        """
        chosen, variable = self._access.kubeconfig, self._environ.get("KUBECONFIG", "")
        if chosen or variable:
            origin = escape_unprintable(f"--kubeconfig={chosen}" if chosen else f"KUBECONFIG={variable}")
            paths = chosen or variable
            if not find_files(paths):
                raise UsageError(f"{origin} cannot be read: no such file\n  {_ADVICE}")
            return origin, paths
        default = Path(self._environ.get("HOME") or "/") / ".kube" / "config"
        if is_file(default):
            return str(default), str(default)
        if not self._environ.get("KUBERNETES_SERVICE_HOST"):
            is_named = bool(self._access.server)
            what = "--server has no credentials without a kubeconfig" if is_named else "there is no cluster to read"
            raise UsageError(f"{what}: no kubeconfig was found, and extdns does not run in a pod\n  {_ADVICE}")
        return "the pod's service account", ""


def _build_headers(endpoint: ApiEndpoint) -> dict[str, str]:
    headers = {"accept": "application/json", "user-agent": f"extdns/{__version__}"}
    if authorization := endpoint.read_authorization().strip():
        if not (authorization.isascii() and authorization.isprintable()):
            raise DeniedError("the credentials for the API server contain a character that is not allowed in a header")
        headers["authorization"] = authorization
    return headers


def _load_service_account(environ: Mapping[str, str]) -> ApiEndpoint:
    """Return the API server of the pod's cluster. Raises `ConfigError` or `OSError`."""
    host, port = environ["KUBERNETES_SERVICE_HOST"], environ.get("KUBERNETES_SERVICE_PORT")
    if not port:
        raise ConfigError(f"Service host/port is {'not set' if port is None else 'set but empty'}.")
    if not is_file(SERVICE_ACCOUNT / "token"):
        raise ConfigError("Service token file does not exist.")
    _read_token()
    authority = SERVICE_ACCOUNT / "ca.crt"
    if not is_file(authority):
        raise ConfigError("Service certification file does not exist.")
    if not authority.read_bytes():
        raise ConfigError("Cert file exists but empty.")
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    proxy = _find_proxy(host, address)
    build_pool = partial(urllib3.ProxyManager, proxy) if proxy else urllib3.PoolManager
    return ApiEndpoint(
        url=f"https://{address}",
        pool=build_pool(maxsize=MAX_IDLE_CONNECTIONS, cert_reqs="CERT_REQUIRED", ca_certs=str(authority)),
        read_authorization=_read_token,
        credentials="the service account token",
        ca_file=str(authority),
        is_pod=True,
    )


def _read_token() -> str:
    """Return the header with the token in its file, which the kubelet replaces before the token expires."""
    if not (token := (SERVICE_ACCOUNT / "token").read_text(encoding="utf-8")):
        raise ConfigError("Token file exists but empty.")
    return f"Bearer {token}"


def _find_proxy(host: str, address: str) -> str:
    """Return the URL of the proxy for *address*, a host and its port, as the variables say; "" for none."""
    proxies = getproxies()
    if proxy_bypass(address) or any(_has_address(text.strip(), host) for text in proxies.get("no", "").split(",")):
        return ""
    return proxies.get("https") or proxies.get("all", "")


def _has_address(network: str, host: str) -> bool:
    """Return whether *network* is a network with the address *host*; `NO_PROXY` often has that of the Services."""
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:  # a name
        return False


def _describe_error(exc: Exception) -> str:
    """Return the message of *exc* up to the first brace, because after that it may quote secrets of the kubeconfig."""
    text = shorten(str(exc).partition("{")[0].strip(), 400)
    return text if isinstance(exc, ConfigError | OSError) else f"{type(exc).__name__}: {text}"


def _strip_credentials(host: str) -> str:
    parts = urlsplit(host)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
