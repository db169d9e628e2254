"""What a Route is attached to: listeners, and the addresses behind them (spec sources 5.2, 5.4, 5.6, 5.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from extdns.model.gatewayapi import (
    GATEWAY,
    GROUP,
    LISTENER_SET,
    Gateway,
    Listener,
    ListenerSet,
    ParentRef,
    Route,
)
from extdns.model.lean import Condition
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.gateway.admission import admits_namespace
from extdns.sources.gateway.settings import RouteSettings
from extdns.sources.selection import CONTROLLER, is_ours
from extdns.sources.targets import Answer, Found, LeftOut, Missing, annotated, found

_ACCEPTED: Final = "Accepted"


class Ref(NamedTuple):
    """A parent as a Route means it, with what it leaves out filled in."""

    group: str
    kind: str
    namespace: str
    name: str
    section: str
    port: int

    @classmethod
    def of(cls, written: ParentRef, namespace: str) -> Ref:
        """What *written* means in an object of *namespace*."""
        group, kind = written.group or GROUP, written.kind or GATEWAY.name
        home = written.namespace or namespace
        return cls(group, kind, home, written.name, written.section_name, written.port)

    @property
    def parent(self) -> Ref:
        """Without saying which of the parent's listeners."""
        return self._replace(section="", port=0)

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class Open(NamedTuple):
    """A listener, and what the names that it admits shall point at."""

    listener: Listener
    answer: Answer


class Attachment(Value, frozen=True, kw_only=True):
    """A parent that a Route asks for.

    Attributes:
        ref: which one; its port, if it is not 0, is the only one of the listeners that counts.
        left_out: why none of its listeners counts; None if they do.
        listeners: those of the section that the Route asks for, or all.
    """

    ref: Ref
    left_out: LeftOut | None = None
    listeners: tuple[Open, ...] = ()


