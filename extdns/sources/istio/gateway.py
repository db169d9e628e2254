"""The `istio-gateway` source: networking.istio.io Gateways (spec sources 7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.istio import ISTIO_GATEWAY, IstioGateway
from extdns.model.objects import KubernetesObject
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.istio.addresses import addresses
from extdns.sources.istio.hosts import published
from extdns.sources.selection import Selection

_NAME: Final = "istio-gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class IstioGatewaySource:
    """Names that the servers of Gateways have, and those of their annotation."""

    name = _NAME
    kind = ISTIO_GATEWAY

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Gateway *obj* asks for, in the order of `Draft.claims`.

        Raises:
            ExtdnsError: the Ingress that an annotation names is not there.
            NotReadyError: it takes Ingresses or Services to tell, and they are not listed yet.
            TemplateError: a template fails on it.
            TypeError: *obj* is no Gateway of Istio.
        """
        if not isinstance(obj, IstioGateway):
            raise TypeError(f"the {_NAME} source reads Gateways of Istio only")
        hosting = Hosting(_NAME, ISTIO_GATEWAY, obj, self.selection)
        if left_out := hosting.left_out():
            return left_out
        answer = addresses(obj, hosting.ref.key.namespace, self.selection, view)
        for host, field in _hosts(obj):
            hosting.publish(host, field, answer)
        hosting.publish_annotated(answer)
        hosting.publish_templated(answer)
        return hosting.claims()


def _hosts(gateway: IstioGateway) -> Iterator[tuple[str, str]]:
    for at, server in enumerate(gateway.spec.servers or ()):
        for item, written in enumerate(server.hosts or ()):
            host = published(written)
            if host:
                yield host, f"spec.servers[{at}].hosts[{item}]"
