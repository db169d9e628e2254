"""The `istio-virtualservice` source: networking.istio.io VirtualServices (spec sources 7.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extdns.errors import shortened
from extdns.model.claim import Claim, Filtered
from extdns.model.istio import ISTIO_GATEWAY, VIRTUAL_SERVICE, IstioGateway, VirtualService
from extdns.model.objects import KubernetesObject, ref_of
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.istio.addresses import addresses
from extdns.sources.istio.binding import binds
from extdns.sources.istio.hosts import published
from extdns.sources.references import place
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, Found, LeftOut, Missing, annotated, united
from extdns.sources.terms import Terms

_NAME: Final = "istio-virtualservice"
_HOSTNAME: Final = "hostname"
_MESH: Final = "mesh"
_NO_GATEWAY: Final = LeftOut(by="spec.gateways, which names no Gateway")


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualServiceSource:
    """Hosts of VirtualServices, at the addresses of the Gateways that serve them."""

    name = _NAME
    kind = VIRTUAL_SERVICE

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the VirtualService *obj* asks for, in the order of `Draft.claims`.

        Raises:
            ExtdnsError: what it takes to tell refers to a Gateway or an Ingress in vain.
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
        gateways = _Gateways(obj, ref.key.namespace, self.selection, view)
        for host, field, ignored in self._hosts(obj, notes):
            draft.ask(host, field, ignored or given or gateways.answer(host))
        for host, field in templates.hosts(_NAME, VIRTUAL_SERVICE, obj, named=draft.wants):
            # whatever the `target` annotation says (spec sources 7.2)
            draft.ask(host, field, gateways.answer(host))
        return draft.claims()

    def _hosts(self, service: VirtualService, notes: Annotations) -> Iterator[tuple[str, str, LeftOut | None]]:
        for at, written in enumerate(service.spec.hosts or ()):
            host = published(written)
            if host:
                yield host, f"spec.hosts[{at}]", None
        ignored = LeftOut(by="--ignore-hostname-annotation") if self.selection.ignore_hostname_annotation else None
        for host in notes.listed(_HOSTNAME):
            yield host, notes.field(_HOSTNAME), ignored


class _Gateways:
    """The Gateways of one VirtualService; lives for one call of `Source.claims`."""

    def __init__(self, service: VirtualService, home: str, selection: Selection, view: View) -> None:
        """Those of *service*, which is in namespace *home*."""
        self._service: Final = service
        self._home: Final = home
        self._selection: Final = selection
        self._view: Final = view
        self._addresses: Final[dict[str, Answer]] = {}

    def answer(self, host: str) -> Answer:
        """What all that serve *host* say together, else what is missing, else what leaves it out."""
        named = (reference for reference in self._service.spec.gateways or () if reference not in {"", _MESH})
        answers = [self._through(reference, host) for reference in named]
        found = [answer for answer in answers if isinstance(answer, Found)]
        if found:
            return united(found)
        missing = (answer for answer in answers if isinstance(answer, Missing))
        return next(missing, answers[0] if answers else _NO_GATEWAY)

    def _through(self, reference: str, host: str) -> Answer:
        namespace, name = place(reference, self._home, "spec.gateways", ISTIO_GATEWAY.name)
        gateway = self._view.get(ISTIO_GATEWAY, namespace, name)
        if not isinstance(gateway, IstioGateway):
            return LeftOut(by=f"spec.gateways: there is no Gateway {shortened(f'{namespace}/{name}')}")
        if not binds(self._service, self._home, host, gateway, namespace):
            return LeftOut(by=f"Gateway {namespace}/{name}, none of whose servers serves it")
        if reference not in self._addresses:
            self._addresses[reference] = addresses(gateway, namespace, self._selection, self._view)
        return self._addresses[reference]
