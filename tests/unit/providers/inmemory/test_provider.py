"""Test what only the in-memory provider does; tests/conformance tests what all providers do."""

from __future__ import annotations

import threading

import pytest
from msgspec.structs import replace

from extdns.errors import UsageError
from extdns.model.change import Applied, Refused, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import Record
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider
from tests.conformance.provider import build_batch, build_desired, create

PUBLIC = Zone(name=DnsName("example.org"), id="Z1")
PRIVATE = Zone(name=DnsName("example.org"), id="Z2", account="other", private=True)


def record(name: str, rtype: str, target: str, set_identifier: str = "") -> Record:
    return Record(name=DnsName(name), type=rtype, targets=(target,), ttl_s=60, set_identifier=set_identifier)


def test_names_of_in_memory_zones_are_canonical_and_unique() -> None:
    zones = InMemoryProvider(["Org.", "example.org", "example.org.", "點看.org"]).list_zones().zones
    assert [zone.name for zone in zones] == ["example.org", "org", "xn--c1yn36f.org"]


def test_an_empty_value_of_the_inmemory_zone_flag_is_ignored() -> None:
    assert InMemoryProvider([""]).list_zones().zones == ()


def test_an_invalid_inmemory_zone_is_reported_with_flag_and_value() -> None:
    with pytest.raises(
        UsageError, match=r"--inmemory-zone=a\.\.b is not a DNS name\n  allowed: a name without empty labels"
    ):
        InMemoryProvider(["a..b"])


def test_two_in_memory_zones_with_the_same_name_have_separate_records() -> None:
    provider = InMemoryProvider(seed={PUBLIC: [record("a.example.org", "A", "192.0.2.1")], PRIVATE: []})
    assert provider.list_zones().zones == tuple(sorted([PUBLIC, PRIVATE]))
    assert len(provider.read_page(PUBLIC, None).records) == 1
    assert provider.read_page(PRIVATE, None).records == ()


def test_in_memory_records_keep_properties_and_targets_unchanged() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.list_zones().zones[0]
    desired = replace(
        build_desired("www.example.org", "A", "lb.test"), properties=StringMap.from_items({"alias": "true", "x": "1"})
    )
    assert provider.adjust([desired], zone).accepted == (desired,)
    outcome = provider.submit(zone, build_batch(zone, [Write(old=None, new=desired)]))
    assert isinstance(outcome, Applied)
    assert outcome.records[0].properties == desired.properties


def test_a_page_ends_at_its_size_even_between_records_of_one_name() -> None:
    seed = [record("a.example.org", rtype, "x") for rtype in ("A", "AAAA", "TXT")]
    provider = InMemoryProvider(seed={PUBLIC: seed}, page_size=2)
    first = provider.read_page(PUBLIC, None)
    assert [r.type for r in first.records] == ["A", "AAAA"]
    second = provider.read_page(PUBLIC, first.after)
    assert ([r.type for r in second.records], second.after) == (["TXT"], None)


def test_the_last_page_of_a_zone_has_no_cursor_even_if_the_page_is_full() -> None:
    provider = InMemoryProvider(seed={PUBLIC: [record("a.example.org", "A", "x")]}, page_size=1)
    assert provider.read_page(PUBLIC, None).after is None


def test_a_cursor_works_even_if_the_set_identifier_in_it_has_blanks() -> None:
    seed = [record("a.example.org", "A", "x", set_identifier=f"member {n} of 3") for n in (1, 2, 3)]
    provider = InMemoryProvider(seed={PUBLIC: seed}, page_size=1)
    first = provider.read_page(PUBLIC, None)
    assert provider.read_page(PUBLIC, first.after).records == (seed[1],)


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        pytest.param(
            [create("w.example.org", "A", "192.0.2.1"), create("w.example.org", "A", "192.0.2.2", set_identifier="v")],
            "w.example.org: A without set identifier cannot coexist with A with one",
            id="simple-beside-routed",
        ),
        pytest.param(
            [
                create("w.example.org", "CNAME", "lb.test"),
                create("w.example.org", "A", "192.0.2.2", set_identifier="v"),
            ],
            "w.example.org: a CNAME cannot coexist with A",
            id="cname-beside-routed",
        ),
    ],
)
def test_a_batch_that_the_zone_cannot_hold_is_refused_with_the_offending_name(
    writes: list[Write], message: str
) -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.list_zones().zones[0]
    outcome = provider.submit(zone, build_batch(zone, writes))
    assert outcome == Refused(message=message, offending_names=(writes[0].key.name,))
    assert provider.read_page(zone, None).records == ()


def test_two_routed_cnames_can_coexist_and_so_can_a_routed_address_and_a_simple_txt_record() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.list_zones().zones[0]
    writes = [
        create("w.example.org", "CNAME", "lb-1.test", set_identifier="v1"),
        create("w.example.org", "CNAME", "lb-2.test", set_identifier="v2"),
        create("x.example.org", "A", "192.0.2.1", set_identifier="v1"),
        create("x.example.org", "TXT", '"simple"'),
    ]
    assert isinstance(provider.submit(zone, build_batch(zone, writes)), Applied)


def test_if_several_threads_create_the_same_record_only_one_succeeds() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.list_zones().zones[0]
    batch = build_batch(zone, [create("w.example.org", "A", "192.0.2.1")])
    outcomes: list[object] = []
    threads = [threading.Thread(target=lambda: outcomes.append(provider.submit(zone, batch))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(outcome, Applied) for outcome in outcomes) == 1
