"""The `skipper-routegroup` source: RouteGroups of the group and version that a flag names (spec sources 7.9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from extdns.errors import ExtdnsError, UsageError, shown
from extdns.model.claim import Claim
from extdns.model.cluster import Kind
from extdns.model.lean import Custom
from extdns.model.objects import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.skipper import ROUTE_GROUP, RouteGroup
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import Missing, found

_NAME: Final = "skipper-routegroup"
_FIELD: Final = "status.loadBalancer.routeGroup"
_NO_ADDRESS: Final = Missing(reason=Reason.NO_ADDRESS, detail=f"{_FIELD} has no address yet")
_FORM: Final = re.compile(r"([a-z0-9.-]+)/([a-z0-9]+)")


def kind(group_version: str) -> Kind:
    """RouteGroups of *group_version*, as `zalando.org/v1`; raises `UsageError`."""
    parts = _FORM.fullmatch(group_version)
    if parts is None:
        raise UsageError(
            f"--skipper-routegroup-groupversion={shown(group_version)} is not a group and its version"
            f"\n  allowed: GROUP/VERSION, as {ROUTE_GROUP.api_version}"
        )
    return ROUTE_GROUP._replace(group=parts[1], version=parts[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipperSource:
    """Hosts of RouteGroups, which clusters keep whole.

    Attributes:
        kind: made by `kind`.
    """

    name = _NAME

    kind: Kind
    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the RouteGroup *obj* asks for, in the order of `Draft.claims`.

        Raises:
            ExtdnsError: a field has a value of another type than RouteGroups have.
            TemplateError: a template fails on it.
            TypeError: *obj* is not one that clusters keep whole.
        """
        if not isinstance(obj, Custom):
            raise TypeError(f"the {_NAME} source reads RouteGroups only")
        hosting = Hosting(_NAME, self.kind, obj, self.selection)
        if left_out := hosting.left_out():
            return left_out
        try:
            group = msgspec.json.decode(obj.metadata.whole, type=RouteGroup)
        except msgspec.ValidationError as exc:
            raise ExtdnsError(f"{hosting.ref} is not readable: {exc}") from exc
        answer = hosting.target or found(_points(group), _FIELD, otherwise=_NO_ADDRESS)
        for at, host in enumerate(group.spec.hosts or ()):
            hosting.publish(host, f"spec.hosts[{at}]", answer)
        hosting.publish_annotated(answer)
        hosting.publish_templated(answer)
        return hosting.claims()


def _points(group: RouteGroup) -> Iterator[str]:
    if group.status.load_balancer is not None:
        for point in group.status.load_balancer.route_group or ():
            yield point.ip
            yield point.hostname
