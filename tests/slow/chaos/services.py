"""The strict fakes of DNS services for a chaos run, with one interface for records, calls and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from copy import deepcopy
from itertools import cycle
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

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
from tests.fakes.service.faults import Armed, Drop, Fault, Late, Meanwhile, Refuse, Stall
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


class DnsService(Protocol):
    """A strict fake as a chaos run uses it; record sets are values of the fake's own type."""

    flags: tuple[str, ...]
    environ: Mapping[str, str]
    has_routing: bool
    is_atomic: bool
    """Whether a record and its ownership record are written together."""

    is_conditional: bool
    """Whether writes are conditional, so that there may be two replicas."""

    def lock(self) -> AbstractContextManager[object]:
        """Return a context manager that blocks all other access."""
        ...

    def read(self) -> dict[Key, object]:
        """Return all record sets except SOA and NS at the apex."""
        ...

    def values(self, record: object) -> tuple[str, ...]:
        """Return the sorted values of a record set; for an alias, "alias" and its target."""
        ...

    def put(self, key: Key, *values: str) -> None:
        """Create or replace a record set without an API call."""
        ...

    def delete(self, key: Key) -> None:
        """Delete a record set without an API call."""
        ...

    def protect(self, key: Key) -> bool:
        """Refuse every change of a record set from now on. Return whether the fake supports that."""
        ...

    def list_writes(self) -> list[WriteCall]:
        """Return the write calls so far, in order."""
        ...

    def fail(self, verb: str, about: str, times: int) -> Armed:
        """Make the next calls fail with the fault named *verb* in the script."""
        ...

    def race(self, edit: Callable[[], object]) -> None:
        """Run *edit* just before the next write takes effect, or where it depends on a reading, before that."""
        ...

    def recover(self) -> None:
        """Disarm all faults."""
        ...

    def journal(self) -> Iterator[Step]:
        """Yield all changes since the start, in order, or nothing if the fake keeps no journal."""
        ...


def make_fault(verb: str, refusals: Mapping[str, tuple[int, str]]) -> Fault:
    """Return the fault named *verb* in the script; *refusals* are status and error code by verb."""
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
            return Refuse(*refusals[verb])


class Route53Service:
    """The strict Route 53, with a zone for each of `ZONES`."""

    has_routing = True
    is_atomic = True
    is_conditional = True
    _refusals: Final = {
        "throttle": (400, "Throttling"),
        "error": (500, "InternalFailure"),
        "unavailable": (503, "ServiceUnavailable"),
        "busy": (400, "PriorRequestNotComplete"),
        "refuse": (400, "InvalidChangeBatch"),
    }
    _actions: Final = {"change": CHANGE, "list": LIST, "any": None}

    def __init__(self, fake: Route53) -> None:
        self._fake = fake
        self._ids = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags: tuple[str, ...] = ("--provider=aws",)
        self.environ: Mapping[str, str] = environ(fake)

    def lock(self) -> AbstractContextManager[object]:
        return self._fake.api.lock

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

    def fail(self, verb: str, about: str, times: int) -> Armed:
        return self._fake.faults.arm(make_fault(verb, self._refusals), action=self._actions[about], times=times)

    def race(self, edit: Callable[[], object]) -> None:
        self._fake.faults.arm(Meanwhile(edit), action=self._actions["change"])

    def recover(self) -> None:
        self._fake.faults.clear()

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


class CloudDnsService:
    """The strict Cloud DNS, with a zone for each of `ZONES`."""

    has_routing = False
    is_atomic = True
    is_conditional = True
    _refusals: Final = {
        "throttle": (429, "rateLimitExceeded"),
        "error": (500, "backendError"),
        "unavailable": (503, "backendError"),
        "busy": (503, "backendError"),
        "refuse": (400, "invalid"),
    }
    _actions: Final = {"change": GOOGLE_CHANGE, "list": GOOGLE_LIST, "any": None}

    def __init__(self, fake: CloudDns) -> None:
        self._fake = fake
        self._names = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags: tuple[str, ...] = (
            "--provider=google",
            f"--google-project={PROJECT}",
            f"--google-api-endpoint={fake.url}",
        )
        self.environ: Mapping[str, str] = {}

    def lock(self) -> AbstractContextManager[object]:
        return self._fake.api.lock

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

    def protect(self, key: Key) -> bool:  # noqa: ARG002 - not supported by this fake
        return False

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

    def fail(self, verb: str, about: str, times: int) -> Armed:
        return self._fake.faults.arm(make_fault(verb, self._refusals), action=self._actions[about], times=times)

    def race(self, edit: Callable[[], object]) -> None:
        self._fake.faults.arm(Meanwhile(edit), action=self._actions["change"])

    def recover(self) -> None:
        self._fake.faults.clear()

    def journal(self) -> Iterator[Step]:
        return iter(())


