"""HTTP requests to the API of a service: one attempt each, bounded in time and size, through the proxy, if any."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Final, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec
import urllib3
from urllib3 import exceptions as http

from extdns.decoders import build_decoder
from extdns.model.api_request import UNANSWERED, ApiRequest
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, CallFailedError, CallOptions, FailureKind
from providers.common.certificates import find_ca_bundle

T = TypeVar("T")
MAX_BYTES: Final = 64 << 20
_CHUNK_BYTES: Final = 1 << 16
_MAX_WAIT_S: Final = 3600.0
_CONNECTIONS: Final = 16
_NOT_SENT: Final = (http.NewConnectionError, http.NameResolutionError, http.ConnectTimeoutError)


class HttpCall(NamedTuple):
    """A request. *action* and *context* are for messages; *is_write* chooses the time limits."""

    action: str
    method: str
    path: str
    context: str = ""
    body: bytes | None = None
    is_write: bool = False


class HttpAnswer(NamedTuple):
    """A complete response."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def retry_after_s(self) -> float:
        """For how long the service wants no calls, at most an hour; 0 if it does not say."""
        text = self.headers.get("Retry-After", "")
        return min(float(text), _MAX_WAIT_S) if text.isascii() and text.isdecimal() else 0.0


class HttpSender:
    """Sends requests to one address, from any thread."""

    def __init__(self, url: str, calls: CallOptions) -> None:
        self._url = url
        self._calls = calls

    @cached_property
    def _pool(self) -> urllib3.PoolManager:
        """The connections, through the proxy that HTTPS_PROXY and NO_PROXY name, if any. Raises `OSError`."""
        parts = urlsplit(self._url)
        proxy = "" if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme, "")
        bundle = find_ca_bundle(os.environ, sdk_variable="")
        build = partial(urllib3.PoolManager, maxsize=_CONNECTIONS, retries=False, ca_certs=bundle or None)
        if not proxy:
            return build()
        user = unquote(proxy.partition("://")[2].rpartition("@")[0])
        headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
        try:
            return urllib3.ProxyManager(proxy, proxy_headers=headers, **build.keywords)
        except http.HTTPError as exc:  # its text may have the password
            name = f"{parts.scheme.upper()}_PROXY"
            raise OSError(f"{name} is not the address of a proxy, such as http://proxy.example:3128") from exc

    def send(self, call: HttpCall, headers: Mapping[str, str]) -> HttpAnswer:
        """Send *call* with *headers* once. Raises `CallFailedError` if no complete response came."""
        connect_s, read_s = self._calls.write_timeouts_s if call.is_write else DEFAULT_TIMEOUTS_S
        url, status, started_s = self._url + call.path, UNANSWERED, time.monotonic()
        try:
            timeout = urllib3.Timeout(connect=connect_s, read=read_s)
            response = self._pool.request(
                call.method,
                url,
                body=call.body,
                headers={"Content-Type": "application/json", "User-Agent": "extdns", **headers},
                timeout=timeout,
                preload_content=False,
                redirect=False,
            )
            status = response.status
            with response:
                content = _read_body(response, url, started_s + connect_s + read_s)
        except (http.HTTPError, OSError) as exc:
            kind = FailureKind.RETRYABLE if isinstance(exc, _NOT_SENT) else FailureKind.UNANSWERED
            raise CallFailedError(kind, call.action, call.context, type(exc).__name__, str(exc)) from exc
        finally:
            seconds = time.monotonic() - started_s
            self._calls.on_request(ApiRequest(method=call.method, url=url, status=status, seconds=seconds))
        return HttpAnswer(status, response.headers, content)


def _read_body(response: urllib3.BaseHTTPResponse, url: str, deadline_s: float) -> bytes:
    """Return the body of *response*. The timeout of a socket limits each read only."""
    content = bytearray()
    while chunk := response.read1(_CHUNK_BYTES, decode_content=False):
        content += chunk
        if len(content) > MAX_BYTES:
            raise http.ResponseError(f"the answer is longer than {MAX_BYTES} bytes")
        if time.monotonic() > deadline_s:
            raise http.ReadTimeoutError(response, url, "the answer is not complete in time")  # type: ignore[arg-type]
    return bytes(content)


def decode(content: bytes, form: type[T]) -> T | None:
    """Return the JSON *content* as *form*; None if it does not have this form, such as a page of a proxy."""
    try:
        return build_decoder(form).decode(content)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def is_header_text(value: str) -> bool:
    """Return whether *value* can be sent in a header, unlike a credential with a line end."""
    return value.isascii() and value.isprintable()
