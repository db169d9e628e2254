"""Targets by type, or why there are none (docs/spec/sources.md 1.3-1.4, 2.2)."""

from __future__ import annotations

import pytest

from extdns.model.reason import Reason
from extdns.sources.annotation_names import BOTH_PREFIXES, PREFIX
from extdns.sources.annotations import (
    Annotations,
    FoundTargets,
    MissingTargets,
    parse_targets,
    read_load_balancer,
    read_target_annotation,
)
from tests.unit.sources.samples import balanced as status

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


@pytest.mark.parametrize("texts", [[], ["", ""]])
def test_parsing_no_target_texts_returns_the_given_fallback(texts: list[str]) -> None:
    assert parse_targets(texts, "f", if_empty=NOTHING) == NOTHING


def test_an_invalid_target_does_not_affect_other_targets() -> None:
    answer = parse_targets(["192.0.2.1", "no host", "fe80::1%eth0"], "f", if_empty=NOTHING)
    assert isinstance(answer, FoundTargets)
    assert answer.groups == (("A", ("192.0.2.1",)),)
    assert [(warning.reason, warning.field, warning.value) for warning in answer.warnings] == [
        (Reason.INVALID_TARGET, "f", "no host"),
        (Reason.INVALID_TARGET, "f", "fe80::1%eth0"),
    ]


def test_if_all_targets_are_invalid_the_result_says_so() -> None:
    answer = parse_targets(["no host"], "spec.externalName", if_empty=NOTHING)
    assert isinstance(answer, MissingTargets)
    assert answer.reason is Reason.INVALID_TARGET
    assert answer.detail.startswith("spec.externalName: 'no host' is not a target; allowed: IP addresses")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(None, None, id="2.2-absent"),
        pytest.param("", None, id="2.2-empty-is-absent"),
        pytest.param("192.0.2.1, 192.0.2.2", FoundTargets(groups=(("A", ("192.0.2.1", "192.0.2.2")),)), id="2.2-list"),
        pytest.param("lb.test.", FoundTargets(groups=(("CNAME", ("lb.test",)),)), id="2.2-trailing-dot"),
        pytest.param("a.test,,", FoundTargets(groups=(("CNAME", ("a.test",)),)), id="11.1-empty-items"),
    ],
)
def test_the_target_annotation_is_read_as_a_comma_separated_list(
    value: str | None, expected: FoundTargets | None
) -> None:
    assert (
        read_target_annotation(Annotations.read({} if value is None else {PREFIX + "target": value}, BOTH_PREFIXES))
        == expected
    )


@pytest.mark.parametrize("value", [" ", ",", "a b\\c"])
def test_a_target_annotation_without_any_target_counts_as_missing_targets(value: str) -> None:
    answer = read_target_annotation(Annotations.read({PREFIX + "target": value}, BOTH_PREFIXES))
    assert isinstance(answer, MissingTargets)
    assert answer.reason is Reason.INVALID_TARGET
    assert f"annotation {PREFIX}target" in answer.detail


def test_addresses_and_host_names_of_a_load_balancer_are_both_read() -> None:
    assert read_load_balancer(status("192.0.2.1", "lb.test")) == FoundTargets(
        groups=(("A", ("192.0.2.1",)), ("CNAME", ("lb.test",)))
    )


def test_a_load_balancer_without_address_counts_as_missing_targets() -> None:
    answer = read_load_balancer(status())
    assert isinstance(answer, MissingTargets)
    assert answer.reason is Reason.NO_ADDRESS
