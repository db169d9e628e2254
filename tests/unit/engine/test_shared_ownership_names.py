"""Two names whose ownership records would have the same name: the second waits for the first, also in a dry run.

See docs/spec/plan.md 11.
"""

from __future__ import annotations

import pytest

from extdns.model.change import Action, TryLater
from extdns.model.reason import Reason
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    SERVICE,
    build_claim,
    change_phase,
    host,
    observe,
    observe_gone,
    owned,
    refuse_names,
    refuse_with_names,
)
from tests.world import World, build_world


def build_registry(**affixes: str) -> TxtRegistry:
    """Build a TXT registry whose naming format has *affixes*."""
    return TxtRegistry(owner="me", naming=Naming(**affixes), managed_types=PLAN.managed_types)


ANY = build_registry(wildcard_replacement="any")
STAR, NAMED = "*.x", "any.x"


def request_names(world: World, *requested: tuple[str, str], for_s: float = 1.0) -> World:
    """Run an engine that observes one Service for each of *requested*, a name and a type."""
    targets = {"A": "192.0.2.1", "CNAME": "lb.test"}
    seen_first = [observe(at, build_claim(at, at, targets[rtype], rtype=rtype)) for at, rtype in requested]
    world.run(*seen_first, change_phase(SERVICE), change_phase(INGRESS), for_s=for_s)
    return world


@pytest.mark.parametrize(
    ("registry", "first", "second", "reason"),
    [
        pytest.param(ANY, (STAR, "A"), (NAMED, "A"), Reason.DUPLICATE_OWNERSHIP_NAME, id="11-wildcard-replacement"),
        pytest.param(
            ANY,
            (STAR, "CNAME"),
            (NAMED, "CNAME"),
            Reason.DUPLICATE_OWNERSHIP_NAME,
            id="11-wildcard-replacement-of-cnames",
        ),
        pytest.param(
            build_registry(),
            ("cname-x", "CNAME"),
            ("x", "CNAME"),
            Reason.DUPLICATE_OWNERSHIP_NAME,
            id="cname-at-the-ownership-name",
        ),
        pytest.param(
            build_registry(prefix="t."), ("t.cname-x", "CNAME"), ("x", "CNAME"), Reason.NO_OWNERSHIP_NAME, id="prefix"
        ),
        pytest.param(
            build_registry(suffix="-t"), ("cname-x-t", "CNAME"), ("x", "CNAME"), Reason.NO_OWNERSHIP_NAME, id="suffix"
        ),
        pytest.param(
            build_registry(prefix="%{record_type}-"),
            ("cname-x", "CNAME"),
            ("x", "CNAME"),
            Reason.DUPLICATE_OWNERSHIP_NAME,
            id="prefix-with-the-record-type",
        ),
    ],
)
def test_of_two_new_names_that_would_share_an_ownership_name_a_dry_run_plans_the_one_that_a_real_run_creates(
    registry: TxtRegistry, first: tuple[str, str], second: tuple[str, str], reason: Reason
) -> None:
    dry = request_names(build_world(registry=registry, has_writer=False), second, first)
    assert dry.list_decisions(first[0]) == [(first[1], Action.CREATE, Reason.REQUESTED)]
    assert dry.list_decisions(second[0]) == [(second[1], Action.NONE, reason)]
    real = request_names(build_world(registry=registry), second, first)
    assert real.list_decisions(first[0]) == [(first[1], Action.KEEP, Reason.PUBLISHED)]
    assert real.list_decisions(second[0]) == [(second[1], Action.NONE, reason)]
    assert len(real.batches) == 1


def test_a_dry_run_plans_a_new_name_whose_ownership_name_belongs_to_a_record_that_is_deleted() -> None:
    current = owned(STAR, resource=f"service/shop/{STAR}")[0], owned("any.x", resource=f"service/shop/{STAR}")[1]
    worlds = [build_world(*current, registry=ANY, has_writer=has_writer) for has_writer in (False, True)]
    for world in worlds:
        request_names(world, (STAR, "A"))
        assert world.list_decisions(STAR) == [("A", Action.KEEP, Reason.PUBLISHED)]
        world.run(observe_gone(STAR), observe("any", build_claim("any", NAMED)), for_s=1.0)
    dry, real = worlds
    assert dry.list_decisions(STAR) == [("A", Action.DELETE, Reason.OBJECT_DELETED)]
    assert dry.list_decisions(NAMED) == [("A", Action.CREATE, Reason.REQUESTED)]
    assert set(real.list_records()) == {"any.x A"}
    assert real.list_decisions(NAMED) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_a_dry_run_plans_a_name_once_the_other_name_with_its_ownership_name_is_no_longer_requested() -> None:
    world = request_names(build_world(registry=ANY, has_writer=False), (STAR, "A"), (NAMED, "A"))
    world.run(observe_gone(STAR))
    assert world.list_decisions(NAMED) == [("A", Action.CREATE, Reason.REQUESTED)]


def test_a_name_is_created_if_the_other_name_with_its_ownership_name_is_refused() -> None:
    world = build_world(registry=ANY)
    world.provider.rule = refuse_with_names(STAR)
    request_names(world, (STAR, "A"), (NAMED, "A"), for_s=10.0)
    assert set(world.list_records()) == {"any.x A"}
    assert world.list_decisions(STAR) == [("A", Action.NONE, Reason.DUPLICATE_OWNERSHIP_NAME)]
    assert world.list_decisions(NAMED) == [("A", Action.KEEP, Reason.PUBLISHED)]


def test_a_name_waits_while_the_other_name_with_its_ownership_name_is_being_written() -> None:
    world = build_world(registry=ANY)
    world.provider.rule = refuse_names(STAR, outcome=TryLater(message="throttled"))
    request_names(world, (STAR, "A"), (NAMED, "A"), for_s=5.0)
    assert world.list_decisions(NAMED) == [("A", Action.NONE, Reason.DUPLICATE_OWNERSHIP_NAME)]
    assert world.batches == [["*"]] * len(world.batches)
    assert host(NAMED) not in {
        key.name for key in world.provider.contents(world.engine.zones.containing(host("x"))[0].zone)
    }
