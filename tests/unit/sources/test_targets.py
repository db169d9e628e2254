"""Targets by type, or why there are none (spec sources 1.3-1.4, 2.2)."""

from __future__ import annotations

import pytest

from extdns.model.reason import Reason
from extdns.sources.annotations import BOTH, PREFIX, Annotations
from extdns.sources.targets import Found, Missing, annotated, balanced, found
from tests.unit.sources.samples import balanced as status

NOTHING = Missing(reason=Reason.NO_ADDRESS, detail="nothing")


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
        pytest.param(["192.168.1"], (("CNAME", ("192.168.1",)),), id="1.3-nearly-an-address-is-a-host"),
    ],
)
def test_targets_are_grouped_by_type(texts: list[str], expected: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    assert found(texts, "f", otherwise=NOTHING) == Found(groups=expected)


@pytest.mark.parametrize("texts", [[], ["", ""]])
def test_no_text_gives_the_other_answer(texts: list[str]) -> None:
    assert found(texts, "f", otherwise=NOTHING) == NOTHING


def test_one_bad_target_costs_only_itself() -> None:
    answer = found(["192.0.2.1", "no host", "fe80::1%eth0"], "f", otherwise=NOTHING)
    assert isinstance(answer, Found)
    assert answer.groups == (("A", ("192.0.2.1",)),)
    assert [(notice.reason, notice.field, notice.value) for notice in answer.notices] == [
        (Reason.INVALID_TARGET, "f", "no host"),
        (Reason.INVALID_TARGET, "f", "fe80::1%eth0"),
    ]


def test_nothing_but_bad_targets_is_an_invalid_target() -> None:
    answer = found(["no host"], "spec.externalName", otherwise=NOTHING)
    assert isinstance(answer, Missing)
    assert answer.reason is Reason.INVALID_TARGET
    assert answer.detail.startswith("spec.externalName: 'no host' is no target; allowed: IP addresses")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(None, None, id="2.2-absent"),
        pytest.param("", None, id="2.2-empty-is-absent"),
        pytest.param("192.0.2.1, 192.0.2.2", Found(groups=(("A", ("192.0.2.1", "192.0.2.2")),)), id="2.2-list"),
        pytest.param("lb.test.", Found(groups=(("CNAME", ("lb.test",)),)), id="2.2-trailing-dot"),
        pytest.param("a.test,,", Found(groups=(("CNAME", ("a.test",)),)), id="11.1-empty-items"),
    ],
)
def test_the_target_annotation_is_a_list(value: str | None, expected: Found | None) -> None:
    assert annotated(Annotations.of({} if value is None else {PREFIX + "target": value}, BOTH)) == expected


@pytest.mark.parametrize("value", [" ", ",", "a b\\c"])
def test_a_target_annotation_without_a_target_withholds(value: str) -> None:
    answer = annotated(Annotations.of({PREFIX + "target": value}, BOTH))
    assert isinstance(answer, Missing)
    assert answer.reason is Reason.INVALID_TARGET
    assert f"annotation {PREFIX}target" in answer.detail


def test_a_balancer_s_address_and_host_both_count() -> None:
    assert balanced(status("192.0.2.1", "lb.test")) == Found(groups=(("A", ("192.0.2.1",)), ("CNAME", ("lb.test",))))


def test_a_balancer_without_address_may_get_one() -> None:
    answer = balanced(status())
    assert isinstance(answer, Missing)
    assert answer.reason is Reason.NO_ADDRESS
