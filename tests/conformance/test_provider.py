"""What every provider promises, whatever its service; see `provider.py` for how to take part."""

from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.errors import ProviderError
from extdns.model import rrtype
from extdns.model.change import Write
from extdns.model.name import DnsName
from extdns.model.outcome import Applied, Conflict, Refused, TryLater
from extdns.model.pairs import NONE
from extdns.model.reason import Reason
from extdns.model.record import Endpoint, Record, RecordKey
from extdns.model.zone import Zone
from tests.conformance.provider import GUARDED, RIGS, Rig, batch_of, create, delete, endpoint, restate, update

MARK = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'
NOWHERE = Zone(name=DnsName("gone.example"), id="gone")


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Rig:
    return RIGS[request.param](tmp_path)


@pytest.fixture(params=GUARDED)
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Rig:
    return RIGS[request.param](tmp_path)


@pytest.mark.parametrize("name", RIGS)
def test_the_traits_say_whether_a_batch_is_guarded(name: str, tmp_path: Path) -> None:
    traits = RIGS[name](tmp_path).reader.traits
    assert traits.guards is (name in GUARDED)
    assert traits.guards is (traits.atomic and traits.conditional)


def test_the_zone_is_listed_under_its_id(rig: Rig) -> None:
    found = rig.reader.zones()
    assert rig.zone in found.zones
    assert found.zones == tuple(sorted(found.zones))
    assert found.failed == ()


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(endpoint("www.example.org", "A", "192.0.2.1", "192.0.2.20"), id="A"),
        pytest.param(endpoint("www.example.org", "AAAA", "2001:db8::1"), id="AAAA"),
        pytest.param(endpoint("www.example.org", "CNAME", "lb-1.example.net"), id="CNAME"),
        pytest.param(endpoint("sub.example.org", "NS", "ns1.example.net", "ns2.example.net"), id="NS"),
        pytest.param(endpoint("example.org", "MX", "10 mail.example.net", "20 mail.example.com"), id="MX-at-apex"),
        pytest.param(endpoint("_sip._tcp.example.org", "SRV", "0 5 5060 sip.example.net."), id="SRV"),
        pytest.param(endpoint("1.example.org", "PTR", "host.example.net"), id="PTR"),
        pytest.param(endpoint("n.example.org", "NAPTR", '10 100 "s" "SIP+D2U" "" _sip._udp.example.net.'), id="NAPTR"),
        pytest.param(endpoint("old.example.org", "DNAME", "new.example.net"), id="DNAME"),
        pytest.param(endpoint("a-www.example.org", "TXT", MARK), id="TXT-mark"),
        pytest.param(endpoint("t.example.org", "TXT", '"one" "two; three"', '"v=spf1 -all"'), id="TXT-strings"),
        pytest.param(endpoint("t.example.org", "TXT", '"a \\"b\\" \\\\ c"'), id="TXT-escapes"),
        pytest.param(endpoint("t.example.org", "TXT", f'"{"0123456789" * 60}"'), id="TXT-of-600-bytes"),
        pytest.param(endpoint("*.example.org", "A", "192.0.2.1"), id="wildcard"),
        pytest.param(endpoint("a-*.example.org", "TXT", MARK), id="mark-of-a-wildcard"),
        pytest.param(endpoint("xn--c1yn36f.example.org", "A", "192.0.2.1", ttl_s=60), id="A-label"),
    ],
)
def test_what_is_created_is_read_back_as_it_was_wanted(rig: Rig, wanted: Endpoint) -> None:
    before = rig.read()
    if wanted.type not in rig.reader.traits.types:
        assert rig.reader.adjust([wanted], rig.zone).wanted == ()
        return
    assert rig.reader.adjust([wanted], rig.zone).wanted == (wanted,)
    (record,) = rig.apply(Write(old=None, new=wanted))
    assert (record.key, record.targets, record.properties) == (wanted.key, wanted.targets, wanted.properties)
    assert record.ttl_s == (wanted.ttl_s or 300)
    assert set(rig.read()) - set(before) == {record}
    assert record in rig.reader.names(rig.zone, [wanted.name])


def test_every_type_of_the_traits_is_adjusted_and_others_are_refused(rig: Rig) -> None:
    assert rig.reader.traits.types <= frozenset(rrtype.OWNABLE)
    strange = endpoint("www.example.org", "LOC", "51 30 12.748 N 0 7 39.611 W 0.00m")
    (refusal,) = rig.reader.adjust([strange], rig.zone).refused
    assert (refusal.endpoint, refusal.reason) == (strange, Reason.UNSUPPORTED)
    assert "LOC" in refusal.detail


def test_a_name_outside_the_zone_is_refused_before_and_while_writing(rig: Rig) -> None:
    stray = create("www.example.net", "A", "192.0.2.1")
    assert stray.new is not None
    assert rig.reader.adjust([stray.new], rig.zone).wanted == ()
    assert isinstance(rig.submit(stray), Refused)


