"""HTTP requests to an Open Policy Agent: over TCP, TLS or a unix socket, with bounded time and size."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import time
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from extdns.errors import ExtdnsError, InvalidValueError, describe_cause, escape_unprintable, sanitize
from extdns.exchange_limit import limit_exchange
from extdns.masking import mask_url
from extdns.model.value import Value
from extdns.opa.answers import find_error_text

_MAX_TOKEN_BYTES: Final = 65_536
_TOKEN: Final = re.compile(r"[!-~]+")
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
ALLOWED_URL: Final = "http://HOST[:PORT][/PATH], https://HOST[:PORT][/PATH] or unix:///PATH"


class OpaSettings(Value, frozen=True, kw_only=True):
    """How to reach the server.

    Attributes:
        url: `http://…`, `https://…` or `unix:///PATH`.
        timeout_s: how long one request may take in total.
        ca_file: certificates to trust; "" for those of the system.
        client_cert_file, client_key_file: "" for no client certificate.
        token_file: a bearer token, which is read for each request, because tokens are renewed; "" for none.
    """

    url: str
    timeout_s: float
    ca_file: str = ""
    client_cert_file: str = ""
    client_key_file: str = ""
    token_file: str = ""


class OpaError(ExtdnsError):
    """The server gave no valid answer; the message says why."""


class OpaStatusError(OpaError):
    """The server answered with a status other than 2xx."""

    def __init__(self, message: str, *, status: int, body: bytes) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class LongAnswerError(OpaError):
    """The answer is longer than the caller takes."""


class _TokenFileError(ValueError):
    """The token file cannot be used; the message is printable, and no part of it comes from the server."""


class OpaConnection:
    """Send requests to one server, one at a time, over a connection that is kept open.

    Attributes:
        address: the URL of the server, for messages.
    """

    def __init__(self, settings: OpaSettings) -> None:
        """Connect with the first request.

        Raises:
            InvalidValueError: the URL is invalid, or would send the token in plain text to another host.
        """
        _check_url(settings)
        self._settings = settings
        self.address = escape_unprintable(mask_url(settings.url)).rstrip("/")
        self._parts = urlsplit(settings.url)
        self._socket_path = unquote(self._parts.path) if self._parts.scheme == "unix" else ""
        self._prefix = "" if self._socket_path else self._parts.path.rstrip("/")
        self._open: http.client.HTTPConnection | None = None

    def request(self, method: str, path: str, document: object = None, *, max_bytes: int) -> bytes:
        """Send a request and return the body of the answer. *path* is relative to that of `OpaSettings.url`.

        Raises:
            OpaStatusError: the status is not 2xx.
            LongAnswerError: the answer is longer than *max_bytes*.
            OpaError: there is no valid answer within the timeout, or the token file cannot be read.
        """
        deadline_s = time.monotonic() + self._settings.timeout_s
        try:
            body = None if document is None else json.dumps(document, separators=(",", ":")).encode()
            headers = self._build_headers(has_body=body is not None)
            was_open = self._open is not None
            try:
                return self._send(method, path, body, headers, max_bytes, deadline_s)
            except (ConnectionError, http.client.BadStatusLine):
                if not was_open:
                    raise
            return self._send(method, path, body, headers, max_bytes, deadline_s)  # the server had closed it
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise OpaError(f"{self._describe_request(method, path)}: {_describe(exc)}") from exc

    def close(self) -> None:
        """Close the connection. The next request opens another one."""
        if self._open is not None:
            self._open.close()
        self._open = None

    def _build_headers(self, *, has_body: bool) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        if has_body:
            headers["Content-Type"] = "application/json"
        if self._settings.token_file:
            headers["Authorization"] = f"Bearer {_read_token(self._settings.token_file)}"
        return headers

    def _send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], max_bytes: int, deadline_s: float
    ) -> bytes:
        is_new = self._open is None
        self._open = connection = self._open or self._connect()
        is_done = False
        try:
            connection.timeout = deadline_s - time.monotonic()
            if connection.timeout <= 0:
                raise TimeoutError
            if is_new:
                connection.connect()
            with limit_exchange(connection.sock, deadline_s - time.monotonic()):
                connection.request(method, f"{self._prefix}{path}", body, headers)
                answer = connection.getresponse()
                content = answer.read(max_bytes + 1)
            if len(content) > max_bytes:
                message = f"{self._describe_request(method, path)}: the answer is longer than {max_bytes} bytes"
                raise LongAnswerError(message)
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
            is_done = not answer.will_close
            answer.close()  # without it, the connection takes no other request
        finally:
            if not is_done:
                self.close()
        if not http.client.OK <= answer.status < http.client.MULTIPLE_CHOICES:
            status = f"status {answer.status} {sanitize(answer.reason)}".rstrip()
            parts = (self._describe_request(method, path), status, find_error_text(content))
            raise OpaStatusError(": ".join(filter(None, parts)), status=answer.status, body=content)
        return content

    def _describe_request(self, method: str, path: str) -> str:
        return f"{method} {self.address}{':' if self._socket_path else ''}{path}"

    def _connect(self) -> http.client.HTTPConnection:
        parts, timeout_s = self._parts, self._settings.timeout_s
        if self._socket_path:
            return _UnixConnection(self._socket_path, timeout_s)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(
                parts.hostname or "", parts.port, timeout=timeout_s, context=self._build_tls_context()
            )
        return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)

    def _build_tls_context(self) -> ssl.SSLContext:
        """Load the certificates, which may have been renewed since the last connection."""
        settings = self._settings
        context = ssl.create_default_context(cafile=settings.ca_file or None)
        if settings.client_cert_file:
            context.load_cert_chain(settings.client_cert_file, settings.client_key_file or None)
        return context


class _UnixConnection(http.client.HTTPConnection):
    """An HTTP connection over a unix socket."""

    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _read_token(path: str) -> str:
    try:
        with Path(path).open(encoding="ascii") as file:
            token = file.read(_MAX_TOKEN_BYTES).strip()
    except OSError as exc:
        raise _TokenFileError(f"token file {escape_unprintable(path)}: {exc.strerror}") from exc
    if not _TOKEN.fullmatch(token):  # checked here, because the HTTP client would quote it in its error
        raise _TokenFileError("the token file holds no token; allowed: one line without spaces")
    return token


def _check_url(settings: OpaSettings) -> None:
    try:
        parts = urlsplit(settings.url)
        is_address = bool(parts.path if parts.scheme == "unix" else parts.hostname and parts.port != 0)
    except ValueError:
        raise InvalidValueError(settings.url, ALLOWED_URL, "") from None
    is_known = is_address and parts.scheme in {"http", "https", "unix"}
    if not is_known or parts.query or parts.fragment or parts.username is not None:
        raise InvalidValueError(settings.url, ALLOWED_URL, "")
    if settings.token_file and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise InvalidValueError(settings.url, "https, a unix socket or loopback, because a token is sent", "")


def _describe(exc: Exception) -> str:
    if isinstance(exc, TimeoutError):
        return "no answer in time"
    return str(exc) if isinstance(exc, _TokenFileError) else describe_cause(exc)
