"""The source `contour-httpproxy`: projectcontour.io/v1 HTTPProxies (docs/spec/sources.md 7.3)."""

from __future__ import annotations

from typing import Final

from extdns.ports import ClusterView
from extdns.resources.ingress_controllers import HTTP_PROXY, HttpProxy
from extdns.sources.common.annotations import read_load_balancer
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec, Templating


def publish(proxy: HttpProxy, to: HostPublisher, _view: ClusterView) -> None:
    """Publish the host of the proxy, even if Contour reports it as invalid, and those of annotations and templates."""
    targets = to.annotated_targets or read_load_balancer(proxy.status)
    if proxy.spec.virtualhost is not None:
        to.publish(proxy.spec.virtualhost.fqdn, "spec.virtualhost.fqdn", targets)
    to.publish_annotation_hosts(targets)
    to.publish_template_hosts(targets)


SOURCE: Final = SourceSpec(
    name="contour-httpproxy",
    kinds=(HTTP_PROXY,),
    publish=publish,
    host_field="spec.virtualhost.fqdn of an HTTPProxy",
    templates=Templating.NAMES,
)
