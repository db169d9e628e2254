"""Names whose marks would meet: the plan says what will be done, and the second waits for the first (spec plan 11)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from extdns.model.outcome import TryLater
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    SERVICE,
    Stage,
    blaming,
    gone,
    host,
    owned,
    phase,
    refusing,
    seen,
    stage,
    wants,
)


def naming(**affixes: str) -> TxtRegistry:
    return TxtRegistry(owner="me", naming=Naming(**affixes), managed_types=PLAN.managed_types)


ANY = naming(wildcard_replacement="any")
STAR, NAMED = "*.x", "any.x"


def asked(world: Stage, *wanted: tuple[str, str], for_s: float = 1.0) -> Stage:
    """Each of *wanted*, a name and a type, has a Service called like the name."""
    targets = {"A": "192.0.2.1", "CNAME": "lb.test"}
    seen_first = [seen(at, wants(at, at, targets[rtype], rtype=rtype)) for at, rtype in wanted]
    world.run(*seen_first, phase(SERVICE), phase(INGRESS), for_s=for_s)
    return world


def endings(world: Stage, *names: str) -> Iterable[str]:
    return [ending.partition(" ")[2] for name in names for ending in world.endings(name)]


@pytest.mark.parametrize(
    ("registry", "first", "second", "reason"),
    [
        pytest.param(ANY, (STAR, "A"), (NAMED, "A"), "mark-clash", id="11-wildcard-replacement"),
        pytest.param(ANY, (STAR, "CNAME"), (NAMED, "CNAME"), "mark-clash", id="11-wildcard-replacement-of-cnames"),
        pytest.param(naming(), ("cname-x", "CNAME"), ("x", "CNAME"), "mark-clash", id="a-cname-where-a-mark-must-be"),
        pytest.param(naming(prefix="t."), ("t.cname-x", "CNAME"), ("x", "CNAME"), "no-ownership-name", id="prefix"),
        pytest.param(naming(suffix="-t"), ("cname-x-t", "CNAME"), ("x", "CNAME"), "no-ownership-name", id="suffix"),
        pytest.param(
            naming(prefix="%{record_type}-"),
            ("cname-x", "CNAME"),
            ("x", "CNAME"),
            "mark-clash",
            id="prefix-with-the-record-type",
        ),
    ],
)
def test_of_two_new_names_whose_marks_meet_the_second_is_a_clash_in_the_plan_too(
    registry: TxtRegistry, first: tuple[str, str], second: tuple[str, str], reason: str
) -> None:
    dry = asked(stage(registry=registry, writes=False), second, first)
    assert list(endings(dry, first[0], second[0])) == ["create wanted", f"none {reason}"]
    real = asked(stage(registry=registry), second, first)
    assert list(endings(real, first[0], second[0])) == ["keep programmed", f"none {reason}"]
    assert len(real.batches) == 1


def test_a_name_takes_the_place_of_another_in_the_plan_as_it_will_in_the_zone() -> None:
    standing = owned(STAR, resource=f"service/shop/{STAR}")[0], owned("any.x", resource=f"service/shop/{STAR}")[1]
    worlds = [stage(*standing, registry=ANY, writes=writes) for writes in (False, True)]
    for world in worlds:
        asked(world, (STAR, "A"))
        assert world.endings(STAR) == ["A keep programmed"]
        world.run(gone(STAR), seen("any", wants("any", NAMED)), for_s=1.0)
    dry, real = worlds
    assert list(endings(dry, STAR, NAMED)) == ["delete object-deleted", "create wanted"]
    assert set(real.holds()) == {"any.x A"}
    assert real.endings(NAMED) == ["A keep programmed"]


def test_what_stepped_back_is_planned_when_the_other_is_no_longer_asked_for() -> None:
    world = asked(stage(registry=ANY, writes=False), (STAR, "A"), (NAMED, "A"))
    world.run(gone(STAR))
    assert world.endings(NAMED) == ["A create wanted"]


def test_what_stepped_back_is_made_when_the_other_is_refused() -> None:
    world = stage(registry=ANY)
    world.provider.rule = blaming(STAR)
    asked(world, (STAR, "A"), (NAMED, "A"), for_s=10.0)
    assert set(world.holds()) == {"any.x A"}
    assert list(endings(world, STAR, NAMED)) == ["none mark-clash", "keep programmed"]


def test_what_stepped_back_stays_so_while_the_other_is_on_its_way() -> None:
    world = stage(registry=ANY)
    world.provider.rule = refusing(STAR, outcome=TryLater(message="throttled"))
    asked(world, (STAR, "A"), (NAMED, "A"), for_s=5.0)
    assert world.endings(NAMED) == ["A none mark-clash"]
    assert world.batches == [["*"]] * len(world.batches)
    assert host(NAMED) not in {key.name for key in world.provider.contents(world.engine.zones.of(host("x"))[0].zone)}
