"""The tools of tests/chart; without one, its tests skip and say what did not run."""

from __future__ import annotations

import shutil

import pytest

from tests.chart.tools import Helm


def found(name: str) -> str:
    """The path of a program in PATH."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"NOT RUN over the chart: {name} is not in PATH; CONTRIBUTING.md says how to install it")
    return path


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Helm."""
    return Helm(found("helm"), tmp_path_factory.mktemp("helm"))


@pytest.fixture(scope="session")
def kubeconform() -> str:
    """The path of kubeconform."""
    return found("kubeconform")


@pytest.fixture(scope="session")
def promtool() -> str:
    """The path of promtool."""
    return found("promtool")


@pytest.fixture(scope="session")
def kustomize() -> str:
    """The path of kustomize."""
    return found("kustomize")
