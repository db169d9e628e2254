"""What is wanted of names, and how far it is served; schema: `python -m extdns.commands.verifyfacts`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from extdns.commands.authority import Answer, among, same
from extdns.engine.decisions import IN_ORDER
from extdns.facts.document import VERSION, Facts, Version, ZoneName, schema_text, zone_name
from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.zone import Zone

_COMING: Final = frozenset({Verdict.CREATE, Verdict.UPDATE})
_LONG_S: Final = 3600
"""A denial that may be kept for longer is warned of."""

State = Literal["served", "published", "pending", "unpublished", "unknown"]


class ServerFacts(Facts, frozen=True):
    """What one name server answers; problem says why it is no answer, "" if it is one."""

    server: str
    targets: tuple[str, ...]
    ttl_seconds: int | None
    problem: str


class ServedFacts(Facts, frozen=True):
    """A record that is wanted, or a name of which none is.

    state: served by all servers; published in the zone, but not served by all; pending, so not in the zone as wanted
    yet; unpublished, for the reason, "" where nobody asks; unknown, as no server can be asked. cachedUntil is when the
    last cache has forgotten what was served before, as far as the time to live tells; negativeTtlSeconds is how long
    caches keep that a name is not there.
    """

    name: str
    type: str
    zone: ZoneName | None
    state: State
    reason: str
    wanted: tuple[str, ...]
    servers: tuple[ServerFacts, ...]
    cached_until: str
    negative_ttl_seconds: int | None


class VerifyFacts(Facts, frozen=True):
    """What is served of the names; missing says what could not be read."""

    api_version: Version
    kind: Literal["Verification"]
    names: tuple[ServedFacts, ...]
    warnings: tuple[str, ...]
    missing: tuple[str, ...]


class Wish(NamedTuple):
    """A record that should be served.

    Attributes:
        targets: of all members of a routing policy, any of which may be answered.
        exact: whether just the targets are to be answered, which of routed records and of aliases nobody can say.
        stands: whether it is in the zone as wanted.
        reason: of the decision about it, "" if there is none.
    """

    zone: Zone | None
    name: DnsName
    type: str
    targets: tuple[str, ...] = ()
    exact: bool = True
    alias: bool = False
    stands: bool = False
    reason: str = ""

    def met(self, answer: Answer) -> bool:
        """Whether *answer* is as wanted."""
        if answer.problem:
            return False
        if self.alias:
            return bool(answer.targets)
        return (same if self.exact else among)(self.type, self.targets, answer.targets)


def wishes(name: DnsName, decisions: Iterable[Decision]) -> tuple[Wish, ...]:
    """What objects want of *name*, type by type; where nothing is published, or nobody asks, why."""
    groups: dict[tuple[Zone | None, str], list[Decision]] = {}
    concerned = list(decisions)
    for one in [one for one in concerned if one.asked_by] or concerned:
        groups.setdefault((one.zone, one.type), []).append(one)
    found = tuple(_wish(zone, name, rtype, group) for (zone, rtype), group in sorted(groups.items(), key=_place))
    return found or (Wish(None, name, ""),)


def _place(group: tuple[tuple[Zone | None, str], list[Decision]]) -> tuple[str, str]:
    (zone, rtype), _ = group
    return (str(zone or ""), rtype)


def _wish(zone: Zone | None, name: DnsName, rtype: str, group: Sequence[Decision]) -> Wish:
    wanted = [one for one in group if one.wanted and (one.reason in IN_ORDER or one.verdict in _COMING)]
    if not wanted:
        return Wish(zone, name, rtype, reason=group[0].reason)
    endpoints = [one.wanted for one in wanted if one.wanted]
    return Wish(
        zone=zone,
        name=name,
        type=rtype,
        targets=tuple(sorted({target for one in wanted for target in _targets(one)})),
        exact=not any(endpoint.set_identifier for endpoint in endpoints),
        alias=any(endpoint.is_alias for endpoint in endpoints),
        stands=all(one.reason in IN_ORDER for one in wanted),
        reason=wanted[0].reason,
    )


def _targets(one: Decision) -> tuple[str, ...]:
    """What stands, where that is in order, else what is to stand."""
    if one.held and one.reason in IN_ORDER:
        return one.held.record.targets
    return one.wanted.targets if one.wanted else ()


def served(wish: Wish, answers: Sequence[Answer], negative_s: int | None, now: datetime) -> ServedFacts:
    """What is to be said of *wish* after *answers*."""
    ttls = [answer.ttl_s for answer in answers if answer.ttl_s is not None]
    until = max((*ttls, negative_s or 0), default=0)
    return ServedFacts(
        name=wish.name,
        type=wish.type,
        zone=zone_name(wish.zone) if wish.zone else None,
        state=_state(wish, answers),
        reason=wish.reason,
        wanted=wish.targets,
        servers=tuple(
            ServerFacts(server=str(one.server), targets=one.targets, ttl_seconds=one.ttl_s, problem=one.problem)
            for one in answers
        ),
        cached_until=_time(now, until) if answers and wish.targets else "",
        negative_ttl_seconds=negative_s,
    )


def _state(wish: Wish, answers: Sequence[Answer]) -> State:
    if not wish.targets:
        return "unpublished"
    if answers and all(map(wish.met, answers)):
        return "served"
    if not wish.stands:
        return "pending"
    return "published" if answers else "unknown"


def _time(now: datetime, after_s: int) -> str:
    return f"{datetime.fromtimestamp(now.timestamp() + after_s, UTC):%Y-%m-%dT%H:%M:%SZ}"


def verify_facts(names: Iterable[ServedFacts], missing: Iterable[str]) -> VerifyFacts:
    """All in one document, with warnings."""
    found = tuple(names)
    kept = {(one.zone.name, one.negative_ttl_seconds or 0) for one in found if one.zone}
    long = sorted((zone, seconds) for zone, seconds in kept if seconds > _LONG_S)
    return VerifyFacts(
        api_version=VERSION,
        kind="Verification",
        names=found,
        warnings=tuple(
            f"{zone}: caches keep for {seconds} s that a name is not there (the last number of its SOA): "
            "who asks too early is told so for as long"
            for zone, seconds in long
        ),
        missing=tuple(missing),
    )


if __name__ == "__main__":
    sys.stdout.write(schema_text(VerifyFacts, "extdns verify --output=json"))
