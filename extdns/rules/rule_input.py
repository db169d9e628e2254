"""What rules are evaluated on: one requested record or one change, with the object that requests it."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import Final

from extdns.model.record import DesiredRecord, OwnedRecord, Record, restate_record
from extdns.model.value import EMPTY_MAP, StringMap, Value
from extdns.model.zone import Zone

RuleDocument = dict[str, object]
"""Plain data as in JSON: dictionaries, lists, texts, numbers, booleans and None."""


_LEAST_CHARACTERS: Final = 640
"""What a document has without targets, properties, labels and annotations."""


class Operation(StrEnum):
    """What would be done to the record, named as the operations in admission requests of Kubernetes are."""

    CREATE = "CREATE"  # no record of ours has this name, set identifier and type
    UPDATE = "UPDATE"  # one has, whether or not it differs
    DELETE = "DELETE"


class RuleObject(Value, frozen=True, kw_only=True, cache_hash=True):
    """The object that requests a record, or that the record was made for.

    Attributes:
        labels, annotations: empty if the object no longer exists.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    labels: StringMap = EMPTY_MAP
    annotations: StringMap = EMPTY_MAP


class RuleNamespace(Value, frozen=True, kw_only=True, cache_hash=True):
    """The namespace of the object that requests a record, or that the record was made for."""

    name: str
    labels: StringMap = EMPTY_MAP
    annotations: StringMap = EMPTY_MAP


class RuleInput(Value, frozen=True, kw_only=True):
    """One record or change that rules are evaluated on.

    Attributes:
        record: the record as one object alone requests it, in the form in which the service would hold it. Instead, the
            current record if the input is for a delete, or for a published record that a rule may delete.
        source: the source that made the claim, as `service`; "" for a delete, or if it is unknown.
        stated: whether the object states the targets itself, and does not get them from a controller; False for a
            delete, or if it is unknown.
        object: the object that requests the record, or that it was made for; None if that is unknown.
        namespace: None if the object has none, or its namespace could not be read.
        current: the record with this name, set identifier and type that the zone holds, None if there is none.
    """

    operation: Operation
    record: DesiredRecord
    zone: Zone
    source: str = ""
    stated: bool = False
    object: RuleObject | None = None
    namespace: RuleNamespace | None = None
    current: OwnedRecord | None = None


def count_characters(item: RuleInput) -> int:
    """Return about how many characters the document of *item* has; annotations alone may have 256 KiB."""
    count = _LEAST_CHARACTERS + _count_record(item.record)
    count += _count_record(item.current.record) if item.current else 0
    return count + sum(map(_count_labels, filter(None, (item.object, item.namespace))))


def _count_record(record: DesiredRecord | Record) -> int:
    return sum(map(len, chain(record.targets, *record.properties)))


@lru_cache(maxsize=8)  # several inputs of one object follow each other
def _count_labels(found: RuleObject | RuleNamespace) -> int:
    return sum(map(len, chain.from_iterable(chain(found.labels, found.annotations))))


def build_document(item: RuleInput) -> RuleDocument:
    """Build the document that CEL expressions and OPA get (docs/design/rules.md, "The document")."""
    current = item.current
    return {
        "operation": item.operation.value,
        "source": item.source,
        "stated": item.stated,
        "record": _build_record(item.record, item.zone),
        "object": item.object and _build_object(item.object),
        "namespace": item.namespace and _build_namespace(item.namespace),
        "current": current
        and {
            "record": _build_record(restate_record(current.record), item.zone),
            "owner": current.owner,
            "ours": current.is_ours,
            "resource": current.resource,
        },
    }


def _build_record(record: DesiredRecord, zone: Zone) -> RuleDocument:
    return {
        "name": record.name,
        "labels": record.name.split("."),
        "zone": zone.name,
        "private": zone.private,
        "type": record.type,
        "ttl": record.ttl_s,
        "targets": list(record.targets),
        "setIdentifier": record.set_identifier,
        "properties": dict(record.properties),
    }


def _build_object(found: RuleObject) -> RuleDocument:
    return {
        "apiVersion": found.api_version,
        "kind": found.kind,
        "namespace": found.namespace,
        "name": found.name,
        "labels": dict(found.labels),
        "annotations": dict(found.annotations),
    }


def _build_namespace(found: RuleNamespace) -> RuleDocument:
    return {"name": found.name, "labels": dict(found.labels), "annotations": dict(found.annotations)}
