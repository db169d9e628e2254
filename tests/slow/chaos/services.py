"""The strict fakes of DNS services for a chaos run, with one interface for records, calls and faults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from itertools import cycle, repeat
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from tests import cloudmap
from tests.azure import write_config
from tests.fakes.azure.server import Azure
from tests.fakes.azure.server import Zone as AzureZone
from tests.fakes.azure.values import build_records, list_values
from tests.fakes.clouddns.log import CHANGE as GOOGLE_CHANGE
from tests.fakes.clouddns.log import LIST as GOOGLE_LIST
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.cloudmap import records
from tests.fakes.cloudmap.server import WHOLE_LIST, CloudMap
from tests.fakes.route53.log import CHANGE, LIST
from tests.fakes.route53.server import Route53
from tests.fakes.route53.zones import Author, Edit
from tests.fakes.service.faults import Armed, Drop, Fault, Faults, Late, Meanwhile, Refuse, Stall
from tests.route53 import environ
from tests.slow.chaos.events import ZONES

TTL_S: Final = 60
"""The TTL of records of the second writer, in seconds; extdns writes 300."""


class Key(NamedTuple):
    """Zone, name, type and set identifier of a record set; names without a final dot."""

    zone: str
    name: str
    type: str
    set_identifier: str = ""


class Step(NamedTuple):
    """Consecutive changes by extdns, or by others: key, old and new record set of each."""

    by_program: bool
    changes: tuple[tuple[Key, object | None, object | None], ...]


class WriteCall(NamedTuple):
    """One write call: the names of the records in it, those of ownership records included, and the answer."""

    names: frozenset[str]
    answer: str


class DnsService(ABC):
    """A strict fake as a chaos run uses it; record sets are values of the fake's own type."""

    flags: tuple[str, ...]
    environ: Mapping[str, str]
    has_routing = False
    is_atomic = True
    """Whether a record and its ownership record are written together."""

    is_conditional = True
    """Whether writes are conditional, so that there may be two replicas."""

    _refusals: ClassVar[Mapping[str, tuple[int, str]]]
    """Status and error code of each verb of the script for which the fault is an answer."""

    _changes: Sequence[str]
    """The actions that fail in turn if the script says "change"; `_lists` if it says "list"."""

    _lists: Sequence[str]
    _raced: str
    """The action before which others edit."""

    def __init__(self, faults: Faults, lock: AbstractContextManager[object]) -> None:
        self._faults, self._lock = faults, lock
        self._actions = {"change": cycle(self._changes), "list": cycle(self._lists), "any": repeat(None)}

    def lock(self) -> AbstractContextManager[object]:
        """Return a context manager that blocks all other access."""
        return self._lock

    @abstractmethod
    def read(self) -> dict[Key, object]:
        """Return all record sets except SOA and NS at the apex."""

    @abstractmethod
    def values(self, record: object) -> tuple[str, ...]:
        """Return the sorted values of a record set; for an alias, "alias" and its target."""

    @abstractmethod
    def put(self, key: Key, *values: str) -> None:
        """Create or replace a record set without an API call."""

    @abstractmethod
    def delete(self, key: Key) -> None:
        """Delete a record set without an API call."""

    def protect(self, key: Key) -> bool:  # noqa: ARG002 - most fakes support it
        """Refuse every change of a record set from now on. Return whether the fake supports that."""
        return False

    @abstractmethod
    def list_writes(self) -> list[WriteCall]:
        """Return the write calls so far, in order."""

    def fail(self, verb: str, about: str, times: int) -> Armed[Fault]:
        """Make the next calls fail with the fault named *verb* in the script."""
        return self._faults.arm(self._make_fault(verb), action=next(self._actions[about]), times=times)

    def _make_fault(self, verb: str) -> Fault:
        match verb:
            case "drop":
                return Drop()
            case "drop-worked":
                return Drop(worked=True)
            case "late":
                return Late()
            case "late-worked":
                return Stall(worked=True)
            case _:
                return Refuse(*self._refusals[verb])

    def race(self, edit: Callable[[], object]) -> None:
        """Run *edit* just before the next write takes effect, or where it depends on a reading, before that."""
        self._faults.arm(Meanwhile(edit), action=self._raced)

    def recover(self) -> None:
        """Disarm all faults."""
        self._faults.clear()

    def journal(self) -> Iterator[Step]:
        """Yield all changes since the start, in order, or nothing if the fake keeps no journal."""
        return iter(())


