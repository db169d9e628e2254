"""Call a webhook provider over HTTP. Nothing that it sends is trusted: answers are bounded in size and time.

Each call has a connection of its own, and is made once. Redirects are not followed.
"""

from __future__ import annotations

import base64
import os
import ssl
import time
from collections.abc import Iterable
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from extdns.errors import describe_cause, sanitize
from extdns.exchange_limit import limit_exchange
from extdns.model.api_request import UNANSWERED, ApiRequest
from providers.common.api_calls import CallFailedError, FailureKind, RateLimiter, measure_call
from providers.common.certificates import find_ca_bundle
from providers.webhook import wire
from providers.webhook.settings import WebhookSettings
from providers.webhook.wire import Changes, Endpoint, FilterDocument, WireError

NEGOTIATE: Final = "negotiate"
RECORDS: Final = "records"
ADJUST: Final = "adjustendpoints"
APPLY: Final = "applychanges"
"""The names of the calls, in messages and metrics."""

_FINAL: Final = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
)
"""Statuses that say that the endpoints of a request are wrong. Any other failure may be temporary."""

_MAX_TEXT: Final = 500
_CALL: Final = "Webhook"
_TIMEOUT: Final = "timeout"
_INVALID_ANSWER: Final = "invalid answer"


class WebhookAnswer(NamedTuple):
    """A complete answer; *body* has at most as many bytes as the settings allow."""

    status: int
    content_type: str
    body: bytes

    @property
    def text(self) -> str:
        """The status, and the body as one line for messages, shortened."""
        body = sanitize(self.body[:4096].decode("utf-8", "replace").strip(), _MAX_TEXT)
        return f"status {self.status}: {body}" if body else f"status {self.status}"


class EndpointsRefusedError(CallFailedError):
    """A webhook did not adjust the endpoints of a request, perhaps because of one of them.

    Attributes:
        is_final: whether the same endpoints will never be adjusted.
        is_slow: whether more such calls take long: the time limit was reached, or the webhook throttles.
    """

    def __init__(self, failed: CallFailedError, *, is_final: bool = False, is_slow: bool = False) -> None:
        super().__init__(failed.kind, f"{_CALL} {ADJUST}", "", failed.code, failed.detail)
        self.is_final = is_final
        self.is_slow = is_slow


class UnreachableError(CallFailedError):
    """There is no connection to the webhook."""


