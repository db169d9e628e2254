"""The `kong-tcpingress` source: configuration.konghq.com/v1beta1 TCPIngresses (docs/spec/sources.md 7.7)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import TCP_INGRESS, TcpIngress
from extdns.sources.common.annotations import read_load_balancer
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "kong-tcpingress"


class KongSource(Value, frozen=True, kw_only=True):
    """Publishes the hosts of the rules of TCPIngresses, and those of the `hostname` annotation."""

    name = _NAME
    kind = TCP_INGRESS

    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the TCPIngress *obj*, in the order of `HostPublisher.build`.

        Raises:
            TypeError: *obj* is not a TCPIngress.
        """
        if not isinstance(obj, TcpIngress):
            raise TypeError(f"the {_NAME} source reads TCPIngresses only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, TCP_INGRESS, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        result = publisher.annotated_targets or read_load_balancer(obj.status)
        publisher.publish_annotation_hosts(result)
        for at, rule in enumerate(obj.spec.rules or ()):
            publisher.publish(rule.host, f"spec.rules[{at}].host", result)
        return publisher.build()