class Route53Service(DnsService):
    """The strict Route 53, with a zone for each of `ZONES`."""

    has_routing = True
    _refusals: ClassVar = {
        "throttle": (400, "Throttling"),
        "error": (500, "InternalFailure"),
        "unavailable": (503, "ServiceUnavailable"),
        "busy": (400, "PriorRequestNotComplete"),
        "refuse": (400, "InvalidChangeBatch"),
    }
    _changes = (CHANGE,)
    _lists = (LIST,)
    _raced = CHANGE

    def __init__(self, fake: Route53) -> None:
        super().__init__(fake.faults, fake.api.lock)
        self._fake = fake
        self._ids = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags = ("--provider=aws",)
        self.environ = environ(fake)

    def read(self) -> dict[Key, object]:
        return {
            Key(zone, record.name.rstrip("."), record.type, record.set_identifier): record
            for zone, zone_id in self._ids.items()
            for record in self._fake.records(zone_id)
        }

    def values(self, record: object) -> tuple[str, ...]:
        alias = getattr(record, "alias", None)
        found: Iterable[str] = ("alias", alias.name.rstrip(".")) if alias else record.values  # type: ignore[attr-defined]
        return tuple(found) if alias else tuple(sorted(value.rstrip(".") for value in found))

    def put(self, key: Key, *values: str) -> None:
        record = {"Name": key.name, "Type": key.type, "TTL": TTL_S, "ResourceRecords": list(values)}
        self._fake.put(self._ids[key.zone], record)

    def delete(self, key: Key) -> None:
        self._fake.delete(self._ids[key.zone], key.name, key.type, key.set_identifier)

    def protect(self, key: Key) -> bool:
        self._fake.protect(self._ids[key.zone], key.name, key.type)
        return True

    def list_writes(self) -> list[WriteCall]:
        return [
            WriteCall(
                frozenset(change.record.name.rstrip(".") for change in call.changes),
                f"{call.status} {call.code} {call.message}".rstrip(),
            )
            for call in self._fake.log.calls(CHANGE)
        ]

    def journal(self) -> Iterator[Step]:
        for zone, zone_id in self._ids.items():
            group: list[Edit] = []
            for edit in self._fake.edits(zone_id):
                if group and group[-1].by is not edit.by:
                    yield self._step(zone, group)
                    group = []
                group.append(edit)
            if group:
                yield self._step(zone, group)

    def _step(self, zone: str, group: list[Edit]) -> Step:
        changes = []
        for edit in group:
            found = edit.after or edit.before
            assert found is not None
            key = Key(zone, found.name.rstrip("."), found.type, found.set_identifier)
            changes.append((key, edit.before, edit.after))
        return Step(group[0].by is Author.API, tuple(changes))


