"""The `kong-tcpingress` source: configuration.konghq.com/v1beta1 TCPIngresses (spec sources 7.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.objects import KubernetesObject
from extdns.model.vendors import TCP_INGRESS, TcpIngress
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import balanced

_NAME: Final = "kong-tcpingress"


@dataclass(frozen=True, slots=True, kw_only=True)
class KongSource:
    """Names that the rules of TCPIngresses have, and those of their annotation."""

    name = _NAME
    kind = TCP_INGRESS

    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the TCPIngress *obj* asks for, in the order of `Draft.claims`.

        Raises:
            TypeError: *obj* is no TCPIngress.
        """
        if not isinstance(obj, TcpIngress):
            raise TypeError(f"the {_NAME} source reads TCPIngresses only")
        hosting = Hosting(_NAME, TCP_INGRESS, obj, self.selection)
        if left_out := hosting.left_out():
            return left_out
        answer = hosting.target or balanced(obj.status)
        hosting.publish_annotated(answer)
        for at, rule in enumerate(obj.spec.rules or ()):
            hosting.publish(rule.host, f"spec.rules[{at}].host", answer)
        return hosting.claims()
