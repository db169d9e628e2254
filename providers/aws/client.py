"""The SDK: sessions, calls and the translation of its errors; the one place that knows it.

Reads keep the SDK's retries. A batch is sent once: if an applied one were silently sent again, every
record of it would come back as "already exists".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import botocore.exceptions as sdk
from botocore.config import Config
from botocore.parsers import ResponseParserError

from providers.aws import codes
from providers.aws.listing import listed
from providers.aws.session import configured, session_of
from providers.aws.shapes import body
from providers.aws.wire import Action, HostedZone, ListedSets, Position, WireChange, bare_id
from providers.remote.allowance import Allowance
from providers.remote.failure import CallFailedError, Trouble
from providers.remote.writing import SLOW_S, Writing

if TYPE_CHECKING:
    from boto3.session import Session
    from types_boto3_route53 import Route53Client

    from extdns.model.apibudget import ApiBudget
    from providers.aws.settings import Access, AwsSettings

_BODY: Final = "Body"
_WRITTEN: Final[ContextVar[bytes]] = ContextVar("_WRITTEN")
_FIRST_ERROR: Final = 300
_CHANGE: Final = "ChangeResourceRecordSets"
_MOST_ATTEMPTS: Final = 10  # what 0, "without limit", comes to: the engine asks again anyway
_LOOKED_FOR: Final = (
    "none in AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE (IRSA), AWS_CONTAINER_CREDENTIALS_FULL_URI (Pod Identity), "
    "the shared configuration, or from the machine's role"
)
_TAGS_AT_ONCE: Final = 10  # API reference, ListTagsForResources

_UNSENT: Final = (sdk.EndpointConnectionError, sdk.ConnectTimeoutError, sdk.ProxyConnectionError, sdk.SSLError)
_UNANSWERED: Final = (sdk.HTTPClientError, sdk.ReadTimeoutError, sdk.IncompleteReadError, ResponseParserError)


class Client:
    """Route 53 as one account sees it; any thread may call. Every call raises `CallFailedError` alone."""

    def __init__(self, access: Access, attempts: int, allowance: Allowance, writing: Writing | None = None) -> None:
        """Call with the credentials that *access* leads to, which are looked for by the first call.

        Args:
            access: profile and role.
            attempts: how often a read is tried at most; 0 for as often as is sensible.
            allowance: how many calls may be made.
            writing: what bounds a batch.
        """
        self._access = access
        self._allowance = allowance
        self._writing = writing or Writing()
        self._attempts = attempts if attempts > 0 else _MOST_ATTEMPTS
        self._lock = Lock()
        self._made: tuple[Route53Client, Route53Client] | None = None

    def budgets(self) -> tuple[ApiBudget, ...]:
        """How many calls may still be made."""
        return self._allowance.budgets()

    def zones(self) -> tuple[HostedZone, ...]:
        """All zones of the account, whatever page they are on."""
        found: list[HostedZone] = []
        marker: dict[str, Any] = {}
        while True:
            with self._calling("ListHostedZones") as (reads, _):
                answer = reads.list_hosted_zones(**marker)
                found += [_zone(zone) for zone in answer["HostedZones"]]
                if not answer["IsTruncated"]:
                    return tuple(found)
                marker = {"Marker": answer["NextMarker"]}

    def zone(self, zone_id: str) -> HostedZone:
        """One zone."""
        with self._calling("GetHostedZone", zone_id) as (reads, _):
            return _zone(reads.get_hosted_zone(Id=zone_id)["HostedZone"])

    def tags(self, zone_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The tags of zones, by zone id and key."""
        found: dict[str, Mapping[str, str]] = {}
        for start in range(0, len(zone_ids), _TAGS_AT_ONCE):
            part = list(zone_ids[start : start + _TAGS_AT_ONCE])
            with self._calling("ListTagsForResources", ", ".join(part)) as (reads, _):
                answer = reads.list_tags_for_resources(ResourceType="hostedzone", ResourceIds=part)
                for tagged in answer["ResourceTagSets"]:
                    tags = ((tag.get("Key", ""), tag.get("Value", "")) for tag in tagged.get("Tags", ()))
                    found[tagged.get("ResourceId", "")] = dict(tags)
        return found

    def page(self, zone_id: str, about: str, start: Position | None, most: int) -> ListedSets:
        """At most *most* record sets of a zone, which messages call *about*, beginning at *start*."""
        where: dict[str, Any] = {}
        if start:
            where = {"StartRecordName": start.name, "StartRecordType": start.type}
            if not start.type:
                del where["StartRecordType"]
            if start.set_identifier:
                where["StartRecordIdentifier"] = start.set_identifier
        with self._calling("ListResourceRecordSets", about) as (reads, _):
            answer: Any = reads.list_resource_record_sets(HostedZoneId=zone_id, MaxItems=str(most), **where)
            return listed(answer[_BODY])

    def change(self, zone_id: str, about: str, changes: Sequence[WireChange]) -> str:
        """Make *changes* in one attempt; returns the service's id of the change."""
        _WRITTEN.set(body(changes))
        with self._calling(_CHANGE, about, changes=sum(_tokens(one) for one in changes)) as (_, writes):
            answer = writes.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch={"Changes": []})
            return answer["ChangeInfo"]["Id"].removeprefix("/change/")

    @contextmanager
    def _calling(
        self, operation: str, about: str = "", *, changes: int = 0
    ) -> Iterator[tuple[Route53Client, Route53Client]]:
        """The clients for one call; what the SDK raises meanwhile is raised as ours, the original as its cause."""
        self._allowance.take(operation, changes=changes)
        try:
            with translated("route53", operation, about):
                yield self._clients()
        except CallFailedError as failed:
            if "Thrott" in failed.code:
                self._allowance.throttled(operation, changes=changes)
            elif failed.code == codes.STILL_BUSY:
                self._allowance.busy(operation)
            elif failed.trouble is Trouble.CREDENTIALS:
                self._made = None  # they may have appeared by the next call
            raise
        self._allowance.worked(operation)

    def _clients(self) -> tuple[Route53Client, Route53Client]:
        """One that tries again by itself, and one that does not."""
        with self._lock:
            if self._made is None:
                session = session_of(self._access)
                self._made = (_client(session, self._attempts, SLOW_S), _writer(session, self._writing))
            return self._made


