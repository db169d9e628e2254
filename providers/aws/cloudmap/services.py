"""Services of Cloud Map and the records that they hold (Cloud Map API reference, CreateService and RegisterInstance).

All instances of a service have values of the same types, which cannot change: A, AAAA, both, or CNAME. An alias to a
load balancer is read as the CNAME that it was requested as.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from extdns.model import rrtype
from extdns.model.change import Refusal
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record, canonicalize
from extdns.model.value import Value
from extdns.model.zone import Zone
from providers.common import plain_records
from providers.common.refusals import refuse

TYPES: Final = frozenset({*rrtype.ADDRESSES, rrtype.CNAME})
HOLDERS: Final = "services of Cloud Map"
MULTI_VALUE: Final = "MULTIVALUE"
WEIGHTED: Final = "WEIGHTED"
_ALIAS: Final = "AWS_ALIAS_DNS_NAME"
_KEYS: Final = {rrtype.A: "AWS_INSTANCE_IPV4", rrtype.AAAA: "AWS_INSTANCE_IPV6", rrtype.CNAME: "AWS_INSTANCE_CNAME"}
_DEFAULT_TTL_S: Final = 300
_MAX_NAME: Final = 127
_MAX_TARGETS: Final = 1000
"""The most instances of a service."""
_LABEL: Final = r"(?:[a-z0-9_][a-z0-9_-]{0,61}[a-z0-9_]|[a-z0-9])"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)
_INSTANCE_ID: Final = re.compile(r"[0-9a-z_/:.@-]{1,64}", re.ASCII)
# GovCloud has no aliases.
_LOAD_BALANCER: Final = re.compile(r".+\.(?:{0}\.elb|elb\.{0})\.amazonaws\.com".format(r"(?!us-gov-)[a-z0-9-]+"))

Attributes = tuple[tuple[str, str], ...]
"""The attributes of an instance, sorted."""


class Instance(Value, frozen=True, kw_only=True):
    """An instance of a service."""

    id: str
    attributes: Attributes

    @property
    def values(self) -> Attributes:
        """The attributes that DNS answers with."""
        return tuple((key, value) for key, value in self.attributes if key in {_ALIAS, *_KEYS.values()})


def sort_instances(found: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return *found*, sorted by id."""
    return tuple(sorted(found, key=lambda instance: instance.id))


class CloudMapService(Value, frozen=True, kw_only=True):
    """A service as it was read. Each of its records has it as its exact form.

    Attributes:
        name: the name of its records without that of the namespace.
        count: how many instances it has, None if that is not said.
        ttls_s: the TTL of each type, sorted.
        health_check: the settings of its health check, without which an update would remove it.
    """

    id: str
    name: str
    count: int | None = None
    description: str = ""
    routing: str = ""
    ttls_s: tuple[tuple[str, int], ...] = ()
    health_check: tuple[tuple[str, object], ...] = ()
    instances: tuple[Instance, ...] = ()


Contents = Mapping[str, tuple[tuple[str, ...], int]]
"""The targets and the TTL of each type, 0 for none."""


def list_targets(contents: Contents) -> list[tuple[str, tuple[str, ...]]]:
    """Return the targets of each type, sorted."""
    return sorted((rtype, targets) for rtype, (targets, _) in contents.items())


class Layout(NamedTuple):
    """What a service must be to hold some records: its TTLs by type, sorted, its routing policy, and its values."""

    ttls_s: tuple[tuple[str, int], ...]
    routing: str
    values: tuple[Attributes, ...]

    def fits(self, service: CloudMapService) -> bool:
        """Return whether *service* can hold the records. Aliases need a routing policy of their own."""
        same = [rtype for rtype, _ in self.ttls_s] == [rtype for rtype, _ in service.ttls_s]
        is_alias = any(key == _ALIAS for values in self.values for key, _ in values)
        return same and (service.routing == self.routing or not is_alias)


