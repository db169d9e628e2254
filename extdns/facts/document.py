"""What commands say to programs: JSON with a version, sorted keys, and a schema (`docs/reference/*.schema.json`)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extdns.model.claim import Notice, Provenance
    from extdns.model.cluster import ObjectKey
    from extdns.model.record import Endpoint, Record
    from extdns.model.zone import Zone

Version = Literal["extdns.io/v1"]
VERSION: Version = "extdns.io/v1"
_NOT_ASCII: Final = re.compile(r"[^\n -~]")


class Facts(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Part of a document; every field is always there."""


class ZoneFacts(Facts, frozen=True):
    """A zone, and how many record sets were read there; ownership records are not counted."""

    name: str
    id: str
    account: str
    private: bool
    records: int
    ours: int


class ZoneName(Facts, frozen=True):
    """One of the zones, by name and id."""

    name: str
    id: str


class ObjectFacts(Facts, frozen=True):
    """An object that asks, and the annotation or field of it that names the host."""

    kind: str
    namespace: str
    name: str
    source: str
    field: str
    derived: str


class RecordFacts(Facts, frozen=True):
    """Record data; ttlSeconds is null where the DNS service's default counts."""

    targets: tuple[str, ...]
    ttl_seconds: int | None
    properties: dict[str, str]


class MistakeFacts(Facts, frozen=True):
    """A value on an object that is not valid, and what would be; it costs only itself."""

    kind: str
    namespace: str
    name: str
    field: str
    value: str
    allowed: str
    reason: str


def zone_name(zone: Zone) -> ZoneName:
    """*zone* in short."""
    return ZoneName(name=zone.name, id=zone.id)


def object_facts(asked: Provenance) -> ObjectFacts:
    """Who asks, and where on the object."""
    key = asked.ref.key
    return ObjectFacts(
        kind=key.kind.name,
        namespace=key.namespace,
        name=key.name,
        source=asked.source,
        field=asked.field,
        derived=asked.derived,
    )


def mistake_facts(key: ObjectKey, mistake: Notice) -> MistakeFacts:
    """What is wrong on an object."""
    return MistakeFacts(
        kind=key.kind.name,
        namespace=key.namespace,
        name=key.name,
        field=mistake.field,
        value=mistake.value,
        allowed=mistake.allowed,
        reason=mistake.reason.value,
    )


def record_facts(one: Record | Endpoint) -> RecordFacts:
    """What stands, or is to stand."""
    return RecordFacts(targets=one.targets, ttl_seconds=one.ttl_s or None, properties=dict(one.properties))


def json_text(document: Facts | Mapping[str, object]) -> str:
    """*document* as indented JSON; ASCII alone, so that no terminal obeys what objects say."""
    indented = msgspec.json.format(compact_json(document), indent=2)  # takes a tenth of the time that `json` does
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], indented.decode()) + "\n"


def compact_json(document: Facts | Mapping[str, object]) -> bytes:
    """*document* as JSON on one line, in UTF-8; half a character, which that cannot hold, becomes a question mark."""
    try:
        return msgspec.json.encode(document, enc_hook=str, order="sorted")
    except UnicodeEncodeError:
        values = msgspec.to_builtins(document, enc_hook=str)
        return json.dumps(values, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")


def schema_text(kind: object, title: str) -> str:
    """The JSON Schema of documents of *kind*."""
    schema = msgspec.json.schema(kind)
    for part in schema["$defs"].values():
        part["description"] = " ".join(part["description"].split())
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps(head | schema, indent=2, sort_keys=True) + "\n"
