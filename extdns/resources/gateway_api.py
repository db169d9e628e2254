"""Objects of the Gateway API, reduced to the fields that sources read (docs/spec/sources.md 5).

These fields are the same in all versions of a kind. A field that is absent is "" or 0 here,
which are not valid values of these fields (docs/spec/sources.md 5.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

import msgspec

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.model.selection import API_OPERATORS, Operator, Requirement, Selector, is_label_key, is_label_value
from extdns.resources.meta import Condition, Structs

GATEWAY_API_GROUP: Final = "gateway.networking.k8s.io"


class LabelRequirement(PartialObject, frozen=True, kw_only=True):
    """`matchExpressions[]` of a label selector."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] | None = None


_NAME_LABEL: Final = "kubernetes.io/metadata.name"
"""The label with the name of a Namespace. The API server sets it; manifests may omit it."""

_MAX_ANSWERS: Final = 256
"""The most namespaces for which a selector keeps its answer: namespaces come and go while a Gateway stays."""

_WITH_VALUES: Final = frozenset({Operator.IN, Operator.NOT_IN})


class LabelSelector(PartialObject, frozen=True, kw_only=True, dict=True, gc=True):
    """meta/v1 LabelSelector; labels must match all of its requirements.

    It keeps what is computed of it: it may be as long as an object, and thousands of Routes may need it.
    """

    match_labels: dict[str, str] | None = None
    match_expressions: tuple[LabelRequirement, ...] | None = None

    @cached_property
    def size(self) -> int:
        """The number of its requirements and of their values."""
        return len(self.match_labels or ()) + sum(1 + len(one.values or ()) for one in self.match_expressions or ())

    def selects(self, namespace: str, labels: dict[str, str] | None) -> bool:
        """Return whether it is valid and selects *namespace*, which has *labels*."""
        answer = self._answers.get(namespace)
        if answer is None or answer[0] is not labels:
            if len(self._answers) >= _MAX_ANSWERS:
                self._answers.clear()
            is_selected = self._parsed is not None and self._parsed.matches({_NAME_LABEL: namespace, **(labels or {})})
            answer = self._answers[namespace] = (labels, is_selected)
        return answer[1]

    @cached_property
    def _answers(self) -> dict[str, tuple[dict[str, str] | None, bool]]:
        """By namespace, its labels and whether they match."""
        return {}

    @cached_property
    def _parsed(self) -> Selector | None:
        try:
            return Selector(requirements=tuple(self._parse_requirements()))
        except ValueError:
            return None

    def _parse_requirements(self) -> Iterator[Requirement]:
        for key, value in (self.match_labels or {}).items():
            yield _build_requirement(key, Operator.EQUAL, (value,))
        for requirement in self.match_expressions or ():
            operator, values = API_OPERATORS.get(requirement.operator), tuple(sorted({*(requirement.values or ())}))
            if operator is None or bool(values) is not (operator in _WITH_VALUES):
                raise ValueError(requirement.operator)
            yield _build_requirement(requirement.key, operator, values)


