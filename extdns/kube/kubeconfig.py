"""Load a kubeconfig with the `kubernetes` package. Imported only if there is one, because the package is large."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from threading import Lock
from typing import Any, cast

from kubernetes.client.configuration import Configuration
from kubernetes.client.rest import RESTClientObject
from kubernetes.config.config_exception import ConfigException
from kubernetes.config.kube_config import KubeConfigLoader, KubeConfigMerger

from extdns.kube.connections import MAX_IDLE_CONNECTIONS, ApiEndpoint, ConfigError
from extdns.paths import find_files


def load_kubeconfig(paths: str, server: str) -> ApiEndpoint:
    """Load the merged files of *paths*, which are separated as in `KUBECONFIG`.

    Args:
        paths: at least one of the files exists.
        server: URL that replaces that of the files; "" for none.

    Raises:
        ConfigError: the files are invalid. For some invalid files, the package raises exceptions of other types.
    """
    configuration = Configuration(connection_pool_maxsize=MAX_IDLE_CONNECTIONS)
    try:
        _build_loader(paths).load_and_set(configuration)
    except ConfigException as exc:
        raise ConfigError(str(exc)) from exc
    url = configuration.host = (server or configuration.host).rstrip("/")
    lock = Lock()  # an exec plugin may take seconds

    def read_authorization() -> str:
        """Return the header, from an exec plugin or an OIDC issuer again if it has expired."""
        try:
            with lock:
                settings = cast("Mapping[str, Mapping[str, str]]", configuration.auth_settings())
        except ConfigException as exc:
            raise ConfigError(str(exc)) from exc
        return next((setting["value"] or "" for setting in settings.values()), "")

    return ApiEndpoint(
        url=url,
        pool=RESTClientObject(configuration).pool_manager,
        read_authorization=read_authorization,
        ca_file=(url.startswith("https:") and configuration.verify_ssl and configuration.ssl_ca_cert) or "",
    )


def read_namespace(paths: str) -> str:
    """Return the namespace of the current context, "" for none; the same errors as `load_kubeconfig`."""
    return str(_build_loader(paths).current_context["context"].get("namespace") or "")


def _build_loader(paths: str) -> KubeConfigLoader:
    contents = tuple(path.read_bytes() for path in find_files(paths))
    base: Any = None  # paths of files in them are relative to the folder of each file
    return KubeConfigLoader(config_dict=_merge_files(paths, contents), config_base_path=base)


@lru_cache(maxsize=1)
def _merge_files(paths: str, _contents: tuple[bytes, ...]) -> object:
    """Parse and merge the files of *paths*. The result is cached, since several clients read the same files."""
    merged = KubeConfigMerger(paths).config
    if merged is None:
        raise ConfigException("there is no content")
    return merged
