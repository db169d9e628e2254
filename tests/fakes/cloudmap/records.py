"""The services of a fake Cloud Map as the records and ownership records of a zone, and edits of them by people.

A description is shown as the TXT records that own the records of its service: `a-web` for the A record of `web`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tests.fakes.cloudmap.server import NEEDED, CloudMap

TXT: Final = "TXT"
Contents = Mapping[str, tuple[str, ...]]
"""The values of each type, sorted."""


class Found(NamedTuple):
    """A record set: its values, and what else a person would notice if it changed."""

    values: tuple[str, ...]
    service: str
    ttl_s: int = 0


def list_records(fake: CloudMap, namespace: str) -> dict[tuple[str, str], Found]:
    """Return the record sets of a namespace by name, without that of the namespace, and type."""
    found: dict[tuple[str, str], Found] = {}
    with fake.lock:
        for service in list_services(fake, namespace):
            key, name, text = service["Id"], service["Name"], service.get("Description", "")
            ttls_s = {one["Type"]: one["TTL"] for one in service["DnsConfig"]["DnsRecords"]}
            for rtype, values in read_contents(fake, service).items():
                found[name, rtype] = Found(values, key, ttls_s[rtype])
                if text:
                    found[f"{rtype.lower()}-{name}", TXT] = Found((f'"{text}"',), key)
    return found


def list_services(fake: CloudMap, namespace: str) -> Iterator[dict[str, Any]]:
    return (one for one in fake.services.values() if one["namespace"] == namespace)


def read_contents(fake: CloudMap, service: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    held = fake.instances[service["Id"]].values()
    types = (one["Type"] for one in service["DnsConfig"]["DnsRecords"])
    found = {rtype: {one[NEEDED[rtype]] for one in held if NEEDED[rtype] in one} for rtype in types}
    return {rtype: tuple(sorted(values)) for rtype, values in found.items() if values}


def put(fake: CloudMap, namespace: str, name: str, rtype: str, values: tuple[str, ...], ttl_s: int) -> None:
    """Create or replace a record set, or the description that owns it; without *values*, delete it.

    Other types need another service. One without data and description is removed.
    """
    with fake.lock:
        service = find_service(fake, namespace, name.partition("-")[2] if rtype == TXT else name)
        contents = read_contents(fake, service) if service else {}
        if rtype != TXT:
            contents = {key: found for key, found in {**contents, rtype: values}.items() if found}
            service = _hold(fake, namespace, name, contents, ttl_s)
        elif service:
            service["Description"] = values[0].strip('"') if values else ""
        if service and not contents and not service.get("Description"):
            fake.remove_service(service["Id"])


def find_service(fake: CloudMap, namespace: str, name: str) -> dict[str, Any] | None:
    return next((one for one in list_services(fake, namespace) if one["Name"] == name), None)


def _hold(fake: CloudMap, namespace: str, name: str, contents: Contents, ttl_s: int) -> dict[str, Any] | None:
    """Return the service *name*, which holds *contents* now; None if there is none and nothing to hold."""
    service = find_service(fake, namespace, name)
    types = {one["Type"] for one in service["DnsConfig"]["DnsRecords"]} if service else set[str]()
    if contents and types != set(contents):
        routing = "WEIGHTED" if "CNAME" in contents else "MULTIVALUE"
        config = {"RoutingPolicy": routing, "DnsRecords": [{"Type": one, "TTL": ttl_s} for one in sorted(contents)]}
        description = service.get("Description", "") if service else ""
        if service:
            fake.remove_service(service["Id"])
        service = fake.add_service(namespace, name, config, Description=description)
    if service:
        count = max(map(len, contents.values()), default=0)
        fake.instances[service["Id"]] = {
            f"by-hand-{at}": {NEEDED[key]: values[at % len(values)] for key, values in contents.items()}
            for at in range(count)
        }
    return service
