"""The `contour-httpproxy` source: projectcontour.io/v1 HTTPProxies (spec sources 7.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.objects import KubernetesObject
from extdns.model.vendors import HTTP_PROXY, HttpProxy
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import balanced

_NAME: Final = "contour-httpproxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContourSource:
    """Names of HTTPProxies, whether Contour finds them valid or not."""

    name = _NAME
    kind = HTTP_PROXY

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the HTTPProxy *obj* asks for, in the order of `Draft.claims`.

        Raises:
            TemplateError: a template fails on it.
            TypeError: *obj* is no HTTPProxy.
        """
        if not isinstance(obj, HttpProxy):
            raise TypeError(f"the {_NAME} source reads HTTPProxies only")
        hosting = Hosting(_NAME, HTTP_PROXY, obj, self.selection)
        if left_out := hosting.left_out():
            return left_out
        answer = hosting.target or balanced(obj.status)
        if obj.spec.virtualhost is not None:
            hosting.publish(obj.spec.virtualhost.fqdn, "spec.virtualhost.fqdn", answer)
        hosting.publish_annotated(answer)
        hosting.publish_templated(answer)
        return hosting.claims()
