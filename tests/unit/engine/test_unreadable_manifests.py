"""Manifests that cannot be parsed are no evidence (docs/design/delete-safety.md, "Evidence")."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.engine.health import find_failures
from extdns.engine.inputs import ProblemChanged
from extdns.model.cluster import ObjectProblem
from extdns.model.kind import ObjectKey
from extdns.planner.settings import PlanSettings
from tests.builders import INGRESS, PLAN, SERVICE, change_phase, owned, ref
from tests.world import build_world


def problem(message: str, key: ObjectKey | None = None) -> ProblemChanged:
    """Build the change that the manifest at line 3 has a problem, or that it has none if *message* is empty."""
    return ProblemChanged(problem=ObjectProblem(location="shop.yaml:3", key=key, message=message))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(problem("not YAML"), id="unknown-object"),
        pytest.param(problem("not a Service", ref("web").key), id="known-object"),
    ],
)
@pytest.mark.parametrize(
    "plan", [pytest.param(PLAN, id="default"), pytest.param(replace(PLAN, compat=True), id="compat")]
)
def test_in_a_single_pass_no_object_counts_as_absent_while_a_manifest_cannot_be_parsed(
    broken: ProblemChanged, plan: PlanSettings
) -> None:
    world = build_world(*owned("web"), once=True, plan=plan)
    world.run(broken, change_phase(SERVICE), change_phase(INGRESS))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert any("shop.yaml:3" in failure for failure in find_failures(world.engine))


def test_an_object_counts_as_absent_once_all_manifests_can_be_parsed() -> None:
    world = build_world(*owned("web"))
    world.run(problem("not YAML"), change_phase(SERVICE), change_phase(INGRESS))
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.run(problem(""))
    assert world.list_records() == {}
    assert not find_failures(world.engine)
