"""Provide the cluster from which tests of sources get their objects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.cluster import RIGS
from tests.unit.sources.cluster import compute_claims


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run a test with a live cluster. Tests remove their objects again."""
    with RIGS["live"](tmp_path_factory.mktemp("cluster"), ()) as rig:
        compute_claims.rig = rig
        yield
        compute_claims.rig = None
