"""The `istio-gateway` source: networking.istio.io Gateways (spec sources 7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim, Filtered
from extdns.model.cluster import Kind
from extdns.model.istio import ISTIO_GATEWAY, IstioGateway
from extdns.model.objects import KubernetesObject, ref_of
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.istio.addresses import addresses
from extdns.sources.istio.hosts import published
from extdns.sources.selection import Selection
from extdns.sources.targets import LeftOut
from extdns.sources.terms import Terms

_NAME: Final = "istio-gateway"
_HOSTNAME: Final = "hostname"


@dataclass(frozen=True, slots=True, kw_only=True)
class IstioGatewaySource:
    """Names that the servers of Gateways have, and those of their annotation."""

    selection: Selection

    @property
    def name(self) -> str:
        """As `--source` spells it."""
        return _NAME

    @property
    def kind(self) -> Kind:
        """Gateways of Istio."""
        return ISTIO_GATEWAY

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Gateway *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes Ingresses or Services to tell, and they are not listed yet.
            TypeError: *obj* is no Gateway of Istio.
        """
        if not isinstance(obj, IstioGateway):
            raise TypeError(f"the {_NAME} source reads Gateways of Istio only")
        ref = ref_of(ISTIO_GATEWAY, obj)
        notes = Annotations.of(obj.metadata.annotations, self.selection.prefixes)
        by = self.selection.left_out_by(ref, obj.metadata, notes)
        if by:
            return (Filtered(ref=ref, by=by),)
        draft = Draft(_NAME, ref, Terms.of(notes))
        answer = addresses(obj, ref.key.namespace, self.selection, view)
        ignored = LeftOut(by="--ignore-hostname-annotation") if self.selection.ignore_hostname_annotation else None
        for host, field in _hosts(obj):
            name = draft.name(host, field)
            if name is not None:
                draft.add(name, field, answer)
        for host in notes.listed(_HOSTNAME):
            name = draft.name(host, notes.field(_HOSTNAME))
            if name is not None:
                draft.add(name, notes.field(_HOSTNAME), ignored or answer)
        return draft.claims()


def _hosts(gateway: IstioGateway) -> Iterator[tuple[str, str]]:
    for at, server in enumerate(gateway.spec.servers or ()):
        for item, written in enumerate(server.hosts or ()):
            host = published(written)
            if host:
                yield host, f"spec.servers[{at}].hosts[{item}]"