def plan_layout(contents: Contents) -> Layout:
    """Return what a service must be to hold *contents*: a CNAME, or addresses.

    With A and AAAA, each instance must have a value of both; the values of the shorter list are used several times.
    """
    if rrtype.CNAME in contents:
        targets, ttl_s = contents[rrtype.CNAME]
        is_alias = all(map(_LOAD_BALANCER.fullmatch, targets))
        key, rtype = (_ALIAS, rrtype.A) if is_alias else (_KEYS[rrtype.CNAME], rrtype.CNAME)
        return Layout(((rtype, ttl_s or _DEFAULT_TTL_S),), WEIGHTED, tuple(((key, target),) for target in targets))
    families = sorted(contents.items())
    count = max(len(targets) for _, (targets, _) in families)
    values = (
        tuple((_KEYS[rtype], targets[at % len(targets)]) for rtype, (targets, _) in families) for at in range(count)
    )
    ttls_s = tuple((rtype, ttl_s or _DEFAULT_TTL_S) for rtype, (_, ttl_s) in families)
    return Layout(ttls_s, MULTI_VALUE, tuple(values))


def build_instance_id(values: Attributes) -> str:
    """Return the id of the instance with *values*: as external-dns, the target, or its hash if it cannot be an id."""
    text = "_".join(value for _, value in values).lower()
    return text if _INSTANCE_ID.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()


def read_contents(service: CloudMapService) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the targets and TTLs of *service* by type."""
    found: dict[str, set[str]] = {}
    ttls_s = dict(service.ttls_s)
    for values in (dict(instance.values) for instance in service.instances):
        if alias := values.get(_ALIAS):
            found.setdefault(rrtype.CNAME, set()).add(canonicalize(rrtype.CNAME, alias))
            continue
        for rtype in ttls_s:
            if target := values.get(_KEYS.get(rtype, "")):
                found.setdefault(rtype, set()).add(canonicalize(rtype, target))
    first = next(iter(ttls_s.values()), 0)
    return {rtype: (tuple(sorted(targets)), ttls_s.get(rtype, first)) for rtype, targets in found.items()}


def build_records(service: CloudMapService, name: DnsName, *, shows_description: bool) -> Iterator[Record]:
    """Yield the records of *service*, whose records have *name*: its data, and its description as a TXT record.

    A service without data has one even if it has no description, because no other service can have its name.
    """
    contents = read_contents(service)
    for rtype, (targets, ttl_s) in sorted(contents.items()):
        yield Record(name=name, type=rtype, targets=targets, ttl_s=ttl_s, exact=service)
    if shows_description and (service.description or not contents):
        text = f'"{service.description}"'
        yield Record(name=name, type=rrtype.TXT, targets=(text,), ttl_s=0, has_ttl=False, exact=service)


def build_service_name(name: DnsName, zone: Zone) -> str:
    """Return the name of the service for *name* in *zone*, "" if no service can have it."""
    relative = name.removesuffix(zone.name).removesuffix(".")
    is_inside = name.within(zone.name) and len(relative) <= _MAX_NAME
    return relative if is_inside and _NAME.fullmatch(relative) else ""


def adjust_record(desired: DesiredRecord, zone: Zone) -> DesiredRecord | Refusal:
    """Return *desired* in the form in which a service of *zone* will hold it, or why none can."""
    if problem := find_problem(desired, zone):
        return refuse(desired, problem)
    if len(desired.targets) > _MAX_TARGETS:
        detail = f"{len(desired.targets)} targets; allowed: {_MAX_TARGETS} for {desired.type} in {HOLDERS}"
        return Refusal(desired=desired, reason=Reason.TOO_LARGE, detail=detail)
    return plain_records.adjust_record(desired, zone, holders=HOLDERS)


def find_problem(desired: DesiredRecord, zone: Zone) -> str:
    """Return why no service of *zone* can hold *desired*; "" if none is known."""
    if desired.type not in TYPES:
        return f"Cloud Map does not support {desired.type}; allowed: {', '.join(sorted(TYPES))}"
    if desired.set_identifier:
        return f"{HOLDERS} have no set identifiers, as {desired.set_identifier!r}"
    if desired.name == zone.name:
        return f"{HOLDERS} have names below that of their namespace, not {desired.name} itself"
    if desired.name.within(zone.name) and not build_service_name(desired.name, zone):
        return (
            f"{desired.name} cannot be the name of a service of Cloud Map; allowed before .{zone.name}: letters, "
            f"digits, _ and, inside a label, -; at most {_MAX_NAME} characters"
        )
    return ""