def _build_requirement(key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
    if not is_label_key(key) or not all(map(is_label_value, values)):
        raise ValueError(key)
    return Requirement(key=key, operator=operator, values=values)


class RouteNamespaces(PartialObject, frozen=True, kw_only=True):
    """`namespaces` of `allowedRoutes` or `allowedListeners`: namespaces whose objects may attach."""

    from_: str = msgspec.field(default="", name="from")
    selector: LabelSelector | None = None


class AllowedRouteKind(PartialObject, frozen=True, kw_only=True):
    """`allowedRoutes.kinds[]` of a listener."""

    group: str = GATEWAY_API_GROUP
    kind: str = ""


class AllowedRoutes(PartialObject, frozen=True, kw_only=True):
    """`allowedRoutes` of a listener."""

    namespaces: RouteNamespaces = RouteNamespaces()
    kinds: tuple[AllowedRouteKind, ...] | None = None


class Listener(PartialObject, frozen=True, kw_only=True):
    """`spec.listeners[]` of a Gateway or a ListenerSet."""

    name: str = ""
    hostname: str = ""
    port: int = 0
    protocol: str = ""
    allowed_routes: AllowedRoutes = AllowedRoutes()


class AllowedListeners(PartialObject, frozen=True, kw_only=True):
    """`spec.allowedListeners` of a Gateway."""

    namespaces: RouteNamespaces = RouteNamespaces()


class GatewayAddress(PartialObject, frozen=True, kw_only=True):
    """`addresses[]` in the spec or status of a Gateway, of any type."""

    value: str = ""


class GatewaySpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Gateway."""

    addresses: tuple[GatewayAddress, ...] | None = None
    listeners: tuple[Listener, ...] | None = None
    allowed_listeners: AllowedListeners = AllowedListeners()


class GatewayStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a Gateway."""

    addresses: tuple[GatewayAddress, ...] | None = None


class Gateway(KubernetesObject, frozen=True, kw_only=True):
    """A Gateway of the Gateway API."""

    spec: GatewaySpec = GatewaySpec()
    status: GatewayStatus = GatewayStatus()


class ParentRef(PartialObject, frozen=True, kw_only=True):
    """`parentRefs[]` of a Route or `parentRef` of a ListenerSet: the object to attach to."""

    group: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    section_name: str = ""
    port: int = 0


class ListenerSetSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a ListenerSet."""

    parent_ref: ParentRef = ParentRef()
    listeners: tuple[Listener, ...] | None = None


class ListenerStatus(PartialObject, frozen=True, kw_only=True):
    """`status.listeners[]` of a ListenerSet."""

    name: str = ""
    conditions: tuple[Condition, ...] | None = None


class ListenerSetStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a ListenerSet."""

    conditions: tuple[Condition, ...] | None = None
    listeners: tuple[ListenerStatus, ...] | None = None


class ListenerSet(KubernetesObject, frozen=True, kw_only=True):
    """A ListenerSet of the Gateway API."""

    spec: ListenerSetSpec = ListenerSetSpec()
    status: ListenerSetStatus = ListenerSetStatus()


class RouteParentStatus(PartialObject, frozen=True, kw_only=True):
    """`status.parents[]` of a Route: whether one parent accepted it."""

    parent_ref: ParentRef = ParentRef()
    conditions: tuple[Condition, ...] | None = None


class RouteSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Route; TCPRoutes and UDPRoutes have no host names."""

    hostnames: tuple[str, ...] | None = None
    parent_refs: tuple[ParentRef, ...] | None = None


class RouteStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a Route."""

    parents: tuple[RouteParentStatus, ...] | None = None


class Route(KubernetesObject, frozen=True, kw_only=True):
    """A Route of any kind."""

    spec: RouteSpec = RouteSpec()
    status: RouteStatus = RouteStatus()


GATEWAY: Final = Kind(GATEWAY_API_GROUP, "v1", "Gateway", "gateways", older_versions=("v1beta1",))
LISTENER_SET: Final = Kind(GATEWAY_API_GROUP, "v1", "ListenerSet", "listenersets")
HTTP_ROUTE: Final = Kind(GATEWAY_API_GROUP, "v1", "HTTPRoute", "httproutes", older_versions=("v1beta1",))
GRPC_ROUTE: Final = Kind(GATEWAY_API_GROUP, "v1", "GRPCRoute", "grpcroutes", older_versions=("v1alpha2",))
TLS_ROUTE: Final = Kind(GATEWAY_API_GROUP, "v1", "TLSRoute", "tlsroutes", older_versions=("v1alpha3", "v1alpha2"))
# v1 since Gateway API 1.6, whose standard channel serves no older version.
TCP_ROUTE: Final = Kind(GATEWAY_API_GROUP, "v1", "TCPRoute", "tcproutes", older_versions=("v1alpha2",))
UDP_ROUTE: Final = Kind(GATEWAY_API_GROUP, "v1", "UDPRoute", "udproutes", older_versions=("v1alpha2",))
STRUCTS: Final[Structs] = {
    GATEWAY: Gateway,
    LISTENER_SET: ListenerSet,
    HTTP_ROUTE: Route,
    GRPC_ROUTE: Route,
    TLS_ROUTE: Route,
    TCP_ROUTE: Route,
    UDP_ROUTE: Route,
}
