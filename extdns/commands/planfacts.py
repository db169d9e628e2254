"""A plan for programs; its schema: `python -m extdns.commands.planfacts > docs/reference/plan.schema.json`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from extdns.commands.onepass import Pass
from extdns.commands.planbasis import Basis, Sealed, basis, sealed
from extdns.engine.decisions import CHANGING, held
from extdns.facts.document import (
    VERSION,
    Facts,
    MistakeFacts,
    Version,
    ZoneFacts,
    ZoneName,
    mistake_facts,
    schema_text,
    zone_name,
)
from extdns.facts.holding import holdings
from extdns.facts.plan import Entry, SummaryFacts, entry, summary_facts, zone_facts


class HeldFacts(Facts, frozen=True):
    """Deletes of one zone that wait for a person, and the code that releases them."""

    zone: ZoneName
    release_code: str
    deletes: int
    owned: int


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
        zones=tuple(zone_facts(zone, holding) for zone, holding in sorted(holdings(engine).items())),
        changes=tuple(map(entry, changes)),
        kept=tuple(map(entry, kept)),
        held=tuple(held_sets(made)),
        mistakes=tuple(mistake_facts(key, mistake) for key, mistake in made.mistakes),
        missing=made.missing,
        summary=summary_facts(changes, kept),
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


if __name__ == "__main__":
    sys.stdout.write(schema_text(PlanFacts, "extdns plan --output=json"))