def test_adjusting_twice_is_adjusting_once(rig: Rig) -> None:
    wanted = [
        endpoint("www.example.org", "A", "192.0.2.1"),
        endpoint("www.example.org", "TXT", "no quotes"),
        endpoint("_x.example.org", "SRV", "0  5 5060 sip.example.net."),
    ]
    once = rig.reader.adjust(wanted, rig.zone)
    assert rig.reader.adjust(wanted, rig.zone) == once
    assert rig.reader.adjust(once.wanted, rig.zone).wanted == once.wanted


def test_pages_hold_every_record_once_in_the_promised_order(rig: Rig) -> None:
    names = [f"{label}.example.org" for label in ("b", "a-b", "a", "x.a", "*.a", "_c")]
    rig.apply(*(create(name, "TXT", MARK) for name in names))
    records = rig.read()
    assert len({record.key for record in records}) == len(records)
    assert {record.name for record in records} >= set(names)
    grouped = [name for name, _ in itertools.groupby(record.name for record in records)]
    assert len(grouped) == len(set(grouped))
    if rig.reader.traits.ordered:
        assert grouped == sorted(grouped, key=lambda name: name.order)


def test_a_cursor_outlives_the_record_it_was_made_from(rig: Rig) -> None:
    made = rig.apply(*(create(f"n{index}.example.org", "A", "192.0.2.1") for index in range(6)))
    first = rig.reader.page(rig.zone, None)
    assert first.after is not None
    rig.meddle(*(delete(record) for record in made if record in first.records))
    rest = rig.reader.page(rig.zone, first.after)
    assert rest.records
    assert not set(rest.records) & set(first.records)


def test_names_gives_all_records_of_each_name_once(rig: Rig) -> None:
    made = rig.apply(create("w.example.org", "A", "192.0.2.1"), create("w.example.org", "TXT", MARK))
    rig.apply(create("ww.example.org", "A", "192.0.2.1"), create("x.w.example.org", "A", "192.0.2.1"))
    name, absent = DnsName("w.example.org"), DnsName("absent.example.org")
    assert sorted(rig.reader.names(rig.zone, [absent, name, name]), key=lambda r: r.key) == list(made)
    assert rig.reader.names(rig.zone, []) == ()


@pytest.mark.parametrize("kind", ["create", "update", "delete", "restate"])
def test_a_write_that_finds_something_else_changes_nothing(guarded: Rig, kind: str) -> None:
    (held,) = guarded.apply(create("www.example.org", "A", "192.0.2.1"))
    guarded.meddle(update(held, "192.0.2.99"))
    write = {
        "create": create("www.example.org", "A", "192.0.2.1"),
        "update": update(held, "192.0.2.2"),
        "delete": delete(held),
        "restate": restate(held),
    }[kind]
    before = guarded.read()
    outcome = guarded.submit(create("other.example.org", "A", "192.0.2.7"), write)
    assert isinstance(outcome, Conflict)
    assert guarded.read() == before
    if guarded.reader.traits.names_culprits:
        assert outcome.culprits == ("www.example.org",)


@pytest.mark.parametrize("ttl_only", [True, False], ids=["ttl", "gone"])
def test_another_ttl_or_nothing_at_all_is_a_conflict_too(guarded: Rig, ttl_only: bool) -> None:
    (held,) = guarded.apply(create("www.example.org", "A", "192.0.2.1"))
    guarded.meddle(update(held, *held.targets, ttl_s=77) if ttl_only else delete(held))
    assert isinstance(guarded.submit(delete(held)), Conflict)
    assert isinstance(guarded.submit(update(held, "192.0.2.2")), Conflict)


def test_the_second_of_two_equal_creates_is_a_conflict(guarded: Rig) -> None:
    write = create("www.example.org", "A", "192.0.2.1")
    guarded.apply(write)
    before = guarded.read()
    assert isinstance(guarded.submit(write), Conflict)
    assert guarded.read() == before


def test_a_record_and_its_mark_are_changed_and_removed_together(rig: Rig) -> None:
    made = rig.apply(create("web.example.org", "A", "192.0.2.1"), create("a-web.example.org", "TXT", MARK))
    record, mark = sorted(made, key=lambda record: record.type)
    changed = rig.apply(restate(mark), update(record, "192.0.2.2"))
    assert {r.targets for r in changed} == {mark.targets, ("192.0.2.2",)}
    assert mark in changed
    assert rig.apply(*(delete(r) for r in changed)) == ()
    assert rig.reader.names(rig.zone, [record.name, mark.name]) == ()


def test_a_restated_record_is_part_of_what_stands_and_stays_what_it_is(rig: Rig) -> None:
    (held,) = rig.apply(create("www.example.org", "A", "192.0.2.1"))
    before = rig.read()
    assert rig.apply(restate(held)) == (held,)
    assert rig.read() == before


def test_types_are_exchanged_in_one_batch(rig: Rig) -> None:
    (held,) = rig.apply(create("www.example.org", "A", "192.0.2.1"))
    (now,) = rig.apply(delete(held), create("www.example.org", "CNAME", "lb.example.net"))
    assert rig.reader.names(rig.zone, [held.name]) == (now,)


