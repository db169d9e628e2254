"""What holds for every zone, every naming and every change: the registry's part of the laws (design 2)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from extdns.model.change import Blocked, Change, Create, Delete, Update, Write
from extdns.model.ownership import Owned
from extdns.model.record import Record, RecordKey
from registry.txt.heritage import PlainText
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.registry.scene import (
    MANAGED,
    ZONE,
    apply,
    complete,
    delete,
    full,
    is_restated,
    mark,
    record,
    short,
    txt,
    update,
    wanted,
    writes,
)

HOSTS = ("@", "foo", "a-foo", "aaaa-foo", "cname-foo", "a-a-foo", "*", "any", "a-any", "mx-foo", "*.sub", "any.sub")
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
    lambda affix, wildcard, migrate_from: txt(**affix, wildcard=wildcard, migrate_from=migrate_from),
    st.sampled_from(AFFIXES),
    st.sampled_from(("", "any")),
    st.sampled_from(("", "old")),
)


STANDING = st.lists(
    st.tuples(st.sampled_from(HOSTS), st.sampled_from(TYPES), st.sampled_from(SIDS), st.booleans()),
    min_size=1,
    max_size=6,
)
PROOFS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(OWNERS), st.sampled_from(RESOURCES)), max_size=9
)


@st.composite
def zones(draw: st.DrawFn, naming: Naming) -> list[Record]:
    """Records of a few names that look like each other's marks, with marks in all forms."""
    found: dict[RecordKey, Record] = {}
    for host, rtype, sid, alias in draw(STANDING):
        standing = record(rtype, host, sid=sid, **({"alias": "true"} if alias and rtype == "A" else {}))
        found[standing.key] = standing
    targets = list(found.values())
    for which, form, owner, resource in draw(PROOFS):
        target = targets[which % len(targets)]
        forms = [name for _, name in naming.forms(target.name, target.type, alias=True)]
        if forms:
            proof = mark(f"{forms[form % len(forms)]}.", owner, resource, sid=target.set_identifier)
            found[proof.key] = proof
    for host in draw(st.lists(st.sampled_from(HOSTS), max_size=2)):
        found.setdefault(record("TXT", host).key, record("TXT", host))
    return list(found.values())


@st.composite
def scenes(draw: st.DrawFn) -> tuple[TxtRegistry, list[Record]]:
    registry = draw(registries)
    return registry, draw(zones(registry._terms.naming))


@st.composite
def plans(draw: st.DrawFn) -> tuple[TxtRegistry, list[Record], tuple[Change, ...]]:
    """A scene, and changes of one pair such as a planner may ask for."""
    registry, records = draw(scenes())
    found = registry.read(records)
    pairs = sorted({(short(owned.key.name), owned.key.set_identifier) for owned in found if owned.ours})
    host, sid = draw(
        st.sampled_from(pairs) | st.tuples(st.sampled_from(HOSTS), st.just(""))
        if pairs
        else st.tuples(st.sampled_from(HOSTS), st.just(""))
    )
    held = {owned.record.type: owned for owned in found if _pair(owned.key) == (full(host), sid)}
    shape = draw(st.sampled_from(SHAPES))
    changes: list[Change] = []
    for rtype in sorted(MANAGED):
        endpoint = wanted(rtype, host, draw(st.sampled_from(RESOURCES)), sid=sid)
        if rtype not in held:
            if rtype in shape and all(owned.ours for owned in held.values()):
                changes.append(Create(wanted=endpoint))
        elif held[rtype].ours and rtype not in shape:
            changes.append(delete(held[rtype]))
        elif held[rtype].ours and draw(st.booleans()):
            changes.append(update(held[rtype], endpoint))
    assume(changes)
    return registry, records, tuple(changes)


def mine(registry: TxtRegistry, record: Record) -> bool:
    labels = PlainText().decode(record.targets[0]) if record.type == "TXT" else None
    return labels is not None and registry._terms.mine(labels.get("owner"))


@given(scenes())
def test_nothing_is_ours_without_a_mark_of_ours(scene: tuple[TxtRegistry, list[Record]]) -> None:
    registry, records = scene
    strangers = [record for record in records if not mine(registry, record)]
    assert not [owned for owned in registry.read(strangers) if owned.ours]
    for owned in registry.read(records):
        assert owned.ours == any(mine(registry, proof) for proof in owned.marks)


