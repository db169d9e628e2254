"""The core group: Services, Pods, Nodes and Namespaces, with the fields that are read (docs/spec/sources.md 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from extdns.model.kind import Kind, KubernetesObject, PartialObject
from extdns.resources.meta import Condition, LoadBalancedStatus, Structs


class ServicePort(PartialObject, frozen=True, kw_only=True):
    """`spec.ports[]` of a Service. SRV records contain the node ports."""

    name: str = ""
    port: int = 0
    protocol: str = ""
    node_port: int = 0


class ServiceSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Service. `type` is "" if the manifest does not set it; the default is ClusterIP."""

    type: str = ""
    cluster_ip: str = msgspec.field(default="", name="clusterIP")
    external_ips: tuple[str, ...] | None = msgspec.field(default=None, name="externalIPs")
    external_name: str = ""
    external_traffic_policy: str = ""
    publish_not_ready_addresses: bool = False
    selector: dict[str, str] | None = None
    ports: tuple[ServicePort, ...] | None = None


class Service(KubernetesObject, frozen=True, kw_only=True):
    """core/v1 Service."""

    spec: ServiceSpec = ServiceSpec()
    status: LoadBalancedStatus = LoadBalancedStatus()

    @property
    def selectable(self) -> Mapping[str, str]:
        """What its selector requires: Services are looked up by the proxies that they serve, never by their labels."""
        return self.spec.selector or {}


class PodIP(PartialObject, frozen=True, kw_only=True):
    """`status.podIPs[]` of a Pod."""

    ip: str = ""


class PodSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Pod."""

    hostname: str = ""
    node_name: str = ""
    host_network: bool = False


class PodStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a Pod."""

    phase: str = ""
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")
    pod_ips: tuple[PodIP, ...] | None = msgspec.field(default=None, name="podIPs")
    conditions: tuple[Condition, ...] | None = None


class Pod(KubernetesObject, frozen=True, kw_only=True):
    """core/v1 Pod."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class NodeAddress(PartialObject, frozen=True, kw_only=True):
    """`status.addresses[]` of a Node."""

    type: str = ""
    address: str = ""


class NodeSpec(PartialObject, frozen=True, kw_only=True):
    """`spec` of a Node."""

    unschedulable: bool = False


class NodeStatus(PartialObject, frozen=True, kw_only=True):
    """`status` of a Node."""

    addresses: tuple[NodeAddress, ...] | None = None


class Node(KubernetesObject, frozen=True, kw_only=True):
    """core/v1 Node."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class Namespace(KubernetesObject, frozen=True, kw_only=True):
    """core/v1 Namespace. Only its metadata are read."""


SERVICE: Final = Kind("", "v1", "Service", "services")
POD: Final = Kind("", "v1", "Pod", "pods")
NODE: Final = Kind("", "v1", "Node", "nodes", namespaced=False)
NAMESPACE: Final = Kind("", "v1", "Namespace", "namespaces", namespaced=False)
STRUCTS: Final[Structs] = {SERVICE: Service, POD: Pod, NODE: Node, NAMESPACE: Namespace}
