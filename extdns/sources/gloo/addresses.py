"""What the hosts of a Proxy of Gloo point at (spec sources 7.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from extdns.errors import ExtdnsError, shortened
from extdns.model.gloo import GLOO_GATEWAY, GlooGateway, Proxy
from extdns.model.objects import SERVICE, Ingress, Service
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.references import ingress_at
from extdns.sources.targets import Answer, LeftOut, Missing, annotated, balanced, found

_INGRESS: Final = "ingress"
_GATEWAY: Final = "*v1.Gateway"
_BALANCER: Final = "LoadBalancer"


def addresses(proxy: Proxy, home: str, prefixes: tuple[str, ...], view: View) -> Answer:
    """What an annotation of *proxy*, which is in namespace *home*, says, else Ingresses, else its Service.

    Raises:
        ExtdnsError: an object that these rest on is not there.
        NotReadyError: Gateways, Ingresses or Services are not listed yet.
    """
    given = annotated(Annotations.of(proxy.metadata.annotations, prefixes))
    if given is not None:
        return given
    ingresses = [ingress for place in _gateways(proxy) if (ingress := _ingress(place, prefixes, view))]
    texts = [text for text in _points(ingresses) if text]
    if texts:
        nothing = Missing(reason=Reason.NO_ADDRESS, detail="no Ingress of the Gateways has an address yet")
        return found(texts, "status.loadBalancer of the Ingresses of the Gateways", otherwise=nothing)
    return _of_service(home, proxy.metadata.name, view)


def _gateways(proxy: Proxy) -> Iterable[tuple[str, str]]:
    """Namespace and name of the Gateways that *proxy* was made from, each once."""
    return dict.fromkeys(
        (made.resource_ref.namespace, made.resource_ref.name)
        for listener in proxy.spec.listeners or ()
        for made in (listener.metadata_static.sources if listener.metadata_static else None) or ()
        if made.resource_kind == _GATEWAY
    )


def _ingress(place: tuple[str, str], prefixes: tuple[str, ...], view: View) -> Ingress | None:
    """The Ingress that an annotation of the Gateway at *place* names; None if there is no such annotation."""
    shown = shortened("/".join(place))
    gateway = view.get(GLOO_GATEWAY, *place)
    if not isinstance(gateway, GlooGateway):
        raise ExtdnsError(f"spec.listeners: there is no Gateway {shown}")
    notes = Annotations.of(gateway.metadata.annotations, prefixes)
    reference = notes.get(_INGRESS)
    if not reference:
        return None
    return ingress_at(reference, place[0], f"{notes.field(_INGRESS)} of Gateway {shown}", view)


def _points(ingresses: Iterable[Ingress]) -> Iterator[str]:
    for ingress in ingresses:
        for point in (ingress.status.load_balancer.ingress or ()) if ingress.status.load_balancer else ():
            yield point.ip or point.hostname


def _of_service(namespace: str, name: str, view: View) -> Answer:
    service = view.get(SERVICE, namespace, name)
    if not isinstance(service, Service):
        raise ExtdnsError(f"there is no Service {shortened(f'{namespace}/{name}')}, which a Proxy is to have")
    if service.spec.type != _BALANCER:
        return LeftOut(by=f"Service {namespace}/{name}, which is no LoadBalancer")
    return balanced(service.status)
