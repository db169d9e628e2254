"""The crd source and endpoints written out (docs/spec/sources.md 6.3)."""

from __future__ import annotations

import pytest

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, UnresolvedClaim
from extdns.resources.externaldns import DnsEndpoint, DnsEndpointSpec, ProviderProperty, SpecEndpoint
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.claim_stages import DefaultTargetsStage, parse_default_targets, validate_claim
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import DEFAULTS, build_source
from tests.unit.sources.samples import endpoint_meta, list_resolved_claims, ours

pytestmark = pytest.mark.usefixtures("cluster")


def dns_endpoint(*endpoints: SpecEndpoint | None, annotations: dict[str, str] | None = None) -> DnsEndpoint:
    return DnsEndpoint(metadata=endpoint_meta("dns/x", annotations), spec=DnsEndpointSpec(endpoints=endpoints))


def claims(obj: DnsEndpoint, selection: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    return compute_claims(build_source("crd", selection, stages=(validate_claim,)), obj)


def endpoint(name: str, rtype: str, *targets: str) -> SpecEndpoint:
    return SpecEndpoint(dns_name=name, record_type=rtype, targets=targets)


# docs/spec/sources.md 6.3
@pytest.mark.parametrize(
    ("rtype", "targets", "expected"),
    [
        pytest.param("A", ["192.0.2.2", "192.0.2.1"], "a.t A 192.0.2.1, 192.0.2.2", id="6.3-a"),
        pytest.param("AAAA", ["2001:DB8::1"], "a.t AAAA 2001:db8::1", id="6.3-aaaa"),
        pytest.param("CNAME", ["x.t."], "a.t CNAME x.t", id="6.3-cname-with-a-dot"),
        pytest.param("DNAME", ["x.t"], "a.t DNAME x.t", id="6.3-dname"),
        pytest.param("TXT", ['"v=spf1 -all"'], 'a.t TXT "v=spf1 -all"', id="6.3-txt-as-written"),
        pytest.param("NS", ["ns1.t"], "a.t NS ns1.t", id="6.3-ns"),
        pytest.param("NS", ["ns1.t."], "a.t: invalid-endpoint", id="6.3-ns-with-a-dot"),
        pytest.param("SRV", ["10 20 5060 sip.t."], "a.t SRV 10 20 5060 sip.t.", id="6.3-srv"),
        pytest.param("SRV", ["10 20 5060 sip.t"], "a.t: invalid-endpoint", id="1.6-srv-without-a-dot"),
        pytest.param("MX", ["mail.t"], "a.t: invalid-endpoint", id="1.6-mx-without-preference"),
        pytest.param("NAPTR", ['1 1 "u" "x" "" .'], 'a.t NAPTR 1 1 "u" "x" "" .', id="6.3-naptr"),
        pytest.param("NAPTR", ['1 1 "u" "x" "y" z'], "a.t: invalid-endpoint", id="6.3-naptr-without-a-dot"),
        pytest.param(
            "A", ["192.0.2.1", "x.t"], "a.t: invalid-endpoint", id="1.6-one-invalid-target-makes-the-endpoint-invalid"
        ),
        pytest.param("A", ["192.0.2.1", ""], "a.t A 192.0.2.1", id="deviation-1-empty-target"),
        pytest.param("A", [], "a.t: unsupported", id="6.3-no-target-and-no-default"),
        pytest.param("PTR", [], "a.t: invalid-endpoint", id="1.6-ptr-without-target"),
        pytest.param("CNAME", [], "a.t: invalid-endpoint", id="1.5-cname-without-target"),
    ],
)
def test_each_record_type_of_a_dns_endpoint_has_its_own_rules_for_valid_targets(
    rtype: str, targets: list[str], expected: str
) -> None:
    assert reduce_claims(claims(dns_endpoint(endpoint("a.t", rtype, *targets)))) == [expected]


# docs/spec/sources.md 6.3
def test_default_targets_are_given_to_an_address_record_without_targets_but_not_to_a_cname() -> None:
    obj = dns_endpoint(endpoint("a.t", "A"), endpoint("c.t", "CNAME"), endpoint("b.t", "A", "192.0.2.1"))
    stages = (DefaultTargetsStage(groups=parse_default_targets(["203.0.113.50", "lb.t"])), validate_claim)
    found = compute_claims(build_source("crd", stages=stages), obj)
    assert reduce_claims(found) == ["a.t A 203.0.113.50", "a.t CNAME lb.t", "c.t: invalid-endpoint", "b.t A 192.0.2.1"]


# docs/spec/sources.md 0.2
@pytest.mark.parametrize(
    ("written", "force", "expected"),
    [
        pytest.param(
            endpoint("a.t", "PTR"), False, ["a.t A 203.0.113.50"], id="0.2-ptr-outside-reverse-zones-is-an-address"
        ),
        pytest.param(endpoint("a.t", "MX", "x"), False, ["a.t: invalid-endpoint"], id="1.6-has-a-target-of-its-own"),
        pytest.param(endpoint("a.t", "MX", "x"), True, ["a.t A 203.0.113.50"], id="8.2-force-comes-before-1.6"),
        pytest.param(endpoint("a.t", "NS", "x."), True, ["a.t: invalid-endpoint"], id="6.3-dots-come-before-8.2"),
        pytest.param(
            endpoint("a.t", ""), False, ["a.t A 203.0.113.50"], id="8.2-missing-type-is-derived-from-default-targets"
        ),
        pytest.param(
            endpoint("a.t", "", "x"),
            False,
            ["a.t: invalid-endpoint"],
            id="8.2-missing-type-is-not-derived-from-own-targets",
        ),
        pytest.param(endpoint("a.t", "CAA", "x"), True, ["a.t A 203.0.113.50"], id="8.2-force-replaces-any-type"),
        pytest.param(endpoint("a.t", "", "x."), True, ["a.t: invalid-endpoint"], id="6.3-no-type-and-a-dot"),
    ],
)
def test_endpoints_are_validated_after_default_targets_were_added(
    written: SpecEndpoint, expected: list[str], *, force: bool
) -> None:
    stages = (DefaultTargetsStage(groups=parse_default_targets(["203.0.113.50"]), force=force), validate_claim)
    found = compute_claims(build_source("crd", stages=stages), dns_endpoint(written))
    assert reduce_claims(found) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(endpoint("a..t", "A", "192.0.2.1"), "invalid-name: a..t", id="name-that-is-none"),
        pytest.param(endpoint("", "A", "192.0.2.1"), "invalid-name: ", id="no-name"),
        pytest.param(endpoint("a.t", "", "192.0.2.1"), "a.t: invalid-endpoint", id="no-type"),
        pytest.param(endpoint("a.t", "", "192.0.2.1."), "a.t: invalid-endpoint", id="no-type-and-a-dot"),
        pytest.param(endpoint("a.t", "a", "192.0.2.1"), "a.t: invalid-endpoint", id="type-in-small-letters"),
        pytest.param(
            endpoint("a.t", "CAA", '0 issue "x"'), "a.t: invalid-endpoint", id="type-without-ownership-record"
        ),
    ],
)
def test_an_invalid_endpoint_does_not_affect_the_other_endpoints_of_its_object(
    written: SpecEndpoint, expected: str
) -> None:
    found = claims(dns_endpoint(written, None, endpoint("b.t", "A", "192.0.2.2")))
    assert reduce_claims(found) == [expected, "b.t A 192.0.2.2"]