@given(scenes(), st.randoms())
def test_the_order_of_records_does_not_matter(scene: tuple[TxtRegistry, list[Record]], random: Random) -> None:
    registry, records = scene
    shuffled = list(records)
    random.shuffle(shuffled)
    assert registry.read(shuffled) == registry.read(records)


@given(scenes())
def test_a_mark_proves_records_of_one_name(scene: tuple[TxtRegistry, list[Record]]) -> None:
    registry, records = scene
    found = registry.read(records)
    for proof in records:
        assert len({owned.record.name for owned in found if proof in owned.marks}) <= 1


@given(scenes())
def test_a_name_and_its_kin_tell_as_much_as_the_whole_zone(scene: tuple[TxtRegistry, list[Record]]) -> None:
    registry, records = scene
    whole = registry.read(records)
    for host in HOSTS:
        name = full(host)
        kin = {name, *registry.related(name)}
        part = registry.read(record for record in records if record.name in kin)
        assert [owned for owned in part if owned.record.name == name] == [
            owned for owned in whole if owned.record.name == name
        ]


@given(registries, st.sampled_from(HOSTS))
def test_kin_is_mutual_each_once_and_without_oneself(registry: TxtRegistry, host: str) -> None:
    name = full(host)
    kin = registry.related(name)
    assert name not in kin
    assert len(kin) == len(set(kin))
    assert all(name in registry.related(other) for other in kin)


def checked(
    registry: TxtRegistry, records: Sequence[Record], changes: Sequence[Change]
) -> tuple[tuple[Write, ...], list[Record], dict[RecordKey, Owned]]:
    """The writes, and the zone after them."""
    done = complete(registry, records, *changes)
    assume(not isinstance(done, Blocked))
    assert not isinstance(done, Blocked)
    after = apply(records, done)
    return done, after, {owned.key: owned for owned in registry.read(after)}


@given(plans())
def test_writes_make_what_is_wanted_ours_and_leave_the_rest(
    plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]],
) -> None:
    registry, records, changes = plan
    done, _, after = checked(registry, records, changes)
    assert [write.key for write in done] == sorted({write.key for write in done})
    touched = {change.key for change in changes}
    for change in changes:
        if isinstance(change, Create | Update):
            assert after[change.key].ours
            assert after[change.key].marked or change.key.name == ZONE.name
        else:
            assert change.key not in after
    for owned in registry.read(records):
        if owned.key not in touched:
            assert (after[owned.key].owner, after[owned.key].ours) == (owned.owner, owned.ours)


@given(plans())
def test_nothing_foreign_is_written(plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]]) -> None:
    registry, records, changes = plan
    done, _, _ = checked(registry, records, changes)
    owned = {found.key for found in registry.read(records) if found.ours}
    for write in done:
        assert write.old is None or write.key in owned or mine(registry, write.old)


@given(plans())
def test_wanting_the_same_again_restates(plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]]) -> None:
    registry, records, changes = plan
    _, zone, after = checked(registry, records, changes)
    keep = [change.wanted for change in changes if not isinstance(change, Delete)]
    assume(keep)
    done = writes(registry, zone, *(update(after[endpoint.key], endpoint) for endpoint in keep))
    # Old marks that stood there alone are put in order once.
    assert all(is_restated(write) for write in done if write.key.type != "TXT"), done
    zone = apply(zone, done)
    held = {owned.key: owned for owned in registry.read(zone)}
    done = writes(registry, zone, *(update(held[endpoint.key], endpoint) for endpoint in keep))
    assert all(is_restated(write) for write in done), done


@given(plans())
def test_deleting_everything_leaves_no_mark_of_its_own(
    plan: tuple[TxtRegistry, list[Record], tuple[Change, ...]],
) -> None:
    registry, records, changes = plan
    _, zone, after = checked(registry, records, changes)
    pair = _pair(changes[0].key)
    ending = [delete(owned) for owned in after.values() if owned.ours and _pair(owned.key) == pair]
    assume(ending)
    done = complete(registry, zone, *ending)
    assume(not isinstance(done, Blocked))
    assert not isinstance(done, Blocked)
    left = apply(zone, done)
    proofs = {proof for owned in after.values() if owned.ours and _pair(owned.key) == pair for proof in owned.marks}
    others = {proof for owned in registry.read(left) for proof in owned.marks}
    assert {record for record in left if record in proofs} <= others


def _pair(key: RecordKey) -> tuple[str, str]:
    return key.name, key.set_identifier
