"""A plan for programs; its schema: `python -m extdns.commands.planfacts > docs/reference/plan.schema.json`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Literal

from extdns.commands.onepass import Pass
from extdns.commands.planbasis import Basis, Sealed, basis, sealed
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
    schema_text,
    zone_name,
)
from extdns.facts.holding import Holding, holdings
from extdns.facts.words import below
from extdns.model.decision import Decision, Verdict
from extdns.model.reason import MEANINGS
from extdns.model.zone import Zone


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


class HeldFacts(Facts, frozen=True):
    """Deletes of one zone that wait for a person, and the code that releases them."""

    zone: ZoneName
    release_code: str
    deletes: int
    owned: int


class SummaryFacts(Facts, frozen=True):
    """How many record sets meet with what; held ones are among those kept."""

    create: int
    update: int
    delete: int
    kept: int
    not_published: int
    held: int


class PlanFacts(Sealed, frozen=True):
    """What one pass would do, and a file for `extdns apply`.

    kept are records that stay though something else is asked for or nothing is, and names that are not published.
    missing says what could not be read: if it is not empty, the plan is not all. base is the
    revision or folder of which it is the difference, "" if it is all. seal is a digest of all the rest.
    """

    api_version: Version
    kind: Literal["Plan"]
    base: str
    basis: Basis
    provider: str
    owner: str
    policy: str
    zones: tuple[ZoneFacts, ...]
    changes: tuple[Entry, ...]
    kept: tuple[Entry, ...]
    held: tuple[HeldFacts, ...]
    mistakes: tuple[MistakeFacts, ...]
    missing: tuple[str, ...]
    summary: SummaryFacts


def plan_facts(made: Pass) -> PlanFacts:
    """The plan that was made, sealed."""
    engine, config = made.engine, made.config
    changes = tuple(decision for decision in made.decisions if decision.verdict in CHANGING)
    kept = tuple(decision for decision in made.decisions if decision.verdict not in CHANGING)
    facts = PlanFacts(
        seal="",
        api_version=VERSION,
        kind="Plan",
        base=made.base,
        basis=basis(config, engine),
        provider=config.control.provider,
        owner=config.registry.txt_owner_id,
        policy=config.control.policy,
        zones=tuple(_zone(zone, holding) for zone, holding in sorted(holdings(engine).items())),
        changes=tuple(map(entry, changes)),
        kept=tuple(map(entry, kept)),
        held=tuple(held_sets(made)),
        mistakes=tuple(mistake_facts(key, mistake) for key, mistake in made.mistakes),
        missing=made.missing,
        summary=SummaryFacts(
            create=_count(changes, Verdict.CREATE),
            update=_count(changes, Verdict.UPDATE),
            delete=_count(changes, Verdict.DELETE),
            kept=_count(kept, Verdict.KEEP),
            not_published=_count(kept, Verdict.NONE),
            held=sum(map(held, kept)),
        ),
    )
    return sealed(facts)


def held_sets(made: Pass) -> Iterator[HeldFacts]:
    """What is held, zone by zone, of which the plan tells something."""
    concerned = {decision.zone for decision in made.decisions if held(decision)}
    for state in made.engine.zones:
        if (code := state.deletes.releases.code) and state.zone in concerned:
            yield HeldFacts(
                zone=zone_name(state.zone),
                release_code=code,
                deletes=len(state.deletes.held),
                owned=state.deletes.budget.owned,
            )


def _count(decisions: Iterable[Decision], verdict: Verdict) -> int:
    return sum(decision.verdict is verdict for decision in decisions)


def _zone(zone: Zone, holding: Holding) -> ZoneFacts:
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


if __name__ == "__main__":
    sys.stdout.write(schema_text(PlanFacts, "extdns plan --output=json"))