def test_the_problem_about_an_unsupported_record_type_lists_the_supported_types() -> None:
    (unresolved,) = claims(dns_endpoint(endpoint("a.t", "CAA", '0 issue "x"')))
    assert isinstance(unresolved, UnresolvedClaim)
    assert unresolved.detail == (
        "spec.endpoints[0]: 'CAA' is not valid; "
        "allowed: the record types A, AAAA, CNAME, NS, MX, PTR, SRV, NAPTR, TXT, DNAME"
    )


# docs/spec/sources.md 6.3
def test_a_ptr_record_must_have_a_reverse_name() -> None:
    found = claims(dns_endpoint(endpoint("7.2.0.192.in-addr.arpa", "PTR", "a.t"), endpoint("a.t", "PTR", "b.t")))
    assert reduce_claims(found) == ["7.2.0.192.in-addr.arpa PTR a.t", "a.t: invalid-endpoint"]


# docs/spec/sources.md 6.3
def test_all_fields_of_an_endpoint_are_used() -> None:
    written = SpecEndpoint(
        dns_name="A.t.",
        record_type="A",
        targets=("192.0.2.1",),
        record_ttl=120,
        set_identifier="one",
        labels={"owner": "somebody", "resource": "lie", "extra": "v1"},
        provider_specific=(
            ProviderProperty(name="aws/weight", value="5"),
            ProviderProperty(name="", value="x"),
            ProviderProperty(name="aws/weight", value="6"),  # the first one counts
        ),
    )
    (found,) = list_resolved_claims(claims(dns_endpoint(written)))
    assert reduce_claims([found]) == ["a.t 120 A 192.0.2.1"]
    assert found.set_identifier == "one"
    assert dict(found.desired.labels) == {"extra": "v1", "resource": "crd/dns/x"}
    assert dict(found.desired.properties) == {"aws/weight": "5"}


