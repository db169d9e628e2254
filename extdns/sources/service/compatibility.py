"""Names in the annotations of older tools, for Services that yield nothing else (spec sources 3.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple, assert_never

from extdns.model import rrtype
from extdns.model.reason import Reason
from extdns.sources import nodes
from extdns.sources.annotations import items
from extdns.sources.service.settings import Compatibility, ServiceType
from extdns.sources.service.subject import Subject
from extdns.sources.targets import Answer, Found, Missing, balanced, found

_MATE: Final = "zalando.org/dnsname"
_MOLECULE: Final = "domainName"
_MOLECULE_LABEL: Final = ("dns", "route53")
_KOPS_NODE: Final = "node-role.kubernetes.io/node"
_NO_NODE: Final = Missing(
    reason=Reason.NO_ENDPOINTS, detail=f"no node with label {_KOPS_NODE} has an address of the wanted kind"
)


class _Kops(StrEnum):
    """For whom names are published; the value is the annotation that lists them."""

    EXTERNAL = "dns.alpha.kubernetes.io/external"
    INTERNAL = "dns.alpha.kubernetes.io/internal"


class Asked(NamedTuple):
    """A name as it is written, in which annotation, and what it shall point at."""

    text: str
    field: str
    answer: Answer


def asked(subject: Subject) -> Iterator[Asked]:
    """What the Service asks for by the annotations of the older tool; raises as the view does."""
    match subject.settings.compatibility:
        case Compatibility.NONE:
            pass
        case Compatibility.MATE:
            if host := _annotations(subject).get(_MATE):
                yield Asked(text=host, field=f"annotation {_MATE}", answer=_balanced(subject))
        case Compatibility.MOLECULE:
            key, value = _MOLECULE_LABEL
            if (subject.service.metadata.labels or {}).get(key) == value:
                yield from _listed(subject, _MOLECULE, _balanced(subject))
        case Compatibility.KOPS:
            yield from _kops(subject)
        case other:
            assert_never(other)


def _kops(subject: Subject) -> Iterator[Asked]:
    given = [key for key in _Kops if key in _annotations(subject)]
    match subject.service.spec.type:
        case ServiceType.LOAD_BALANCER:
            for key in given:
                yield from _listed(subject, key, _balanced(subject))
        case ServiceType.NODE_PORT if len(given) == 1:
            yield from _listed(subject, given[0], _on_nodes(subject, given[0]))
        case _:
            pass


def _on_nodes(subject: Subject, key: _Kops) -> Answer:
    chosen = [node for node in subject.nodes() if _KOPS_NODE in (node.metadata.labels or {})]
    if key is _Kops.EXTERNAL:
        texts = nodes.public(chosen, expose_internal_ipv6=subject.settings.expose_internal_ipv6)
    else:
        texts = nodes.addresses(chosen, nodes.INTERNAL)
    return found(texts, "status.addresses of its nodes", otherwise=_NO_NODE)


def _balanced(subject: Subject) -> Answer:
    """The addresses of the load balancer, all of them as A, which an IPv6 one invalidates."""
    answer = balanced(subject.service.status)
    if not isinstance(answer, Found):
        return answer
    groups: dict[str, tuple[str, ...]] = {}
    for rtype, targets in answer.groups:
        fits = rrtype.A if rtype == rrtype.AAAA else rtype
        groups[fits] = (*groups.get(fits, ()), *targets)
    return Found(groups=tuple(groups.items()), notices=answer.notices)


def _listed(subject: Subject, key: str, answer: Answer) -> Iterator[Asked]:
    for text in items(_annotations(subject).get(key)):
        yield Asked(text=text, field=f"annotation {key}", answer=answer)


def _annotations(subject: Subject) -> Mapping[str, str]:
    return subject.service.metadata.annotations or {}
