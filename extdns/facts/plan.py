"""Plans for programs: what happens to each record set, and what a running process has planned now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from msgspec.structs import asdict

from extdns.engine.decisions import CHANGING, held
from extdns.facts.document import (
    VERSION,
    Facts,
    MistakeFacts,
    ObjectFacts,
    RecordFacts,
    Version,
    ZoneFacts,
    ZoneName,
    mistake_facts,
    object_facts,
    record_facts,
    zone_name,
)
from extdns.facts.held import HeldSet, held_set
from extdns.facts.holding import Holding, holdings
from extdns.facts.words import below, mistaken, told
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import MEANINGS
from extdns.model.zone import Zone

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.facts.snapshot import Snapshot
    from extdns.model.claim import Notice
    from extdns.model.cluster import ObjectKey


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

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The identity of the record set: zone, name, set identifier, type."""
        return (self.zone.id if self.zone else "", self.name, self.set_identifier, self.type)


class SummaryFacts(Facts, frozen=True):
    """How many record sets meet with what; held ones are among those kept."""

    create: int
    update: int
    delete: int
    kept: int
    not_published: int
    held: int


class Planned(Facts, frozen=True):
    """What is planned in zones.

    kept are records that stay though something else is asked for or nothing is, and names that are not published.
    missing says what could not be read: if it is not empty, the plan is not all.
    """

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


class RunningPlan(Planned, frozen=True):
    """What a running process has planned and not done, and what it keeps, withholds or holds.

    Unlike a plan that is made for the purpose it counts graces, and is no file for `extdns apply`. at is when it was
    so; kept are records that stay though something else is asked for or nothing is, and names that are not published.
    """

    api_version: Version
    at: datetime
    kind: Literal["RunningPlan"]


def planned(
    seen: Snapshot,
    config: Config,
    decisions: Sequence[Decision],
    mistakes: Iterable[tuple[ObjectKey, Notice]],
    missing: tuple[str, ...],
) -> Planned:
    """What is planned.

    Args:
        seen: what an engine holds.
        config: what a person set.
        decisions: what is told of it, in its order.
        mistakes: what is wrong on objects, in their order.
        missing: one sentence for each thing that is not known.
    """
    concerned = {decision.zone for decision in decisions if held(decision)}
    return Planned(
        provider=config.control.provider,
        owner=config.registry.txt_owner_id,
        policy=config.control.policy,
        zones=tuple(zone_facts(zone, holding) for zone, holding in sorted(holdings(seen).items())),
        changes=tuple(entry(decision) for decision in decisions if decision.verdict in CHANGING),
        kept=tuple(entry(decision) for decision in decisions if decision.verdict not in CHANGING),
        held=tuple(held_set(one, config) for one in seen.zones if one.code and one.zone in concerned),
        mistakes=tuple(mistake_facts(key, mistake) for key, mistake in mistakes),
        missing=missing,
        summary=summary_facts(decisions),
    )


def running_plan(live: Live, config: Config) -> RunningPlan:
    """What the process has planned."""
    seen = live.seen
    missing = seen.missing if live.settled else (*seen.missing, "the first pass is not over yet")
    plan = planned(seen, config, told(seen.decisions), mistaken(seen.claims.objects()), missing)
    return RunningPlan(api_version=VERSION, at=live.at, kind="RunningPlan", **asdict(plan))


def summary_facts(decisions: Sequence[Decision]) -> SummaryFacts:
    """How many record sets meet with what."""
    verdicts = Counter(decision.verdict for decision in decisions)
    return SummaryFacts(
        create=verdicts[Verdict.CREATE],
        update=verdicts[Verdict.UPDATE],
        delete=verdicts[Verdict.DELETE],
        kept=verdicts[Verdict.KEEP],
        not_published=verdicts[Verdict.NONE],
        held=sum(map(held, decisions)),
    )


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
        before=record_facts(stands.record) if stands else None,
        after=record_facts(wanted) if wanted else None,
    )
