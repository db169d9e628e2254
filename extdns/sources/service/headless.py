"""Headless Services: the pods behind them, and a name for each pod that has a hostname (spec sources 3.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from extdns.model.name import DnsName
from extdns.model.objects import EndpointSlice, Pod, SliceEndpoint
from extdns.model.reason import Reason
from extdns.sources import nodes
from extdns.sources.annotations import Annotations
from extdns.sources.service.settings import ServiceType
from extdns.sources.service.subject import Expansion, Subject
from extdns.sources.targets import TARGET, Answer, Missing, found

_ENDPOINTS_TYPE: Final = "endpoints-type"
_IP_FAMILIES: Final = frozenset({"IPv4", "IPv6"})


class _Mode(StrEnum):
    """Whose addresses are published. The value is that of the annotation, "" the default."""

    POD_IP = ""
    NODE_EXTERNAL_IP = "NodeExternalIP"
    HOST_IP = "HostIP"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """An endpoint of the Service.

    Attributes:
        hostname: of its pod, "" for none.
        targets: () while it is not ready.
    """

    hostname: str
    targets: tuple[str, ...]


def expansion(subject: Subject) -> Expansion:
    """A host points at all members; `<hostname>.<host>` at those whose pod has that hostname."""
    given, notices = subject.notes.chosen(_ENDPOINTS_TYPE, _Mode.NODE_EXTERNAL_IP, _Mode.HOST_IP)
    mode = _Mode(given) or (_Mode.HOST_IP if subject.settings.publish_host_ip else _Mode.POD_IP)
    members = tuple(_members(subject, mode))
    nothing = _nothing(subject, mode)

    def expand(host: DnsName) -> Iterator[tuple[str, Answer]]:
        targets: dict[str, list[str]] = {host: []}
        for member in members:
            targets[host] += member.targets
            if member.hostname:
                targets.setdefault(f"{member.hostname}.{host}", []).extend(member.targets)
        for name, texts in targets.items():
            yield name, found(texts, "the endpoints behind it", otherwise=nothing, notices=notices)

    return expand


def _members(subject: Subject, mode: _Mode) -> Iterator[_Member]:
    pods = {pod.metadata.name: pod for pod in subject.pods()}
    not_ready_too = (
        subject.service.spec.publish_not_ready_addresses or subject.settings.always_publish_not_ready_addresses
    )
    for piece in subject.slices():
        if mode is not _Mode.POD_IP or piece.address_type in _IP_FAMILIES:
            for endpoint, pod in _pods_behind(piece, pods):
                ready = endpoint.conditions is None or endpoint.conditions.ready is not False
                targets = _targets(subject, mode, endpoint, pod) if ready or not_ready_too else ()
                yield _Member(hostname=pod.spec.hostname, targets=targets)


def _pods_behind(piece: EndpointSlice, pods: dict[str, Pod]) -> Iterator[tuple[SliceEndpoint, Pod]]:
    for endpoint in piece.endpoints or ():
        ref = endpoint.target_ref
        if ref is not None and ref.kind == "Pod" and not ref.api_version and ref.name in pods:
            yield endpoint, pods[ref.name]


def _targets(subject: Subject, mode: _Mode, endpoint: SliceEndpoint, pod: Pod) -> tuple[str, ...]:
    given = Annotations.of(pod.metadata.annotations, subject.settings.selection.prefixes).listed(TARGET)
    if given:
        return given
    match mode:
        case _Mode.NODE_EXTERNAL_IP:
            return _node_addresses(subject, pod)
        case _Mode.HOST_IP:
            return (pod.status.host_ip,)
        case _Mode.POD_IP:
            return (endpoint.addresses or ())[:1]
        case _:
            assert_never(mode)


def _node_addresses(subject: Subject, pod: Pod) -> tuple[str, ...]:
    if not subject.settings.reads(ServiceType.NODE_PORT):
        return ()
    node = subject.node(pod.spec.node_name)
    if node is None:
        return ()
    return tuple(nodes.public((node,), expose_internal_ipv6=subject.settings.expose_internal_ipv6))


def _nothing(subject: Subject, mode: _Mode) -> Missing:
    if mode is _Mode.NODE_EXTERNAL_IP and not subject.settings.reads(ServiceType.NODE_PORT):
        detail = "nodes are not read, since --service-type-filter leaves out NodePort"
    else:
        detail = "none of its endpoints is ready, names one of its pods and has an address"
    return Missing(reason=Reason.NO_ENDPOINTS, detail=detail)
