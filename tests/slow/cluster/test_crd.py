"""The DNSEndpoint CRD in the real API server: what it rejects, what it stores and which columns it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from extdns.model.claim import Provenance, ResolvedClaim
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.resources.externaldns import DNS_ENDPOINT, DnsEndpoint, SpecEndpoint
from extdns.sources.common.claim_stages import validate_claim
from extdns.sources.common.endpoint_claims import build_endpoint_claim
from tests.fakes.apiserver.raw_client import Reply
from tests.kubernetes.cluster import Cluster
from tests.program.process import once

Json = dict[str, Any]

PATH: Final = "/apis/externaldns.k8s.io/v1alpha1/namespaces/dns/dnsendpoints"
AT: Final = Provenance(source="crd", ref=ObjectRef(key=ObjectKey(DNS_ENDPOINT, "dns", "x")), field="spec.endpoints[0]")


@pytest.fixture
def dns(any_version: Cluster) -> Cluster:
    any_version.create_namespace("dns")
    return any_version


CONDITION: Final = {
    "type": "Ready",
    "status": "False",
    "reason": "no-zone",
    "message": "a.acme.test lies in no zone",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


def dns_endpoint(name: str, *endpoints: Json | None, **metadata: object) -> Json:
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {"name": name, "namespace": "dns", **metadata},
        "spec": {"endpoints": list(endpoints)},
    }


def create(dns: Cluster, *endpoints: Json | None) -> Reply:
    """Try to create a DNSEndpoint with *endpoints* as a dry run, so that nothing is stored."""
    return dns.raw_client.send("POST", f"{PATH}?dryRun=All", dns_endpoint("x", *endpoints))


def endpoint(rtype: str, *targets: str, **more: object) -> Json:
    return {"dnsName": "a.acme.test", "recordType": rtype, "targets": list(targets), **more}


GOOD: Final = [
    pytest.param(endpoint("A", "192.0.2.1", "192.0.2.2", recordTTL=120), id="a"),
    pytest.param(endpoint("AAAA", "2001:db8::1"), id="aaaa"),
    pytest.param(endpoint("A", "lb.test", providerSpecific=[{"name": "alias", "value": "true"}]), id="a-as-alias"),
    pytest.param(endpoint("CNAME", "x.test."), id="cname-with-a-dot"),
    pytest.param(endpoint("CNAME", "x.test", providerSpecific=[{"name": "alias", "value": "true"}]), id="cname-alias"),
    pytest.param(endpoint("DNAME", "x.test"), id="dname"),
    pytest.param(endpoint("TXT", '"v=spf1 -all"', '"more"'), id="txt"),
    pytest.param(endpoint("MX", "10 mail.test", "20 mail2.test."), id="mx"),
    pytest.param(endpoint("NS", "ns1.test"), id="ns"),
    pytest.param(endpoint("SRV", "10 20 5060 sip.test."), id="srv"),
    pytest.param(endpoint("NAPTR", '1 1 "u" "E2U+sip" "!^.*$!sip:i@t!" .'), id="naptr"),
    pytest.param(endpoint("A", "192.0.2.1", setIdentifier="x", labels={"a": "b", "owner": "c"}), id="other-fields"),
    pytest.param(endpoint("A", "192.0.2.1") | {"dnsName": "Bücher.test."}, id="name-in-unicode"),
]


@pytest.mark.parametrize("good", GOOD)
def test_the_crd_accepts_endpoints_that_extdns_can_publish(dns: Cluster, good: Json) -> None:
    reply = create(dns, good)
    assert reply.code == 201, reply.body
    assert isinstance(build_endpoint_claim(msgspec.convert(good, SpecEndpoint), AT), ResolvedClaim)


def test_the_crd_accepts_repeated_and_incomplete_endpoints_as_external_dns_does(dns: Cluster) -> None:
    same = endpoint("A", "192.0.2.1")
    for endpoints in ((same, same), (None, same), (endpoint("A"),), ({"dnsName": "a.test", "recordType": "A"},), ()):
        reply = create(dns, *endpoints)
        assert reply.code == 201, reply.body


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        pytest.param(endpoint("A", "192.0.2.1."), "must not end with a dot", id="6.3-a-with-a-dot"),
        pytest.param(endpoint("NS", "ns1.test", "ns2.test."), "must not end with a dot", id="6.3-ns-with-a-dot"),
        pytest.param(endpoint("NAPTR", '1 1 "u" "x" "y" z'), "must end with a dot", id="6.3-naptr-without-a-dot"),
        pytest.param(endpoint("SRV", "10 20 5060 sip.test"), "must end with a dot", id="1.6-srv-without-a-dot"),
        pytest.param(endpoint("CNAME"), "need a target", id="1.5-cname-without-target"),
        pytest.param(endpoint("CAA", '0 issue "x"'), "Unsupported value", id="type-that-is-not-published"),
        pytest.param({"targets": ["192.0.2.1"]}, "needs dnsName and recordType", id="neither-name-nor-type"),
        pytest.param(endpoint("A", "192.0.2.1") | {"dnsName": ""}, "should be at least 1 chars", id="empty-name"),
        pytest.param(endpoint("A", "192.0.2.1", recordTTL=2**31), "less than or equal to 2147483647", id="ttl"),
        pytest.param(
            endpoint("TXT", '"x"', providerSpecific=[{"name": "alias", "value": "false"}]),
            "alias is for A, AAAA and CNAME",
            id="1.6-alias-on-txt",
        ),
        pytest.param(
            endpoint("A", "192.0.2.1", providerSpecific=[{"name": "x", "value": "1"}, {"name": "x", "value": "2"}]),
            "Duplicate value",
            id="property-given-twice",
        ),
    ],
)
def test_the_crd_rejects_an_endpoint_that_cannot_be_published_and_says_why(dns: Cluster, bad: Json, says: str) -> None:
    reply = create(dns, endpoint("A", "192.0.2.9"), bad)
    assert reply.code == 422
    assert says in reply.body["message"]
    assert "spec.endpoints[1]" in reply.body["message"]
    claim = build_endpoint_claim(msgspec.convert(bad, SpecEndpoint), AT)
    if isinstance(claim, ResolvedClaim):
        (claim,) = validate_claim(claim)
    assert not isinstance(claim, ResolvedClaim) or claim.warnings or says == "Duplicate value"


def test_the_crd_drops_unknown_fields_and_keeps_known_ones(dns: Cluster) -> None:
    stored = dns.put(dns_endpoint("kept", endpoint("A", "192.0.2.1", recordTTL=60, colour="red")))
    assert stored["spec"]["endpoints"] == [endpoint("A", "192.0.2.1", recordTTL=60)]
    read = msgspec.convert(stored, DnsEndpoint)
    assert read.spec.endpoints == (msgspec.convert(stored["spec"]["endpoints"][0], SpecEndpoint),)


def test_writing_the_status_leaves_the_generation_unchanged_and_rejects_repeated_conditions(
    dns: Cluster,
) -> None:
    status = {"observedGeneration": 1, "conditions": [CONDITION], "endpoints": [{"dnsName": "a", "reason": "no-zone"}]}
    stored = dns.put({**dns_endpoint("told", endpoint("A", "192.0.2.1")), "status": status})
    assert (stored["status"], stored["metadata"]["generation"]) == (status, 1)
    twice = {**stored, "status": {"conditions": [CONDITION, CONDITION]}}
    assert dns.raw_client.send("PUT", f"{PATH}/told/status", twice).code == 422


def test_kubectl_get_prints_ready_reason_and_first_name_of_a_dnsendpoint_and_explain_its_fields(dns: Cluster) -> None:
    dns.put({**dns_endpoint("shown", endpoint("A", "192.0.2.1")), "status": {"conditions": [CONDITION]}})
    head, row = dns.kubectl("-n", "dns", "get", "dnsendpoint", "shown", "-o", "wide").splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "FIRST", "NAME", "AGE"]
    assert row.split()[:4] == ["shown", "False", "no-zone", "a.acme.test"]
    explained = dns.kubectl("explain", "dnsendpoint.spec.endpoints.recordTTL")
    assert "Seconds; 0 means the value of --min-ttl" in explained


def test_kubectl_wait_sees_that_a_dnsendpoint_of_two_field_managers_is_published(dns: Cluster, tmp_path: Path) -> None:
    where = [f"--kubeconfig={dns.kubeconfig(tmp_path / 'kubeconfig')}", "--metrics-address=127.0.0.1:0"]
    flags = ["--source=crd", "--provider=inmemory", "--inmemory-zone=acme.test", "--registry=noop", "--once"]

    def apply(manager: str, target: str, *more: str, code: int = 0) -> str:
        applied = dns_endpoint("web", endpoint("A", target), namespace="managed")
        by = ("--server-side", f"--field-manager={manager}", *more)
        return dns.kubectl("apply", *by, "-f", "-", stdin=json.dumps(applied), code=code)

    def wait_until_published() -> object:
        assert once(*flags, *where, "--namespace=managed").returncode == 0
        dns.kubectl("-n", "managed", "wait", "--for=condition=Ready", "dnsendpoint/web", "--timeout=60s")
        found = dns.get("DNSEndpoint", "managed", "web")
        assert found is not None
        return found["status"]["observedGeneration"]

    dns.create_namespace("managed")
    apply("one", "192.0.2.1")
    assert wait_until_published() == 1
    assert 'conflict with "one": .spec.endpoints' in apply("two", "192.0.2.2", code=1)
    apply("two", "192.0.2.2", "--force-conflicts")
    assert wait_until_published() == 2
    dns.delete("DNSEndpoint", "managed", "web")
