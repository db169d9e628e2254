"""The `skipper-routegroup` source: RouteGroups. A flag names their API group and version.

See docs/spec/sources.md 7.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from extdns.errors import ExtdnsError, UsageError, sanitize
from extdns.model.claim import Claim
from extdns.model.kind import Kind, KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import ROUTE_GROUP, RouteGroup
from extdns.resources.meta import CustomResource
from extdns.sources.common.annotations import MissingTargets, parse_targets
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_ROUTE_GROUPS: Final = msgspec.json.Decoder(RouteGroup)
_NAME: Final = "skipper-routegroup"
_FIELD: Final = "status.loadBalancer.routeGroup"
_NO_ADDRESS: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"{_FIELD} has no address yet")
_GROUP_VERSION: Final = re.compile(r"([a-z0-9.-]+)/([a-z0-9]+)")


def parse_group_version(group_version: str) -> Kind:
    """Parse `--skipper-routegroup-groupversion`, such as `zalando.org/v1`; raises `UsageError`."""
    parts = _GROUP_VERSION.fullmatch(group_version)
    if parts is None:
        raise UsageError(
            f"--skipper-routegroup-groupversion={sanitize(group_version)} is not a group and its version"
            f"\n  allowed: GROUP/VERSION, such as {ROUTE_GROUP.api_version}"
        )
    return ROUTE_GROUP._replace(group=parts[1], version=parts[2])


class SkipperSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts of RouteGroups.

    Attributes:
        kind: the kind of RouteGroup, from `parse_group_version`.
    """

    name = _NAME

    kind: Kind
    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the RouteGroup *obj*, in the order of `HostPublisher.build`.

        Raises:
            ExtdnsError: a field has the wrong type.
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a `CustomResource`.
        """
        if not isinstance(obj, CustomResource):
            raise TypeError(f"the {_NAME} source reads RouteGroups only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, self.kind, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        try:
            group = _ROUTE_GROUPS.decode(obj.metadata.full_object)
        except msgspec.ValidationError as exc:
            raise ExtdnsError(f"{publisher.ref} cannot be decoded: {exc}") from exc
        result = publisher.annotated_targets or parse_targets(_list_addresses(group), _FIELD, if_empty=_NO_ADDRESS)
        for at, host in enumerate(group.spec.hosts or ()):
            publisher.publish(host, f"spec.hosts[{at}]", result)
        publisher.publish_annotation_hosts(result)
        publisher.publish_template_hosts(result)
        return publisher.build()


def _list_addresses(group: RouteGroup) -> Iterator[str]:
    if group.status.load_balancer is not None:
        for point in group.status.load_balancer.route_group or ():
            yield point.ip
            yield point.hostname