class WebhookClient:
    """Calls one webhook, from any thread. Every call raises only `CallFailedError`."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings
        self._url = urlsplit(settings.url)
        self.rate_limiter = RateLimiter(rate=settings.calls.rate_limit)

    def negotiate(self) -> FilterDocument:
        """Return the domain filter of the webhook."""
        answer = self._call(NEGOTIATE, "GET", "")
        if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            raise _build_error(NEGOTIATE, answer)
        if answer.content_type != wire.MEDIA_TYPE:
            detail = f"{sanitize(answer.content_type)!r} is not {wire.MEDIA_TYPE!r}; is this a webhook provider?"
            raise CallFailedError(FailureKind.RETRYABLE, f"{_CALL} {NEGOTIATE}", "", "wrong content type", detail)
        try:
            return wire.decode_filter(answer.body)
        except WireError as exc:
            raise _build_failure(FailureKind.RETRYABLE, NEGOTIATE, _INVALID_ANSWER, str(exc)) from exc

    def read_records(self) -> bytes:
        """Return the body of `GET /records`, not decoded."""
        answer = self._call(RECORDS, "GET", wire.RECORDS_PATH)
        if answer.status != wire.RECORDS_READ:
            raise _build_error(RECORDS, answer)
        return answer.body

    def adjust(self, endpoints: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
        """Return what the webhook makes of *endpoints*.

        Raises:
            UnreachableError: nothing was sent.
            EndpointsRefusedError: the call failed otherwise.
        """
        try:
            answer = self._call(ADJUST, "POST", wire.ADJUST_PATH, wire.encode_endpoints(endpoints))
            if answer.status == wire.ADJUSTED:
                return wire.decode_endpoints(answer.body)
        except UnreachableError:
            raise
        except CallFailedError as exc:
            raise EndpointsRefusedError(exc, is_slow=exc.code == _TIMEOUT) from exc
        except WireError as exc:
            failed = _build_failure(FailureKind.RETRYABLE, ADJUST, _INVALID_ANSWER, str(exc))
            raise EndpointsRefusedError(failed) from exc
        is_slow = answer.status == HTTPStatus.TOO_MANY_REQUESTS
        raise EndpointsRefusedError(_build_error(ADJUST, answer), is_final=answer.status in _FINAL, is_slow=is_slow)

    def apply(self, changes: Changes) -> WebhookAnswer:
        """Send *changes* and return the answer, whatever its status is."""
        return self._call(APPLY, "POST", wire.RECORDS_PATH, wire.encode_changes(changes), changes=len(changes))

    def _call(self, call: str, method: str, path: str, body: bytes | None = None, *, changes: int = 0) -> WebhookAnswer:
        self.rate_limiter.acquire(call, changes=changes)
        if changes:
            self._settings.calls.require_can_write(f"{_CALL} {call}")
        with measure_call(self._settings.calls.on_call, call) as measured:
            answer = self._send(call, method, path, body)
            measured.failure = _find_failure(answer)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS and call != ADJUST:  # one record may be what it is about
            self.rate_limiter.record_throttle(call, changes=changes)
        elif measured.failure is None:
            self.rate_limiter.record_success(call)
        return answer

    def _send(self, call: str, method: str, path: str, body: bytes | None) -> WebhookAnswer:
        """Send one request, and read the whole answer within the time limit."""
        began_s, status = time.monotonic(), UNANSWERED
        connection = self._open(call)
        left_s = began_s + self._settings.timeout_s - time.monotonic()
        try:
            with limit_exchange(connection.sock, left_s):
                connection.request(method, (self._url.path.rstrip("/") + path) or "/", body, self._build_headers(body))
                response = connection.getresponse()
                status = response.status
                content_type = response.headers.get("Content-Type", "")
                answer = WebhookAnswer(status, content_type, self._read_body(call, response))
        except TimeoutError as exc:
            detail = f"no complete answer within {self._settings.timeout_s:g}s"
            raise _build_failure(FailureKind.UNANSWERED, call, _TIMEOUT, detail) from exc
        except (OSError, HTTPException, ValueError) as exc:
            raise _build_failure(FailureKind.UNANSWERED, call, type(exc).__name__, sanitize(str(exc))) from exc
        finally:
            connection.close()
            seconds = time.monotonic() - began_s
            url = f"{self._url.scheme}://{self._url.netloc.rpartition('@')[2]}{self._url.path.rstrip('/')}{path}"
            self._settings.calls.on_request(ApiRequest(method=method, url=url, status=status, seconds=seconds))
        return answer

    def _open(self, call: str) -> HTTPConnection:
        try:
            connection = self._build_connection()
            try:
                connection.connect()
            except BaseException:
                connection.close()
                raise
        except (OSError, ValueError) as exc:  # ValueError: a host that IDNA cannot encode
            address = self._url.netloc.rpartition("@")[2]
            code, detail = f"cannot connect to {address}", describe_cause(exc, _MAX_TEXT)
            raise UnreachableError(FailureKind.RETRYABLE, f"{_CALL} {call}", "", code, detail) from exc
        return connection

    def _build_connection(self) -> HTTPConnection:
        host, port, timeout_s = self._url.hostname or "", self._url.port, self._settings.timeout_s
        if self._url.scheme == "https":
            return HTTPSConnection(host, port, timeout=timeout_s, context=self._tls)
        return HTTPConnection(host, port, timeout=timeout_s)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        bundle = find_ca_bundle(os.environ, sdk_variable="")
        try:
            return ssl.create_default_context(cafile=bundle or None)
        except OSError as exc:  # its text does not name the file
            raise OSError(f"cannot read trusted certificates from {bundle}: {exc}") from exc

    def _build_headers(self, body: bytes | None) -> dict[str, str]:
        headers = {"Accept": wire.MEDIA_TYPE, "User-Agent": "extdns", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = wire.MEDIA_TYPE
        if self._url.username is not None:
            credentials = f"{unquote(self._url.username)}:{unquote(self._url.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(credentials.encode()).decode()}"
        return headers

    def _read_body(self, call: str, response: HTTPResponse) -> bytes:
        limit = wire.limit_body(self._settings.max_body_bytes)
        body = response.read(limit + 1)
        if len(body) > limit:
            detail = f"more than {limit} bytes; see --webhook-provider-max-body-size"
            raise _build_failure(FailureKind.UNANSWERED, call, "answer too large", detail)
        if response.length:
            raise HTTPException(f"the answer ends {response.length} bytes early")
        return body


def _build_failure(kind: FailureKind, call: str, code: str, detail: str) -> CallFailedError:
    return CallFailedError(kind, f"{_CALL} {call}", "", code, detail)


def _find_failure(answer: WebhookAnswer) -> FailureKind | None:
    if answer.status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    if answer.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return FailureKind.FORBIDDEN
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        return FailureKind.RETRYABLE
    return FailureKind.REFUSED


def _build_error(call: str, answer: WebhookAnswer) -> CallFailedError:
    """Return the error for an *answer* to a call that changes nothing."""
    return _build_failure(_find_failure(answer) or FailureKind.RETRYABLE, call, answer.text, "")
