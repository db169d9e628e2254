"""Call Cloud DNS: credentials, calls and their errors. The only module that imports Google's libraries.

The client of google-cloud-dns supports neither routing policies nor page sizes, so we use its connection to call the
documented REST resources. Only two kinds of request are sent again: a read whose connection broke, and a request that
the service rejected because of an expired token. If a change that was applied were sent again, it would look like a
write conflict.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

import google.auth
import requests
from google.api_core.client_info import ClientInfo
from google.api_core.exceptions import GoogleAPICallError
from google.auth import exceptions as auth
from google.auth.credentials import AnonymousCredentials, Credentials
from google.auth.environment_vars import PROJECT
from google.auth.transport.requests import AuthorizedSession, Request
from google.cloud import dns
from requests.adapters import HTTPAdapter

from extdns.model.api_request import UNANSWERED, ApiRequest
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
_CHANGE: Final = "changes.create"
_CONNECTIONS: Final = 16
_RATE_REASONS: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"})
_RATE_MESSAGE: Final = "Quota exceeded for quota "  # messages of the API gateway about quotas start with it
_NOT_SENT: Final = frozenset({"NewConnectionError", "NameResolutionError", "ConnectTimeoutError"})
_Json = Mapping[str, Any]


class CloudDnsApi:
    """Calls Cloud DNS for one project, from any thread. Every call raises only `CallFailedError`."""

    def __init__(self, settings: GoogleSettings, rate_limiter: RateLimiter) -> None:
        """Create an API. The first call looks for credentials; *rate_limiter* delays calls to the allowed rate."""
        self._settings = settings
        self.rate_limiter = rate_limiter
        self._lock = Lock()
        self._client: dns.Client | None = None

    def list_zones(self) -> tuple[tuple[ManagedZone, ...], int]:
        """Return all zones of the project, from all pages, and the number of calls that it took."""
        found: list[ManagedZone] = []
        query: dict[str, str] = {}
        calls = 0
        while True:
            calls += 1
            with self._call("managedZones.list") as connection:
                answer = _send_read(connection, f"{_get_project_path(connection)}/managedZones", query)
                found += map(record_sets.parse_zone, answer.get("managedZones", ()))
            if not answer.get("nextPageToken"):
                return tuple(found), calls
            query = {"pageToken": answer["nextPageToken"]}

    def get_zone(self, name: str) -> ManagedZone:
        """Return one zone, by name or number."""
        with self._call("managedZones.get", f"zone {name}") as connection:
            return record_sets.parse_zone(_send_read(connection, _get_zone_path(connection, name)))

    def get_limits(self) -> ProjectLimits:
        """Return the limits of the project."""
        with self._call("projects.get") as connection:
            return record_sets.parse_limits(_send_read(connection, _get_project_path(connection)).get("quota", {}))

    def list_record_sets(self, zone: str, zone_label: str, *, name: str, after: str, limit: int) -> CloudDnsPage:
        """Return a page of at most *limit* record sets of *zone*, which is a name or number.

        Messages call it *zone_label*. *name* has a dot at the end; "" reads all record sets. *after* is the token of
        the page, "" for the first.
        """
        query = {"maxResults": str(limit), "name": name, "pageToken": after}
        with self._call("resourceRecordSets.list", zone_label) as connection:
            path = f"{_get_zone_path(connection, zone)}/rrsets"
            answer = _send_read(connection, path, {field: text for field, text in query.items() if text})
            sets = tuple(map(record_sets.parse_record_set, answer.get("rrsets", ())))
        return CloudDnsPage(sets=sets, after=answer.get("nextPageToken", ""))

    def test_permissions(self, zone: str, zone_label: str, permissions: Sequence[str]) -> frozenset[str]:
        """Return which of *permissions* our credentials have on *zone*; none if the zone does not exist."""
        with self._call("managedZones.testIamPermissions", zone_label) as connection:
            path = f"{_get_zone_path(connection, zone)}:testIamPermissions"
            body = {"permissions": list(permissions)}
            answer = connection.api_request("POST", path, data=body, timeout=DEFAULT_TIMEOUTS_S)
            return frozenset(answer.get("permissions", ()))

    def create_change(
        self, zone: str, zone_label: str, additions: Sequence[CloudDnsRecordSet], deletions: Sequence[CloudDnsRecordSet]
    ) -> str:
        """Send a change, and return the id that the service gave it."""
        body: dict[str, Any] = {"kind": "dns#change"}
        if additions:
            body["additions"] = [record_sets.serialize_record_set(one) for one in additions]
        if deletions:
            body["deletions"] = [record_sets.serialize_record_set(one) for one in deletions]
        with self._call(_CHANGE, zone_label, changes=len(additions) + len(deletions)) as connection:
            path = f"{_get_zone_path(connection, zone)}/changes"
            answer = connection.api_request("POST", path, data=body, timeout=self._settings.calls.write_timeouts_s)
            return str(answer["id"])

    @contextmanager
    def _call(self, method: str, context: str = "", *, changes: int = 0) -> Iterator[Any]:
        """Wait until the rate limit allows the call, and yield the connection."""
        self.rate_limiter.acquire(method, changes=changes)
        with (
            measure_call(self._settings.calls.on_call, method),
            self._translate_errors(method, context, changes) as connection,
        ):
            yield connection

    @contextmanager
    def _translate_errors(self, method: str, context: str, changes: int) -> Iterator[Any]:
        """Yield the connection. Raise the errors of the SDK as `CallFailedError`, with the original as the cause."""
        call = f"dns.{method}"
        try:
            yield self._open_client()._connection  # noqa: SLF001 - the SDK has no public call for other resources
            self.rate_limiter.record_success(method)
        except GoogleAPICallError as exc:
            failed = _parse_error_response(exc, call, context)
            if failed.code in _RATE_REASONS or exc.code == requests.codes.too_many_requests:
                self.rate_limiter.record_throttle(method, changes=changes)
            raise failed from exc
        except auth.GoogleAuthError as exc:
            self._client = None  # credentials may exist by the next call
            kind = FailureKind.RETRYABLE if isinstance(exc, auth.TransportError) else FailureKind.CREDENTIALS
            raise CallFailedError(kind, call, context, type(exc).__name__, str(exc)) from exc
        except requests.RequestException as exc:
            kind = FailureKind.RETRYABLE if _is_unsent(exc) else FailureKind.UNANSWERED
            raise CallFailedError(kind, call, context, type(exc).__name__, str(exc)) from exc
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as exc:  # the response does not have the documented form
            raise CallFailedError(FailureKind.UNANSWERED, call, context, type(exc).__name__, str(exc)) from exc
        except OSError as exc:
            raise CallFailedError(FailureKind.CREDENTIALS, call, context, type(exc).__name__, str(exc)) from exc

    def _open_client(self) -> dns.Client:
        with self._lock:
            if self._client is None:
                self._client = _build_client(self._settings)
            return self._client


def build_api(settings: GoogleSettings) -> CloudDnsApi:
    """Return an API for the project in *settings*."""
    return CloudDnsApi(settings, RateLimiter(rate=settings.calls.rate_limit, pause_s=settings.pause_s))


def _build_client(settings: GoogleSettings) -> dns.Client:
    if settings.project:  # otherwise the SDK calls another service to find the project of a federated identity
        os.environ[PROJECT] = settings.project
    credentials, default_project = _credentials(settings.endpoint)
    project = settings.project or default_project
    if not project:
        raise auth.DefaultCredentialsError("the credentials do not name a project; set --google-project")
    session = requests.Session()
    if not isinstance(credentials, AnonymousCredentials):
        session = AuthorizedSession(credentials, auth_request=Request(_prepare_session(requests.Session(), settings)))
    return dns.Client(
        project=project,
        credentials=credentials,
        _http=_prepare_session(session, settings),
        client_info=ClientInfo(user_agent=_NAME),
        client_options={"api_endpoint": settings.endpoint.rstrip("/")} if settings.endpoint else None,
    )


def _credentials(endpoint: str) -> tuple[Credentials, str | None]:
    """Return the application default credentials and their project; no credentials if *endpoint* is without TLS."""
    if endpoint.startswith("http:"):
        return AnonymousCredentials(), None
    return google.auth.default(scopes=dns.Client.SCOPE)


class _Adapter(HTTPAdapter):
    """Keeps connections for all threads, and checks before each attempt of a change whether it may begin.

    The SDK may fetch a token before the first attempt, and again before the second if the service rejects the token.
    That can take seconds.
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


