"""Providers that extdns knows by name only."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import BOOLEAN, NUMBER, choice, text

_alibaba = partial(Flag, providers=("alibabacloud",), state=ABSENT)
_coredns = partial(Flag, providers=("coredns", "skydns"), state=ABSENT)
_exoscale = partial(Flag, providers=("exoscale",), state=ABSENT)
_godaddy = partial(Flag, providers=("godaddy",), state=ABSENT)
_ns1 = partial(Flag, providers=("ns1",), state=ABSENT)
_oci = partial(Flag, providers=("oci",), state=ABSENT)
_ovh = partial(Flag, providers=("ovh",), state=ABSENT)
_pdns = partial(Flag, providers=("pdns",), state=ABSENT)
_pihole = partial(Flag, providers=("pihole",), state=ABSENT)
_tls = partial(Flag, providers=("pdns", "rfc2136"), state=ABSENT)

FLAGS: Final = (
    _alibaba(
        name="alibaba-cloud-config-file",
        kind=text("PATH"),
        default="/etc/kubernetes/alibaba-cloud.json",
        help="configuration file with the credentials",
    ),
    _alibaba(
        name="alibaba-cloud-zone-type",
        kind=choice("a type of zone", "", "public", "private", metavar="TYPE"),
        help="manage only public or only private zones; empty is both",
    ),
    _coredns(name="coredns-prefix", kind=text("PATH"), default="/skydns/", help="where in etcd the records are"),
    _coredns(
        name="coredns-strictly-owned",
        kind=BOOLEAN,
        default=False,
        help="keep the owner in etcd and touch only our own records",
    ),
    _exoscale(name="exoscale-apienv", kind=text("NAME"), default="api", help="environment of the API"),
    _exoscale(name="exoscale-apizone", kind=text("NAME"), default="ch-gva-2", help="zone of the API"),
    _exoscale(name="exoscale-apikey", kind=text("KEY"), secret=True, help="API key"),
    _exoscale(name="exoscale-apisecret", kind=text("SECRET"), secret=True, help="API secret"),
    _exoscale(
        name="exoscale-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        help="how long the list of zones is kept",
    ),
    _godaddy(name="godaddy-api-key", kind=text("KEY"), secret=True, help="API key"),
    _godaddy(name="godaddy-api-secret", kind=text("SECRET"), secret=True, help="API secret"),
    _godaddy(name="godaddy-api-ttl", kind=NUMBER, default=0, help="TTL of records without one, in seconds"),
    _godaddy(name="godaddy-api-ote", kind=BOOLEAN, default=False, help="use the test environment"),
    _ns1(name="ns1-endpoint", kind=text("URL"), help="address of the API; empty is https://api.nsone.net/v1/"),
    _ns1(name="ns1-ignoressl", kind=BOOLEAN, default=False, help="do not check the server's certificate"),
    _ns1(name="ns1-min-ttl", kind=NUMBER, default=0, help="least TTL of records, in seconds"),
    _oci(
        name="oci-config-file",
        kind=text("PATH"),
        default="/etc/kubernetes/oci.yaml",
        help="configuration file with the credentials",
    ),
    _oci(name="oci-compartment-ocid", kind=text("OCID"), help="compartment of the zones"),
    _oci(
        name="oci-zone-scope",
        kind=choice("a scope", "", "GLOBAL", "PRIVATE", metavar="SCOPE"),
        default="GLOBAL",
        help="manage only global or only private zones; empty is both",
    ),
    _oci(
        name="oci-auth-instance-principal",
        kind=BOOLEAN,
        default=False,
        help="sign in as the instance that the process runs on",
    ),
    _oci(
        name="oci-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        help="how long the list of zones is kept",
    ),
    _ovh(name="ovh-endpoint", kind=text("NAME"), default="ovh-eu", help="endpoint of the API"),
    _ovh(name="ovh-api-rate-limit", kind=NUMBER, default=20, help="most API calls a second"),
    _ovh(
        name="ovh-enable-cname-relative",
        kind=BOOLEAN,
        default=False,
        help="write CNAME targets relative to the zone",
    ),
    _pdns(name="pdns-server", kind=text("URL"), default="http://localhost:8081", help="address of PowerDNS"),
    _pdns(name="pdns-server-id", kind=text("ID"), default="localhost", help="id of the server within PowerDNS"),
    _pdns(name="pdns-api-key", kind=text("KEY"), secret=True, help="API key"),
    _pdns(
        name="pdns-skip-tls-verify",
        kind=BOOLEAN,
        default=False,
        help="do not check the server's certificate",
    ),
    _tls(name="tls-ca", kind=text("PATH"), help="certificates of the authorities that are trusted"),
    _tls(name="tls-client-cert", kind=text("PATH"), help="certificate that is shown to the server"),
    _tls(name="tls-client-cert-key", kind=text("PATH"), help="key of --tls-client-cert"),
    _pihole(name="pihole-server", kind=text("URL"), help="address of Pi-hole"),
    _pihole(name="pihole-password", kind=text("PASSWORD"), secret=True, help="its password"),
    _pihole(
        name="pihole-tls-skip-verify",
        kind=BOOLEAN,
        default=False,
        help="do not check the server's certificate",
    ),
)
