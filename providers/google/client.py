"""Call Cloud DNS: credentials, calls and their errors. The only module that imports Google's libraries.

google-auth only finds the credentials and authorizes the requests, which are those of the documented REST resources.
Only two kinds of request are sent again: a read whose connection broke, and a request that the service rejected because
of an expired token. If a change that was applied were sent again, it would look like a write conflict.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from threading import Lock
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote

import google.auth
import requests
from google.auth import exceptions as auth
from google.auth.credentials import AnonymousCredentials, Credentials
from google.auth.environment_vars import PROJECT
from google.auth.transport.requests import AuthorizedSession, Request
from requests.adapters import HTTPAdapter

from extdns.model.api_request import UNANSWERED, ApiRequest
from extdns.model.zone import Zone
from providers.common.api_calls import (
    DEFAULT_TIMEOUTS_S,
    CallFailedError,
    FailureKind,
    RateLimiter,
    measure_call,
)
from providers.common.certificates import find_ca_bundle
from providers.google import record_sets
from providers.google.record_sets import CloudDnsPage, CloudDnsRecordSet, ManagedZone, ProjectLimits
from providers.google.settings import GoogleSettings

_NAME: Final = "extdns"
_URL: Final = "https://dns.googleapis.com"
_SCOPE: Final = "https://www.googleapis.com/auth/ndev.clouddns.readwrite"
_CHANGE: Final = "changes.create"
_CONNECTIONS: Final = 16
_RATE_REASONS: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"})
_RATE_MESSAGE: Final = "Quota exceeded for quota "  # messages of the API gateway about quotas start with it
_NOT_SENT: Final = frozenset({"NewConnectionError", "NameResolutionError", "ConnectTimeoutError"})
_Json = Mapping[str, Any]


class _Connection(NamedTuple):
    """A session that sends the credentials, and the URL of the project."""

    session: requests.Session
    url: str

    def read(self, path: str, query: Mapping[str, str] | None = None) -> _Json:
        """Send a read and return the response. Send it again if the connection broke after it may have been sent."""
        try:
            return self.send("GET", path, query=query)
        except requests.ConnectionError as exc:
            if _is_unsent(exc):
                raise
            return self.send("GET", path, query=query)

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: _Json | None = None,
        timeouts_s: tuple[float, float] = DEFAULT_TIMEOUTS_S,
    ) -> _Json:
        """Send a request about the resource *path* of the project, and return the response."""
        params = {**(query or {}), "prettyPrint": "false"}
        response = self.session.request(method, f"{self.url}{path}", params=params, json=body, timeout=timeouts_s)
        if not HTTPStatus.OK <= response.status_code < HTTPStatus.MULTIPLE_CHOICES:
            raise requests.HTTPError(response=response)
        found: _Json = response.json()
        return found


class CloudDnsApi:
    """Calls Cloud DNS for one project, from any thread. Every call raises only `CallFailedError`."""

    def __init__(self, settings: GoogleSettings, rate_limiter: RateLimiter) -> None:
        """Create an API. The first call looks for credentials; *rate_limiter* delays calls to the allowed rate."""
        self._settings = settings
        self.rate_limiter = rate_limiter
        self._lock = Lock()
        self._connection: _Connection | None = None

    def list_zones(self) -> tuple[tuple[ManagedZone, ...], int]:
        """Return all zones of the project, from all pages, and the number of calls that it took."""
        found: list[ManagedZone] = []
        query: dict[str, str] = {}
        calls = 0
        while True:
            calls += 1
            with self._call("managedZones.list") as connection:
                answer = connection.read("/managedZones", query)
                found += map(record_sets.parse_zone, answer.get("managedZones", ()))
            if not answer.get("nextPageToken"):
                return tuple(found), calls
            query = {"pageToken": answer["nextPageToken"]}

    def get_zone(self, name: str) -> ManagedZone:
        """Return one zone, by name or number."""
        with self._call("managedZones.get", f"zone {name}") as connection:
            return record_sets.parse_zone(connection.read(_build_zone_path(name)))

    def get_limits(self) -> ProjectLimits:
        """Return the limits of the project."""
        with self._call("projects.get") as connection:
            return record_sets.parse_limits(connection.read("").get("quota", {}))

    def list_record_sets(self, zone: Zone, *, name: str, after: str, limit: int) -> CloudDnsPage:
        """Return a page of at most *limit* record sets of *zone*.

        *name* has a dot at the end; "" reads all record sets. *after* is the token of the page, "" for the first.
        """
        query = {"maxResults": str(limit), "name": name, "pageToken": after}
        with self._call("resourceRecordSets.list", f"zone {zone}") as connection:
            path = f"{_build_zone_path(zone.id)}/rrsets"
            answer = connection.read(path, {field: text for field, text in query.items() if text})
            sets = tuple(map(record_sets.parse_record_set, answer.get("rrsets", ())))
        return CloudDnsPage(sets=sets, after=answer.get("nextPageToken", ""))

    def test_permissions(self, zone: Zone, permissions: Sequence[str]) -> frozenset[str]:
        """Return which of *permissions* our credentials have on *zone*; none if the zone does not exist."""
        with self._call("managedZones.testIamPermissions", f"zone {zone}") as connection:
            path = f"{_build_zone_path(zone.id)}:testIamPermissions"
            answer = connection.send("POST", path, body={"permissions": list(permissions)})
            return frozenset(answer.get("permissions", ()))

    def create_change(
        self, zone: Zone, additions: Sequence[CloudDnsRecordSet], deletions: Sequence[CloudDnsRecordSet]
    ) -> str:
        """Send a change, and return the id that the service gave it."""
        body: dict[str, Any] = {"kind": "dns#change"}
        if additions:
            body["additions"] = [record_sets.serialize_record_set(one) for one in additions]
        if deletions:
            body["deletions"] = [record_sets.serialize_record_set(one) for one in deletions]
        with self._call(_CHANGE, f"zone {zone}", changes=len(additions) + len(deletions)) as connection:
            path, timeouts_s = f"{_build_zone_path(zone.id)}/changes", self._settings.calls.write_timeouts_s
            answer = connection.send("POST", path, body=body, timeouts_s=timeouts_s)
            return str(answer["id"])

    @contextmanager
    def _call(self, method: str, context: str = "", *, changes: int = 0) -> Iterator[_Connection]:
        """Wait until the rate limit allows the call, and yield the connection."""
        self.rate_limiter.acquire(method, changes=changes)
        with (
            measure_call(self._settings.calls.on_call, method),
            self._translate_errors(method, context, changes) as connection,
        ):
            yield connection

    @contextmanager
    def _translate_errors(self, method: str, context: str, changes: int) -> Iterator[_Connection]:
        """Yield the connection. Raise all errors as `CallFailedError`, with the original as the cause."""
        call = f"dns.{method}"
        try:
            yield self._connect()
            self.rate_limiter.record_success(method)
        except requests.HTTPError as exc:
            response = cast("requests.Response", exc.response)
            failed = _build_failure(response, call, context)
            if failed.code in _RATE_REASONS or response.status_code == requests.codes.too_many_requests:
                self.rate_limiter.record_throttle(method, changes=changes)
            raise failed from exc
        except auth.GoogleAuthError as exc:
            self._connection = None  # credentials may exist by the next call
            kind = FailureKind.RETRYABLE if isinstance(exc, auth.TransportError) else FailureKind.CREDENTIALS
            raise CallFailedError(kind, call, context, type(exc).__name__, str(exc)) from exc
        except requests.RequestException as exc:
            kind = FailureKind.RETRYABLE if _is_unsent(exc) else FailureKind.UNANSWERED
            raise CallFailedError(kind, call, context, type(exc).__name__, str(exc)) from exc
        except (ValueError, LookupError, TypeError, AttributeError) as exc:  # not the documented form of a response
            raise CallFailedError(FailureKind.UNANSWERED, call, context, type(exc).__name__, str(exc)) from exc
        except OSError as exc:
            raise CallFailedError(FailureKind.CREDENTIALS, call, context, type(exc).__name__, str(exc)) from exc

    def _connect(self) -> _Connection:
        with self._lock:
            if self._connection is None:
                self._connection = _build_connection(self._settings)
            return self._connection


def build_api(settings: GoogleSettings) -> CloudDnsApi:
    """Return an API for the project in *settings*."""
    return CloudDnsApi(settings, RateLimiter(rate=settings.calls.rate_limit, pause_s=settings.pause_s))


def _build_connection(settings: GoogleSettings) -> _Connection:
    if settings.project:  # otherwise the SDK calls another service to find the project of a federated identity
        os.environ[PROJECT] = settings.project
    credentials, default_project = _credentials(settings.endpoint)
    project = settings.project or default_project
    if not project:
        raise auth.DefaultCredentialsError("the credentials do not name a project; set --google-project")
    session = requests.Session()
    if not isinstance(credentials, AnonymousCredentials):
        session = AuthorizedSession(credentials, auth_request=Request(_prepare_session(requests.Session(), settings)))
    session.headers["User-Agent"] = _NAME
    url = f"{settings.endpoint.rstrip('/') or _URL}/dns/v1/projects/{quote(project, safe='')}"
    return _Connection(_prepare_session(session, settings), url)


def _credentials(endpoint: str) -> tuple[Credentials, str | None]:
    """Return the application default credentials and their project; no credentials if *endpoint* is without TLS."""
    if endpoint.startswith("http:"):
        return AnonymousCredentials(), None
    return google.auth.default(scopes=[_SCOPE])


class _Adapter(HTTPAdapter):
    """Keeps connections for all threads, and checks before each attempt of a change whether it may begin.

    google-auth may fetch a token before the first attempt, and again before the second if the service rejects it. That
    can take seconds.
    """

    def __init__(self, settings: GoogleSettings) -> None:
        super().__init__(pool_maxsize=_CONNECTIONS)
        self._settings = settings

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:  # noqa: ANN401 - as in the base class
        if request.method == "POST" and request.path_url.partition("?")[0].endswith("/changes"):
            self._settings.calls.require_can_write(f"dns.{_CHANGE}")
        status, start_s = UNANSWERED, time.monotonic()
        try:
            answer = super().send(request, *args, **kwargs)
            status = answer.status_code
        finally:
            seconds = time.monotonic() - start_s
            self._settings.calls.on_request(
                ApiRequest(method=request.method or "", url=request.url or "", status=status, seconds=seconds)
            )
        return answer


def _prepare_session(session: requests.Session, settings: GoogleSettings) -> requests.Session:
    """Make *session* use `_Adapter` for all URLs, and trust the certificates that a Go program would; return it."""
    for scheme in ("https://", "http://"):
        session.mount(scheme, _Adapter(settings))
    session.verify = find_ca_bundle(os.environ, sdk_variable="REQUESTS_CA_BUNDLE") or True
    return session


def _build_zone_path(zone: str) -> str:
    return f"/managedZones/{quote(zone, safe='')}"


def _is_unsent(exc: requests.RequestException) -> bool:
    """Return whether the request was certainly not sent."""
    if isinstance(exc, requests.ConnectTimeout | requests.exceptions.ProxyError | requests.exceptions.SSLError):
        return True
    inner = exc.args[0] if exc.args else None
    return type(getattr(inner, "reason", inner)).__name__ in _NOT_SENT


def _build_failure(response: requests.Response, call: str, context: str) -> CallFailedError:
    try:
        error = response.json()["error"]
        errors, message = error.get("errors", ()), error.get("message")
    except (ValueError, LookupError, TypeError, AttributeError):  # such as the page of a proxy
        errors, message = (), response.text
    errors = [error for error in errors if isinstance(error, Mapping)]
    status = response.status_code
    reason = next((str(error["reason"]) for error in errors if error.get("reason")), "") or str(status)
    parts = tuple(str(error["message"]) for error in errors if error.get("message"))
    other = f"{response.request.method} {response.url}: {message or 'unknown error'}"
    detail = "; ".join(dict.fromkeys(parts)) or other
    return CallFailedError(_find_kind(status, reason, detail), call, context, reason, detail, messages=parts)


def _find_kind(status: int, reason: str, detail: str) -> FailureKind:
    if status == requests.codes.unauthorized:
        return FailureKind.CREDENTIALS
    if status >= 500:  # noqa: PLR2004 - server errors
        return FailureKind.UNANSWERED  # as if no response had come: it may have been made, or the records are to blame
    if status == requests.codes.too_many_requests or reason in _RATE_REASONS or detail.startswith(_RATE_MESSAGE):
        return FailureKind.RETRYABLE
    if status == requests.codes.forbidden and reason != "quotaExceeded":
        return FailureKind.FORBIDDEN
    return FailureKind.REFUSED
