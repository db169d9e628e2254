"""The phase of a kind is the worst phase of its namespaces."""

from __future__ import annotations

import pytest

from extdns.kube.live.cluster import combine_phases
from extdns.model.cluster import Phase


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        pytest.param([Phase.SYNCED], Phase.SYNCED, id="one"),
        pytest.param([Phase.SYNCED, Phase.SYNCED], Phase.SYNCED, id="all"),
        pytest.param([Phase.SYNCED, Phase.LISTING], Phase.LISTING, id="not-all-yet"),
        pytest.param([Phase.LISTING, Phase.FAILING, Phase.SYNCED], Phase.FAILING, id="one-failure-is-the-phase-of-all"),
        pytest.param([Phase.FAILING, Phase.NOT_SERVED], Phase.NOT_SERVED, id="not-served"),
        pytest.param([Phase.FORBIDDEN, Phase.FAILING], Phase.FORBIDDEN, id="problems-for-a-person-come-first"),
    ],
)
def test_a_kind_has_the_worst_phase_of_its_namespaces(phases: list[Phase], expected: Phase) -> None:
    assert combine_phases({f"n{n}": (phase, "") for n, phase in enumerate(phases)})[0] is expected


def test_the_detail_of_the_phase_of_a_kind_comes_from_the_first_namespace_in_that_phase() -> None:
    parts = {"b": (Phase.FAILING, "late"), "a": (Phase.SYNCED, ""), "c": (Phase.FAILING, "cut")}
    assert combine_phases(parts) == (Phase.FAILING, "late")
