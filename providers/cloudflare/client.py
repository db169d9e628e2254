"""Call the API over HTTP: credentials, the rate limit, pages, and errors.

Each call is made once: a batch that was applied and sent again would look like a conflict.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from http import HTTPStatus
from pathlib import Path
from typing import Final, Generic, TypeVar
from urllib.parse import unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec
import urllib3
from urllib3 import exceptions as http

from extdns.errors import sanitize
from extdns.model.api_request import UNANSWERED, ApiRequest
from extdns.model.value import Value
from extdns.model.zone import RateLimitStatus
from providers.cloudflare.entries import CloudflareValue, Operations
from providers.cloudflare.settings import CloudflareSettings
from providers.common.api_calls import DEFAULT_TIMEOUTS_S, CallFailedError, FailureKind, RateLimiter, measure_call
from providers.common.certificates import find_ca_bundle

T = TypeVar("T")
_LIST: Final = "ListZones"
_READ: Final = "ListRecords"
_WRITE: Final = "BatchRecords"
_ZONES_PER_PAGE: Final = 50
_MAX_BYTES: Final = 64 << 20
_CHUNK_BYTES: Final = 1 << 16
_MAX_PAGES: Final = 1000
_MAX_ERRORS: Final = 10
_MAX_TEXT: Final = 500
_MAX_WAIT_S: Final = 3600.0
_CONNECTIONS: Final = 16
_NOT_SENT: Final = (http.NewConnectionError, http.NameResolutionError, http.ConnectTimeoutError, http.SSLError)
_READ_TRIES: Final = 3
_CREDENTIALS_CODES: Final = frozenset({6003, 6111, 6103})  # a malformed header
_FORBIDDEN_CODES: Final = frozenset({9109, 10000})
_REMEDY: Final = "set CF_API_TOKEN to a token with the permissions Zone Read and DNS Write"


class CloudflarePlan(Value, frozen=True, kw_only=True):
    """The plan of a zone, such as `free`."""

    legacy_id: str = ""


class CloudflareZone(Value, frozen=True, kw_only=True):
    """A zone. *permissions* are those of the credentials, if the API tells them."""

    id: str
    name: str
    type: str = "full"
    plan: CloudflarePlan = CloudflarePlan()
    permissions: tuple[str, ...] = ()


class _Error(Value, frozen=True, kw_only=True):
    code: int = 0
    message: str = ""
    error_chain: tuple[_Error, ...] = ()

    @property
    def innermost(self) -> _Error:
        found = self
        while found.error_chain:
            found = found.error_chain[0]
        return found


class _PageInfo(Value, frozen=True, kw_only=True):
    total_count: int = 0
    total_pages: int = 1


class _Answer(Value, Generic[T], frozen=True, kw_only=True):
    """The envelope of every answer."""

    success: bool = False
    errors: tuple[_Error, ...] = ()
    result: T | None = None
    result_info: _PageInfo | None = None


class BatchResult(Value, frozen=True, kw_only=True):
    """The values after a batch: those that it patched and posted."""

    patches: tuple[CloudflareValue, ...] | None = ()
    posts: tuple[CloudflareValue, ...] | None = ()

    @property
    def entries(self) -> tuple[CloudflareValue, ...]:
        """All values that the batch wrote."""
        return (*(self.patches or ()), *(self.posts or ()))


class CloudflareApi:
    """Calls the API, from any thread. Every call raises only `CallFailedError`."""

    def __init__(self, settings: CloudflareSettings, rate_limiter: RateLimiter) -> None:
        """Prepare calls; nothing is sent yet. *rate_limiter* delays calls to the allowed rate."""
        self._settings = settings
        self._rate_limiter = rate_limiter

    @cached_property
    def _pool(self) -> urllib3.PoolManager:
        """The connections, through the proxy that HTTPS_PROXY and NO_PROXY name, if any. Raises `OSError`."""
        parts = urlsplit(self._settings.url)
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

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return how many calls may be made now."""
        return self._rate_limiter.read_rate_limits()

    def list_zones(self) -> tuple[tuple[CloudflareZone, ...], int]:
        """Return all zones that the credentials can see, and the number of calls that this took."""
        form = _Answer[tuple[CloudflareZone, ...]]
        pages = list(self._read_pages(_LIST, "/zones", {"per_page": _ZONES_PER_PAGE}, form))
        return tuple(zone for page in pages for zone in page.result or ()), len(pages)

    def get_zone(self, zone_id: str) -> CloudflareZone:
        """Return one zone."""
        answer = self._call(_LIST, "GET", f"/zones/{zone_id}", _Answer[CloudflareZone], f"zone {zone_id}")
        if answer.result is None:
            raise CallFailedError(FailureKind.UNANSWERED, _LIST, f"zone {zone_id}", "no result", "")
        return answer.result

    def read(self, zone_id: str, context: str, name: str = "") -> tuple[tuple[CloudflareValue, ...], int]:
        """Return all values of a zone, or of one name in it, and the number of pages.

        Pages are cut by position, so a change between two of them hides or repeats values. Then they are read again.
        """
        path, chosen = _build_records_path(zone_id), {"name.exact": name} if name else {"order": "name"}
        query = {"per_page": self._settings.page_items, **chosen}
        for _ in range(_READ_TRIES):
            pages = list(self._read_pages(_READ, path, query, _Answer[tuple[CloudflareValue, ...]], context))
            entries = {entry.id: entry for page in pages for entry in page.result or ()}
            total = {page.result_info.total_count if page.result_info else len(entries) for page in pages}
            if total == {len(entries)}:
                return tuple(entries.values()), len(pages)
        detail = f"the zone changed during each of {_READ_TRIES} reads"
        raise CallFailedError(FailureKind.RETRYABLE, _READ, context, "inconsistent pages", detail)

    def _read_pages(
        self, call: str, path: str, query: Mapping[str, object], form: type[_Answer[T]], context: str = ""
    ) -> Iterator[_Answer[T]]:
        page = pages = 1
        while page <= pages:
            answer = self._call(call, "GET", f"{path}?{urlencode({'page': page, **query})}", form, context)
            pages = answer.result_info.total_pages if answer.result_info else 1
            if pages > _MAX_PAGES:
                detail = f"the answer names {pages} pages; allowed: {_MAX_PAGES}"
                raise CallFailedError(FailureKind.UNANSWERED, call, context, "too many pages", detail)
            page += 1
            yield answer

    def write(self, zone_id: str, operations: Operations, context: str) -> BatchResult:
        """Make *operations*, all or none, and return the values that were written."""
        path, body = f"{_build_records_path(zone_id)}/batch", operations.encode()
        changes = len(operations.deletes) + len(operations.patches) + len(operations.posts)
        answer = self._call(_WRITE, "POST", path, _Answer[BatchResult], context, body=body, changes=changes)
        return answer.result or BatchResult()

    def _call(
        self,
        call: str,
        method: str,
        path: str,
        form: type[_Answer[T]],
        context: str = "",
        *,
        body: bytes | None = None,
        changes: int = 0,
    ) -> _Answer[T]:
        self._rate_limiter.acquire(call, changes=changes)
        headers = {**_read_credentials(call, context), "Content-Type": "application/json", "User-Agent": "extdns"}
        if changes:
            self._settings.calls.require_can_write(call, context)
        with measure_call(self._settings.calls.on_call, call):
            response, content = self._send(call, method, path, headers, body, context)
            answer = _decode(content, form)
            if response.status == HTTPStatus.TOO_MANY_REQUESTS:
                wait_s = _parse_seconds(response.headers.get("Retry-After", ""))
                self._rate_limiter.record_throttle(call, changes=changes, wait_s=wait_s)
            if answer is None or not answer.success:
                raise _build_error(call, context, response.status, content, answer.errors if answer else ())
        self._rate_limiter.record_success(call)
        return answer

    def _send(
        self, call: str, method: str, path: str, headers: Mapping[str, str], body: bytes | None, context: str
    ) -> tuple[urllib3.BaseHTTPResponse, bytes]:
        connect_s, read_s = self._settings.calls.write_timeouts_s if body else DEFAULT_TIMEOUTS_S
        url, status, started_s = self._settings.url + path, UNANSWERED, time.monotonic()
        try:
            timeout = urllib3.Timeout(connect=connect_s, read=read_s)
            response = self._pool.request(
                method, url, body=body, headers=headers, timeout=timeout, preload_content=False
            )
            status = response.status
            with response:
                content = _read_body(response, url, started_s + connect_s + read_s)
        except (http.HTTPError, OSError) as exc:
            kind = FailureKind.RETRYABLE if isinstance(exc, _NOT_SENT) else FailureKind.UNANSWERED
            raise CallFailedError(kind, call, context, type(exc).__name__, str(exc)) from exc
        finally:
            seconds = time.monotonic() - started_s
            self._settings.calls.on_request(ApiRequest(method=method, url=url, status=status, seconds=seconds))
        return response, content


