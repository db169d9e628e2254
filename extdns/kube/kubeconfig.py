"""Load a kubeconfig with the `kubernetes` package. Imported only if there is one, because the package is large."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock, get_ident
from typing import Any, Final, Literal, cast

from kubernetes.client.configuration import Configuration
from kubernetes.client.rest import RESTClientObject
from kubernetes.config.config_exception import ConfigException
from kubernetes.config.kube_config import KubeConfigLoader, KubeConfigMerger

from extdns.kube.connections import MAX_IDLE_CONNECTIONS, ApiEndpoint, ConfigError, warn_unchecked_certificate
from extdns.paths import find_files

_PACKAGES: Final = {"aws": "the AWS CLI", "gcloud": "the Google Cloud CLI", "oci": "the OCI CLI"}
"""What to install for an exec plugin whose command has another name."""


def load_kubeconfig(paths: str, server: str) -> ApiEndpoint:
    """Load the merged files of *paths*, which are separated as in `KUBECONFIG`, and of which at least one exists.

    *server* replaces the URL of the files; "" for none.

    Raises:
        ConfigError: the files are invalid. For some invalid files, the package raises exceptions of other types.
    """
    configuration = Configuration(connection_pool_maxsize=MAX_IDLE_CONNECTIONS)
    try:
        loader = _build_loader(paths)
        loader.load_and_set(configuration)
    except ConfigException as exc:
        raise ConfigError(str(exc)) from exc
    url = configuration.host = (server or configuration.host).rstrip("/")
    if url.startswith("https:") and not configuration.verify_ssl:
        warn_unchecked_certificate(url)
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
        credentials=f"{loader.describe_user()} in {paths}",
        namespace=str(loader.current_context["context"].get("namespace") or ""),
        ca_file=(url.startswith("https:") and configuration.verify_ssl and configuration.ssl_ca_cert) or "",
    )


class _Loader(KubeConfigLoader):
    """Raises why an exec plugin gives no credentials. The base class only logs it, so that requests are anonymous."""

    _user: Any

    def describe_user(self) -> str:
        """Return the user and the context by name, and the exec plugin of the user, if it has one."""
        context = self.current_context
        text = f'user "{context["context"].get("user") or ""}" of context "{context["name"]}"'
        plugin = self._user.safe_get("exec") if self._user else None
        return f"{text} (exec plugin {plugin.get('command')})" if plugin else text

    def _load_from_exec_plugin(self) -> Literal[True] | None:
        if "exec" not in self._user:
            return None
        load: Any = super()._load_from_exec_plugin
        with _collect_errors() as errors:
            is_loaded = load()
        if not is_loaded:
            raise ConfigException(f"{self.describe_user()}: {self._explain_plugin_failure(errors)}")
        return True

    def _explain_plugin_failure(self, errors: list[str]) -> str:
        plugin = self._user.safe_get("exec")
        command = plugin.get("command") or ""
        if os.sep in command or shutil.which(command) or not command:
            return " ".join(" ".join(errors).split())
        hint = " ".join((plugin.get("installHint") or "").split())
        return f"{command} is not in PATH: {hint or f'install {_PACKAGES.get(command, command)}'}"


@contextmanager
def _collect_errors() -> Iterator[list[str]]:
    """Collect what the package logs on this thread inside the `with` block, instead of logging it."""
    errors, thread = list[str](), get_ident()

    def collect(record: logging.LogRecord) -> bool:
        if record.thread != thread:
            return True
        errors.append(record.getMessage())
        return False

    root = logging.getLogger()
    root.addFilter(collect)
    try:
        yield errors
    finally:
        root.removeFilter(collect)


def _build_loader(paths: str) -> Any:  # noqa: ANN401 - the methods of the package have no types
    contents = tuple(path.read_bytes() for path in find_files(paths))
    build: Any = _Loader
    base: Any = None  # paths of files in them are relative to the folder of each file
    return build(config_dict=_merge_files(paths, contents), config_base_path=base)


@lru_cache(maxsize=1)
def _merge_files(paths: str, _contents: tuple[bytes, ...]) -> object:
    """Parse and merge the files of *paths*. The result is cached, since several clients read the same files."""
    merged = KubeConfigMerger(paths).config
    if merged is None:
        raise ConfigException("there is no content")
    return merged
