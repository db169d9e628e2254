"""Sources that have a flag or two of their own."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import ABSENT, Flag, Moot
from extdns.flags.kind import BOOLEAN, text

FLAGS: Final = (
    Flag(
        name="ignore-non-host-network-pods",
        kind=BOOLEAN,
        default=False,
        sources=("pod",),
        help="read only pods on the host's network",
    ),
    Flag(
        name="pod-source-domain",
        kind=text("DOMAIN"),
        sources=("pod",),
        help="publish every pod under this domain",
    ),
    Flag(
        name="crd-source-apiversion",
        kind=text("GROUP/VERSION"),
        default="externaldns.k8s.io/v1alpha1",
        sources=("crd",),
        state=Moot(says="has no effect: DNSEndpoints of externaldns.k8s.io/v1alpha1 are read"),
        help="API version of the custom resource",
    ),
    Flag(
        name="crd-source-kind",
        kind=text("KIND"),
        default="DNSEndpoint",
        sources=("crd",),
        state=Moot(says="has no effect: DNSEndpoints of externaldns.k8s.io/v1alpha1 are read"),
        help="kind of the custom resource",
    ),
    Flag(
        name="connector-source-server",
        kind=text("HOST:PORT"),
        default="localhost:8080",
        sources=("connector",),
        state=ABSENT,
        help="server that the connector source asks",
    ),
    Flag(
        name="gloo-namespace",
        kind=text("NAME"),
        default=("gloo-system",),
        repeatable=True,
        sources=("gloo-proxy",),
        help="namespace where Proxies of Gloo are read, whatever --namespace says",
    ),
    Flag(
        name="openshift-router-name",
        kind=text("NAME"),
        sources=("openshift-route",),
        help="router whose host names are the targets",
    ),
    Flag(
        name="skipper-routegroup-groupversion",
        kind=text("GROUP/VERSION"),
        default="zalando.org/v1",
        sources=("skipper-routegroup",),
        help="API version of RouteGroups",
    ),
    Flag(
        name="traefik-enable-legacy",
        kind=BOOLEAN,
        default=False,
        sources=("traefik-proxy",),
        help="read traefik.containo.us, which needs --traefik-disable-new",
    ),
    Flag(
        name="traefik-disable-new",
        kind=BOOLEAN,
        default=False,
        sources=("traefik-proxy",),
        help="do not read traefik.io",
    ),
    Flag(
        name="unstructured-resource",
        kind=text("RESOURCE"),
        default=(),
        repeatable=True,
        sources=("unstructured",),
        help="resource to read, as resource.version.group",
    ),
)
