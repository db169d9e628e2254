"""What builds each source, by the name that `--source` has for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.flags.sources import GATEWAY_SOURCES

if TYPE_CHECKING:
    from extdns.config import Sources
    from extdns.ports import Source
    from extdns.sources.selection import Selection


def _ambassador(_: Sources, selection: Selection) -> Source:
    from extdns.sources.ambassador import AmbassadorSource

    return AmbassadorSource(selection=selection)


def _contour(_: Sources, selection: Selection) -> Source:
    from extdns.sources.contour import ContourSource

    return ContourSource(selection=selection)


def _crd(_: Sources, selection: Selection) -> Source:
    from extdns.sources.crd import CrdSource

    return CrdSource(selection=selection)


def _empty(_: Sources, _selection: Selection) -> Source:
    from extdns.sources.empty import EmptySource

    return EmptySource()


def _f5(name: str, _: Sources, selection: Selection) -> Source:
    from extdns.sources.f5 import F5Source

    return F5Source(name=name, selection=selection)


def _fake(_: Sources, _selection: Selection) -> Source:
    from extdns.sources.fake import FakeSource

    return FakeSource()


def _gloo(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.gloo.proxies import GlooSource

    return GlooSource(selection=replace(selection, namespace=""), namespaces=chosen.gloo_namespace)


def _route(name: str, chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.gateway.settings import RouteSettings, gateway_labels
    from extdns.sources.gateway.source import RouteSource

    return RouteSource(
        name=name,
        settings=RouteSettings(
            selection=selection,
            gateway_name=chosen.gateway_name,
            gateway_namespace=chosen.gateway_namespace,
            gateway_labels=gateway_labels(chosen.gateway_label_filter),
            listener_sets=chosen.gateway_listener_sets,
        ),
    )


def _ingress(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.ingress import IngressSettings, IngressSource

    return IngressSource(
        settings=IngressSettings(
            selection=selection,
            ingress_class=chosen.ingress_class,
            ignore_ingress_rules_spec=chosen.ignore_ingress_rules_spec,
            ignore_ingress_tls_spec=chosen.ignore_ingress_tls_spec,
        )
    )


def _istio_gateway(_: Sources, selection: Selection) -> Source:
    from extdns.sources.istio.gateway import IstioGatewaySource

    return IstioGatewaySource(selection=selection)


def _istio_virtualservice(_: Sources, selection: Selection) -> Source:
    from extdns.sources.istio.virtualservice import VirtualServiceSource

    return VirtualServiceSource(selection=selection)


def _kong(_: Sources, selection: Selection) -> Source:
    from extdns.sources.kong import KongSource

    return KongSource(selection=selection)


def _node(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.node import NodeSettings, NodeSource

    return NodeSource(
        settings=NodeSettings(
            selection=selection,
            exclude_unschedulable=chosen.exclude_unschedulable,
            expose_internal_ipv6=chosen.expose_internal_ipv6,
        )
    )


def _openshift(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.openshift import OpenShiftSource

    return OpenShiftSource(selection=selection, router_name=chosen.openshift_router_name)


def _pod(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.pod import PodSettings, PodSource

    return PodSource(
        settings=PodSettings(
            selection=selection,
            ignore_non_host_network_pods=chosen.ignore_non_host_network_pods,
            pod_source_domain=chosen.pod_source_domain,
            kops=chosen.compatibility == "kops-dns-controller",
        )
    )


def _service(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.service.settings import Compatibility, ServiceSettings, service_types
    from extdns.sources.service.source import ServiceSource

    return ServiceSource(
        settings=ServiceSettings(
            selection=selection,
            service_types=service_types(chosen.service_type_filter),
            publish_internal_services=chosen.publish_internal_services,
            publish_host_ip=chosen.publish_host_ip,
            always_publish_not_ready_addresses=chosen.always_publish_not_ready_addresses,
            exclude_unschedulable=chosen.exclude_unschedulable,
            expose_internal_ipv6=chosen.expose_internal_ipv6,
            resolves_hostnames=chosen.resolve_service_load_balancer_hostname,
            compatibility=Compatibility(chosen.compatibility),
        )
    )


def _skipper(chosen: Sources, selection: Selection) -> Source:
    from extdns.sources.skipper import SkipperSource, kind

    return SkipperSource(kind=kind(chosen.skipper_routegroup_groupversion), selection=selection)


TABLE: Final[Mapping[str, Callable[[Sources, Selection], Source]]] = {
    "ambassador-host": _ambassador,
    "contour-httpproxy": _contour,
    "crd": _crd,
    "empty": _empty,
    "f5-transportserver": partial(_f5, "f5-transportserver"),
    "f5-virtualserver": partial(_f5, "f5-virtualserver"),
    "fake": _fake,
    "gloo-proxy": _gloo,
    **{name: partial(_route, name) for name in GATEWAY_SOURCES},
    "ingress": _ingress,
    "istio-gateway": _istio_gateway,
    "istio-virtualservice": _istio_virtualservice,
    "kong-tcpingress": _kong,
    "node": _node,
    "openshift-route": _openshift,
    "pod": _pod,
    "service": _service,
    "skipper-routegroup": _skipper,
}
