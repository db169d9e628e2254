"""Flags of the providers that external-dns has and this version does not."""

from __future__ import annotations

from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import BOOLEAN, NUMBER, URL, make_choice_kind, make_text_kind

_azure = partial(Flag, providers=("azure", "azure-dns", "azure-private-dns"), support=ABSENT)

AZURE_FLAGS: Final = (
    _azure(
        name="azure-config-file",
        kind=make_text_kind("PATH"),
        default="/etc/kubernetes/azure.json",
        help="configuration file with the credentials",
    ),
    _azure(
        name="azure-resource-group",
        kind=make_text_kind("NAME"),
        help="resource group; overrides the configuration file",
    ),
    _azure(
        name="azure-subscription-id", kind=make_text_kind("ID"), help="subscription; overrides the configuration file"
    ),
    _azure(
        name="azure-user-assigned-identity-client-id",
        kind=make_text_kind("ID"),
        help="client id of the user-assigned identity; overrides the configuration file",
    ),
    _azure(
        name="azure-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        help="how long the list of zones is cached",
    ),
    _azure(
        name="azure-maxretries-count",
        kind=NUMBER,
        default=3,
        help="maximum of retries of one API call; below 0 is none",
    ),
)


_cloudflare = partial(Flag, providers=("cloudflare",), support=ABSENT)

CLOUDFLARE_FLAGS: Final = (
    _cloudflare(
        name="cloudflare-proxied",
        kind=BOOLEAN,
        default=False,
        help="proxy records unless an annotation overrides it",
    ),
    _cloudflare(
        name="cloudflare-custom-hostnames",
        kind=BOOLEAN,
        default=False,
        help="manage custom hostnames (Cloudflare for SaaS)",
    ),
    _cloudflare(
        name="cloudflare-custom-hostnames-min-tls-version",
        kind=make_choice_kind("a TLS version", "1.0", "1.1", "1.2", "1.3", metavar="VERSION"),
        default="1.0",
        help="minimum TLS version of custom hostnames",
    ),
    _cloudflare(
        name="cloudflare-custom-hostnames-certificate-authority",
        kind=make_choice_kind("a certificate authority", "google", "ssl_com", "lets_encrypt", "none"),
        default="none",
        help="certificate authority of custom hostnames",
    ),
    _cloudflare(name="cloudflare-dns-records-per-page", kind=NUMBER, default=100, help="records read with one request"),
    _cloudflare(
        name="cloudflare-regional-services",
        kind=BOOLEAN,
        default=False,
        help="manage the regions of records",
    ),
    _cloudflare(
        name="cloudflare-region-key", kind=make_text_kind("KEY"), help="region of records without one of their own"
    ),
    _cloudflare(
        name="cloudflare-record-comment", kind=make_text_kind(), help="comment of records without one of their own"
    ),
    _cloudflare(name="batch-change-size", kind=NUMBER, default=200, help="maximum of changes in one request"),
    _cloudflare(name="batch-change-interval", kind=DURATION, default=1.0, help="pause between two requests"),
)


_alibaba = partial(Flag, providers=("alibabacloud",), support=ABSENT)
_coredns = partial(Flag, providers=("coredns", "skydns"), support=ABSENT)
_exoscale = partial(Flag, providers=("exoscale",), support=ABSENT)
_godaddy = partial(Flag, providers=("godaddy",), support=ABSENT)
_ns1 = partial(Flag, providers=("ns1",), support=ABSENT)
_oci = partial(Flag, providers=("oci",), support=ABSENT)
_ovh = partial(Flag, providers=("ovh",), support=ABSENT)
_pdns = partial(Flag, providers=("pdns",), support=ABSENT)
_pihole = partial(Flag, providers=("pihole",), support=ABSENT)

