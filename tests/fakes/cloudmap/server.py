"""The fake Cloud Map. It does not import the product."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Any, Final

from tests.fakes.service.answers import Answer, ApiError
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService

Json = dict[str, Any]
_TARGET: Final = "Route53AutoNaming_v20170314."
_LABEL: Final = r"(?:[a-zA-Z0-9_][a-zA-Z0-9-_]{0,61}[a-zA-Z0-9_]|[a-zA-Z0-9])"
_NAME: Final = re.compile(rf"(?=.{{1,127}}$){_LABEL}(?:\.{_LABEL})*")
_INSTANCE_ID: Final = re.compile(r"[0-9a-zA-Z_/:.@-]{1,64}")
_COMBINATIONS: Final = ({"A"}, {"AAAA"}, {"A", "AAAA"}, {"SRV"}, {"CNAME"})
NEEDED: Final = {"A": "AWS_INSTANCE_IPV4", "AAAA": "AWS_INSTANCE_IPV6", "CNAME": "AWS_INSTANCE_CNAME"}
"""The attribute that an instance needs for each type of its service."""

_ALIAS: Final = "AWS_ALIAS_DNS_NAME"
_PER_SERVICE: Final = 1000
_PAGE: Final = 100
WHOLE_LIST: Final = "ListServices ALL"
"""The action of `ListServices` with the largest pages, which reads all services and not one page of them."""


@dataclass(frozen=True)
class Call:
    """A call received, by which faults select.

    `zone_id` is the id of its namespace or service, and `name` the full name of its service, each "" without any.
    """

    action: str
    zone_id: str
    name: str = ""


@dataclass
class Operation:
    """An operation: what it changes and does when it ends, and how many calls come before the one at which it ends."""

    target: tuple[str, str]
    work: Callable[[], None]
    left: int
    error: str = ""
    status: str = "SUBMITTED"


@dataclass
class CloudMap(FakeService):
    """A fake Cloud Map.

    Attributes:
        delay: how many calls, of anything, come between the start of an operation and the call at which it ends.
        fails: the error codes with which the next operations end, "" for success.
        page: the most items in an answer.
        protected: the full names of services that can be neither created nor get instances.
        calls: the calls received.
    """

    delay: int = 1
    page: int = 2
    fails: list[str] = field(default_factory=list[str])
    protected: set[str] = field(default_factory=set[str])
    calls: list[Call] = field(default_factory=list[Call])

    def __post_init__(self) -> None:
        FakeService.__init__(self)
        self.lock = RLock()
        self._first_delay = self.delay
        self.reset()

    def reset(self) -> None:
        self.faults.clear()
        self.delay, self._ids = self._first_delay, count(1)
        self.fails.clear()
        self.protected.clear()
        self.calls.clear()
        self.namespaces: dict[str, Json] = {}
        self.services: dict[str, Json] = {}
        self.instances: dict[str, dict[str, Mapping[str, str]]] = {}
        self.tags: dict[str, list[Json]] = {}
        self._operations: dict[str, Operation] = {}
        self._unfinished: list[Operation] = []
        self._answers: dict[str, Json] = {}

    @property
    def actions(self) -> list[str]:
        return [call.action.partition(" ")[0] for call in self.calls]

    def end_operations(self) -> None:
        """Carry out the operations that have not ended, as happens some time after the last call."""
        with self.lock:
            for operation in self._unfinished:
                operation.left = 0
            self._advance()

    def add_namespace(self, name: str, kind: str = "DNS_PUBLIC", owner: str = "SELF") -> str:
        """Add a namespace of *owner*, as the filter RESOURCE_OWNER names it, and return its id."""
        key = f"ns-{next(self._ids)}"
        arn = f"arn:aws:servicediscovery:eu-central-1:123456789012:namespace/{key}"
        properties = {"DnsProperties": {"HostedZoneId": f"Z0{key.upper()}"}} if kind.startswith("DNS") else {}
        found = {"Id": key, "Arn": arn, "Name": name, "Type": kind, "ResourceOwner": owner, "Properties": properties}
        self.namespaces[key] = found
        return key

    def add_service(self, namespace: str, name: str, config: Json, **more: str) -> Json:
        """Add a service without instances, with a `DnsConfig` and *more*, such as its `Description`."""
        key = f"srv-{next(self._ids)}"
        made = {"Id": key, "Name": name, "Type": "DNS_HTTP", "DnsConfig": config, **more, "namespace": namespace}
        self.services[key], self.instances[key] = made, {}
        return made

    def remove_service(self, key: str) -> None:
        del self.services[key], self.instances[key]

    def find(self, name: str) -> Json | None:
        return next((one for one in self.services.values() if one["Name"] == name), None)

    def list_values(self, name: str) -> list[tuple[str, str]]:
        service = self.find(name)
        found = self.instances[service["Id"]].values() if service else ()
        return sorted(item for one in found for item in one.items())

    def _respond(self, request: Request) -> Answer:
        action = request.headers["x-amz-target"].removeprefix(_TARGET)
        body: Json = json.loads(request.body)
        call = self._describe(action, body)
        self.calls.append(call)
        fault = self.faults.take(call)
        try:
            fault.before()
            with self.lock:
                self._advance()
                answer = Answer(status=200, body=json.dumps(self._carry_out(action, body)).encode())
        except ApiError as exc:
            text = json.dumps({"__type": exc.code, "Message": exc.message})
            answer = Answer(status=exc.status, body=text.encode())
        return fault.after(answer)

    def _describe(self, action: str, body: Json) -> Call:
        subject = body.get("ServiceId") or body.get("NamespaceId") or body.get("Id") or ""
        with self.lock:
            service = self.services.get(subject) or {"namespace": subject, "Name": body.get("Name", "")}
            zone = self.namespaces.get(service["namespace"])
        name = f"{service['Name']}.{zone['Name']}" if zone and service["Name"] else ""
        is_whole = action == "ListServices" and body.get("MaxResults") == _PAGE
        return Call(WHOLE_LIST if is_whole else action, subject, name)

    def _carry_out(self, action: str, body: Json) -> Json:
        """Return the answer to a call, the former one to a request that is repeated."""
        key = body.get("CreatorRequestId", "")
        answer: Json = self._answers.get(key) or getattr(self, f"_do_{action}")(body)
        if key:
            self._answers[key] = answer
        return answer

    def _do_ListNamespaces(self, body: Json) -> Json:  # noqa: N802 - the name of the action
        wanted = _get_filter(body, "RESOURCE_OWNER")
        found = [one for one in self.namespaces.values() if not wanted or one["ResourceOwner"] in wanted]
        return self._list(body, "Namespaces", found)

    def _do_GetNamespace(self, body: Json) -> Json:  # noqa: N802
        return {"Namespace": self._get_namespace(body["Id"])}

    def _do_ListServices(self, body: Json) -> Json:  # noqa: N802
        wanted = _get_filter(body, "NAMESPACE_ID")
        found = [one for one in self.services.values() if not wanted or one["namespace"] in wanted]
        shown = [{key: value for key, value in one.items() if key != "namespace"} for one in found]
        return self._list(body, "Services", [{**one, "InstanceCount": len(self.instances[one["Id"]])} for one in shown])

    def _do_ListInstances(self, body: Json) -> Json:  # noqa: N802
        held = self.instances[self._get_service(body["ServiceId"])["Id"]]
        return self._list(body, "Instances", [{"Id": key, "Attributes": dict(one)} for key, one in held.items()])

    def _list(self, body: Json, items: str, found: list[Json]) -> Json:
        start = int(body.get("NextToken", "0"))
        end = start + min(body.get("MaxResults", _PAGE), self.page)
        return {items: found[start:end], **({"NextToken": str(end)} if end < len(found) else {})}

    def _do_CreateService(self, body: Json) -> Json:  # noqa: N802
        zone = self._get_namespace(body["NamespaceId"])
        name, config = body["Name"], body["DnsConfig"]
        types = {one["Type"] for one in config["DnsRecords"]}
        routing = config.get("RoutingPolicy", "MULTIVALUE")
        _require(bool(_NAME.fullmatch(name)), f"the name {name!r} of the service is not valid")
        _require(types in _COMBINATIONS, f"a service cannot have the types {sorted(types)}")
        _require(routing == "WEIGHTED" or "CNAME" not in types, "CNAME needs the routing policy WEIGHTED")
        _require(len(body.get("Description", "")) <= 1024, "the description is too long")
        _require(f"{name}.{zone['Name']}" not in self.protected, f"{name} is protected by a test")
        for one in self.services.values():
            if (one["namespace"], one["Name"].lower()) == (body["NamespaceId"], name.lower()):
                raise ApiError(400, "ServiceAlreadyExists", f"service {name} exists")
        described = {"Description": body["Description"]} if "Description" in body else {}
        made = self.add_service(body["NamespaceId"], name, {**config, "RoutingPolicy": routing}, **described)
        self.tags[made["Id"]] = body.get("Tags", [])
        return {"Service": {key: value for key, value in made.items() if key not in {"namespace", "Description"}}}

    def _do_UpdateService(self, body: Json) -> Json:  # noqa: N802
        service, change = self._get_service(body["Id"]), body["Service"]
        kept = {one["Type"] for one in service["DnsConfig"]["DnsRecords"]}
        stated = change.get("DnsConfig", {}).get("DnsRecords", [])
        _require({one["Type"] for one in stated} <= kept, "the types of a service cannot change")

        def work() -> None:
            service["DnsConfig"] = {**service["DnsConfig"], "DnsRecords": stated}
            service["Description"] = change.get("Description", service.get("Description", ""))
            service.pop("HealthCheckConfig", None)
            service.update({key: change[key] for key in change if key == "HealthCheckConfig"})

        return self._begin(body["Id"], "", work)

    def _do_DeleteService(self, body: Json) -> Json:  # noqa: N802
        service = self._get_service(body["Id"])
        if self.instances[service["Id"]]:
            raise ApiError(400, "ResourceInUse", "the service has instances")
        self.remove_service(service["Id"])
        return {}

    def _do_RegisterInstance(self, body: Json) -> Json:  # noqa: N802
        service, key, attributes = self._get_service(body["ServiceId"]), body["InstanceId"], body["Attributes"]
        held, config = self.instances[service["Id"]], service["DnsConfig"]
        zone = self.namespaces[service["namespace"]]
        types = {one["Type"] for one in config["DnsRecords"]}
        _require(bool(_INSTANCE_ID.fullmatch(key)), f"the id {key!r} of the instance is not valid")
        _require(f"{service['Name']}.{zone['Name']}" not in self.protected, "the service is protected by a test")
        if _ALIAS in attributes:
            _require(types <= {"A", "AAAA"} and config["RoutingPolicy"] == "WEIGHTED", "no alias in this service")
            _require(not set(attributes) & set(NEEDED.values()), "an alias has no other values")
        else:
            _require({NEEDED[one] for one in types if one in NEEDED} <= attributes.keys(), "a value is missing")
        if len(held.keys() | {key}) > _PER_SERVICE:
            raise ApiError(400, "ResourceLimitExceeded", "the service has too many instances")
        return self._begin(service["Id"], key, lambda: held.update({key: attributes}))

    def _do_DeregisterInstance(self, body: Json) -> Json:  # noqa: N802
        held, key = self.instances[self._get_service(body["ServiceId"])["Id"]], body["InstanceId"]
        if key not in held:
            raise ApiError(404, "InstanceNotFound", f"no instance {key}")

        def work() -> None:
            held.pop(key, None)

        return self._begin(body["ServiceId"], key, work)

    def _do_DiscoverInstances(self, body: Json) -> Json:  # noqa: N802
        zones = [key for key, one in self.namespaces.items() if one["Name"] == body["NamespaceName"]]
        if not zones:
            raise ApiError(404, "NamespaceNotFound", f"no namespace {body['NamespaceName']}")
        names = {(one["namespace"], one["Name"]): key for key, one in self.services.items()}
        service = next(
            (names[zone, body["ServiceName"]] for zone in zones if (zone, body["ServiceName"]) in names), None
        )
        if service is None:
            raise ApiError(404, "ServiceNotFound", f"no service {body['ServiceName']}")
        shown = {"NamespaceName": body["NamespaceName"], "ServiceName": body["ServiceName"], "HealthStatus": "HEALTHY"}
        held = list(self.instances[service].items())[: body.get("MaxResults", _PAGE)]
        return {"Instances": [{"InstanceId": key, **shown, "Attributes": dict(one)} for key, one in held]}

    def _do_GetOperation(self, body: Json) -> Json:  # noqa: N802
        operation = self._operations.get(body["OperationId"])
        if operation is None:
            raise ApiError(400, "OperationNotFound", "no such operation")
        error = {"ErrorCode": operation.error, "ErrorMessage": "armed by a test"} if operation.error else {}
        return {"Operation": {"Id": body["OperationId"], "Status": operation.status, **error}}

    def _begin(self, service: str, instance: str, work: Callable[[], None]) -> Json:
        """Start to change a service, or an instance of it, of which one change at a time is allowed."""
        target = (service, instance)
        if any(one.target == target for one in self._unfinished):
            raise ApiError(400, "DuplicateRequest", "another operation on it is in progress")
        key = f"operation-{next(self._ids)}"
        made = Operation(target, work, self.delay, self.fails.pop(0) if self.fails else "")
        self._operations[key] = made
        self._unfinished.append(made)
        return {"OperationId": key}

    def _advance(self) -> None:
        """Let a call go by for each operation that has not ended."""
        ended = [one for one in self._unfinished if not one.left]
        self._unfinished = [one for one in self._unfinished if one.left]
        for operation in ended:
            operation.status = "FAIL" if operation.error else "SUCCESS"
            if not operation.error:
                operation.work()
        for operation in self._unfinished:
            operation.left, operation.status = operation.left - 1, "PENDING"

    def _get_namespace(self, key: str) -> Json:
        if key not in self.namespaces:
            raise ApiError(404, "NamespaceNotFound", f"no namespace {key}")
        return self.namespaces[key]

    def _get_service(self, key: str) -> Json:
        if key not in self.services:
            raise ApiError(404, "ServiceNotFound", f"no service {key}")
        return self.services[key]


def _get_filter(body: Json, name: str) -> set[str]:
    return {value for one in body.get("Filters", ()) if one["Name"] == name for value in one["Values"]}


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ApiError(400, "InvalidInput", problem)
