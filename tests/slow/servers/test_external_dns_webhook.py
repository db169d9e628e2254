"""external-dns as a webhook for extdns, with a strict Route 53 and Cloudflare, and with a real PowerDNS behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

import dns.name
import dns.query
import dns.rdatatype
import dns.update
import dns.xfr
import dns.zone
import pytest

from providers.rfc2136.client import build_key
from tests.external_dns import serve_webhook
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.route53.server import Route53
from tests.nameservers import HOST
from tests.objects import service
from tests.powerdns import API_KEY
from tests.program.installation import Installation
from tests.program.process import once
from tests.route53 import environ
from tests.updatable import KEY, start_clean

ZONE: Final = "example.org"
FOREIGN: Final = f"foreign.{ZONE} A 192.0.2.9"
BALANCER: Final = "web.eu-central-1.elb.amazonaws.com"
FILTER: Final = f"--domain-filter={ZONE}"

Read = Callable[[], set[str]]
"""Returns the records of `example.org`, each as its name, type, value and, if it has any, properties."""

Serve = Callable[[Path], AbstractContextManager[Read]]


@contextmanager
def serve_route53(folder: Path) -> Iterator[Read]:
    with Route53() as fake:
        zone_id = fake.add_zone(ZONE)
        foreign = {"Name": f"foreign.{ZONE}.", "Type": "A", "TTL": 300, "ResourceRecords": [{"Value": "192.0.2.9"}]}
        fake.put(zone_id, foreign)

        def read() -> set[str]:
            found = set()
            for one in fake.shown(zone_id):
                value = one["AliasTarget"]["DNSName"] if "AliasTarget" in one else one["ResourceRecords"][0]["Value"]
                more = f" {one['SetIdentifier']} {one['Weight']}" if "Weight" in one else ""
                found.add(f"{one['Name'].rstrip('.')} {one['Type']} {value}{more}")
            return found

        with serve_webhook(folder, "--provider=aws", FILTER, variables=environ(fake)):
            yield read


@contextmanager
def serve_cloudflare(folder: Path) -> Iterator[Read]:
    with Cloudflare() as fake:
        zone_id = fake.add_zone(ZONE)
        fake.put(zone_id, f"foreign.{ZONE}", "A", "192.0.2.9")

        def read() -> set[str]:
            return {
                f"{one['name']} {one['type']} {one['content']}{' proxied' if one['proxied'] else ''}"
                for one in fake.list_records(zone_id)
            }

        variables = {"CF_API_TOKEN": TOKEN, "CLOUDFLARE_BASE_URL": fake.url}
        with serve_webhook(folder, "--provider=cloudflare", FILTER, variables=variables):
            yield read


@contextmanager
def serve_powerdns(folder: Path) -> Iterator[Read]:
    server = start_clean("pdns_server")
    message = dns.update.UpdateMessage(ZONE, keyring=build_key(KEY))
    message.add("foreign", 300, "A", "192.0.2.9")
    server.update(message)

    def read() -> set[str]:
        zone = dns.zone.Zone(ZONE, relativize=False)
        query, _ = dns.xfr.make_query(zone, keyring=build_key(KEY))
        dns.query.inbound_xfr(HOST, zone, query, port=server.address.port)
        return {
            f"{name.to_text(omit_final_dot=True)} {dns.rdatatype.to_text(data.rdtype)} {data.to_text()}"
            for name, _, data in zone.iterate_rdatas()
            if name not in {zone.origin, dns.name.from_text(f"ns1.{ZONE}")}
        }

    flags = ("--provider=pdns", f"--pdns-server={server.http_address}", f"--pdns-api-key={API_KEY}")
    with serve_webhook(folder, *flags, FILTER, variables={}):
        yield read


def build_installation(folder: Path, *flags: str) -> Installation:
    return Installation(folder, dns_flags=["--provider=webhook", FILTER, *flags])


def build_ownership(name: str, rtype: str = "A") -> str:
    text = f'"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/{name}"'
    return f"{rtype.lower()}-{name}.{ZONE} TXT {text}"


def publish(installation: Installation, *objects: Mapping[str, object]) -> None:
    """Publish *objects* in one pass, after which nothing is left to do."""
    installation.replace_manifests(*objects)
    assert installation.run_once() == 0
    done = once("plan", *installation.flags())
    assert done.stdout.endswith("All records are already up to date.\n"), done


@pytest.mark.parametrize("serve", [serve_route53, serve_cloudflare, serve_powerdns], ids=["aws", "cloudflare", "pdns"])
def test_records_are_published_changed_and_removed_through_external_dns(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path) as read:
        installation = build_installation(tmp_path)
        for addresses in (
            {"web": "192.0.2.1", "old": "192.0.2.2"},
            {"web": "192.0.2.7", "old": "192.0.2.2"},
            {"web": "192.0.2.7"},
        ):
            publish(installation, *(service(name, address=address) for name, address in addresses.items()))
            records = {f"{name}.{ZONE} A {address}" for name, address in addresses.items()}
            assert read() == {FOREIGN, *records, *map(build_ownership, addresses)}


@pytest.mark.parametrize(
    ("serve", "prefix", "annotations", "expected"),
    [
        pytest.param(
            serve_route53,
            "aws/",
            {"set-identifier": "blue", "aws-weight": "7"},
            {f"web.{ZONE} A 192.0.2.1 blue 7", f"{build_ownership('web')} blue 7"},
            id="weight",
        ),
        pytest.param(
            serve_route53,
            "",
            {"target": BALANCER, "alias": "true"},
            {
                *(f"web.{ZONE} {rtype} {BALANCER}." for rtype in ("A", "AAAA")),
                *(build_ownership("web", rtype) for rtype in ("A", "AAAA")),
            },
            id="alias",
        ),
        pytest.param(
            serve_cloudflare,
            "external-dns.kubernetes.io/",
            {"cloudflare-proxied": "true"},
            {f"web.{ZONE} A 192.0.2.1 proxied", build_ownership("web")},
            id="proxied",
        ),
    ],
)
def test_external_dns_gets_the_properties_of_its_provider_and_set_identifiers(
    serve: Serve, prefix: str, annotations: Mapping[str, str], expected: set[str], tmp_path: Path
) -> None:
    flags = [f"--webhook-provider-properties={prefix}"] if prefix else []
    with serve(tmp_path) as read:
        installation = build_installation(tmp_path, *flags)
        publish(installation, service("web"))
        publish(installation, service("web", annotations=annotations))
        assert read() == {FOREIGN, *expected}
        publish(installation, service("web"))
        assert read() == {FOREIGN, f"web.{ZONE} A 192.0.2.1", build_ownership("web")}
