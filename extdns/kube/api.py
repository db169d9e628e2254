"""Send requests to the API server, and limit the size and duration of responses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Final

from extdns.errors import ApiError, DeniedError, TooLargeError
from extdns.kube.api_protocol import build_error
from extdns.kube.client import HttpClient
from extdns.kube.connections import HttpResponse, RequestDeadline, ResponseStream

MAX_ANSWER_BYTES: Final = 512 * 1024 * 1024
_MAX_REFUSAL_BYTES: Final = 64 * 1024


class ApiClient:
    """Sends requests to one API server; safe from any thread. Every request raises only `ApiError`."""

    def __init__(
        self, client: HttpClient, *, request_timeout_s: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Send requests through *client*.

        A response must be complete within *request_timeout_s* seconds; 0 is no limit.
        """
        self.server = client.server
        self.client = client
        self._request_timeout_s = request_timeout_s
        self._monotonic = monotonic
        self._closed = False

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
        """Send a request and return the response body. *content_type* describes *body*."""
        with self._open_response(method, path, query or {}, body, content_type if body is not None else "") as response:
            return b"".join(self._read_limited(f"{method} {path}", response, max_bytes))

    @contextmanager
    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[ResponseStream]:
        """Send GET; inside the `with` block, the lines of the response can be read as they arrive."""
        with self._open_response("GET", path, query) as response:
            yield ResponseStream(f"GET {path}", response, RequestDeadline(self._request_timeout_s, self._monotonic))

    def close(self) -> None:
        """Cut all connections. Later requests fail."""
        self._closed = True
        self.client.close()

    @contextmanager
    def _open_response(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "",
    ) -> Iterator[HttpResponse]:
        self._check_open()
        answer = self.client.request(method, path, query, body, content_type)
        try:
            if not answer.is_success:
                raise self._build_refusal(f"{method} {path}", answer)
            yield answer
        finally:
            answer.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ApiError("extdns is shutting down")

    def _build_refusal(self, call: str, answer: HttpResponse) -> ApiError:
        body: list[bytes] = []
        with suppress(ApiError):  # an incomplete body is enough for a message
            body.extend(self._read_limited(call, answer, _MAX_REFUSAL_BYTES))
        refusal = build_error(call, answer.status, b"".join(body), answer.retry_after)
        if answer.status != HTTPStatus.UNAUTHORIZED:
            return refusal
        text = f"{refusal}: the credentials are expired or unknown: {self.client.credentials}"
        self.client.reload()
        return DeniedError(text, code=refusal.code, retry_after_s=refusal.retry_after_s)

    def _read_limited(self, call: str, answer: HttpResponse, max_bytes: int) -> Iterator[bytes]:
        """Yield the chunks of a body; raise `TooLargeError` if it is too large, `ApiError` if it takes too long."""
        limit, size = RequestDeadline(self._request_timeout_s, self._monotonic), 0
        for chunk in answer.read_chunks():
            size += len(chunk)
            if size > max_bytes:
                raise TooLargeError(f"{call}: the response is larger than {max_bytes >> 20} MiB")
            limit.check(call)
            yield chunk
