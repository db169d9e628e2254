"""The kinds that the server knows, and which of them it serves at the moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind as one version of its group serves it; versions of a group share the objects of a plural.

    Attributes:
        custom: comes from a CRD: items of a list say their kind, a body must, and an update must name the
            resourceVersion it was made from.
        status: has a status subresource, so that other writes leave the status alone.
        generation: counts changes of anything but metadata and status.
        unconditional: an update may do without a resourceVersion.
        upsert: an update of what is not there creates it.
        zero: how Go writes an object of that type with nothing set, as bookmarks do.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    short: tuple[str, ...] = ()
    custom: bool = False
    status: bool = False
    generation: bool = False
    unconditional: bool = False
    upsert: bool = False
    zero: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def api_version(self) -> str:
        """The `apiVersion` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """The plural with its group, as messages name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def path(self) -> str:
        """Where all its objects are listed."""
        return f"/apis/{self.api_version}/{self.plural}" if self.group else f"/api/{self.version}/{self.plural}"


def _core(kind: str, plural: str, *short: str, **more: Any) -> Kind:  # noqa: ANN401 - the fields of Kind
    return Kind(group="", version="v1", kind=kind, plural=plural, short=short, unconditional=True, **more)


def _gateway(kind: str, plural: str) -> Kind:
    return Kind(
        group="gateway.networking.k8s.io",
        version="v1",
        kind=kind,
        plural=plural,
        custom=True,
        status=True,
        generation=True,
    )


def _custom(api_version: str, kind: str, plural: str) -> Kind:
    group, _, version = api_version.partition("/")
    return Kind(group=group, version=version, kind=kind, plural=plural, custom=True, generation=True)


SERVICE: Final = _core(
    "Service", "services", "svc", status=True, upsert=True, zero={"spec": {}, "status": {"loadBalancer": {}}}
)
POD: Final = _core("Pod", "pods", "po", status=True, zero={"spec": {"containers": None}, "status": {}})
NODE: Final = _core("Node", "nodes", "no", namespaced=False, status=True, zero={"spec": {}, "status": {}})
NAMESPACE: Final = _core(
    "Namespace", "namespaces", "ns", namespaced=False, status=True, zero={"spec": {}, "status": {}}
)
CONFIG_MAP: Final = _core("ConfigMap", "configmaps", "cm")
EVENT: Final = Kind(
    group="events.k8s.io",
    version="v1",
    kind="Event",
    plural="events",
    short=("ev",),
    unconditional=True,
    upsert=True,
    zero={"eventTime": None, "regarding": {}},
)
ENDPOINT_SLICE: Final = Kind(
    group="discovery.k8s.io",
    version="v1",
    kind="EndpointSlice",
    plural="endpointslices",
    generation=True,
    unconditional=True,
    zero={"addressType": "", "endpoints": None, "ports": None},
)
INGRESS: Final = Kind(
    group="networking.k8s.io",
    version="v1",
    kind="Ingress",
    plural="ingresses",
    short=("ing",),
    status=True,
    generation=True,
    unconditional=True,
    zero={"spec": {}, "status": {"loadBalancer": {}}},
)
LEASE: Final = Kind(
    group="coordination.k8s.io", version="v1", kind="Lease", plural="leases", upsert=True, zero={"spec": {}}
)
DNS_ENDPOINT: Final = Kind(
    group="externaldns.k8s.io",
    version="v1alpha1",
    kind="DNSEndpoint",
    plural="dnsendpoints",
    custom=True,
    status=True,
    generation=True,
)
KINDS: Final = (
    SERVICE,
    POD,
    NODE,
    NAMESPACE,
    CONFIG_MAP,
    EVENT,
    ENDPOINT_SLICE,
    INGRESS,
    LEASE,
    _gateway("Gateway", "gateways"),
    _custom("traefik.io/v1alpha1", "IngressRoute", "ingressroutes"),
    _custom("traefik.io/v1alpha1", "IngressRouteTCP", "ingressroutetcps"),
    _custom("traefik.io/v1alpha1", "IngressRouteUDP", "ingressrouteudps"),
    _custom("gloo.solo.io/v1", "Proxy", "proxies"),
    _custom("gateway.solo.io/v1", "Gateway", "gateways"),
    _custom("gateway.solo.io/v1", "VirtualService", "virtualservices"),
    _gateway("HTTPRoute", "httproutes"),
    _gateway("GRPCRoute", "grpcroutes"),
    _gateway("TLSRoute", "tlsroutes"),
    _gateway("ListenerSet", "listenersets"),
    _gateway("TCPRoute", "tcproutes"),
    _gateway("UDPRoute", "udproutes"),
    _custom("networking.istio.io/v1", "Gateway", "gateways"),
    _custom("networking.istio.io/v1", "VirtualService", "virtualservices"),
    _custom("projectcontour.io/v1", "HTTPProxy", "httpproxies"),
    _custom("configuration.konghq.com/v1beta1", "TCPIngress", "tcpingresses"),
    _custom("route.openshift.io/v1", "Route", "routes"),
    _custom("getambassador.io/v3alpha1", "Host", "hosts"),
    _custom("cis.f5.com/v1", "VirtualServer", "virtualservers"),
    _custom("cis.f5.com/v1", "TransportServer", "transportservers"),
    DNS_ENDPOINT,
)


class Catalogue:
    """The kinds being served. Calls are atomic."""

    def __init__(self, kinds: Iterable[Kind] = KINDS) -> None:
        self._by_path = {(kind.group, kind.version, kind.plural): kind for kind in kinds}

    def register(self, kind: Kind) -> None:
        """Serve *kind*, in place of what was served under its path."""
        self._by_path = {**self._by_path, (kind.group, kind.version, kind.plural): kind}

    def unregister(self, kind: Kind) -> None:
        """Serve *kind* no longer."""
        self._by_path = {path: served for path, served in self._by_path.items() if served != kind}

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        """Give the kind served under that path."""
        return self._by_path.get((group, version, plural))

    def served(self, group: str | None = None, version: str | None = None) -> list[Kind]:
        """List kinds in a stable order, all or those of a *group* and *version*."""
        found = (kind for kind in self._by_path.values() if group in {None, kind.group})
        return sorted(
            (kind for kind in found if version in {None, kind.version}),
            key=lambda kind: (kind.group, kind.version, kind.plural),
        )

    def of(self, kind: str) -> Kind:
        """Give the kind called *kind*, by its name, its plural, or that with its group.

        Raises:
            KeyError: None is served, or several are (in two groups or versions).
        """
        found = [served for served in self._by_path.values() if kind in {served.kind, served.plural, served.resource}]
        if len(found) != 1:
            raise KeyError(f"{len(found)} kinds are called {kind!r}")
        return found[0]

    def of_object(self, obj: Mapping[str, Any]) -> Kind:
        """Give the kind that *obj* says it is.

        Raises:
            KeyError: No such kind is served.
        """
        said = obj.get("apiVersion"), obj.get("kind")
        for kind in self._by_path.values():
            if (kind.api_version, kind.kind) == said:
                return kind
        raise KeyError(f"not served: {said[0]} {said[1]}")
