"""What is wanted of names, and how far it is served; schema: `python -m extdns.commands.verifyfacts`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from extdns.commands.authority import Answer, among, same
from extdns.engine.decisions import IN_ORDER
from extdns.facts.document import VERSION, Facts, Version, ZoneName, schema_text, zone_name
from extdns.facts.names import State as NameState
from extdns.facts.names import outdone, state_of
from extdns.model import rrtype
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
    set_identifier: str
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
        wanted: its targets, () if it will not be in the zone.
        answers: which targets may be answered: those of all members of its routing policy.
        alias: whether one of them is an alias, of which any address may be answered.
        stands: whether it is in the zone as wanted.
        reason: of the decision about it, "" if there is none.
    """

    zone: Zone | None
    name: DnsName
    type: str
    set_identifier: str = ""
    wanted: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    alias: bool = False
    stands: bool = False
    reason: str = ""

    def met(self, answer: Answer) -> bool:
        """Whether *answer* shows that it is served.

        What is answered of an alias or a routing policy may be the same before and after: then it has to stand in the
        zone, too. Behind an alias need not be any IPv6 address; the A record that is made with it is asked for itself.
        """
        if answer.problem:
            return False
        if self.alias:
            return self.stands and (bool(answer.targets) or self.type == rrtype.AAAA)
        if self.set_identifier:
            return self.stands and among(self.type, self.answers, answer.targets)
        return same(self.type, self.answers, answer.targets)


def counts(decision: Decision) -> bool:
    """Whether it is about a record that somebody asks for, and that the configuration does not leave out."""
    return bool(decision.asked_by) and state_of(decision) is not NameState.LEFT_OUT


def wishes(name: DnsName, decisions: Iterable[Decision]) -> tuple[Wish, ...]:
    """What objects want of *name*, record by record; where nothing is published, or nobody asks, why."""
    concerned = list(decisions)
    asked = [one for one in concerned if one.asked_by]
    counting = [one for one in asked if counts(one) and not outdone(one, asked)] or asked or concerned
    chosen: dict[tuple[str, ...], Decision] = {}
    for one in sorted(counting, key=_due, reverse=True):
        chosen.setdefault(one.key, one)
    found = sorted(chosen.values(), key=lambda one: one.order)
    return tuple(_wish(one, found) for one in found) or (Wish(None, name, ""),)


def _due(one: Decision) -> bool:
    """Whether it is in the zone, or will be."""
    return one.wanted is not None and (one.reason in IN_ORDER or one.verdict in _COMING)


def _wish(one: Decision, found: Iterable[Decision]) -> Wish:
    if not _due(one):
        return Wish(one.zone, one.name, one.type, one.set_identifier, reason=one.reason)
    members = [other for other in found if _due(other) and (other.zone, other.type) == (one.zone, one.type)]
    return Wish(
        zone=one.zone,
        name=one.name,
        type=one.type,
        set_identifier=one.set_identifier,
        wanted=tuple(sorted(_targets(one))),
        answers=tuple(sorted({target for other in members for target in _targets(other)})),
        alias=any(other.wanted.is_alias for other in members if other.wanted),
        stands=one.reason in IN_ORDER,
        reason=one.reason,
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
        set_identifier=wish.set_identifier,
        type=wish.type,
        zone=zone_name(wish.zone) if wish.zone else None,
        state=_state(wish, answers),
        reason=wish.reason,
        wanted=wish.wanted,
        servers=tuple(
            ServerFacts(server=str(one.server), targets=one.targets, ttl_seconds=one.ttl_s, problem=one.problem)
            for one in answers
        ),
        cached_until=_time(now, until) if answers and wish.wanted else "",
        negative_ttl_seconds=negative_s,
    )


def _state(wish: Wish, answers: Sequence[Answer]) -> State:
    if not wish.wanted:
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
