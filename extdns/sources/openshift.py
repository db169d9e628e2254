"""The `openshift-route` source: route.openshift.io/v1 Routes (docs/spec/sources.md 7.5)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import OPENSHIFT_ROUTE, OpenShiftRoute, RouterStatus
from extdns.resources.meta import Condition
from extdns.sources.common.annotations import MissingTargets, TargetResult, parse_targets
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "openshift-route"
_ADMITTED: Final = Condition(type="Admitted", status="True")
_NOT_ADMITTED: Final = MissingTargets(
    reason=Reason.NOT_ACCEPTED, detail="no router in status.ingress admits the Route and has a canonical hostname"
)


class OpenShiftSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts of Routes that a router admits.

    Attributes:
        router_name: use the status of this router only; "" is the first router that admits the Route and has a
            canonical hostname.
    """

    name = _NAME
    kind = OPENSHIFT_ROUTE

    common: SourceSettings
    router_name: str = ""

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the Route *obj*, in the order of `HostPublisher.build`.

        Raises:
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a Route of OpenShift.
        """
        if not isinstance(obj, OpenShiftRoute):
            raise TypeError(f"the {_NAME} source reads Routes of OpenShift only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, OPENSHIFT_ROUTE, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        entries = [
            (entry, f"status.ingress[{at}]")
            for at, entry in enumerate(obj.status.ingress or ())
            if self.router_name in {"", entry.router_name}
        ]
        usable = next((found for found in entries if _is_usable(found[0])), None)
        result = publisher.annotated_targets or (_read_canonical_hostname(*usable) if usable else _NOT_ADMITTED)
        if usable:
            publisher.publish(usable[0].host, f"{usable[1]}.host", result)
        else:  # unresolved claims, so existing records stay
            for entry, field in entries:
                publisher.publish(entry.host, f"{field}.host", _NOT_ADMITTED)
            publisher.publish(obj.spec.host, "spec.host", _NOT_ADMITTED)
        publisher.publish_annotation_hosts(result)
        publisher.publish_template_hosts(result)
        return publisher.build()


def _is_usable(entry: RouterStatus) -> bool:
    return _ADMITTED in (entry.conditions or ()) and bool(entry.router_canonical_hostname)


def _read_canonical_hostname(entry: RouterStatus, field: str) -> TargetResult:
    return parse_targets((entry.router_canonical_hostname,), f"{field}.routerCanonicalHostname", if_empty=_NOT_ADMITTED)
