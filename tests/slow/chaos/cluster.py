"""The Kubernetes objects of a chaos run: carries out the events of the script, and knows what the objects request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.fakes.apiserver.server import ApiServer
from tests.slow.chaos.events import NAMESPACES, ZONES, Event
from tests.slow.chaos.services import Key
from tests.swap.objects import dnsendpoint, endpoint, ingress, service

Json = dict[str, Any]
Values = tuple[str, ...]


class Request(NamedTuple):
    """The record sets that one object requests, with their values."""

    kind: str
    namespace: str
    name: str
    records: Mapping[Key, Values]


class Cluster:
    """The objects of a chaos run, by the name in the script and a slot: a namespace, a set identifier or ""."""

    def __init__(self, server: ApiServer, *, has_routing: bool) -> None:
        self._server = server
        self._has_routing = has_routing
        self._requests: dict[str, dict[str, Request]] = {}
        self._serial = 0

    def handle(self, event: Event) -> None:
        match event.verb:
            case "apply":
                self._apply(event.about, event.detail)
            case "remove":
                self._remove(event.about, event.detail)
            case "blank":
                self._blank(event.about)
            case _:
                raise AssertionError(event)

    def list_requested(self) -> dict[Key, set[Values]]:
        """Return each requested record set, with the values that each of its objects requests."""
        found: dict[Key, set[Values]] = {}
        for slots in self._requests.values():
            for request in slots.values():
                for key, values in request.records.items():
                    found.setdefault(key, set()).add(values)
        return found

    def _apply(self, about: str, detail: tuple[str, ...]) -> None:
        if detail[0] == "Member":
            if self._has_routing:
                self._apply_member(about, *detail[1:])
            return
        kind, namespace, host, form, number = detail
        if form == "alias" and not self._has_routing:
            form = "cname"
        slot = namespace if about.startswith("m") else ""
        former = self._requests.get(about, {}).get(slot)
        if former and (former.kind, former.namespace) != (kind, namespace):
            self._delete(former)
            former = None
        name = former.name if former else self._new_name(about)
        targets = _targets(form, int(number))
        self._put(self._build(kind, f"{namespace}/{name}", host, [value for _, value in targets], targets))
        records = {Key(_zone_of(host), host, rtype): value for rtype, value in _records(form, targets)}
        self._requests.setdefault(about, {})[slot] = Request(kind, namespace, name, records)

    def _apply_member(self, about: str, member: str, weight: str, number: str) -> None:
        former = self._requests.get(about, {}).get(member)
        name = former.name if former else self._new_name(about)
        address = f"192.0.2.{number}"
        self._put(service(f"{NAMESPACES[0]}/{name}", about, address, set_identifier=member, aws_weight=weight))
        records = {Key(_zone_of(about), about, "A", member): (address,)}
        self._requests.setdefault(about, {})[member] = Request("Service", NAMESPACES[0], name, records)

    def _remove(self, about: str, detail: tuple[str, ...]) -> None:
        slots = self._requests.get(about, {})
        slot = detail[0] if detail else min(slots, default="")
        if slot in slots:
            self._delete(slots.pop(slot))

    def _blank(self, about: str) -> None:
        """Empty the status of the objects. Their records are kept, so the expected records do not change."""
        for request in self._requests.get(about, {}).values():
            if request.kind != "DNSEndpoint":
                obj = self._server.get(request.kind, request.namespace, request.name)
                assert obj is not None
                self._server.put(obj | {"status": {"loadBalancer": {}}})

    def _build(self, kind: str, key: str, host: str, targets: list[str], typed: list[tuple[str, str]]) -> Json:
        match kind:
            case "Service":
                return service(key, host, *targets)
            case "Ingress":
                return ingress(key, host, *targets)
            case _:
                return dnsendpoint(key, *(endpoint(host, rtype, value) for rtype, value in typed))

    def _put(self, obj: Json) -> None:
        metadata = {key: value for key, value in obj["metadata"].items() if key not in {"uid", "creationTimestamp"}}
        self._server.put(obj | {"metadata": metadata})

    def _delete(self, request: Request) -> None:
        self._server.delete(request.kind, request.namespace, request.name)

    def _new_name(self, about: str) -> str:
        self._serial += 1
        return f"{about.partition('.')[0]}-{self._serial}"


def _targets(form: str, number: int) -> list[tuple[str, str]]:
    """Return type and target of each record for *form*; for an alias, the target as a CNAME."""
    match form:
        case "a":
            return [("A", f"192.0.2.{number}")]
        case "aaaa":
            return [("AAAA", f"2001:db8::{number}")]
        case "dual":
            return [("A", f"192.0.2.{number}"), ("AAAA", f"2001:db8::{number}")]
        case "cname":
            return [("CNAME", f"c{number}.example.net")]
        case _:
            return [("CNAME", f"lb-{number}.us-east-1.elb.amazonaws.com")]


def _records(form: str, targets: list[tuple[str, str]]) -> list[tuple[str, Values]]:
    if form != "alias":
        return [(rtype, (value,)) for rtype, value in targets]
    ((_, value),) = targets
    return [("A", ("alias", value)), ("AAAA", ("alias", value))]


def _zone_of(host: str) -> str:
    return max((zone for zone in ZONES if host.endswith(f".{zone}")), key=len)
