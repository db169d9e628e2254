"""The `unstructured` source: objects of any kind that `--unstructured-resource` names (docs/spec/sources.md 6.4)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Claim
from extdns.model.kind import Kind, KubernetesObject, build_key
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.sources.common.annotations import MissingTargets, RecordOptions
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "unstructured"
_NO_TARGET: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS, detail="there is no target annotation, and extdns reads no other field of such objects"
)


class UnstructuredSource(Value, frozen=True, kw_only=True):
    """Publishes hostnames of annotations and templates, for objects of one kind.

    Attributes:
        kind: the kind of object.
    """

    name = _NAME

    kind: Kind
    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of *obj*, in the order of `HostPublisher.build`; raises `TemplateError`."""
        kind, namespace, name = build_key(self.kind, obj.metadata)
        label = f"{kind.name.lower()}/{namespace}/{name}"  # as in other sources of this kind, if any
        publisher = HostPublisher(
            _NAME, kind, obj, self.common, read_options=RecordOptions.read_ttl_only, name_resource=lambda _: label
        )
        if exclusion := publisher.find_exclusion():
            return exclusion
        publisher.publish_annotation_hosts(publisher.annotated_targets or _NO_TARGET, ignore_flag=True)
        publisher.publish_template_targets()
        return publisher.build()
