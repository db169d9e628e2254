"""Read and write rows in a table of DynamoDB, with its keys and items as external-dns has them (docs/spec/plan.md 3.3).

An item has `k`, the record as NAME#TYPE#SET, `o`, its owner, and `l`, its labels without `owner`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from extdns.errors import RefusedError, RetryableError, UsageError
from extdns.model.record import OWNER, RecordKey
from extdns.model.value import StringMap
from registry.rows.row import Row, RowChange, RowsChangedError, parse_name

Item = dict[str, Any]
Call = Callable[..., Item]
"""Makes one call of DynamoDB: the operation, and its parameters by name. Raises `ProviderError`."""

_MOST_READ: Final = 100  # API reference, BatchGetItem
_MOST_WRITTEN: Final = 100  # API reference, TransactWriteItems
_NAMES: Final = {"#k": "k", "#o": "o", "#l": "l"}
_PROJECTION: Final = {"ProjectionExpression": "#k, #o, #l", "ExpressionAttributeNames": _NAMES}
_KEY: Final = re.compile(r"(.+?)#([A-Z][A-Z0-9]*)#(.*)", re.DOTALL)  # also a name can contain #
_REFUSALS: Final = {"ValidationError", "ItemCollectionSizeLimitExceeded"}  # API reference, TransactWriteItems


class TransactionCancelledError(RetryableError):
    """A transaction was cancelled. *reasons* has one entry for each of its items, in their order."""

    def __init__(self, message: str, reasons: Sequence[Item]) -> None:
        super().__init__(message)
        self.reasons = reasons


class OwnershipTable:
    """A table with the ownership of records."""

    def __init__(self, name: str, call: Call) -> None:
        """Use the table *name*.

        Raises:
            UsageError: *name* is empty.
        """
        if not name:
            raise UsageError("--dynamodb-table= is empty\n  allowed: the name of a table of DynamoDB")
        self.name = f"table {name}"
        self.max_changes = _MOST_WRITTEN
        self._table = name
        self._call = call
        self._is_checked = False

    def build_id(self, key: RecordKey) -> str:
        """Return the `k` of the record *key*."""
        return f"{key.name}#{key.type}#{key.set_identifier}"

    def read_all(self) -> Iterable[Row]:
        """Return all rows. The first call also checks the keys of the table."""
        if not self._is_checked:
            _check_keys(self._table, self._call("DescribeTable", TableName=self._table)["Table"])
            self._is_checked = True
        return [row for item in self._scan() if (row := _parse_item(item))]

    def _scan(self) -> Iterator[Item]:
        start: Item = {}
        while True:
            page = self._call("Scan", TableName=self._table, ConsistentRead=True, **_PROJECTION, **start)
            yield from page["Items"]
            if not page.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def read(self, ids: Collection[str]) -> Iterable[Row]:
        """Return the rows *ids*."""
        wanted = [{"k": {"S": one}} for one in ids]
        found: list[Item] = []
        while wanted:
            part, wanted = wanted[:_MOST_READ], wanted[_MOST_READ:]
            query = {self._table: {"Keys": part, "ConsistentRead": True, **_PROJECTION}}
            page = self._call("BatchGetItem", RequestItems=query)
            found += page["Responses"].get(self._table, ())
            left = page.get("UnprocessedKeys", {}).get(self._table, {}).get("Keys", [])
            if len(left) == len(part):
                raise RetryableError(f"dynamodb:BatchGetItem on {self.name}: throttled")
            wanted += left
        return [row for item in found if (row := _parse_item(item))]

    def write(self, changes: Sequence[RowChange]) -> None:
        """Make *changes* in one transaction.

        Raises:
            RowsChangedError: a row is not as its change allows.
        """
        try:
            self._call("TransactWriteItems", TransactItems=[self._build_action(one) for one in changes])
        except TransactionCancelledError as cancelled:
            found = {
                change.key: _parse_item(reason.get("Item") or {})
                for change, reason in zip(changes, cancelled.reasons, strict=False)
                if reason.get("Code") == "ConditionalCheckFailed"
            }
            if found:
                raise RowsChangedError(self.name, found) from cancelled
            if any(reason.get("Code") in _REFUSALS for reason in cancelled.reasons):
                raise RefusedError(str(cancelled)) from cancelled
            raise

    def _build_action(self, change: RowChange) -> Item:
        key = {"k": {"S": change.row.id}}
        values = {
            name: value
            for number, row in enumerate(change.allowed)
            if row
            for name, value in ((f":o{number}", {"S": row.owner}), (f":l{number}", _format_labels(row)))
        }
        condition = " OR ".join(
            f"(#o = :o{number} AND (#l = :l{number}{'' if row.labels else ' OR attribute_not_exists(#l)'}))"
            if row
            else "attribute_not_exists(#k)"
            for number, row in enumerate(change.allowed)
        )
        used = {name: _NAMES[name] for name in _NAMES if name in condition}
        action: Item = {
            "TableName": self._table,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": used,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            **({"ExpressionAttributeValues": values} if values else {}),
        }
        if change.new is None:
            return {"Delete": {**action, "Key": key}}
        if change.new == change.old:
            return {"ConditionCheck": {**action, "Key": key}}
        return {"Put": {**action, "Item": {**key, "o": {"S": change.new.owner}, "l": _format_labels(change.new)}}}


def _format_labels(row: Row) -> Item:
    return {"M": {key: {"S": value} for key, value in row.labels}}


def _parse_item(item: Item) -> Row | None:
    """Return the row of *item*; None if it is about no record that extdns can manage."""
    text = item.get("k", {}).get("S", "")
    stated = _KEY.fullmatch(text)
    name = parse_name(stated[1]) if stated else None
    if stated is None or name is None:
        return None
    labels = {key: value["S"] for key, value in item.get("l", {}).get("M", {}).items() if "S" in value}
    labels.pop(OWNER, None)
    return Row(
        id=text,
        key=RecordKey(name, stated[3], stated[2]),
        owner=item.get("o", {}).get("S", ""),
        labels=StringMap.from_items(labels),
    )


def _check_keys(name: str, table: Item) -> None:
    """Check that the only key of *table* is the text `k`, with the messages of external-dns."""
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    keys = {one["KeyType"]: one["AttributeName"] for one in table["KeySchema"]}
    if "k" not in types:
        problem = 'must have attribute "k" of type "S"'
    elif types["k"] != "S":
        problem = 'attribute "k" must have type "S"'
    elif keys.get("HASH") != "k":
        problem = 'must have hash key "k"'
    elif "RANGE" in keys:
        problem = "must not have a range key"
    else:
        return
    raise RetryableError(f'table "{name}" {problem}; create another table, and name it in --dynamodb-table')
