"""Call Cloud Map, and wait for the operations that calls start.

The SDK repeats calls that were throttled or got no answer. That is safe: creating a service carries the same request id
each time, and the other calls set what they state.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from providers.aws import errors
from providers.aws.client import ServiceClients
from providers.aws.cloudmap.services import CloudMapService, Instance, Layout, sort_instances
from providers.common.api_calls import CallFailedError, FailureKind, RateLimiter

if TYPE_CHECKING:
    from providers.aws.settings import AwsAccount

ALREADY_EXISTS: Final = "ServiceAlreadyExists"
INSTANCE_GONE: Final = "InstanceNotFound"
SERVICE_GONE: Final = "ServiceNotFound"
NAMESPACE_GONE: Final = "NamespaceNotFound"
_SERVICE: Final = "servicediscovery"
_RECENT_REQUEST: Final = "DuplicateRequest"
_PAGE: Final = 100
_MAX_POLLS: Final = 60
_POLL_S: Final = 1.0
_FAILURES: Final = {
    "ACCESS_DENIED": FailureKind.FORBIDDEN,
    "EXPIRED_TOKEN": FailureKind.CREDENTIALS,
    "INTERNAL_FAILURE": FailureKind.RETRYABLE,
    "THROTTLED_REQUEST": FailureKind.RETRYABLE,
}
"""The kinds of failed operations, by their error codes."""


class CloudMapNamespace(NamedTuple):
    """A namespace: `DNS_PUBLIC`, `DNS_PRIVATE` or `HTTP`, with the id of its zone in Route 53, "" without DNS."""

    id: str
    name: str
    type: str
    arn: str
    hosted_zone: str


class StartedOperation(NamedTuple):
    """An operation that a call has started: its id, the call, and what it is about."""

    id: str
    call: str
    context: str


class CloudMapApi:
    """Calls Cloud Map, from any thread. Every call raises only `CallFailedError`."""

    def __init__(
        self,
        account: AwsAccount,
        attempts: int,
        rate_limiter: RateLimiter,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """Create an API. The first call looks for the credentials of *account*.

        A call makes at most *attempts* attempts, the first included; 0 is the maximum of 10.
        """
        self._account = account
        self.rate_limiter = rate_limiter
        self._wait = wait
        self._clients = ServiceClients(account, _SERVICE, attempts)

    def list_namespaces(self) -> tuple[CloudMapNamespace, ...]:
        """Return all namespaces of the account in the region, without those that other accounts share with it."""
        pages = self._list("ListNamespaces", "Namespaces", "", Filters=_build_filter("RESOURCE_OWNER", "SELF"))
        return tuple(_parse_namespace(one) for found, _ in pages for one in found)

    def list_services(
        self, namespace_id: str, context: str, after: str | None = None, size: int = _PAGE
    ) -> Iterator[tuple[tuple[CloudMapService, ...], str | None]]:
        """Yield the services of a namespace, without their instances, in pages, each with the cursor of the next one.

        A missing namespace is an error, in which it is *context*. *after* is the cursor of the first page, None for
        that of the namespace.
        """
        filters = _build_filter("NAMESPACE_ID", namespace_id)
        is_empty = after is None
        for found, cursor in self._list("ListServices", "Services", context, after, size, Filters=filters):
            is_empty = is_empty and not found
            if is_empty and not cursor:
                self._call("GetNamespace", context, {"Id": namespace_id})
            if found or not cursor:  # services of other namespaces leave pages empty
                yield tuple(map(_parse_service, found)), cursor

    def list_instances(self, service: CloudMapService, context: str) -> tuple[Instance, ...]:
        """Return the instances of *service*."""
        pages = self._list("ListInstances", "Instances", context, ServiceId=service.id)
        return sort_instances(
            Instance(id=one["Id"], attributes=tuple(sorted(one.get("Attributes", {}).items())))
            for found, _ in pages
            for one in found
        )

    def create_service(
        self, namespace_id: str, name: str, layout: Layout, description: str, tags: Mapping[str, str], context: str
    ) -> CloudMapService:
        """Create a service without instances, and return it."""
        request: dict[str, Any] = {
            "NamespaceId": namespace_id,
            "Name": name,
            "DnsConfig": {"RoutingPolicy": layout.routing, "DnsRecords": _format_ttls(layout.ttls_s)},
        }
        if description:
            request["Description"] = description
        if tags:
            request["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
        answer = self._call("CreateService", context, request, changes=1)
        return CloudMapService(
            id=answer["Service"]["Id"],
            name=name,
            description=description,
            routing=layout.routing,
            ttls_s=layout.ttls_s,
        )

    def update_service(
        self, service: CloudMapService, ttls_s: tuple[tuple[str, int], ...], description: str, context: str
    ) -> StartedOperation:
        """Give *service* TTLs and a description. An update states everything else that it would remove."""
        change: dict[str, Any] = {
            "Description": description,
            "DnsConfig": {"DnsRecords": _format_ttls(ttls_s)},
        }
        if service.health_check:
            change["HealthCheckConfig"] = dict(service.health_check)
        return self._start("UpdateService", context, Id=service.id, Service=change)

    def register(self, service: CloudMapService, instance: Instance, context: str) -> StartedOperation:
        """Register *instance*, or replace the one with its id."""
        attributes = dict(instance.attributes)
        return self._start(
            "RegisterInstance", context, ServiceId=service.id, InstanceId=instance.id, Attributes=attributes
        )

    def deregister(self, service: CloudMapService, instance: Instance, context: str) -> StartedOperation:
        """Deregister *instance*."""
        return self._start("DeregisterInstance", context, ServiceId=service.id, InstanceId=instance.id)

    def delete_service(self, service: CloudMapService, context: str) -> None:
        """Delete *service*, which must have no instances."""
        self._call("DeleteService", context, {"Id": service.id}, changes=1)

    def wait_for(self, operation: StartedOperation) -> None:
        """Wait up to a minute until *operation* is done. It counts as unanswered if that cannot be found out."""
        for _ in range(_MAX_POLLS):
            try:
                found = self._call("GetOperation", operation.context, {"OperationId": operation.id})["Operation"]
            except CallFailedError as failed:
                failed.kind = FailureKind.UNANSWERED
                raise
            if found["Status"] == "SUCCESS":
                return
            if found["Status"] == "FAIL":
                code = found.get("ErrorCode") or "FAIL"
                kind = _FAILURES.get(code, FailureKind.REFUSED)
                raise CallFailedError(kind, operation.call, operation.context, code, found.get("ErrorMessage", ""))
            self._wait(_POLL_S)
        detail = f"operation {operation.id} is not done after {_MAX_POLLS * _POLL_S:.0f} s"
        raise CallFailedError(FailureKind.UNANSWERED, operation.call, operation.context, "Timeout", detail)

    def _start(self, operation: str, context: str, **request: object) -> StartedOperation:
        answer = self._call(operation, context, request, changes=1)
        return StartedOperation(answer["OperationId"], f"{_SERVICE}:{operation}", context)

    def _list(
        self, operation: str, items: str, context: str, after: str | None = None, size: int = _PAGE, **request: object
    ) -> Iterator[tuple[list[dict[str, Any]], str | None]]:
        """Yield the *items* of each page from the cursor *after* on, with the cursor of the next page."""
        while True:
            cursor = {"NextToken": after} if after else {}
            answer = self._call(operation, context, {**request, **cursor, "MaxResults": size})
            after = answer.get("NextToken")
            yield answer[items], after
            if not after:
                return

    def _call(self, operation: str, context: str, request: Mapping[str, object], *, changes: int = 0) -> dict[str, Any]:
        """Call *operation* once the rate limit allows it. *changes* is 1 for a write, 0 for a read."""
        self.rate_limiter.acquire(operation, changes=changes)
        if changes:
            self._account.calls.require_can_write(f"{_SERVICE}:{operation}", context)
        try:
            answer = self._clients.send(operation, context, request)
        except CallFailedError as failed:
            if errors.is_throttled(failed.code):
                self.rate_limiter.record_throttle(operation, changes=changes)
            if failed.code == _RECENT_REQUEST:
                failed.kind = FailureKind.RETRYABLE
            raise
        self.rate_limiter.record_success(operation)
        return answer


def _build_filter(name: str, value: str) -> list[dict[str, Any]]:
    return [{"Name": name, "Values": [value], "Condition": "EQ"}]


def _format_ttls(ttls_s: tuple[tuple[str, int], ...]) -> list[dict[str, Any]]:
    return [{"Type": rtype, "TTL": ttl_s} for rtype, ttl_s in ttls_s]


def _parse_namespace(found: dict[str, Any]) -> CloudMapNamespace:
    zone = found.get("Properties", {}).get("DnsProperties", {}).get("HostedZoneId", "")
    return CloudMapNamespace(found["Id"], found["Name"], found["Type"], found.get("Arn", ""), zone)


def _parse_service(found: dict[str, Any]) -> CloudMapService:
    config = found.get("DnsConfig") or {}
    return CloudMapService(
        id=found["Id"],
        name=found["Name"],
        count=found.get("InstanceCount"),
        description=found.get("Description", ""),
        routing=config.get("RoutingPolicy", ""),
        ttls_s=tuple(sorted((one["Type"], one["TTL"]) for one in config.get("DnsRecords", ()))),
        health_check=tuple(sorted((found.get("HealthCheckConfig") or {}).items())),
    )
