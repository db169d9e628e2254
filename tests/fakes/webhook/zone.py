"""The records of the fake DNS service, and the changes of one request to them."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tests.fakes.webhook.defects import Defect

Endpoint = Mapping[str, Any]
"""An Endpoint as JSON, with keys in the spelling of docs/spec/plan.md 0.1."""

_KEYS: Final = {
    key.lower(): key
    for key in (
        *("dnsName", "targets", "recordType", "setIdentifier", "recordTTL", "labels", "providerSpecific"),
        *("create", "updateOld", "updateNew", "delete", "name", "value"),
    )
}
_FAMILIES: Final[Mapping[str, Callable[[str], object]]] = {
    "A": ipaddress.IPv4Address,
    "AAAA": ipaddress.IPv6Address,
}


class Refused(Exception):
    """The service refuses the changes; none of them is made."""


class Key(NamedTuple):
    """What identifies a record."""

    name: str
    type: str
    set_identifier: str


class Changes(NamedTuple):
    """The changes of one request."""

    create: Sequence[Endpoint] = ()
    update_old: Sequence[Endpoint] = ()
    update_new: Sequence[Endpoint] = ()
    delete: Sequence[Endpoint] = ()


def normalize_keys(found: object) -> object:
    """Return JSON with the known keys in their usual spelling, as Go reads them without regard to case."""
    match found:
        case dict():
            return {_KEYS.get(key.lower(), key): normalize_keys(value) for key, value in found.items()}
        case list():
            return [normalize_keys(value) for value in found]
        case _:
            return found


def find_key(endpoint: Endpoint) -> Key:
    name = str(endpoint["dnsName"]).removesuffix(".").lower()
    return Key(name, str(endpoint["recordType"]), str(endpoint.get("setIdentifier", "")))


class Records:
    """The records of several zones. A request is carried out completely or not at all.

    Attributes:
        found: the records by key.
        former: what a record was before its last update.
    """

    def __init__(self, zones: Sequence[str], defect: Defect | None, default_ttl_s: int = 0) -> None:
        self._defaults = {"recordTTL": default_ttl_s} if default_ttl_s else {}
        self.found: dict[Key, Endpoint] = {}
        self.former: dict[Key, Endpoint] = {}
        self._zones = zones
        self._defect = defect
        self._locked: set[Key] = set()

    def put(self, endpoint: Endpoint) -> None:
        self.found[find_key(endpoint)] = endpoint

    def apply(self, changes: Changes) -> None:
        """Carry out *changes*: deletes, updates, creates."""
        before = dict(self.found)
        try:
            for step in self._order_steps(changes):
                step()
        except Refused:
            self.found = before
            if self._defect is Defect.BLOCKED_AFTER_FAILURE:
                self._locked |= {find_key(endpoint) for endpoint in changes.create}
            raise

    def _order_steps(self, changes: Changes) -> Iterator[Callable[[], None]]:
        steps = [
            lambda: self._delete(changes),
            lambda: self._update(changes),
            lambda: self._create(changes.create),
        ]
        return iter(steps[::-1] if self._defect is Defect.CREATES_BEFORE_DELETES else steps)

    def _delete(self, changes: Changes) -> None:
        defect = self._defect
        if defect is Defect.DELETES_IGNORED:
            return
        if defect is Defect.DELETES_SKIPPED_IN_MIXED_REQUEST and changes.update_new:
            return
        for endpoint in changes.delete:
            key = find_key(endpoint)
            if self.found.pop(key, None) is None:
                raise Refused(f"{key} is not there")
            for other in tuple(self.found):
                if _takes(defect, key, other) or (
                    defect is Defect.FOREIGN_RECORD_DELETED and other.name in self._zones
                ):
                    del self.found[other]

    def _update(self, changes: Changes) -> None:
        defect = self._defect
        updates = list(zip(changes.update_old, changes.update_new, strict=True))
        for old, new in updates[:1] if defect is Defect.ONLY_FIRST_UPDATE else updates:
            key = find_key(new)
            if key not in self.found:
                raise Refused(f"{key} is not there")
            if defect is Defect.TTL_UPDATE_IGNORED and old["targets"] == new["targets"]:
                continue
            self.former[key] = self.found[key]
            added = [*self.found[key]["targets"], *new["targets"]] if defect is Defect.UPDATE_ADDS else new["targets"]
            self._store({**new, "targets": added})

    def _create(self, endpoints: Sequence[Endpoint]) -> None:
        for endpoint in endpoints:
            key = find_key(endpoint)
            if key in self._locked:
                raise Refused(f"{key} is locked by a change that failed")
            if key in self.found and self._defect is not Defect.ADJUST_STORES:
                raise Refused(f"{key} is already there")
            try:
                self._store(endpoint)
            except Refused:
                if self._defect is not Defect.INVALID_CHANGE_SKIPPED:
                    raise

    def _store(self, requested: Endpoint) -> None:
        change = _STORED.get(self._defect) if self._defect else None
        endpoint = change(requested) if change else requested
        key = find_key(endpoint)
        if not any(key.name == zone or key.name.endswith(f".{zone}") for zone in self._zones):
            raise Refused(f"{key.name} is in no zone")
        _check_targets(key, endpoint["targets"])
        if any(other.name == key.name and "CNAME" in {key.type, other.type} for other in self.found if other != key):
            raise Refused(f"{key.name}: a CNAME cannot coexist with other records")
        if self._defect is Defect.AAAA_ANSWERED_BUT_IGNORED and key.type == "AAAA":
            return
        if any(other[:2] == key[:2] and not (other[2] and key[2]) for other in self.found if other != key):
            raise Refused(f"{key.name}: a record without set identifier cannot coexist with one with it")
        self.put({**self._defaults, **endpoint})


def _takes(defect: Defect | None, deleted: Key, other: Key) -> bool:
    """Return whether the delete of one record wrongly deletes another one, too."""
    match defect:
        case Defect.DELETE_TAKES_ALL_TYPES:
            return other.name == deleted.name and other.type != deleted.type
        case Defect.DELETE_TAKES_NAMES_BELOW:
            return other.name.endswith(f".{deleted.name}")
        case Defect.DELETE_TAKES_ALL_SET_IDENTIFIERS:
            return other[:2] == deleted[:2]
        case _:
            return False


def _check_targets(key: Key, targets: Sequence[str]) -> None:
    parse = _FAMILIES.get(key.type)
    if not targets:
        raise Refused(f"{key} has no targets")
    try:
        for target in targets if parse else ():
            assert parse is not None
            parse(target)
    except ValueError as exc:
        raise Refused(f"{key}: {exc}") from exc


_STORED: Final[Mapping[Defect, Callable[[Endpoint], Endpoint]]] = {
    Defect.ONLY_FIRST_TARGET: lambda one: {**one, "targets": one["targets"][:1]},
    Defect.LONG_TXT_CUT: lambda one: {**one, "targets": [target[:255] for target in one["targets"]]},
    Defect.SET_IDENTIFIER_IGNORED: lambda one: {**one, "setIdentifier": ""},
}
"""What is stored in place of an Endpoint."""
