"""The conformance tests with real servers: DNS servers behind the providers, and a real Kubernetes."""

from __future__ import annotations

import pytest

from tests.conformance.apiserver import Rig
from tests.conformance.provider import GUARDED, SERVER_RIGS
from tests.kubernetes.cluster import Cluster


@pytest.fixture(scope="session", params=SERVER_RIGS)
def provider(request: pytest.FixtureRequest) -> str:
    """Return the name of a provider's rig."""
    return str(request.param)


@pytest.fixture(scope="session", params=[name for name in SERVER_RIGS if name in GUARDED])
def guarded_provider(request: pytest.FixtureRequest) -> str:
    """Return the name of the rig of a provider in `GUARDED`."""
    return str(request.param)


@pytest.fixture
def api(cluster: Cluster) -> Rig:
    """Return an API server with a namespace that no other test uses."""
    return Rig.with_new_namespace(cluster, cluster.raw_client)


@pytest.fixture
def own_api(cluster: Cluster) -> Rig:
    """Return an API server that the test may stop and change, provided that it serves all kinds at the end."""
    return Rig.with_new_namespace(cluster, cluster.raw_client)
