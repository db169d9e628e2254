"""Caches of functions do not keep long texts, which users choose: thousands of a megabyte would fill the memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from extdns.model.cache import cache_short
from extdns.model.dns_name import DnsName
from extdns.model.record import parse_address
from extdns.sources.common.annotation_names import PREFIX, find_misspelled_keys
from extdns.sources.common.gateway.admission import is_hostname
from providers.common.rdata import find_type


@pytest.mark.parametrize(
    "compute",
    [
        pytest.param(parse_address, id="addresses"),
        pytest.param(is_hostname, id="hostnames"),
        pytest.param(find_type, id="record types"),
        pytest.param(lambda text: DnsName.parse(" " * 100_000 + text[-9:]), id="names with blanks"),
        pytest.param(
            lambda text: find_misspelled_keys(frozenset(f"{text[-300:]}{key}" for key in range(300)), PREFIX), id="keys"
        ),
    ],
)
def test_results_for_long_texts_are_not_stored(compute: Callable[[str], object]) -> None:
    tracemalloc.start()
    try:
        for number in range(100):
            compute("x" * 100_000 + f"{number:09}")
        stored, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert stored < 1_000_000


def test_results_for_short_texts_are_stored() -> None:
    computed = list[str]()
    cached = cache_short(maxsize=8, longest=4)(computed.append)
    for text in ("abcd", "abcde") * 2:
        cached(text)
    assert computed == ["abcd", "abcde", "abcde"]
