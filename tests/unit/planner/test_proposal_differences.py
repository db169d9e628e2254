"""Order of targets, and differences between a current and a desired record (docs/spec/plan.md 0.2, 2.6, 10.2)."""

from __future__ import annotations

import pytest

from extdns.model.record import DesiredRecord, OwnedRecord
from extdns.planner.proposal import build_size_key, find_differences
from tests.unit.planner.name_plan import ME, build_candidate, build_current


@pytest.mark.parametrize(
    ("less", "more"),
    [
        pytest.param([""], ["", ""], id="10.2-fewer"),
        pytest.param(["8.8.8.8"], ["8.8.8.8", "8.8.4.4"], id="10.2-fewer-addresses"),
        pytest.param(["10.10.10.10"], ["1-2-3-4.example.org"], id="10.2-address-before-host"),
        pytest.param(["ff::1"], ["1.1.1.1.example.org"], id="10.2-host-with-the-text-of-an-address"),
        pytest.param(["8.8.8.8"], ["127.0.0.1"], id="10.2-by-number"),
        pytest.param(["255.255.255.255"], ["::1"], id="0.2-ipv4-before-ipv6"),
        pytest.param(["::2"], ["::10"], id="0.2-ipv6-by-number"),
        pytest.param(["a.example.org"], ["b.example.org"], id="0.2-hosts-by-text"),
        pytest.param(["1.1.1.1", "2.2.2.2"], ["3.3.3.3", "1.1.1.1"], id="0.2-first-that-differs"),
    ],
)
def test_a_list_with_fewer_targets_sorts_first_and_of_equally_long_lists_the_one_with_addresses(
    less: list[str], more: list[str]
) -> None:
    assert build_size_key(less) < build_size_key(more)
    assert build_size_key(list(reversed(less))) == build_size_key(less)


def test_the_sort_key_of_targets_does_not_depend_on_their_order() -> None:
    assert build_size_key(["b", "a"]) == build_size_key(["a", "b"])  # 10.2


PLAIN = build_candidate("A", "1.1.1.1").desired


@pytest.mark.parametrize(
    ("current", "endpoint", "differences"),
    [
        pytest.param(build_current("A", "1.1.1.1"), PLAIN, (), id="2.6-same"),
        pytest.param(
            build_current("A", "1.1.1.1"), build_candidate("A", "1.1.1.1", ttl_s=60).desired, ("ttl",), id="2.6-1-ttl"
        ),
        pytest.param(build_current("A", "1.1.1.1", ttl_s=60), PLAIN, (), id="2.6-1-unset"),
        pytest.param(build_current("A", "2.2.2.2"), PLAIN, ("targets",), id="2.6-2-target"),
        pytest.param(build_current("A", "1.1.1.1", "2.2.2.2"), PLAIN, ("targets",), id="2.6-2-one-target-less"),
        pytest.param(build_current("TXT", '"Same"'), build_candidate("TXT", '"sAME"').desired, (), id="2.6-2-any-case"),
        pytest.param(
            build_current("AAAA", "2001:DB8:0::1", "::2"),
            build_candidate("AAAA", "::2", "2001:db8::1").desired,
            (),
            id="2.6-2-spelling",
        ),
        pytest.param(
            build_current("AAAA", "::1", "::2"),
            build_candidate("AAAA", "::1", "::3").desired,
            ("targets",),
            id="0.2-every-pair",
        ),
        pytest.param(
            build_current("A", "1.1.1.1", properties={"custom": "1"}),
            build_candidate("A", "1.1.1.1", properties={"custom": "1"}).desired,
            (),
            id="10.2-equal-custom-property",
        ),
        pytest.param(
            build_current("A", "1.1.1.1", properties={"custom": "1"}),
            build_candidate("A", "1.1.1.1", properties={"custom": "2"}).desired,
            ("properties",),
            id="10.2-value-changed",
        ),
        pytest.param(
            build_current("A", "1.1.1.1", properties={"custom": "1"}),
            build_candidate("A", "1.1.1.1", properties={"renamed": "1"}).desired,
            ("properties",),
            id="10.2-key-renamed",
        ),
        pytest.param(build_current("A", "1.1.1.1", resource="ingress/a/b"), PLAIN, (), id="2.6-labels-never"),
        pytest.param(build_current("A", "1.1.1.1", owner="old", ours=True), PLAIN, ("owner",), id="2.6-4-migration"),
        pytest.param(build_current("A", "1.1.1.1", owner=None, ours=True), PLAIN, (), id="3.1-noop-has-no-owner"),
        pytest.param(
            build_current("A", "1.1.1.1", has_current_format=False),
            PLAIN,
            ("ownership record",),
            id="3.2.5-ownership-record-missing",
        ),
    ],
)
def test_differences_between_current_and_desired_record_are_listed(
    current: OwnedRecord, endpoint: DesiredRecord, differences: tuple[str, ...]
) -> None:
    assert find_differences(current, endpoint, ME) == differences
