"""What a Service publishes by its type; here are those that look at nothing else (spec sources 3.3, 3.4, 3.7)."""

from __future__ import annotations

from enum import StrEnum
from itertools import chain
from typing import Final

from extdns.model import rrtype
from extdns.model.objects import ServiceSpec
from extdns.model.reason import Reason
from extdns.sources.service import headless, nodeport
from extdns.sources.service.settings import ServiceType
from extdns.sources.service.subject import Expansion, Subject
from extdns.sources.targets import Answer, Found, LeftOut, Missing, annotated, balanced, found

_HEADLESS: Final = "None"
_UNASSIGNED: Final = Missing(reason=Reason.NO_ADDRESS, detail="spec.clusterIP is not assigned yet")
_NO_CLUSTER_IP: Final = Missing(reason=Reason.NO_ENDPOINTS, detail="spec.clusterIP is None")
_NO_EXTERNAL_NAME: Final = Missing(reason=Reason.INVALID_TARGET, detail="spec.externalName is empty")


class Audience(StrEnum):
    """For whom a host is published. The value is the annotation that lists such hosts."""

    EXTERNAL = "hostname"
    INTERNAL = "internal-hostname"


def expansion(subject: Subject, audience: Audience) -> Expansion:
    """What every host of that audience shall be; asks the view if the type needs it."""
    given = annotated(subject.notes)
    if given is not None:
        return _always(given)
    spec = subject.service.spec
    match spec.type or ServiceType.CLUSTER_IP:
        case ServiceType.LOAD_BALANCER if audience is Audience.EXTERNAL:
            return _always(_external_ips(spec) or _balanced(subject))
        case ServiceType.CLUSTER_IP if spec.cluster_ip == _HEADLESS:
            return headless.expansion(subject)
        case ServiceType.CLUSTER_IP if audience is Audience.EXTERNAL and not subject.settings.publish_internal_services:
            return _always(LeftOut(by="--publish-internal-services"))
        case ServiceType.CLUSTER_IP | ServiceType.LOAD_BALANCER:
            return _always(_cluster_ip(spec))
        case ServiceType.NODE_PORT:
            return nodeport.expansion(subject)
        case ServiceType.EXTERNAL_NAME:
            external_name = found((spec.external_name,), "spec.externalName", otherwise=_NO_EXTERNAL_NAME)
            return _always(_external_ips(spec) or external_name)
        case other:
            return _always(_unknown(other))


def _always(answer: Answer) -> Expansion:
    return lambda host: ((host, answer),)


def _external_ips(spec: ServiceSpec) -> Found | Missing | None:
    if not spec.external_ips:
        return None
    nothing = Missing(reason=Reason.INVALID_TARGET, detail="spec.externalIPs holds no address")
    return found(spec.external_ips, "spec.externalIPs", otherwise=nothing)


def _balanced(subject: Subject) -> Found | Missing:
    """What the status says; with `--resolve-service-load-balancer-hostname`, addresses for its host names.

    A host name without address contributes none. While it is not known whether one has any, nothing
    is said at all: what is published would lose addresses.
    """
    answer = balanced(subject.service.status)
    if isinstance(answer, Missing) or not subject.settings.resolves_hostnames:
        return answer
    by_type = dict(answer.groups)
    names = by_type.pop(rrtype.CNAME, ())
    hosts = subject.hosts(names)
    for host in hosts:
        if host.failure:
            return Missing(reason=Reason.NO_ADDRESS, detail=f"{host.metadata.name} does not resolve: {host.failure}")
    texts = chain(*by_type.values(), *(host.addresses for host in hosts))
    nothing = Missing(reason=Reason.NO_ADDRESS, detail=f"there is no address of {' and '.join(names)}")
    return found(texts, "status.loadBalancer", otherwise=nothing, notices=answer.notices)


def _cluster_ip(spec: ServiceSpec) -> Found | Missing:
    if spec.cluster_ip == _HEADLESS:
        return _NO_CLUSTER_IP
    return found((spec.cluster_ip,), "spec.clusterIP", otherwise=_UNASSIGNED)


def _unknown(service_type: str) -> Missing:
    detail = f"spec.type {service_type!r} is no type of Service; allowed: {', '.join(ServiceType)}"
    return Missing(reason=Reason.INVALID_OBJECT, detail=detail)
