"""The source `skipper-routegroup`: RouteGroups, whose API group and version a flag sets (docs/spec/sources.md 7.9)."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from extdns.errors import UsageError, sanitize
from extdns.flags.sources import SourceFlags
from extdns.model.kind import Kind
from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import ROUTE_GROUP, RouteGroup
from extdns.sources.common.annotations import MissingTargets, list_addresses, parse_targets
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import DiscoverKinds, SourceSpec, Templating

_ROUTE_GROUPS: Final = msgspec.json.Decoder(RouteGroup)
_FIELD: Final = "status.loadBalancer.routeGroup"
_NO_ADDRESS: Final = MissingTargets(reason=Reason.NO_ADDRESS, detail=f"{_FIELD} has no address yet")
_GROUP_VERSION: Final = re.compile(r"([a-z0-9.-]+)/([a-z0-9]+)")


def publish(group: RouteGroup, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the hosts of the RouteGroup, at the addresses of its load balancer."""
    points = group.status.load_balancer.route_group if group.status.load_balancer else ()
    targets = to.annotated_targets or parse_targets(list_addresses(points), _FIELD, if_empty=_NO_ADDRESS)
    for at, host in enumerate(group.spec.hosts or ()):
        to.publish(host, f"spec.hosts[{at}]", targets)
    to.publish_annotation_hosts(targets)
    to.publish_template_hosts(targets)


def _find_kinds(flags: SourceFlags, _: DiscoverKinds) -> tuple[Kind, ...]:
    group_version = flags.skipper_routegroup_groupversion
    parts = _GROUP_VERSION.fullmatch(group_version)
    if parts is None:
        raise UsageError(
            f"--skipper-routegroup-groupversion={sanitize(group_version)} is not a group and its version"
            f"\n  allowed: GROUP/VERSION, such as {ROUTE_GROUP.api_version}"
        )
    return (ROUTE_GROUP._replace(group=parts[1], version=parts[2]),)


SOURCE: Final = SourceSpec(
    name="skipper-routegroup",
    kinds=_find_kinds,
    publish=publish,
    host_field="spec.hosts of a RouteGroup",
    templates=Templating.NAMES,
    decode=_ROUTE_GROUPS.decode,
)
