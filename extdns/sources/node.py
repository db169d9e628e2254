"""The source `node`: core/v1 Nodes (docs/spec/sources.md 6.1)."""

from __future__ import annotations

from typing import Final

from extdns.errors import ExtdnsError
from extdns.model.claim import ResolvedClaim, UnresolvedClaim
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.core import NODE, Node
from extdns.sources.common.annotations import (
    EXTERNAL_IP,
    INTERNAL_IP,
    FoundTargets,
    MissingTargets,
    RecordOptions,
    list_node_addresses,
    list_public_node_addresses,
    parse_targets,
)
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

_FIELD: Final = "metadata.name"
_NO_ADDRESS: Final = MissingTargets(
    reason=Reason.OBJECT_FAILED, detail="status.addresses has neither an ExternalIP nor an InternalIP"
)


def publish(node: Node, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the addresses of the Node under its name or under those of templates.

    Raises:
        ExtdnsError: the Node has no address, and no claim to which that problem can be attached.
    """
    if to.flags.exclude_unschedulable and node.spec.unschedulable:
        to.exclude("--exclude-unschedulable")
        return
    templates = to.settings.templates
    targets = to.annotated_targets or _read_addresses(node, expose_internal_ipv6=to.flags.expose_internal_ipv6)
    if templates.combine or not templates.can_name_hosts:
        to.publish(node.metadata.name, _FIELD, targets)
    to.publish_template_pairs(to.bare_builder)
    to.publish_template_hosts(targets)
    if targets == _NO_ADDRESS and not any(isinstance(claim, ResolvedClaim | UnresolvedClaim) for claim in to.build()):
        raise ExtdnsError(_NO_ADDRESS.detail)


def _read_addresses(node: Node, *, expose_internal_ipv6: bool) -> FoundTargets | MissingTargets:
    if list_node_addresses((node,), EXTERNAL_IP):
        texts = list_public_node_addresses((node,), expose_internal_ipv6=expose_internal_ipv6)
    else:
        texts = list_node_addresses((node,), INTERNAL_IP)
    return parse_targets(texts, "status.addresses", if_empty=_NO_ADDRESS)


SOURCE: Final = SourceSpec(
    name="node",
    kinds=(NODE,),
    publish=publish,
    host_field="the name of a Node",
    hostname_annotations=(),
    options=RecordOptions.read_ttl_only,
    templates=Templating.NAMES_AND_PAIRS,
)
