"""The crd source and endpoints written out (spec sources 6.3)."""

from __future__ import annotations

import pytest

from extdns.model.claim import Claim, Withheld
from extdns.model.dnsendpoint import DnsEndpoint, DnsEndpointSpec, ProviderProperty, SpecEndpoint
from extdns.model.selector import parse_annotation_selector, parse_label_selector
from extdns.sources.crd import CrdSource
from extdns.sources.defaulttargets import DefaultTargets, grouped
from extdns.sources.refine import Refined, validated
from extdns.sources.selection import Selection
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import shown
from tests.unit.sources.samples import load_balancer, meta, ours, said, wanted

pytestmark = pytest.mark.usefixtures("cluster")


def dns_endpoint(*endpoints: SpecEndpoint | None, annotations: dict[str, str] | None = None) -> DnsEndpoint:
    return DnsEndpoint(metadata=meta("dns/x", annotations), spec=DnsEndpointSpec(endpoints=endpoints))


def claims(obj: DnsEndpoint, selection: Selection | None = None) -> tuple[Claim, ...]:
    source = CrdSource(selection=selection or Selection())
    return shown(Refined(source=source, stages=(validated,)), obj)


def endpoint(name: str, rtype: str, *targets: str) -> SpecEndpoint:
    return SpecEndpoint(dns_name=name, record_type=rtype, targets=targets)


def test_6_3_worked_example() -> None:
    found = claims(dns_endpoint(endpoint("m.test", "MX", "10 mail.test."), endpoint("a.test", "A", "192.0.2.1.")))
    assert said(found) == ["m.test MX - [10 mail.test]", "a.test invalid-endpoint"]
    (mx,) = wanted(found)
    assert (mx.endpoint.resource, mx.provenance.field) == ("crd/dns/x", "spec.endpoints[0]")
    (kept,) = (claim for claim in found if isinstance(claim, Withheld))
    assert kept.type == "A"
    assert kept.detail == "spec.endpoints[1]: '192.0.2.1.' is not valid; allowed: 192.0.2.1, without a dot at its end"


@pytest.mark.parametrize(
    ("rtype", "targets", "expected"),
    [
        pytest.param("A", ["192.0.2.2", "192.0.2.1"], "A - [192.0.2.1, 192.0.2.2]", id="6.3-a"),
        pytest.param("AAAA", ["2001:DB8::1"], "AAAA - [2001:db8::1]", id="6.3-aaaa"),
        pytest.param("CNAME", ["x.t."], "CNAME - [x.t]", id="6.3-cname-with-a-dot"),
        pytest.param("DNAME", ["x.t"], "DNAME - [x.t]", id="6.3-dname"),
        pytest.param("TXT", ['"v=spf1 -all"'], 'TXT - ["v=spf1 -all"]', id="6.3-txt-as-written"),
        pytest.param("NS", ["ns1.t"], "NS - [ns1.t]", id="6.3-ns"),
        pytest.param("NS", ["ns1.t."], "invalid-endpoint", id="6.3-ns-with-a-dot"),
        pytest.param("SRV", ["10 20 5060 sip.t."], "SRV - [10 20 5060 sip.t.]", id="6.3-srv"),
        pytest.param("SRV", ["10 20 5060 sip.t"], "invalid-endpoint", id="1.6-srv-without-a-dot"),
        pytest.param("MX", ["mail.t"], "invalid-endpoint", id="1.6-mx-without-preference"),
        pytest.param("NAPTR", ['1 1 "u" "x" "y" .'], 'NAPTR - [1 1 "u" "x" "y" .]', id="6.3-naptr"),
        pytest.param("NAPTR", ['1 1 "u" "x" "y" z'], "invalid-endpoint", id="6.3-naptr-without-a-dot"),
        pytest.param("A", ["192.0.2.1", "x.t"], "invalid-endpoint", id="1.6-one-bad-target-spoils-all"),
        pytest.param("A", ["192.0.2.1", ""], "A - [192.0.2.1]", id="deviation-1-empty-target"),
        pytest.param("A", [], "unsupported", id="6.3-no-target-and-no-default"),
        pytest.param("PTR", [], "invalid-endpoint", id="1.6-ptr-without-target"),
        pytest.param("CNAME", [], "invalid-endpoint", id="1.5-cname-without-target"),
    ],
)
def test_6_3_types(rtype: str, targets: list[str], expected: str) -> None:
    assert said(claims(dns_endpoint(endpoint("a.t", rtype, *targets)))) == [f"a.t {expected}"]


