"""Which kinds of object are read, and what holds for all of them."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag
from extdns.flags.kind import BOOLEAN, Kind, choice, text
from extdns.flags.selector import ANNOTATION_SELECTOR, LABEL_SELECTOR
from extdns.model.selector import EVERYTHING

GATEWAY_SOURCES: Final = (
    "gateway-grpcroute",
    "gateway-httproute",
    "gateway-tcproute",
    "gateway-tlsroute",
    "gateway-udproute",
)
SOURCES: Final = (
    "ambassador-host",
    "connector",
    "contour-httpproxy",
    "crd",
    "empty",
    "f5-transportserver",
    "f5-virtualserver",
    "fake",
    *GATEWAY_SOURCES,
    "gloo-proxy",
    "ingress",
    "istio-gateway",
    "istio-virtualservice",
    "kong-tcpingress",
    "node",
    "openshift-route",
    "pod",
    "service",
    "skipper-routegroup",
    "traefik-proxy",
    "unstructured",
)
REFERENCE_PREFIX: Final = "external-dns.kubernetes.io/"


def _read_prefix(written: str) -> str:
    if not written.endswith("/"):
        raise ValueError
    return written


PREFIX: Final[Kind[str]] = Kind(
    noun="an annotation prefix",
    metavar="PREFIX/",
    allowed="a text that ends in /",
    read=_read_prefix,
    write=str,
    suggest=lambda written: f"{written}/" if written else REFERENCE_PREFIX,
)

FLAGS: Final = (
    Flag(
        name="source",
        kind=choice("a source", *SOURCES),
        default=(),
        repeatable=True,
        help="kind of object that DNS names are read from; at least one must be given",
    ),
    Flag(
        name="annotation-filter",
        kind=ANNOTATION_SELECTOR,
        default=EVERYTHING,
        help="read only objects whose annotations match",
    ),
    Flag(
        name="annotation-prefix",
        kind=PREFIX,
        default=None,
        reference_default=REFERENCE_PREFIX,
        help=(
            "prefix of the annotations; when not given, external-dns.kubernetes.io/ and "
            "external-dns.alpha.kubernetes.io/ are both read"
        ),
    ),
    Flag(name="label-filter", kind=LABEL_SELECTOR, default=EVERYTHING, help="read only objects whose labels match"),
    Flag(
        name="ignore-hostname-annotation",
        kind=BOOLEAN,
        default=False,
        help="take names from --fqdn-template alone, not from the hostname annotation",
    ),
    Flag(
        name="target-net-filter",
        kind=text("CIDR"),
        default=(),
        repeatable=True,
        help="publish only targets inside this network",
    ),
    Flag(
        name="exclude-target-net",
        kind=text("CIDR"),
        default=(),
        repeatable=True,
        help="never publish targets inside this network",
    ),
    Flag(
        name="min-ttl",
        kind=DURATION,
        default=0.0,
        help="TTL of records whose object sets none, in whole seconds; 0s leaves it to the provider",
    ),
    Flag(
        name="prefer-alias",
        kind=BOOLEAN,
        default=False,
        help="ask the provider for an alias wherever a CNAME is wanted",
    ),
    Flag(
        name="merge-across-namespaces",
        kind=BOOLEAN,
        default=False,
        reference_default=True,
        help="merge the targets of objects from several namespaces that ask for one name",
    ),
    Flag(
        name="default-targets",
        kind=text("TARGET"),
        default=(),
        repeatable=True,
        help="target of records that have none of their own",
    ),
    Flag(
        name="force-default-targets",
        kind=BOOLEAN,
        default=False,
        help="let --default-targets replace every target",
    ),
    Flag(
        name="nat64-networks",
        kind=text("CIDR"),
        default=(),
        repeatable=True,
        help="IPv6 /96 network whose addresses also get the A record they embed",
    ),
    Flag(
        name="create-ptr",
        kind=BOOLEAN,
        default=False,
        help="publish a PTR record for each address; PTR must be among --managed-record-types",
    ),
)
