"""Call AWS: sessions, calls and their errors. The only module that imports the SDK.

Reads are retried by the SDK. A batch is sent once: if the SDK repeated a batch that was applied, each of its records
would come back as "already exists".
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import botocore.exceptions as sdk
import botocore.session
from boto3.session import Session
from botocore.config import Config
from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials
from botocore.loaders import Loader, create_loader
from botocore.parsers import ResponseParserError

from extdns.model.api_request import UNANSWERED, ApiRequest, RequestObserver
from providers.aws import errors
from providers.aws.record_sets import (
    MAX_TAGGED_ZONES,
    ChangeAction,
    HostedZone,
    RecordSetChange,
    RecordSetPosition,
    Route53Page,
    format_change,
    parse_page,
    strip_id_path,
)
from providers.common.api_calls import (
    DEFAULT_TIMEOUTS_S,
    SHORT_TIMEOUTS_S,
    CallFailedError,
    FailureKind,
    RateLimiter,
    measure_call,
)
from providers.common.certificates import find_ca_bundle

if TYPE_CHECKING:
    from types_boto3_route53 import Route53Client

    from extdns.model.zone import Zone
    from providers.aws.settings import AwsAccount, AwsSettings

_CHANGE: Final = "ChangeResourceRecordSets"
# --aws-api-retries=0 means "no limit"; ten are enough, because the engine repeats failed reads
_MAX_ATTEMPTS: Final = 10
_CREDENTIAL_SOURCES: Final = (
    "none in AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE (IRSA), AWS_CONTAINER_CREDENTIALS_FULL_URI (Pod Identity), "
    "the shared configuration, or from the machine's role"
)
_NOT_SENT: Final = (sdk.EndpointConnectionError, sdk.ConnectTimeoutError, sdk.ProxyConnectionError, sdk.SSLError)
_UNANSWERED: Final = (sdk.HTTPClientError, sdk.ReadTimeoutError, sdk.IncompleteReadError, ResponseParserError)


class Route53Api:
    """Calls Route 53 with the credentials of one account, from any thread. Every call raises only `CallFailedError`."""

    def __init__(self, account: AwsAccount, attempts: int, rate_limiter: RateLimiter) -> None:
        """Create an API. The first call looks for the credentials of *account*.

        A read makes at most *attempts* attempts, the first included; 0 is the maximum of 10.
        """
        self._account = account
        self.rate_limiter = rate_limiter
        self._clients = ServiceClients(
            account, "route53", attempts, write=_CHANGE, on_attempt=self._record_throttled_attempt
        )

    def has_amazon_endpoint(self) -> bool:
        """Return whether calls go to a host of Amazon, not to another one that the SDK's configuration names."""
        # without the configured endpoint, and without looking for credentials
        options: Any = {"ignore_configured_endpoint_urls": True, "signature_version": botocore.UNSIGNED}
        default = open_session(self._account).client("route53", config=Config(**options)).meta.endpoint_url
        return default.partition(".")[2] in self._clients.open()[0].meta.endpoint_url

    def list_zones(self) -> tuple[tuple[HostedZone, ...], int]:
        """Return all zones of the account, from all pages, and the number of calls that it took."""
        found: list[HostedZone] = []
        marker: dict[str, Any] = {}
        calls = 0
        while True:
            calls += 1
            with self._call("ListHostedZones") as client:
                answer = client.list_hosted_zones(**marker)
                found += map(_parse_zone, answer["HostedZones"])
                if not answer["IsTruncated"]:
                    return tuple(found), calls
                marker = {"Marker": answer["NextMarker"]}

    def get_zone(self, zone_id: str) -> HostedZone:
        """Return the zone with the id *zone_id*."""
        with self._call("GetHostedZone", strip_id_path(zone_id)) as client:
            return _parse_zone(client.get_hosted_zone(Id=strip_id_path(zone_id))["HostedZone"])

    def list_tags(self, zone_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Return the tags of zones, by zone id and key."""
        found: dict[str, Mapping[str, str]] = {}
        for start in range(0, len(zone_ids), MAX_TAGGED_ZONES):
            part = list(zone_ids[start : start + MAX_TAGGED_ZONES])
            with self._call("ListTagsForResources", ", ".join(part)) as client:
                answer = client.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=part)
                for tagged in answer["ResourceTagSets"]:
                    tags = ((tag.get("Key", ""), tag.get("Value", "")) for tag in tagged.get("Tags", ()))
                    found[tagged.get("ResourceId", "")] = dict(tags)
        return found

    def list_record_sets(self, zone: Zone, start: RecordSetPosition | None, limit: int) -> Route53Page:
        """Return at most *limit* record sets of *zone*, from *start* on."""
        position: dict[str, Any] = {}
        if start:
            position["StartRecordName"] = start.name
            if start.type:
                position["StartRecordType"] = start.type
            if start.set_identifier:
                position["StartRecordIdentifier"] = start.set_identifier
        with self._call("ListResourceRecordSets", f"zone {zone}") as client:
            answer: Any = client.list_resource_record_sets(HostedZoneId=zone.id, MaxItems=str(limit), **position)
            return parse_page(answer)

    def change_record_sets(self, zone: Zone, changes: Sequence[RecordSetChange]) -> str:
        """Make *changes* in one attempt, and return Route 53's id of the change."""
        batch: Any = {"Changes": [format_change(change) for change in changes]}
        tokens = len(changes) + [change.action for change in changes].count(ChangeAction.UPSERT)
        with self._call(_CHANGE, f"zone {zone}", changes=tokens) as client:
            answer = client.change_resource_record_sets(HostedZoneId=zone.id, ChangeBatch=batch)
            return answer["ChangeInfo"]["Id"].removeprefix("/change/")

    @contextmanager
    def _call(self, operation: str, context: str = "", *, changes: int = 0) -> Iterator[Route53Client]:
        """Wait until the rate limit allows the call, and yield the client for it."""
        self.rate_limiter.acquire(operation, changes=changes)
        try:
            with self._clients.call(operation, context) as client:
                yield client
        except CallFailedError as failed:
            if operation == _CHANGE and errors.is_throttled(failed.code):
                self.rate_limiter.record_throttle(operation, changes=changes)
            elif failed.code == errors.PRIOR_REQUEST_NOT_COMPLETE:
                self.rate_limiter.record_busy(operation)
            raise
        self.rate_limiter.record_success(operation)

    def _record_throttled_attempt(self, parsed_response: dict[str, Any] | None, event_name: str, **_: object) -> None:
        """Slow down after each attempt of a read that was throttled; called by the SDK, which repeats reads itself."""
        if parsed_response and errors.is_throttled(parsed_response.get("Error", {}).get("Code") or ""):
            self.rate_limiter.record_throttle(event_name.rpartition(".")[2])


def build_apis(settings: AwsSettings) -> dict[str, Route53Api]:
    """Return an API for each account, by the name in `Zone.account`."""
    return {
        name: Route53Api(
            account, settings.attempts, RateLimiter(name, rate=account.calls.rate_limit, pause_s=settings.pause_s)
        )
        for name, account in settings.accounts_by_name.items()
    }


def _parse_zone(found: Any) -> HostedZone:  # noqa: ANN401 - the SDK's own dictionary
    config = found.get("Config", {})
    return HostedZone(id=strip_id_path(found["Id"]), name=found["Name"], private=config.get("PrivateZone", False))


# Errors.


@contextmanager
def translate_errors(service: str, operation: str, context: str) -> Iterator[None]:
    """Raise the errors of the SDK in one call as `CallFailedError`, with the original as the cause.

    *context* describes the subject of the call for messages, such as its zone; "" for none.
    """
    call = f"{service}:{operation}"
    try:
        yield
    except sdk.ClientError as exc:
        raise _parse_error_response(exc, service, operation, context) from exc
    except (*_NOT_SENT, *_UNANSWERED) as exc:
        kind = FailureKind.RETRYABLE if isinstance(exc, _NOT_SENT) else FailureKind.UNANSWERED
        raise CallFailedError(kind, call, context, type(exc).__name__, str(exc)) from exc
    except sdk.ParamValidationError as exc:
        detail = "; ".join(str(exc.kwargs["report"]).splitlines())
        raise CallFailedError(FailureKind.REFUSED, call, context, type(exc).__name__, detail) from exc
    except (ValueError, LookupError) as exc:  # the response does not have the documented form
        raise CallFailedError(FailureKind.UNANSWERED, call, context, type(exc).__name__, str(exc)) from exc
    except (sdk.BotoCoreError, OSError) as exc:
        detail = f"{exc}: {_CREDENTIAL_SOURCES}" if isinstance(exc, sdk.NoCredentialsError) else str(exc)
        raise CallFailedError(FailureKind.CREDENTIALS, call, context, type(exc).__name__, detail) from exc


def _parse_error_response(exc: sdk.ClientError, service: str, operation: str, context: str) -> CallFailedError:
    """Return the error for the error response *exc*. If it is to another operation than *operation*, STS sent it."""
    answer: Any = exc.response
    error = answer.get("Error", {})
    code = error.get("Code", "") or "Unknown"
    detail = error.get("Message", "") or ", ".join(answer.get("messages", ()))
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    is_sent, has_failed = exc.operation_name == operation, status >= 500  # noqa: PLR2004 - server errors
    if code in errors.RETRYABLE_CODES or (has_failed and not is_sent):
        kind = FailureKind.RETRYABLE
    elif has_failed:
        kind = FailureKind.UNANSWERED  # as if no response had come: it may have been made, or the records are to blame
    elif not is_sent or code in errors.CREDENTIAL_CODES:
        kind = FailureKind.CREDENTIALS
    elif status == 403 or code in errors.FORBIDDEN_CODES:  # noqa: PLR2004 - forbidden
        kind = FailureKind.FORBIDDEN
    else:
        kind = FailureKind.REFUSED
    called = service if exc.operation_name == operation else "sts"
    return CallFailedError(kind, f"{called}:{exc.operation_name}", context, code, detail)


# Sessions: credentials, region, certificates and the HTTP client.

_NAME: Final = "extdns"
_USER_AGENT: Final = f"{_NAME} Botocore/{botocore.__version__}"
_DEFAULT_REGION: Final = "us-east-1"  # Route 53 is global; the region only selects the partition, such as `aws-cn`
_ATTEMPTS: Final = 3
_CONNECTIONS: Final = 16


def open_session(account: AwsAccount) -> Session:
    """Return a session with the credentials of *account*, which are looked for at the first API call."""
    session = _build_session(account)
    if account.role:
        session.register_component("credential_provider", _AssumedRole(_build_session(account), account))
    return Session(botocore_session=session)


def _build_session(account: AwsAccount) -> botocore.session.Session:
    session = botocore.session.Session(profile=account.profile or None)
    session.register_component("data_loader", build_loader(session.get_config_variable("data_path")))
    _observe_requests(session, account.calls.on_request)
    # EKS sets AWS_REGION, which SDKs of other languages read; botocore reads only AWS_DEFAULT_REGION.
    region = os.environ.get("AWS_REGION") or session.get_config_variable("region") or _DEFAULT_REGION
    session.set_config_variable("region", region)
    if not session.get_config_variable("ca_bundle") and (
        file := find_ca_bundle(os.environ, sdk_variable="AWS_CA_BUNDLE")
    ):
        session.set_config_variable("ca_bundle", file)
    return session


@cache
def build_loader(data_path: str | None) -> Loader:
    """Return the SDK's loader of its descriptions of services, so that all sessions share what takes 40 ms to read."""
    return create_loader(data_path)


class _AssumedRole:
    """Provides the credentials of a role; the SDK refreshes them before they expire."""

    def __init__(self, source: botocore.session.Session, account: AwsAccount) -> None:
        """Provide the credentials of the role of *account*; the session *source* must be allowed to assume it."""
        self._source = source
        self._account = account

    def load_credentials(self) -> DeferredRefreshableCredentials:
        """Return the credentials; called by the SDK."""
        source = self._source.get_credentials()
        if source is None:
            raise sdk.NoCredentialsError
        extra = {"RoleSessionName": _NAME}
        if self._account.external_id:
            extra["ExternalId"] = self._account.external_id
        fetcher = AssumeRoleCredentialFetcher(self._source.create_client, source, self._account.role, extra_args=extra)
        return DeferredRefreshableCredentials(method="assume-role", refresh_using=fetcher.fetch_credentials)


def build_client(
    session: Session,
    service: str,
    attempts: int = _ATTEMPTS,
    timeouts_s: tuple[float, float] = SHORT_TIMEOUTS_S,
    region: str = "",
    *,
    validates: bool = True,
) -> Any:  # noqa: ANN401 - we have the SDK's types for Route 53 only
    """Return a client of *service*, by default for few and rare calls, in the region of *session*.

    With *validates*, the SDK checks the parameters of each call before it is sent.
    """
    build: Any = session.client
    connect_s, read_s = timeouts_s
    config = Config(
        retries={"mode": "standard", "total_max_attempts": attempts},
        connect_timeout=connect_s,
        read_timeout=read_s,
        max_pool_connections=_CONNECTIONS,
        parameter_validation=validates,
        user_agent=_USER_AGENT,  # without it, the SDK builds a user agent from two dozen parts for each call
    )
    return build(service, region_name=region or None, config=config)


class ServiceClients:
    """The clients of one service for one account; safe from any thread.

    One client repeats its calls. The one for *write* makes one attempt, and checks right before sending whether the
    write may still begin, because getting credentials and signing the request can take seconds.
    """

    def __init__(
        self,
        account: AwsAccount,
        service: str,
        attempts: int,
        *,
        write: str = "",
        region: str = "",
        on_attempt: Callable[..., None] = lambda **_: None,
    ) -> None:
        """Prepare the clients. The first call opens them, and looks for the credentials of *account*.

        Other calls than *write* make at most *attempts* attempts, the first included; 0 is the maximum of 10. The SDK
        calls *on_attempt* after each of them.
        """
        self._account = account
        self._service = service
        self._attempts = attempts if attempts > 0 else _MAX_ATTEMPTS
        self._write = write
        self._region = region
        self._on_attempt = on_attempt
        self._lock = Lock()
        self._clients: tuple[Any, Any] | None = None

    @contextmanager
    def call(self, operation: str, context: str) -> Iterator[Any]:
        """Yield the client for one call of *operation*, which is measured; raise as `translate_errors` does."""
        try:
            with (
                measure_call(self._account.calls.on_call, operation),
                translate_errors(self._service, operation, context),
            ):
                repeating, writer = self.open()
                yield writer if operation == self._write else repeating
        except CallFailedError as failed:
            if failed.kind is FailureKind.CREDENTIALS:
                self._clients = None  # credentials may exist by the next call
            raise

    def send(self, operation: str, context: str, request: Mapping[str, object]) -> dict[str, Any]:
        """Make one call of *operation* with *request*, and return the answer."""
        with self.call(operation, context) as client:
            answer: dict[str, Any] = getattr(client, botocore.xform_name(operation))(**request)
            return answer

    def open(self) -> tuple[Any, Any]:
        """Return the client that repeats its calls, and the one for *write*, None without *write*."""
        with self._lock:
            if self._clients is None:
                session, service = open_session(self._account), self._service
                repeating = build_client(session, service, self._attempts, DEFAULT_TIMEOUTS_S, self._region)
                repeating.meta.events.register(f"response-received.{service}", self._on_attempt)
                self._clients = repeating, self._build_writer(session) if self._write else None
            return self._clients

    def _build_writer(self, session: Session) -> Any:  # noqa: ANN401 - as `build_client`
        calls, service, write = self._account.calls, self._service, self._write
        # The service checks the same, and checking a large batch twice takes a quarter of the time of the call.
        client = build_client(session, service, 1, calls.write_timeouts_s, self._region, validates=False)
        client.meta.events.register(
            f"before-send.{service}.{write}", lambda **_: calls.require_can_write(f"{service}:{write}")
        )
        return client


class _SentRequest(NamedTuple):
    at_s: float
    method: str
    url: str


_SENT: Final[ContextVar[_SentRequest | None]] = ContextVar("_SENT", default=None)


def _observe_requests(session: botocore.session.Session, on_request: RequestObserver) -> None:
    """Call *on_request* after each request of the clients that *session* opens from now on."""
    session.register("before-send", _start_request)
    session.register("response-received", lambda **event: _end_request(event["response_dict"], on_request))


def _start_request(**event: Any) -> None:  # noqa: ANN401 - the SDK's types
    """Store the time at which a request is sent. Handlers that can prevent the request run before this one."""
    request = event["request"]
    _SENT.set(_SentRequest(time.monotonic(), request.method, request.url))


def _end_request(response: dict[str, Any] | None, on_request: RequestObserver) -> None:
    """Call *on_request* for the request that was sent last, if any. *response* is None if none came."""
    if sent := _SENT.get():
        _SENT.set(None)
        status = response["status_code"] if response else UNANSWERED
        seconds = time.monotonic() - sent.at_s
        on_request(ApiRequest(method=sent.method, url=sent.url, status=status, seconds=seconds))
