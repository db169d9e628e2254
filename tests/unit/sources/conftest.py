"""The clusters that the objects of a source's tests come from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.cluster import RIGS
from tests.unit.sources.cluster import shown


@pytest.fixture(scope="package", params=RIGS)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One after the other of those there are; tests leave it empty behind them."""
    with RIGS[request.param](tmp_path_factory.mktemp("cluster"), ()) as rig:
        shown.rig = rig
        yield
        shown.rig = None
