"""Plans for programs: what happens to each record set, and what a running process has planned now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from extdns.engine.decisions import CHANGING, held
from extdns.facts.areas import Area, HeldSet, held_facts
from extdns.facts.document import (
    VERSION,
    Facts,
    MistakeFacts,
    ObjectFacts,
    RecordFacts,
    ZoneFacts,
    ZoneName,
    mistake_facts,
    object_facts,
    record_facts,
    zone_name,
)
from extdns.facts.holding import Holding
from extdns.facts.words import below, mistaken, told
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import MEANINGS
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.facts.live import Live


class Entry(Facts, frozen=True):
    """One record set, with what happens to it and why.

    evidence says on what that rests: what differs, what is in the way, else the meaning of the reason.
    madeFor is the object that its ownership record names; zone is null where there is none; type is "" where the object
    cannot say it; before is what stands, after what is asked for.
    """

    zone: ZoneName | None
    name: str
    type: str
    set_identifier: str
    action: Literal["create", "update", "delete", "keep", "none"]
    reason: str
    evidence: tuple[str, ...]
    objects: tuple[ObjectFacts, ...]
    made_for: str
    owner: str | None
    before: RecordFacts | None
    after: RecordFacts | None


class SummaryFacts(Facts, frozen=True):
    """How many record sets meet with what; held ones are among those kept."""

    create: int
    update: int
    delete: int
    kept: int
    not_published: int
    held: int


class RunningPlan(Area, frozen=True):
    """What a running process has planned and not done, and what it keeps, withholds or holds.

    Unlike a plan that is made for the purpose it counts graces, and is no file for `extdns apply`.
    """

    kind: Literal["RunningPlan"]
    provider: str
    owner: str
    policy: str
    zones: tuple[ZoneFacts, ...]
    changes: tuple[Entry, ...]
    kept: tuple[Entry, ...]
    held: tuple[HeldSet, ...]
    mistakes: tuple[MistakeFacts, ...]
    missing: tuple[str, ...]
    summary: SummaryFacts


def running_plan(live: Live, config: Config) -> RunningPlan:
    """What the process has planned."""
    shown = told(live.seen.decisions)
    changes = tuple(decision for decision in shown if decision.verdict in CHANGING)
    kept = tuple(decision for decision in shown if decision.verdict not in CHANGING)
    unsettled = () if live.settled else ("the first pass is not over yet",)
    return RunningPlan(
        api_version=VERSION,
        kind="RunningPlan",
        at=live.at,
        provider=config.control.provider,
        owner=config.registry.txt_owner_id,
        policy=config.control.policy,
        zones=tuple(zone_facts(one.zone, Holding(live.records(one), one.owned)) for one in live.seen.zones),
        changes=tuple(map(entry, changes)),
        kept=tuple(map(entry, kept)),
        held=held_facts(live, config).items,
        mistakes=tuple(mistake_facts(key, mistake) for key, mistake in mistaken(live.seen.claims.objects())),
        missing=(*live.seen.missing, *unsettled),
        summary=summary_facts(changes, kept),
    )


def summary_facts(changes: Iterable[Decision], kept: Iterable[Decision]) -> SummaryFacts:
    """How many record sets meet with what."""
    changing, staying = tuple(changes), tuple(kept)
    return SummaryFacts(
        create=_count(changing, Verdict.CREATE),
        update=_count(changing, Verdict.UPDATE),
        delete=_count(changing, Verdict.DELETE),
        kept=_count(staying, Verdict.KEEP),
        not_published=_count(staying, Verdict.NONE),
        held=sum(map(held, staying)),
    )


def _count(decisions: Iterable[Decision], verdict: Verdict) -> int:
    return sum(decision.verdict is verdict for decision in decisions)


def zone_facts(zone: Zone, holding: Holding) -> ZoneFacts:
    """A zone, and what it holds."""
    return ZoneFacts(
        name=zone.name,
        id=zone.id,
        account=zone.account,
        private=zone.private,
        records=holding.records,
        ours=holding.ours,
    )


def entry(decision: Decision) -> Entry:
    """What is said of *decision*."""
    stands, wanted = decision.held, decision.wanted
    return Entry(
        zone=zone_name(decision.zone) if decision.zone else None,
        name=decision.name,
        type=decision.type,
        set_identifier=decision.set_identifier,
        action=decision.verdict.value,
        reason=decision.reason.value,
        evidence=tuple(below(decision)) or (MEANINGS[decision.reason],),
        objects=tuple(map(object_facts, decision.asked_by)),
        made_for=stands.resource if stands else "",
        owner=stands.owner if stands else None,
        before=record_facts(stands.record.targets, stands.record.ttl_s, stands.record.properties) if stands else None,
        after=record_facts(wanted.targets, wanted.ttl_s, wanted.properties) if wanted else None,
    )