class CloudDnsService(DnsService):
    """The strict Cloud DNS, with a zone for each of `ZONES`."""

    _refusals: ClassVar = {
        "throttle": (429, "rateLimitExceeded"),
        "error": (500, "backendError"),
        "unavailable": (503, "backendError"),
        "busy": (503, "backendError"),
        "refuse": (400, "invalid"),
    }
    _changes = (GOOGLE_CHANGE,)
    _lists = (GOOGLE_LIST,)
    _raced = GOOGLE_CHANGE

    def __init__(self, fake: CloudDns) -> None:
        super().__init__(fake.faults, fake.api.lock)
        self._fake = fake
        self._names = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags = (
            "--provider=google",
            f"--google-project={PROJECT}",
            f"--google-api-endpoint={fake.url}",
        )
        self.environ = {}

    def read(self) -> dict[Key, object]:
        return {
            Key(zone, record.name.rstrip("."), record.type): record
            for zone, name in self._names.items()
            for record in self._fake.records(name)
        }

    def values(self, record: object) -> tuple[str, ...]:
        found: Iterable[str] = record.rrdatas  # type: ignore[attr-defined]
        return tuple(sorted(value.rstrip(".") for value in found))

    def put(self, key: Key, *values: str) -> None:
        data = [f"{value}." if key.type == "CNAME" else value for value in values]
        record = {"name": f"{key.name}.", "type": key.type, "ttl": TTL_S, "rrdatas": data}
        self._fake.put(self._names[key.zone], record)

    def delete(self, key: Key) -> None:
        self._fake.delete(self._names[key.zone], f"{key.name}.", key.type)

    def list_writes(self) -> list[WriteCall]:
        return [
            WriteCall(
                frozenset(
                    record["name"].rstrip(".")
                    for part in ("deletions", "additions")
                    for record in call.body.get(part, ())
                ),
                f"{call.status} {call.reason}".rstrip(),
            )
            for call in self._fake.log.calls(GOOGLE_CHANGE)
        ]


class AzureService(DnsService):
    """The strict Azure DNS, with a public zone for each of `ZONES`."""

    is_atomic = False
    _refusals: ClassVar = {
        "throttle": (429, "Throttled"),
        "error": (500, "InternalServerError"),
        "unavailable": (503, "ServiceUnavailable"),
        "busy": (429, "RetryableErrorDueToAnotherOperation"),
        "refuse": (400, "BadRequest"),
    }
    _changes = ("PUT TXT", "PUT A", "DELETE A", "PUT CNAME", "DELETE TXT", "PUT AAAA")
    _lists = ("GET ALL",)
    _raced = "GET ALL"

    def __init__(self, fake: Azure, folder: Path) -> None:
        super().__init__(fake.faults, fake.lock)
        self._fake = fake
        self._fake.retry_after_s = 1
        self._zones = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags = ("--provider=azure", f"--azure-config-file={write_config(folder, fake)}")
        self.environ = {"AZURE_POD_IDENTITY_AUTHORITY_HOST": fake.url}

    def read(self) -> dict[Key, object]:
        with self._fake.lock:
            return {
                Key(zone, f"{name}.{zone}", rtype): deepcopy(found)
                for zone, held in self._zones.items()
                for (name, rtype), found in held.sets.items()
                if name != "@"
            }

    def values(self, record: object) -> tuple[str, ...]:
        return list_values(record)  # type: ignore[arg-type]

    def put(self, key: Key, *values: str) -> None:
        zone, name = self._find(key)
        self._fake.put(zone, name, key.type, build_records(key.type, values), ttl=TTL_S)

    def delete(self, key: Key) -> None:
        zone, name = self._find(key)
        self._fake.delete(zone, name, key.type)

    def protect(self, key: Key) -> bool:
        zone, name = self._find(key)
        zone.protected.add((name, key.type))
        return True

    def _find(self, key: Key) -> tuple[AzureZone, str]:
        return self._zones[key.zone], key.name.removesuffix(f".{key.zone}")

    def list_writes(self) -> list[WriteCall]:
        return [
            WriteCall(frozenset({f"{call.name}.{call.zone_id}"}), call.action)
            for call in list(self._fake.calls)
            if call.action.startswith(("PUT", "DELETE"))
        ]


