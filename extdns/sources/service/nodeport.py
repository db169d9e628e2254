"""NodePort Services: addresses of nodes, and an SRV record for each protocol (spec sources 3.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from extdns.model import rrtype
from extdns.model.name import DnsName
from extdns.model.objects import Node, Pod, Service
from extdns.model.reason import Reason
from extdns.model.target import address
from extdns.sources import nodes
from extdns.sources.service.subject import Expansion, Subject
from extdns.sources.targets import Answer, Found, Missing, found

_ACCESS: Final = "access"
_PUBLIC: Final = "public"
_PRIVATE: Final = "private"
_NONE: Final = Missing(reason=Reason.NO_ENDPOINTS, detail="no node that serves it has an address of the wanted kind")
# Ranks of pods under `externalTrafficPolicy: Local`: only the nodes with the best one are used.
_READY: Final = 3
_READY_BUT_GOING: Final = 2
_NOT_READY: Final = 1


def expansion(subject: Subject) -> Expansion:
    """Every host points at the nodes; below it stands an SRV record for each protocol with a node port."""
    access, notices = subject.notes.chosen(_ACCESS, _PUBLIC, _PRIVATE)
    texts = _addresses(_serving(subject), access, expose_internal_ipv6=subject.settings.expose_internal_ipv6)
    answer = found(texts, "status.addresses of its nodes", otherwise=_NONE, notices=notices)

    def expand(host: DnsName) -> Iterator[tuple[str, Answer]]:
        yield host, answer
        yield from _services(subject.service, host)

    return expand


def _addresses(serving: Sequence[Node], access: str, *, expose_internal_ipv6: bool) -> list[str]:
    if access == _PUBLIC or (access != _PRIVATE and nodes.addresses(serving, nodes.EXTERNAL)):
        return nodes.public(serving, expose_internal_ipv6=expose_internal_ipv6)
    return nodes.addresses(serving, nodes.INTERNAL)


def _serving(subject: Subject) -> list[Node]:
    every = subject.nodes()
    chosen = _local(subject, every) if subject.service.spec.external_traffic_policy == "Local" else every
    return [node for node in chosen if not (subject.settings.exclude_unschedulable and node.spec.unschedulable)]


def _local(subject: Subject, every: Sequence[Node]) -> list[Node]:
    ranks = dict.fromkeys((node.metadata.name for node in every), 0)
    for pod in subject.pods():
        if pod.status.phase == "Running" and pod.spec.node_name in ranks:
            ranks[pod.spec.node_name] = max(ranks[pod.spec.node_name], _rank(pod))
    best = max(ranks.values(), default=0)
    return [node for node in every if best and ranks[node.metadata.name] == best]


def _rank(pod: Pod) -> int:
    if not any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions or ()):
        return _NOT_READY
    return _READY_BUT_GOING if pod.metadata.deletion_timestamp else _READY


def _services(service: Service, host: DnsName) -> Iterator[tuple[str, Answer]]:
    end = "" if address(host) else "."
    by_protocol: dict[str, set[str]] = {}
    for port in service.spec.ports or ():
        if port.node_port > 0:
            target = f"0 50 {port.node_port} {host}{end}"
            by_protocol.setdefault(port.protocol.lower() or "tcp", set()).add(target)
    for protocol, targets in by_protocol.items():
        answer = Found(groups=((rrtype.SRV, tuple(sorted(targets))),))
        yield f"_{service.metadata.name}._{protocol}.{host}", answer
