"""Laws of ownership for all zones, naming formats and changes (docs/design/laws.md)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from extdns.model.change import Blocked, Change, Create, Delete, Update, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import OWNED_RECORD, OwnedRecord, Record, RecordKey
from registry.txt.naming import Naming, build_apex_name
from registry.txt.ownership_index import PlainTextCodec
from registry.txt.registry import TxtRegistry
from tests.builders import build_registry, delete, update
from tests.strategies import combinations
from tests.unit.registry.completion import MANAGED, build_writes, complete, is_restated
from tests.unit.registry.zone_records import (
    ZONE,
    apply,
    build_desired,
    build_name,
    ownership_record,
    record,
    remove_zone,
)

LIKE_FOO = ("foo", "a-foo", "aaaa-foo", "cname-foo", "a-a-foo", "mx-foo")
HOSTS = ("@", "_extdns-a", *LIKE_FOO, "*", "any", "a-any", "*.sub", "any.sub")
RESOURCES = ("", "service/d/one", "service/d/two")
OWNERS = ("me", "me", "me", "other", "old", "")
AFFIXES: tuple[dict[str, str], ...] = (
    {},
    {"prefix": "edns."},
    {"prefix": "edns-"},
    {"prefix": "edns-%{record_type}."},
    {"prefix": "%{record_type}-"},
    {"prefix": "%{record_type}"},
    {"suffix": "-txt"},
    {"suffix": "-%{record_type}x"},
    {"suffix": ".in.a"},
)
SIDS = ("", "", "", "one")
TYPES = ("A", "AAAA", "CNAME", "MX")
SHAPES = ((), ("A",), ("AAAA",), ("A", "AAAA"), ("CNAME",))

registries = st.builds(
    lambda affix, wildcard, migrate_from: build_registry(**affix, wildcard=wildcard, migrate_from=migrate_from),
    st.sampled_from(AFFIXES),
    st.sampled_from(("", "any")),
    st.sampled_from(("", "old")),
)


CURRENT = st.lists(
    st.tuples(st.sampled_from(HOSTS), st.sampled_from(TYPES), st.sampled_from(SIDS), st.booleans()),
    min_size=1,
    max_size=6,
)
PROOFS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(OWNERS), st.sampled_from(RESOURCES)), max_size=9
)


TEXTS = st.lists(st.sampled_from(HOSTS), max_size=2)
NAMES = st.tuples(st.sampled_from(HOSTS), st.just(""))
REQUESTS = combinations(SHAPES, *[RESOURCES] * len(MANAGED), *[(False, True)] * len(MANAGED))
"""The requested types, then for each managed type the resource and whether it is updated."""


@st.composite
def zones(draw: st.DrawFn, naming: Naming) -> list[Record]:
    """Generate records at names that look like ownership names of each other, with ownership records in all formats."""
    found: dict[RecordKey, Record] = {}
    for host, rtype, sid, alias in draw(CURRENT):
        existing = record(rtype, host, sid=sid, **({"alias": "true"} if alias and rtype == "A" else {}))
        found[existing.key] = existing
    targets = list(found.values())
    for which, form, owner, resource in draw(PROOFS):
        target = targets[which % len(targets)]
        formats = [name for _, name in naming.build_all_names(target.name, target.type, alias=True)]
        inside = build_apex_name(ZONE.name, target.type)
        if target.name == ZONE.name and inside:
            formats.append(inside)
        if formats:
            name = formats[form % len(formats)]
            stated = {OWNED_RECORD: ZONE.name} if name == inside and name in formats else {}
            ownership = ownership_record(f"{name}.", owner, resource, sid=target.set_identifier, **stated)
            found[ownership.key] = ownership
    for host in draw(TEXTS):
        found.setdefault(record("TXT", host).key, record("TXT", host))
    return list(found.values())


@st.composite
def registries_with_records(draw: st.DrawFn) -> tuple[TxtRegistry, list[Record]]:
    registry = draw(registries)
    return registry, draw(zones(registry._settings.naming))


@st.composite
def plans(draw: st.DrawFn) -> tuple[TxtRegistry, list[Record], tuple[Change, ...]]:
    """Generate a zone, and changes of two names that a planner could make."""
    registry, records = draw(registries_with_records())
    found = registry.read(records, ZONE)
    pairs = sorted({(remove_zone(owned.key.name), owned.key.set_identifier) for owned in found if owned.is_ours})
    host, sid = draw(st.sampled_from(pairs) | NAMES if pairs else NAMES)
    held = {owned.record.type: owned for owned in found if _build_two(owned.key) == (build_name(host), sid)}
    shape, *picked = draw(REQUESTS)
    changes: list[Change] = []
    for rtype, resource, updates in zip(sorted(MANAGED), picked[: len(MANAGED)], picked[len(MANAGED) :], strict=True):
        endpoint = build_desired(rtype, host, resource, sid=sid)
        if rtype not in held:
            if rtype in shape and all(owned.is_ours for owned in held.values()):
                changes.append(Create(desired=endpoint))
        elif held[rtype].is_ours and rtype not in shape:
            changes.append(delete(held[rtype]))
        elif held[rtype].is_ours and updates:
            changes.append(update(held[rtype], endpoint))
    assume(changes)
    return registry, records, tuple(changes)


def mine(registry: TxtRegistry, record: Record) -> bool:
    labels = PlainTextCodec().decode(record.targets[0]) if record.type == "TXT" else None
    return labels is not None and registry._settings.is_our_owner(labels.get("owner"))


@given(registries_with_records())
def test_no_record_is_ours_without_an_ownership_record_of_ours(situation: tuple[TxtRegistry, list[Record]]) -> None:
    registry, records = situation
    strangers = [record for record in records if not mine(registry, record)]
    assert not [owned for owned in registry.read(strangers, ZONE) if owned.is_ours]
    for owned in registry.read(records, ZONE):
        assert owned.is_ours == any(mine(registry, ownership) for ownership in owned.ownership_records)


@given(registries_with_records(), st.randoms())
def test_order_of_records_does_not_change_ownership(
    situation: tuple[TxtRegistry, list[Record]], random: Random
) -> None:
    registry, records = situation
    shuffled = list(records)
    random.shuffle(shuffled)
    assert registry.read(shuffled, ZONE) == registry.read(records, ZONE)


@given(registries_with_records())
def test_ownership_record_never_covers_records_of_two_names(situation: tuple[TxtRegistry, list[Record]]) -> None:
    registry, records = situation
    found = registry.read(records, ZONE)
    for ownership in records:
        assert len({owned.record.name for owned in found if ownership in owned.ownership_records}) <= 1


@given(registries_with_records())
def test_reading_a_name_with_related_names_gives_the_owners_of_the_zone(
    situation: tuple[TxtRegistry, list[Record]],
) -> None:
    registry, records = situation
    whole = registry.read(records, ZONE)
    for host in HOSTS:
        name = build_name(host)
        related = {name, *registry.related_names(name, ZONE)}
        part = registry.read((record for record in records if record.name in related), ZONE)
        assert [owned for owned in part if owned.record.name == name] == [
            owned for owned in whole if owned.record.name == name
        ]


@given(registries, st.sampled_from(HOSTS))
def test_related_names_are_mutual_and_unique_and_exclude_the_name(registry: TxtRegistry, host: str) -> None:
    name = build_name(host)
    related = registry.related_names(name, ZONE)
    assert name not in related
    assert len(related) == len(set(related))
    assert all(name in registry.related_names(DnsName(other), ZONE) for other in related)


def apply_changes(
    registry: TxtRegistry, records: Sequence[Record], changes: Sequence[Change]
) -> tuple[tuple[Write, ...], list[Record], dict[RecordKey, OwnedRecord]]:
    """Return the writes of *changes*, all records after them, and their owners by key; skip blocked examples."""
    done = complete(registry, records, *changes)
    assume(not isinstance(done, Blocked))
    assert not isinstance(done, Blocked)
    after = apply(records, done)
    return done, after, {owned.key: owned for owned in registry.read(after, ZONE)}


@given(plans())
def test_changes_make_the_desired_records_ours_and_change_no_others(
    plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]],
) -> None:
    registry, records, changes = plan
    done, _, after = apply_changes(registry, records, changes)
    assert [write.key for write in done] == sorted({write.key for write in done})
    touched = {change.key for change in changes}
    for change in changes:
        if isinstance(change, Create | Update):
            assert after[change.key].is_ours
            assert after[change.key].has_current_format or change.key.name == ZONE.name
        else:
            assert change.key not in after
    for owned in registry.read(records, ZONE):
        if owned.key not in touched:
            assert (after[owned.key].owner, after[owned.key].is_ours) == (owned.owner, owned.is_ours)


@given(plans())
def test_foreign_records_are_never_written(plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]]) -> None:
    registry, records, changes = plan
    done, _, _ = apply_changes(registry, records, changes)
    owned = {found.key for found in registry.read(records, ZONE) if found.is_ours}
    for write in done:
        assert write.old is None or write.key in owned or mine(registry, write.old)


@given(plans())
def test_updating_records_to_what_they_are_leaves_them_unchanged(
    plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]],
) -> None:
    registry, records, changes = plan
    _, zone, after = apply_changes(registry, records, changes)
    keep = [change.desired for change in changes if not isinstance(change, Delete)]
    assume(keep)
    done = build_writes(registry, zone, *(update(after[endpoint.key], endpoint) for endpoint in keep))
    # The first update may still rewrite old ownership records that cover no record.
    assert all(is_restated(write) for write in done if write.key.type != "TXT"), done
    zone = apply(zone, done)
    held = {owned.key: owned for owned in registry.read(zone, ZONE)}
    done = build_writes(registry, zone, *(update(held[endpoint.key], endpoint) for endpoint in keep))
    assert all(is_restated(write) for write in done), done


@given(plans())
def test_deleting_all_records_deletes_their_ownership_records_if_not_needed(
    plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]],
) -> None:
    registry, records, changes = plan
    _, zone, after = apply_changes(registry, records, changes)
    couple = _build_two(changes[0].key)
    final = [delete(owned) for owned in after.values() if owned.is_ours and _build_two(owned.key) == couple]
    assume(final)
    done = complete(registry, zone, *final)
    assume(not isinstance(done, Blocked))
    assert not isinstance(done, Blocked)
    left = apply(zone, done)
    proofs = {
        ownership
        for owned in after.values()
        if owned.is_ours and _build_two(owned.key) == couple
        for ownership in owned.ownership_records
    }
    others = {ownership for owned in registry.read(left, ZONE) for ownership in owned.ownership_records}
    assert {record for record in left if record in proofs} <= others


def _build_two(key: RecordKey) -> tuple[str, str]:
    return key.name, key.set_identifier
