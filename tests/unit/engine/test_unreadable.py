"""A list of which a part cannot be read is not complete (design 6, `absent`)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.health import failures
from extdns.engine.inputs import ProblemReported
from extdns.model.cluster import ObjectKey, ObjectProblem
from extdns.planner.settings import PlanSettings
from tests.unit.engine.stage import INGRESS, PLAN, SERVICE, owned, phase, ref, stage


def problem(message: str, key: ObjectKey | None = None) -> ProblemReported:
    """What the cluster says of one place."""
    return ProblemReported(problem=ObjectProblem(place="shop.yaml:3", key=key, message=message))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(problem("not YAML"), id="somewhere"),
        pytest.param(problem("not a Service", ref("web").key), id="that-object"),
    ],
)
@pytest.mark.parametrize(
    "plan", [pytest.param(PLAN, id="default"), pytest.param(replace(PLAN, compat=True), id="compat")]
)
def test_in_a_single_pass_an_object_that_cannot_be_read_is_not_absent(
    broken: ProblemReported, plan: PlanSettings
) -> None:
    world = stage(*owned("web"), once=True, plan=plan)
    world.run(broken, phase(SERVICE), phase(INGRESS))
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert any("shop.yaml:3" in failure for failure in failures(world.engine))


def test_once_everything_can_be_read_the_object_is_absent() -> None:
    world = stage(*owned("web"))
    world.run(problem("not YAML"), phase(SERVICE), phase(INGRESS))
    assert world.holds() == {"web A": ("192.0.2.1",)}
    world.run(problem(""))
    assert world.holds() == {}
    assert not failures(world.engine)
