"""Conformance tests of all providers. To add one, see `provider.py`."""

from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from extdns.errors import ProviderError
from extdns.model.change import Applied, Refused, TryLater, Unknown, Write, WriteConflict
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record, RecordKey
from extdns.model.value import EMPTY_MAP
from extdns.model.zone import Zone
from tests.conformance.provider import (
    GUARDED,
    Rig,
    build_batch,
    build_desired,
    build_rig,
    create,
    delete,
    restate,
    update,
)

OWNERSHIP = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'
UNUSUAL_TEXTS = {('"one" "two; three"', '"v=spf1 -all"'), ('"a \\"b\\" \\\\ c"',)}
NOWHERE = Zone(name=DnsName("gone.example"), id="gone")


@pytest.fixture
def rig(provider: str, tmp_path: Path) -> Rig:
    return build_rig(provider, tmp_path)


@pytest.fixture
def guarded(guarded_provider: str, tmp_path: Path) -> Rig:
    return build_rig(guarded_provider, tmp_path)


def test_a_provider_counts_as_safe_to_write_blind_if_and_only_if_its_writes_are_atomic_and_conditional(
    provider: str, rig: Rig
) -> None:
    declared = rig.reader.capabilities
    assert declared.is_safe_to_write_blind is (provider in GUARDED)
    assert declared.is_safe_to_write_blind is (declared.atomic and declared.conditional)


def test_list_zones_returns_the_zone_with_its_id(rig: Rig) -> None:
    found = rig.reader.list_zones()
    assert rig.zone in found.zones
    assert type(rig.zone.id) is str, "the saved state contains it"
    assert found.zones == tuple(sorted(found.zones))
    assert found.failed == ()


@pytest.mark.parametrize(
    "desired_record",
    [
        pytest.param(build_desired("www.example.org", "A", "192.0.2.1", "192.0.2.20"), id="A"),
        pytest.param(build_desired("www.example.org", "AAAA", "2001:db8::1"), id="AAAA"),
        pytest.param(build_desired("www.example.org", "CNAME", "lb-1.example.net"), id="CNAME"),
        pytest.param(build_desired("sub.example.org", "NS", "ns1.example.net", "ns2.example.net"), id="NS"),
        pytest.param(build_desired("example.org", "MX", "10 mail.example.net", "20 mail.example.com"), id="MX-at-apex"),
        pytest.param(build_desired("_sip._tcp.example.org", "SRV", "0 5 5060 sip.example.net."), id="SRV"),
        pytest.param(build_desired("1.example.org", "PTR", "host.example.net"), id="PTR"),
        pytest.param(
            build_desired("n.example.org", "NAPTR", '10 100 "s" "SIP+D2U" "" _sip._udp.example.net.'), id="NAPTR"
        ),
        pytest.param(build_desired("old.example.org", "DNAME", "new.example.net"), id="DNAME"),
        pytest.param(build_desired("a-www.example.org", "TXT", OWNERSHIP), id="TXT-ownership-record"),
        pytest.param(build_desired("t.example.org", "TXT", '"one" "two; three"', '"v=spf1 -all"'), id="TXT-strings"),
        pytest.param(build_desired("t.example.org", "TXT", '"a \\"b\\" \\\\ c"'), id="TXT-escapes"),
        pytest.param(build_desired("t.example.org", "TXT", f'"{"0123456789" * 60}"'), id="TXT-of-600-bytes"),
        pytest.param(build_desired("*.example.org", "A", "192.0.2.1"), id="wildcard"),
        pytest.param(build_desired("a-*.example.org", "TXT", OWNERSHIP), id="ownership-record-of-a-wildcard"),
        pytest.param(build_desired("xn--c1yn36f.example.org", "A", "192.0.2.1", ttl_s=60), id="A-label"),
    ],
)
def test_a_created_record_is_read_back_as_desired(rig: Rig, desired_record: DesiredRecord) -> None:
    before = rig.read()
    is_portable = rig.keeps_all_texts or desired_record.targets not in UNUSUAL_TEXTS
    if desired_record.type not in rig.types or not is_portable or not rig.names(desired_record.name):
        assert rig.reader.adjust([desired_record], rig.zone).accepted == ()
        return
    desired_record = replace(desired_record, targets=tuple(map(rig.normalize, desired_record.targets)))
    assert rig.reader.adjust([desired_record], rig.zone).accepted == (desired_record,)
    if answer := rig.refusals.get(desired_record.name):
        outcome = rig.submit(Write(old=None, new=desired_record))
        assert isinstance(outcome, Refused)
        assert answer in outcome.message
        return
    (record,) = rig.apply(Write(old=None, new=desired_record))
    if not rig.shows_ttl:
        (record,) = (one for one in rig.reader.read_names(rig.zone, [record.name]) if one.key == record.key)
    assert (record.key, record.targets, record.properties) == (
        desired_record.key,
        desired_record.targets,
        desired_record.properties,
    )
    assert record.ttl_s == (desired_record.ttl_s or 300)
    assert set(rig.read()) - set(before) == {record}
    assert record in rig.reader.read_names(rig.zone, [desired_record.name])


