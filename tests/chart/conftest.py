"""The tools of tests/chart. If one is missing, its tests are skipped and name it."""

from __future__ import annotations

import shutil

import pytest

from tests.chart.tools import Helm


def require_program(name: str) -> str:
    """Return the path of the program *name*, or skip the test if it is not in PATH."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"NOT RUN: tests of the chart: {name} is not in PATH; CONTRIBUTING.md says how to install it")
    return path


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Return Helm with a policy, which every installation must have, or skip."""
    return Helm(require_program("helm"), tmp_path_factory.mktemp("helm"), defaults={"policy": "sync"})


@pytest.fixture(scope="session")
def kubeconform() -> str:
    """Return the path of kubeconform, or skip."""
    return require_program("kubeconform")


@pytest.fixture(scope="session")
def promtool() -> str:
    """Return the path of promtool, or skip."""
    return require_program("promtool")


@pytest.fixture(scope="session")
def prometheus_program() -> str:
    """Return the path of Prometheus, or skip."""
    return require_program("prometheus")


@pytest.fixture(scope="session")
def kustomize() -> str:
    """Return the path of kustomize, or skip."""
    return require_program("kustomize")