def clients(settings: AwsSettings) -> dict[str, Client]:
    """A client for each account, by the name that its zones bear."""
    return {
        name: Client(
            access, settings.attempts, Allowance(name, rate=settings.rate, pause_s=settings.pause_s), settings.writing
        )
        for name, access in settings.by_name.items()
    }


@contextmanager
def translated(service: str, operation: str, about: str) -> Iterator[None]:
    """Raise as ours what the SDK raises in a call, the original as its cause."""
    call = f"{service}:{operation}"
    try:
        yield
    except sdk.ClientError as exc:
        raise _answered(exc, service, operation, about) from exc
    except (*_UNSENT, *_UNANSWERED) as exc:
        trouble = Trouble.LATER if isinstance(exc, _UNSENT) else Trouble.UNANSWERED
        raise CallFailedError(trouble, call, about, type(exc).__name__, str(exc)) from exc
    except (ValueError, LookupError) as exc:  # the answer is not what it should be
        raise CallFailedError(Trouble.UNANSWERED, call, about, type(exc).__name__, str(exc)) from exc
    except (sdk.BotoCoreError, OSError) as exc:
        words = f"{exc}: {_LOOKED_FOR}" if isinstance(exc, sdk.NoCredentialsError) else str(exc)
        raise CallFailedError(Trouble.CREDENTIALS, call, about, type(exc).__name__, words) from exc


def _writer(session: Session, writing: Writing) -> Route53Client:
    """A client whose calls are asked once more whether they may begin, when they are signed: that may take its time."""
    made = _client(session, 1, writing.timeouts_s)
    made.meta.events.register(f"before-send.route53.{_CHANGE}", lambda **_: writing.check(f"route53:{_CHANGE}"))
    return made


def _client(session: Session, attempts: int, timeouts_s: tuple[float, float]) -> Route53Client:
    # Without validation, which is a fifth of the time of a batch: what we send has one shape.
    made = session.client("route53", config=configured(attempts, timeouts_s).merge(Config(parameter_validation=False)))
    made.meta.events.register("before-parse.route53.ListResourceRecordSets", _keep_body)
    made.meta.events.register("before-call.route53.ChangeResourceRecordSets", _give_body)
    return made


def _give_body(params: dict[str, Any], **_: object) -> None:
    """Send our body in place of the SDK's, which was made from an empty batch."""
    params["body"] = _WRITTEN.get()


def _keep_body(response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object) -> None:
    """Hand the body of a page to us, in place of what the SDK would make of it."""
    if response_dict["status_code"] < _FIRST_ERROR:
        customized_response_dict[_BODY] = response_dict["body"]
        response_dict["body"] = b"<left-to-us/>"


def _answered(exc: sdk.ClientError, service: str, operation: str, about: str) -> CallFailedError:
    """An answer that is an error; one to the call that gets credentials is about these."""
    answer: Any = exc.response
    error = answer.get("Error", {})
    code = error.get("Code", "") or "Unknown"
    words = error.get("Message", "") or ", ".join(answer.get("messages", ()))
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in codes.LATER or status >= 500:  # noqa: PLR2004 - the server's own failures
        trouble = Trouble.LATER
    elif exc.operation_name != operation or code in codes.CREDENTIALS:
        trouble = Trouble.CREDENTIALS
    elif status == 403:  # noqa: PLR2004 - forbidden
        trouble = Trouble.FORBIDDEN
    else:
        trouble = Trouble.REFUSED
    asked = service if exc.operation_name == operation else "sts"
    return CallFailedError(trouble, f"{asked}:{exc.operation_name}", about, code, words)


def _tokens(change: WireChange) -> int:
    return 2 if change.action is Action.UPSERT else 1


def _zone(found: Any) -> HostedZone:  # noqa: ANN401 - the SDK's own dictionary
    config = found.get("Config", {})
    return HostedZone(id=bare_id(found["Id"]), name=found["Name"], private=config.get("PrivateZone", False))
