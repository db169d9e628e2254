"""The kinds of the fake API server, and which of them it serves at the moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from extdns.resources.kinds import STRUCTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind in one version of its API group. All versions of a kind share the same objects.

    Attributes:
        custom: whether a CRD defines the kind. Then items of a list and bodies include the kind, and an update must
            have a resourceVersion.
        status: whether the kind has a status subresource, so that other writes do not change the status.
        generation: whether `metadata.generation` counts changes outside of metadata and status.
        unconditional: whether an update without resourceVersion is allowed.
        upsert: whether an update of a missing object creates it.
        zero: the fields of an empty object as Go encodes it, used in bookmarks.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    custom: bool = False
    status: bool = False
    generation: bool = False
    unconditional: bool = False
    upsert: bool = False
    zero: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """The plural and the group, as error messages show them."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def path(self) -> str:
        return f"/apis/{self.api_version}/{self.plural}" if self.group else f"/api/{self.version}/{self.plural}"


def _build_core_kind(kind: str, plural: str, **more: Any) -> Kind:  # noqa: ANN401 - the fields of Kind
    return Kind(group="", version="v1", kind=kind, plural=plural, unconditional=True, **more)


SERVICE: Final = _build_core_kind(
    "Service", "services", status=True, upsert=True, zero={"spec": {}, "status": {"loadBalancer": {}}}
)
POD: Final = _build_core_kind("Pod", "pods", status=True, zero={"spec": {"containers": None}, "status": {}})
NODE: Final = _build_core_kind("Node", "nodes", namespaced=False, status=True, zero={"spec": {}, "status": {}})
NAMESPACE: Final = _build_core_kind(
    "Namespace", "namespaces", namespaced=False, status=True, zero={"spec": {}, "status": {}}
)
CONFIG_MAP: Final = _build_core_kind("ConfigMap", "configmaps")
EVENT: Final = Kind(
    group="events.k8s.io",
    version="v1",
    kind="Event",
    plural="events",
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
DNS_RECORD: Final = Kind(
    group="externaldns.k8s.io",
    version="v1alpha1",
    kind="DNSRecord",
    plural="dnsrecords",
    custom=True,
    status=True,
    generation=True,
)
DNS_POLICY: Final = Kind(
    group="extdns.io",
    version="v1alpha1",
    kind="DNSPolicy",
    plural="dnspolicies",
    namespaced=False,
    custom=True,
    status=True,
    generation=True,
)
_OWN: Final = (
    SERVICE,
    POD,
    NODE,
    NAMESPACE,
    CONFIG_MAP,
    EVENT,
    ENDPOINT_SLICE,
    INGRESS,
    LEASE,
    DNS_ENDPOINT,
    DNS_RECORD,
    DNS_POLICY,
)
KINDS: Final = (
    *_OWN,
    *(
        Kind(
            group=kind.group,
            version=kind.version,
            kind=kind.name,
            plural=kind.plural,
            custom=True,
            status=kind.group == "gateway.networking.k8s.io",
            generation=True,
        )
        for kind in STRUCTS
        if (kind.group, kind.plural) not in {(own.group, own.plural) for own in _OWN}
    ),
)
"""All kinds that extdns can decode, and those that it writes."""


class Catalogue:
    """The kinds that the fake API server serves. Methods are atomic."""

    def __init__(self, kinds: Iterable[Kind] = KINDS) -> None:
        self._by_path = {(kind.group, kind.version, kind.plural): kind for kind in kinds}

    def register(self, kind: Kind) -> None:
        """Serve *kind*, and replace a kind with the same path."""
        self._by_path = {**self._by_path, (kind.group, kind.version, kind.plural): kind}

    def unregister(self, kind: Kind) -> None:
        self._by_path = {path: served for path, served in self._by_path.items() if served != kind}

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        return self._by_path.get((group, version, plural))

    def list_served(self) -> list[Kind]:
        """Return the served kinds in a stable order."""
        return [self._by_path[path] for path in sorted(self._by_path)]

    def find_by_name(self, kind: str) -> Kind:
        """Return the served kind called *kind*: its kind name, its plural, or its plural and group.

        Raises:
            KeyError: no kind has this name, or several groups or versions have one.
        """
        found = [served for served in self._by_path.values() if kind in {served.kind, served.plural, served.resource}]
        if len(found) != 1:
            raise KeyError(f"{len(found)} served kinds have the name {kind!r}; expected: one")
        return found[0]

    def find_by_object(self, obj: Mapping[str, Any]) -> Kind:
        stated = obj.get("apiVersion"), obj.get("kind")
        for kind in self._by_path.values():
            if (kind.api_version, kind.kind) == stated:
                return kind
        raise KeyError(f"the server does not serve {stated[0]} {stated[1]}")
