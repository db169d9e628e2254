"""Claims of one object: merged, ordered, with their labels and notices (spec sources 1.5, 1.8)."""

from __future__ import annotations

from extdns.model.claim import Invalid, Notice, Withheld
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.sources.draft import Draft
from extdns.sources.targets import Found, LeftOut, Missing
from extdns.sources.terms import Terms
from tests.unit.sources.samples import said, wanted

REF = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
HOST = DnsName("a.t")
NOTICE = Notice(reason=Reason.INVALID_TTL, field="f", value="x", allowed="y")


def a(*targets: str) -> Found:
    return Found(groups=(("A", targets),))


def cname(*targets: str) -> Found:
    return Found(groups=(("CNAME", targets),))


def missing(reason: Reason = Reason.NO_ADDRESS) -> Missing:
    return Missing(reason=reason, detail="why")


def draft(terms: Terms | None = None) -> Draft:
    return Draft("service", REF, terms or Terms())


def test_1_5_targets_of_one_name_and_type_unite() -> None:
    one = draft()
    one.add(HOST, "first", a("10.0.0.2"))
    one.add(HOST, "second", a("10.0.0.10", "10.0.0.2"))
    one.add(HOST, "third", a("10.0.0.2"))
    assert said(one.claims()) == ["a.t A - [10.0.0.10, 10.0.0.2]"]
    assert wanted(one.claims())[0].provenance.field == "first"


def test_1_5_different_cname_targets_stay_apart() -> None:
    one = draft()
    for target in ("y.t", "x.t", "y.t"):
        one.add(HOST, "f", cname(target))
    assert said(one.claims()) == ["a.t CNAME - [x.t]", "a.t CNAME - [y.t]"]


def test_claims_come_wanted_withheld_filtered_invalid_each_by_name() -> None:
    one = draft()
    one.name("a..t", "f")
    for name in ("d.t", "c.t"):
        one.add(DnsName(name), "f", LeftOut(by="--flag"))
    for name in ("f.t", "e.t"):
        one.add(DnsName(name), "f", missing())
    for name in ("h.t", "g.t"):
        one.add(DnsName(name), "f", a("192.0.2.1"))
    assert said(one.claims()) == [
        "g.t A - [192.0.2.1]",
        "h.t A - [192.0.2.1]",
        "e.t no-address",
        "f.t no-address",
        "c.t by --flag",
        "d.t by --flag",
        "invalid-name a..t",
    ]


def test_a_name_that_is_wanted_is_not_also_withheld_or_filtered() -> None:
    one = draft()
    one.add(HOST, "f", LeftOut(by="--flag"))
    one.add(HOST, "f", missing())
    assert said(one.claims()) == ["a.t no-address"]
    one.add(HOST, "f", a("192.0.2.1"))
    assert said(one.claims()) == ["a.t A - [192.0.2.1]"]


def test_the_first_reason_to_withhold_or_filter_counts() -> None:
    one = draft()
    one.add(HOST, "f", missing())
    one.add(HOST, "f", missing(Reason.NO_ENDPOINTS))
    one.add(DnsName("b.t"), "f", LeftOut(by="--first"))
    one.add(DnsName("b.t"), "f", LeftOut(by="--second"))
    assert said(one.claims()) == ["a.t no-address", "b.t by --first"]


def test_every_claim_has_the_terms_of_the_object() -> None:
    terms = Terms(ttl_s=60, set_identifier="blue", properties=Pairs.of({"aws/weight": "1"}), notices=(NOTICE,))
    one = draft(terms)
    one.add(HOST, "f", a("192.0.2.1"))
    one.add(DnsName("b.t"), "f", missing())
    want, withheld = one.claims()
    assert wanted([want])[0].endpoint.labels == (("resource", "service/shop/web"),)
    assert wanted([want])[0].endpoint.properties == (("aws/weight", "1"),)
    assert (wanted([want])[0].endpoint.ttl_s, wanted([want])[0].notices) == (60, (NOTICE,))
    assert wanted([want])[0].set_identifier == "blue"
    assert isinstance(withheld, Withheld)
    assert (withheld.set_identifier, withheld.detail, withheld.provenance.ref) == ("blue", "why", REF)


def test_a_notice_without_a_record_to_stand_on_is_a_claim_of_its_own() -> None:
    one = draft(Terms(notices=(NOTICE,)))
    one.add(HOST, "g", missing())
    claim = one.claims()[-1]
    assert isinstance(claim, Invalid)
    assert (claim.provenance.field, claim.reason, claim.value, claim.allowed) == ("f", Reason.INVALID_TTL, "x", "y")


def test_notices_are_told_once() -> None:
    one = draft(Terms(notices=(NOTICE,)))
    one.add(HOST, "f", Found(groups=(("A", ("192.0.2.1",)),), notices=(NOTICE,)))
    assert wanted(one.claims())[0].notices == (NOTICE,)


def test_1_2_an_invalid_name_says_where_it_stands_and_what_is_allowed() -> None:
    one = draft()
    assert one.name("x" * 64 + ".t", "spec.rules[0].host") is None
    assert one.name("Ok.T.", "f") == "ok.t"
    claim = one.claims()[0]
    assert isinstance(claim, Invalid)
    assert (claim.provenance.field, claim.reason) == ("spec.rules[0].host", Reason.INVALID_NAME)
    assert "63 bytes" in claim.allowed


def test_nothing_asked_nothing_claimed() -> None:
    assert draft().claims() == ()
