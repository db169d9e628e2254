"""HTTP requests to the API server. The `kubernetes` package only loads configuration, credentials and TLS.

The classes that the package has for every kind are not used, since importing them costs time and memory
(`import_partially`). Requests use the connection pool of the package, and responses are bytes. Its kubeconfig loader is
imported only where a kubeconfig is used.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlencode, urlsplit

from extdns import __version__
from extdns.errors import ApiError, DeniedError, UsageError, escape_unprintable, shorten
from extdns.kube.connections import REQUEST_ERRORS, AbortableConnections, HttpResponse, translate_errors
from extdns.model.api_request import UNANSWERED, ApiRequest, RequestObserver, ignore_request
from extdns.partial_import import import_partially
from extdns.paths import expand_user, is_file

if TYPE_CHECKING:
    from kubernetes.config.kube_config import KubeConfigLoader


_PACKAGES: Final = ("kubernetes", "kubernetes.config", "kubernetes.utils")
"""Packages whose `__init__` imports the typed classes, pydantic, OAuth and WebSockets, which extdns does not need."""
_CLIENT: Final = "kubernetes.client"
"""The package of the typed classes, which lists them in 0.7 MB of names."""

with import_partially("multiprocessing", *_PACKAGES, _CLIENT, names={"multiprocessing.cpu_count": os.cpu_count}):
    import urllib3
    from kubernetes.client.configuration import Configuration
    from kubernetes.client.rest import RESTClientObject
    from kubernetes.config.config_exception import ConfigException

_NAMES: Final = {f"{_CLIENT}.Configuration": Configuration, f"{_CLIENT}.ApiClient": None}
"""What the other modules import from the package. Only an `auth-provider` uses `ApiClient`, which imports pydantic."""

with import_partially(*_PACKAGES, _CLIENT, names=_NAMES):
    from kubernetes.config.incluster_config import load_incluster_config

_MAX_IDLE_CONNECTIONS: Final = 16
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
        observe_request: called after each request.
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
        """Load the kubeconfig, or the configuration of the pod, without sending a request.

        Raises:
            UsageError: there is no configuration, or it cannot be used.
        """
        self._access = access
        self._environ = environ
        self._monotonic = monotonic
        self._lock = Lock()
        self._credentials_lock = Lock()  # a lock of its own, since an exec plugin may take seconds
        self._loaded_at_s = monotonic()
        self._connections = AbortableConnections()
        self._configuration, self._pool = self._load()

    @property
    def server(self) -> str:
        """The URL of the API server, without credentials."""
        return _strip_credentials(self._configuration.host)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "",
    ) -> HttpResponse:
        """Send a request and return the response, whatever its status. Raises `ApiError` if there is none.

        Args:
            method: the HTTP method.
            path: the path, with a leading slash.
            query: query parameters, not encoded.
            body: the request body.
            content_type: the content type of *body*.
        """
        call, limit_s = f"{method} {path}", self._access.request_timeout_s or None
        with self._lock:
            configuration, pool = self._configuration, self._pool
        server = _strip_credentials(configuration.host)
        url = f"{configuration.host}{path}"
        with translate_errors(call, server):
            try:
                headers = self._build_headers(configuration) | ({"content-type": content_type} if content_type else {})
            except ConfigException as exc:
                raise DeniedError(f"{call}: {server}: no credentials: {_describe_error(exc)}") from exc
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
                self._access.observe_request(
                    ApiRequest(method=method, url=url, status=status, seconds=self._monotonic() - start_s)
                )
        return HttpResponse(call, server, response)

    def reload(self) -> None:
        """Load the configuration and the credentials again, since their files may have changed.

        Do nothing if they were loaded less than 10 s ago. If loading fails, keep those in use. Open requests continue.
        """
        with self._lock:
            if self._monotonic() - self._loaded_at_s >= _MIN_RELOAD_INTERVAL_S:
                self._loaded_at_s = self._monotonic()
                with suppress(UsageError):
                    self._configuration, self._pool = self._load()

    @property
    def namespace(self) -> str:
        """The namespace of the kubeconfig's current context, or ""."""
        _, paths = self._find_kubeconfig()
        if not paths:
            return ""
        try:
            return str(_load_kubeconfig(paths).current_context["context"].get("namespace") or "")
        except Exception:  # noqa: BLE001 - as in `_load`, which loaded the same files without an error
            return ""

    @property
    def ca_certificates(self) -> bytes:
        """The configured CA certificates for the API server in PEM.

        b"" if none are configured or readable, or if the certificate of the server is not checked.
        """
        with self._lock:
            configuration = self._configuration
        if not (configuration.ssl_ca_cert and configuration.verify_ssl and configuration.host.startswith("https:")):
            return b""
        try:
            return Path(configuration.ssl_ca_cert).read_bytes()
        except OSError:
            return b""

    @property
    def service_account_token(self) -> str:
        """The token of the pod's service account; "" if a kubeconfig is used, or if the token cannot be read."""
        with self._lock:
            configuration, is_pod = self._configuration, self._is_pod
        try:
            headers = self._build_headers(configuration) if is_pod else {}
        except (ApiError, *REQUEST_ERRORS):
            return ""
        return headers.get("authorization", "").partition(" ")[2]

    def close(self) -> None:
        """Close all connections, even those with open requests."""
        self._connections.abort_all()
        self._pool.clear()

    def _build_headers(self, configuration: Configuration) -> dict[str, str]:
        """Build the request headers. Expired credentials (a token file, an exec plugin) are renewed."""
        with self._credentials_lock:
            settings = cast("Mapping[str, Mapping[str, str]]", configuration.auth_settings())
        headers = {"accept": "application/json", "user-agent": f"extdns/{__version__}"}
        for setting in settings.values():
            value = (setting["value"] or "").strip()
            if not (value.isascii() and value.isprintable()):
                raise DeniedError(
                    "the credentials for the API server contain a character that is not allowed in a header"
                )
            headers[setting["key"]] = value
        return headers

    def _load(self) -> tuple[Configuration, urllib3.PoolManager]:
        configuration = Configuration(connection_pool_maxsize=_MAX_IDLE_CONNECTIONS)
        origin, paths = self._find_kubeconfig()
        self._is_pod = not paths
        try:
            if paths:
                _load_kubeconfig(paths).load_and_set(configuration)
                configuration.host = (self._access.server or configuration.host).rstrip("/")
            else:
                load_incluster_config(client_configuration=configuration)
            pool: urllib3.PoolManager = RESTClientObject(configuration).pool_manager
            self._connections.register_pools(pool)
        except Exception as exc:  # for invalid files the package raises exceptions of many types
            raise UsageError(f"{origin} cannot be used: {_describe_error(exc)}\n  {_ADVICE}") from exc
        return configuration, pool

    def _find_kubeconfig(self) -> tuple[str, str]:
        """Return how messages name the kubeconfig, and its paths, as in `KUBECONFIG`.

        The paths are "" if there is no kubeconfig and the pod's service account is used.

        Raises:
            UsageError: there is neither, or the kubeconfig of a flag or variable does not exist.
        """
        chosen, variable = self._access.kubeconfig, self._environ.get("KUBECONFIG", "")
        if chosen or variable:
            origin = escape_unprintable(f"--kubeconfig={chosen}" if chosen else f"KUBECONFIG={variable}")
            paths = chosen or variable
            if not any(map(is_file, _split_paths(paths))):
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


