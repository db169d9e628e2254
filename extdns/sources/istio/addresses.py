"""What the hosts of a Gateway of Istio point at (spec sources 7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.model.balancing import Status
from extdns.model.istio import IstioGateway
from extdns.model.objects import INGRESS, SERVICE, Service, ref_of
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources.annotations import PREFIX, Annotations
from extdns.sources.references import ingress_at
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, LeftOut, Missing, annotated, found

_INGRESS: Final = "ingress"
_NO_ADDRESS: Final = "the status of the load balancer has no address yet"


def addresses(gateway: IstioGateway, home: str, selection: Selection, view: View) -> Answer:
    """What an annotation of *gateway*, which is in namespace *home*, says, or an Ingress, or Services.

    Raises:
        ExtdnsError: the annotation names no Ingress that there is.
        NotReadyError: Ingresses or Services are not listed yet.
    """
    notes = Annotations.of(gateway.metadata.annotations, selection.prefixes)
    shown = f"Gateway {home}/{gateway.metadata.name}"
    given = annotated(notes, of=shown)
    if given is not None:
        return given
    # whatever the prefix is, Istio's users know the key by the usual one
    reference = notes.get(_INGRESS) or (gateway.metadata.annotations or {}).get(PREFIX + _INGRESS)
    if reference:
        return _of_ingress(reference, home, f"{notes.field(_INGRESS)} of {shown}", view)
    return _of_services(gateway.spec.selector or {}, selection.namespace, view)


def _of_ingress(reference: str, home: str, field: str, view: View) -> Answer:
    ingress = ingress_at(reference, home, field, view)
    ref = ref_of(INGRESS, ingress)
    nothing = Missing(reason=Reason.NO_ADDRESS, detail=f"{ref}: {_NO_ADDRESS}")
    return found(_points(ingress.status), f"status.loadBalancer of {ref}", otherwise=nothing)


def _of_services(selector: dict[str, str], namespace: str, view: View) -> Answer:
    chosen = [
        service
        for service in view.select(SERVICE, namespace, {})
        if isinstance(service, Service) and selector.items() <= (service.spec.selector or {}).items()
    ]
    if not chosen:
        return LeftOut(by="spec.selector of the Gateway, which no Service meets")
    texts = (text for service in chosen for text in service.spec.external_ips or _points(service.status))
    nothing = Missing(reason=Reason.NO_ADDRESS, detail=f"Service {chosen[0].metadata.name}: {_NO_ADDRESS}")
    return found(texts, "the Services behind the Gateway", otherwise=nothing)


def _points(status: Status) -> Iterator[str]:
    for point in (status.load_balancer.ingress or ()) if status.load_balancer else ():
        yield point.ip or point.hostname
