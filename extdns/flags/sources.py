"""Flags of the sources: which kinds of object are read, and how names and targets are made from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.flags.flag import ABSENT, Flag, Moot
from extdns.flags.kind import ANNOTATION_SELECTOR, BOOLEAN, LABEL_SELECTOR, ValueKind, make_choice_kind, make_text_kind
from extdns.flags.kubernetes_names import NAMESPACE
from extdns.flags.unchecked_kinds import CIDR, CLASS, DOMAIN, TIME
from extdns.model.selection import EVERYTHING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_FOLDER: Final = Path(__file__).parents[1] / "sources"
AVAILABLE_SOURCES: Final = tuple(sorted(path.stem.replace("_", "-") for path in _FOLDER.glob("[a-z]*.py")))
"""The sources of this version, by the names of their files: importing them here would take long."""
SOURCES: Final = tuple(sorted({*AVAILABLE_SOURCES, "connector"}))
"""These, and the one that only external-dns has."""
GATEWAY_SOURCES: Final = tuple(name for name in SOURCES if name.startswith("gateway-"))
ENTRY_POINTS: Final = "extdns.sources"
"""The group of entry points by which other packages add sources."""


def find_added_source(name: str) -> EntryPoint | None:
    """Return the entry point of the source *name* of another package, None if no package has one."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes long, and is needed for no other source

    return next(iter(entry_points(group=ENTRY_POINTS, name=name)), None)


_KNOWN_SOURCE: Final = make_choice_kind("a source", *SOURCES)


def _parse_source(text: str) -> str:
    return text if text not in SOURCES and find_added_source(text) else _KNOWN_SOURCE.parse(text)


REFERENCE_PREFIX: Final = "external-dns.kubernetes.io/"


def _parse_prefix(written: str) -> str:
    if not written.endswith("/"):
        raise ValueError
    return written


PREFIX: Final[ValueKind[str]] = ValueKind(
    noun="an annotation prefix",
    metavar="PREFIX/",
    allowed="a text that ends in /",
    parse=_parse_prefix,
    format=str,
    suggest=lambda written: f"{written}/" if written else REFERENCE_PREFIX,
)

SOURCE_FLAGS: Final = (
    Flag(
        name="source",
        kind=replace(_KNOWN_SOURCE, parse=_parse_source),
        default=(),
        repeatable=True,
        help="kind of object to read DNS names from; at least one is required",
    ),
    Flag(
        name="annotation-filter",
        kind=ANNOTATION_SELECTOR,
        default=EVERYTHING,
        help="read only objects whose annotations match this selector",
    ),
    Flag(
        name="annotation-prefix",
        kind=PREFIX,
        default=None,
        reference_default=REFERENCE_PREFIX,
        help="prefix of the annotations; when not given, external-dns.kubernetes.io/ and "
        "external-dns.alpha.kubernetes.io/ are both read",
    ),
    Flag(
        name="label-filter",
        kind=LABEL_SELECTOR,
        default=EVERYTHING,
        help="read only objects whose labels match this selector",
    ),
    Flag(
        name="ignore-hostname-annotation",
        kind=BOOLEAN,
        default=False,
        help="ignore the hostname annotation; needs --fqdn-template",
    ),
    Flag(
        name="target-net-filter",
        kind=CIDR,
        default=(),
        repeatable=True,
        help="publish only targets inside this network",
    ),
    Flag(
        name="exclude-target-net",
        kind=CIDR,
        default=(),
        repeatable=True,
        help="never publish targets inside this network",
    ),
    Flag(
        name="min-ttl",
        kind=TIME,
        default=0.0,
        help="TTL of records whose object sets none, in whole seconds; 0s uses the provider's default",
    ),
    Flag(
        name="prefer-alias",
        kind=BOOLEAN,
        default=False,
        help="request an alias in place of each CNAME whose object does not set the property alias itself",
    ),
    Flag(
        name="merge-across-namespaces",
        kind=BOOLEAN,
        default=False,
        reference_default=True,
        help="merge the targets of objects in several namespaces that request one name",
    ),
    Flag(
        name="default-targets",
        kind=make_text_kind("TARGET"),
        default=(),
        repeatable=True,
        help="target of records for which the object provides none",
    ),
    Flag(
        name="force-default-targets",
        kind=BOOLEAN,
        default=False,
        help="let --default-targets replace every target",
    ),
    Flag(
        name="nat64-networks",
        kind=make_text_kind("CIDR"),
        default=(),
        repeatable=True,
        help="NAT64 network (IPv6, /96); each AAAA target in it also gives an A record with the embedded IPv4 address",
    ),
    Flag(
        name="create-ptr",
        kind=BOOLEAN,
        default=False,
        help="publish a PTR record for each address; PTR must be among --managed-record-types",
    ),
)


