"""Flags of the sources: which kinds of object are read, and how names and targets are made from them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import ANNOTATION_SELECTOR, LABEL_SELECTOR, make_choice_kind, make_text_kind, restrict
from extdns.flags.kubernetes_names import NAMESPACE
from extdns.flags.specs import SOURCE_SPECS
from extdns.flags.unchecked_kinds import CIDR, CLASS, DOMAIN, TIME
from extdns.model.selection import EVERYTHING, Selector

if TYPE_CHECKING:
    from extdns.model.kind import Kind

_SOURCE: Final = SOURCE_SPECS.make_kind("a source", ["connector"])
SOURCES: Final = _SOURCE.choices
"""The sources of this version, and the one that only external-dns has."""
GATEWAY_SOURCES: Final = tuple(name for name in SOURCES if name.startswith("gateway-"))
REFERENCE_PREFIX: Final = "external-dns.kubernetes.io/"


PREFIX: Final = restrict(
    replace(
        make_text_kind("PREFIX/"),
        noun="an annotation prefix",
        allowed="a text that ends in /",
        suggest=lambda written: f"{written}/" if written else REFERENCE_PREFIX,
    ),
    lambda written: written.endswith("/"),
)
SERVICE_TYPE: Final = make_choice_kind("a type of Service", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName")

_service = partial(flag, topic="Source service", sources=("service",))
_ingress = partial(flag, topic="Source ingress", sources=("ingress",))
_gateway = partial(flag, topic="Sources gateway-*", sources=GATEWAY_SOURCES)
_other = partial(flag, topic="Other sources")
_template = partial(flag, topic="Templates", metavar="TEMPLATE")


class SourceFlags(FlagSection, topic="Sources"):
    """Which objects are read, and how. *annotation_prefix* None means both prefixes (docs/design/differences.md)."""

    names: tuple[str, ...] = flag(
        "kind of object to read DNS names from; at least one is required",
        default=(),
        kind=_SOURCE,
        name="source",
    )
    annotation_filter: Selector = flag(
        "read only objects whose annotations match this selector", default=EVERYTHING, kind=ANNOTATION_SELECTOR
    )
    annotation_prefix: str | None = flag(
        "prefix of the annotations; when not given, external-dns.kubernetes.io/ and "
        "external-dns.alpha.kubernetes.io/ are both read",
        default=None,
        compat=REFERENCE_PREFIX,
        kind=PREFIX,
    )
    enable_legacy_annotation_prefix: bool = flag(
        "also read external-dns.alpha.kubernetes.io/ if --annotation-prefix names another prefix, or with --compat",
        default=False,
    )
    label_filter: Selector = flag(
        "read only objects whose labels match this selector", default=EVERYTHING, kind=LABEL_SELECTOR
    )
    ignore_hostname_annotation: bool = flag("ignore the hostname annotation; needs --fqdn-template", default=False)
    target_net_filter: tuple[str, ...] = flag("publish only targets inside this network", default=(), kind=CIDR)
    exclude_target_net: tuple[str, ...] = flag("never publish targets inside this network", default=(), kind=CIDR)
    min_ttl_s: float = flag(
        "TTL of records whose object sets none, in whole seconds; 0s uses the provider's default",
        default=0.0,
        kind=TIME,
    )
    prefer_alias: bool = flag(
        "request an alias in place of each CNAME whose object does not set the property alias itself",
        default=False,
        providers=("aws", "inmemory", "pdns", "webhook"),
    )
    merge_across_namespaces: bool = flag(
        "merge the targets of objects in several namespaces that request one name", default=False, compat=True
    )
    default_targets: tuple[str, ...] = flag(
        "target of records for which the object provides none", default=(), metavar="TARGET"
    )
    force_default_targets: bool = flag("let --default-targets replace every target", default=False)
    nat64_networks: tuple[str, ...] = flag(
        "NAT64 network (IPv6, /96); each AAAA target in it also gives an A record with the embedded IPv4 address",
        default=(),
        metavar="CIDR",
    )
    create_ptr: bool = flag(
        "publish a PTR record for each address; PTR must be among --managed-record-types", default=False
    )
    service_type_filter: tuple[str, ...] = _service(
        "read only Services of this type: ClusterIP, NodePort, LoadBalancer or ExternalName", default=(), metavar="TYPE"
    )
    publish_internal_services: bool = _service("publish the cluster addresses of ClusterIP Services", default=False)
    publish_host_ip: bool = _service(
        "publish the addresses of the nodes of a headless Service's pods instead of those of the pods", default=False
    )
    always_publish_not_ready_addresses: bool = _service(
        "publish addresses of headless Services also while their pods are not ready", default=False
    )
    exclude_unschedulable: bool = _service("ignore unschedulable nodes", default=True, sources=("node", "service"))
    expose_internal_ipv6: bool = _service(
        "publish the internal IPv6 addresses of nodes too", default=False, sources=("node", "service")
    )
    resolve_service_load_balancer_hostname: bool = _service(
        "publish the addresses behind a load balancer's host names instead of a CNAME; while a host name cannot be "
        "resolved, the record stays as it is; with --compat it is written without the addresses of that name",
        default=False,
    )
    compatibility: str = _service(
        "also read the annotations of this older tool",
        kind=make_choice_kind("a compatibility mode", "", "mate", "molecule", "kops-dns-controller", metavar="MODE"),
        sources=("pod", "service"),
    )
    ingress_class: tuple[str, ...] = _ingress("read only Ingresses of this class", default=(), kind=CLASS)
    ignore_ingress_rules_spec: bool = _ingress("take no names from spec.rules", default=False)
    ignore_ingress_tls_spec: bool = _ingress("take no names from spec.tls", default=False)
    gateway_name: str = _gateway("read only routes of Gateways with this name", metavar="NAME")
    gateway_namespace: str = _gateway("read only routes of Gateways in this namespace", kind=NAMESPACE)
    gateway_label_filter: str = _gateway(
        "read only routes of Gateways whose labels match this selector", metavar="SELECTOR"
    )
    gateway_listener_sets: bool = _gateway("read ListenerSets too", default=False)
    ignore_non_host_network_pods: bool = _other("read only pods on the host's network", default=False, sources=("pod",))
    pod_source_domain: str = _other("publish a name in this domain for every pod", kind=DOMAIN, sources=("pod",))
    gloo_namespace: tuple[str, ...] = _other(
        "namespace of the Gloo Proxies to read; --namespace does not apply",
        default=("gloo-system",),
        kind=NAMESPACE,
        sources=("gloo-proxy",),
    )
    openshift_router_name: str = _other(
        "name of the OpenShift router whose host name becomes the target", metavar="NAME", sources=("openshift-route",)
    )
    skipper_routegroup_groupversion: str = _other(
        "API version of RouteGroups", default="zalando.org/v1", metavar="GROUP/VERSION", sources=("skipper-routegroup",)
    )
    traefik_enable_legacy: bool = _other(
        "also read IngressRoutes of the older group traefik.containo.us", default=False, sources=("traefik-proxy",)
    )
    traefik_disable_new: bool = _other(
        "do not read IngressRoutes of the group traefik.io", default=False, sources=("traefik-proxy",)
    )
    unstructured_resource: tuple[str, ...] = _other(
        "resource to read, as resource.version.group", default=(), metavar="RESOURCE", sources=("unstructured",)
    )
    fqdn_template: tuple[str, ...] = _template(
        "Go template of the names to publish for objects without a hostname", default=()
    )
    target_template: tuple[str, ...] = _template(
        "Go template of targets",
        default=(),
        sources=("f5-transportserver", "f5-virtualserver", "gloo-proxy", "traefik-proxy", "unstructured"),
    )
    fqdn_target_template: tuple[str, ...] = _template("Go template of pairs, name:target", default=())
    combine_fqdn_annotation: bool = _template("use the templates also for objects with a hostname", default=False)


def map_kinds_to_sources(flags: SourceFlags) -> dict[Kind, str]:
    """Return the kinds that sources of ours read, each with the name of the first of them. This imports all sources."""
    found: dict[Kind, str] = {}
    for name in SOURCE_SPECS.available:
        spec = SOURCE_SPECS.load(name)
        for kind in spec.find_kinds(flags) if spec.generate is None else ():
            found.setdefault(kind, name)
    return found
