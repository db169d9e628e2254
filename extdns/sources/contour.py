"""The `contour-httpproxy` source: projectcontour.io/v1 HTTPProxies (docs/spec/sources.md 7.3)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Claim
from extdns.model.kind import KubernetesObject
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import HTTP_PROXY, HttpProxy
from extdns.sources.common.annotations import read_load_balancer
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.host_publisher import HostPublisher

_NAME: Final = "contour-httpproxy"


class ContourSource(Value, frozen=True, kw_only=True):
    """Publishes the hostnames of HTTPProxies, even of those that Contour reports as invalid."""

    name = _NAME
    kind = HTTP_PROXY

    common: SourceSettings

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:  # noqa: ARG002 - unused
        """Return the claims of the HTTPProxy *obj*, in the order of `HostPublisher.build`.

        Raises:
            TemplateError: a template cannot be rendered for *obj*.
            TypeError: *obj* is not a HTTPProxy.
        """
        if not isinstance(obj, HttpProxy):
            raise TypeError(f"the {_NAME} source reads HTTPProxies only, not {type(obj).__name__}")
        publisher = HostPublisher(_NAME, HTTP_PROXY, obj, self.common)
        if exclusion := publisher.find_exclusion():
            return exclusion
        result = publisher.annotated_targets or read_load_balancer(obj.status)
        if obj.spec.virtualhost is not None:
            publisher.publish(obj.spec.virtualhost.fqdn, "spec.virtualhost.fqdn", result)
        publisher.publish_annotation_hosts(result)
        publisher.publish_template_hosts(result)
        return publisher.build()
