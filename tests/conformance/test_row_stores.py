"""Conformance tests of the stores of rows. To add one, add a function that opens it to `STORES`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol

import pytest

from extdns.app.row_store import open_row_store
from extdns.commands.registry_migration import MigrationScope, move_rows
from extdns.config import parse
from extdns.errors import ForbiddenError, ProviderError, RefusedError, RetryableError, UsageError
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, RecordKey
from extdns.model.value import StringMap
from providers.common.api_calls import CallOptions
from registry.dynamodb.table import OwnershipTable, TransactionCancelledError
from registry.rows.row import Row, RowChange, RowsChangedError, RowStore, split
from tests.dynamodb import connect, create_table
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.row_store import RowStoreInMemory

_NUMBERS: Final = count(1)
FLAGS: Final = ("--source=service", "--provider=inmemory")


class Opener(Protocol):
    """Opens a store."""

    def __call__(self, *, can_write: Callable[[], bool] = ...) -> RowStore: ...


def set_environment(moto: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in connect(moto).items():
        monkeypatch.setenv(name, value)


@contextmanager
def open_dynamodb(moto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    del tmp_path
    set_environment(moto, monkeypatch)
    table = f"table-{next(_NUMBERS)}"
    create_table(moto, table)
    yield lambda **more: open_flags("--registry=dynamodb", f"--dynamodb-table={table}", **more)


@contextmanager
def open_crd(moto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    del moto
    monkeypatch.setenv("POD_NAMESPACE", "dns")
    with ApiServer() as server:
        config = f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"
        yield lambda **more: open_flags("--registry=crd", config, **more)


@contextmanager
def open_memory(*_: object) -> Iterator[Opener]:
    store = RowStoreInMemory(max_changes=100)
    yield lambda **_: store


def open_flags(*flags: str, owner: str = "me", can_write: Callable[[], bool] = lambda: True) -> RowStore:
    config = parse([*FLAGS, f"--txt-owner-id={owner}", *flags], {})
    store = open_row_store(config, CallOptions(can_write=can_write))
    assert store
    return store


STORES: Final[dict[str, Callable[..., AbstractContextManager[Opener]]]] = {
    "memory": open_memory,
    "dynamodb": open_dynamodb,
    "crd": open_crd,
}


@pytest.fixture(params=STORES)
def opener(
    request: pytest.FixtureRequest, moto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opener]:
    with STORES[request.param](moto, tmp_path, monkeypatch) as found:
        yield found


@pytest.fixture
def store(opener: Opener) -> RowStore:
    return opener()


SAME_DIGEST: Final = "--__-__-___-_-___----_--___---__----web.example.org"
"""The row of its CNAME and that of `A web.example.org` have one usual name, which a tenant can choose."""


def make(store: RowStore, name: str, owner: str = "me", *, rtype: str = "A", sid: str = "", **labels: str) -> Row:
    key = RecordKey(DnsName.parse(name), sid, rtype)
    return Row(id=store.build_id(key), key=key, owner=owner, labels=StringMap.from_items(labels))


def insert(store: RowStore, *rows: Row) -> None:
    for part in split([RowChange(old=None, new=row) for row in rows], store.max_changes):
        store.write(part)


def read(store: RowStore) -> list[Row]:
    return sorted(store.read_all(), key=lambda row: row.key)


def test_rows_are_read_as_they_were_written(store: RowStore) -> None:
    rows = [
        make(store, "*.x.test", resource="service/shop/web"),
        make(store, "web.x.test", "you", rtype="CNAME", sid="blue#1"),
        make(store, "web.x.test", note="a=b, c"),
        make(store, "web#1#a.x.test", rtype="TXT", sid="#A#"),
    ]
    insert(store, *rows)
    assert read(store) == sorted(rows, key=lambda row: row.key)
    absent = RecordKey(DnsName("no.x.test"), "", "A")
    assert list(store.read([rows[1].id, store.build_id(absent)])) == [rows[1]]
    assert store.build_id(rows[0].key) == rows[0].id


def test_more_rows_than_one_call_has_room_for_are_read(store: RowStore) -> None:
    rows = [make(store, f"h{number:03}.x.test") for number in range(130)]
    insert(store, *rows)
    assert read(store) == rows
    assert {row.key for row in store.read([row.id for row in rows])} == {row.key for row in rows}


def test_a_record_gets_a_row_although_another_record_has_the_usual_name_of_its_row(store: RowStore) -> None:
    other = make(store, SAME_DIGEST, rtype="CNAME")
    insert(store, other)
    try:
        insert(store, make(store, "web.example.org"))
    except RowsChangedError:  # it is planned again
        insert(store, make(store, "web.example.org"))
    assert {row.key for row in read(store)} == {other.key, make(store, "web.example.org").key}


@pytest.mark.parametrize("is_there", [False, True], ids=["both-are-moved", "one-is-there"])
def test_a_row_is_moved_although_another_record_has_its_usual_name(opener: Opener, is_there: bool) -> None:
    old, new = RowStoreInMemory(), opener()
    rows = [make(old, SAME_DIGEST, rtype="CNAME"), make(old, "web.example.org")]
    insert(old, *rows)
    if is_there:
        insert(opener(), make(new, SAME_DIGEST, rtype="CNAME"))
    assert not move_rows(old, new, MigrationScope(owner="me", matches=lambda _: True), writes=True).failed
    assert [row.key for row in read(opener())] == [row.key for row in rows]


def test_a_change_is_made_if_the_row_is_as_stated_and_again_without_effect(store: RowStore) -> None:
    old, new = make(store, "web.x.test", resource="one"), make(store, "web.x.test", resource="two")
    insert(store, old)
    for change in (RowChange(old=old, new=old), RowChange(old=old, new=new)):
        for _ in range(2):
            store.write([change])
        assert read(store) == [change.new]
    for _ in range(2):
        store.write([RowChange(old=new, new=None)])
    assert read(store) == []


@pytest.mark.parametrize("change", ["insert", "check", "replace", "remove"])
def test_a_row_that_is_not_as_stated_stays_and_is_returned(store: RowStore, change: str) -> None:
    other, old, new = (make(store, "web.x.test", owner) for owner in ("you", "me", "me"))
    insert(store, other)
    changes = {
        "insert": RowChange(old=None, new=new),
        "check": RowChange(old=old, new=old),
        "replace": RowChange(old=old, new=make(store, "web.x.test", resource="two")),
        "remove": RowChange(old=old, new=None),
    }
    with pytest.raises(RowsChangedError) as caught:
        store.write([changes[change]])
    assert (caught.value.rows, read(store)) == ({other.key: other}, [other])


def test_a_row_is_inserted_once(store: RowStore) -> None:
    made = make(store, "web.x.test")
    insert(store, made)
    with pytest.raises(RowsChangedError) as caught:
        insert(store, made)
    assert caught.value.rows == {made.key: made}


def test_a_row_that_is_gone_is_neither_replaced_nor_checked(store: RowStore) -> None:
    old, new = make(store, "web.x.test"), make(store, "web.x.test", resource="two")
    for change in (RowChange(old=old, new=new), RowChange(old=old, new=old)):
        with pytest.raises(RowsChangedError) as caught:
            store.write([change])
        assert caught.value.rows == {old.key: None}


@pytest.mark.parametrize("opener", ["dynamodb", "crd"], indirect=True)
def test_a_row_that_is_too_large_is_refused(store: RowStore) -> None:
    with pytest.raises(RefusedError):
        insert(store, make(store, "web.x.test", note="x" * 450_000))


@pytest.mark.parametrize("opener", ["dynamodb", "crd"], indirect=True)
def test_a_process_that_does_not_lead_writes_nothing(opener: Opener) -> None:
    store = opener(can_write=lambda: False)
    with pytest.raises(RetryableError, match="not the leader"):
        insert(store, make(store, "web.x.test"))
    assert read(store) == []


# DynamoDB.


@pytest.fixture
def table(moto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[RowStore, Any]]:
    with open_dynamodb(moto, tmp_path, monkeypatch) as found:
        store = found()
        yield store, create_table(moto, "")


def test_an_item_has_the_form_of_external_dns(table: tuple[RowStore, Any]) -> None:
    store, client = table
    insert(store, make(store, "web.x.test", sid="blue", resource="service/shop/web"))
    (item,) = client.scan(TableName=store.name.removeprefix("table "))["Items"]
    labels = {"M": {"resource": {"S": "service/shop/web"}}}
    assert item == {"k": {"S": "web.x.test#A#blue"}, "o": {"S": "me"}, "l": labels}


def test_an_item_about_no_record_is_left_alone(table: tuple[RowStore, Any]) -> None:
    store, client = table
    name = store.name.removeprefix("table ")
    for key in ("web", "a..b#A#", "web.x.test#A#"):
        client.put_item(TableName=name, Item={"k": {"S": key}, "o": {"S": "me"}})
    assert read(store) == [make(store, "web.x.test")]


def test_an_item_that_somebody_wrote_without_labels_can_be_changed(table: tuple[RowStore, Any]) -> None:
    store, client = table
    item = {"k": {"S": "web.x.test#A#"}, "o": {"S": "me"}}
    client.put_item(TableName=store.name.removeprefix("table "), Item=item)
    (old,) = read(store)
    new = make(store, "web.x.test", resource="service/shop/web")
    for change in (RowChange(old=old, new=old), RowChange(old=old, new=new)):
        store.write([change])
    assert read(store) == [new]


@pytest.mark.parametrize(("code", "error"), [("ValidationError", RefusedError), ("ThrottlingError", RetryableError)])
def test_a_transaction_is_cancelled_for_ever_by_an_invalid_row_only(code: str, error: type[ProviderError]) -> None:
    def call(*_: object, **__: object) -> dict[str, Any]:
        raise TransactionCancelledError("cancelled", [{"Code": "None"}, {"Code": code}])

    table = OwnershipTable("table", call)
    with pytest.raises(error):
        insert(table, make(table, "a.x.test"), make(table, "b.x.test"))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        pytest.param("id:S", 'must have attribute "k" of type "S"', id="no-k"),
        pytest.param("k:N", 'attribute "k" must have type "S"', id="number"),
        pytest.param("a:S k:S", 'must have hash key "k"', id="k-is-the-range-key"),
        pytest.param("k:S a:S", "must not have a range key", id="range-key"),
    ],
)
def test_a_table_with_other_keys_is_refused(
    keys: str, message: str, moto: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_environment(moto, monkeypatch)
    name = f"table-{next(_NUMBERS)}"
    create_table(moto, name, keys)
    with pytest.raises(RetryableError, match=f'table "{name}" {message}'):
        open_flags("--registry=dynamodb", f"--dynamodb-table={name}").read_all()


def test_a_missing_table_is_named(moto: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(moto, monkeypatch)
    with pytest.raises(RetryableError, match="dynamodb:DescribeTable on table nowhere: ResourceNotFoundException"):
        open_flags("--registry=dynamodb", "--dynamodb-table=nowhere").read_all()


def test_a_table_without_name_is_refused() -> None:
    with pytest.raises(UsageError, match="--dynamodb-table= is empty"):
        open_flags("--registry=dynamodb", "--dynamodb-table=")


# DNSRecords.


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[RowStore, ApiServer]]:
    monkeypatch.setenv("POD_NAMESPACE", "dns")
    with ApiServer() as server:
        yield open_flags("--registry=crd", f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"), server


def test_an_object_has_the_form_of_external_dns(objects: tuple[RowStore, ApiServer]) -> None:
    store, server = objects
    made = make(store, "*.web.x.test", sid="blue", resource="service/shop/web")
    record = DesiredRecord(
        name=made.key.name,
        type="A",
        targets=("192.0.2.1",),
        ttl_s=60,
        set_identifier="blue",
        properties=StringMap.from_items({"aws/weight": "1"}),
    )
    store.write([RowChange(old=None, new=made, record=record)])
    (found,) = server.objects("DNSRecord")
    assert found["metadata"]["name"] == "web-x-test-cfa0c893"
    assert found["metadata"]["namespace"] == "dns"
    assert found["metadata"]["labels"] == {"externaldns.k8s.io/owner": "me"}
    assert found["spec"]["endpoint"] == {
        "dnsName": "*.web.x.test",
        "recordType": "A",
        "targets": ["192.0.2.1"],
        "recordTTL": 60,
        "setIdentifier": "blue",
        "labels": {"owner": "me", "resource": "service/shop/web"},
        "providerSpecific": [{"name": "aws/weight", "value": "1"}],
    }
    assert [(one["type"], one["status"]) for one in found["status"]["conditions"]] == [("Ready", "True")]


def test_an_object_shows_the_record_as_it_was_written_last(objects: tuple[RowStore, ApiServer]) -> None:
    store, server = objects
    made = make(store, "web.x.test")
    for target in ("192.0.2.1", "192.0.2.2"):
        record = DesiredRecord(name=made.key.name, type="A", targets=(target,))
        store.write([RowChange(old=made if target.endswith("2") else None, new=made, record=record)])
        assert server.objects("DNSRecord")[0]["spec"]["endpoint"]["targets"] == [target]


def test_an_object_that_is_not_ready_states_no_owner(objects: tuple[RowStore, ApiServer]) -> None:
    store, server = objects
    made = make(store, "web.x.test")
    insert(store, made)
    (found,) = server.objects("DNSRecord")
    condition = {**found["status"]["conditions"][0], "status": "False", "reason": "Failed"}
    server.put({**found, "status": {"conditions": [condition]}})
    assert read(store) == []
    insert(store, made)
    assert read(store) == [made]


def test_without_the_right_to_read_objects_the_error_names_the_namespace(objects: tuple[RowStore, ApiServer]) -> None:
    store, server = objects
    server.access.forbid("list", "dnsrecords")
    with pytest.raises(ForbiddenError, match="DNSRecords in namespace dns"):
        store.read_all()


@pytest.mark.parametrize(("code", "error"), [(422, RefusedError), (429, RetryableError), (500, RetryableError)])
def test_only_a_row_that_is_invalid_is_refused(
    code: int, error: type[ProviderError], objects: tuple[RowStore, ApiServer]
) -> None:
    store, server = objects
    server.faults.arm(Refuse(code=code), verb="create", resource="dnsrecords")
    with pytest.raises(error):
        insert(store, make(store, "web.x.test"))


def test_without_the_crd_the_error_says_so(objects: tuple[RowStore, ApiServer]) -> None:
    store, server = objects
    server.unregister("DNSRecord")
    with pytest.raises(RetryableError, match="CustomResourceDefinition of DNSRecords"):
        store.read_all()


def test_an_owner_id_that_is_no_value_of_a_label_is_refused(tmp_path: Path) -> None:
    with (
        ApiServer() as server,
        pytest.raises(UsageError, match="--txt-owner-id=a/b cannot be used with --registry=crd"),
    ):
        open_flags("--registry=crd", f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}", owner="a/b")


def test_a_table_and_objects_hold_json_as_large_as_labels_can_be(store: RowStore) -> None:
    made = make(store, "web.x.test", **{f"label{number}": json.dumps("x" * 900) for number in range(20)})
    insert(store, made)
    assert read(store) == [made]
