"""What only the in-memory provider does; what every provider does is in tests/conformance."""

from __future__ import annotations

import threading

import pytest
from msgspec.structs import replace

from extdns.errors import UsageError
from extdns.model.change import Write
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Refused
from extdns.model.pairs import Pairs
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider
from tests.conformance.provider import batch_of, create, endpoint

PUBLIC = Zone(name=DnsName("example.org"), id="Z1")
PRIVATE = Zone(name=DnsName("example.org"), id="Z2", account="other", private=True)


def record(name: str, rtype: str, target: str, set_identifier: str = "") -> Record:
    return Record(name=DnsName(name), type=rtype, targets=(target,), ttl_s=60, set_identifier=set_identifier)


def test_zones_come_from_the_flag_in_canonical_form_each_once() -> None:
    zones = InMemoryProvider(["Org.", "example.org", "example.org.", "點看.org"]).zones().zones
    assert [zone.name for zone in zones] == ["example.org", "org", "xn--c1yn36f.org"]


def test_the_empty_zone_of_the_reference_is_no_zone() -> None:
    assert InMemoryProvider([""]).zones().zones == ()


def test_a_wrong_zone_names_the_flag_and_the_value() -> None:
    with pytest.raises(UsageError, match=r"--inmemory-zone=a\.\.b: .*allowed: a name without empty labels"):
        InMemoryProvider(["a..b"])


def test_twin_zones_hold_their_own_records() -> None:
    provider = InMemoryProvider(seed={PUBLIC: [record("a.example.org", "A", "192.0.2.1")], PRIVATE: []})
    assert provider.zones().zones == tuple(sorted([PUBLIC, PRIVATE]))
    assert len(provider.page(PUBLIC, None).records) == 1
    assert provider.page(PRIVATE, None).records == ()


def test_zones_are_matched_by_whole_labels() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.zones().zones[0]
    (refusal,) = provider.adjust([endpoint("notexample.org", "A", "192.0.2.1")], zone).refused
    assert refusal.detail == "notexample.org lies outside zone example.org"


def test_properties_and_targets_are_kept_as_given() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.zones().zones[0]
    wanted = replace(endpoint("www.example.org", "A", "lb.test"), properties=Pairs.of({"alias": "true", "x": "1"}))
    assert provider.adjust([wanted], zone).wanted == (wanted,)
    outcome = provider.submit(zone, batch_of(zone, [Write(old=None, new=wanted)]))
    assert isinstance(outcome, Applied)
    assert outcome.records[0].properties == wanted.properties


def test_the_default_ttl_can_be_the_one_of_the_reference() -> None:
    provider = InMemoryProvider(["example.org"], default_ttl_s=0)
    zone = provider.zones().zones[0]
    outcome = provider.submit(zone, batch_of(zone, [create("www.example.org", "A", "192.0.2.1")]))
    assert isinstance(outcome, Applied)
    assert outcome.records[0].ttl_s == 0


def test_a_page_ends_after_its_size_even_within_a_name() -> None:
    seed = [record("a.example.org", rtype, "x") for rtype in ("A", "AAAA", "TXT")]
    provider = InMemoryProvider(seed={PUBLIC: seed}, page_size=2)
    first = provider.page(PUBLIC, None)
    assert [r.type for r in first.records] == ["A", "AAAA"]
    second = provider.page(PUBLIC, first.after)
    assert ([r.type for r in second.records], second.after) == (["TXT"], None)


def test_a_full_last_page_has_no_cursor() -> None:
    provider = InMemoryProvider(seed={PUBLIC: [record("a.example.org", "A", "x")]}, page_size=1)
    assert provider.page(PUBLIC, None).after is None


def test_set_identifiers_with_blanks_survive_the_cursor() -> None:
    seed = [record("a.example.org", "A", "x", set_identifier=f"member {n} of 3") for n in (1, 2, 3)]
    provider = InMemoryProvider(seed={PUBLIC: seed}, page_size=1)
    first = provider.page(PUBLIC, None)
    assert provider.page(PUBLIC, first.after).records == (seed[1],)


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        pytest.param(
            [create("w.example.org", "A", "192.0.2.1"), create("w.example.org", "A", "192.0.2.2", set_identifier="v")],
            "w.example.org: A without set identifier cannot stand beside A with one",
            id="simple-beside-routed",
        ),
        pytest.param(
            [
                create("w.example.org", "CNAME", "lb.test"),
                create("w.example.org", "A", "192.0.2.2", set_identifier="v"),
            ],
            "w.example.org: a CNAME cannot stand beside A",
            id="cname-beside-routed",
        ),
        pytest.param(
            [create("w.example.org", "A", "192.0.2.1")] * 2,
            "w.example.org: A is written twice in one batch",
            id="6.3-same-key-twice",
        ),
        pytest.param(
            [create("w.example.net", "A", "192.0.2.1")],
            "w.example.net: it lies outside zone example.org",
            id="outside",
        ),
    ],
)
def test_what_dns_forbids_is_refused_with_its_name(writes: list[Write], message: str) -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.zones().zones[0]
    outcome = provider.submit(zone, batch_of(zone, writes))
    assert outcome == Refused(message=message, culprits=(writes[0].key.name,))
    assert provider.page(zone, None).records == ()


def test_members_of_a_policy_may_all_be_cnames_and_a_mark_may_have_other_types_beside_it() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.zones().zones[0]
    writes = [
        create("w.example.org", "CNAME", "lb-1.test", set_identifier="v1"),
        create("w.example.org", "CNAME", "lb-2.test", set_identifier="v2"),
        create("x.example.org", "A", "192.0.2.1", set_identifier="v1"),
        create("x.example.org", "TXT", '"simple"'),
    ]
    assert isinstance(provider.submit(zone, batch_of(zone, writes)), Applied)


def test_threads_that_create_the_same_name_make_it_once() -> None:
    provider = InMemoryProvider(["example.org"])
    zone = provider.zones().zones[0]
    batch = batch_of(zone, [create("w.example.org", "A", "192.0.2.1")])
    outcomes: list[object] = []
    threads = [threading.Thread(target=lambda: outcomes.append(provider.submit(zone, batch))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(outcome, Applied) for outcome in outcomes) == 1
