"""Ownership moves between registries, whenever the process ends, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pytest

from extdns.commands.registry_migration import Migration, MigrationScope, move_rows, move_to_rows, move_to_texts
from extdns.model.change import Batch, ChangeSet, Outcome, Refused, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import Record, restate_record
from extdns.model.rrtype import is_row
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider
from registry.rows.row import Row
from registry.rows.service import RowService
from registry.txt.ownership_index import OwnershipTextCodec
from tests.builders import build_codec, build_registry, build_row_registry
from tests.fakes.careless import CarelessProvider
from tests.fakes.row_store import Killed, Lifetime, RowStoreInMemory
from tests.unit.registry.completion import MANAGED, list_ours
from tests.unit.registry.zone_records import ZONE, build_name, key, ownership_record, parse_records, record

OURS: Final = parse_records("A a, AAAA a, CNAME b, A w/1, A w/2, A @, A *")
OTHERS: Final = [
    *parse_records("A foreign, A theirs, own a-theirs owner=you, MX a"),
    record("TXT", "spf", target='"v=spf1 -all"'),
]
TEXTS: Final = parse_records(
    "own a-a resource=one, own aaaa-a resource=one, own b resource=old, own cname-b resource=two, "
    "own a-w/1, own a-w/2, own a-*"
)
APEX: Final = ownership_record("_extdns-a", ownedRecord="x.test")
SCOPE: Final = MigrationScope(owner="me", matches=lambda _: True)


class Site:
    """A zone, the rows of one or two stores, and the process that migrates."""

    def __init__(self, *records: Record, careless: bool = False, codec: OwnershipTextCodec | None = None) -> None:
        service = CarelessProvider if careless else InMemoryProvider
        self.provider = service(seed={ZONE: records}, page_size=3)
        self.store, self.other = RowStoreInMemory(), RowStoreInMemory(max_changes=3)
        self.lifetime = Lifetime()
        self.texts = build_registry(codec=codec)
        self.rows = build_row_registry(self.texts)

    def to_rows(self, *, writes: bool = True) -> Migration:
        service = self._start()
        return move_to_rows(service, service if writes else None, self.rows, SCOPE)

    def to_texts(self, *, writes: bool = True) -> Migration:
        service = self._start()
        store = self.lifetime.watch(self.store, "read_all", "read", "write")
        return move_to_texts(service, service if writes else None, store, self.rows, self.texts, SCOPE)

    def to_other(self, *, writes: bool = True) -> Migration:
        old, new = (self.lifetime.watch(one, "read_all", "read", "write") for one in (self.store, self.other))
        return move_rows(old, new, SCOPE, writes=writes)

    def _start(self) -> RowService:
        calls = ("list_zones", "read_page", "read_names", "submit", "read_all", "read", "write")
        provider, store = (self.lifetime.watch(one, *calls) for one in (self.provider, self.store))
        return RowService(provider, provider, store, owner="me", managed_types=MANAGED, read_term=lambda: 0)

    def add_rows(self, *records: Record, owner: str = "me") -> None:
        for one in records:
            labels = StringMap.from_items({"resource": "service/d/one"})
            self.store.rows[one.key] = Row(id=self.store.build_id(one.key), key=one.key, owner=owner, labels=labels)

    def read(self) -> list[Record]:
        """Return all records, and the rows of all stores."""
        store = RowStoreInMemory({**self.other.rows, **self.store.rows})
        service = RowService(self.provider, None, store, owner="me", managed_types=MANAGED, read_term=lambda: 0)
        service.list_zones()
        found: list[Record] = []
        after = None
        while True:
            page = service.read_page(ZONE, after)
            found += page.records
            after = page.after
            if after is None:
                return sorted(found, key=lambda one: one.key)

    def addresses(self) -> list[Record]:
        return [one for one in self.read() if one.type != "TXT" and not is_row(one.type)]

    def texts_of(self, owner: str) -> set[str]:
        texts = (one for one in self.read() if f"external-dns/owner={owner}" in str(one.targets))
        return {str(one.name) for one in texts}


def start_texts(*, careless: bool = False) -> Site:
    return Site(*OURS, *OTHERS, *TEXTS, APEX, careless=careless)


def start_rows(*, careless: bool = False) -> Site:
    site = Site(*OURS, *OTHERS, careless=careless)
    site.add_rows(*OURS, *parse_records("A gone"))
    site.add_rows(record("A", "foreign"), owner="other")
    return site


KEYS: Final = {one.key for one in OURS}
MOVES: Final[dict[str, tuple[Callable[..., Site], Callable[[Site], Migration]]]] = {
    "to-rows": (start_texts, Site.to_rows),
    "to-texts": (start_rows, Site.to_texts),
    "to-other-rows": (start_rows, Site.to_other),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("careless", [False, True], ids=["conditional", "careless"])
@pytest.mark.parametrize("move", MOVES)
def test_a_migration_that_ends_at_any_call_is_completed_by_the_next(move: str, careless: bool, after: bool) -> None:
    start, run = MOVES[move]
    call, ended = 0, True
    while ended:
        call += 1
        site = start(careless=careless)
        before = site.addresses()
        site.lifetime = Lifetime(left=call, after=after)
        ended = False
        try:
            run(site)
        except Killed:
            ended = True
        site.lifetime.left = 0
        assert (list_ours(site.rows, site.read()), site.addresses()) == (KEYS, before), call
        assert not run(site).failed
        again = run(site)
        assert (again.moved, again.removed, again.failed) == ((), (), ())
        assert (list_ours(site.rows, site.read()), site.addresses()) == (KEYS, before), call
    assert call > 5


def test_after_the_move_to_rows_no_text_of_ours_is_left_and_those_of_others_are() -> None:
    site = start_texts()
    moved = site.to_rows().moved
    assert (len(moved), set(site.store.rows), site.texts_of("me")) == (len(OURS), KEYS, set())
    assert site.texts_of("you") == {"a-theirs.x.test"}
    assert site.store.rows[key("AAAA", "a")].labels.get("resource") == "service/d/one"
    assert list_ours(site.texts, site.read()) == set()


def test_after_the_move_to_texts_no_row_of_ours_is_left_and_those_of_others_are() -> None:
    site = start_rows()
    found = site.to_texts()
    assert (len(found.moved), found.removed) == (len(OURS), ("A gone.x.test",))
    assert set(site.store.rows) == {key("A", "foreign")}
    texts = [one for one in site.read() if not is_row(one.type)]
    assert list_ours(site.texts, texts) == KEYS
    assert {one.resource for one in site.texts.read(texts, ZONE) if one.is_ours} == {"service/d/one"}


def test_after_the_move_to_other_rows_each_row_of_ours_is_there() -> None:
    site = start_rows()
    site.to_other()
    assert set(site.store.rows) == {key("A", "foreign")}
    assert set(site.other.rows) == {*KEYS, key("A", "gone")}


def test_the_record_of_a_zone_whose_text_is_in_the_parent_zone_is_moved() -> None:
    child = Zone(name=build_name("dev"), id="2")
    site = Site()
    text = ownership_record("a-dev")
    site.provider = InMemoryProvider(seed={ZONE: [text], child: [record("A", "dev")]})
    assert site.to_rows().moved == ("A dev.x.test",)
    assert site.store.rows[key("A", "dev")].owner == "me"
    assert site.to_rows().moved == ()
    assert site.provider.read_names(ZONE, [text.name]) == (text,)


def test_rows_move_to_texts_though_that_of_another_name_cannot() -> None:
    site = Site(*OURS, *parse_records("own a-a owner=you"))
    site.add_rows(*OURS)
    assert len(site.to_texts().failed) == 1
    assert set(site.store.rows) == {key("A", "a"), key("AAAA", "a")}


def test_rows_about_records_that_cannot_be_read_or_are_in_a_delegated_zone_stay() -> None:
    site = Site(record("?", "a", target="A: not an address"), record("NS", "dev", target="ns1.test"))
    site.add_rows(*parse_records("A a, A web.dev, A gone"))
    assert site.to_texts().removed == ("A gone.x.test",)
    assert set(site.store.rows) == {key("A", "a"), key("A", "web.dev")}


class RefusingProvider(InMemoryProvider):
    """A service that refuses every batch with the name `b`."""

    def submit(self, zone: Zone, batch: Batch) -> Outcome:
        if build_name("b") in {one.name for one in batch.change_sets}:
            return Refused(message="no")
        return super().submit(zone, batch)


def test_a_name_that_the_service_refuses_is_the_only_one_that_is_not_moved() -> None:
    site = start_texts()
    site.provider = RefusingProvider(seed={ZONE: (*OURS, *OTHERS, *TEXTS, APEX)})
    assert site.to_rows().failed == ("b.x.test: no",)
    assert set(site.store.rows) == KEYS - {key("CNAME", "b")}


def test_encrypted_texts_are_moved_there_and_back() -> None:
    site = Site(*OURS, codec=build_codec())
    site.add_rows(*OURS)
    assert len(site.to_texts().moved) == len(OURS)
    assert not site.texts_of("me")
    assert len(site.to_rows().moved) == len(OURS)
    assert set(site.store.rows) == KEYS


@pytest.mark.parametrize(
    ("start", "run"), [(start_texts, Site.to_rows), (start_rows, Site.to_texts), (start_rows, Site.to_other)]
)
def test_without_writes_a_migration_says_what_it_would_move_and_writes_nothing(
    start: Callable[[], Site], run: Callable[..., Migration]
) -> None:
    site, written = start(), start()
    before = site.read()
    assert run(site, writes=False) == run(written)
    assert site.read() == before


class EditedProvider(CarelessProvider):
    """A service where somebody else takes `AAAA a` over, right before names are read."""

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        current = {one.key: one for one in super().read_names(zone, [build_name("aaaa-a")])}
        new = restate_record(ownership_record("aaaa-a", "you"))
        write = Write(old=current.get(new.key), new=new)
        change_set = ChangeSet(zone=zone, name=new.name, changes=(), writes=(write,))
        InMemoryProvider.submit(self, zone, Batch(number=1, zone=zone, change_sets=(change_set,)))
        return super().read_names(zone, names)


def test_a_text_that_somebody_changed_after_it_was_read_is_not_deleted() -> None:
    site = start_texts()
    site.provider = EditedProvider(seed={ZONE: (*OURS, *OTHERS, *TEXTS, APEX)})
    assert site.to_rows().failed == ("a.x.test: its ownership records have changed since they were read",)
    assert site.texts_of("you") == {"a-theirs.x.test", "aaaa-a.x.test"}


def test_a_record_that_another_owner_has_a_row_for_is_not_moved() -> None:
    site = start_texts()
    site.add_rows(record("A", "a"), owner="you")
    site.to_rows()
    assert list_ours(site.rows, site.read()) == KEYS - {key("A", "a")}
    assert "a-a.x.test" in site.texts_of("me")
    site = start_rows()
    site.other.rows[key("A", "a")] = Row(id="x", key=key("A", "a"), owner="you", labels=StringMap())
    assert site.to_other().failed == ("A a.x.test: another owner has a row about it in rows in memory",)
    assert key("A", "a") in site.store.rows
