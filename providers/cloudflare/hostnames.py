"""Regional and custom hostnames: calls of their own, without undo, beside the batch that changes the records of a name.

Those of a name with a record that is made, or gets other values, are changed after the batch, so that they do not delay
the record. Others are changed before it. So whatever fails in between, the name has an ownership record, and a later
pass finds the difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from extdns.model.change import ChangeSet, Write
from extdns.model.dns_name import DnsName
from extdns.model.value import Value, group_by
from providers.cloudflare.client import CloudflareApi
from providers.cloudflare.entries import (
    CUSTOM,
    HOSTNAME_TYPES,
    REGION,
    CloudflareValue,
    plan_operations,
    split_hostnames,
)
from providers.common.api_calls import CallFailedError, FailureKind

MAX_CALLS: Final = 100
"""The most calls for regions and custom hostnames in a batch of several names: 33 s at 3 calls a second."""


class HostnameChange(Value, frozen=True, kw_only=True):
    """How the region or the custom hostnames of a name change.

    Attributes:
        values: what the records ask for, each once, "" for none; () if all records that are written are deleted.
        is_written: whether a record is made, or gets other values.
    """

    name: DnsName
    values: tuple[str, ...]
    types: frozenset[str]
    is_written: bool

    @property
    def hostnames(self) -> frozenset[str]:
        """The custom hostnames that the records ask for."""
        return frozenset(split_hostnames(",".join(self.values)))

    def find_problem(self, held: str, others: Iterable[str]) -> str:
        """Return why the region cannot change, "" if it can.

        *held* is the region of the name, *others* are the types of its records that are not written.
        """
        if len(self.values) > 1:
            found = " and ".join(repr(region) for region in self.values)
            return f"{self.name}: its records ask for the regions {found}; allowed: one for a name"
        if self.values and others and self.values != (held,):
            kept = ", ".join(sorted(others))
            return f"{self.name}: its {kept} record, which stays, has the region {held!r}; allowed: one for a name"
        return ""


def find_changes(writes: Iterable[Write], key: str) -> tuple[HostnameChange, ...]:
    """Return how *writes* change the property *key* of their names, without the names for which it stays."""
    of_names = (write for write in writes if write.key.type in HOSTNAME_TYPES[key])
    return tuple(
        HostnameChange(
            name=name,
            values=tuple(sorted({write.new.properties.get(key) for write in found if write.new is not None})),
            types=frozenset(write.key.type for write in found),
            is_written=any(write.new and plan_operations([write])[0] for write in found),
        )
        for name, found in group_by(of_names, lambda write: write.key.name).items()
        if any(old != new for old, new in (_list_values(write, key) for write in found))
    )


def find_results(writes: Iterable[Write], key: str, unchanged: Collection[DnsName]) -> dict[str, str]:
    """Return the values of the property *key* after *writes*, by name; those of *unchanged* are as before."""
    records = ((write.key, write.old if write.key.name in unchanged else write.new) for write in writes)
    return {of.name: one.properties.get(key) for of, one in records if one and of.type in HOSTNAME_TYPES[key]}


def _list_values(write: Write, key: str) -> tuple[str, str]:
    old, new = (one.properties.get(key) if one is not None else "" for one in (write.old, write.new))
    return old, new


def count_calls(change_set: ChangeSet) -> int:
    """Return how many calls the regions and custom hostnames of *change_set* take, at most as many as a batch may have.

    So a change of more custom hostnames is a batch of its own.
    """
    changes = (map(split_hostnames, _list_values(write, key)) for write in change_set.writes for key in CHANGERS)
    return min(sum(len({*old} ^ {*new}) for old, new in changes), MAX_CALLS)


Refusals = dict[DnsName, str]
"""Why the hostnames of a name are refused."""


def change_regions(api: CloudflareApi, zone_id: str, changes: Sequence[HostnameChange]) -> Refusals:
    """Change the regions of names. A name keeps its region if it has records that are not written.

    Raises:
        CallFailedError: a call failed, and not because a region is refused.
    """
    refused: Refusals = {}
    held = api.list_regions(zone_id)
    entries, _ = api.read(zone_id, f"zone {zone_id}", changes[0].name if len(changes) == 1 else "")
    for change in changes:
        others, old = _find_others(change, entries), held.get(change.name, "")
        new = old if others and not change.values else "".join(change.values)
        if problem := change.find_problem(old, others):
            refused[change.name] = problem
        elif new != old:
            _attempt(partial(api.set_region, zone_id, change.name, old, new), change.name, refused)
    return refused


def _find_others(change: HostnameChange, entries: Iterable[CloudflareValue]) -> set[str]:
    return {
        one.type for one in entries if one.name == change.name and one.type in HOSTNAME_TYPES[REGION] - change.types
    }


def change_custom_hostnames(api: CloudflareApi, zone_id: str, changes: Sequence[HostnameChange]) -> Refusals:
    """Delete the custom hostnames that names no longer have, then add new ones.

    A custom hostname belongs to the record that is its origin.

    Raises:
        CallFailedError: a call failed, and not because a custom hostname is refused.
    """
    refused: Refusals = {}
    held = {one.hostname: one for one in api.list_custom_hostnames(zone_id)}
    for change in changes:
        for one in tuple(held.values()):
            if one.custom_origin_server == change.name and one.hostname not in change.hostnames:
                _attempt(partial(api.delete_custom_hostname, zone_id, one, change.name), change.name, refused)
                del held[one.hostname]
    for change in changes:
        for hostname in sorted(change.hostnames):
            if hostname not in held:
                _attempt(partial(api.add_custom_hostname, zone_id, hostname, change.name), change.name, refused)
            elif (origin := held[hostname].custom_origin_server) != change.name:
                refused[change.name] = f"the custom hostname {hostname} has another origin: {origin or 'the default'}"
    return refused


def _attempt(call: partial[None], name: DnsName, refused: Refusals) -> None:
    try:
        call()
    except CallFailedError as exc:
        if exc.kind not in {FailureKind.REFUSED, FailureKind.FORBIDDEN}:
            raise
        refused[name] = str(exc)


CHANGERS = {REGION: change_regions, CUSTOM: change_custom_hostnames}


def read_hostnames(api: CloudflareApi, zone_id: str, keys: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """Return the values of the properties *keys* in a zone, by property and name."""
    found: dict[str, dict[str, str]] = {}
    for key in keys:
        if key == REGION:
            found[key] = api.list_regions(zone_id)
        else:
            by_origin: dict[str, list[str]] = {}
            for one in api.list_custom_hostnames(zone_id):
                by_origin.setdefault(one.custom_origin_server or "", []).append(one.hostname)
            found[key] = {origin: ",".join(split_hostnames(",".join(names))) for origin, names in by_origin.items()}
    return found
