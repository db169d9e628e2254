"""The phases of the kinds that sources read or look up, and when a change of them matters."""

from __future__ import annotations

import pytest

from extdns.engine.observations import KindPhases
from extdns.model.cluster import KindState, Phase
from extdns.model.kind import Kind
from tests.builders import INGRESS, PODS, SERVICE


@pytest.mark.parametrize(
    ("reports", "matters", "down", "dependencies_down"),
    [
        pytest.param([(SERVICE, Phase.LISTING)], False, [INGRESS, SERVICE], [], id="still-listed"),
        pytest.param([(SERVICE, Phase.SYNCED)], True, [INGRESS], [], id="synced"),
        pytest.param([(SERVICE, Phase.SYNCED), (SERVICE, Phase.SYNCED)], False, [INGRESS], [], id="synced-again"),
        pytest.param(
            [(SERVICE, Phase.SYNCED), (SERVICE, Phase.FAILING)], True, [INGRESS, SERVICE], [], id="failing-afterwards"
        ),
        pytest.param([(PODS, Phase.FAILING)], False, [INGRESS, SERVICE], [], id="dependency-that-was-never-synced"),
        pytest.param([(PODS, Phase.SYNCED)], False, [INGRESS, SERVICE], [], id="dependency-synced"),
        pytest.param(
            [(PODS, Phase.SYNCED), (PODS, Phase.FAILING)], True, [INGRESS, SERVICE], [PODS], id="dependency-failing"
        ),
        pytest.param(
            [(PODS, Phase.SYNCED), (PODS, Phase.FAILING), (PODS, Phase.SYNCED)],
            True,
            [INGRESS, SERVICE],
            [],
            id="dependency-synced-again",
        ),
    ],
)
def test_a_phase_matters_if_a_kind_becomes_synced_or_is_no_longer_so(
    reports: list[tuple[Kind, Phase]], matters: bool, down: list[Kind], dependencies_down: list[Kind]
) -> None:
    phases = KindPhases((SERVICE, INGRESS))
    found = [phases.report(KindState(kind=kind, phase=phase)) for kind, phase in reports]
    assert found[-1] is matters
    assert (phases.down, phases.dependencies_down) == (down, dependencies_down)
    assert phases.is_synced(reports[-1][0]) is (reports[-1][1] is Phase.SYNCED)
