"""Send requests to the API server, and limit the size and duration of responses."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import urlencode

from extdns.errors import ApiError, DeniedError, UsageError
from extdns.kube.api_protocol import build_error
from extdns.kube.cluster_access import ClusterAccess, describe_config_error, load_endpoint
from extdns.kube.connections import (
    REQUEST_ERRORS,
    AbortableConnections,
    ApiEndpoint,
    ApiResponse,
    ConfigError,
    translate_errors,
)
from extdns.model.api_request import UNANSWERED, ApiRequest

MAX_ANSWER_BYTES: Final = 512 * 1024 * 1024
_MAX_REFUSAL_BYTES: Final = 64 * 1024
_MIN_RELOAD_INTERVAL_S: Final = 10.0
"""Credentials are loaded again after a 401 response, at most this often."""


class ApiClient:
    """Sends requests to one API server without retries; safe from any thread. Every request raises only `ApiError`.

    Attributes:
        server: the URL of the API server, without credentials.
    """

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
        self._closed = False
        self.server = self._endpoint.server

    @property
    def namespace(self) -> str:
        """The namespace of the kubeconfig's current context, or ""."""
        return self._endpoint.namespace

    @property
    def ca_certificates(self) -> bytes:
        """The configured CA certificates for the API server in PEM.

        b"" if none are configured or readable, or if the certificate of the server is not checked.
        """
        ca_file = self._get_endpoint().ca_file
        try:
            return Path(ca_file).read_bytes() if ca_file else b""
        except OSError:
            return b""

    @property
    def service_account_token(self) -> str:
        """The token of the pod's service account; "" if a kubeconfig is used, or if the token cannot be read."""
        endpoint = self._get_endpoint()
        try:
            headers = endpoint.build_headers() if endpoint.is_pod else {}
        except (ApiError, ConfigError, *REQUEST_ERRORS):
            return ""
        return headers.get("authorization", "").partition(" ")[2]

    def get(self, path: str, query: Mapping[str, str] | None = None, *, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
        """Send GET and return the response body. Raises `TooLargeError` if it is larger than *max_bytes*."""
        return self.send("GET", path, query, max_bytes=max_bytes)

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        content_type: str = "application/json",
        max_bytes: int = MAX_ANSWER_BYTES,
    ) -> bytes:
        """Send a request and return the response body.

        *path* has a leading slash, and *query* is not encoded. *content_type* describes *body*.
        """
        with self._open_response(method, path, query or {}, body, content_type if body is not None else "") as response:
            return b"".join(response.read_chunks(max_bytes))

    def stream(self, path: str, query: Mapping[str, str]) -> AbstractContextManager[ApiResponse]:
        """Send GET; inside the `with` block, the lines of the response can be read as they arrive."""
        return self._open_response("GET", path, query)

    def close(self) -> None:
        """Cut all connections. Later requests fail."""
        self._closed = True
        self._connections.abort_all()
        self._endpoint.pool.clear()

    @contextmanager
    def _open_response(
        self, method: str, path: str, query: Mapping[str, str], body: bytes | None = None, content_type: str = ""
    ) -> Iterator[ApiResponse]:
        """Send a request; inside the `with` block, its response, which has succeeded, can be read."""
        if self._closed:
            raise ApiError("extdns is shutting down")
        call = f"{method} {path}"
        response = self._request(method, path, query, body, content_type)
        try:
            if response.status // 100 != 2:  # noqa: PLR2004 - 2xx
                raise self._build_refusal(call, response)
            yield response
        finally:
            response.close()

    def _request(
        self, method: str, path: str, query: Mapping[str, str], body: bytes | None, content_type: str
    ) -> ApiResponse:
        """Send a request and return the response, whatever its status. Raises `ApiError` if there is none."""
        call, timeout_s, endpoint = f"{method} {path}", self._access.request_timeout_s, self._get_endpoint()
        url = f"{endpoint.url}{path}"
        with translate_errors(call, endpoint.server):
            try:
                headers = endpoint.build_headers() | ({"content-type": content_type} if content_type else {})
            except ConfigError as exc:
                problem = describe_config_error(exc)
                raise DeniedError(f"{call}: {endpoint.server}: no credentials: {problem}") from exc
            status, start_s = UNANSWERED, self._monotonic()
            try:
                response = endpoint.pool.request(
                    method,
                    f"{url}?{urlencode(query)}" if query else url,
                    body=body,
                    headers=headers,
                    timeout=timeout_s or None,
                    preload_content=False,
                    redirect=False,
                    retries=False,
                )
                status = response.status
            finally:
                self._access.observe_request(
                    ApiRequest(method=method, url=url, status=status, seconds=self._monotonic() - start_s)
                )
        return ApiResponse(call, endpoint.server, response, timeout_s, self._monotonic)

    def _build_refusal(self, call: str, response: ApiResponse) -> ApiError:
        body: list[bytes] = []
        with suppress(ApiError):  # an incomplete body is enough for a message
            body.extend(response.read_chunks(_MAX_REFUSAL_BYTES))
        refusal = build_error(call, response.status, b"".join(body), response.retry_after)
        if response.status != HTTPStatus.UNAUTHORIZED:
            return refusal
        text = f"{refusal}: the credentials are expired or unknown: {self._get_endpoint().credentials}"
        self._reload()
        return DeniedError(text, code=refusal.code, retry_after_s=refusal.retry_after_s)

    def _get_endpoint(self) -> ApiEndpoint:
        with self._lock:  # wait while another thread reloads it
            return self._endpoint

    def _load(self) -> ApiEndpoint:
        endpoint = load_endpoint(self._access, self._environ)
        self._connections.register_pools(endpoint.pool)
        return endpoint

    def _reload(self) -> None:
        """Load the configuration and the credentials again, since their files may have changed.

        Do nothing if they were loaded less than 10 s ago. If loading fails, keep those in use. Open requests continue.
        """
        with self._lock:
            if self._monotonic() - self._loaded_at_s >= _MIN_RELOAD_INTERVAL_S:
                self._loaded_at_s = self._monotonic()
                with suppress(UsageError):
                    self._endpoint = self._load()