def test_6_3_default_targets_stand_in_for_addresses_but_not_for_a_cname() -> None:
    obj = dns_endpoint(endpoint("a.t", "A"), endpoint("c.t", "CNAME"), endpoint("b.t", "A", "192.0.2.1"))
    stages = (DefaultTargets(groups=grouped(["203.0.113.50", "lb.t"])), validated)
    found = shown(Refined(source=CrdSource(selection=Selection()), stages=stages), obj)
    assert said(found) == [
        "a.t A - [203.0.113.50]",
        "a.t CNAME - [lb.t]",
        "c.t invalid-endpoint",
        "b.t A - [192.0.2.1]",
    ]


@pytest.mark.parametrize(
    ("written", "force", "expected"),
    [
        pytest.param(endpoint("a.t", "PTR"), False, ["a.t A - [203.0.113.50]"], id="0.2-pointer-outside-reverse-zones"),
        pytest.param(endpoint("a.t", "MX", "x"), False, ["a.t invalid-endpoint"], id="1.6-has-a-target-of-its-own"),
        pytest.param(endpoint("a.t", "MX", "x"), True, ["a.t A - [203.0.113.50]"], id="8.2-force-comes-before-1.6"),
        pytest.param(endpoint("a.t", "NS", "x."), True, ["a.t invalid-endpoint"], id="6.3-dots-come-before-8.2"),
        pytest.param(
            endpoint("a.t", ""), False, ["a.t A - [203.0.113.50]"], id="8.2-type-is-derived-where-there-is-none"
        ),
        pytest.param(endpoint("a.t", "", "x"), False, ["a.t invalid-endpoint"], id="8.2-not-where-there-is-a-target"),
        pytest.param(endpoint("a.t", "CAA", "x"), True, ["a.t A - [203.0.113.50]"], id="8.2-force-replaces-any-type"),
        pytest.param(endpoint("a.t", "", "x."), True, ["a.t invalid-endpoint"], id="6.3-no-type-and-a-dot"),
    ],
)
def test_0_2_endpoints_are_validated_behind_default_targets(
    written: SpecEndpoint, expected: list[str], *, force: bool
) -> None:
    stages = (DefaultTargets(groups=grouped(["203.0.113.50"]), force=force), validated)
    found = shown(Refined(source=CrdSource(selection=Selection()), stages=stages), dns_endpoint(written))
    assert said(found) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(endpoint("a..t", "A", "192.0.2.1"), "invalid-name a..t", id="name-that-is-none"),
        pytest.param(endpoint("", "A", "192.0.2.1"), "invalid-name ", id="no-name"),
        pytest.param(endpoint("a.t", "", "192.0.2.1"), "a.t invalid-endpoint", id="no-type"),
        pytest.param(endpoint("a.t", "", "192.0.2.1."), "a.t invalid-endpoint", id="no-type-and-a-dot"),
        pytest.param(endpoint("a.t", "a", "192.0.2.1"), "a.t invalid-endpoint", id="type-in-small-letters"),
        pytest.param(endpoint("a.t", "CAA", '0 issue "x"'), "a.t invalid-endpoint", id="type-that-no-mark-can-prove"),
    ],
)
def test_an_endpoint_that_names_no_record_is_told_and_costs_no_other(written: SpecEndpoint, expected: str) -> None:
    found = claims(dns_endpoint(written, None, endpoint("b.t", "A", "192.0.2.2")))
    assert said(found) == [expected, "b.t A - [192.0.2.2]"]


