"""The source `openshift-route`: route.openshift.io/v1 Routes (docs/spec/sources.md 7.5)."""

from __future__ import annotations

from typing import Final

from extdns.model.reason import Reason
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import OPENSHIFT_ROUTE, OpenShiftRoute, RouterStatus
from extdns.resources.meta import Condition
from extdns.sources.common.annotations import MissingTargets, TargetResult, parse_targets
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating

_ADMITTED: Final = Condition(type="Admitted", status="True")
_NOT_ADMITTED: Final = MissingTargets(
    reason=Reason.NOT_ACCEPTED, detail="no router in status.ingress admits the Route and has a canonical hostname"
)


def publish(route: OpenShiftRoute, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the host at the first router that admits the Route and has a canonical hostname.

    With `--openshift-router-name`, only the status of that router is used.
    """
    entries = [
        (entry, f"status.ingress[{at}]")
        for at, entry in enumerate(route.status.ingress or ())
        if to.flags.openshift_router_name in {"", entry.router_name}
    ]
    usable = next((found for found in entries if _is_usable(found[0])), None)
    targets = to.annotated_targets or (_read_canonical_hostname(*usable) if usable else _NOT_ADMITTED)
    if usable:
        to.publish(usable[0].host, f"{usable[1]}.host", targets)
    else:  # unresolved claims, so existing records stay
        for entry, field in entries:
            to.publish(entry.host, f"{field}.host", _NOT_ADMITTED)
        to.publish(route.spec.host, "spec.host", _NOT_ADMITTED)
    to.publish_annotation_hosts(targets)
    to.publish_template_hosts(targets)


def _is_usable(entry: RouterStatus) -> bool:
    return _ADMITTED in (entry.conditions or ()) and bool(entry.router_canonical_hostname)


def _read_canonical_hostname(entry: RouterStatus, field: str) -> TargetResult:
    return parse_targets((entry.router_canonical_hostname,), f"{field}.routerCanonicalHostname", if_empty=_NOT_ADMITTED)


SOURCE: Final = SourceSpec(
    name="openshift-route",
    kinds=(OPENSHIFT_ROUTE,),
    publish=publish,
    host_field="spec.host of a Route",
    templates=Templating.NAMES,
)
