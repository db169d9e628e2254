"""What counts as smaller, and what counts as a change (spec plan 0.2, 2.6, 10.2)."""

from __future__ import annotations

import pytest

from extdns.model.ownership import Owned
from extdns.model.record import Endpoint
from extdns.planner.compare import differences, smallness
from tests.unit.planner.scene import ME, held, wanted


@pytest.mark.parametrize(
    ("less", "more"),
    [
        pytest.param([""], ["", ""], id="10.2-fewer"),
        pytest.param(["8.8.8.8"], ["8.8.8.8", "8.8.4.4"], id="10.2-fewer-addresses"),
        pytest.param(["10.10.10.10"], ["1-2-3-4.example.org"], id="10.2-address-before-host"),
        pytest.param(["ff::1"], ["1.1.1.1.example.org"], id="10.2-host-that-looks-like-an-address"),
        pytest.param(["8.8.8.8"], ["127.0.0.1"], id="10.2-by-number"),
        pytest.param(["255.255.255.255"], ["::1"], id="0.2-ipv4-before-ipv6"),
        pytest.param(["::2"], ["::10"], id="0.2-ipv6-by-number"),
        pytest.param(["a.example.org"], ["b.example.org"], id="0.2-hosts-by-text"),
        pytest.param(["1.1.1.1", "2.2.2.2"], ["3.3.3.3", "1.1.1.1"], id="0.2-first-that-differs"),
    ],
)
def test_targets_have_an_order(less: list[str], more: list[str]) -> None:
    assert smallness(less) < smallness(more)
    assert smallness(list(reversed(less))) == smallness(less)


def test_equal_targets_are_not_less() -> None:
    assert smallness(["b", "a"]) == smallness(["a", "b"])  # 10.2


PLAIN = wanted("A", "1.1.1.1").endpoint


@pytest.mark.parametrize(
    ("stands", "endpoint", "words"),
    [
        pytest.param(held("A", "1.1.1.1"), PLAIN, (), id="2.6-same"),
        pytest.param(held("A", "1.1.1.1"), wanted("A", "1.1.1.1", ttl_s=60).endpoint, ("ttl",), id="2.6-1-ttl"),
        pytest.param(held("A", "1.1.1.1", ttl_s=60), PLAIN, (), id="2.6-1-unset"),
        pytest.param(held("A", "2.2.2.2"), PLAIN, ("targets",), id="2.6-2-target"),
        pytest.param(held("A", "1.1.1.1", "2.2.2.2"), PLAIN, ("targets",), id="2.6-2-one-target-less"),
        pytest.param(held("TXT", '"Same"'), wanted("TXT", '"sAME"').endpoint, (), id="2.6-2-any-case"),
        pytest.param(
            held("AAAA", "2001:DB8:0::1", "::2"), wanted("AAAA", "::2", "2001:db8::1").endpoint, (), id="2.6-2-spelling"
        ),
        pytest.param(
            held("AAAA", "::1", "::2"), wanted("AAAA", "::1", "::3").endpoint, ("targets",), id="0.2-every-pair"
        ),
        pytest.param(
            held("A", "1.1.1.1", properties={"custom": "1"}),
            wanted("A", "1.1.1.1", properties={"custom": "1"}).endpoint,
            (),
            id="10.2-equal-custom-property",
        ),
        pytest.param(
            held("A", "1.1.1.1", properties={"custom": "1"}),
            wanted("A", "1.1.1.1", properties={"custom": "2"}).endpoint,
            ("properties",),
            id="10.2-value-changed",
        ),
        pytest.param(
            held("A", "1.1.1.1", properties={"custom": "1"}),
            wanted("A", "1.1.1.1", properties={"renamed": "1"}).endpoint,
            ("properties",),
            id="10.2-key-renamed",
        ),
        pytest.param(held("A", "1.1.1.1", resource="ingress/a/b"), PLAIN, (), id="2.6-labels-never"),
        pytest.param(held("A", "1.1.1.1", owner="old", ours=True), PLAIN, ("owner",), id="2.6-4-migration"),
        pytest.param(held("A", "1.1.1.1", owner=None, ours=True), PLAIN, (), id="3.1-noop-has-no-owner"),
        pytest.param(held("A", "1.1.1.1", marked=False), PLAIN, ("mark",), id="3.2.5-mark-missing"),
    ],
)
def test_a_difference_is_named(stands: Owned, endpoint: Endpoint, words: tuple[str, ...]) -> None:
    assert differences(stands, endpoint, ME) == words