def test_an_unset_ttl_becomes_one_that_is_kept_by_the_next_write(rig: Rig) -> None:
    (held,) = rig.apply(create("www.example.org", "A", "192.0.2.1"))
    assert held.ttl_s > 0
    (again,) = rig.apply(Write(old=held, new=endpoint("www.example.org", "A", "192.0.2.1")))
    assert again == held


@pytest.mark.parametrize("rtype", ["A", "TXT", "MX"])
def test_nothing_stands_beside_a_cname(rig: Rig, rtype: str) -> None:
    target = {"A": "192.0.2.1", "TXT": MARK, "MX": "10 mail.example.net"}[rtype]
    rig.apply(create("www.example.org", "CNAME", "lb.example.net"))
    before = rig.read()
    outcome = rig.submit(create("fine.example.org", "A", "192.0.2.1"), create("www.example.org", rtype, target))
    assert isinstance(outcome, Refused)
    if rig.reader.traits.atomic:
        assert rig.read() == before
    if rig.reader.traits.names_culprits:
        assert outcome.culprits == ("www.example.org",)


def test_a_key_written_twice_in_a_batch_is_refused(guarded: Rig) -> None:
    before = guarded.read()
    write = create("www.example.org", "A", "192.0.2.1")
    assert isinstance(guarded.submit(write, write), Refused)
    assert guarded.read() == before


def test_an_empty_batch_is_applied(rig: Rig) -> None:
    assert rig.submit() == Applied(records=())


def test_members_of_a_routing_policy_are_held_or_refused_beforehand(rig: Rig) -> None:
    members = [
        replace(endpoint("w.example.org", "A", f"192.0.2.{n}", set_identifier=f"v{n}"), properties=rig.routes or NONE)
        for n in (1, 2)
    ]
    adjusted = rig.reader.adjust(members, rig.zone)
    if rig.routes is None:
        assert [refusal.reason for refusal in adjusted.refused] == [Reason.UNSUPPORTED] * 2
        assert isinstance(rig.submit(Write(old=None, new=members[0])), Refused)
        return
    assert adjusted.wanted == tuple(members)
    rig.apply(*(Write(old=None, new=member) for member in members))
    assert [record.set_identifier for record in rig.reader.names(rig.zone, [members[0].name])] == ["v1", "v2"]
    assert isinstance(rig.submit(create("w.example.org", "A", "192.0.2.3")), Refused)


def test_a_zone_that_is_not_there_is_an_error_and_never_an_empty_zone(rig: Rig) -> None:
    with pytest.raises(ProviderError, match="gone"):
        rig.reader.page(NOWHERE, None)
    with pytest.raises(ProviderError, match="gone"):
        rig.reader.names(NOWHERE, [NOWHERE.name])
    batch = batch_of(NOWHERE, [create("www.gone.example", "A", "192.0.2.1")])
    assert isinstance(rig.writer.submit(NOWHERE, batch), TryLater)


_KEYS = st.tuples(st.sampled_from(["a", "b", "x.a"]), st.sampled_from(["A", "TXT", "CNAME"]))
_DATA = {"A": ("192.0.2.1", "192.0.2.2"), "TXT": (MARK, '"other"'), "CNAME": ("lb-1.example.net", "lb-2.example.net")}
_STEPS = st.lists(
    st.lists(st.tuples(_KEYS, st.sampled_from([None, 0, 1]), st.booleans()), max_size=4), min_size=1, max_size=6
)


@pytest.mark.parametrize("name", GUARDED)
@settings(max_examples=40)
@given(steps=_STEPS)
def test_a_batch_is_made_whole_or_not_at_all(
    name: str, steps: list[list[tuple[tuple[str, str], int | None, bool]]]
) -> None:
    with TemporaryDirectory() as folder:
        rig = RIGS[name](Path(folder))
        foreign = set(rig.read())
        held = {record.key: record for record in foreign}
        for step in steps:
            writes = [write for key, data, right in step if (write := _write(held, key, data, right=right)) is not None]
            outcome = rig.submit(*writes)
            if isinstance(outcome, Applied):
                held = {key: held[key] for key in held.keys() - {write.key for write in writes}}
                held |= {record.key: record for record in outcome.records}
            else:
                assert isinstance(outcome, Conflict | Refused)
                assert set(outcome.culprits) <= {write.key.name for write in writes}
            assert set(rig.read()) == set(held.values())
            assert foreign <= set(held.values())


def _write(held: dict[RecordKey, Record], key: tuple[str, str], data: int | None, *, right: bool) -> Write | None:
    """A write at *key*, None if it would be none; unless *right*, it expects what is not there."""
    label, rtype = key
    wanted = None if data is None else endpoint(f"{label}.example.org", rtype, _DATA[rtype][data])
    old = held.get(endpoint(f"{label}.example.org", rtype, _DATA[rtype][0]).key)
    if not right:
        old = None if old else Record(name=DnsName(f"{label}.example.org"), type=rtype, targets=("x",), ttl_s=1)
    return None if old is None and wanted is None else Write(old=old, new=wanted)
