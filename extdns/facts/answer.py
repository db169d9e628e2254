"""What a name is at, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from extdns.engine.decisions import IN_ORDER
from extdns.facts.names import Row, State, state_of
from extdns.model.decision import Verdict
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.facts.standing import StandingFacts, WildcardFacts

_WHOLE: Final = {
    Verdict.CREATE: "is not published yet; it would be created",
    Verdict.UPDATE: "is published, but not as it should be; it would be updated",
    Verdict.DELETE: "is published, but should not be any more; it would be deleted",
    Verdict.KEEP: "is not as objects ask; what stands is kept",
    Verdict.NONE: "is not published",
}
_PART: Final = {
    Verdict.CREATE: "which would be created",
    Verdict.UPDATE: "which would be updated",
    Verdict.DELETE: "which would be deleted",
    Verdict.KEEP: "which stays as it stands",
    Verdict.NONE: "which is not published",
}


def asked(row: Row, standing: Sequence[StandingFacts], unsure: str, *, known: bool) -> str:
    """What a name is at about which something is decided.

    Args:
        row: what is decided.
        standing: what stands there.
        unsure: put behind what rests on having read everything.
        known: whether all zones that the name may lie in were read.
    """
    main = row.main
    if main.reason in IN_ORDER:
        return f"{row.name} is published."
    if any(state_of(one) is State.PUBLISHED for one in row.decisions):
        return f"{row.name} is published, but for {_record(row)}, {_part(row)}."
    if row.state is State.UNKNOWN or (main.verdict is Verdict.NONE and not known):
        return f"{row.name} may be published or not: what stands there could not be read."
    if not any(one.asked_by for one in row.decisions) and main.verdict is Verdict.KEEP:
        after = "it is deleted once its grace is over" if main.reason is Reason.IN_GRACE else "it is kept"
        return f"{row.name} stands, and no object asks for it{unsure}; {after}."
    if row.state is State.LEFT_OUT and any(one.marks is None for one in standing):
        return f"{row.name} stands, and is left alone: the configuration leaves it out."
    in_the_way = ", ".join(one.type for one in standing if one.in_the_way)
    unless = f", but the DNS service will refuse it beside {in_the_way}" if in_the_way else ""
    return f"{row.name} {_WHOLE[_doing(row)]}{unless}."


def unasked(
    name: str,
    standing: Sequence[StandingFacts],
    wildcards: Sequence[WildcardFacts],
    unsure: str,
    *,
    known: bool,
) -> str:
    """What *name* is at if nothing is decided about it that concerns us; *known* tells whether all zones were read."""
    if standing and all(one.marks is not None for one in standing):
        marked = ", ".join(place for one in standing for place in one.marks or ())
        return f"{name} holds the ownership record of {marked or 'nothing that stands'}."
    if standing:
        whose = "it is left alone" if any(one.ours for one in standing) else "it is not ours"
        return f"{name} stands, and no object asks for it{unsure}; {whose}."
    if not known:
        return f"{name} may be published or not: what stands there could not be read. No object asks for it{unsure}."
    told = f"{name} is not published: no object asks for it{unsure}."
    return f"{told} {wildcards[0].name} answers in its place." if wildcards else told


def _doing(row: Row) -> Verdict:
    """What is done with the whole: a create in place of what stands is an update of the name."""
    replaces = row.main.verdict is Verdict.CREATE and any(one.held and one.held.ours for one in row.decisions)
    return Verdict.UPDATE if replaces else row.main.verdict


def _record(row: Row) -> str:
    """The record set that is worst off, with as much of its place as tells it from the others."""
    main = row.main
    identifier = f" ({main.set_identifier})" if main.set_identifier else ""
    where = f" in {main.zone}" if len({one.zone for one in row.decisions}) > 1 and main.zone else ""
    return f"{main.type or 'what has no target'}{identifier}{where}"


def _part(row: Row) -> str:
    if row.state is State.UNKNOWN:
        return "of which nothing could be read"
    if row.main.reason is Reason.IN_GRACE and row.main.verdict is Verdict.KEEP:
        return "which is deleted once its grace is over"
    return _PART[row.main.verdict]