def _load_kubeconfig(paths: str) -> KubeConfigLoader:
    """Return the kubeconfig loader of the `kubernetes` package, for the merged files of *paths*.

    The files are parsed again only if one of them changed.
    """
    contents = tuple(path.read_bytes() for path in _split_paths(paths) if is_file(path))
    return cast(
        "KubeConfigLoader",
        _import_kube_config(paths).KubeConfigLoader(
            config_dict=_merge_kubeconfigs(paths, contents), config_base_path=None
        ),
    )


@lru_cache(maxsize=1)
def _merge_kubeconfigs(paths: str, _contents: tuple[bytes, ...]) -> object:
    """Parse and merge the files of *paths*. The result is cached, since several clients read the same files."""
    merged = _import_kube_config(paths).KubeConfigMerger(paths).config
    if merged is None:
        raise ConfigException("there is no content")
    return merged


@cache
def _import_kube_config(paths: str) -> ModuleType:
    """Import the kubeconfig loader, with Google's library and pydantic only for files with an `auth-provider`."""
    is_old = any(b"auth-provider" in path.read_bytes() for path in _split_paths(paths) if is_file(path))
    packages = _PACKAGES if is_old else (*_PACKAGES, _CLIENT)
    with import_partially(*packages, names=_NAMES, without=() if is_old else ("google.auth",)):
        from kubernetes.config import kube_config  # noqa: PLC0415 - slow to import, and not needed in a pod
    return kube_config


def _split_paths(paths: str) -> Iterator[Path]:
    return (expand_user(path) for path in paths.split(os.pathsep) if path)


def _describe_error(exc: Exception) -> str:
    """Return the message of *exc* up to the first brace, because after that it may quote secrets of the kubeconfig."""
    text = shorten(str(exc).partition("{")[0].strip())
    return text if isinstance(exc, ConfigException | OSError) else f"{type(exc).__name__}: {text}"


def _strip_credentials(host: str) -> str:
    """Return scheme and address of the server, without user name and password."""
    parts = urlsplit(host)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