@pytest.mark.parametrize("seconds", [-1, 2**31])
def test_a_ttl_out_of_range_is_ignored_with_a_warning(seconds: int) -> None:
    written = SpecEndpoint(dns_name="a.t", record_type="A", targets=("192.0.2.1",), record_ttl=seconds)
    (found,) = list_resolved_claims(claims(dns_endpoint(written)))
    assert reduce_claims([found]) == ["a.t A 192.0.2.1"]
    assert [(warning.field, warning.value) for warning in found.warnings] == [
        ("spec.endpoints[0].recordTTL", str(seconds))
    ]


# docs/spec/sources.md 1.6
def test_an_alias_property_on_a_record_type_that_cannot_be_an_alias_is_invalid() -> None:
    alias = (ProviderProperty(name="alias", value="false"),)
    written = SpecEndpoint(dns_name="a.t", record_type="TXT", targets=('"x"',), provider_specific=alias)
    assert reduce_claims(claims(dns_endpoint(written))) == ["a.t: invalid-endpoint"]


# docs/spec/sources.md 6.3
def test_controller_ttl_and_hostname_annotations_of_dns_endpoints_are_not_read() -> None:
    annotations = ours(controller="other", ttl="60", hostname="h.t")
    obj = dns_endpoint(endpoint("a.t", "A", "192.0.2.1"), annotations=annotations)
    assert reduce_claims(claims(obj)) == ["a.t A 192.0.2.1"]


def test_a_dns_endpoint_can_be_empty_or_have_duplicates() -> None:
    assert claims(DnsEndpoint(metadata=endpoint_meta("dns/x"))) == ()
    twice = [endpoint("a.t", "A", "192.0.2.1")] * 2
    assert [claim.provenance.field for claim in list_resolved_claims(claims(dns_endpoint(*twice)))] == [
        "spec.endpoints[0]",
        "spec.endpoints[1]",
    ]


def test_a_wildcard_can_be_written_with_the_escape_of_route_53() -> None:
    assert reduce_claims(claims(dns_endpoint(endpoint(r"\052.acme.test", "A", "192.0.2.1")))) == [
        "*.acme.test A 192.0.2.1"
    ]


def test_a_dns_endpoint_with_too_many_endpoints_of_one_name_requests_nothing() -> None:
    many = [
        SpecEndpoint(dns_name="a.test", record_type="A", targets=("192.0.2.1",), set_identifier=f"{n}")
        for n in range(501)
    ]
    assert len(claims(dns_endpoint(*many[:500], endpoint("b.test", "A", "192.0.2.1")))) == 501
    with pytest.raises(ExtdnsError, match="501 endpoints have the name a"):
        claims(dns_endpoint(*many))


def test_a_dns_endpoint_with_too_many_invalid_endpoints_requests_nothing() -> None:
    valid, empty = endpoint("b.test", "A", "192.0.2.1"), SpecEndpoint()
    assert len(claims(dns_endpoint(valid, *[empty] * 1000))) == 1001
    with pytest.raises(ExtdnsError, match="more than 1000 invalid values"):
        claims(dns_endpoint(valid, *[empty] * 1001))
