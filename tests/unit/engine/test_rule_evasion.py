"""A tenant cannot get around a rule: whatever its objects request, nothing outside its own names changes.

The namespace `tenant` may publish names below a.example.org only, wildcards not at all, and only addresses in
192.0.2.0/24, with a TTL of at least 60 s if it states one.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import Any, Final

import pytest

from extdns.model.dns_name import DnsName
from extdns.model.record import RecordKey
from extdns.model.zone import Zone
from extdns.rules.rule_input import RuleInput
from tests.builders import ZONE, owned, record
from tests.cluster_world import ClusterWorld, start_cluster
from tests.objects import Json, ingress, namespace, service
from tests.rules import FakeRule, FakeRules
from tests.swap import objects

TENANT, OWN = "tenant", DnsName("a.example.org")
REVERSE: Final = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
ALLOWED: Final = {str(address) for address in IPv4Network("192.0.2.0/24")}


def is_own(name: str) -> bool:
    return name == OWN or (name.endswith(f".{OWN}") and not name.startswith("*"))


def has_allowed_targets(targets: Sequence[str], rtype: str) -> bool:
    return rtype in {"A", "AAAA"} and ALLOWED.issuperset(targets)


def is_tenants(item: RuleInput) -> bool:
    return item.object is not None and item.object.namespace == TENANT


RULES: Final = FakeRules(
    (
        FakeRule(name="names", matches=is_tenants, allows=lambda item: is_own(item.record.name)),
        FakeRule(
            name="targets",
            matches=is_tenants,
            allows=lambda item: has_allowed_targets(item.record.targets, item.record.type),
        ),
        FakeRule(name="ttl", matches=is_tenants, allows=lambda item: item.record.ttl_s == 0 or item.record.ttl_s >= 60),
        FakeRule(name="simple", matches=is_tenants, allows=lambda item: not item.record.set_identifier),
        FakeRule(name="plain", matches=is_tenants, allows=lambda item: not item.record.properties.has("alias")),
    )
)
PLATFORM: Final = service("www", namespace="platform", address="192.0.2.80")
MINE: Final = service("app", "app.a.example.org", namespace=TENANT, address="192.0.2.81")
SEED: Final = (
    *owned("www", "192.0.2.80", resource="service/platform/www"),
    *owned("app.a", "192.0.2.81", resource="service/tenant/app"),
    record("foreign", "192.0.2.82"),
    record("mail", "10 mx.example.net", rtype="MX"),
)


def tenant_service(host: str, *, address: str = "192.0.2.66", **more: Any) -> Json:  # noqa: ANN401 - as `service`
    return service("evil", host, namespace=TENANT, address=address, **more)


def endpoint(name: str, rtype: str, *targets: str, **more: object) -> Json:
    """Return a DNSEndpoint of the tenant with one record; *more* are fields of the endpoint or `labels`."""
    return objects.dnsendpoint(f"{TENANT}/evil", objects.endpoint(name, rtype, *targets, **more))


def tenant_ingress(*hosts: str, **annotations: str) -> Json:
    made = ingress("evil", *hosts, namespace=TENANT, address="192.0.2.66")
    made["metadata"]["annotations"] = {f"external-dns.kubernetes.io/{key}": text for key, text in annotations.items()}
    return made


def tls_ingress(host: str) -> Json:
    made = tenant_ingress("ok.a.example.org")
    made["spec"]["tls"] = [{"hosts": [host]}]
    return made


HERITAGE: Final = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/tenant/evil"'
ALIAS: Final = [{"name": "alias", "value": "true"}]
WEIGHT: Final = [{"name": "aws/weight", "value": "255"}]

ATTEMPTS: Final[dict[str, list[Json]]] = {
    "another-name": [tenant_service("bank.example.org")],
    "upper-case": [tenant_service("BANK.Example.ORG")],
    "upper-case-of-an-existing-name": [tenant_service("WWW.EXAMPLE.ORG")],
    "trailing-dot": [tenant_service("bank.example.org.")],
    "two-trailing-dots": [tenant_service("bank.example.org..")],
    "ideographic-full-stop": [tenant_service("bank\u3002example\u3002org")],
    "full-width-letters": [tenant_service("\uff42\uff41\uff4e\uff4b.example.org")],
    "zero-width-joiner": [tenant_service("ba\u200dnk.example.org")],
    "soft-hyphen": [tenant_service("ba\u00adnk.example.org")],
    "a-label": [tenant_service("xn--bnk-3ya.example.org")],
    "own-domain-as-a-suffix-without-a-dot": [tenant_service("nota.example.org")],
    "own-domain-as-a-prefix": [tenant_service("a.example.org.example.org")],
    "own-domain-as-labels-in-the-middle": [tenant_service("a.bank.example.org")],
    "the-zone-itself": [tenant_service("example.org")],
    "wildcard": [tenant_service("*.example.org")],
    "wildcard-of-the-own-domain": [tenant_service("*.a.example.org")],
    "escaped-wildcard": [tenant_service("\\052.example.org")],
    "wildcard-in-the-middle": [tenant_service("x.*.example.org")],
    "leading-dot": [tenant_service(".bank.example.org")],
    "surrounding-spaces": [tenant_service("  bank.example.org  ")],
    "two-hostnames": [tenant_service("ok.a.example.org, bank.example.org")],
    "internal-hostname": [tenant_service("ok.a.example.org", annotations={"internal-hostname": "bank.example.org"})],
    "older-than-the-holder": [tenant_service("www.example.org", created="2001-01-01T00:00:00Z")],
    "foreign-name": [tenant_service("foreign.example.org")],
    "set-identifier": [
        tenant_service("www.example.org", annotations={"set-identifier": "x", "aws-weight": "255"}),
    ],
    "set-identifier-of-an-own-name": [
        tenant_service("ok.a.example.org", annotations={"set-identifier": "x", "aws-weight": "255"})
    ],
    "alias-annotation": [
        tenant_service("ok.a.example.org", address="lb.example.net", annotations={"alias": "true"}),
    ],
    "target-annotation": [tenant_service("ok.a.example.org", annotations={"target": "169.254.169.254"})],
    "mapped-address": [tenant_service("ok.a.example.org", annotations={"target": "::ffff:169.254.169.254"})],
    "hostname-as-target": [tenant_service("ok.a.example.org", address="www.example.org")],
    "one-bad-among-good-targets": [tenant_service("ok.a.example.org", annotations={"target": "192.0.2.1,10.0.0.1"})],
    "low-ttl": [tenant_service("ok.a.example.org", annotations={"ttl": "1"})],
    "pointer-record": [tenant_service("bank.example.org", annotations={"record-type": "ptr"})],
    "ingress-host": [tenant_ingress("bank.example.org")],
    "ingress-tls-host": [tls_ingress("bank.example.org")],
    "ingress-annotation": [tenant_ingress("ok.a.example.org", hostname="bank.example.org")],
    "endpoint-a": [endpoint("bank.example.org", "A", "192.0.2.66")],
    "endpoint-upper-case-with-dot": [endpoint("BANK.example.org.", "A", "192.0.2.66")],
    "endpoint-cname": [endpoint("www.example.org", "CNAME", "evil.example.net")],
    "endpoint-wildcard": [endpoint("*.example.org", "CNAME", "evil.example.net")],
    "endpoint-delegation": [endpoint("b.example.org", "NS", "ns.example.net")],
    "endpoint-delegation-of-the-own-domain": [endpoint("a.example.org", "NS", "ns.example.net")],
    "endpoint-mail": [endpoint("mail.example.org", "MX", "0 evil.example.net")],
    "endpoint-service-location": [endpoint("_sip._tcp.example.org", "SRV", "0 0 5060 evil.example.net.")],
    "endpoint-pointer": [endpoint("80.2.0.192.in-addr.arpa", "PTR", "www.example.org")],
    "ownership-record-of-a-foreign-name": [endpoint("a-foreign.example.org", "TXT", HERITAGE)],
    "ownership-record-of-another-name": [endpoint("a-www.example.org", "TXT", HERITAGE)],
    "ownership-text-at-an-own-name": [endpoint("x.a.example.org", "TXT", HERITAGE)],
    "labels-of-another-resource": [
        endpoint("www.example.org", "A", "192.0.2.66", labels={"resource": "service/platform/www", "owner": "me"})
    ],
    "labels-of-another-resource-at-an-own-name": [
        endpoint("ok.a.example.org", "A", "169.254.0.1", labels={"resource": "service/platform/www"})
    ],
    "alias-property": [endpoint("bank.example.org", "A", "www.example.org", providerSpecific=ALIAS)],
    "alias-property-of-an-own-name": [endpoint("ok.a.example.org", "A", "www.example.org", providerSpecific=ALIAS)],
    "provider-specific-weight": [
        endpoint("www.example.org", "A", "192.0.2.66", setIdentifier="x", providerSpecific=WEIGHT)
    ],
    "change-of-the-own-record-to-a-cname": [
        service("app", "app.a.example.org", namespace=TENANT, address="evil.example.net")
    ],
    "change-of-the-own-hostname": [service("app", "www.example.org", namespace=TENANT, address="192.0.2.66")],
}


def contents(world: ClusterWorld, zone: Zone = ZONE) -> dict[RecordKey, tuple[str, ...]]:
    return {key: found.targets for key, found in world.provider.contents(zone).items()}


def start(*flags: str, rules: FakeRules = RULES) -> ClusterWorld:
    return start_cluster(
        namespace("platform"),
        namespace(TENANT),
        PLATFORM,
        MINE,
        flags=["--txt-prefix=%{record_type}-", "--managed-record-types=A", *MORE_TYPES, *flags],
        zones={ZONE: SEED, REVERSE: ()},
        rules=rules,
    )


MORE_TYPES: Final = [f"--managed-record-types={rtype}" for rtype in ("AAAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT")]


def is_tenants_record(key: RecordKey) -> bool:
    """Return whether a record, or the ownership record of one, is at a name below the domain of the tenant."""
    return str(key.name).endswith("a.example.org") and str(key.name).endswith((".a.example.org", "-a.example.org"))


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_tenant_changes_only_its_own_allowed_records_and_hinders_no_other(attempt: str) -> None:
    world = start()
    before = contents(world)
    outside = {key: targets for key, targets in before.items() if not is_tenants_record(key)}
    world.apply(*ATTEMPTS[attempt], for_s=1800.0)
    after = contents(world)
    assert {key: targets for key, targets in after.items() if not is_tenants_record(key)} == outside
    assert contents(world, REVERSE) == {}
    for key, found in world.provider.contents(ZONE).items():
        if is_tenants_record(key) and key.type != "TXT":
            assert has_allowed_targets(found.targets, key.type), found
            assert found.ttl_s >= 60, found
            assert is_own(str(key.name)), found
            assert not key.set_identifier, found
    world.apply(service("www", namespace="platform", address="192.0.2.90"), for_s=60.0)
    assert world.list_records()["www A"] == ("192.0.2.90",)
    world.delete(PLATFORM, for_s=600.0)
    assert "www A" not in world.list_records()


def test_most_attempts_would_change_records_without_rules() -> None:
    assert sum(map(changes_something_without_rules, ATTEMPTS)) >= 35


def changes_something_without_rules(attempt: str) -> bool:
    world = start(rules=FakeRules(()))
    before = {zone: contents(world, zone) for zone in (ZONE, REVERSE)}
    world.apply(*ATTEMPTS[attempt], for_s=60.0)
    return before != {zone: contents(world, zone) for zone in (ZONE, REVERSE)}
