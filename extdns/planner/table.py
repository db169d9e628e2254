"""The two-level table of one name in one zone: set identifier, then record type (spec plan 2.2-2.4).

::

    web.example.org   ""      A      held 203.0.113.7    candidates 203.0.113.7, 203.0.113.9
                              AAAA   held -              candidates 2001:db8::7
                      "blue"  CNAME  held lb-1.test      candidates -
"""

from __future__ import annotations

from collections.abc import Iterable

from extdns.model import rrtype
from extdns.model.ownership import Owned
from extdns.model.record import ALIAS
from extdns.model.value import Value
from extdns.planner.compare import smallness
from extdns.planner.merge import Candidate


class Row(Value, frozen=True, kw_only=True):
    """One set identifier of one name in one zone.

    Attributes:
        held: records of managed types, by type.
        winners: the candidate that decides each type.
        losers: candidates that came to nothing because their form cannot stand beside a winner's.
        outdone: candidates whose form could stand, but of which another decides.
    """

    set_identifier: str
    held: dict[str, Owned]
    winners: dict[str, Candidate]
    losers: tuple[Candidate, ...] = ()
    outdone: tuple[Candidate, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every candidate of the row, winners first."""
        return (*self.winners.values(), *self.losers, *self.outdone)


def rows(held: Iterable[Owned], candidates: Iterable[Candidate]) -> tuple[Row, ...]:
    """Build the rows of one name, sorted by set identifier."""
    by_set: dict[str, tuple[dict[str, Owned], list[Candidate]]] = {}
    for owned in held:
        by_set.setdefault(owned.record.set_identifier, ({}, []))[0][owned.record.type] = owned
    for candidate in candidates:
        by_set.setdefault(candidate.endpoint.set_identifier, ({}, []))[1].append(candidate)
    return tuple([_row(set_identifier, *by_set[set_identifier]) for set_identifier in sorted(by_set)])


def _row(set_identifier: str, held: dict[str, Owned], wanted: list[Candidate]) -> Row:
    fitting, losers = _of_one_kind(held, wanted)
    by_type: dict[str, list[Candidate]] = {}
    for candidate in fitting:
        by_type.setdefault(candidate.endpoint.type, []).append(candidate)
    winners = {rtype: _winner(found, held.get(rtype)) for rtype, found in sorted(by_type.items())}
    outdone: tuple[Candidate, ...] = ()
    if len(fitting) > len(winners):
        outdone = tuple([candidate for candidate in fitting if candidate is not winners[candidate.endpoint.type]])
    return Row(set_identifier=set_identifier, held=held, winners=winners, losers=losers, outdone=outdone)


def _of_one_kind(held: dict[str, Owned], wanted: list[Candidate]) -> tuple[list[Candidate], tuple[Candidate, ...]]:
    """Leave out CNAMEs beside other types, and of alias and plain addresses those that do not lead.

    A CNAME stands alone, so it yields to anything else (spec plan 2.3). An alias and an address
    cannot share a type; one claim decides for A and AAAA together (spec plan 11).
    """
    if len(wanted) == 1:
        return wanted, ()
    if len({candidate.endpoint.type for candidate in wanted} | {rrtype.CNAME}) > 1:
        keep = [candidate for candidate in wanted if candidate.endpoint.type != rrtype.CNAME]
    else:
        keep = list(wanted)
    addresses = [candidate for candidate in keep if candidate.endpoint.type in rrtype.ADDRESSES]
    if len({candidate.endpoint.is_alias for candidate in addresses}) > 1:
        leader = _winner(addresses, held.get(rrtype.A) or held.get(rrtype.AAAA))
        keep = [
            candidate
            for candidate in keep
            if candidate not in addresses or candidate.endpoint.is_alias == leader.endpoint.is_alias
        ]
    return keep, tuple(candidate for candidate in wanted if candidate not in keep)


def _winner(found: list[Candidate], held: Owned | None) -> Candidate:
    """The candidate of the object that has the record already, else the smallest (spec plan 2.4)."""
    if len(found) == 1:
        return found[0]
    return min(found, key=lambda candidate: (_novelty(candidate, held), smallness(candidate.endpoint.targets)))


def _novelty(candidate: Candidate, held: Owned | None) -> int:
    """0: the object that has the record asks for it in the kind it has, 1: in the other, 2: another object asks."""
    if held is None or candidate.endpoint.resource != held.resource:
        return 2
    return int(candidate.endpoint.is_alias != (held.record.properties.get(ALIAS) == "true"))
