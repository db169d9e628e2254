"""Ownership records of the name of a zone itself that are inside the zone (docs/design/zone-names.md)."""

from __future__ import annotations

import pytest

from extdns.model.change import ChangeSet
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OWNED_RECORD, Record
from extdns.model.zone import Zone
from tests.builders import build_registry, create, delete, update
from tests.unit.registry.completion import (
    MANAGED,
    build_writes,
    complete,
    describe_writes,
    find,
    get_block,
    list_ours,
)
from tests.unit.registry.zone_records import ZONE, apply, build_desired, key, ownership_record, record

APEX = record("A", "@")
INSIDE = ownership_record("_extdns-a", **{OWNED_RECORD: ZONE.name})
PUBLISHED = ownership_record("txt-_extdns-a", resource="crd/shop/x")


@pytest.mark.parametrize(
    ("affix", "expected"),
    [
        pytest.param({}, "_extdns-a", id="no-affix"),
        pytest.param({"prefix": "e."}, "_extdns-a", id="prefix"),
        pytest.param({"prefix": "%{record_type}-"}, "_extdns-a", id="prefix-with-a-type"),
        pytest.param({"suffix": "-txt"}, "_extdns-a", id="suffix"),
        pytest.param({"prefix": "%{record_type}-owner."}, "a-owner", id="prefix-that-gives-a-name-inside-the-zone"),
    ],
)
def test_ownership_record_is_inside_the_zone(affix: dict[str, str], expected: str) -> None:
    registry = build_registry(**affix)  # type: ignore[arg-type]
    done = build_writes(registry, [], create(build_desired("A", "@")))
    assert describe_writes(done) == f"create TXT {expected}, create A @"
    owned = find(registry, apply([], done), key("A", "@"))
    assert (owned.owner, owned.is_ours, owned.has_current_format, owned.is_unambiguous) == ("me", True, True, True)


@pytest.mark.parametrize("compat", [False, True])
def test_updated_and_deleted_with_its_ownership_record(compat: bool) -> None:
    registry = build_registry(unmarked_creates=compat)
    owned = find(registry, [APEX, INSIDE], key("A", "@"))
    done = build_writes(registry, [APEX, INSIDE], update(owned, build_desired("A", "@", target="192.0.2.9")))
    assert "update A @" in describe_writes(done)
    assert list_ours(registry, apply([APEX, INSIDE], done)) == {key("A", "@")}
    assert describe_writes(build_writes(registry, [APEX, INSIDE], delete(owned))) == (
        "delete TXT _extdns-a, delete A @"
    )


@pytest.mark.parametrize(
    ("records", "owner"),
    [
        pytest.param([INSIDE], "me", id="ours"),
        pytest.param([ownership_record("_extdns-a", "other", ownedRecord=ZONE.name)], "other", id="of-another-owner"),
        pytest.param([INSIDE, ownership_record("a-x.test.", "other")], "me", id="another-owner-outside-the-zone"),
        pytest.param([INSIDE, ownership_record("@", "other")], "me", id="another-owner-in-an-old-format"),
        pytest.param([ownership_record("_extdns-a")], None, id="states-no-record"),
        pytest.param([ownership_record("_extdns-aaaa", ownedRecord=ZONE.name)], None, id="of-another-type"),
        pytest.param([INSIDE, PUBLISHED], None, id="published-by-an-object"),
    ],
)
def test_ownership_record_inside_the_zone_decides_who_owns_the_record(records: list[Record], owner: str | None) -> None:
    assert find(build_registry(), [APEX, *records], key("A", "@")).owner == owner


def test_ownership_record_inside_decides_if_another_name_sorts_first() -> None:
    records = [APEX, INSIDE, ownership_record("1-a-x.test.", "other")]
    assert find(build_registry(prefix="1-"), records, key("A", "@")).owner == "me"


def test_ownership_record_inside_covers_no_record_at_another_name() -> None:
    records = [record("A", "_extdns-a"), record("A", "foo"), APEX, INSIDE]
    assert list_ours(build_registry(), records) == {key("A", "@")}


def test_published_ownership_record_is_named_as_what_does_not_count() -> None:
    assert find(build_registry(), [APEX, INSIDE, PUBLISHED], key("A", "@")).forged == "_extdns-a.x.test"


def test_txt_record_with_an_ownership_record_of_its_own_is_none() -> None:
    records = [APEX, ownership_record("@"), ownership_record("_extdns-txt", ownedRecord=ZONE.name)]
    assert list_ours(build_registry(types=(*MANAGED, "TXT")), records) == {key("TXT", "@")}


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        pytest.param(ownership_record("_extdns-a", "other"), Reason.OWNED_BY_OTHER, id="of-another-owner"),
        pytest.param(record("TXT", "_extdns-a"), Reason.NO_OWNERSHIP_NAME, id="txt"),
        pytest.param(record("CNAME", "_extdns-a"), Reason.NO_OWNERSHIP_NAME, id="cname"),
    ],
)
def test_nothing_is_created_if_its_ownership_record_cannot_be_written(there: Record, reason: Reason) -> None:
    assert get_block(build_registry(), [there], create(build_desired("A", "@"))).reason is reason


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        pytest.param(Zone(name=DnsName("test"), id="2"), "a-x.test", id="that-holds-the-usual-name"),
        pytest.param(Zone(name=DnsName("est"), id="2"), "_extdns-a.x.test", id="that-does-not"),
        pytest.param(None, "_extdns-a.x.test", id="none"),
    ],
)
def test_ownership_record_is_in_the_parent_zone_if_that_is_managed(parent: Zone | None, expected: str) -> None:
    change_set = ChangeSet(zone=ZONE, name=ZONE.name, changes=(create(build_desired("A", "@")),), parent=parent)
    done = build_registry().complete(change_set, [])
    assert isinstance(done, ChangeSet)
    assert [write.key.name for write in done.writes if write.key.type == "TXT"] == [expected]


def test_nothing_is_created_if_the_zone_name_is_too_long() -> None:
    zone = Zone(name=DnsName(".".join(["a" * 60] * 4)), id="1")
    done = complete(build_registry(), [], create(build_desired("AAAA", f"{zone.name}.")), zone=zone)
    assert getattr(done, "reason", done) is Reason.NO_OWNERSHIP_NAME
