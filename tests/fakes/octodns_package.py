"""A package for octoDNS whose service is a dictionary: it remembers what it read, and makes one change after the other.

Configurations name its class `tests.fakes.octodns_package.MemoryProvider`.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from octodns.provider.base import BaseProvider
from octodns.provider.plan import Plan
from octodns.record import Record
from octodns.source.base import BaseSource
from octodns.zone import Zone

ZONE = "example.org."
CLASS = f"{__name__}.MemoryProvider"
RecordData = dict[str, Any]


class BusyError(Exception):
    """What a client library raises for an HTTP status."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class RefusedByPackageError(Exception):
    """An error class of the package."""


class ForbiddenError(Exception):
    """What a client library raises for status 403."""

    status_code = 403


@dataclass(kw_only=True, eq=False)
class MemoryService:
    """The records of one service, and what happens to its calls.

    Attributes:
        zones: by name with its dot, the records by name and type, as octoDNS's `Record.new` takes them.
        failures: for each of the next calls of `apply`, after how many changes it fails and the error; None: it works.
        read_failures: the errors of the next calls of `populate`.
        reads: how often `populate` was called.
        plans: the plans that were applied, or began to be.
    """

    zones: dict[str, dict[tuple[str, str], RecordData]] = field(default_factory=lambda: {ZONE: {}})
    failures: deque[tuple[int, Exception] | None] = field(default_factory=deque)
    read_failures: deque[Exception] = field(default_factory=deque)
    reads: int = 0
    plans: list[Any] = field(default_factory=list)

    def put(self, name: str, rtype: str, *values: object, ttl: int = 300, **more: object) -> None:
        """Store a record of `example.org`, as octoDNS spells it."""
        self.zones[ZONE][name, rtype] = {"type": rtype, "ttl": ttl, "values": list(values), **more}

    def get(self, name: str, rtype: str) -> RecordData | None:
        return self.zones[ZONE].get((name, rtype))


SERVICES: dict[str, MemoryService] = {"any": MemoryService()}
"""The services by the argument `service` of the provider. `any` is for processes of their own."""


class MemoryProvider(BaseProvider):  # type: ignore[misc]  # octoDNS has no types
    """A provider that reads once, as most packages do, and writes change by change.

    *quotes* is `read` or `write`: that call fails with an error that quotes the token.
    """

    SUPPORTS = frozenset({"A", "AAAA", "ALIAS", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"})
    SUPPORTS_GEO = False
    SUPPORTS_ROOT_NS = True

    def __init__(
        self,
        id: str,  # noqa: A002 - the name that octoDNS gives it
        service: str,
        *,
        token: str = "",
        min_ttl: int = 0,
        lists: bool = True,
        quotes: str = "",
        timeout: float | None = None,
        apply_disabled: bool = False,
    ) -> None:
        self.log = logging.getLogger(f"MemoryProvider[{id}]")
        super().__init__(id, apply_disabled=apply_disabled)
        self.token, self.min_ttl, self.timeout, self._lists = token, min_ttl, timeout, lists
        self._quotes = quotes
        self._service = SERVICES[service]
        self._read: dict[str, list[tuple[str, RecordData]]] = {}

    def list_zones(self) -> list[str]:
        return sorted(self._service.zones) if self._lists else []

    def populate(self, zone: Zone, target: bool = False, lenient: bool = False) -> bool:  # noqa: ARG002 - octoDNS's
        """Add the records, as they were when this instance first read them."""
        self._service.reads += 1
        self._fail("read")
        if self._service.read_failures:
            raise self._service.read_failures.popleft()
        found = self._service.zones.get(zone.name, {})
        for name, data in self._read.setdefault(zone.name, [(name, dict(data)) for (name, _), data in found.items()]):
            zone.add_record(Record.new(zone, name, data, source=self, lenient=lenient), lenient=lenient)
        return bool(found)

    def _fail(self, call: str) -> None:
        if self._quotes == call:
            raise ForbiddenError(f"the service repeats Bearer {self.token}")

    def _apply(self, plan: Plan) -> None:
        self._fail("write")
        self._service.plans.append(plan)
        failure = self._service.failures.popleft() if self._service.failures else None
        stored = self._service.zones[plan.desired.name]
        for made, change in enumerate(plan.changes):
            if failure is not None and failure[0] == made:
                raise failure[1]
            record = change.record
            if change.new is None:
                del stored[record.name, record._type]
            else:
                stored[record.name, record._type] = {**record.data, "type": record._type}


class OnlySource(BaseSource):  # type: ignore[misc]  # octoDNS has no types
    """A source, which cannot be written to."""

    SUPPORTS = frozenset({"A"})
    SUPPORTS_GEO = False

    def __init__(self, id: str) -> None:  # noqa: A002 - the name that octoDNS gives it
        self.log = logging.getLogger(f"OnlySource[{id}]")
        super().__init__(id)


class Vault:
    """A secret handler."""

    def __init__(self, name: str, *, prefix: str = "", fails: bool = False) -> None:
        self.name, self._prefix, self._fails = name, prefix, fails

    def fetch(self, name: str, source: object) -> str:  # noqa: ARG002 - octoDNS's
        if self._fails:
            raise ConnectionError("vault is sealed")
        return f"{self._prefix}{name}"
