"""Requests to the API server: whole answers and streams of lines, bounded, with errors that say what to do."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Final

from extdns.errors import ApiError
from extdns.kube.client import Answer, Client
from extdns.kube.status import refusal

_MAX_ANSWER_BYTES: Final = 512 * 1024 * 1024
_MAX_LINE_BYTES: Final = 64 * 1024 * 1024
_MAX_REFUSAL_BYTES: Final = 64 * 1024


class Limit:
    """When a request must be over."""

    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        """Begin now; 0 *seconds* are no limit."""
        self._seconds = seconds
        self._monotonic = monotonic
        self._until_s = monotonic() + seconds if seconds else math.inf

    def check(self, call: str) -> None:
        """Raise `ApiError` if it is not."""
        if self._monotonic() > self._until_s:
            raise ApiError(f"{call}: the answer was not whole after {self._seconds:g} s")


class Stream:
    """The lines of an answer, for one thread to go through once."""

    def __init__(self, call: str, answer: Answer, limit: Limit) -> None:
        """Read *answer*, which *call* names in messages, within *limit*."""
        self._call = call
        self._answer = answer
        self._limit: Limit | None = limit

    def allow_silence(self, silence_s: float) -> None:
        """Go on without end from now on, unless nothing comes for *silence_s* seconds."""
        self._limit = None
        self._answer.allow_silence(silence_s)

    def __iter__(self) -> Iterator[bytes]:
        """Lines without their ends, as they come, until the server ends them.

        Raises:
            ApiError: the connection was cut, perhaps in the middle of a line, or silent for too long; or the
                time of a request is over, before silence was allowed.
        """
        parts: list[bytes] = []
        size = 0
        for chunk in self._answer.chunks():
            if self._limit is not None:
                self._limit.check(self._call)
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


class Api:
    """Requests to one API server; safe from any thread. They raise `ApiError` and nothing else."""

    def __init__(
        self, client: Client, *, request_timeout_s: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Ask through *client*; whole answers must be there after *request_timeout_s*, if it is not 0."""
        self._client = client
        self._request_timeout_s = request_timeout_s
        self._monotonic = monotonic
        self._closed = False

    def get(self, path: str, query: Mapping[str, str] | None = None) -> bytes:
        """The body of an answer to GET."""
        return self.send("GET", path, query)

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        content_type: str = "application/json",
    ) -> bytes:
        """The body of an answer; *content_type* is that of *body*."""
        with self._success(method, path, query or {}, body, content_type if body is not None else "") as good:
            return b"".join(self._whole(f"{method} {path}", good, _MAX_ANSWER_BYTES))

    @contextmanager
    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Stream]:
        """The answer to GET, line by line."""
        with self._success("GET", path, query) as good:
            yield Stream(f"GET {path}", good, Limit(self._request_timeout_s, self._monotonic))

    def close(self) -> None:
        """Cut what is under way; from then on every request fails."""
        self._closed = True
        self._client.close()

    @contextmanager
    def _success(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        content_type: str = "",
    ) -> Iterator[Answer]:
        self._check_open()
        answer = self._client.request(method, path, query, body, content_type)
        try:
            if not answer.is_success:
                raise self._refusal(f"{method} {path}", answer)
            yield answer
        finally:
            answer.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ApiError("extdns is ending")

    def _refusal(self, call: str, answer: Answer) -> ApiError:
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self._client.reload()
        said: list[bytes] = []
        with suppress(ApiError):  # what there is will do
            said.extend(self._whole(call, answer, _MAX_REFUSAL_BYTES))
        return refusal(call, answer.status, b"".join(said), answer.retry_after)

    def _whole(self, call: str, answer: Answer, most_bytes: int) -> Iterator[bytes]:
        """All chunks of a body that must be small and quick enough."""
        limit, size = Limit(self._request_timeout_s, self._monotonic), 0
        for chunk in answer.chunks():
            size += len(chunk)
            if size > most_bytes:
                raise ApiError(f"{call}: the answer is larger than {most_bytes >> 20} MiB")
            limit.check(call)
            yield chunk