def _build_records_path(zone_id: str) -> str:
    return f"/zones/{zone_id}/dns_records"


def _read_body(response: urllib3.BaseHTTPResponse, url: str, deadline_s: float) -> bytes:
    """Return the body of *response*. The timeout of a socket limits each read only."""
    content = bytearray()
    while chunk := response.read1(_CHUNK_BYTES, decode_content=False):
        content += chunk
        if len(content) > _MAX_BYTES:
            raise http.ResponseError(f"the answer is longer than {_MAX_BYTES} bytes")
        if time.monotonic() > deadline_s:
            raise http.ReadTimeoutError(response, url, "the answer is not complete in time")  # type: ignore[arg-type]
    return bytes(content)


def _read_credentials(call: str, context: str) -> dict[str, str]:
    """Return the headers with the credentials in the environment. A file with the token is read for each call.

    The variables are those of external-dns: `CF_API_TOKEN` (a token, or `file:PATH`), or `CF_API_KEY` and
    `CF_API_EMAIL`.
    """
    token = os.environ.get("CF_API_TOKEN", "").strip()
    try:
        if token.startswith("file:"):
            token = Path(token.removeprefix("file:")).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as exc:
        detail = f"CF_API_TOKEN names a file that cannot be read: {exc}"
        raise CallFailedError(FailureKind.CREDENTIALS, call, context, "no credentials", detail) from exc
    if token:
        headers = {"Authorization": f"Bearer {token}"}
    elif (key := os.environ.get("CF_API_KEY", "")) and (email := os.environ.get("CF_API_EMAIL", "")):
        headers = {"X-Auth-Key": key.strip(), "X-Auth-Email": email.strip()}
    else:
        raise CallFailedError(FailureKind.CREDENTIALS, call, context, "no credentials", _REMEDY)
    if not all(value.isascii() and value.isprintable() for value in headers.values()):
        detail = f"the credentials contain a character that no token has, such as a line end; {_REMEDY}"
        raise CallFailedError(FailureKind.CREDENTIALS, call, context, "malformed credentials", detail)
    return headers


