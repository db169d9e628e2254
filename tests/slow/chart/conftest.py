"""The tools of tests/slow/chart."""

from __future__ import annotations

from typing import Final

import pytest

from tests.required_programs import require_program
from tests.slow.chart.tools import Helm

CHART: Final = "the chart"


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Return Helm with a policy, which every installation must have."""
    return Helm(require_program(CHART, "helm"), tmp_path_factory.mktemp("helm"), defaults={"policy": "sync"})


@pytest.fixture(scope="session")
def kubeconform() -> str:
    return require_program(CHART, "kubeconform")


@pytest.fixture(scope="session")
def promtool() -> str:
    return require_program(CHART, "promtool")


@pytest.fixture(scope="session")
def prometheus_program() -> str:
    return require_program(CHART, "prometheus")


@pytest.fixture(scope="session")
def kustomize() -> str:
    return require_program(CHART, "kustomize")
