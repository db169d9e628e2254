"""The SDK: credentials, calls and the translation of its errors; the one place that knows it.

The client of google-cloud-dns knows neither routing policies nor paging sizes; its connection takes us
to the documented REST resources, which we ask ourselves. Nothing is sent twice but a read whose
connection broke, and what the service did not look at because of its token: if a change that was
applied were sent again, all of it would be a conflict.
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

from extdns.model.apibudget import ApiBudget
from extdns.model.request import UNANSWERED, sent
from providers.google import wire
from providers.google.settings import GoogleSettings
from providers.google.wire import Limits, ListedSets, ManagedZone, RecordSet
from providers.remote.allowance import Allowance
from providers.remote.failure import CallFailedError, Trouble
from providers.remote.trust import bundle
from providers.remote.writing import SLOW_S

_US: Final = "extdns"
_CHANGE: Final = "changes.create"
_CONNECTIONS: Final = 16
_RATES: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"})
_RATE: Final = "Quota exceeded for quota "  # how the gateway before the service begins, whatever its reason
_UNSENT: Final = frozenset({"NewConnectionError", "NameResolutionError", "ConnectTimeoutError"})
_Json = Mapping[str, Any]


class Client:
    """Cloud DNS as one project has it; any thread may call. Every call raises `CallFailedError` alone."""

    def __init__(self, settings: GoogleSettings, allowance: Allowance) -> None:
        """Call as *settings* say, as often as *allowance* lets; credentials are looked for by the first call."""
        self._settings = settings
        self._allowance = allowance
        self._lock = Lock()
        self._made: dns.Client | None = None

    def budgets(self) -> tuple[ApiBudget, ...]:
        """How many calls may still be made."""
        return self._allowance.budgets()

    def zones(self) -> tuple[tuple[ManagedZone, ...], int]:
        """All zones of the project, whatever page they are on, and how many calls that took."""
        found: list[ManagedZone] = []
        query: dict[str, str] = {}
        calls = 0
        while True:
            calls += 1
            with self._calling("managedZones.list") as connection:
                answer = _read(connection, f"{_project(connection)}/managedZones", query)
                found += map(wire.zone, answer.get("managedZones", ()))
            if not answer.get("nextPageToken"):
                return tuple(found), calls
            query = {"pageToken": answer["nextPageToken"]}

    def zone(self, name: str) -> ManagedZone:
        """One zone, by name or number."""
        with self._calling("managedZones.get", f"zone {name}") as connection:
            return wire.zone(_read(connection, _zone(connection, name)))

    def limits(self) -> Limits:
        """What the project may hold and change."""
        with self._calling("projects.get") as connection:
            return wire.limits(_read(connection, _project(connection)).get("quota", {}))

    def page(self, zone: str, about: str, *, name: str, after: str, most: int) -> ListedSets:
        """At most *most* record sets of a zone, which messages call *about*: of *name*, "" for all.

        Args:
            zone: its name or number.
            about: what messages call it.
            name: with a dot at the end.
            after: the token of the page, "" for the first.
            most: how many.
        """
        query = {"maxResults": str(most), "name": name, "pageToken": after}
        with self._calling("resourceRecordSets.list", about) as connection:
            path = f"{_zone(connection, zone)}/rrsets"
            answer = _read(connection, path, {field: text for field, text in query.items() if text})
            sets = tuple(map(wire.record_set, answer.get("rrsets", ())))
        return ListedSets(sets=sets, after=answer.get("nextPageToken", ""))

    def permitted(self, zone: str, about: str, permissions: Sequence[str]) -> frozenset[str]:
        """Which of *permissions* we have on a zone, by its name; none on one that is not there."""
        with self._calling("managedZones.testIamPermissions", about) as connection:
            path = f"{_zone(connection, zone)}:testIamPermissions"
            body = {"permissions": list(permissions)}
            answer = connection.api_request("POST", path, data=body, timeout=SLOW_S)
            return frozenset(answer.get("permissions", ()))

    def change(self, zone: str, about: str, additions: Sequence[RecordSet], deletions: Sequence[RecordSet]) -> str:
        """Make a change in one attempt; returns the service's id of it."""
        body: dict[str, Any] = {"kind": "dns#change"}
        if additions:
            body["additions"] = [wire.written(one) for one in additions]
        if deletions:
            body["deletions"] = [wire.written(one) for one in deletions]
        with self._calling(_CHANGE, about, changes=len(additions) + len(deletions)) as connection:
            path = f"{_zone(connection, zone)}/changes"
            answer = connection.api_request("POST", path, data=body, timeout=self._settings.writing.timeouts_s)
            return str(answer["id"])

    @contextmanager
    def _calling(self, method: str, about: str = "", *, changes: int = 0) -> Iterator[Any]:
        """The connection for one call; what is raised meanwhile is raised as ours, the original as its cause."""
        call = f"dns.{method}"
        self._allowance.take(method, changes=changes)
        try:
            yield self._client()._connection  # noqa: SLF001 - the SDK's own way to what it does not model
            self._allowance.worked(method)
        except GoogleAPICallError as exc:
            failed = _answered(exc, call, about)
            if failed.code in _RATES or exc.code == requests.codes.too_many_requests:
                self._allowance.throttled(method, changes=changes)
            raise failed from exc
        except auth.GoogleAuthError as exc:
            self._made = None  # credentials may have appeared by the next call
            trouble = Trouble.LATER if isinstance(exc, auth.TransportError) else Trouble.CREDENTIALS
            raise CallFailedError(trouble, call, about, type(exc).__name__, str(exc)) from exc
        except requests.RequestException as exc:
            trouble = Trouble.LATER if _is_unsent(exc) else Trouble.UNANSWERED
            raise CallFailedError(trouble, call, about, type(exc).__name__, str(exc)) from exc
        except (ValueError, LookupError, TypeError, AttributeError) as exc:  # the answer is not what it should be
            raise CallFailedError(Trouble.UNANSWERED, call, about, type(exc).__name__, str(exc)) from exc
        except OSError as exc:
            raise CallFailedError(Trouble.CREDENTIALS, call, about, type(exc).__name__, str(exc)) from exc

    def _client(self) -> dns.Client:
        with self._lock:
            if self._made is None:
                self._made = _client(self._settings)
            return self._made


