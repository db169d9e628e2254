"""The `service` source (spec sources 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim, Filtered
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE, KubernetesObject, Service, ref_of
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.service import compatibility
from extdns.sources.service.expansion import Audience, expansion
from extdns.sources.service.settings import Compatibility, ServiceSettings, ServiceType
from extdns.sources.service.subject import Expansion, Subject
from extdns.sources.targets import LeftOut
from extdns.sources.terms import Terms

_NAME: Final = "service"
_AUDIENCES: Final = tuple(Audience)
_IGNORED: Final = LeftOut(by="--ignore-hostname-annotation")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSource:
    """Names that Services ask for by annotation."""

    name = _NAME
    kind = SERVICE

    settings: ServiceSettings

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Service *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes nodes, pods or EndpointSlices to tell, and they are not listed yet.
            TemplateError: a template fails on it.
            TypeError: *obj* is no Service.
        """
        if not isinstance(obj, Service):
            raise TypeError(f"the {_NAME} source reads Services only")
        ref, selection = ref_of(SERVICE, obj), self.settings.selection
        notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
        by = selection.left_out_by(ref, obj.metadata, notes) or self._type_left_out_by(obj)
        if by:
            return (Filtered(ref=ref, by=by),)
        if not (notes.values or selection.templates.any or self.settings.compatibility is not Compatibility.NONE):
            return ()
        subject = Subject(service=obj, namespace=ref.key.namespace, notes=notes, settings=self.settings, view=view)
        draft = Draft(_NAME, ref, Terms.of(notes))
        for audience in _AUDIENCES:
            _ask(draft, subject, audience)
        if draft.wants and not selection.templates.any:
            return draft.claims()
        bare = Draft(_NAME, ref, Terms(), resource="")
        if not draft.wants:
            _ask_as_before(bare, subject)
        selection.templates.add_pairs(bare, _NAME, SERVICE, obj, named=draft.wants or bare.wants)
        _ask_by_template(draft, subject, named=draft.wants or bare.wants)
        return draft.claims() + bare.claims()

    def _type_left_out_by(self, service: Service) -> str:
        return "" if self.settings.reads(service.spec.type or ServiceType.CLUSTER_IP) else "--service-type-filter"


def _ask_as_before(bare: Draft, subject: Subject) -> None:
    for text, field, answer in compatibility.asked(subject):
        name = bare.name(text, field)
        if name is not None:
            bare.add(name, field, answer)


def _ask(draft: Draft, subject: Subject, audience: Audience) -> None:
    texts = subject.notes.listed(audience)
    if not texts:
        return
    field = subject.notes.field(audience)
    hosts = [host for text in texts if (host := draft.name(text, field)) is not None]
    if subject.settings.selection.ignore_hostname_annotation:
        for host in hosts:
            draft.add(host, field, _IGNORED)
    else:
        _expand(draft, hosts, field, expansion(subject, audience))


def _ask_by_template(draft: Draft, subject: Subject, *, named: bool) -> None:
    templates = subject.settings.selection.templates
    for text, field in templates.hosts(_NAME, SERVICE, subject.service, named=named):
        host = draft.name(text, field)
        if host is not None:
            _expand(draft, (host,), field, expansion(subject, Audience.EXTERNAL))


def _expand(draft: Draft, hosts: Iterable[DnsName], field: str, expand: Expansion) -> None:
    for host in hosts:
        for text, answer in expand(host):
            name = host if text is host else draft.name(text, field)
            if name is not None:
                draft.add(name, field, answer)
