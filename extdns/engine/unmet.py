"""Decisions about what is not planned: claims that must wait, and records that stay as they are (law 7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns.model import rrtype
from extdns.model.change import Blocked
from extdns.model.claim import Provenance, Wanted, Withheld
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import SOMEBODY_ELSES, Reason
from extdns.model.value import Value
from extdns.planner.forms import made_for, supersedes
from extdns.planner.proposal import foreign

if TYPE_CHECKING:
    from extdns.engine.claims import NameClaim
    from extdns.model.adjusted import Refusal
    from extdns.model.name import DnsName
    from extdns.model.ownership import Owned
    from extdns.model.record import Endpoint, Record
    from extdns.model.zone import Zone


# Why what would replace a record is not made; other reasons mean that it would not even have been tried.
_HINDERED: Final = SOMEBODY_ELSES | {Reason.UNSUPPORTED}


class Unmet(Value, frozen=True, kw_only=True):
    """Something asked for that comes to nothing.

    Attributes:
        endpoint: None where the object cannot say what it wants.
    """

    name: DnsName
    set_identifier: str
    endpoint: Endpoint | None
    asked_by: tuple[Provenance, ...]
    why: Blocked


def unmet(claim: NameClaim, why: Blocked) -> Unmet:
    """*claim* comes to nothing."""
    return Unmet(
        name=claim.name,
        set_identifier=claim.set_identifier,
        endpoint=claim.endpoint if isinstance(claim, Wanted) else None,
        asked_by=(claim.provenance,),
        why=why,
    )


def withheld(claims: Iterable[NameClaim]) -> Iterable[Unmet]:
    """Those of *claims* that say no target, each with its reason."""
    return [
        unmet(claim, Blocked(reason=claim.reason, detail=claim.detail))
        for claim in claims
        if isinstance(claim, Withheld)
    ]


def refused(refusal: Refusal, asked_by: tuple[Provenance, ...]) -> Unmet:
    """The provider would not hold it."""
    endpoint = refusal.endpoint
    return Unmet(
        name=endpoint.name,
        set_identifier=endpoint.set_identifier,
        endpoint=endpoint,
        asked_by=asked_by,
        why=Blocked(reason=refusal.reason, detail=refusal.detail),
    )


def spared(owned: Owned, refusals: Iterable[Unmet]) -> Blocked | None:
    """Why *owned* stays though nobody asks for it as it is: what would replace it is refused (law 6).

    Args:
        owned: a record of ours.
        refusals: what the provider would not hold at the name.
    """
    for one in refusals:
        if one.endpoint is None:
            continue
        if one.endpoint.key == owned.key:
            return one.why
        if one.why.reason in _HINDERED and _succeeds(one.endpoint, one.asked_by, owned):
            return replace(one.why, detail=f"{one.endpoint.type} cannot replace it: {one.why.detail}")
    return None


def _succeeds(wanted: Endpoint, asked_by: tuple[Provenance, ...], owned: Owned) -> bool:
    """Tell whether *wanted* would stand for *owned*: also the type that its object now asks for as another set."""
    if wanted.set_identifier == owned.record.set_identifier or supersedes(wanted.key, asked_by, owned):
        return True
    return wanted.type == owned.record.type and made_for(owned, asked_by)


def unreadable(records: Iterable[Record]) -> Blocked | None:
    """What keeps a name as it is if something among *records*, those around it, cannot be read.

    Not only what it is, but also whose the others are would be a guess: marks are told apart by what
    stands around them.
    """
    wrong = [target for record in records if record.type == rrtype.UNREADABLE for target in record.targets]
    return Blocked(reason=Reason.RECORD_UNREADABLE, detail="; ".join(sorted(wrong))) if wrong else None


def unasked(held: Iterable[Owned], why: Blocked, zone: Zone, decisions: Iterable[Decision]) -> Iterable[Decision]:
    """The decision about what cannot be read among *held*, of which none of *decisions* tells."""
    if not any(decision.reason is Reason.RECORD_UNREADABLE for decision in decisions):
        for owned in held:
            if owned.record.type == rrtype.UNREADABLE:
                nobody = Unmet(name=owned.record.name, set_identifier="", endpoint=None, asked_by=(), why=why)
                yield _vain(nobody, zone)


def homeless(claims: Iterable[NameClaim], reason: Reason, detail: str = "") -> tuple[Decision, ...]:
    """*claims* reach no zone."""
    return joined((), (unmet(claim, Blocked(reason=reason, detail=detail)) for claim in claims), None)


def kept(held: Iterable[Owned], zone: Zone, why: Blocked) -> tuple[Decision, ...]:
    """Records of ours among *held* stay because of *why*, the others because they are not ours."""
    return tuple(_kept(owned, zone, why if owned.ours else foreign(owned)) for owned in held)


def joined(decisions: Iterable[Decision], asked: Iterable[Unmet], zone: Zone | None) -> tuple[Decision, ...]:
    """*decisions*, and those about what was *asked* in vain.

    Where a record stays for the same reason, that is the decision about what was asked; else it gets
    a decision of its own.
    """
    found = list(decisions)
    for one in asked:
        answers = [index for index, decision in enumerate(found) if _answers(decision, one)]
        for index in answers:
            found[index] = replace(
                found[index],
                wanted=found[index].wanted or one.endpoint,
                asked_by=tuple(dict.fromkeys((*found[index].asked_by, *one.asked_by))),
            )
        if not answers:
            found.append(_vain(one, zone))
    return tuple(found)


def _answers(decision: Decision, asked: Unmet) -> bool:
    same_set = decision.held is not None and decision.set_identifier == asked.set_identifier
    same_type = asked.endpoint is None or asked.endpoint.type == decision.type
    return same_set and same_type and decision.verdict is Verdict.KEEP and decision.reason is asked.why.reason


def _kept(owned: Owned, zone: Zone, why: Blocked) -> Decision:
    return Decision(
        zone=zone,
        name=owned.record.name,
        set_identifier=owned.record.set_identifier,
        type=owned.record.type,
        verdict=Verdict.KEEP,
        reason=why.reason,
        detail=why.detail,
        held=owned,
    )


def _vain(asked: Unmet, zone: Zone | None) -> Decision:
    return Decision(
        zone=zone,
        name=asked.name,
        set_identifier=asked.set_identifier,
        type=asked.endpoint.type if asked.endpoint else "",
        verdict=Verdict.NONE,
        reason=asked.why.reason,
        detail=asked.why.detail,
        wanted=asked.endpoint,
        asked_by=asked.asked_by,
    )
