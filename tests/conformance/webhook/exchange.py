"""Send single requests to a webhook provider and return the complete answers, bounded in time and size.

Plain HTTP shows what a client hides: status, media type, redirects, and whether a connection can be used again.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from extdns.errors import ExtdnsError, describe_cause, sanitize
from extdns.exchange_limit import limit_exchange

JsonBody = bytes | None
_EXCERPT_CHARACTERS: Final = 200


class BrokenExchangeError(ExtdnsError):
    """The webhook provider gave no valid answer in time: no connection, no HTTP, or a body above the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer:
    """A complete answer.

    Attributes:
        request: the method and the path that it answers.
        media_type: the header Content-Type as it was received, "" without one.
        length: the header Content-Length, "" without one.
        closes: whether the server closes the connection after it.
    """

    request: str
    status: int
    media_type: str
    body: bytes
    length: str
    closes: bool

    @property
    def is_success(self) -> bool:
        return self.status // 100 == http.client.OK // 100

    def describe(self) -> str:
        """Return request, status and the beginning of the body, safe for a terminal."""
        text = sanitize(self.body[: 4 * _EXCERPT_CHARACTERS].decode("utf-8", "replace").strip(), _EXCERPT_CHARACTERS)
        return f"{self.request} answered {self.status}{f' ({text})' if text else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedServer:
    """The address of a webhook provider, and the limits of every exchange with it.

    Attributes:
        url: the address as it was given, which negotiation uses.
        timeout_s: seconds for one exchange, from the connection to the last byte.
        max_bytes: the largest body that is read.
    """

    url: str
    timeout_s: float
    max_bytes: int

    def send(
        self, method: str, path: str, body: JsonBody = None, headers: Mapping[str, str] | None = None
    ) -> RawAnswer:
        """Send one request on a connection of its own. Redirects are not followed.

        The path "" stands for the URL itself.

        Raises:
            BrokenExchangeError: there was no valid answer in time.
        """
        with self.connect() as send:
            return send(method, path, body, headers or {})

    @contextmanager
    def connect(self) -> Iterator[Callable[[str, str, JsonBody, Mapping[str, str]], RawAnswer]]:
        """Open a connection, and yield a function that sends one request on it and may be called again.

        Raises:
            BrokenExchangeError: there is no connection.
        """
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout_s)
        try:
            with _translate_errors("the connection", self.timeout_s):
                connection.connect()
            connection.auto_open = 0  # a connection that the server closed is an error, and not opened again
            yield partial(self._exchange, connection, parts.path.rstrip("/"))
        finally:
            connection.close()

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        prefix: str,
        method: str,
        path: str,
        body: JsonBody,
        headers: Mapping[str, str],
    ) -> RawAnswer:
        request = f"{method} {path or '/'}"
        with _translate_errors(request, self.timeout_s), limit_exchange(connection.sock, self.timeout_s):
            connection.request(method, f"{prefix}{path}" or "/", body, dict(headers))
            response = connection.getresponse()
            content = response.read(self.max_bytes + 1)
            if len(content) > self.max_bytes:
                raise BrokenExchangeError(f"{request} answered with more than {self.max_bytes} bytes")
            if response.length:  # `read` with a size returns what came before the connection ended
                raise http.client.IncompleteRead(content, response.length)
        return RawAnswer(
            request=request,
            status=response.status,
            media_type=response.getheader("Content-Type", ""),
            body=content,
            length=response.getheader("Content-Length", ""),
            closes=response.will_close,
        )


@contextmanager
def _translate_errors(what: str, timeout_s: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError as exc:
        raise BrokenExchangeError(f"{what}: no complete answer within {timeout_s:g} s") from exc
    except (OSError, http.client.HTTPException, ValueError) as exc:
        raise BrokenExchangeError(f"{what}: {describe_cause(exc)}") from exc
