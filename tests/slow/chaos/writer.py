"""The second writer of a chaos run: it edits foreign records, which extdns must never change, and records of ours."""

from __future__ import annotations

from functools import partial
from typing import Final

from tests.slow.chaos.events import ZONES, Event
from tests.slow.chaos.services import DnsService, Key

OURS: Final = '"heritage=external-dns,external-dns/owner=me'
THEIRS: Final = '"heritage=external-dns,external-dns/owner=someone,external-dns/resource=service/far/away"'
_HOLDS_NAMES: Final = ("A", "AAAA", "CNAME")


class Writer:
    """Edits the zones without API calls, each edit atomically.

    Attributes:
        foreign: the expected version of every record set that is not ours.
        took: how many records of ours lost their ownership record.
    """

    def __init__(self, service: DnsService) -> None:
        self._service = service
        self.foreign: dict[Key, object] = {}
        self.took = 0

    def handle(self, event: Event) -> None:
        """Edit the zones as *event* says, now or just before the next write of extdns takes effect.

        A write without conditions overwrites what came after its reading, so ownership is taken before one.
        """
        is_lost = event.verb == "seize" and not self._service.is_conditional
        if event.detail[-1] == "race" or is_lost:
            self._service.race(partial(self._edit, event))
        else:
            self._edit(event)

    def _edit(self, event: Event) -> None:
        address, how, _ = event.detail
        with self._service.lock():
            match event.verb:
                case "foreign":
                    self.write_own(event.about, address, remove=how == "remove" and event.about.startswith("f"))
                case "drift":
                    for key in self._list_ours(event.about):
                        self._service.delete(key)
                        self._service.put(key, address if key.type == "A" else _other(key, address))
                case "erase":
                    for key in self._list_ours(event.about):
                        self._service.delete(key)
                case "free":
                    for key in self._list_ours(event.about):
                        self._service.delete(key)
                        self._service.delete(find_ownership_key(key))
                case "seize":
                    self._seize(event.about, replace=how == "replace")
                case _:
                    raise AssertionError(event)

    def write_own(self, name: str, address: str, *, remove: bool = False) -> None:
        key = Key(find_zone(name), name, "A")
        if remove:
            if self.foreign.pop(key, None) is not None:
                self._service.delete(key)
            return
        self._service.put(key, address)
        self.foreign[key] = self._service.read()[key]

    def _seize(self, name: str, *, replace: bool) -> None:
        for key in self._list_ours(name):
            ownership = find_ownership_key(key)
            if replace:
                self._service.put(ownership, THEIRS)
            else:
                self._service.delete(ownership)
            if not self._service.is_atomic:  # a write of the record does not depend on its ownership record
                self._service.put(key, *self._service.values(self._service.read()[key]))
            found = self._service.read()
            self.foreign[key] = found[key]
            if replace:
                self.foreign[ownership] = found[ownership]
            self.took += 1

    def _list_ours(self, name: str) -> list[Key]:
        """Return the simple record sets at *name* that are ours now."""
        found = self._service.read()
        return [
            key
            for key in found
            if key.name == name
            and key.type in _HOLDS_NAMES
            and not key.set_identifier
            and is_ours(self._service, found, key)
        ]


def find_ownership_key(key: Key) -> Key:
    """Return the key of the ownership record of a record set (docs/spec/plan.md 3.2.1, no affix)."""
    return Key(key.zone, f"{key.type.lower()}-{key.name}", "TXT", key.set_identifier)


def is_ours(service: DnsService, found: dict[Key, object], key: Key) -> bool:
    """Return whether an ownership record of ours covers the record set *key* of *found*."""
    ownership = found.get(find_ownership_key(key))
    return ownership is not None and any(value.startswith(OURS) for value in service.values(ownership))


def find_zone(name: str) -> str:
    return max((zone for zone in ZONES if name.endswith(f".{zone}")), key=len)


def _other(key: Key, address: str) -> str:
    """Return a value of the type of *key* that no object requests."""
    number = address.rpartition(".")[2]
    return f"2001:db8:ffff::{number}" if key.type == "AAAA" else f"drift-{number}.example.net"