def test_a_provider_refuses_to_adjust_a_record_of_a_type_that_extdns_cannot_own(rig: Rig) -> None:
    strange = build_desired("www.example.org", "LOC", "51 30 12.748 N 0 7 39.611 W 0.00m")
    (refusal,) = rig.reader.adjust([strange], rig.zone).refused
    assert (refusal.desired, refusal.reason) == (strange, Reason.UNSUPPORTED)
    assert "LOC" in refusal.detail


def test_a_name_outside_the_zone_is_refused_by_adjust_and_by_the_dns_service(rig: Rig) -> None:
    stray = create("www.example.net", "A", "192.0.2.1")
    assert stray.new is not None
    assert rig.reader.adjust([stray.new], rig.zone).accepted == ()
    assert isinstance(rig.submit(stray), Refused)


def test_adjusting_an_adjusted_record_changes_nothing(rig: Rig) -> None:
    desired_record = [
        build_desired("www.example.org", "A", "192.0.2.1"),
        build_desired("www.example.org", "TXT", "no quotes"),
        build_desired("_x.example.org", "SRV", "0  5 5060 sip.example.net."),
    ]
    once = rig.reader.adjust(desired_record, rig.zone)
    assert rig.reader.adjust(desired_record, rig.zone) == once
    assert rig.reader.adjust(once.accepted, rig.zone).accepted == once.accepted


def test_pages_of_a_zone_contain_each_record_once_grouped_by_name(rig: Rig) -> None:
    names = [name for label in ("b", "a-b", "a", "x.a", "*.a", "_c") if rig.names(name := f"{label}.example.org")]
    data = ("TXT", OWNERSHIP) if "TXT" in rig.types else ("A", "192.0.2.1")
    rig.apply(*(create(name, *data) for name in names))
    records = rig.read()
    assert len({record.key for record in records}) == len(records)
    assert {record.name for record in records} >= set(names)
    grouped = [name for name, _ in itertools.groupby(record.name for record in records)]
    assert len(grouped) == len(set(grouped))


def test_reading_continues_after_a_page_whose_last_record_was_deleted(rig: Rig) -> None:
    made = rig.apply(*(create(f"n{index}.example.org", "A", "192.0.2.1") for index in range(6)))
    first = rig.reader.read_page(rig.zone, None)
    assert first.after is not None
    rig.edit(*(delete(record) for record in made if record in first.records))
    rest = rig.reader.read_page(rig.zone, first.after)
    assert rest.records
    assert not set(rest.records) & set(first.records)


def test_read_names_returns_all_records_of_each_name_once(rig: Rig) -> None:
    made = rig.apply(
        create("w.example.org", "A", "192.0.2.1", ttl_s=60), create("w.example.org", "TXT", OWNERSHIP, ttl_s=60)
    )
    rig.apply(create("ww.example.org", "A", "192.0.2.1"), create("x.w.example.org", "A", "192.0.2.1"))
    name, absent = DnsName("w.example.org"), DnsName("absent.example.org")
    assert sorted(rig.reader.read_names(rig.zone, [absent, name, name]), key=lambda r: r.key) == list(made)
    assert rig.reader.read_names(rig.zone, []) == ()


