"""Call the API over HTTP: credentials, the rate limit, pages, and errors.

Each call is made once: a batch that was applied and sent again would look like a conflict.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from extdns.errors import sanitize
from extdns.model.value import Value
from providers.cloudflare.entries import CloudflareValue, Operations
from providers.cloudflare.flags import DEFAULT_AUTHORITY
from providers.cloudflare.settings import CloudflareSettings
from providers.common.api_calls import CallFailedError, FailureKind, RateLimiter, measure_call
from providers.common.http_calls import HttpCall, HttpSender, decode, is_header_text

T = TypeVar("T")
_LIST: Final = "ListZones"
_READ: Final = "ListRecords"
_WRITE: Final = "BatchRecords"
_READ_REGIONS: Final = "ListRegionalHostnames"
_WRITE_REGION: Final = "ChangeRegionalHostname"
_READ_CUSTOM: Final = "ListCustomHostnames"
_WRITE_CUSTOM: Final = "ChangeCustomHostname"
_CUSTOM_PER_PAGE: Final = 50
_ZONES_PER_PAGE: Final = 50
_MAX_PAGES: Final = 1000
_MAX_ERRORS: Final = 10
_MAX_TEXT: Final = 500
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


class _RegionalHostname(Value, frozen=True, kw_only=True):
    hostname: str
    region_key: str = ""


class CustomHostname(Value, frozen=True, kw_only=True):
    """A hostname of a customer, whose requests go to *custom_origin_server*; None is the origin of the zone."""

    id: str
    hostname: str
    custom_origin_server: str | None = None


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
        self._settings = settings
        self.rate_limiter = rate_limiter
        self._sender = HttpSender(settings.url, settings.calls)

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
        path, body = f"{_build_records_path(zone_id)}/batch", msgspec.json.encode(operations)
        changes = len(operations.deletes) + len(operations.patches) + len(operations.posts)
        answer = self._call(_WRITE, "POST", path, _Answer[BatchResult], context, body=body, changes=changes)
        return answer.result or BatchResult()

    def list_regions(self, zone_id: str) -> dict[str, str]:
        """Return the region of each regional hostname of a zone."""
        form = _Answer[tuple[_RegionalHostname, ...]]
        pages = self._read_pages(_READ_REGIONS, _build_regions_path(zone_id), {}, form, f"zone {zone_id}")
        return {one.hostname: one.region_key for page in pages for one in page.result or ()}

    def set_region(self, zone_id: str, name: str, held: str, region: str) -> None:
        """Give the hostname *name*, whose region is *held*, another *region*; "" is none."""
        path = _build_regions_path(zone_id)
        fields = {"region_key": region} if held else {"hostname": str(name), "region_key": region}
        method = "POST" if not held else "PATCH" if region else "DELETE"
        path = f"{path}/{quote(name)}" if held else path
        self._change(_WRITE_REGION, method, path, name, fields if region else None)

    def list_custom_hostnames(self, zone_id: str) -> tuple[CustomHostname, ...]:
        """Return the custom hostnames of a zone."""
        form, query = _Answer[tuple[CustomHostname, ...]], {"per_page": _CUSTOM_PER_PAGE}
        pages = self._read_pages(_READ_CUSTOM, f"/zones/{zone_id}/custom_hostnames", query, form, f"zone {zone_id}")
        return tuple(one for page in pages for one in page.result or ())

    def add_custom_hostname(self, zone_id: str, hostname: str, origin: str) -> None:
        """Make a custom hostname whose requests go to *origin*, with a certificate that is validated by HTTP."""
        ssl: dict[str, Any] = {"type": "dv", "method": "http", "bundle_method": "ubiquitous"}
        ssl["settings"] = {"min_tls_version": self._settings.min_tls_version}
        if self._settings.certificate_authority != DEFAULT_AUTHORITY:
            ssl["certificate_authority"] = self._settings.certificate_authority
        fields = {"hostname": hostname, "custom_origin_server": str(origin), "ssl": ssl}
        self._change(_WRITE_CUSTOM, "POST", f"/zones/{zone_id}/custom_hostnames", origin, fields)

    def delete_custom_hostname(self, zone_id: str, held: CustomHostname, origin: str) -> None:
        """Delete a custom hostname, whose requests went to *origin*."""
        self._change(_WRITE_CUSTOM, "DELETE", f"/zones/{zone_id}/custom_hostnames/{quote(held.id)}", origin, None)

    def _change(self, call: str, method: str, path: str, name: str, fields: Mapping[str, Any] | None) -> None:
        body = None if fields is None else msgspec.json.encode(fields)
        self._call(call, method, path, _Answer[Any], f"name {name}", body=body, changes=1)

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
        self.rate_limiter.acquire(call, changes=changes)
        headers = _read_credentials(call, context)
        if changes:
            self._settings.calls.require_can_write(call, context)
        with measure_call(self._settings.calls.on_call, call):
            got = self._sender.send(HttpCall(call, method, path, context, body, is_write=body is not None), headers)
            answer = decode(got.content, form)
            if got.status == HTTPStatus.TOO_MANY_REQUESTS:
                self.rate_limiter.record_throttle(call, changes=changes, wait_s=got.retry_after_s)
            if answer is None or not answer.success:
                raise _build_error(call, context, got.status, got.content, answer.errors if answer else ())
        self.rate_limiter.record_success(call)
        return answer


def _build_records_path(zone_id: str) -> str:
    return f"/zones/{zone_id}/dns_records"


def _build_regions_path(zone_id: str) -> str:
    return f"/zones/{zone_id}/addressing/regional_hostnames"


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
    if not all(map(is_header_text, headers.values())):
        detail = f"the credentials contain a character that no token has, such as a line end; {_REMEDY}"
        raise CallFailedError(FailureKind.CREDENTIALS, call, context, "malformed credentials", detail)
    return headers


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
