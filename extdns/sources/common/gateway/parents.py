"""Find the listeners that a Route is attached to, and their addresses (docs/spec/sources.md 5.2, 5.4, 5.6, 5.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from extdns.errors import UsageError, shorten
from extdns.model.reason import Reason
from extdns.model.selection import Selector, parse_annotation_selector
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.gateway_api import (
    GATEWAY,
    GATEWAY_API_GROUP,
    LISTENER_SET,
    Gateway,
    Listener,
    ListenerSet,
    ParentRef,
    Route,
)
from extdns.resources.meta import Condition
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    TargetResult,
    parse_targets,
    read_target_annotation,
)
from extdns.sources.common.claim_builder import CONTROLLER, is_our_controller
from extdns.sources.common.gateway.admission import accepts_namespace
from extdns.sources.common.host_publisher import HostPublisher

_ACCEPTED: Final = "Accepted"


class ResolvedParentRef(NamedTuple):
    """A parent reference of a Route with its defaults filled in."""

    group: str
    kind: str
    namespace: str
    name: str
    section: str
    port: int

    @classmethod
    def resolve(cls, parent_ref: ParentRef, namespace: str) -> ResolvedParentRef:
        """Fill in the defaults of *parent_ref* in an object of *namespace*."""
        group, kind = parent_ref.group or GATEWAY_API_GROUP, parent_ref.kind or GATEWAY.name
        home = parent_ref.namespace or namespace
        return cls(group, kind, home, parent_ref.name, parent_ref.section_name, parent_ref.port)

    @property
    def without_listener(self) -> ResolvedParentRef:
        """The same reference without section and port: it refers to all listeners of the parent."""
        return self._replace(section="", port=0)

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class ListenerTargets(NamedTuple):
    """A listener, and the targets for hostnames that it accepts."""

    listener: Listener
    result: TargetResult


class Attachment(Value, frozen=True, kw_only=True):
    """A parent of a Route.

    Attributes:
        ref: the reference to the parent. If its port is not 0, only listeners on this port match.
        exclusion: why the parent is excluded, or None.
        listeners: the listeners whose name is the section of the reference; all listeners if it has no section.
    """

    ref: ResolvedParentRef
    exclusion: ExcludedHost | MissingTargets | None = None
    listeners: tuple[ListenerTargets, ...] = ()


class _Stated(NamedTuple):
    """What the annotations of a parent state."""

    annotations: Annotations
    targets: FoundTargets | MissingTargets | None


class ParentFinder:
    """Looks up the parents of a Route; used for one call of `KindSource.find_claims`."""

    def __init__(self, to: HostPublisher, view: ClusterView) -> None:
        """Look up objects in *view*, which raises `NotSyncedError`; their targets count for the Route of *to*."""
        self._settings: Final = to.settings
        self._flags: Final = to.flags
        self._view: Final = view
        self._count: Final = to.count
        self._stated: Final[dict[ResolvedParentRef, _Stated]] = {}

    def find_attachments(self, route: Route, namespace: str) -> Iterator[Attachment]:
        """Yield the parents in the status of *route*, then those of its spec that have no status yet.

        A Route in a manifest without any status counts as accepted by the parents of its spec.
        """
        requested = [ResolvedParentRef.resolve(written, namespace) for written in route.spec.parent_refs or ()]
        parents = {ref.without_listener for ref in requested}
        reported: set[ResolvedParentRef] = set()
        for status in route.status.parents or ():
            ref = ResolvedParentRef.resolve(status.parent_ref, namespace)
            if ref.without_listener in parents:
                reported.add(ref)
                yield self._build_attachment(
                    ref, _find_rejection(status.conditions, f"{ref} has not accepted the Route")
                )
        is_stateless = self._settings.reads_manifests and route.status.parents is None
        for ref in dict.fromkeys(requested):
            if ref not in reported:
                rejection = _find_rejection((), f"{ref} has not reported yet whether it accepts the Route")
                yield self._build_attachment(ref, None if is_stateless else rejection)

    def _build_attachment(self, ref: ResolvedParentRef, rejection: MissingTargets | None) -> Attachment:
        match ref.group, ref.kind:
            case (GATEWAY.group, GATEWAY.name):
                listeners = self._list_gateway_listeners(ref, rejection)
            case (LISTENER_SET.group, LISTENER_SET.name) if self._flags.gateway_listener_sets:
                listeners = self._list_listener_set_listeners(ref, rejection)
            case (LISTENER_SET.group, LISTENER_SET.name):
                listeners = ExcludedHost(excluded_by="--gateway-listener-sets")
            case _:
                listeners = ExcludedHost(excluded_by=f"spec.parentRefs: {ref} is not a Gateway")
        if isinstance(listeners, ExcludedHost | MissingTargets):
            return Attachment(ref=ref, exclusion=listeners)
        chosen = tuple(one for one in listeners if ref.section in {"", one.listener.name})
        return Attachment(ref=ref, listeners=chosen)

    def _list_gateway_listeners(
        self, ref: ResolvedParentRef, rejection: MissingTargets | None
    ) -> ExcludedHost | MissingTargets | Iterable[ListenerTargets]:
        gateway = self._get_gateway(ref)
        if not isinstance(gateway, Gateway):
            return gateway
        result = rejection or self._read_stated(gateway, ref).targets or _read_gateway_addresses(gateway, ref)
        return (ListenerTargets(listener, result) for listener in gateway.spec.listeners or ())

    def _list_listener_set_listeners(
        self, ref: ResolvedParentRef, rejection: MissingTargets | None
    ) -> ExcludedHost | MissingTargets | Iterable[ListenerTargets]:
        listener_set = self._view.get(LISTENER_SET, ref.namespace, ref.name)
        if not isinstance(listener_set, ListenerSet):
            return _report_missing_parent(ref)
        excluded_by = self._find_controller_exclusion(listener_set, ref)
        if not excluded_by and not self._flags.annotation_filter.matches(listener_set.metadata.annotations):
            excluded_by = "--annotation-filter"
        if excluded_by:
            return ExcludedHost(excluded_by=excluded_by)
        parent_ref = listener_set.spec.parent_ref
        gateway_ref = ResolvedParentRef.resolve(
            ParentRef(namespace=parent_ref.namespace, name=parent_ref.name), ref.namespace
        )
        gateway = self._get_gateway(gateway_ref)
        if not isinstance(gateway, Gateway):
            return gateway
        allowed, home = gateway.spec.allowed_listeners.namespaces, gateway_ref.namespace
        if not accepts_namespace(allowed, ref.namespace, home=home, default="None", view=self._view, count=self._count):
            return ExcludedHost(excluded_by=f"spec.allowedListeners of {gateway_ref}")
        if not self._is_stateless(listener_set):
            rejection = rejection or _find_rejection(
                listener_set.status.conditions, f"{gateway_ref} has not accepted {ref}"
            )
        result = self._read_stated(listener_set, ref).targets or self._read_stated(gateway, gateway_ref).targets
        return self._check_listener_conditions(
            listener_set, ref, rejection, result or _read_gateway_addresses(gateway, gateway_ref)
        )

    def _check_listener_conditions(
        self, listener_set: ListenerSet, ref: ResolvedParentRef, rejection: MissingTargets | None, result: TargetResult
    ) -> Iterator[ListenerTargets]:
        conditions = {status.name: status.conditions for status in listener_set.status.listeners or ()}
        is_stateless = self._is_stateless(listener_set)
        for listener in listener_set.spec.listeners or ():
            not_accepted = _find_rejection(
                conditions.get(listener.name), f"listener {listener.name} of {ref} is not accepted"
            )
            yield ListenerTargets(listener, rejection or (None if is_stateless else not_accepted) or result)

    def _is_stateless(self, listener_set: ListenerSet) -> bool:
        """Return whether *listener_set* is from a manifest without any status, so that it counts as accepted."""
        status = listener_set.status
        return self._settings.reads_manifests and status.conditions is None and status.listeners is None

    def _get_gateway(self, ref: ResolvedParentRef) -> Gateway | ExcludedHost | MissingTargets:
        flags = self._flags
        if flags.gateway_namespace and ref.namespace != flags.gateway_namespace:
            return ExcludedHost(excluded_by="--gateway-namespace")
        if flags.gateway_name and ref.name != flags.gateway_name:
            return ExcludedHost(excluded_by="--gateway-name")
        gateway = self._view.get(GATEWAY, ref.namespace, ref.name)
        if not isinstance(gateway, Gateway):
            return _report_missing_parent(ref)
        if not parse_gateway_labels(flags.gateway_label_filter).matches(gateway.metadata.labels):
            return ExcludedHost(excluded_by="--gateway-label-filter")
        excluded_by = self._find_controller_exclusion(gateway, ref)
        return ExcludedHost(excluded_by=excluded_by) if excluded_by else gateway

    def _find_controller_exclusion(self, parent: Gateway | ListenerSet, ref: ResolvedParentRef) -> str:
        annotations = self._read_stated(parent, ref).annotations
        return "" if is_our_controller(annotations) else f"{annotations.describe_field(CONTROLLER)} of {ref}"

    def _read_stated(self, parent: Gateway | ListenerSet, ref: ResolvedParentRef) -> _Stated:
        """Read the annotations of *parent* once, because a Route may name each of its listeners."""
        key = ref.without_listener
        found = self._stated.get(key)
        if found is None:
            annotations = self._settings.read_annotations(parent.metadata)
            targets = read_target_annotation(annotations, on_object=f"{ref}", count=self._count)
            found = self._stated[key] = _Stated(annotations, targets)
        return found


def _find_rejection(conditions: Iterable[Condition] | None, detail: str) -> MissingTargets | None:
    """Return None if *conditions* contain a true `Accepted`, else `MissingTargets` with *detail*."""
    accepted = next((condition.status for condition in conditions or () if condition.type == _ACCEPTED), "")
    return None if accepted == "True" else MissingTargets(reason=Reason.NOT_ACCEPTED, detail=detail)


def _report_missing_parent(ref: ResolvedParentRef) -> MissingTargets:
    return MissingTargets(reason=Reason.NO_GATEWAY, detail=f"spec.parentRefs: there is no {ref}")


def _read_gateway_addresses(gateway: Gateway, ref: ResolvedParentRef) -> FoundTargets | MissingTargets:
    if_empty = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"status.addresses of {ref} has no address yet")
    texts = (address.value for address in gateway.status.addresses or ())
    is_stated = any(requested.value for requested in gateway.spec.addresses or ())  # controllers copy it to the status
    return parse_targets(texts, f"status.addresses of {ref}", if_empty=if_empty, is_stated=is_stated)


@lru_cache(maxsize=8)
def parse_gateway_labels(text: str) -> Selector:
    """Parse `--gateway-label-filter`."""
    try:
        return parse_annotation_selector(text)
    except ValueError as exc:
        raise UsageError(
            f"--gateway-label-filter={shorten(text)} is not a label selector: {exc}\n"
            "  allowed: key, !key, key=value, key in (a,b), key notin (a,b); a comma is AND"
        ) from exc