class AzureService:
    """The strict Azure DNS, with a public zone for each of `ZONES`."""

    has_routing = False
    is_atomic = False
    is_conditional = True
    _refusals: Final = {
        "throttle": (429, "Throttled"),
        "error": (500, "InternalServerError"),
        "unavailable": (503, "ServiceUnavailable"),
        "busy": (429, "RetryableErrorDueToAnotherOperation"),
        "refuse": (400, "BadRequest"),
    }
    _changes: Final = ("PUT TXT", "PUT A", "DELETE A", "PUT CNAME", "DELETE TXT", "PUT AAAA")

    def __init__(self, fake: Azure, folder: Path) -> None:
        self._fake = fake
        self._fake.retry_after_s = 1
        self._zones = {zone: fake.add_zone(zone) for zone in ZONES}
        self._next_change = cycle(self._changes)
        self.flags: tuple[str, ...] = ("--provider=azure", f"--azure-config-file={write_config(folder, fake)}")
        self.environ: Mapping[str, str] = {"AZURE_POD_IDENTITY_AUTHORITY_HOST": fake.url}

    def lock(self) -> AbstractContextManager[object]:
        return self._fake.lock

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

    def fail(self, verb: str, about: str, times: int) -> Armed:
        actions = {"change": next(self._next_change), "list": "GET ALL", "any": None}
        return self._fake.faults.arm(make_fault(verb, self._refusals), action=actions[about], times=times)

    def race(self, edit: Callable[[], object]) -> None:
        self._fake.faults.arm(Meanwhile(edit), action="GET ALL")

    def recover(self) -> None:
        self._fake.faults.clear()

    def journal(self) -> Iterator[Step]:
        return iter(())


class CloudflareService:
    """The strict Cloudflare, with a zone for each of `ZONES`."""

    has_routing = False
    is_atomic = True
    is_conditional = False
    _refusals: Final = {
        "throttle": (429, "971"),
        "error": (500, "10013"),
        "unavailable": (503, "10013"),
        "busy": (502, "10013"),
        "refuse": (400, "9207"),
    }
    _actions: Final = {"change": "POST dns_records", "list": "GET dns_records", "any": None}

    def __init__(self, fake: Cloudflare) -> None:
        self._fake = fake
        self._fake.retry_after_s = 1
        self._ids = {zone: fake.add_zone(zone) for zone in ZONES}
        self.flags: tuple[str, ...] = ("--provider=cloudflare", "--batch-change-interval=0s")
        self.environ: Mapping[str, str] = {"CLOUDFLARE_BASE_URL": fake.url, "CF_API_TOKEN": TOKEN}

    def lock(self) -> AbstractContextManager[object]:
        return self._fake.lock

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
            if call.action == self._actions["change"] and call.body
        ]

    def _find_names(self, body: Mapping[str, Any]) -> Iterator[str]:
        for entry in (one for entries in body.values() for one in entries):
            yield entry["name"] if "name" in entry else self._fake.names[entry["id"]]

    def fail(self, verb: str, about: str, times: int) -> Armed:
        return self._fake.faults.arm(make_fault(verb, self._refusals), action=self._actions[about], times=times)

    def race(self, edit: Callable[[], object]) -> None:
        self._fake.faults.arm(Meanwhile(edit), action=self._actions["list"])

    def recover(self) -> None:
        self._fake.faults.clear()

    def journal(self) -> Iterator[Step]:
        return iter(())


class CloudMapService:
    """The strict Cloud Map, with a public namespace for each of `ZONES`."""

    has_routing = False
    is_atomic = False
    is_conditional = False
    _refusals: Final = {
        "throttle": (400, "RequestLimitExceeded"),
        "error": (500, "InternalFailure"),
        "unavailable": (503, "ServiceUnavailable"),
        "busy": (400, "DuplicateRequest"),
        "refuse": (400, "InvalidInput"),
    }
    _changes: Final = (
        *("RegisterInstance", "CreateService", "GetOperation", "DeregisterInstance", "DeleteService", "UpdateService"),
    )

    def __init__(self, fake: CloudMap) -> None:
        self._fake = fake
        self._ids = {zone: fake.add_namespace(zone) for zone in ZONES}
        self._next = {"change": cycle(self._changes), "list": cycle(("ListServices", "ListInstances", WHOLE_LIST))}
        self.flags: tuple[str, ...] = (
            *("--provider=aws-sd", "--aws-sd-service-cleanup", "--api-calls-per-second=1000", "--api-burst=1000"),
        )
        self.environ: Mapping[str, str] = cloudmap.environ(fake)

    def lock(self) -> AbstractContextManager[object]:
        return self._fake.lock

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

    def fail(self, verb: str, about: str, times: int) -> Armed:
        action = next(self._next[about]) if about in self._next else None
        return self._fake.faults.arm(make_fault(verb, self._refusals), action=action, times=times)

    def race(self, edit: Callable[[], object]) -> None:
        self._fake.faults.arm(Meanwhile(edit), action=WHOLE_LIST)

    def recover(self) -> None:
        self._fake.faults.clear()

    def journal(self) -> Iterator[Step]:
        return iter(())
