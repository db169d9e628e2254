"""The source `unstructured`: objects of any kind that `--unstructured-resource` names (docs/spec/sources.md 6.4)."""

from __future__ import annotations

from typing import Final

from extdns.errors import UsageError
from extdns.flags.sources import SourceFlags
from extdns.model.kind import Kind, KubernetesObject, ObjectKey
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.sources.common.annotations import MissingTargets, RecordOptions
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import DiscoverKinds, SourceSpec, Templating

_NO_TARGET: Final = MissingTargets(
    reason=Reason.NO_ENDPOINTS, detail="there is no target annotation, and extdns reads no other field of such objects"
)


def publish(_obj: KubernetesObject, to: HostPublisher, _view: ClusterView) -> None:
    """Publish hostnames of annotations and templates."""
    to.publish_annotation_hosts(to.annotated_targets or _NO_TARGET, ignore_flag=True)
    to.publish_template_targets(to.builder)


def _validate(flags: SourceFlags) -> None:
    if not flags.unstructured_resource:
        raise UsageError("--source=unstructured has no resource to read\n  give --unstructured-resource=configmaps.v1")


def _find_kinds(flags: SourceFlags, discover: DiscoverKinds) -> tuple[Kind, ...]:
    return discover(flags.unstructured_resource)


def _name_resource(key: ObjectKey) -> str:
    """Return the name of the kind in small letters, also where other sources of the kind write something else."""
    return f"{key.kind.name.lower()}/{key.namespace}/{key.name}"


SOURCE: Final = SourceSpec(
    name="unstructured",
    kinds=_find_kinds,
    publish=publish,
    validate=_validate,
    options=RecordOptions.read_ttl_only,
    resource=_name_resource,
    templates=Templating.AT_TEMPLATE_TARGETS,
)
