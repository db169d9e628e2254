"""Targets by type, or why there are none (docs/spec/sources.md 1.3-1.4, 2.2)."""

from __future__ import annotations

import pytest

from extdns.model.claim import ClaimWarning, InvalidClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.validation import MAX_TARGETS
from extdns.resources.core import SERVICE
from extdns.sources.common.annotation_names import BOTH_PREFIXES, PREFIX
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    RecordOptions,
    RequestedCount,
    parse_targets,
    read_target_annotation,
)
from extdns.sources.common.claim_builder import ClaimBuilder
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.samples import list_resolved_claims

NOTHING = MissingTargets(reason=Reason.NO_ADDRESS, detail="nothing")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(
            ["lb.test", "192.0.2.9", "2001:db8::1", "192.0.2.10"],
            (("A", ("192.0.2.10", "192.0.2.9")), ("AAAA", ("2001:db8::1",)), ("CNAME", ("lb.test",))),
            id="1.4-grouped-a-aaaa-cname",
        ),
        pytest.param(["b.test", "a.test"], (("CNAME", ("a.test", "b.test")),), id="1.4-several-cnames-stay-together"),
        pytest.param(["192.0.2.1", "192.0.2.1"], (("A", ("192.0.2.1",)),), id="1.5-once-each"),
        pytest.param(["LB.Test.", "lb.test"], (("CNAME", ("lb.test",)),), id="1.2-one-spelling"),
        pytest.param(["", "192.0.2.1"], (("A", ("192.0.2.1",)),), id="11.1-empty-ones-are-dropped"),
        pytest.param(["192.0.2.1.", "192.0.2.2"], (("A", ("192.0.2.1", "192.0.2.2")),), id="2.2-address-with-a-dot"),
        pytest.param(["2001:db8::1."], (("AAAA", ("2001:db8::1",)),), id="2.2-ipv6-address-with-a-dot"),
        pytest.param(["lb.test.."], (("CNAME", ("lb.test",)),), id="2.2-two-trailing-dots"),
        pytest.param(["192.0.2.1.."], (("A", ("192.0.2.1",)),), id="2.2-two-dots-after-an-address"),
        pytest.param(["192.168.1"], (("CNAME", ("192.168.1",)),), id="1.3-nearly-an-address-is-a-host"),
    ],
)
def test_targets_are_grouped_by_record_type(
    texts: list[str], expected: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    assert parse_targets(texts, "f", if_empty=NOTHING) == FoundTargets(groups=expected)


def test_too_many_targets_of_a_type_are_not_parsed_and_count_as_missing() -> None:
    texts = iter(["192.0.2.1", *(f"n{number}.test" for number in range(MAX_TARGETS + 10))])
    detail = "f: more than 4000 CNAME targets; allowed: at most 4000"
    assert parse_targets(texts, "f", if_empty=NOTHING) == MissingTargets(reason=Reason.INVALID_TARGET, detail=detail)
    assert len(list(texts)) == 9


def test_an_invalid_target_does_not_affect_other_targets() -> None:
    answer = parse_targets(["192.0.2.1", "no host", "fe80::1%eth0"], "f", if_empty=NOTHING)
    assert isinstance(answer, FoundTargets)
    assert answer.groups == (("A", ("192.0.2.1",)),)
    assert answer.invalid is not None
    assert answer.invalid.reason is Reason.INVALID_TARGET
    assert answer.invalid.detail.startswith("f: 'no host' is not a target")


def test_if_all_targets_are_invalid_the_result_says_so() -> None:
    answer = parse_targets(["no host"], "spec.externalName", if_empty=NOTHING)
    assert isinstance(answer, MissingTargets)
    assert answer.reason is Reason.INVALID_TARGET
    assert answer.detail.startswith("spec.externalName: 'no host' is not a target; allowed: one name or address")


def test_the_targets_in_the_target_annotation_are_a_list_that_a_person_states() -> None:
    found = read_target_annotation(Annotations.read({PREFIX + "target": "192.0.2.1, lb.test.,,"}, BOTH_PREFIXES))
    assert found == FoundTargets(groups=(("A", ("192.0.2.1",)), ("CNAME", ("lb.test",))), is_stated=True)


@pytest.mark.parametrize("value", [" ", ",", "a b\\c"])
def test_a_target_annotation_without_any_target_counts_as_missing_targets(value: str) -> None:
    answer = read_target_annotation(Annotations.read({PREFIX + "target": value}, BOTH_PREFIXES))
    assert isinstance(answer, MissingTargets)
    assert answer.reason is Reason.INVALID_TARGET
    assert f"annotation {PREFIX}target" in answer.detail


# Claims of one object are merged and sorted, with labels and warnings (docs/spec/sources.md 1.5, 1.8)


REF = ObjectRef(key=ObjectKey(SERVICE, "shop", "web"))
HOST = DnsName("a.t")
NOTICE = ClaimWarning(reason=Reason.INVALID_TTL, field="f", value="x", allowed="y")


def a(*targets: str) -> FoundTargets:
    return FoundTargets(groups=(("A", targets),))


def cname(*targets: str) -> FoundTargets:
    return FoundTargets(groups=(("CNAME", targets),))


def missing(reason: Reason = Reason.NO_ADDRESS) -> MissingTargets:
    return MissingTargets(reason=reason, detail="why")


def create_builder(options: RecordOptions | None = None) -> ClaimBuilder:
    return ClaimBuilder(
        "service", REF, options or RecordOptions(), resource=REF.key.resource, lenient=False, count=RequestedCount()
    )


# docs/spec/sources.md 1.5
def test_targets_of_one_name_and_type_are_merged() -> None:
    one = create_builder()
    one.request_name(HOST, "first", a("10.0.0.2"))
    one.request_name(HOST, "second", a("10.0.0.10", "10.0.0.2"))
    one.request_name(HOST, "third", a("10.0.0.2"))
    assert reduce_claims(one.build()) == ["a.t A 10.0.0.10, 10.0.0.2"]
    assert list_resolved_claims(one.build())[0].provenance.field == "first"


# docs/spec/sources.md 1.5
def test_different_cname_targets_stay_separate_claims() -> None:
    one = create_builder()
    for target in ("y.t", "x.t", "y.t"):
        one.request_name(HOST, "f", cname(target))
    assert reduce_claims(one.build()) == ["a.t CNAME x.t", "a.t CNAME y.t"]


def test_a_name_that_is_resolved_once_is_not_also_unresolved_or_excluded() -> None:
    one = create_builder()
    one.request_name(HOST, "f", ExcludedHost(excluded_by="--flag"))
    one.request_name(HOST, "f", missing())
    assert reduce_claims(one.build()) == ["a.t: no-address"]
    one.request_name(HOST, "f", a("192.0.2.1"))
    assert reduce_claims(one.build()) == ["a.t A 192.0.2.1"]


def test_if_a_name_is_unresolved_or_excluded_twice_the_first_reason_is_kept() -> None:
    one = create_builder()
    one.request_name(HOST, "f", missing())
    one.request_name(HOST, "f", missing(Reason.NO_ENDPOINTS))
    one.request_name(DnsName("b.t"), "f", ExcludedHost(excluded_by="--first"))
    one.request_name(DnsName("b.t"), "f", ExcludedHost(excluded_by="--second"))
    assert reduce_claims(one.build()) == ["a.t: no-address", "b.t: excluded by --first"]


def test_a_warning_about_an_object_without_resolved_claims_becomes_an_invalid_claim() -> None:
    one = create_builder(RecordOptions(warnings=(NOTICE,)))
    one.request_name(HOST, "g", missing())
    claim = one.build()[-1]
    assert isinstance(claim, InvalidClaim)
    assert (claim.provenance.field, claim.reason, claim.value, claim.allowed) == ("f", Reason.INVALID_TTL, "x", "y")


def test_an_invalid_target_beside_valid_ones_leaves_the_name_unresolved_as_well() -> None:
    one = create_builder()
    one.request_name(HOST, "f", FoundTargets(groups=(("A", ("192.0.2.1",)),), invalid=missing(Reason.INVALID_TARGET)))
    assert reduce_claims(one.build()) == ["a.t A 192.0.2.1", "a.t: invalid-target"]


def test_equal_warnings_are_reported_once() -> None:
    one = create_builder(RecordOptions(warnings=(NOTICE, NOTICE)))
    one.request_name(HOST, "f", a("192.0.2.1"))
    assert list_resolved_claims(one.build())[0].warnings == (NOTICE,)