def _get_project_path(connection: Any) -> str:  # noqa: ANN401 - the SDK has no types
    return f"/projects/{quote(connection._client.project, safe='')}"  # noqa: SLF001 - see `_call`


def _get_zone_path(connection: Any, zone: str) -> str:  # noqa: ANN401 - the SDK has no types
    return f"{_get_project_path(connection)}/managedZones/{quote(zone, safe='')}"


def _send_read(connection: Any, path: str, query: Mapping[str, str] | None = None) -> _Json:  # noqa: ANN401 - the SDK has no types
    """Send a read and return the response; send it once more if the connection broke after it may have been sent."""
    try:
        return connection.api_request("GET", path, query_params=query, timeout=DEFAULT_TIMEOUTS_S)  # type: ignore[no-any-return]
    except requests.ConnectionError as exc:
        if _is_unsent(exc):
            raise
        return connection.api_request("GET", path, query_params=query, timeout=DEFAULT_TIMEOUTS_S)  # type: ignore[no-any-return]


def _is_unsent(exc: requests.RequestException) -> bool:
    """Return whether the request was certainly not sent."""
    if isinstance(exc, requests.ConnectTimeout | requests.exceptions.ProxyError | requests.exceptions.SSLError):
        return True
    inner = exc.args[0] if exc.args else None
    return type(getattr(inner, "reason", inner)).__name__ in _NOT_SENT


def _parse_error_response(exc: GoogleAPICallError, call: str, context: str) -> CallFailedError:
    errors = [error for error in exc.errors if isinstance(error, Mapping)]
    first = next((str(error["reason"]) for error in errors if error.get("reason")), "")
    parts = tuple(str(error["message"]) for error in errors if error.get("message"))
    detail = "; ".join(dict.fromkeys(parts)) or exc.message
    reason = first or str(exc.code or "")
    return CallFailedError(_find_kind(exc.code or 0, reason, detail), call, context, reason, detail, messages=parts)


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
