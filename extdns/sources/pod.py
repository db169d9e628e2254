"""The `pod` source: core/v1 Pods (docs/spec/sources.md 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, assert_never

from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.core import NODE, POD, Node, Pod
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    MissingTargets,
    RecordOptions,
    TargetResult,
    list_public_node_addresses,
    parse_targets,
    split_list,
)
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "pod"
_UNSCHEDULED: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail="the Pod is not scheduled to a Node yet")
_NO_POD_IP: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail="status.podIP is not set yet")


class _AddressOwner(StrEnum):
    """Whether a host gets the address of the pod or that of its node.

    The value is the annotation that lists such hosts.
    """

    POD = "internal-hostname"
    NODE = "hostname"


_KOPS: Final = {
    "dns.alpha.kubernetes.io/internal": _AddressOwner.POD,
    "dns.alpha.kubernetes.io/external": _AddressOwner.NODE,
}


class PodSettings(Value, frozen=True, kw_only=True):
    """Settings of the `pod` source, named as the flags are.

    Attributes:
        pod_source_domain: also publish the name of every pod below this domain; "" does not.
        kops: also read the annotations of kops' dns-controller.
    """

    common: SourceSettings
    ignore_non_host_network_pods: bool = False
    pod_source_domain: str = ""
    kops: bool = False


class PodSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts in annotations of Pods, and the Pods' names below `--pod-source-domain`.

    Ownership records name no pod, because several pods share a hostname and pods are short-lived.
    """

    name = _NAME
    kind = POD

    settings: PodSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of the Pod *obj*.

        Raises:
            NotSyncedError: nodes are needed and not listed yet.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a Pod.
        """
        if not isinstance(obj, Pod):
            raise TypeError(f"the {_NAME} source reads Pods only, not {type(obj).__name__}")
        publisher = HostPublisher(
            _NAME, POD, obj, self.settings.common, read_options=RecordOptions.read_ttl_only, name_resource=lambda _: ""
        )
        if exclusion := publisher.find_exclusion():
            return exclusion
        override = self._find_network_exclusion(obj) or publisher.annotated_targets
        for text, field, owner, result in self._list_hosts(obj, publisher.annotations, override):
            name = publisher.builder.parse_name(text, field)
            if name is not None:
                publisher.builder.request_name(name, field, result or _read_address(obj, owner, view))
        publisher.publish_template_pairs()
        publisher.publish_template_hosts(_read_pod_ips(obj))
        return publisher.build()

    def _find_network_exclusion(self, pod: Pod) -> ExcludedHost | None:
        ignored = self.settings.ignore_non_host_network_pods and not pod.spec.host_network
        return ExcludedHost(excluded_by="--ignore-non-host-network-pods") if ignored else None

    def _list_hosts(
        self, pod: Pod, annotations: Annotations, override: TargetResult | None
    ) -> Iterator[tuple[str, str, _AddressOwner, TargetResult | None]]:
        """Yield each host with its field, whether it gets the address of the pod or of its node, and other targets.

        Other targets are published instead of that address; None for none.
        """
        for owner in _AddressOwner:
            for text in annotations.get_list(owner):
                yield text, annotations.describe_field(owner), owner, override
        for key, owner in _KOPS.items() if self.settings.kops else ():
            for text in split_list((pod.metadata.annotations or {}).get(key)):
                yield text, f"annotation {key}", owner, self._find_network_exclusion(pod)
        if self.settings.pod_source_domain:
            yield f"{pod.metadata.name}.{self.settings.pod_source_domain}", "metadata.name", _AddressOwner.POD, override


def _read_pod_ips(pod: Pod) -> TargetResult:
    texts = (one.ip for one in pod.status.pod_ips or ())
    return parse_targets(texts, "status.podIPs", if_empty=_NO_POD_IP)


def _read_address(pod: Pod, owner: _AddressOwner, view: ClusterView) -> TargetResult:
    match owner:
        case _AddressOwner.POD:
            return parse_targets((pod.status.pod_ip,), "status.podIP", if_empty=_NO_POD_IP)
        case _AddressOwner.NODE if not pod.spec.node_name:
            return _UNSCHEDULED
        case _AddressOwner.NODE:
            node = view.get(NODE, "", pod.spec.node_name)
            texts = list_public_node_addresses((node,), expose_internal_ipv6=True) if isinstance(node, Node) else ()
            problem = "has no public address" if node else "does not exist"
            if_empty = MissingTargets(reason=Reason.NO_ENDPOINTS, detail=f"Node {pod.spec.node_name} {problem}")
            return parse_targets(texts, f"status.addresses of Node {pod.spec.node_name}", if_empty=if_empty)
        case _:
            assert_never(owner)