def client(settings: GoogleSettings) -> Client:
    """A client of the project of *settings*."""
    return Client(settings, Allowance(rate=settings.rate, pause_s=settings.pause_s))


def _client(settings: GoogleSettings) -> dns.Client:
    if settings.project:  # else the SDK asks another service for the project of a federated identity
        os.environ[PROJECT] = settings.project
    credentials, own = _credentials(settings.endpoint)
    project = settings.project or own
    if not project:
        raise auth.DefaultCredentialsError("the credentials belong to no project; name one with --google-project")
    session = requests.Session()
    if not isinstance(credentials, AnonymousCredentials):
        session = AuthorizedSession(credentials, auth_request=Request(_prepared(requests.Session(), settings)))
    return dns.Client(
        project=project,
        credentials=credentials,
        _http=_prepared(session, settings),
        client_info=ClientInfo(user_agent=_US),
        client_options={"api_endpoint": settings.endpoint.rstrip("/")} if settings.endpoint else None,
    )


def _credentials(endpoint: str) -> tuple[Credentials, str | None]:
    """The application default credentials and the project that they belong to; none for what is not encrypted."""
    if endpoint.startswith("http:"):
        return AnonymousCredentials(), None
    return google.auth.default(scopes=dns.Client.SCOPE)


class _Adapter(HTTPAdapter):
    """Has connections for all threads; asks whether a change may begin each time that it is to be sent.

    Before the first time a token may have to be got, and before the next, since one that the service
    does not take any more is got again by the SDK: that may take its time.
    """

    def __init__(self, settings: GoogleSettings) -> None:
        super().__init__(pool_maxsize=_CONNECTIONS)
        self._settings = settings

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:  # noqa: ANN401 - as they come
        if request.method == "POST" and request.path_url.partition("?")[0].endswith("/changes"):
            self._settings.writing.check(f"dns.{_CHANGE}")
        status, start_s = UNANSWERED, time.monotonic()
        try:
            answer = super().send(request, *args, **kwargs)
            status = answer.status_code
        finally:
            seconds = time.monotonic() - start_s
            self._settings.heard(sent(request.method or "", request.url or "", status=status, seconds=seconds))
        return answer


def _prepared(session: requests.Session, settings: GoogleSettings) -> requests.Session:
    """*session*, which sends what *settings* let it send, and trusts whom a Go program would."""
    for scheme in ("https://", "http://"):
        session.mount(scheme, _Adapter(settings))
    session.verify = bundle(os.environ, before="REQUESTS_CA_BUNDLE") or True
    return session


def _project(connection: Any) -> str:  # noqa: ANN401 - the SDK has no types
    return f"/projects/{quote(connection._client.project, safe='')}"  # noqa: SLF001 - see `_calling`


def _zone(connection: Any, zone: str) -> str:  # noqa: ANN401 - the SDK has no types
    return f"{_project(connection)}/managedZones/{quote(zone, safe='')}"


def _read(connection: Any, path: str, query: Mapping[str, str] | None = None) -> _Json:  # noqa: ANN401 - the SDK has no types
    """The answer to a read, which is asked once more if a connection that was kept has broken."""
    try:
        return connection.api_request("GET", path, query_params=query, timeout=SLOW_S)  # type: ignore[no-any-return]
    except requests.ConnectionError as exc:
        if _is_unsent(exc):
            raise
        return connection.api_request("GET", path, query_params=query, timeout=SLOW_S)  # type: ignore[no-any-return]


def _is_unsent(exc: requests.RequestException) -> bool:
    """Tell whether the request certainly never left."""
    if isinstance(exc, requests.ConnectTimeout | requests.exceptions.ProxyError | requests.exceptions.SSLError):
        return True
    inner = exc.args[0] if exc.args else None
    return type(getattr(inner, "reason", inner)).__name__ in _UNSENT


def _answered(exc: GoogleAPICallError, call: str, about: str) -> CallFailedError:
    """An answer that is an error."""
    errors = [error for error in exc.errors if isinstance(error, Mapping)]
    first = next((str(error["reason"]) for error in errors if error.get("reason")), "")
    parts = tuple(str(error["message"]) for error in errors if error.get("message"))
    words = "; ".join(dict.fromkeys(parts)) or exc.message
    reason = first or str(exc.code or "")
    return CallFailedError(_trouble(exc.code or 0, reason, words), call, about, reason, words, parts=parts)


def _trouble(status: int, reason: str, words: str) -> Trouble:
    if status == requests.codes.unauthorized:
        return Trouble.CREDENTIALS
    if status == requests.codes.too_many_requests or status >= 500:  # noqa: PLR2004 - the server's own failures
        return Trouble.LATER
    if reason in _RATES or words.startswith(_RATE):
        return Trouble.LATER
    if status == requests.codes.forbidden and reason != "quotaExceeded":
        return Trouble.FORBIDDEN
    return Trouble.REFUSED
