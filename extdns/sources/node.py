"""The `node` source: core/v1 Nodes (docs/spec/sources.md 6.1)."""

from __future__ import annotations

from typing import Final

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, ResolvedClaim, UnresolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
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
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "node"
_FIELD: Final = "metadata.name"
_NO_ADDRESS: Final = MissingTargets(
    reason=Reason.OBJECT_FAILED, detail="status.addresses has neither an ExternalIP nor an InternalIP"
)


class NodeSettings(Value, frozen=True, kw_only=True):
    """Settings of the `node` source, named as the flags are."""

    common: SourceSettings
    exclude_unschedulable: bool = True
    expose_internal_ipv6: bool = False


class NodeSource(Value, frozen=True, kw_only=True):
    """Publishes the addresses of Nodes under the names of the Nodes or of templates."""

    name = _NAME
    kind = NODE

    settings: NodeSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the Node *obj*, in the order of `ClaimBuilder.build`.

        Raises:
            ExtdnsError: the Node has no address, and no claim to which that problem can be attached.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a Node.
        """
        if not isinstance(obj, Node):
            raise TypeError(f"the {_NAME} source reads Nodes only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, NODE, obj, self.settings.common, read_options=RecordOptions.read_ttl_only)
        if exclusion := publisher.find_exclusion(self._find_unschedulable_exclusion(obj)):
            return exclusion
        templates, targets = self.settings.common.templates, publisher.annotated_targets or self._read_addresses(obj)
        if templates.combine or not templates.can_name_hosts:
            publisher.publish(obj.metadata.name, _FIELD, targets)
        publisher.publish_template_pairs()
        publisher.publish_template_hosts(targets)
        claims = publisher.build()
        if targets == _NO_ADDRESS and not any(isinstance(claim, ResolvedClaim | UnresolvedClaim) for claim in claims):
            raise ExtdnsError(_NO_ADDRESS.detail)
        return claims

    def _find_unschedulable_exclusion(self, node: Node) -> str:
        return "--exclude-unschedulable" if self.settings.exclude_unschedulable and node.spec.unschedulable else ""

    def _read_addresses(self, node: Node) -> FoundTargets | MissingTargets:
        if list_node_addresses((node,), EXTERNAL_IP):
            texts = list_public_node_addresses((node,), expose_internal_ipv6=self.settings.expose_internal_ipv6)
        else:
            texts = list_node_addresses((node,), INTERNAL_IP)
        return parse_targets(texts, "status.addresses", if_empty=_NO_ADDRESS)
