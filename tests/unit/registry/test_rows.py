"""Ownership in rows: which records are ours, what is written, and what remains if the process ends at any call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.errors import ForbiddenError, ProviderError, RefusedError, RetryableError
from extdns.model.change import (
    Applied,
    Batch,
    Change,
    ChangeSet,
    Create,
    Forbidden,
    Refused,
    TryLater,
    Unknown,
    WriteConflict,
)
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import OwnedRecord, Record, RecordKey, restate_record
from extdns.model.rrtype import is_row
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from providers.inmemory.provider import InMemoryProvider
from registry.noop.registry import NoopRegistry
from registry.rows.registry import RowRegistry
from registry.rows.row import Row, present_row
from registry.rows.service import RowService
from tests.builders import build_row_registry, create, delete, update
from tests.fakes.careless import CarelessProvider
from tests.fakes.faulty import FaultyProvider, NoAnswer
from tests.fakes.row_store import Killed, Lifetime, RowStoreInMemory
from tests.unit.registry.completion import MANAGED, describe_writes, find, get_block
from tests.unit.registry.completion import build_writes as build
from tests.unit.registry.zone_records import (
    ZONE,
    build_desired,
    build_name,
    key,
    parse_records,
    record,
)

REGISTRY = build_row_registry()


def row(rtype: str, name: str, owner: str = "me", *, sid: str = "", **labels: str) -> Row:
    """Build the row about a record; *name* is as in `record`."""
    about = key(rtype, name, sid)
    return Row(id=RowStoreInMemory().build_id(about), key=about, owner=owner, labels=StringMap.from_items(labels))


def rows(*found: Row) -> list[Record]:
    return [present_row(one) for one in found]


# Which records are ours.


@pytest.mark.parametrize(
    ("records", "owner", "is_ours", "is_current"),
    [
        pytest.param([*parse_records("A web"), *rows(row("A", "web"))], "me", True, True, id="our-row"),
        pytest.param([*parse_records("A web"), *rows(row("A", "web", "you"))], "you", False, True, id="foreign-row"),
        pytest.param(
            [*parse_records("A web"), *rows(row("A", "web", **{"owner=you": ""}))], "me", True, True, id="forged-owner"
        ),
        pytest.param(parse_records("A web"), None, False, True, id="no-row"),
        pytest.param([*parse_records("A web"), *rows(row("AAAA", "web"))], None, False, True, id="row-of-another-type"),
        pytest.param(
            [*parse_records("A web"), *rows(row("A", "web", sid="1"))], None, False, True, id="row-of-another-set"
        ),
        pytest.param(parse_records("A web, own a-web"), "me", True, False, id="our-text"),
        pytest.param(parse_records("A web, own a-web owner=you"), "you", False, True, id="foreign-text"),
        pytest.param(
            [*parse_records("A web, own a-web"), *rows(row("A", "web", "you"))],
            "you",
            False,
            True,
            id="row-before-text",
        ),
        pytest.param([*parse_records("A web, own a-web"), *rows(row("A", "web"))], "me", True, False, id="both"),
    ],
)
def test_a_row_decides_about_a_record_and_a_text_where_there_is_no_row(
    records: list[Record], owner: str | None, is_ours: bool, is_current: bool
) -> None:
    found = find(REGISTRY, records, key("A", "web"))
    assert (found.owner, found.is_ours, found.has_current_format or not is_ours) == (owner, is_ours, is_current)


def test_a_row_of_a_type_that_is_not_managed_makes_no_record_ours() -> None:
    assert not find(REGISTRY, [record("MX", "web"), *rows(row("MX", "web"))], key("MX", "web")).is_ours


# What is written.


def test_the_labels_of_a_row_are_those_of_the_object() -> None:
    (_, made) = build(REGISTRY, [], create(build_desired("A", "web", "service/d/one")))
    assert made.new
    assert made.new.targets == ("owner=me", "resource=service/d/one")


@pytest.mark.parametrize("current", [[], [*parse_records("A web"), *rows(row("A", "web"))]], ids=["create", "update"])
@pytest.mark.parametrize(
    "labels", [{"owner=you": ""}, {"a": "b,c"}, {"a": "b" * 500_000}], ids=["forged-owner", "comma", "500-kB"]
)
def test_labels_that_no_text_could_have_are_not_written(current: list[Record], labels: dict[str, str]) -> None:
    desired = replace(build_desired("A", "web"), labels=StringMap.from_items(labels))
    change = update(find(REGISTRY, current, key("A", "web")), desired) if current else create(desired)
    assert get_block(REGISTRY, current, change).reason is Reason.INVALID_ENDPOINT


def test_an_update_moves_ownership_from_a_text_to_a_row() -> None:
    records = parse_records("A web, own a-web resource=one")
    change = update(find(REGISTRY, records, key("A", "web")), build_desired("A", "web", "service/d/one"))
    assert describe_writes(build(REGISTRY, records, change)) == "delete TXT a-web, restate A web, create row:A web"


def test_a_text_stays_as_long_as_a_record_without_row_needs_it() -> None:
    registry, records = build_row_registry(types={"A", "MX"}), parse_records("A web, MX web, own web")
    change = update(find(registry, records, key("A", "web")), build_desired("A", "web"))
    assert describe_writes(build(registry, records, change)) == "restate A web, create row:A web"
    records += rows(row("A", "web"))
    assert find(registry, records, key("A", "web")).has_current_format
    change = update(find(registry, records, key("MX", "web")), build_desired("MX", "web"))
    assert describe_writes(build(registry, records, change)) == "restate MX web, delete TXT web, create row:MX web"


def test_a_delete_removes_the_row_and_the_text() -> None:
    records = [*parse_records("A web, own a-web"), *rows(row("A", "web"))]
    change = delete(find(REGISTRY, records, key("A", "web")))
    assert describe_writes(build(REGISTRY, records, change)) == "delete TXT a-web, delete A web, delete row:A web"


def test_no_record_is_created_where_a_row_has_another_owner() -> None:
    found = get_block(REGISTRY, rows(row("A", "web", "you")), create(build_desired("A", "web")))
    assert found.reason is Reason.OWNED_BY_OTHER


def test_no_record_is_created_where_a_text_has_another_owner() -> None:
    texts, change = parse_records("own a-web owner=you"), create(build_desired("A", "web"))
    assert get_block(REGISTRY, texts, change).reason is Reason.OWNED_BY_OTHER
    assert build(REGISTRY, [*texts, *rows(row("A", "web"))], change)
    assert build(REGISTRY, [*texts, *parse_records("A web")], create(build_desired("A", "a-web")))


def test_no_cname_is_created_beside_an_ownership_record() -> None:
    change = create(build_desired("CNAME", "a-web"))
    for owner, reason in (("me", Reason.NO_OWNERSHIP_NAME), ("you", Reason.OWNED_BY_OTHER)):
        assert get_block(REGISTRY, parse_records(f"A web, own a-web owner={owner}"), change).reason is reason


# Reading and writing rows with the records.


class Site:
    """A zone `x.test`, its rows, and the process that writes them."""

    def __init__(
        self, provider: InMemoryProvider | FaultyProvider, *zones: Zone, registry: RowRegistry = REGISTRY
    ) -> None:
        self.provider, self.store, self.registry = provider, RowStoreInMemory(), registry
        self.lifetime = Lifetime()
        self.zones, self.term = zones or (ZONE,), 1
        self.restart()

    def restart(self) -> None:
        self.lifetime.left = 0
        calls = ("read_page", "read_names", "submit", "read_all", "read", "write")
        provider, store = (self.lifetime.watch(one, *calls) for one in (self.provider, self.store))
        self.service = RowService(
            provider, provider, store, owner="me", managed_types=MANAGED, read_term=lambda: self.term
        )
        self.service.list_zones()

    def read(self, zone: Zone = ZONE) -> list[Record]:
        found: list[Record] = []
        after = None
        while True:
            page = self.service.read_page(zone, after)
            found += page.records
            after = page.after
            if after is None:
                return sorted(found, key=lambda one: one.key)

    def put(self, one: Record) -> None:
        """Create a record as another writer would."""
        change = Create(desired=restate_record(one))
        completed = NoopRegistry().complete(ChangeSet(zone=ZONE, name=one.name, changes=(change,)), ())
        self.provider.submit(ZONE, Batch(number=1, zone=ZONE, change_sets=(completed,)))

    def apply(self, *changes: Change, zone: Zone = ZONE, current: Iterable[Record] | None = None) -> object:
        """Apply changes of names, and return the outcome."""
        held = list(current if current is not None else self.read(zone))
        sets = []
        for name, found in itertools.groupby(changes, key=lambda one: one.key.name):
            change_set = ChangeSet(zone=zone, name=name, changes=tuple(found))
            related = {name, *self.registry.related_names(name, zone)}
            completed = self.registry.complete(change_set, [one for one in held if one.name in related])
            assert isinstance(completed, ChangeSet), completed
            sets.append(completed)
        return self.service.submit(zone, Batch(number=1, zone=zone, change_sets=tuple(sets)))

    def records(self) -> dict[RecordKey, Record]:
        """Return the records of all zones, without rows."""
        return {one.key: one for zone in self.zones for one in self.provider.read_page(zone, None).records}


def start(*records: Record, page_size: int = 300) -> Site:
    return Site(InMemoryProvider(seed={ZONE: records}, page_size=page_size))


def own(site: Site, rtype: str, name: str) -> OwnedRecord:
    return find(REGISTRY, site.read(), key(rtype, name))


@pytest.mark.parametrize("page_size", [1, 2, 300])
def test_rows_are_read_once_with_the_names_they_are_about_and_without_records_at_the_end(page_size: int) -> None:
    site = start(*parse_records("A a, AAAA a, A b, A c"), page_size=page_size)
    for one in (row("A", "a"), row("AAAA", "a"), row("A", "c"), row("A", "gone"), row("A", "other.example.")):
        site.store.rows[one.key] = one
    found = [one for one in site.read() if is_row(one.type)]
    assert [one.exact.key for one in found] == [key("A", "a"), key("AAAA", "a"), key("A", "c"), key("A", "gone")]  # type: ignore[attr-defined]


def test_the_rows_are_read_once_for_all_zones_and_again_with_the_next_round() -> None:
    others = [Zone(name=DnsName(f"{name}.test"), id=name) for name in ("y", "z")]
    site = Site(InMemoryProvider(seed=dict.fromkeys((ZONE, *others), ())))
    for number in (1, 2):
        for zone in (ZONE, *others):
            site.read(zone)
        assert site.store.scans == number


def test_a_name_that_is_read_by_itself_has_its_row() -> None:
    site = start(*parse_records("A web"))
    site.store.rows[key("A", "web")] = row("A", "web")
    assert find(REGISTRY, site.service.read_names(ZONE, [build_name("web")]), key("A", "web")).is_ours


def test_the_outcome_of_a_batch_has_the_rows_as_they_are_read() -> None:
    site = start()
    outcome = site.apply(create(build_desired("A", "a", "service/d/one")), create(build_desired("A", "b")))
    assert isinstance(outcome, Applied)
    assert sorted(outcome.records, key=lambda one: one.key) == site.read()


def test_a_record_whose_row_another_owner_has_inserted_is_not_created() -> None:
    site = start()
    current = site.read()
    site.store.rows[key("A", "web")] = row("A", "web", "you")
    outcome = site.apply(create(build_desired("A", "api")), create(build_desired("A", "web")), current=current)
    assert isinstance(outcome, WriteConflict)
    assert outcome.offending_names == (build_name("web"),)
    assert (site.records(), set(site.store.rows)) == ({}, {key("A", "web")})
    found = site.service.read_names(ZONE, [build_name("web")])
    assert get_block(REGISTRY, found, create(build_desired("A", "web"))).reason is Reason.OWNED_BY_OTHER


def test_a_record_whose_row_has_another_owner_now_is_not_deleted() -> None:
    site = start(*parse_records("A web"))
    site.store.rows[key("A", "web")] = row("A", "web")
    change, current = delete(own(site, "A", "web")), site.read()
    site.store.rows[key("A", "web")] = row("A", "web", "you")
    assert isinstance(site.apply(change, current=current), WriteConflict)
    assert set(site.records()) == {key("A", "web")}


@pytest.mark.parametrize("failure", [None, RetryableError("later")], ids=["at-once", "after-the-next-batch"])
def test_the_row_of_a_record_that_another_writer_created_first_is_withdrawn(failure: RetryableError | None) -> None:
    site = start()
    current = site.read()
    site.put(record("A", "web"))
    site.store.failures = [None, failure]
    assert isinstance(site.apply(create(build_desired("A", "web")), current=current), WriteConflict)
    assert not own(site, "A", "web").is_ours
    assert isinstance(site.apply(create(build_desired("A", "api"))), Applied)
    assert set(site.store.rows) == {key("A", "api")}


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        pytest.param(ForbiddenError("no right"), Forbidden(message="no right"), id="forbidden"),
        pytest.param(
            RetryableError("slow down", retry_after_s=3.0),
            TryLater(message="slow down", retry_after_s=3.0),
            id="throttled",
        ),
        pytest.param(RefusedError("too large"), Refused(message="too large"), id="refused"),
    ],
)
def test_nothing_is_written_to_the_zone_while_the_store_fails(failure: ProviderError, outcome: object) -> None:
    site = start()
    current = site.read()
    site.store.failures = [failure]
    assert site.apply(create(build_desired("A", "web")), current=current) == outcome
    assert (site.records(), site.store.rows) == ({}, {})


@pytest.mark.parametrize("applied", [True, False])
def test_after_a_lost_answer_the_row_stays_with_the_record_that_may_exist(applied: bool) -> None:
    provider = FaultyProvider(inner=InMemoryProvider(seed={ZONE: ()}))
    site = Site(provider)
    provider.answers.append(NoAnswer(applied=applied))
    assert isinstance(site.apply(create(build_desired("A", "web"))), Unknown)
    found = site.service.read_names(ZONE, [build_name("web")])
    if applied:
        assert find(REGISTRY, found, key("A", "web")).is_ours
    else:
        assert isinstance(site.apply(create(build_desired("A", "web")), current=found), Applied)


def test_a_row_without_record_is_removed_with_the_next_batch_of_its_zone() -> None:
    site = start()
    for one in (row("A", "gone"), row("A", "theirs", "you"), row("A", "other.example.")):
        site.store.rows[one.key] = one
    site.apply(create(build_desired("A", "web")))
    assert set(site.store.rows) == {key("A", "web"), key("A", "theirs"), key("A", "other.example.")}


def test_the_row_of_a_record_that_was_created_after_its_page_was_read_stays() -> None:
    site = start(*parse_records("A a, A b"), page_size=1)
    site.store.rows[key("A", "0")] = row("A", "0")
    page = site.service.read_page(ZONE, None)
    site.apply(create(build_desired("A", "0")), current=[present_row(site.store.rows[key("A", "0")])])
    while page.after:
        page = site.service.read_page(ZONE, page.after)
    site.apply(create(build_desired("A", "c")), current=())
    assert set(site.store.rows) == {key("A", "0"), key("A", "c")}


def test_the_row_of_a_record_that_cannot_be_read_now_stays() -> None:
    site = start(record("?", "web", target="A: not an address"))
    site.store.rows[key("A", "web")] = row("A", "web")
    site.apply(create(build_desired("A", "api")))
    assert key("A", "web") in site.store.rows


def test_rows_about_names_of_a_delegated_zone_that_is_not_listed_stay() -> None:
    site = start(record("NS", "dev", target="ns1.dev.x.test"))
    site.store.rows |= {key("A", name): row("A", name) for name in ("web.dev", "dev", "web")}
    site.apply(create(build_desired("A", "api")))
    assert set(site.store.rows) == {key("A", name) for name in ("web.dev", "dev", "api")}


def test_a_row_that_could_not_be_removed_makes_no_record_ours_that_another_writer_created() -> None:
    site = start(*parse_records("A web"))
    site.store.rows[key("A", "web")] = row("A", "web")
    change, current = delete(own(site, "A", "web")), site.read()
    site.store.failures = [None, RetryableError("later")]
    assert isinstance(site.apply(change, current=current), Applied)
    current = site.read()
    site.put(record("A", "web"))
    assert isinstance(site.apply(create(build_desired("A", "web")), current=current), WriteConflict)
    assert not own(site, "A", "web").is_ours
    assert site.store.rows == {}


def test_a_row_stays_that_another_leader_uses_although_its_removal_had_begun() -> None:
    site = start(*parse_records("A web"))
    site.store.rows[key("A", "web")] = row("A", "web")
    change, current = delete(own(site, "A", "web")), site.read()
    site.store.failures = [None, RetryableError("later")]
    assert isinstance(site.apply(change, current=current), Applied)
    former = site.service
    site.restart()
    site.term += 1
    assert isinstance(site.apply(create(build_desired("A", "web"))), Applied)
    site.service = former
    site.term += 1
    assert isinstance(site.apply(create(build_desired("A", "api"))), Applied)
    assert own(site, "A", "web").is_ours


def test_a_create_that_meets_the_row_and_record_of_another_leader_leaves_both() -> None:
    site = start()
    current = site.read()
    former = site.service
    site.restart()
    assert isinstance(site.apply(create(build_desired("A", "web"))), Applied)
    site.service = former
    assert isinstance(site.apply(create(build_desired("A", "web")), current=current), WriteConflict)
    assert own(site, "A", "web").is_ours


def test_rows_whose_records_another_zone_has_cost_no_reads() -> None:
    private = Zone(name=ZONE.name, id="2", private=True)
    site = Site(ReadsPages(seed={ZONE: (), private: parse_records("A web")}), ZONE, private)
    site.store.rows[key("A", "web")] = row("A", "web")
    site.read(private)
    site.apply(create(build_desired("A", "api")))
    assert key("A", "web") in site.store.rows


class ReadsPages(InMemoryProvider):
    """A service of which no single names are read."""

    def read_names(self, zone: Zone, names: Sequence[DnsName]) -> tuple[Record, ...]:
        raise AssertionError(zone, names)


def test_the_log_says_why_a_row_could_not_be_removed(caplog: pytest.LogCaptureFixture) -> None:
    site = start(*parse_records("A web"))
    site.store.rows[key("A", "web")] = row("A", "web")
    change, current = delete(own(site, "A", "web")), site.read()
    site.store.failures = [None, ForbiddenError("dynamodb:DeleteItem is not allowed")]
    site.apply(change, current=current)
    (line,) = caplog.records
    assert line.__dict__["extdns_fields"]["message"] == "dynamodb:DeleteItem is not allowed"


def test_a_row_whose_id_is_spelled_in_another_way_is_read() -> None:
    site = start(*parse_records("A web"))
    site.store.rows[key("A", "web")] = replace(row("A", "web"), id="Web.X.test#A#")
    site.read()
    assert find(REGISTRY, site.service.read_names(ZONE, [build_name("web")]), key("A", "web")).is_ours


# The process ends at any call.

STEPS: Final[dict[str, Callable[[Site], tuple[Change, ...]]]] = {
    "create": lambda _: (
        create(build_desired("A", "a")),
        create(build_desired("AAAA", "b")),
        create(build_desired("A", "c")),
    ),
    "update": lambda site: (
        update(own(site, "A", "web"), build_desired("A", "web", "service/d/two", target="192.0.2.9")),
    ),
    "delete": lambda site: (delete(own(site, "A", "web")),),
    "move": lambda site: (update(own(site, "A", "old"), build_desired("A", "old")),),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("service", [InMemoryProvider, CarelessProvider])
@pytest.mark.parametrize("step", STEPS)
def test_no_record_of_ours_is_without_its_row_if_the_process_ends_at_any_call(
    step: str, service: type[InMemoryProvider], after: bool
) -> None:
    call, ended = 0, True
    while ended:
        call += 1
        site = Site(service(seed={ZONE: parse_records("A web, A old, own a-old, A foreign")}))
        site.store.rows[key("A", "web")] = row("A", "web")
        changes = STEPS[step](site)
        current = site.read()
        site.lifetime.left, site.lifetime.after = call, after
        ended = False
        try:
            site.apply(*changes, current=current)
        except Killed:
            ended = True
        site.restart()
        found = [one for one in REGISTRY.read(site.read(), ZONE) if one.record.type != "TXT"]
        assert {one.key for one in found if not one.is_ours} == {key("A", "foreign")}, call
    assert call > 2