SERVICE_TYPE: Final = make_choice_kind("a type of Service", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName")

SERVICE_FLAGS: Final = (
    Flag(
        name="service-type-filter",
        kind=make_text_kind("TYPE"),  # `validation` checks it, and only if Services are read
        default=(),
        repeatable=True,
        sources=("service",),
        help="read only Services of this type: ClusterIP, NodePort, LoadBalancer or ExternalName",
    ),
    Flag(
        name="publish-internal-services",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        help="publish the cluster addresses of ClusterIP Services",
    ),
    Flag(
        name="publish-host-ip",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        help="publish the addresses of the nodes of a headless Service's pods instead of those of the pods",
    ),
    Flag(
        name="always-publish-not-ready-addresses",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        help="publish addresses of headless Services also while their pods are not ready",
    ),
    Flag(
        name="exclude-unschedulable",
        kind=BOOLEAN,
        default=True,
        sources=("node", "service"),
        help="ignore unschedulable nodes",
    ),
    Flag(
        name="expose-internal-ipv6",
        kind=BOOLEAN,
        default=False,
        sources=("node", "service"),
        help="publish the internal IPv6 addresses of nodes too",
    ),
    Flag(
        name="listen-endpoint-events",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        support=Moot(notice="has no effect: changes of EndpointSlices are always handled"),
        help="act on changes of EndpointSlices",
    ),
    Flag(
        name="resolve-service-load-balancer-hostname",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        help="publish the addresses behind a load balancer's host names instead of a CNAME; while a host name cannot "
        "be resolved, the record stays as it is; with --compat it is written without the addresses of that name",
    ),
    Flag(
        name="compatibility",
        kind=make_choice_kind("a compatibility mode", "", "mate", "molecule", "kops-dns-controller", metavar="MODE"),
        sources=("pod", "service"),
        help="also read the annotations of this older tool",
    ),
)


_INGRESS: Final = ("ingress",)

INGRESS_FLAGS: Final = (
    Flag(
        name="ingress-class",
        kind=CLASS,
        default=(),
        repeatable=True,
        sources=_INGRESS,
        help="read only Ingresses of this class",
    ),
    Flag(
        name="ignore-ingress-rules-spec",
        kind=BOOLEAN,
        default=False,
        sources=_INGRESS,
        help="take no names from spec.rules",
    ),
    Flag(
        name="ignore-ingress-tls-spec",
        kind=BOOLEAN,
        default=False,
        sources=_INGRESS,
        help="take no names from spec.tls",
    ),
)


GATEWAY_FLAGS: Final = (
    Flag(
        name="gateway-name",
        kind=make_text_kind("NAME"),
        sources=GATEWAY_SOURCES,
        help="read only routes of Gateways with this name",
    ),
    Flag(
        name="gateway-namespace",
        kind=NAMESPACE,
        sources=GATEWAY_SOURCES,
        help="read only routes of Gateways in this namespace",
    ),
    Flag(
        name="gateway-label-filter",
        kind=make_text_kind("SELECTOR"),  # checked when a Gateway source is built, as in external-dns
        sources=GATEWAY_SOURCES,
        help="read only routes of Gateways whose labels match this selector",
    ),
    Flag(
        name="gateway-listener-sets",
        kind=BOOLEAN,
        default=False,
        sources=GATEWAY_SOURCES,
        help="read ListenerSets too",
    ),
)


OTHER_SOURCE_FLAGS: Final = (
    Flag(
        name="ignore-non-host-network-pods",
        kind=BOOLEAN,
        default=False,
        sources=("pod",),
        help="read only pods on the host's network",
    ),
    Flag(
        name="pod-source-domain",
        kind=DOMAIN,
        sources=("pod",),
        help="publish a name in this domain for every pod",
    ),
    Flag(
        name="crd-source-apiversion",
        kind=make_text_kind("GROUP/VERSION"),
        default="externaldns.k8s.io/v1alpha1",
        sources=("crd",),
        support=Moot(notice="has no effect: the source `crd` reads only DNSEndpoints of externaldns.k8s.io/v1alpha1"),
        help="API version of the objects that the source `crd` of external-dns reads",
    ),
    Flag(
        name="crd-source-kind",
        kind=make_text_kind("KIND"),
        default="DNSEndpoint",
        sources=("crd",),
        support=Moot(notice="has no effect: the source `crd` reads only DNSEndpoints of externaldns.k8s.io/v1alpha1"),
        help="kind of the objects that the source `crd` of external-dns reads",
    ),
    Flag(
        name="connector-source-server",
        kind=make_text_kind("HOST:PORT"),
        default="localhost:8080",
        sources=("connector",),
        support=ABSENT,
        help="server of the connector source",
    ),
    Flag(
        name="gloo-namespace",
        kind=NAMESPACE,
        default=("gloo-system",),
        repeatable=True,
        sources=("gloo-proxy",),
        help="namespace of the Gloo Proxies to read; --namespace does not apply",
    ),
    Flag(
        name="openshift-router-name",
        kind=make_text_kind("NAME"),
        sources=("openshift-route",),
        help="name of the OpenShift router whose host name becomes the target",
    ),
    Flag(
        name="skipper-routegroup-groupversion",
        kind=make_text_kind("GROUP/VERSION"),
        default="zalando.org/v1",
        sources=("skipper-routegroup",),
        help="API version of RouteGroups",
    ),
    Flag(
        name="traefik-enable-legacy",
        kind=BOOLEAN,
        default=False,
        sources=("traefik-proxy",),
        help="also read IngressRoutes of the older group traefik.containo.us",
    ),
    Flag(
        name="traefik-disable-new",
        kind=BOOLEAN,
        default=False,
        sources=("traefik-proxy",),
        help="do not read IngressRoutes of the group traefik.io",
    ),
    Flag(
        name="unstructured-resource",
        kind=make_text_kind("RESOURCE"),
        default=(),
        repeatable=True,
        sources=("unstructured",),
        help="resource to read, as resource.version.group",
    ),
)


_TEMPLATE: Final = make_text_kind("TEMPLATE")

TEMPLATE_FLAGS: Final = (
    Flag(
        name="fqdn-template",
        kind=_TEMPLATE,
        default=(),
        repeatable=True,
        help="Go template of the names to publish for objects without a hostname",
    ),
    Flag(
        name="target-template",
        kind=_TEMPLATE,
        default=(),
        repeatable=True,
        sources=("f5-transportserver", "f5-virtualserver", "gloo-proxy", "traefik-proxy", "unstructured"),
        help="Go template of targets",
    ),
    Flag(
        name="fqdn-target-template",
        kind=_TEMPLATE,
        default=(),
        repeatable=True,
        help="Go template of pairs, name:target",
    ),
    Flag(
        name="combine-fqdn-annotation",
        kind=BOOLEAN,
        default=False,
        help="use the templates also for objects with a hostname",
    ),
)
