"""The base of all documents: JSON with a version and sorted keys.

The plan, the audit log and the JSON API have published schemas in docs/reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

import msgspec

from extdns.model.claim import ClaimWarning, Provenance
from extdns.model.kind import ObjectKey
from extdns.model.origin import UNKNOWN_ORIGIN, Origin
from extdns.model.record import DesiredRecord, Record
from extdns.model.zone import Zone

Version = Literal["extdns.io/v1"]
VERSION: Version = "extdns.io/v1"
_NOT_ASCII: Final = re.compile(r"[^\n -~]")


class Document(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A document or a part of one. Every field is always present."""


class ZoneReference(Document, frozen=True):
    """The name and id of a zone."""

    name: str
    id: str


class ZoneDocument(ZoneReference, frozen=True):
    """A zone, and the number of records read there, without ownership records: all, and ours."""

    account: str
    private: bool
    records: int
    ours: int


class ObjectName(Document, frozen=True):
    """The kind, namespace and name of an object."""

    kind: str
    namespace: str
    name: str


class ObjectReference(ObjectName, frozen=True):
    """An object that requests a name, and the annotation or field that contains it."""

    source: str
    field: str
    derived: str


class OriginDocument(Document, frozen=True):
    """What set an object, as it says itself; a field is "" if it does not.

    `setBy` are the managers that own its hostname annotation, or else its spec (`metadata.managedFields`), `argoCd` is
    the tracking id of Argo CD, `flux` the object of Flux that applied it, and `plan` the annotation `extdns.io/plan`.
    """

    set_by: str
    argo_cd: str
    flux: str
    plan: str


class RecordData(Document, frozen=True):
    """Record data. `ttlSeconds` is null for the default of the DNS service, 0 only for a TTL of 0 in a zone."""

    targets: tuple[str, ...]
    ttl_seconds: int | None
    properties: dict[str, str]


class ProblemDocument(ObjectName, frozen=True):
    """An invalid value on an object, which is not used, and what is allowed."""

    field: str
    value: str
    allowed: str
    reason: str


def build_zone_reference(zone: Zone) -> ZoneReference:
    """Build the reference to *zone*."""
    return ZoneReference(name=zone.name, id=zone.id)


def build_object_reference(request: Provenance) -> ObjectReference:
    """Build the reference to the object that requests a name."""
    key = request.ref.key
    return ObjectReference(
        kind=key.kind.name,
        namespace=key.namespace,
        name=key.name,
        source=request.source,
        field=request.field,
        derived=request.derivation,
    )


def build_origin(origin: Origin) -> OriginDocument | None:
    """Build the document about *origin*; None if nothing is known."""
    return None if origin == UNKNOWN_ORIGIN else OriginDocument(**msgspec.structs.asdict(origin))


def build_problem(key: ObjectKey, warning: ClaimWarning) -> ProblemDocument:
    """Describe an invalid value on an object."""
    return ProblemDocument(
        kind=key.kind.name,
        namespace=key.namespace,
        name=key.name,
        field=warning.field,
        value=warning.value,
        allowed=warning.allowed,
        reason=warning.reason.value,
    )


def build_record_data(one: Record | DesiredRecord) -> RecordData:
    """Describe the data of a current or desired record."""
    ttl_seconds = one.ttl_s if one.has_ttl else None
    return RecordData(targets=one.targets, ttl_seconds=ttl_seconds, properties=dict(one.properties))


def format_json(document: Document | Mapping[str, object]) -> str:
    """Format *document* as indented JSON, in ASCII so that no value can control a terminal."""
    indented = msgspec.json.format(encode_json(document), indent=2)  # ten times faster than `json`
    return escape_json(indented.decode()) + "\n"


def escape_json(text: str) -> str:
    """Return the JSON *text* in ASCII, with an escape for every other character."""
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)


def encode_json(document: Document | Mapping[str, object]) -> bytes:
    """Encode *document* as JSON on one line, in UTF-8; replace a lone surrogate with a question mark."""
    try:
        return msgspec.json.encode(document, enc_hook=str, order="sorted")
    except UnicodeEncodeError:
        values = msgspec.to_builtins(document, enc_hook=str)
        return json.dumps(values, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")


class ProcessReference(Document, frozen=True):
    """The process that answers. A field is "" if unknown.

    `address` is the address of its live page, as the client reached it; "" if the command made one pass itself. `owner`
    is its owner id; `objects` is where it reads objects, as `cluster https://192.0.2.1:6443` or `files shop.yaml`.
    `flags` are those of the command, quoted for a shell; "" if a running process answers.
    `replica` is the name of its host, which is that of the pod; `role` is `leader` or `standby`; `leader` is the
    replica that leads: it alone knows what was changed and what is held. All three are "" without an election.
    """

    address: str
    owner: str
    objects: str
    flags: str = ""
    replica: str = ""
    role: str = ""
    leader: str = ""

    @property
    def reads_files(self) -> bool:
        """Whether the process reads manifests, not a cluster."""
        return self.objects.startswith("files ")


UNKNOWN_PROCESS: Final = ProcessReference(address="", owner="", objects="")
"""A placeholder, which is replaced before the document is shown."""


class RootDocument(Document, frozen=True, kw_only=True, tag_field="kind"):
    """A document that is shown on its own; `kind` is its type."""

    api_version: Version = VERSION


class AnswerDocument(RootDocument, frozen=True, kw_only=True):
    """A document that names the process that answers."""

    process: ProcessReference = UNKNOWN_PROCESS


class LiveDocument(AnswerDocument, frozen=True, kw_only=True):
    """A document about a running process. `process` is the one that answered, `at` the time of the answer."""

    at: datetime


def describe_process(process: ProcessReference) -> str:
    """Describe *process* as `extdns at http://127.0.0.1:7980, owner "me", files shop.yaml`."""
    who = f"extdns at {process.address}" if process.address else "this command, in one pass"
    if process.replica:
        leader = f", leader {process.leader}" if process.role == "standby" and process.leader else ""
        who = f"{who} ({process.role} {process.replica}{leader})"
    owner = f'owner "{process.owner}"' if process.owner else "no owner id"
    return ", ".join(part for part in (who, owner, process.objects) if part)


def format_command(command: str, process: ProcessReference) -> str:
    """Return *command*, such as `explain web.example.org`, with the flags that give an answer of the same process."""
    return f"extdns {command} {f'--controller={process.address}' if process.address else process.flags or '[flags]'}"
