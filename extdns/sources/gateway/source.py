"""The sources `gateway-httproute` and its like (spec sources 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from extdns.model.claim import Claim, Filtered
from extdns.model.cluster import Kind
from extdns.model.gatewayapi import Listener, Route
from extdns.model.objects import KubernetesObject, ref_of
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.gateway.admission import admits_kind, admits_namespace
from extdns.sources.gateway.hostnames import ALLOWED, is_hostname, overlap
from extdns.sources.gateway.names import Host, Name, hosts_of, names_of, notices
from extdns.sources.gateway.parents import Attachment, Open, Parents, Ref
from extdns.sources.gateway.settings import ROUTE_KINDS, RouteSettings
from extdns.sources.targets import Answer, Found, LeftOut, united
from extdns.sources.terms import Terms

_NO_PARENT: Final = "spec.parentRefs, which is empty"


@dataclass(slots=True)
class _Host:
    """A name that a Route shares with a listener, and what it shall point at."""

    place: str
    answers: list[Answer] = field(default_factory=list[Answer])

    @property
    def answer(self) -> Answer:
        """What all that know an address say together, else what the first says that is missing."""
        found = [answer for answer in self.answers if isinstance(answer, Found)]
        return united(found) if found else self.answers[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSource:
    """Names of one kind of Routes.

    Attributes:
        name: as `--source` spells it, a key of `ROUTE_KINDS`.
    """

    name: str
    settings: RouteSettings

    @property
    def kind(self) -> Kind:
        """The kind of Routes."""
        return ROUTE_KINDS[self.name].kind

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """What the Route *obj* asks for, in the order of `Draft.claims`.

        Raises:
            NotReadyError: it takes Gateways, ListenerSets or Namespaces to tell, and they are not listed yet.
            TemplateError: a template fails on it.
            TypeError: *obj* is no Route.
        """
        if not isinstance(obj, Route):
            raise TypeError(f"the {self.name} source reads {self.kind.name}s only")
        ref, selection = ref_of(self.kind, obj), self.settings.selection
        notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
        by = selection.left_out_by(ref, obj.metadata, notes)
        if by:
            return (Filtered(ref=ref, by=by),)
        terms = Terms.of(notes)
        draft = Draft(self.name, ref, replace(terms, notices=terms.notices + notices(notes)))
        attached = tuple(self._admitting(obj, ref.key.namespace, view))
        hosts: dict[str, _Host] = {}
        named = hosts_of(obj, named=ROUTE_KINDS[self.name].named)
        templated = selection.templates.hosts(self.name, self.kind, obj, named=bool(named))
        for name in self._names(named, templated, notes, draft):
            if not self._meet(name, attached, hosts):
                _leave_out(draft, name, attached)
        for text, host in hosts.items():
            draft.ask(text, host.place, host.answer)
        return draft.claims()

    def _names(
        self, hosts: Sequence[Host], templated: Iterable[Host], notes: Annotations, draft: Draft
    ) -> Iterator[Name]:
        ignore = self.settings.selection.ignore_hostname_annotation
        for name in names_of(hosts, templated, notes, ignore_annotation=ignore):
            if name.text and not is_hostname(name.text):
                # not INVALID_NAME, which is a failure: what is no host name meets no listener (spec sources 5.5)
                draft.refuse(name.text, name.field, Reason.INVALID_ENDPOINT, ALLOWED)
            else:
                yield name

    def _admitting(self, route: Route, namespace: str, view: View) -> Iterator[Attachment]:
        """What *route* is attached to, with the listeners alone that take it."""
        for attachment in Parents(self.settings, view).of(route, namespace):
            listeners = tuple(
                one for one in attachment.listeners if self._admits(one.listener, attachment.ref, namespace, view)
            )
            yield replace(attachment, listeners=listeners)

    def _admits(self, listener: Listener, parent: Ref, namespace: str, view: View) -> bool:
        if listener.protocol not in ROUTE_KINDS[self.name].protocols or parent.port not in {0, listener.port}:
            return False
        allowed = listener.allowed_routes.namespaces
        return admits_kind(listener, self.kind) and admits_namespace(
            allowed, namespace, home=parent.namespace, default="Same", view=view
        )

    def _meet(self, name: Name, attached: tuple[Attachment, ...], hosts: dict[str, _Host]) -> bool:
        """Add to *hosts* what *name* has in common with listeners; tells whether there is such a one."""
        if name.left_out_by:
            return False
        met = False
        for attachment in attached:
            for one in attachment.listeners:
                shared = overlap(one.listener.hostname, name.text)
                if shared is not None:
                    met = True
                    place = name.field or _hostname_of(one, attachment)
                    hosts.setdefault(shared, _Host(place)).answers.append(one.answer)
        return met


def _hostname_of(one: Open, attachment: Attachment) -> str:
    return f"hostname of listener {one.listener.name} of {attachment.ref}"


def _leave_out(draft: Draft, name: Name, attached: tuple[Attachment, ...]) -> None:
    """Say why *name*, if it is one, comes to nothing."""
    if not name.text:
        return
    reasons = [
        one.left_out.by if one.left_out else f"the listeners of {one.ref}, none of which admits it" for one in attached
    ]
    draft.ask(name.text, name.field, LeftOut(by=name.left_out_by or next(iter(reasons), _NO_PARENT)))
