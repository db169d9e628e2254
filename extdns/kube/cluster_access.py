"""Where the API server is and with which credentials it is called: a kubeconfig or the service account of the pod.

Only a kubeconfig needs the `kubernetes` package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Final
from urllib.request import getproxies, proxy_bypass

import urllib3

from extdns.errors import UsageError, escape_unprintable, shorten
from extdns.kube.connections import MAX_IDLE_CONNECTIONS, ApiEndpoint, ConfigError
from extdns.model.api_request import RequestObserver, ignore_request
from extdns.paths import find_files, is_file

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
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


def load_endpoint(access: ClusterAccess, environ: Mapping[str, str]) -> ApiEndpoint:
    """Load the kubeconfig, or the configuration of the pod, without sending a request. Raises `UsageError`."""
    origin, paths = _find_kubeconfig(access, environ)
    try:
        if not paths:
            return _load_service_account(environ)
        from extdns.kube import kubeconfig  # noqa: PLC0415 - slow to import, and not needed in a pod

        return kubeconfig.load_kubeconfig(paths, access.server)
    except Exception as exc:  # for invalid files the `kubernetes` package raises exceptions of many types
        raise UsageError(f"{origin} cannot be used: {describe_config_error(exc)}\n  {_ADVICE}") from exc


def _find_kubeconfig(access: ClusterAccess, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return how messages name the kubeconfig, and its paths, as in `KUBECONFIG`.

    The paths are "" if there is no kubeconfig and the pod's service account is used.
    """
    chosen, variable = access.kubeconfig, environ.get("KUBECONFIG", "")
    if chosen or variable:
        origin = escape_unprintable(f"--kubeconfig={chosen}" if chosen else f"KUBECONFIG={variable}")
        paths = chosen or variable
        if not find_files(paths):
            raise UsageError(f"{origin} cannot be read: no such file\n  {_ADVICE}")
        return origin, paths
    default = Path(environ.get("HOME") or "/") / ".kube" / "config"
    if is_file(default):
        return str(default), str(default)
    if not environ.get("KUBERNETES_SERVICE_HOST"):
        is_named = bool(access.server)
        what = "--server has no credentials without a kubeconfig" if is_named else "there is no cluster to read"
        raise UsageError(f"{what}: no kubeconfig was found, and extdns does not run in a pod\n  {_ADVICE}")
    return "the pod's service account", ""


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


def describe_config_error(exc: Exception) -> str:
    """Return the message of *exc* up to the first brace, because after that it may quote secrets of the kubeconfig."""
    text = shorten(str(exc).partition("{")[0].strip(), 400)
    return text if isinstance(exc, ConfigError | OSError) else f"{type(exc).__name__}: {text}"
