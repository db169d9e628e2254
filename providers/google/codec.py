"""Record sets to and from records and endpoints (spec plan 5)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.model import pairs, rrtype, texts, ttl
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint, Record, canonical_targets
from extdns.model.target import address
from providers.google import policy
from providers.google.wire import RecordSet
from providers.remote.names import parsed

DEFAULT_TTL_S: Final = 300
_ENDING_IN_HOSTS: Final = rrtype.HOSTS | {rrtype.MX, rrtype.SRV}


def record_set(content: Endpoint | Record) -> RecordSet:
    """What stands for *content*; of a record that was read, what was read."""
    if isinstance(content, Record) and isinstance(content.exact, RecordSet):
        return content.exact
    routing = content.properties.get(policy.PROPERTY) if content.properties else ""
    return RecordSet(
        name=f"{content.name}.",
        type=content.type,
        ttl_s=DEFAULT_TTL_S if content.ttl_s == ttl.UNSET and isinstance(content, Endpoint) else content.ttl_s,
        values=() if routing else tuple(_value(content.type, target) for target in content.targets),
        policy=routing,
    )


def record(found: RecordSet) -> Record | None:
    """The record that *found* is, None if it has a name that we could not ask for."""
    name = parsed(found.name)
    if name is None:
        return None
    routing = policy.settled(found.policy) if found.policy else ""
    made = Record(
        name=name,
        type=found.type,
        targets=_targets(found.type, policy.targets(routing) if routing else found.values),
        ttl_s=found.ttl_s,
        properties=Pairs.of({policy.PROPERTY: routing}) if routing else pairs.NONE,
    )
    return made if _says_all(made, found) else replace(made, exact=found)


def _value(rtype: str, target: str) -> str:
    """*target* as the service takes it: hosts end in a dot, strings have 255 characters at most."""
    if rtype == rrtype.TXT:
        return texts.cut(target)
    if rtype in _ENDING_IN_HOSTS and not target.endswith(".") and address(target) is None:
        return f"{target}."
    return target


def _targets(rtype: str, values: tuple[str, ...]) -> tuple[str, ...]:
    if rtype == rrtype.TXT:
        return tuple(sorted({texts.joined(value) for value in values}))
    return canonical_targets(rtype, values)


def _says_all(made: Record, found: RecordSet) -> bool:
    """Tell whether the fields of *made* are enough to name *found* again, the order of its values aside."""
    ours = record_set(made)
    return (ours.name, ours.policy) == (found.name, found.policy) and sorted(ours.values) == sorted(found.values)
