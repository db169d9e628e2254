"""Whether name servers serve what objects request, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, assert_never

from extdns.documents.document import Document, RootDocument, ZoneReference
from extdns.documents.names import NameState, find_state, is_superseded
from extdns.documents.text import escape_lines, format_missing
from extdns.engine.decisions import IN_SYNC
from extdns.model.change import Action, Decision
from extdns.model.dns_name import DnsName
from extdns.model.value import format_count
from extdns.model.zone import Zone

_WRITES: Final = frozenset({Action.CREATE, Action.UPDATE})
_LONG_NEGATIVE_TTL_S: Final = 3600
"""The negative TTL of a zone above which a warning is shown."""

ServedState = Literal["served", "published", "pending", "unpublished", "unknown"]


class ServerDocument(Document, frozen=True):
    """The answer of one name server. `problem` is why the answer cannot be used, "" if it can."""

    server: str
    targets: tuple[str, ...]
    ttl_seconds: int | None
    problem: str


class ServedDocument(Document, frozen=True):
    """A requested record, or a name at which no record is requested, with the answers of the name servers.

    `state` is `served` if all servers serve the record; `published` if the zone holds it, but not all servers serve it;
    `pending` if the zone does not hold it as requested yet; `unpublished` if it will not be published, for `reason`,
    which is "" if no object requests it; `unknown` if no server can be queried.
    `cachedUntil` is the time until which caches may answer with older data. `negativeTtlSeconds` is how long caches
    keep the answer that a name does not exist.
    """

    name: str
    set_identifier: str
    type: str
    zone: ZoneReference | None
    state: ServedState
    reason: str
    requested: tuple[str, ...]
    servers: tuple[ServerDocument, ...]
    cached_until: str
    negative_ttl_seconds: int | None


class VerificationDocument(RootDocument, frozen=True, tag="Verification"):
    """What the name servers answer for each name. `missing` says what could not be read."""

    names: tuple[ServedDocument, ...]
    warnings: tuple[str, ...]
    missing: tuple[str, ...]


class ExpectedRecord(NamedTuple):
    """A record that name servers should serve.

    Attributes:
        requested: its targets, () if it will not be published.
        answers: the targets that a server may answer: those of all records of the routing policy.
        alias: whether one of these records is an alias, for which every address is accepted.
        is_published: whether the zone holds it as requested.
        reason: the reason of the decision, "" if there is none.
    """

    zone: Zone | None
    name: DnsName
    type: str
    set_identifier: str = ""
    requested: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    alias: bool = False
    is_published: bool = False
    reason: str = ""


def is_expected(decision: Decision) -> bool:
    """Return whether an object requests the record and no filter excludes it."""
    return bool(decision.requested_by) and find_state(decision) is not NameState.EXCLUDED


def list_expected(name: DnsName, decisions: Iterable[Decision]) -> tuple[ExpectedRecord, ...]:
    """Return the records that should be served at *name*; for one that will not be published, the reason."""
    about = list(decisions)
    requested = [one for one in about if one.requested_by]
    counting = (
        [one for one in requested if is_expected(one) and not is_superseded(one, requested)] or requested or about
    )
    chosen: dict[tuple[str, ...], Decision] = {}
    for one in sorted(counting, key=_will_be_published, reverse=True):
        chosen.setdefault(one.key, one)
    found = sorted(chosen.values(), key=lambda one: one.sort_key)
    return tuple(_build_expected(one, found) for one in found) or (ExpectedRecord(None, name, ""),)


def _will_be_published(one: Decision) -> bool:
    """Return whether the zone holds the record as requested, or will after the next write."""
    return one.desired is not None and (one.reason in IN_SYNC or one.action in _WRITES)


def _build_expected(one: Decision, found: Iterable[Decision]) -> ExpectedRecord:
    if not _will_be_published(one):
        return ExpectedRecord(one.zone, one.name, one.type, one.set_identifier, reason=one.reason)
    same_policy = [
        other for other in found if _will_be_published(other) and (other.zone, other.type) == (one.zone, one.type)
    ]
    return ExpectedRecord(
        zone=one.zone,
        name=one.name,
        type=one.type,
        set_identifier=one.set_identifier,
        requested=tuple(sorted(_list_targets(one))),
        answers=tuple(sorted({target for other in same_policy for target in _list_targets(other)})),
        alias=any(other.desired.is_alias for other in same_policy if other.desired),
        is_published=one.reason in IN_SYNC,
        reason=one.reason,
    )


def _list_targets(one: Decision) -> tuple[str, ...]:
    if one.current and one.reason in IN_SYNC:
        return one.current.record.targets
    return one.desired.targets if one.desired else ()


def build_verification(names: Iterable[ServedDocument], missing: Iterable[str]) -> VerificationDocument:
    """Combine the results of all names, with warnings about zones with a long negative TTL."""
    found = tuple(names)
    ttls = {(one.zone.name, one.negative_ttl_seconds or 0) for one in found if one.zone}
    return VerificationDocument(
        names=found,
        warnings=tuple(
            f"{zone}: for {seconds} s (negative TTL of the SOA) caches keep the answer that a name does not exist, so "
            "a client that queries a name before its record is published may not see the record for that long"
            for zone, seconds in sorted(ttls)
            if seconds > _LONG_NEGATIVE_TTL_S
        ),
        missing=tuple(missing),
    )


def list_unserved(document: VerificationDocument) -> list[ServedDocument]:
    """Return the records that are not served by all servers."""
    return [one for one in document.names if one.state != "served"]


@escape_lines
def format_verification(document: VerificationDocument) -> Iterator[str]:
    """Yield the lines about each record, then the warnings and the summary."""
    for one in document.names:
        yield from _describe_record(one)
    yield from (f"warning: {text}" for text in document.warnings)
    yield from format_missing(document.missing)
    served = len(document.names) - len(list_unserved(document))
    yield f"{served} of {format_count(len(document.names), 'record')} served."


def _describe_record(one: ServedDocument) -> Iterator[str]:
    identifier = f" ({one.set_identifier})" if one.set_identifier else ""
    yield f"{one.type or '-':5}  {one.name}{identifier}  {_describe_state(one)}"
    if one.state == "served":
        yield f"       caches may answer with older data until {one.cached_until}"
        return
    if one.requested:
        yield f"       requested: {', '.join(one.requested)}"
    for server in one.servers:
        yield f"       {server.server}: {server.problem or ', '.join(server.targets) or 'no such record'}"


def _describe_state(one: ServedDocument) -> str:
    servers = format_count(len(one.servers), "name server")
    match one.state:
        case "served":
            return f"served by all of {servers}"
        case "published":
            return f"published, but not served by all of {servers}"
        case "pending":
            return f"not in the zone as requested yet  [{one.reason}]"
        case "unpublished":
            return f"not published  [{one.reason}]" if one.reason else "no object requests it"
        case "unknown":
            return "published, but the resolver of this machine finds no name server of the zone; give a --nameserver"
        case _:
            assert_never(one.state)
