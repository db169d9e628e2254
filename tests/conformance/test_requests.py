"""What objects request, valid, nearly valid or hostile, is accepted by the DNS service, or has a reason.

Each text of a hostname, target or TTL comes in by each way: fields, annotations, status, templates, DNSEndpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extdns.model import rrtype
from extdns.model.change import Applied, Write
from extdns.model.claim import Claim, ExcludedClaim, InvalidClaim, ResolvedClaim, UnresolvedClaim, find_problems
from extdns.model.kind import Kind, KubernetesObject
from extdns.model.record import DesiredRecord
from extdns.resources.core import ServiceSpec
from extdns.resources.externaldns import DnsEndpoint, DnsEndpointSpec, SpecEndpoint
from extdns.resources.kinds import STRUCTS
from extdns.sources.common.claim_stages import Nat64Stage, parse_nat64_networks, validate_claim
from tests.conformance.provider import Rig, build_clouddns_rig, build_route53_rig, build_zonefile_rig
from tests.fakes.view import FakeView
from tests.strategies import hostnames, record_data, target_texts
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.routes import gateway, http, listener
from tests.unit.sources.samples import ingress, load_balancer, meta, ours, service

SERVICES: Final = {"zonefile": build_zonefile_rig, "route53": build_route53_rig, "clouddns": build_clouddns_rig}
STAGES: Final = (validate_claim, Nat64Stage(networks=parse_nat64_networks(["64:ff9b::/96"])))
ANNOTATED: Final = (
    *("contour-httpproxy", "ingress", "istio-gateway", "istio-virtualservice", "kong-tcpingress", "openshift-route"),
    *("pod", "service"),
)
TTLS: Final = st.sampled_from(("", "60", "10m", "-1", "1d", "99999999999"))
numbers = count()


def find_claims(source: str, obj: KubernetesObject, *others: KubernetesObject, pair: str = "") -> tuple[Claim, ...]:
    settings = settings_with(templates=templates(pairs=[pair] if pair else ()))
    built = build_source(source, settings, kind=None, stages=STAGES)
    return built.find_claims(keep_all_fields(obj), FakeView(*others, listed=STRUCTS))


def annotate(source: str) -> Callable[[str, str, str], tuple[Claim, ...]]:
    """Return a function that requests a hostname at a target by annotations of an object of *source*."""

    def request(host: str, target: str, ttl: str) -> tuple[Claim, ...]:
        kind: Kind = build_source(source).kind
        obj = STRUCTS[kind](metadata=meta("shop/web", ours(hostname=host, target=target, ttl=ttl)))
        return find_claims(source, obj)

    return request


WAYS: Final[dict[str, Callable[[str, str, str], tuple[Claim, ...]]]] = {
    **{f"annotations of {source}": annotate(source) for source in ANNOTATED},
    "externalName": lambda host, target, ttl: find_claims(
        "service", service(ours(hostname=host, ttl=ttl), ServiceSpec(type="ExternalName", external_name=target))
    ),
    "externalIPs": lambda host, target, ttl: find_claims(
        "service", service(ours(hostname=host, ttl=ttl), ServiceSpec(type="LoadBalancer", external_ips=(target,)))
    ),
    "status": lambda host, target, ttl: find_claims("service", load_balancer(ours(hostname=host, ttl=ttl), target)),
    "rules": lambda host, target, ttl: find_claims("ingress", ingress(target, rules=[host], annotations=ours(ttl=ttl))),
    "route": lambda host, target, ttl: find_claims(
        "gateway-httproute",
        http(host, annotations=ours(ttl=ttl)),
        gateway(listener(), addresses=[target]),
    ),
    "template": lambda host, target, _: find_claims(
        "service", service({}, ServiceSpec(type="ClusterIP")), pair=f"{host}:{target}".replace("{", "")
    ),
}


def request_endpoint(name: str, rtype: str, target: str, ttl: int = 0) -> tuple[Claim, ...]:
    endpoint = SpecEndpoint(dns_name=name, record_type=rtype, targets=(target,), record_ttl=ttl)
    obj = DnsEndpoint(metadata=meta("shop/x"), spec=DnsEndpointSpec(endpoints=(endpoint,)))
    return find_claims("crd", obj)


def list_records(claims: tuple[Claim, ...]) -> Iterator[DesiredRecord]:
    """Yield the requested records; check that everything else has a reason."""
    assert claims
    for claim in claims:
        match claim:
            case ResolvedClaim():
                if not any(problem.value == claim.name for problem in claim.warnings):  # would be managed if it existed
                    yield claim.desired
            case UnresolvedClaim():
                assert claim.detail
            case InvalidClaim():
                assert find_problems((claim,))
            case ExcludedClaim():
                assert claim.excluded_by


def submit(rig: Rig, desired: DesiredRecord) -> None:
    """Create *desired*, unless the provider refuses it with a reason."""
    adjusted = rig.reader.adjust((desired,), rig.zone)
    assert adjusted.accepted or all(refusal.detail for refusal in adjusted.refused)
    for record in adjusted.accepted:
        outcome = rig.submit(Write(old=None, new=record))
        assert isinstance(outcome, Applied), (record, outcome)


@pytest.fixture(scope="module", params=SERVICES)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with TemporaryDirectory() as folder:
        yield SERVICES[request.param](Path(folder))


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(hostnames(), target_texts(), TTLS), min_size=1, max_size=6))
def test_a_requested_address_or_name_is_accepted_by_the_dns_service_or_has_a_reason(
    rig: Rig, way: str, requests: list[tuple[str, str, str]]
) -> None:
    for host, target, ttl in requests:
        own = host.replace("example.org", f"n{next(numbers)}.example.org")
        claims = WAYS[way](own, target, ttl)
        if own.strip(" \t\n\0,") and target.strip(" ,"):
            for desired in list_records(claims):
                submit(rig, desired)


@pytest.mark.parametrize("rtype", rrtype.OWNABLE)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_record_of_a_dns_endpoint_is_accepted_by_the_dns_service_or_has_a_reason(
    rig: Rig, rtype: str, data: st.DataObject
) -> None:
    below = "2.0.192.in-addr.arpa" if rtype == rrtype.PTR else "example.org"
    for host, target in data.draw(st.lists(st.tuples(hostnames(below), record_data(rtype)), min_size=1, max_size=6)):
        own = host.replace("example.org", f"n{next(numbers)}.example.org")
        for desired in list_records(request_endpoint(own, rtype, target, ttl=60)):
            submit(rig, desired)