def test_a_type_that_cannot_be_published_is_told_with_those_that_can() -> None:
    (kept,) = claims(dns_endpoint(endpoint("a.t", "CAA", '0 issue "x"')))
    assert isinstance(kept, Withheld)
    assert kept.detail == (
        "spec.endpoints[0]: 'CAA' is not valid; "
        "allowed: as record type A, AAAA, CNAME, NS, MX, PTR, SRV, NAPTR, TXT, DNAME"
    )


def test_6_3_pointers_stand_in_reverse_zones() -> None:
    found = claims(dns_endpoint(endpoint("7.2.0.192.in-addr.arpa", "PTR", "a.t"), endpoint("a.t", "PTR", "b.t")))
    assert said(found) == ["7.2.0.192.in-addr.arpa PTR - [a.t]", "a.t invalid-endpoint"]


def test_6_3_all_fields_are_kept() -> None:
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
    (found,) = wanted(claims(dns_endpoint(written)))
    assert said([found]) == ["a.t A 120 [192.0.2.1]"]
    assert found.set_identifier == "one"
    assert dict(found.endpoint.labels) == {"extra": "v1", "resource": "crd/dns/x"}
    assert dict(found.endpoint.properties) == {"aws/weight": "5"}


@pytest.mark.parametrize("seconds", [-1, 2**31])
def test_a_ttl_out_of_range_is_told_and_not_taken(seconds: int) -> None:
    written = SpecEndpoint(dns_name="a.t", record_type="A", targets=("192.0.2.1",), record_ttl=seconds)
    (found,) = wanted(claims(dns_endpoint(written)))
    assert said([found]) == ["a.t A - [192.0.2.1]"]
    assert [(notice.field, notice.value) for notice in found.notices] == [("spec.endpoints[0].recordTTL", str(seconds))]


def test_1_6_alias_on_other_types_is_invalid() -> None:
    alias = (ProviderProperty(name="alias", value="false"),)
    written = SpecEndpoint(dns_name="a.t", record_type="TXT", targets=('"x"',), provider_specific=alias)
    assert said(claims(dns_endpoint(written))) == ["a.t invalid-endpoint"]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        pytest.param(Selection(), ["a.t A - [192.0.2.1]"], id="6.3-controller-and-ttl-are-not-read"),
        pytest.param(Selection(namespace="shop"), ["all by --namespace"], id="6.3-namespace"),
        pytest.param(
            Selection(label_filter=parse_label_selector("x")), ["all by --label-filter"], id="6.3-label-filter"
        ),
        pytest.param(
            Selection(annotation_filter=parse_annotation_selector("x")),
            ["all by --annotation-filter"],
            id="6.3-annotation-filter",
        ),
    ],
)
def test_6_3_filters(selection: Selection, expected: list[str]) -> None:
    annotations = ours(controller="other", ttl="60", hostname="h.t")
    obj = dns_endpoint(endpoint("a.t", "A", "192.0.2.1"), annotations=annotations)
    assert said(claims(obj, selection)) == expected


def test_a_dns_endpoint_may_be_empty_or_say_things_twice() -> None:
    assert claims(DnsEndpoint(metadata=meta("dns/x"))) == ()
    twice = [endpoint("a.t", "A", "192.0.2.1")] * 2
    assert [claim.provenance.field for claim in wanted(claims(dns_endpoint(*twice)))] == [
        "spec.endpoints[0]",
        "spec.endpoints[1]",
    ]


def test_other_objects_are_a_defect() -> None:
    with pytest.raises(TypeError, match="DNSEndpoints only"):
        CrdSource(selection=Selection()).claims(load_balancer(None), FakeView())
