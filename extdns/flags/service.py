"""Services, and what they share with nodes and pods."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag, Moot
from extdns.flags.kind import BOOLEAN, choice, text

SERVICE_TYPE: Final = choice("a type of Service", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName")

FLAGS: Final = (
    Flag(
        name="service-type-filter",
        kind=text("TYPE"),  # of SERVICE_TYPE or empty, but only where Services are read: see validation
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
        help="publish the addresses of the hosts of a headless Service's pods",
    ),
    Flag(
        name="always-publish-not-ready-addresses",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        help="publish headless Services' addresses even while they are not ready",
    ),
    Flag(
        name="exclude-unschedulable",
        kind=BOOLEAN,
        default=True,
        sources=("node", "service"),
        help="leave out nodes that take no new pods",
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
        state=Moot(says="has no effect: changes of EndpointSlices are always acted on"),
        help="act on changes of EndpointSlices",
    ),
    Flag(
        name="resolve-service-load-balancer-hostname",
        kind=BOOLEAN,
        default=False,
        sources=("service",),
        help="publish the addresses behind a load balancer's host names instead of a CNAME; while DNS fails for one of "
        "them, the record stays as it is, with --compat it goes without that one",
    ),
    Flag(
        name="compatibility",
        kind=choice("a compatibility mode", "", "mate", "molecule", "kops-dns-controller", metavar="MODE"),
        sources=("pod", "service"),
        help="also read the annotations of this older tool",
    ),
)