class CloudflareService(DnsService):
    """The strict Cloudflare, with a zone for each of `ZONES`."""

    is_conditional = False
    _refusals: ClassVar = {
        "throttle": (429, "971"),
        "error": (500, "10013"),
        "unavailable": (503, "10013"),
        "busy": (502, "10013"),
        "refuse": (400, "9207"),
    }
    _changes = ("POST dns_records",)
    _lists = ("GET dns_records",)
    _raced = "GET dns_records"

    def __init__(self, fake: Cloudflare) -> None:
        super().__init__(fake.faults, fake.lock)
        self._fake = fake
        self._fake.retry_after_s = 1
        self._ids = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags = ("--provider=cloudflare", "--batch-change-interval=0s")
        self.environ = {"CLOUDFLARE_BASE_URL": fake.url, "CF_API_TOKEN": TOKEN}

    def read(self) -> dict[Key, object]:
        found: dict[Key, tuple[dict[str, Any], ...]] = {}
        with self._fake.lock:
            for zone, zone_id in self._ids.items():
                for one in self._fake.list_records(zone_id):
                    key = Key(zone, one["name"], one["type"])
                    found[key] = (*found.get(key, ()), dict(one))
        return dict(found)

    def values(self, record: object) -> tuple[str, ...]:
        return tuple(sorted(one["content"] for one in record))  # type: ignore[attr-defined]

    def put(self, key: Key, *values: str) -> None:
        with self._fake.lock:
            if key in self.read():
                self.delete(key)
            for value in values:
                self._fake.put(self._ids[key.zone], key.name, key.type, value, ttl=TTL_S)

    def delete(self, key: Key) -> None:
        zone_id = self._ids[key.zone]
        for one in self._fake.list_records(zone_id):
            if (one["name"], one["type"]) == (key.name, key.type):
                self._fake.delete(zone_id, one["id"])

    def protect(self, key: Key) -> bool:
        self._fake.protect(self._ids[key.zone], key.name, key.type)
        return True

    def list_writes(self) -> list[WriteCall]:
        return [
            WriteCall(frozenset(self._find_names(call.body)), call.action)
            for call in list(self._fake.calls)
            if call.action in self._changes and call.body
        ]

    def _find_names(self, body: Mapping[str, Any]) -> Iterator[str]:
        for entry in (one for entries in body.values() for one in entries):
            yield entry["name"] if "name" in entry else self._fake.names[entry["id"]]


class CloudMapService(DnsService):
    """The strict Cloud Map, with a public namespace for each of `ZONES`."""

    is_atomic = False
    is_conditional = False
    _refusals: ClassVar = {
        "throttle": (400, "RequestLimitExceeded"),
        "error": (500, "InternalFailure"),
        "unavailable": (503, "ServiceUnavailable"),
        "busy": (400, "DuplicateRequest"),
        "refuse": (400, "InvalidInput"),
    }
    _changes = (
        *("RegisterInstance", "CreateService", "GetOperation", "DeregisterInstance", "DeleteService", "UpdateService"),
    )
    _lists = ("ListServices", "ListInstances", WHOLE_LIST)
    _raced = WHOLE_LIST

    def __init__(self, fake: CloudMap) -> None:
        super().__init__(fake.faults, fake.lock)
        self._fake = fake
        self._ids = {zone: fake.add_namespace(zone) for zone in ZONES}
        self.flags = (
            *("--provider=aws-sd", "--aws-sd-service-cleanup", "--api-calls-per-second=1000", "--api-burst=1000"),
        )
        self.environ = cloudmap.environ(fake)

    def read(self) -> dict[Key, object]:
        return {
            Key(zone, f"{name}.{zone}", rtype): found
            for zone, namespace in self._ids.items()
            for (name, rtype), found in records.list_records(self._fake, namespace).items()
        }

    def values(self, record: object) -> tuple[str, ...]:
        assert isinstance(record, records.Found)
        return record.values

    def put(self, key: Key, *values: str) -> None:
        name = key.name.removesuffix(f".{key.zone}")
        records.put(self._fake, self._ids[key.zone], name, key.type, values, TTL_S)

    def delete(self, key: Key) -> None:
        self.put(key)

    def protect(self, key: Key) -> bool:
        self._fake.protected.add(key.name)
        return True

    def list_writes(self) -> list[WriteCall]:
        return [
            WriteCall(frozenset({call.name}), call.action)
            for call in list(self._fake.calls)
            if not call.action.startswith(("Get", "List"))
        ]