@pytest.mark.parametrize("kind", ["create", "update", "delete", "restate"])
def test_a_conditional_write_changes_nothing_if_the_current_record_differs_from_what_was_read(
    guarded: Rig, kind: str
) -> None:
    (held,) = guarded.apply(create("www.example.org", "A", "192.0.2.1"))
    guarded.edit(update(held, "192.0.2.99"))
    write = {
        "create": create("www.example.org", "A", "192.0.2.1"),
        "update": update(held, "192.0.2.2"),
        "delete": delete(held),
        "restate": restate(held),
    }[kind]
    before = guarded.read()
    outcome = guarded.submit(create("other.example.org", "A", "192.0.2.7"), write)
    assert isinstance(outcome, WriteConflict)
    assert guarded.read() == before
    assert outcome.offending_names == ("www.example.org",)


@pytest.mark.parametrize("ttl_only", [True, False], ids=["ttl", "gone"])
def test_a_conditional_write_conflicts_if_the_ttl_changed_or_the_record_is_missing(
    guarded: Rig, ttl_only: bool
) -> None:
    (held,) = guarded.apply(create("www.example.org", "A", "192.0.2.1"))
    guarded.edit(update(held, *held.targets, ttl_s=77) if ttl_only else delete(held))
    if ttl_only and not guarded.sees_ttl:
        assert isinstance(guarded.submit(update(held, "192.0.2.2")), Applied)
        return
    assert isinstance(guarded.submit(delete(held)), WriteConflict)
    assert isinstance(guarded.submit(update(held, "192.0.2.2")), WriteConflict)


def test_creating_an_existing_record_is_a_write_conflict(guarded: Rig) -> None:
    write = create("www.example.org", "A", "192.0.2.1")
    guarded.apply(write)
    before = guarded.read()
    assert isinstance(guarded.submit(write), WriteConflict)
    assert guarded.read() == before


def test_a_record_and_its_ownership_record_can_be_created_updated_and_deleted_in_one_batch(rig: Rig) -> None:
    name = rig.registry.ownership_name(DnsName("web.example.org"))
    made = rig.apply(create("web.example.org", "A", "192.0.2.1"), create(str(name), "TXT", OWNERSHIP))
    record, ownership = sorted(made, key=lambda record: record.type)
    changed = rig.apply(restate(ownership), update(record, "192.0.2.2"))
    assert {r.targets for r in changed} == {ownership.targets, ("192.0.2.2",)}
    assert replace(ownership, exact=None) in [replace(r, exact=None) for r in changed]
    assert rig.apply(*(delete(r) for r in changed)) == ()
    assert rig.reader.read_names(rig.zone, [record.name, ownership.name]) == ()


def test_a_write_with_equal_old_and_new_record_is_applied_and_changes_nothing(rig: Rig) -> None:
    (held,) = rig.apply(create("www.example.org", "A", "192.0.2.1"))
    before = rig.read()
    assert rig.apply(restate(held)) == (held,)
    assert rig.read() == before


def test_an_address_record_can_be_replaced_by_a_cname_in_one_batch(rig: Rig) -> None:
    (held,) = rig.apply(create("www.example.org", "A", "192.0.2.1"))
    (now,) = rig.apply(delete(held), create("www.example.org", "CNAME", "lb.example.net", ttl_s=60))
    assert rig.reader.read_names(rig.zone, [held.name]) == (now,)


def test_a_record_without_ttl_gets_the_default_ttl_of_the_dns_service(rig: Rig) -> None:
    rig.apply(create("www.example.org", "A", "192.0.2.1"))
    (held,) = rig.reader.read_names(rig.zone, [DnsName("www.example.org")])
    assert held.ttl_s > 0
    (again,) = rig.apply(Write(old=held, new=build_desired("www.example.org", "A", "192.0.2.1")))
    assert again == held


@pytest.mark.parametrize("rtype", ["A", "TXT", "MX"])
def test_no_other_type_can_coexist_with_a_cname(rig: Rig, rtype: str) -> None:
    target = {"A": "192.0.2.1", "TXT": OWNERSHIP, "MX": "10 mail.example.net"}[rtype]
    rig.apply(create("www.example.org", "CNAME", "lb.example.net"))
    before = rig.read()
    outcome = rig.submit(create("fine.example.org", "A", "192.0.2.1"), create("www.example.org", rtype, target))
    if isinstance(outcome, Unknown):  # the other name was written
        assert not rig.reader.capabilities.atomic
        outcome = rig.submit(create("www.example.org", rtype, target))
    assert isinstance(outcome, Refused | WriteConflict)
    if rig.reader.capabilities.atomic:
        assert rig.read() == before
    assert outcome.offending_names == (("www.example.org",) if rig.names_offending else ())


