"""The `pod` source: core/v1 Pods (spec sources 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from extdns.model.claim import Claim, Filtered
from extdns.model.objects import NODE, POD, KubernetesObject, Node, Pod, ref_of
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources import nodes
from extdns.sources.annotations import Annotations, items
from extdns.sources.draft import Draft
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, LeftOut, Missing, annotated, found
from extdns.sources.terms import Terms

_NAME: Final = "pod"
_UNSCHEDULED: Final = Missing(reason=Reason.NO_ADDRESS, detail="the pod is on no node yet")
_NO_POD_IP: Final = Missing(reason=Reason.NO_ADDRESS, detail="status.podIP is not written yet")


class _Place(StrEnum):
    """Whose address a host is to have. The value is the annotation that asks for it."""

    POD = "internal-hostname"
    NODE = "hostname"


_KOPS: Final = {"dns.alpha.kubernetes.io/internal": _Place.POD, "dns.alpha.kubernetes.io/external": _Place.NODE}


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSettings:
    """Settings of the `pod` source, named as the flags are.

    Attributes:
        pod_source_domain: every pod is published under it, "" for none.
        kops: read the annotations of kops' dns-controller, too.
    """

    selection: Selection = Selection()  # noqa: RUF009 - frozen
    ignore_non_host_network_pods: bool = False
    pod_source_domain: str = ""
    kops: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSource:
    """Names that Pods ask for by annotation, and their own below `--pod-source-domain`.

    Their marks name no pod, because many pods share a name and none of them lasts.
    """

    name = _NAME
    kind = POD

    settings: PodSettings

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Pod *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes nodes to tell, and they are not listed yet.
            TemplateError: a template fails on it.
            TypeError: *obj* is no Pod.
        """
        if not isinstance(obj, Pod):
            raise TypeError(f"the {_NAME} source reads Pods only")
        ref, selection = ref_of(POD, obj), self.settings.selection
        notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
        by = selection.left_out_by(ref, obj.metadata, notes)
        if by:
            return (Filtered(ref=ref, by=by),)
        draft = Draft(_NAME, ref, Terms.ttl_alone(notes), resource="")
        given = self._left_out(obj) or annotated(notes)
        for text, field, place, answer in self._hosts(obj, notes, given):
            name = draft.name(text, field)
            if name is not None:
                draft.add(name, field, answer or _address(obj, place, view))
        bare = Draft(_NAME, ref, Terms(), resource="")
        selection.templates.add_pairs(bare, _NAME, POD, obj, named=draft.wants)
        for text, field in selection.templates.hosts(_NAME, POD, obj, named=draft.wants or bare.wants):
            draft.ask(text, field, _addresses(obj))
        return draft.claims() + bare.claims()

    def _left_out(self, pod: Pod) -> LeftOut | None:
        ignored = self.settings.ignore_non_host_network_pods and not pod.spec.host_network
        return LeftOut(by="--ignore-non-host-network-pods") if ignored else None

    def _hosts(
        self, pod: Pod, notes: Annotations, given: Answer | None
    ) -> Iterator[tuple[str, str, _Place, Answer | None]]:
        """Every host as it is written, where, and what it is to point at: the place's address if nothing else is."""
        for place in _Place:
            for text in notes.listed(place):
                yield text, notes.field(place), place, given
        for key, place in _KOPS.items() if self.settings.kops else ():
            for text in items((pod.metadata.annotations or {}).get(key)):
                yield text, f"annotation {key}", place, self._left_out(pod)
        if self.settings.pod_source_domain:
            yield f"{pod.metadata.name}.{self.settings.pod_source_domain}", "metadata.name", _Place.POD, given


def _addresses(pod: Pod) -> Answer:
    texts = (one.ip for one in pod.status.pod_ips or ())
    return found(texts, "status.podIPs", otherwise=_NO_POD_IP)


def _address(pod: Pod, place: _Place, view: View) -> Answer:
    match place:
        case _Place.POD:
            return found((pod.status.pod_ip,), "status.podIP", otherwise=_NO_POD_IP)
        case _Place.NODE if not pod.spec.node_name:
            return _UNSCHEDULED
        case _Place.NODE:
            node = view.get(NODE, "", pod.spec.node_name)
            texts = nodes.public((node,), expose_internal_ipv6=True) if isinstance(node, Node) else ()
            why = "has no public address" if node else "is not there"
            nothing = Missing(reason=Reason.NO_ENDPOINTS, detail=f"Node {pod.spec.node_name} {why}")
            return found(texts, f"status.addresses of Node {pod.spec.node_name}", otherwise=nothing)
        case _:
            assert_never(place)
