"""A claim whose targets are all filtered out still counts when claims are merged (docs/spec/sources.md 0.2)."""

from __future__ import annotations

from msgspec.structs import replace

from extdns.model.claim import ResolvedClaim, TargetlessClaim
from extdns.model.record import DesiredRecord
from tests.builders import build_claim, host, observe, observe_gone
from tests.world import World, start_world


def claim_with_ttl(name: str, ttl_s: int) -> ResolvedClaim:
    """Build the claim of the Service *name* to `web` with a TTL."""
    made = build_claim(name, "web")
    return replace(made, desired=replace(made.desired, ttl_s=ttl_s))


def claim_without_targets(name: str, ttl_s: int) -> TargetlessClaim:
    """Build the same claim with all its targets filtered out."""
    made = claim_with_ttl(name, ttl_s)
    return TargetlessClaim(desired=replace(made.desired, targets=()), provenance=made.provenance)


def find_desired(world: World) -> DesiredRecord | None:
    """Return the desired record of the only decision at `web`."""
    (decision,) = world.engine.decisions.decisions(host("web"))
    return decision.desired


def test_a_claim_whose_targets_are_all_filtered_out_still_sets_the_ttl_of_the_merged_record() -> None:
    world = start_world(first=[observe("a", claim_without_targets("a", 60)), observe("b", claim_with_ttl("b", 90))])
    assert (found := find_desired(world)) is not None
    assert (found.ttl_s, found.resource) == (60, "service/shop/a")
    world.run(observe("a", claim_without_targets("a", 70)), for_s=5.0)
    assert (found := find_desired(world)) is not None
    assert found.ttl_s == 70
    world.run(observe_gone("a"), for_s=5.0)
    assert (found := find_desired(world)) is not None
    assert (found.ttl_s, found.resource) == (90, "service/shop/b")


def test_a_record_is_deleted_if_all_targets_of_the_remaining_claim_are_filtered_out() -> None:
    world = start_world(first=[observe("a", claim_without_targets("a", 60)), observe("b", claim_with_ttl("b", 90))])
    world.run(observe_gone("b"), for_s=120.0)
    assert world.list_records() == {}
    assert world.engine.decisions.decisions(host("web")) == ()
