"""The source `pod`: core/v1 Pods (docs/spec/sources.md 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, assert_never

from extdns.flags.sources import SourceFlags
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import NODE, POD, Node, Pod
from extdns.sources.common.annotations import (
    ExcludedHost,
    MissingTargets,
    RecordOptions,
    TargetResult,
    list_public_node_addresses,
    parse_targets,
    split_list,
)
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

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


def publish(pod: Pod, to: HostPublisher, view: ClusterView) -> None:
    """Publish the hosts in annotations of the Pod, and its name below `--pod-source-domain`."""
    override = _find_network_exclusion(pod, to.flags) or to.annotated_targets
    for text, field, owner, targets in _list_hosts(pod, to, override):
        name = to.builder.parse_name(text, field)
        if name is not None:
            to.builder.request_name(name, field, targets or _read_address(pod, owner, view))
    to.publish_template_pairs(to.bare_builder)
    to.publish_template_hosts(_read_pod_ips(pod))


def _find_network_exclusion(pod: Pod, flags: SourceFlags) -> ExcludedHost | None:
    ignored = flags.ignore_non_host_network_pods and not pod.spec.host_network
    return ExcludedHost(excluded_by="--ignore-non-host-network-pods") if ignored else None


def _list_hosts(
    pod: Pod, to: HostPublisher, override: TargetResult | None
) -> Iterator[tuple[str, str, _AddressOwner, TargetResult | None]]:
    """Yield each host with its field, whether it gets the address of the pod or of its node, and other targets.

    Other targets are published instead of that address; None for none.
    """
    for owner in _AddressOwner:
        for text in to.annotations.get_list(owner):
            yield text, to.annotations.describe_field(owner), owner, override
    for key, owner in _KOPS.items() if to.flags.compatibility == "kops-dns-controller" else ():
        for text in split_list((pod.metadata.annotations or {}).get(key), joins_blanks=to.settings.compat):
            yield text, f"annotation {key}", owner, _find_network_exclusion(pod, to.flags)
    if to.flags.pod_source_domain:
        yield f"{pod.metadata.name}.{to.flags.pod_source_domain}", "metadata.name", _AddressOwner.POD, override


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


SOURCE: Final = SourceSpec(
    name="pod",
    kinds=(POD,),
    publish=publish,
    lookups=(NODE,),
    hostname_annotations=tuple(_AddressOwner),
    options=RecordOptions.read_ttl_only,
    is_named_in_reference=False,
    templates=Templating.NAMES_AND_PAIRS,
)
