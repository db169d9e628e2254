"""A plan for programs; its schema: `python -m extdns.commands.planfacts > docs/reference/plan.schema.json`."""

from __future__ import annotations

import sys
from typing import Literal

from msgspec.structs import asdict, replace

from extdns.commands.onepass import Pass
from extdns.commands.planbasis import Basis, basis, digest
from extdns.facts.document import VERSION, Version, compact_json, schema_text
from extdns.facts.plan import Planned, planned
from extdns.facts.snapshot import Snapshot


class PlanFacts(Planned, frozen=True):
    """What one pass would do, and a file for `extdns apply`.

    kept are records that stay though something else is asked for or nothing is, and names that are not published.
    missing says what could not be read: if it is not empty, the plan is not all. base is the
    revision or folder of which it is the difference, "" if it is all. seal is a digest of all the rest: it protects
    from accidents, not from forgers.
    """

    api_version: Version
    kind: Literal["Plan"]
    base: str
    basis: Basis
    seal: str


def plan_of(made: Pass) -> Planned:
    """The plan that was made, for people."""
    return planned(Snapshot(made.engine), made.config, made.decisions, made.mistakes, made.missing)


def plan_facts(made: Pass) -> PlanFacts:
    """The plan that was made, sealed."""
    facts = PlanFacts(
        api_version=VERSION,
        kind="Plan",
        base=made.base,
        basis=basis(made.config, made.engine),
        seal="",
        **asdict(plan_of(made)),
    )
    return sealed(facts)


def sealed(facts: PlanFacts) -> PlanFacts:
    """*facts* with the seal that their content has."""
    return replace(facts, seal=digest(compact_json(replace(facts, seal=""))))


if __name__ == "__main__":
    sys.stdout.write(schema_text(PlanFacts, "extdns plan --output=json"))
