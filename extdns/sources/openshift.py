"""The `openshift-route` source: route.openshift.io/v1 Routes (spec sources 7.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.lean import Condition
from extdns.model.objects import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.vendors import OPENSHIFT_ROUTE, OpenShiftRoute, RouterStatus
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, Missing, found

_NAME: Final = "openshift-route"
_ADMITTED: Final = Condition(type="Admitted", status="True")
_UNADMITTED: Final = Missing(reason=Reason.NOT_ACCEPTED, detail="status.ingress has no router that admits it")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShiftSource:
    """Names under which routers admit Routes.

    Attributes:
        router_name: the only router that counts, "" for the first that admits the Route.
    """

    name = _NAME
    kind = OPENSHIFT_ROUTE

    selection: Selection
    router_name: str = ""

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the Route *obj* asks for, in the order of `Draft.claims`.

        Raises:
            TemplateError: a template fails on it.
            TypeError: *obj* is no Route of OpenShift.
        """
        if not isinstance(obj, OpenShiftRoute):
            raise TypeError(f"the {_NAME} source reads Routes of OpenShift only")
        hosting = Hosting(_NAME, OPENSHIFT_ROUTE, obj, self.selection)
        if left_out := hosting.left_out():
            return left_out
        entries = [
            (entry, f"status.ingress[{at}]")
            for at, entry in enumerate(obj.status.ingress or ())
            if self.router_name in {"", entry.router_name}
        ]
        usable = next((found for found in entries if _is_usable(found[0])), None)
        answer = hosting.target or (_canonical(*usable) if usable else _UNADMITTED)
        if usable:
            hosting.publish(usable[0].host, f"{usable[1]}.host", answer)
        else:  # what it is known by stays
            for entry, field in entries:
                hosting.publish(entry.host, f"{field}.host", _UNADMITTED)
            hosting.publish(obj.spec.host, "spec.host", _UNADMITTED)
        hosting.publish_annotated(answer)
        hosting.publish_templated(answer)
        return hosting.claims()


def _is_usable(entry: RouterStatus) -> bool:
    return _ADMITTED in (entry.conditions or ()) and bool(entry.router_canonical_hostname)


def _canonical(entry: RouterStatus, field: str) -> Answer:
    return found((entry.router_canonical_hostname,), f"{field}.routerCanonicalHostname", otherwise=_UNADMITTED)