OTHER_PROVIDER_FLAGS: Final = (
    _alibaba(
        name="alibaba-cloud-config-file",
        kind=make_text_kind("PATH"),
        default="/etc/kubernetes/alibaba-cloud.json",
        help="configuration file with the credentials",
    ),
    _alibaba(
        name="alibaba-cloud-zone-type",
        kind=make_choice_kind("a type of zone", "", "public", "private", metavar="TYPE"),
        help="manage only public or only private zones; empty is both",
    ),
    _coredns(
        name="coredns-prefix",
        kind=make_text_kind("PATH"),
        default="/skydns/",
        help="prefix of the keys of records in etcd",
    ),
    _coredns(
        name="coredns-strictly-owned",
        kind=BOOLEAN,
        default=False,
        help="keep the owner in etcd and touch only our own records",
    ),
    _exoscale(name="exoscale-apienv", kind=make_text_kind("NAME"), default="api", help="environment of the API"),
    _exoscale(name="exoscale-apizone", kind=make_text_kind("NAME"), default="ch-gva-2", help="zone of the API"),
    _exoscale(name="exoscale-apikey", kind=make_text_kind("KEY"), secret=True, help="API key"),
    _exoscale(name="exoscale-apisecret", kind=make_text_kind("SECRET"), secret=True, help="API secret"),
    _exoscale(
        name="exoscale-zones-cache-duration",
        kind=DURATION,
        default=0.0,
        help="how long the list of zones is cached",
    ),
    _godaddy(name="godaddy-api-key", kind=make_text_kind("KEY"), secret=True, help="API key"),
    _godaddy(name="godaddy-api-secret", kind=make_text_kind("SECRET"), secret=True, help="API secret"),
    _godaddy(name="godaddy-api-ttl", kind=NUMBER, default=0, help="TTL of records without one, in seconds"),
    _godaddy(name="godaddy-api-ote", kind=BOOLEAN, default=False, help="use the test environment"),
    _ns1(name="ns1-endpoint", kind=URL, help="address of the API; empty is https://api.nsone.net/v1/"),
    _ns1(name="ns1-ignoressl", kind=BOOLEAN, default=False, help="do not check the server's certificate"),
    _ns1(name="ns1-min-ttl", kind=NUMBER, default=0, help="minimum TTL of records, in seconds"),
    _oci(
        name="oci-config-file",
        kind=make_text_kind("PATH"),
        default="/etc/kubernetes/oci.yaml",
        help="configuration file with the credentials",
    ),
    _oci(name="oci-compartment-ocid", kind=make_text_kind("OCID"), help="compartment of the zones"),
    _oci(
        name="oci-zone-scope",
        kind=make_choice_kind("a scope", "", "GLOBAL", "PRIVATE", metavar="SCOPE"),
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
        help="how long the list of zones is cached",
    ),
    _ovh(name="ovh-endpoint", kind=make_text_kind("NAME"), default="ovh-eu", help="endpoint of the API"),
    _ovh(name="ovh-api-rate-limit", kind=NUMBER, default=20, help="maximum of API calls a second"),
    _ovh(
        name="ovh-enable-cname-relative",
        kind=BOOLEAN,
        default=False,
        help="write CNAME targets relative to the zone",
    ),
    _pdns(name="pdns-server", kind=URL, default="http://localhost:8081", help="address of PowerDNS"),
    _pdns(
        name="pdns-server-id", kind=make_text_kind("ID"), default="localhost", help="id of the server within PowerDNS"
    ),
    _pdns(name="pdns-api-key", kind=make_text_kind("KEY"), secret=True, help="API key"),
    _pdns(
        name="pdns-skip-tls-verify",
        kind=BOOLEAN,
        default=False,
        help="do not check the server's certificate",
    ),
    _pihole(name="pihole-server", kind=URL, help="address of Pi-hole"),
    _pihole(name="pihole-password", kind=make_text_kind("PASSWORD"), secret=True, help="password of Pi-hole"),
    _pihole(
        name="pihole-tls-skip-verify",
        kind=BOOLEAN,
        default=False,
        help="do not check the server's certificate",
    ),
)
