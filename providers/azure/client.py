"""Call the REST API: tokens, rate limits, pages, and errors.

Each call is made once, but for one whose token is refused: a conditional write that was made and sent again would look
like a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from http.client import HTTPS_PORT
from threading import Lock
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from extdns.errors import sanitize
from extdns.model.value import Value
from extdns.model.zone import RateLimitStatus
from providers.azure.credentials import IdentityTokens
from providers.azure.records import AzureRecordSet, lower_keys
from providers.azure.settings import CREATE, DELETE, GET, LIST, MAX_PAGE_ITEMS, UPDATE, ZONES, AzureSettings
from providers.common.api_calls import CallFailedError, FailureKind, RateLimiter, measure_call
from providers.common.http_calls import HttpAnswer, HttpCall, HttpSender, decode, is_header_text

T = TypeVar("T")
PRECONDITION: Final = "PreconditionFailed"
CONFLICT: Final = "Conflict"
EXPIRED: Final = "InvalidAuthenticationToken"
_CODES: Final[Mapping[int, str]] = {HTTPStatus.UNAUTHORIZED: EXPIRED, HTTPStatus.PRECONDITION_FAILED: PRECONDITION}
_NO_SET: Final = "NotFound"
"""A record set does not exist. For zones and what is above them, other codes end with this word."""

_VERSIONS: Final = {False: "2018-05-01", True: "2024-06-01"}
_PERMISSIONS: Final = "providers/Microsoft.Authorization/permissions?api-version=2022-04-01"
_LOCKS: Final = "providers/Microsoft.Authorization/locks?api-version=2016-09-01"
_MAX_PAGES: Final = 1000
_MAX_TEXT: Final = 500
_PENDING: Final = "Another operation is pending"
_OF_SUBSCRIPTION: Final = frozenset({"SubscriptionRequestsThrottled", "TooManyRequests"})
_FORBIDDEN: Final = frozenset({"ScopeLocked", "MissingSubscriptionRegistration"})


class ZoneNumbers(Value, frozen=True, kw_only=True):
    """How many record sets a zone has, and may have."""

    numberOfRecordSets: int = 0  # noqa: N815 - the names of the API
    maxNumberOfRecordSets: int = 0  # noqa: N815


class AzureZone(Value, frozen=True, kw_only=True):
    """A zone."""

    name: str
    properties: ZoneNumbers = ZoneNumbers()


class Role(Value, frozen=True, kw_only=True):
    """What the caller may do, with wildcards."""

    actions: tuple[str, ...] = ()
    notActions: tuple[str, ...] = ()  # noqa: N815 - the names of the API


class _LockLevel(Value, frozen=True, kw_only=True):
    level: str = ""


class _Lock(Value, frozen=True, kw_only=True):
    properties: _LockLevel = _LockLevel()


class _Page(Value, Generic[T], frozen=True, kw_only=True):
    value: tuple[T, ...] = ()
    nextLink: str | None = None  # noqa: N815 - the names of the API


class _ErrorText(Value, frozen=True, kw_only=True):
    code: str = ""
    message: str = ""


class _AzureError(_ErrorText, frozen=True, kw_only=True):
    """An error of Azure Resource Manager, or of the DNS service, which has no envelope."""

    error: _ErrorText | None = None


class AzureApi:
    """Calls the API, from any thread. Every call raises only `CallFailedError`."""

    def __init__(
        self, settings: AzureSettings, tokens: IdentityTokens, build_limiter: Callable[..., RateLimiter] = RateLimiter
    ) -> None:
        """Prepare calls; nothing is sent yet. *build_limiter* makes limiters: of the subscription, and of each zone."""
        self._settings = settings
        self._tokens = tokens
        self._build_limiter = build_limiter
        self._subscription = build_limiter(rate=settings.calls.rate_limit)
        self._zones: dict[str, RateLimiter] = {}
        self._lock = Lock()
        self._sender = HttpSender(settings.url, settings.calls)
        self._version = f"api-version={_VERSIONS[settings.private]}"

    def read_rate_limits(self) -> tuple[RateLimitStatus, ...]:
        """Return how many calls may be made now: for the subscription, then for each zone."""
        with self._lock:
            limiters = (self._subscription, *(self._zones[name] for name in sorted(self._zones)))
        return tuple(status for limiter in limiters for status in limiter.read_rate_limits())

    def list_zones(self) -> tuple[tuple[AzureZone, ...], int]:
        """Return all zones of the resource group, and the number of calls that this took."""
        first = f"{self._settings.zones_path}?{self._version}&$top={MAX_PAGE_ITEMS}"
        pages = list(self._read_pages(ZONES, first, "", _Page[AzureZone]))
        return tuple(zone for page in pages for zone in page.value), len(pages)

    def get_zone(self, zone: str) -> AzureZone:
        """Return the zone with the name *zone*."""
        return self._read(ZONES, f"{self._build_path(zone)}?{self._version}", zone, AzureZone)

    def read_roles(self, zone: str) -> tuple[Role, ...]:
        """Return what the caller may do in *zone*."""
        return self._read(ZONES, f"{self._build_path(zone)}/{_PERMISSIONS}", zone, _Page[Role]).value

    def read_locks(self, zone: str) -> tuple[str, ...]:
        """Return the levels of the locks of *zone*."""
        found = self._read(ZONES, f"{self._build_path(zone)}/{_LOCKS}", zone, _Page[_Lock])
        return tuple(lock.properties.level for lock in found.value)

    def list_sets(self, zone: str) -> tuple[AzureRecordSet, ...]:
        """Return all record sets of *zone*."""
        everything = "ALL" if self._settings.private else "all"
        first = f"{self._build_path(zone)}/{everything}?{self._version}&$top={MAX_PAGE_ITEMS}"
        pages = self._read_pages(LIST, first, zone, _Page[AzureRecordSet])
        return tuple({(one.name, one.rtype): lower_keys(one) for page in pages for one in page.value}.values())

    def get_set(self, zone: str, rtype: str, name: str) -> AzureRecordSet | None:
        """Return one record set; None if there is none."""
        try:
            return lower_keys(self._read(GET, self._build_set_path(zone, rtype, name), zone, AzureRecordSet))
        except CallFailedError as exc:
            if exc.code == _NO_SET:
                return None
            raise

    def put_set(self, zone: str, rtype: str, name: str, content: object, etag: str) -> AzureRecordSet:
        """Create a record set, or replace the one that has *etag* if that is not "", and return it."""
        headers = {"If-Match": etag} if etag else {"If-None-Match": "*"}
        body = msgspec.json.encode(content)
        path = self._build_set_path(zone, rtype, name)
        call = HttpCall(UPDATE if etag else CREATE, "PUT", path, _describe(zone, rtype, name), body, is_write=True)
        answer = self._call(call, zone, headers)
        return lower_keys(_require_form(call, answer, AzureRecordSet))

    def delete_set(self, zone: str, rtype: str, name: str, etag: str) -> None:
        """Delete the record set that has *etag*; that somebody else deleted it is no error."""
        path = self._build_set_path(zone, rtype, name)
        call = HttpCall(DELETE, "DELETE", path, _describe(zone, rtype, name), is_write=True)
        self._call(call, zone, {"If-Match": etag})

    def _build_path(self, zone: str) -> str:
        return f"{self._settings.zones_path}/{quote(zone)}"

    def _build_set_path(self, zone: str, rtype: str, name: str) -> str:
        return f"{self._build_path(zone)}/{rtype}/{quote(name, safe='@*')}?{self._version}"

    def _read_pages(self, action: str, first: str, zone: str, form: type[_Page[T]]) -> Iterator[_Page[T]]:
        """Yield all pages. Their links are followed as given, but to nobody else, since the token goes along."""
        path = first
        for _ in range(_MAX_PAGES):
            page = self._read(action, path, zone, form)
            yield page
            if not page.nextLink:
                return
            found = find_path(page.nextLink, self._settings.url)
            if found is None:
                detail = f"the next page is at {sanitize(page.nextLink, 200)}, not at {self._settings.url}"
                raise CallFailedError(FailureKind.UNANSWERED, action, _describe(zone), "foreign link", detail)
            path = found
        detail = f"the answer has more than {_MAX_PAGES} pages"
        raise CallFailedError(FailureKind.UNANSWERED, action, _describe(zone), "too many pages", detail)

    def _read(self, action: str, path: str, zone: str, form: type[T]) -> T:
        call = HttpCall(action, "GET", path, _describe(zone))
        return _require_form(call, self._call(call, zone, {}), form)

    def _call(self, call: HttpCall, zone: str, headers: Mapping[str, str]) -> HttpAnswer:
        """Make *call*; a second time with a new token if the first one was refused."""
        try:
            return self._call_once(call, zone, headers)
        except CallFailedError as exc:
            if exc.code != EXPIRED:
                raise
        self._tokens.forget()
        return self._call_once(call, zone, headers)

    def _call_once(self, call: HttpCall, zone: str, headers: Mapping[str, str]) -> HttpAnswer:
        limiters, changes = self._get_limiters(zone), int(call.is_write)
        for limiter in limiters:
            limiter.acquire(call.action, changes=changes)
        token = self._tokens.get()
        if not is_header_text(token):
            raise CallFailedError(FailureKind.CREDENTIALS, call.action, call.context, "malformed token", "")
        if call.is_write:
            self._settings.calls.require_can_write(call.action, call.context)
        with measure_call(self._settings.calls.on_call, call.action):
            answer = self._sender.send(call, {"Authorization": f"Bearer {token}", **headers})
            if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
                error = _build_error(call, answer)
                if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                    for limiter in limiters if error.code in _OF_SUBSCRIPTION else limiters[-1:]:
                        limiter.record_throttle(call.action, changes=changes, wait_s=answer.retry_after_s)
                elif error.kind is FailureKind.RETRYABLE:
                    limiters[-1].record_busy(call.action)
                raise error
        for limiter in limiters:
            limiter.record_success(call.action)
        return answer

    def _get_limiters(self, zone: str) -> tuple[RateLimiter, ...]:
        """Return what delays calls about *zone*, "" for none: limits of the subscription, then those of the zone."""
        if not zone:
            return (self._subscription,)
        settings = self._settings
        with self._lock:
            if zone not in self._zones:
                self._zones[zone] = self._build_limiter(
                    zone, rate=settings.calls.rate_limit, actions=settings.rate_limits
                )
            return self._subscription, self._zones[zone]


def find_path(link: str, url: str) -> str | None:
    """Return the path and query of *link*, None if it is not at the server of *url*."""
    try:
        found, own = urlsplit(link), urlsplit(url)
        servers = {(one.scheme, one.hostname, one.port or HTTPS_PORT) for one in (found, own)}
    except ValueError:
        return None
    return f"{found.path}?{found.query}" if len(servers) == 1 else None


def _describe(zone: str, rtype: str = "", name: str = "") -> str:
    return " ".join(filter(None, (rtype, name, "in" if name else "", f"zone {zone}" if zone else "")))


def _require_form(call: HttpCall, answer: HttpAnswer, form: type[T]) -> T:
    found: Any = decode(answer.content, form)
    if found is None:
        detail = sanitize(answer.content[:200].decode("utf-8", "replace"), 200)
        raise CallFailedError(FailureKind.UNANSWERED, call.action, call.context, "not the form of the API", detail)
    return found  # type: ignore[no-any-return]


def _build_error(call: HttpCall, answer: HttpAnswer) -> CallFailedError:
    error = decode(answer.content, _AzureError) or _AzureError()
    found = error.error or error
    detail = sanitize(found.message, _MAX_TEXT) or sanitize(answer.content[:200].decode("utf-8", "replace"), 200)
    code = _CODES.get(answer.status) or sanitize(found.code, 100) or str(answer.status)
    kind = _find_kind(answer.status, code, detail)
    return CallFailedError(kind, call.action, call.context, code, detail)


def _find_kind(status: int, code: str, detail: str) -> FailureKind:
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == HTTPStatus.CONFLICT and detail.startswith(_PENDING)):
        return FailureKind.RETRYABLE
    if status == HTTPStatus.UNAUTHORIZED:
        return FailureKind.CREDENTIALS
    if status == HTTPStatus.FORBIDDEN or code in _FORBIDDEN:
        return FailureKind.FORBIDDEN
    if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.REQUEST_TIMEOUT:
        return FailureKind.REFUSED
    return FailureKind.UNANSWERED  # also for an answer without the form of the API: the write may have been made