def _decode(content: bytes, form: type[_Answer[T]]) -> _Answer[T] | None:
    """Return the answer; None if it does not have the form of the API, such as a page of a proxy."""
    try:
        return msgspec.json.decode(content, type=form)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _parse_seconds(text: str) -> float:
    return min(float(text), _MAX_WAIT_S) if text.isascii() and text.isdecimal() else 0.0


def _build_error(call: str, context: str, status: int, content: bytes, errors: tuple[_Error, ...]) -> CallFailedError:
    found = [error.innermost for error in errors[:_MAX_ERRORS]]
    code = found[0].code if found else 0
    texts = tuple(f"{sanitize(one.message, _MAX_TEXT)} ({one.code})" for one in found)
    detail = "; ".join(texts) or sanitize(content[:200].decode("utf-8", "replace"), 200)
    return CallFailedError(_find_kind(status, code), call, context, str(code or status), detail, messages=texts)


def _find_kind(status: int, code: int) -> FailureKind:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return FailureKind.RETRYABLE
    if status == HTTPStatus.UNAUTHORIZED or code in _CREDENTIALS_CODES:
        return FailureKind.CREDENTIALS
    if status == HTTPStatus.FORBIDDEN or code in _FORBIDDEN_CODES:
        return FailureKind.FORBIDDEN
    if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return FailureKind.REFUSED
    return FailureKind.UNANSWERED  # also a success without the form of the API: the batch may have been applied