def test_a_record_written_twice_in_one_batch_is_refused(guarded: Rig) -> None:
    before = guarded.read()
    write = create("www.example.org", "A", "192.0.2.1")
    assert isinstance(guarded.submit(write, write), Refused)
    assert guarded.read() == before


def test_an_empty_batch_counts_as_applied(rig: Rig) -> None:
    assert rig.submit() == Applied(records=())


def test_a_provider_either_stores_members_of_a_routing_policy_or_refuses_them_in_adjust_and_in_writes(rig: Rig) -> None:
    members = [
        replace(
            build_desired("w.example.org", "A", f"192.0.2.{n}", set_identifier=f"v{n}"),
            properties=rig.routes or EMPTY_MAP,
        )
        for n in (1, 2)
    ]
    adjusted = rig.reader.adjust(members, rig.zone)
    if rig.routes is None:
        assert [refusal.reason for refusal in adjusted.refused] == [Reason.UNSUPPORTED] * 2
        assert isinstance(rig.submit(Write(old=None, new=members[0])), Refused)
        return
    assert adjusted.accepted == tuple(members)
    rig.apply(*(Write(old=None, new=member) for member in members))
    assert [record.set_identifier for record in rig.reader.read_names(rig.zone, [members[0].name])] == ["v1", "v2"]
    assert isinstance(rig.submit(create("w.example.org", "A", "192.0.2.3")), Refused)


def test_reading_a_missing_zone_raises_an_error_and_a_write_to_it_has_the_outcome_try_later(rig: Rig) -> None:
    with pytest.raises(ProviderError, match="gone"):
        rig.reader.read_page(NOWHERE, None)
    with pytest.raises(ProviderError, match="gone"):
        rig.reader.read_names(NOWHERE, [NOWHERE.name])
    batch = build_batch(NOWHERE, [create("www.gone.example", "A", "192.0.2.1")])
    assert isinstance(rig.writer.submit(NOWHERE, batch), TryLater)


_KEYS = st.tuples(st.sampled_from(["a", "b", "x.a"]), st.sampled_from(["A", "TXT", "CNAME"]))
_DATA = {
    "A": ("192.0.2.1", "192.0.2.2"),
    "TXT": (OWNERSHIP, '"other"'),
    "CNAME": ("lb-1.example.net", "lb-2.example.net"),
}
_STEPS = st.lists(
    st.lists(st.tuples(_KEYS, st.sampled_from([None, 0, 1]), st.booleans()), max_size=4), min_size=1, max_size=6
)


@settings(max_examples=40)
@given(steps=_STEPS)
def test_a_batch_is_applied_completely_or_not_at_all(
    guarded_provider: str, steps: list[list[tuple[tuple[str, str], int | None, bool]]]
) -> None:
    with TemporaryDirectory() as folder:
        rig = build_rig(guarded_provider, Path(folder))
        foreign = set(rig.read())
        held = {record.key: record for record in foreign}
        for step in steps:
            writes = [write for key, data, right in step if (write := _write(held, key, data, right=right)) is not None]
            outcome = rig.submit(*writes)
            if isinstance(outcome, Applied):
                held = {key: held[key] for key in held.keys() - {write.key for write in writes}}
                held |= {record.key: record for record in outcome.records}
            else:
                assert isinstance(outcome, WriteConflict | Refused)
                assert set(outcome.offending_names) <= {write.key.name for write in writes}
            assert set(rig.read()) == set(held.values())
            assert foreign <= set(held.values())


def _write(held: dict[RecordKey, Record], key: tuple[str, str], data: int | None, *, right: bool) -> Write | None:
    """Return a write that sets *key* to *data*, or None without a change. Unless *right*, its condition is false."""
    label, rtype = key
    desired_record = None if data is None else build_desired(f"{label}.example.org", rtype, _DATA[rtype][data])
    old = held.get(build_desired(f"{label}.example.org", rtype, _DATA[rtype][0]).key)
    if not right:
        old = None if old else Record(name=DnsName(f"{label}.example.org"), type=rtype, targets=("x",), ttl_s=1)
    return None if old is None and desired_record is None else Write(old=old, new=desired_record)
