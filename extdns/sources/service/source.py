"""The `service` source (spec sources 3)."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.claim import Claim, Filtered, Wanted
from extdns.model.cluster import Kind, ObjectRef
from extdns.model.objects import SERVICE, KubernetesObject, Service, ref_of
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.service import compatibility
from extdns.sources.service.expansion import Audience, expansion
from extdns.sources.service.settings import Compatibility, ServiceSettings, ServiceType
from extdns.sources.service.subject import Subject
from extdns.sources.terms import Terms

_NAME = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSource:
    """Names that Services ask for by annotation."""

    settings: ServiceSettings

    @property
    def name(self) -> str:
        """As `--source` spells it."""
        return _NAME

    @property
    def kind(self) -> Kind:
        """Services."""
        return SERVICE

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Service *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes nodes, pods or EndpointSlices to tell, and they are not listed yet.
            TypeError: *obj* is no Service.
        """
        if not isinstance(obj, Service):
            raise TypeError(f"the {_NAME} source reads Services only")
        ref, selection = ref_of(SERVICE, obj), self.settings.selection
        notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
        by = selection.left_out_by(ref, obj.metadata, notes) or self._type_left_out_by(obj)
        if by:
            return (Filtered(ref=ref, by=by),)
        legacy = self.settings.compatibility is not Compatibility.NONE
        if not (notes.values or legacy):
            return ()
        subject = Subject(service=obj, namespace=ref.key.namespace, notes=notes, settings=self.settings, view=view)
        draft = Draft(_NAME, ref, Terms.of(notes))
        for audience in Audience:
            _ask(draft, subject, audience)
        claims = draft.claims()
        if legacy and not any(isinstance(claim, Wanted) for claim in claims):
            claims += _legacy(ref, subject)
        return claims

    def _type_left_out_by(self, service: Service) -> str:
        return "" if self.settings.reads(service.spec.type or ServiceType.CLUSTER_IP) else "--service-type-filter"


def _legacy(ref: ObjectRef, subject: Subject) -> tuple[Claim, ...]:
    draft = Draft(_NAME, ref, Terms(), labelled=False)
    for text, field, answer in compatibility.asked(subject):
        name = draft.name(text, field)
        if name is not None:
            draft.add(name, field, answer)
    return draft.claims()


def _ask(draft: Draft, subject: Subject, audience: Audience) -> None:
    field = subject.notes.field(audience)
    hosts = [host for text in subject.notes.listed(audience) if (host := draft.name(text, field)) is not None]
    if not hosts:
        return
    expand = expansion(subject, audience)
    for host in hosts:
        for text, answer in expand(host):
            name = host if text is host else draft.name(text, field)
            if name is not None:
                draft.add(name, field, answer)
