"""The `gloo-proxy` source: gloo.solo.io/v1 Proxies (spec sources 7.8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from extdns.errors import ExtdnsError, shortened
from extdns.model.claim import Claim, Filtered
from extdns.model.cluster import ObjectRef
from extdns.model.gloo import (
    GLOO_VIRTUAL_SERVICE,
    PROXY,
    AggregateListener,
    GlooHost,
    GlooListener,
    GlooVirtualService,
    Proxy,
)
from extdns.model.objects import KubernetesObject, ref_of
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.gloo.addresses import addresses
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer
from extdns.sources.terms import Terms

_NAME: Final = "gloo-proxy"
_VIRTUAL_SERVICE: Final = "*v1.VirtualService"


class _Hosted(NamedTuple):
    """A virtual host, and where it stands."""

    host: GlooHost
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GlooSource:
    """Domains of the virtual hosts of Proxies; their marks name no object.

    Attributes:
        selection: its namespace counts for nothing.
        namespaces: where Proxies are read.
    """

    name = _NAME
    kind = PROXY

    selection: Selection
    namespaces: tuple[str, ...]

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Proxy *obj* asks for: what each set of terms holds for, in the order of `Draft.claims`.

        Raises:
            ExtdnsError: an object that it or its virtual hosts rest on is not there.
            NotReadyError: it takes other objects to tell, and they are not listed yet.
            TemplateError: a template fails on it.
            TypeError: *obj* is no Proxy.
        """
        if not isinstance(obj, Proxy):
            raise TypeError(f"the {_NAME} source reads Proxies only")
        ref = ref_of(PROXY, obj)
        by = self._left_out_by(ref, obj)
        if by:
            return (Filtered(ref=ref, by=by),)
        answer = addresses(obj, ref.key.namespace, self.selection.prefixes, view)
        drafts: dict[Terms, Draft] = {}
        for host, field in _hosts(obj):
            terms = self._terms(host, view)
            draft = drafts.setdefault(terms, Draft(_NAME, ref, terms, resource=""))
            _publish(host, field, answer, draft)
        claims = tuple(claim for draft in drafts.values() for claim in draft.claims())
        return claims + self._made(obj, ref, named=any(draft.wants for draft in drafts.values()))

    def _left_out_by(self, ref: ObjectRef, proxy: Proxy) -> str:
        if ref.key.namespace not in self.namespaces:
            return "--gloo-namespace"
        notes = Annotations.of(proxy.metadata.annotations, self.selection.prefixes)
        return self.selection.left_out_by(ref, proxy.metadata, notes)

    def _terms(self, host: GlooHost, view: View) -> Terms:
        """What annotations of the VirtualServices say that *host* was made from; of two the later one counts."""
        merged: dict[str, str] = {}
        for namespace, name in _services(host):
            service = view.get(GLOO_VIRTUAL_SERVICE, namespace, name)
            if not isinstance(service, GlooVirtualService):
                raise ExtdnsError(f"there is no VirtualService {shortened(f'{namespace}/{name}')}")
            merged |= service.metadata.annotations or {}
        return Terms.of(Annotations.of(merged, self.selection.prefixes))

    def _made(self, proxy: Proxy, ref: ObjectRef, *, named: bool) -> tuple[Claim, ...]:
        """What templates make of it (spec sources 8.8)."""
        draft, templates = Draft(_NAME, ref, Terms(), resource=""), self.selection.templates
        templates.add_pairs(draft, _NAME, PROXY, proxy, named=named)
        templates.add_crossed(draft, _NAME, PROXY, proxy, named=named or draft.wants)
        return draft.claims()


def _publish(host: GlooHost, field: str, answer: Answer, draft: Draft) -> None:
    for at, domain in enumerate(host.domains or ()):
        place = f"{field}.domains[{at}]"
        if domain:
            draft.ask(domain, place, answer)


def _hosts(proxy: Proxy) -> Iterator[_Hosted]:
    for at, listener in enumerate(proxy.spec.listeners or ()):
        yield from _of_listener(listener, f"spec.listeners[{at}]")


def _of_listener(listener: GlooListener, field: str) -> Iterator[_Hosted]:
    if listener.http_listener is not None:
        for at, host in enumerate(listener.http_listener.virtual_hosts or ()):
            yield _Hosted(host, f"{field}.httpListener.virtualHosts[{at}]")
    if listener.aggregate_listener is not None:
        yield from _of_chains(listener.aggregate_listener, f"{field}.aggregateListener.httpResources.virtualHosts")


def _of_chains(listener: AggregateListener, field: str) -> Iterator[_Hosted]:
    hosts = (listener.http_resources.virtual_hosts if listener.http_resources else None) or {}
    for chain in listener.http_filter_chains or ():
        for ref in chain.virtual_host_refs or ():
            if ref in hosts:
                yield _Hosted(hosts[ref], f"{field}[{ref}]")


def _services(host: GlooHost) -> Iterator[tuple[str, str]]:
    """Namespace and name of each VirtualService that *host* was made from."""
    for made in (host.metadata.sources if host.metadata else None) or ():
        if made.kind == _VIRTUAL_SERVICE:
            yield made.namespace, made.name
    for static in (host.metadata_static.sources if host.metadata_static else None) or ():
        if static.resource_kind == _VIRTUAL_SERVICE:
            yield static.resource_ref.namespace, static.resource_ref.name
