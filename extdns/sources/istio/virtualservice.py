"""The `istio-virtualservice` source: networking.istio.io VirtualServices (spec sources 7.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from extdns.errors import shortened
from extdns.model.claim import Claim, Filtered
from extdns.model.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.model.objects import KubernetesObject, ref_of
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.istio.addresses import addresses
from extdns.sources.istio.binding import binds
from extdns.sources.istio.hosts import published
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, Found, LeftOut, Missing, annotated, united
from extdns.sources.terms import Terms

_NAME: Final = "istio-virtualservice"
_HOSTNAME: Final = "hostname"
_MESH: Final = "mesh"
_NO_GATEWAY: Final = LeftOut(by="spec.gateways, which names no Gateway")


class _Served(NamedTuple):
    """A Gateway, its namespace, and what the hosts that it serves shall point at."""

    gateway: IstioGateway
    home: str
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualServiceSource:
    """Hosts of VirtualServices, at the addresses of the Gateways that serve them."""

    name = _NAME
    kind = VIRTUAL_SERVICE

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the VirtualService *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes Gateways, Ingresses or Services to tell, and they are not listed yet.
            TemplateError: a template fails on it.
            TypeError: *obj* is no VirtualService.
        """
        if not isinstance(obj, VirtualService):
            raise TypeError(f"the {_NAME} source reads VirtualServices only")
        ref = ref_of(VIRTUAL_SERVICE, obj)
        notes = Annotations.of(obj.metadata.annotations, self.selection.prefixes)
        by = self.selection.left_out_by(ref, obj.metadata, notes)
        if by:
            return (Filtered(ref=ref, by=by),)
        draft = Draft(_NAME, ref, Terms.of(notes))
        given, templates = annotated(notes), self.selection.templates
        gateways = () if given and not templates.fqdn else tuple(self._gateways(obj, ref.key.namespace, view))
        for host, field, ignored in self._hosts(obj, notes):
            draft.ask(host, field, ignored or given or _answer(gateways, obj, ref.key.namespace, host))
        for host, field in templates.hosts(_NAME, VIRTUAL_SERVICE, obj, named=draft.wants):
            # whatever the `target` annotation says (spec sources 7.2)
            draft.ask(host, field, _answer(gateways, obj, ref.key.namespace, host))
        return draft.claims()

    def _hosts(self, service: VirtualService, notes: Annotations) -> Iterator[tuple[str, str, LeftOut | None]]:
        for at, written in enumerate(service.spec.hosts or ()):
            host = published(written)
            if host:
                yield host, f"spec.hosts[{at}]", None
        ignored = LeftOut(by="--ignore-hostname-annotation") if self.selection.ignore_hostname_annotation else None
        for host in notes.listed(_HOSTNAME):
            yield host, notes.field(_HOSTNAME), ignored

    def _gateways(self, service: VirtualService, home: str, view: View) -> Iterator[_Served | Answer]:
        for reference in service.spec.gateways or ():
            if reference not in {"", _MESH}:
                yield self._gateway(reference, home, view)

    def _gateway(self, reference: str, home: str, view: View) -> _Served | Answer:
        *place, name = reference.split("/")
        if len(place) > 1:
            detail = f"spec.gateways: {shortened(reference)!r} is no Gateway; allowed: name or namespace/name"
            return Missing(reason=Reason.OBJECT_FAILED, detail=detail)
        namespace = place[0] if place else home
        gateway = view.get(ISTIO_GATEWAY, namespace, name)
        if not isinstance(gateway, IstioGateway):
            return LeftOut(by=f"spec.gateways: there is no Gateway {shortened(f'{namespace}/{name}')}")
        return _Served(gateway, namespace, addresses(gateway, namespace, self.selection, view))


def _answer(gateways: Sequence[_Served | Answer], service: VirtualService, home: str, host: str) -> Answer:
    """What all *gateways* that serve *host* say together, else what is missing, else what leaves it out."""
    answers = [_through(gateway, service, home, host) for gateway in gateways]
    found = [answer for answer in answers if isinstance(answer, Found)]
    if found:
        return united(found)
    missing = (answer for answer in answers if isinstance(answer, Missing))
    return next(missing, answers[0] if answers else _NO_GATEWAY)


def _through(gateway: _Served | Answer, service: VirtualService, home: str, host: str) -> Answer:
    if not isinstance(gateway, _Served):
        return gateway
    if binds(service, home, host, gateway.gateway, gateway.home):
        return gateway.answer
    return LeftOut(by=f"Gateway {gateway.home}/{gateway.gateway.metadata.name}, none of whose servers serves it")