class Parents:
    """Looks up what Routes are attached to; lives for one call of `Source.claims`."""

    def __init__(self, settings: RouteSettings, view: View) -> None:
        """Ask *view*, which raises `NotReadyError`."""
        self._settings: Final = settings
        self._view: Final = view

    def of(self, route: Route, namespace: str) -> Iterator[Attachment]:
        """What became of the parents that *route* asks for, then those of which nobody has said anything yet."""
        asked = [Ref.of(written, namespace) for written in route.spec.parent_refs or ()]
        parents = {ref.parent for ref in asked}
        told: set[Ref] = set()
        for status in route.status.parents or ():
            ref = Ref.of(status.parent_ref, namespace)
            if ref.parent in parents:
                told.add(ref)
                yield self._attachment(ref, _refusal(status.conditions, f"{ref} has not accepted it"))
        for ref in dict.fromkeys(asked):
            if ref not in told:
                yield self._attachment(ref, _refusal((), f"{ref} has not said yet whether it accepts it"))

    def _attachment(self, ref: Ref, refusal: Missing | None) -> Attachment:
        match ref.group, ref.kind:
            case (GATEWAY.group, GATEWAY.name):
                opened = self._of_gateway(ref, refusal)
            case (LISTENER_SET.group, LISTENER_SET.name) if self._settings.listener_sets:
                opened = self._of_listener_set(ref, refusal)
            case (LISTENER_SET.group, LISTENER_SET.name):
                opened = LeftOut(by="--gateway-listener-sets")
            case _:
                opened = LeftOut(by=f"spec.parentRefs: {ref} is no Gateway")
        if isinstance(opened, LeftOut):
            return Attachment(ref=ref, left_out=opened)
        chosen = tuple(one for one in opened if ref.section in {"", one.listener.name})
        return Attachment(ref=ref, listeners=chosen)

    def _of_gateway(self, ref: Ref, refusal: Missing | None) -> LeftOut | Iterable[Open]:
        gateway = self._gateway(ref)
        if isinstance(gateway, LeftOut):
            return gateway
        answer = refusal or self._override(gateway, ref) or _addresses(gateway, ref)
        return (Open(listener, answer) for listener in gateway.spec.listeners or ())

    def _of_listener_set(self, ref: Ref, refusal: Missing | None) -> LeftOut | Iterable[Open]:
        listener_set = self._view.get(LISTENER_SET, ref.namespace, ref.name)
        if not isinstance(listener_set, ListenerSet):
            return _missing(ref)
        by = self._left_out_by(listener_set, ref)
        if not by and not self._settings.selection.annotation_filter.matches(listener_set.metadata.annotations):
            by = "--annotation-filter"
        if by:
            return LeftOut(by=by)
        written = listener_set.spec.parent_ref
        gateway_ref = Ref.of(ParentRef(namespace=written.namespace, name=written.name), ref.namespace)
        gateway = self._gateway(gateway_ref)
        if isinstance(gateway, LeftOut):
            return gateway
        allowed, home = gateway.spec.allowed_listeners.namespaces, gateway_ref.namespace
        if not admits_namespace(allowed, ref.namespace, home=home, default="None", view=self._view):
            return LeftOut(by=f"spec.allowedListeners of {gateway_ref}")
        refusal = refusal or _refusal(listener_set.status.conditions, f"{gateway_ref} has not accepted {ref}")
        answer = self._override(listener_set, ref) or self._override(gateway, gateway_ref)
        return self._opened(listener_set, ref, refusal, answer or _addresses(gateway, gateway_ref))

    def _opened(self, listener_set: ListenerSet, ref: Ref, refusal: Missing | None, answer: Answer) -> Iterator[Open]:
        conditions = {status.name: status.conditions for status in listener_set.status.listeners or ()}
        for listener in listener_set.spec.listeners or ():
            unusable = _refusal(conditions.get(listener.name), f"listener {listener.name} of {ref} is not accepted")
            yield Open(listener, refusal or unusable or answer)

    def _gateway(self, ref: Ref) -> Gateway | LeftOut:
        settings = self._settings
        if settings.gateway_namespace and ref.namespace != settings.gateway_namespace:
            return LeftOut(by="--gateway-namespace")
        if settings.gateway_name and ref.name != settings.gateway_name:
            return LeftOut(by="--gateway-name")
        gateway = self._view.get(GATEWAY, ref.namespace, ref.name)
        if not isinstance(gateway, Gateway):
            return _missing(ref)
        if not settings.gateway_labels.matches(gateway.metadata.labels):
            return LeftOut(by="--gateway-label-filter")
        by = self._left_out_by(gateway, ref)
        return LeftOut(by=by) if by else gateway

    def _notes(self, parent: Gateway | ListenerSet) -> Annotations:
        return Annotations.of(parent.metadata.annotations, self._settings.selection.prefixes)

    def _left_out_by(self, parent: Gateway | ListenerSet, ref: Ref) -> str:
        notes = self._notes(parent)
        return "" if is_ours(notes) else f"{notes.field(CONTROLLER)} of {ref}"

    def _override(self, parent: Gateway | ListenerSet, ref: Ref) -> Found | Missing | None:
        return annotated(self._notes(parent), of=f"{ref}")


def _refusal(conditions: Iterable[Condition] | None, detail: str) -> Missing | None:
    """None if *conditions* say `Accepted`; else what is withheld, with *detail*."""
    accepted = next((condition.status for condition in conditions or () if condition.type == _ACCEPTED), "")
    return None if accepted == "True" else Missing(reason=Reason.NOT_ACCEPTED, detail=detail)


def _missing(ref: Ref) -> LeftOut:
    return LeftOut(by=f"spec.parentRefs: there is no {ref}")


def _addresses(gateway: Gateway, ref: Ref) -> Found | Missing:
    nothing = Missing(reason=Reason.NO_ADDRESS, detail=f"status.addresses of {ref} has no address yet")
    texts = (address.value for address in gateway.status.addresses or ())
    return found(texts, f"status.addresses of {ref}", otherwise=nothing)
